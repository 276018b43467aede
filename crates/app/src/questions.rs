//! What `scan` asks about files: the questions that wait for an answer, and those that got one.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error, Result,
    reporter::Reporter,
    scan::{ScanRequest, investigate},
    workspace::Workspace,
};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::scan::{
    GapKind, Known, Priority, Question, QuestionState, Summary,
    freshness::{Freshness, current},
    investigate::reopen,
    record::{DISMISSAL, Dismissal, Evidence},
};

/// A question, as programs get it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listed<'a> {
    /// Of the record of the journal.
    pub id: &'a str,
    /// What is not known.
    #[schemars(extend("detail" = 3))]
    pub kind: GapKind,
    /// In words.
    pub question: &'a str,
    /// What is thought to be wrong, as one word.
    #[schemars(extend("detail" = 4))]
    pub hypothesis: &'a str,
    /// What raised it.
    #[schemars(extend("detail" = 2))]
    pub evidence: &'a Evidence,
    /// How soon it is worth an answer.
    #[schemars(extend("detail" = 3))]
    pub priority: Priority,
    /// 3: may be answered unasked; 2: an answer is a proposal; 1: a person decides.
    #[schemars(extend("detail" = 1))]
    pub autonomy: u8,
    /// What an answer is worth, from 0 to 1.
    #[schemars(extend("detail" = 1))]
    pub value: f32,
    /// Tokens that an answer takes, as estimated.
    #[schemars(extend("detail" = 1))]
    pub cost: u64,
    /// Whether it waits or was answered.
    pub state: QuestionState,
    /// When it was raised.
    #[schemars(with = "String", extend("detail" = 1))]
    pub at: Timestamp,
    /// What was found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 5))]
    pub answer: Option<&'a str>,
}

/// Questions that wait for an answer, the most valuable first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Waiting<'a> {
    /// The most valuable first.
    pub questions: Vec<Listed<'a>>,
    /// how many are left out
    pub more: usize,
}

impl<'a> From<&'a Question> for Listed<'a> {
    fn from(question: &'a Question) -> Self {
        Self {
            id: &question.id,
            kind: question.gap,
            question: &question.question,
            hypothesis: &question.hypothesis,
            evidence: &question.evidence,
            priority: question.priority,
            autonomy: question.autonomy,
            value: question.value,
            cost: question.cost,
            state: question.state,
            at: question.at,
            answer: question.answer.as_deref(),
        }
    }
}

/// What is known, with claims that a crash left behind set back.
///
/// # Errors
/// When that cannot be written down.
pub fn known(workspace: &Workspace) -> Result<Known> {
    let record_store = workspace.record_store();
    let mut known = Known::read(&record_store.journal, &workspace.reach(), Timestamp::now());
    reopen(&record_store, &mut known)?;
    Ok(known)
}

/// Questions in one state, or those that wait for an answer; the most valuable first.
pub fn list(known: &Known, state: Option<QuestionState>) -> Vec<&Question> {
    let is_wanted = |question: &&Question| match state {
        Some(state) => question.state == state,
        None => question.state.is_waiting(),
    };
    let mut questions: Vec<&Question> = known.questions.values().filter(is_wanted).collect();
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
    questions
}

/// At most `limit` of the questions in one state, or that wait for an answer: all of these are `open`.
pub fn waiting(known: &Known, state: Option<QuestionState>, limit: usize) -> Waiting<'_> {
    let questions = list(known, state.filter(|state| *state != QuestionState::Open));
    let shown: Vec<Listed> = questions.iter().take(limit).map(|it| Listed::from(*it)).collect();
    Waiting { more: questions.len() - shown.len(), questions: shown }
}

/// The question of this id, or of the only id that begins so.
///
/// # Errors
/// When several do.
pub fn find<'k>(known: &'k Known, id: &str) -> Result<Option<&'k Question>> {
    if let Some(question) = known.questions.get(id) {
        return Ok(Some(question));
    }
    let mut begin = known.questions.values().filter(|question| question.id.starts_with(id));
    match (begin.next(), begin.next()) {
        (Some(_), Some(_)) => Err(Error::new(format_args!(
            "several questions begin with `{}`",
            escape_control_line(id)
        ))
        .hint("give more of the id; `elophanto scan --list` shows them")),
        (one, _) => Ok(one.filter(|_| !id.is_empty())),
    }
}

/// Puts a question aside for good.
///
/// # Errors
/// When that cannot be written down.
pub fn dismiss(workspace: &Workspace, question: &Question) -> Result<Question> {
    let dismissed = question.moved(QuestionState::Dismissed, None, Timestamp::now());
    note(workspace, &dismissed)?;
    Ok(dismissed)
}

/// Takes up a question again that was put aside: it is what it was before. Whether somebody had put it
/// aside.
///
/// # Errors
/// When that cannot be written down.
pub fn take_up(workspace: &Workspace, question: &Question) -> Result<bool> {
    if question.state != QuestionState::Dismissed {
        return Ok(false);
    }
    note(workspace, &question.moved(QuestionState::Open, None, Timestamp::now()))?;
    Ok(true)
}

/// Writes down whether a question is put aside.
fn note(workspace: &Workspace, question: &Question) -> Result<()> {
    let dismissal = Dismissal {
        kind: DISMISSAL.to_owned(),
        id: question.id.clone(),
        at: question.at,
        state: question.state,
        blob: question.evidence.blob.clone(),
    };
    let record_store = workspace.record_store();
    let is_private = workspace.reach().is_private(&question.evidence.path());
    record_store.write(record_store.place(is_private), &[&dismissal])?;
    Ok(())
}

/// What came of a question that was answered.
#[derive(Debug)]
pub struct Answered {
    /// As it stands now.
    pub question: Question,
    /// What is said of the file now.
    pub summary: Option<Summary>,
    /// The id of that, if it was not said before.
    pub made: Option<String>,
    /// Why it stays open.
    pub stopped: Option<String>,
}

/// Finds the answer to one question, as `scan --investigate` does: by a language model that the user
/// agreed to, else from the file's own words.
///
/// # Errors
/// When it waits for no answer, or what was found cannot be written down.
pub fn answer(
    workspace: &Workspace,
    question: &Question,
    reporter: &dyn Reporter,
) -> Result<Answered> {
    if !question.state.is_waiting() {
        let state = question.state.as_str();
        return Err(Error::new(format_args!("the question waits for no answer: it is {state}")));
    }
    let path = question.evidence.path();
    let (journal, reach) = (workspace.record_store().journal, workspace.reach());
    let before: Vec<String> = Known::read(&journal, &reach, Timestamp::now())
        .described
        .get(&path)
        .map(|all| all.iter().filter_map(|it| Some(it.summary()?.id)).collect())
        .unwrap_or_default();
    let request = ScanRequest::default();
    let ids = std::slice::from_ref(&question.id);
    let outcome = investigate(workspace, ids, &request, &mut |_| Ok(()), reporter)?;
    let mut answered = Answered {
        question: question.clone(),
        summary: None,
        made: None,
        stopped: outcome.stopped,
    };
    if let Some(found) = outcome.found.into_iter().next() {
        let is_new = |it: &&Summary| !before.contains(&it.id);
        answered.made = found.summary.as_ref().filter(is_new).map(|it| it.id.clone());
        (answered.question, answered.summary) = (found.question, found.summary);
    }
    Ok(answered)
}

/// Takes an answer back: the question waits again, and what was said of the file for it (`made`) is
/// not said any more. `None` if it is not answered.
///
/// # Errors
/// When that cannot be written down.
pub fn take_back(
    workspace: &Workspace,
    question: &Question,
    made: Option<&str>,
) -> Result<Option<Question>> {
    if !matches!(question.state, QuestionState::Answered | QuestionState::Failed) {
        return Ok(None);
    }
    let now = Timestamp::now();
    let record_store = workspace.record_store();
    let path = question.evidence.path();
    let place = record_store.place(workspace.reach().is_private(&path));
    if let Some(made) = made {
        let known = Known::read(&record_store.journal, &workspace.reach(), now);
        let all = known.described.get(&path).into_iter().flatten();
        let said: Vec<Summary> = all
            .filter_map(|it| it.summary())
            .filter(|it| it.id == made)
            .map(|it| it.taken_back(now))
            .collect();
        record_store.write(place, &said.iter().collect::<Vec<_>>())?;
    }
    let open = question.moved(QuestionState::Open, None, now);
    record_store.write(place, &[&open])?;
    Ok(Some(open))
}

/// What is said of each file that is described, and whether that still holds; by path.
pub fn described(
    workspace: &Workspace,
    known: &Known,
) -> impl Iterator<Item = (Summary, Freshness)> {
    let reach = workspace.reach();
    let limit = workspace.config.knowledge.max_file_bytes;
    let mut paths: Vec<_> = known.described.keys().collect();
    paths.sort_unstable();
    paths.into_iter().filter_map(move |path| {
        let (described, freshness) = current(known, &reach, path, limit)?;
        Some((described.summary()?, freshness))
    })
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
