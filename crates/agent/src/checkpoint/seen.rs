//! The work tree as a run sees it before each change: a baseline whose contents are in git, and what
//! is different since, which the run keeps itself as long as it is little.

use std::{path::Path, sync::Arc};

use super::{
    Checkpoints, Result,
    baseline::{self, Baseline},
    data::{Data, link_or_copy, sync},
    name::Name,
    record::{Place, Was},
    seal,
    survey::{Moment, Survey},
};

/// A longer text is kept beside the journal, in bytes.
const MOST_TEXT_BYTES: usize = 32 * 1024;
/// What is different from a baseline is kept by the run itself up to so many files, ...
const MOST_NEW_FILES: usize = 1_000;
/// ... and so many bytes.
const MOST_NEW_BYTES: u64 = 8 * 1024 * 1024;

/// The work tree at one moment of a run.
#[derive(Clone)]
pub(super) struct Seen {
    /// The number of the file that holds a baseline, ...
    pub(super) number: u32,
    /// ... and that baseline with all that is different since.
    pub(super) baseline: Arc<Baseline>,
    /// How many files, with how many bytes, were read since.
    files: usize,
    bytes: u64,
}

impl Seen {
    fn of(number: u32, baseline: Baseline) -> Self {
        Self { number, baseline: Arc::new(baseline), files: 0, bytes: 0 }
    }
}

/// The work tree now, and how it differs from its baseline, but for what earlier looks of the run
/// have said. What it holds is on disk when this returns. `last` is what the run in this folder
/// saw last, `next` the number of a new baseline.
///
/// # Errors
/// When it cannot be looked at, or not be kept.
pub(super) fn look(
    at: &Checkpoints,
    folder: &Path,
    last: Option<&Seen>,
    next: u32,
) -> Result<(Seen, Vec<Was>)> {
    let moment = if last.is_none() { Moment::First } else { Moment::Before };
    let known = match last {
        Some(last) => Some(last.clone()),
        None => baseline::last(at)?.map(|baseline| Seen::of(next, baseline)),
    };
    if let Some(known) = known
        && let Some(new) = what_is_new(at, folder, known, moment)?
    {
        return Ok(new);
    }
    // What a run that could not be sealed needs stays.
    let is_alone = seal::unsealed(at).len() == 1;
    let baseline = baseline::take(at, moment, next == 0 && is_alone)?;
    keep_baseline(at, folder, next)?;
    Ok((Seen::of(next, baseline), Vec::new()))
}

/// What is different from what is known, kept in the folder of the run; `None` if it is so much
/// that it belongs into git.
fn what_is_new(
    at: &Checkpoints,
    folder: &Path,
    known: Seen,
    moment: Moment,
) -> Result<Option<(Seen, Vec<Was>)>> {
    let survey = Survey::of(at, &known.baseline, moment)?;
    let (files, bytes) = survey.unread(&known.baseline);
    let (files, bytes) = (known.files.saturating_add(files), known.bytes.saturating_add(bytes));
    if files > MOST_NEW_FILES || bytes > MOST_NEW_BYTES {
        return Ok(None);
    }
    if moment == Moment::First {
        keep_baseline(at, folder, known.number)?;
    }
    let mut data = Data::new(folder);
    let mut keep = |_: &Name, bytes: Vec<u8>| keep(&mut data, &bytes).map(Some);
    let entries = survey.read(at.git.root(), &known.baseline, &mut keep)?;
    data.finish()?;
    let since = known.baseline.difference(&entries);
    let baseline = Arc::new(Baseline { entries, ..Baseline::default() });
    Ok(Some((Seen { number: known.number, baseline, files, bytes }, since)))
}

/// Keeps the baseline that was taken last, as others replace it.
fn keep_baseline(at: &Checkpoints, folder: &Path, number: u32) -> Result<()> {
    link_or_copy(&baseline::cache_file(at), &folder.join(baseline_name(number)))?;
    sync(folder)
}

/// A short text goes along with the record: one file to sync instead of two.
pub(super) fn keep(data: &mut Data, bytes: &[u8]) -> Result<Place> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= MOST_TEXT_BYTES => Ok(Place::Text(text.to_owned())),
        _ => data.add(bytes).map(Place::Data),
    }
}

/// The file of a baseline in the folder of a run.
pub(super) fn baseline_name(number: u32) -> String {
    format!("baseline-{number}")
}
