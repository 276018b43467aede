//! Closing questions about files that are gone, without a whole scan.

use jiff::Timestamp;

use super::{ScanError, known::Known, reach::Reach, record::QuestionState};
use elophanto_repo::{
    journal::{Place, is_credible},
    record_store::RecordStore,
};

/// Closes every question that waits and is about a file which is no longer there; says how many.
///
/// # Errors
/// When that cannot be written down.
pub fn expire(
    record_store: &RecordStore,
    reach: &Reach,
    now: Timestamp,
    dry: bool,
) -> Result<usize, ScanError> {
    let known = Known::read(&record_store.journal, reach, now);
    let root = &record_store.repository.root;
    let is_gone = |path: &std::path::Path| std::fs::symlink_metadata(root.join(path)).is_err();
    let expired = known.questions.values().filter(|question| {
        question.state.is_waiting() && is_gone(question.evidence.path().as_path())
    });
    let (mut local, mut shared) = (Vec::new(), Vec::new());
    for question in expired {
        // Later than what it takes the place of, but for a time that cannot be.
        let at = if is_credible(question.at, now) { question.at.max(now) } else { now };
        let closed =
            question.moved(QuestionState::Answered, Some("the file is gone".to_owned()), at);
        let is_here = known.is_local(&question.id) || reach.is_private(&question.evidence.path());
        if is_here { local.push(closed) } else { shared.push(closed) }
    }
    if !dry {
        record_store.write(Place::Local, &local)?;
        record_store.write(record_store.place(false), &shared)?;
    }
    Ok(local.len() + shared.len())
}
