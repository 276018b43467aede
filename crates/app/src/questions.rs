//! What `scan` asks about files: the questions that wait for an answer, and those that got one.

use jiff::Timestamp;

use crate::{Error, reporter::Reporter, workspace::Workspace};
use elophanto_base::visible::visible_line;
use elophanto_knowledge::scan::{Known, Question, QuestionState, investigate::reopen};

/// What is known, with claims that a crash left behind set back.
///
/// # Errors
/// When that cannot be written down.
pub fn known(workspace: &Workspace) -> Result<Known, Error> {
    let desk = workspace.desk();
    let mut known = Known::read(&desk.journal, Timestamp::now());
    reopen(&desk, &mut known)?;
    Ok(known)
}

/// Questions in one state, or those that wait for an answer; the most valuable first.
pub fn list(known: &Known, state: Option<QuestionState>) -> Vec<&Question> {
    let is_wanted = |question: &&Question| match state {
        Some(state) => question.state == state,
        None => question.state.is_waiting(),
    };
    let mut questions: Vec<&Question> = known.questions.values().filter(is_wanted).collect();
    in_order(&mut questions);
    questions
}

/// The most valuable first.
pub fn in_order(questions: &mut [&Question]) {
    questions.sort_by(|a, b| {
        let family = |question: &Question| {
            let file_type = question.evidence.file_type.as_deref().unwrap_or_default();
            elophanto_text::outline::FileKind::from_name(file_type).map(|kind| kind.family())
        };
        family(a)
            .cmp(&family(b))
            .then_with(|| a.priority.cmp(&b.priority))
            .then_with(|| b.value.total_cmp(&a.value))
            .then_with(|| a.evidence.file_path.cmp(&b.evidence.file_path))
            .then_with(|| a.id.cmp(&b.id))
    });
}

/// The question of this id, or of the only id that begins so.
///
/// # Errors
/// When several do.
pub fn find<'k>(known: &'k Known, id: &str) -> Result<Option<&'k Question>, Error> {
    if let Some(question) = known.questions.get(id) {
        return Ok(Some(question));
    }
    let mut begin = known.questions.values().filter(|question| question.id.starts_with(id));
    match (begin.next(), begin.next()) {
        (Some(_), Some(_)) => {
            Err(Error::new(format_args!("several questions begin with `{}`", visible_line(id)))
                .hint("give more of the id; `elophanto scan --list` shows them"))
        }
        (one, _) => Ok(one.filter(|_| !id.is_empty())),
    }
}

/// Says what of the journal cannot be read.
pub fn warn(known: &Known, reporter: &dyn Reporter) {
    for (path, damage) in &known.damage {
        reporter.warn(format_args!("{}:{}: {}", path.display(), damage.line, damage.fault));
    }
    for cause in &known.unreadable {
        reporter.warn(cause);
    }
}
