//! Answering questions: a file is read, its structure taken, its summary made, by a model if the
//! caller has one to ask, else from its own words.
//!
//! Secrets are masked before anything is made of a text. Nothing here asks a model itself, prints,
//! or decides what may be spent: the caller's [`Ask`] does.

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    ScanError,
    answer::{Notes, answer},
    known::Known,
    parse::outline_in_time,
    reach::Reach,
    record::{
        GapKind, PartRecord, Question, QuestionState, SUMMARY, Summary, doc_id, summary_id,
        wire_path,
    },
    run::read_file,
};
use crate::summary::{self, PROMPT_VERSION};
use elophanto_base::secrets::mask;
use elophanto_index::store::lock::{self, Lock};
use elophanto_models::llm::{Ask, Asked, EXTRACTIVE};
use elophanto_repo::{BlobId, NotePath, ReadError, record_store::RecordStore};
use elophanto_text::{
    markdown,
    outline::{FileKind, Outline},
};

/// Files whose summaries are written down at once: a killed run loses at most so many.
const BATCH: usize = 64;
/// How often a model is asked about one file.
const TRIES: usize = 2;
/// The name of summaries that could not be made.
pub const UNSUPPORTED: &str = "unsupported_type";
pub const UNREADABLE: &str = "unreadable";
pub const VANISHED: &str = "vanished";
/// A model should make it and cannot be asked now.
pub const STOPPED: &str = "stopped";

/// What investigations work on.
pub struct InvestigationContext<'a> {
    pub record_store: &'a RecordStore<'a>,
    /// Which files may be read.
    pub reach: &'a Reach<'a>,
    /// Larger files are not read, in bytes.
    pub max_file_bytes: u64,
    pub count_tokens: &'a (dyn Fn(&str) -> usize + Sync),
    /// What questions about notes are answered from.
    pub notes: Notes<'a>,
    /// Nanoseconds since 1970.
    pub now: &'a (dyn Fn() -> i64 + Sync),
}

/// What came of a question.
#[derive(Debug, Clone)]
pub struct Found {
    pub question: Question,
    /// The file's new or known summary.
    pub summary: Option<Summary>,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    pub found: Vec<Found>,
    /// Calls of the model.
    pub calls: usize,
    /// Why questions were left open.
    pub stopped: Option<String>,
}

/// The lock of whoever investigates; `None` while another process does. The kernel lets go of it
/// when the process ends, however it ends.
///
/// # Errors
/// When the lock's file cannot be opened.
pub fn claim(record_store: &RecordStore) -> Result<Option<Lock>, ScanError> {
    let path = record_store.repository.local_dir().join("investigate.lock");
    let found = lock::try_for(&path, std::time::Duration::ZERO);
    found.map_err(|cause| ScanError::Lock { path, source: cause })
}

/// Sets back claims that a crash left behind: whoever investigates holds the lock.
///
/// # Errors
/// When the lock's file cannot be opened.
pub fn reopen(record_store: &RecordStore, known: &mut Known) -> Result<(), ScanError> {
    let claimed = |question: &Question| question.state == QuestionState::Investigating;
    if known.questions.values().any(claimed) && claim(record_store)?.is_some() {
        known.reopen();
    }
    Ok(())
}

/// Answers questions in their order. `tick` is called with each that is done.
///
/// # Errors
/// When what was found out cannot be written down. What was written before stays.
pub fn investigate(
    context: &InvestigationContext,
    known: &Known,
    questions: &[Question],
    mut ask: Ask,
    tick: &dyn Fn(usize, usize),
) -> Result<Outcome, ScanError> {
    let mut outcome = Outcome::default();
    for batch in questions.chunks(BATCH) {
        let now = super::run::at((context.now)());
        let claims: Vec<Question> = batch
            .iter()
            .map(|question| question.moved(QuestionState::Investigating, None, now))
            .collect();
        // Only here: that somebody is at it is no news for other clones.
        context.record_store.write(elophanto_repo::journal::Place::Local, &claims)?;
        let by_itself = ask.is_none();
        let mut drafts: Vec<Draft> =
            batch.par_iter().map(|question| draft(context, known, question, by_itself)).collect();
        let mut open = Vec::new();
        for (draft, question) in drafts.iter_mut().zip(batch) {
            if outcome.stopped.is_some() && matches!(draft, Draft::Read(_)) {
                open.push(question.moved(QuestionState::Open, None, now));
                continue;
            }
            let (Draft::Read(read), Some(ask)) = (&mut *draft, &mut ask) else { continue };
            match complete(read, context, *ask, &mut outcome) {
                Some(summary) => *draft = Draft::Summary(Box::new(summary)),
                None => open.push(question.moved(QuestionState::Open, None, now)),
            }
        }
        let mut found: Vec<Found> = Vec::new();
        for (draft, question) in drafts.into_iter().zip(batch) {
            let at = super::run::at((context.now)());
            let done = match draft {
                Draft::Read(_) => continue,
                Draft::Known(summary) => Found {
                    question: question.moved(QuestionState::Answered, None, at),
                    summary: Some(*summary),
                },
                Draft::Summary(summary) => {
                    let state = if summary.summary_failed {
                        QuestionState::Failed
                    } else {
                        QuestionState::Answered
                    };
                    let answer = summary.reason.clone();
                    Found { question: question.moved(state, answer, at), summary: Some(*summary) }
                }
                Draft::Told(text) => Found {
                    question: question.moved(QuestionState::Answered, Some(text), at),
                    summary: None,
                },
                Draft::Failed(reason) => Found {
                    question: question.moved(QuestionState::Failed, Some(reason), at),
                    summary: None,
                },
            };
            found.push(done);
            tick(outcome.found.len() + found.len(), questions.len());
        }
        write(context, known, &found)?;
        context.record_store.write(elophanto_repo::journal::Place::Local, &open)?;
        outcome.found.extend(found);
    }
    Ok(outcome)
}

/// Describes one file, whatever is asked about it. Nothing is written down.
///
/// # Errors
/// The word for why it cannot be: [`UNSUPPORTED`], [`UNREADABLE`], [`VANISHED`], or [`STOPPED`].
pub fn describe(
    context: &InvestigationContext,
    known: &Known,
    path: &NotePath,
    ask: Ask,
) -> Result<Summary, &'static str> {
    let read = read(context, known, path)?;
    if let Some(summary) = &read.known {
        return Ok(moved(summary, path, super::run::at((context.now)())));
    }
    match ask {
        None => Ok(read.extract(context)),
        Some(ask) => complete(&read, context, ask, &mut Outcome::default()).ok_or(STOPPED),
    }
}

/// A summary of exactly the content that was described under another name, if that is so: what
/// was moved is not asked about again.
fn moved(described: &Summary, path: &NotePath, at: Timestamp) -> Summary {
    let (file_path, path_bytes) = wire_path(path);
    let blob = &described.blob;
    Summary {
        id: BlobId::from_hex(blob)
            .map_or_else(|| described.id.clone(), |blob| summary_id(path, &blob)),
        doc_id: doc_id(path),
        at,
        // A model may have named the path that it was told.
        summary: described.summary.replace(&described.file_path, &file_path),
        file_type: FileKind::of(path.as_path()).unwrap_or(FileKind::Text).name().to_owned(),
        file_path,
        path_bytes,
        ..described.clone()
    }
}

/// A question on its way to its answer.
enum Draft {
    /// A file to be summarised.
    Read(Box<Read>),
    /// Described before.
    Known(Box<Summary>),
    Summary(Box<Summary>),
    Told(String),
    Failed(String),
}

fn draft(
    context: &InvestigationContext,
    known: &Known,
    question: &Question,
    by_itself: bool,
) -> Draft {
    let path = question.evidence.path();
    match question.gap {
        GapKind::Unindexed | GapKind::Stale => {}
        _ => return Draft::Told(answer(context, question)),
    }
    match read(context, known, &path) {
        Ok(read) => match read.known {
            Some(ref summary) if summary.path() == path => {
                let id = summary.id.trim_end_matches("-here").to_owned();
                Draft::Known(Box::new(Summary { id, ..summary.clone() }))
            }
            Some(ref summary) => {
                Draft::Summary(Box::new(moved(summary, &path, super::run::at((context.now)()))))
            }
            None if by_itself => Draft::Summary(Box::new(read.extract(context))),
            None => Draft::Read(Box::new(read)),
        },
        Err(VANISHED) => Draft::Failed(VANISHED.to_owned()),
        Err(reason) => {
            let failed = Read::new(path);
            Draft::Summary(Box::new(failed.failed(context, reason)))
        }
    }
}

/// What is known of exactly this content, at this path or another.
fn before(known: &Known, path: &NotePath, blob: &BlobId) -> Option<Summary> {
    let blob = blob.to_string();
    let own = known.of_content(path, &blob).filter(|described| !described.failed);
    if let Some(own) = own {
        return own.summary();
    }
    // What a file's own words make names its path: that is made anew, at no cost.
    known.anywhere(&blob)?.summary().filter(|summary| summary.model != EXTRACTIVE)
}

/// A file, read and taken apart.
struct Read {
    path: NotePath,
    kind: FileKind,
    size: u64,
    /// All zero if it could not be read.
    blob: BlobId,
    /// Secrets masked, shortened.
    text: String,
    truncated: bool,
    outline: Outline,
    known: Option<Summary>,
}

fn read(
    context: &InvestigationContext,
    known: &Known,
    path: &NotePath,
) -> Result<Read, &'static str> {
    let (bytes, _) =
        read_file(context.reach, path, context.max_file_bytes).map_err(|cause| match cause {
            _ if cause.is_gone() => VANISHED,
            ReadError::TooLarge { .. } => UNSUPPORTED,
            _ => UNREADABLE,
        })?;
    let blob = BlobId::of(&bytes);
    let mut read = Read { size: bytes.len() as u64, blob, ..Read::new(path.clone()) };
    read.known = before(known, path, &blob);
    if read.known.is_some() {
        return Ok(read);
    }
    let decoded = markdown::decode(&bytes).map_err(|_| UNSUPPORTED)?;
    let (masked, _) = mask(&decoded.text);
    let shortened = summary::shorten(&masked);
    read.truncated = shortened.truncated;
    read.outline = outline_in_time(read.kind, &masked);
    read.text = shortened.text.into_owned();
    Ok(read)
}

/// Asks the model, once more if it fails. `None` if it should not be asked any more.
fn complete(
    read: &Read,
    context: &InvestigationContext,
    ask: &mut dyn FnMut(&str) -> Asked,
    outcome: &mut Outcome,
) -> Option<Summary> {
    let prompt = summary::prompt(
        &read.path.to_text(),
        read.kind,
        &read.text,
        &read.outline,
        read.truncated,
        context.count_tokens,
    );
    let mut failure = String::new();
    for _ in 0..TRIES {
        match ask(&prompt) {
            Asked::NoModel => return Some(read.extract(context)),
            Asked::Stop(reason) => {
                outcome.stopped = Some(reason);
                return None;
            }
            Asked::Failed(reason) => {
                outcome.calls += 1;
                failure = reason;
            }
            Asked::Said { text, model } => {
                outcome.calls += 1;
                match summary::accept(&text, context.count_tokens) {
                    Ok(said) => return Some(read.said(context, &said, model)),
                    Err(refused) => failure = refused.to_string(),
                }
            }
        }
    }
    Some(read.failed(context, &failure))
}

impl Read {
    /// Of which nothing is known but its name.
    fn new(path: NotePath) -> Self {
        Self {
            kind: FileKind::of(path.as_path()).unwrap_or(FileKind::Text),
            path,
            size: 0,
            blob: BlobId::from_bytes([0; 20]),
            text: String::new(),
            truncated: false,
            outline: Outline::default(),
            known: None,
        }
    }

    /// From its own words.
    fn extract(&self, context: &InvestigationContext) -> Summary {
        let path = self.path.to_text();
        let made =
            summary::extract(&path, self.kind, &self.text, &self.outline, context.count_tokens);
        self.record(context, made.text, EXTRACTIVE, made.parts)
    }

    /// From what a model said of it; what its parts are is its own.
    fn said(&self, context: &InvestigationContext, said: &str, model: String) -> Summary {
        let path = self.path.to_text();
        let structure = summary::structure(self.kind, &self.outline, context.count_tokens);
        let text = format!("{}\n{structure}", mask(said).0);
        let made =
            summary::extract(&path, self.kind, &self.text, &self.outline, context.count_tokens);
        self.record(context, text.trim_end().to_owned(), &model, made.parts)
    }

    fn failed(&self, context: &InvestigationContext, reason: &str) -> Summary {
        let text = summary::failed(self.kind, &self.outline, context.count_tokens);
        Summary {
            summary_failed: true,
            reason: Some(reason.chars().take(200).collect()),
            ..self.record(context, text, EXTRACTIVE, Vec::new())
        }
    }

    fn record(
        &self,
        context: &InvestigationContext,
        text: String,
        model: &str,
        parts: Vec<summary::Part>,
    ) -> Summary {
        let at = super::run::at((context.now)());
        let (file_path, path_bytes) = wire_path(&self.path);
        Summary {
            kind: SUMMARY.to_owned(),
            id: summary_id(&self.path, &self.blob),
            at,
            doc_id: doc_id(&self.path),
            file_path,
            path_bytes,
            file_type: self.kind.name().to_owned(),
            file_size: self.size,
            blob: self.blob.to_string(),
            indexed_at: at,
            summary: text,
            model: model.to_owned(),
            prompt_version: PROMPT_VERSION,
            truncated: self.truncated,
            original_size: self.size,
            summary_failed: false,
            reason: None,
            parts: parts
                .into_iter()
                .map(|part| PartRecord { name: part.name, lines: part.lines, summary: part.text })
                .collect(),
            withdrawn: false,
        }
    }
}

/// Writes summaries, then the answers that rest on them.
fn write(context: &InvestigationContext, known: &Known, found: &[Found]) -> Result<(), ScanError> {
    let InvestigationContext { record_store, reach, .. } = *context;
    for outside in [false, true] {
        let of_place =
            |found: &&Found| reach.is_private(&found.question.evidence.path()) == outside;
        let place = record_store.place(outside);
        let is_news = |summary: &&Summary| {
            // What is known here alone is handed on.
            let before = known.of_content(&summary.path(), &summary.blob);
            before.is_none_or(|before| {
                before.failed || before.shared != record_store.is_shared(outside)
            })
        };
        let summaries: Vec<&Summary> = found
            .iter()
            .filter(of_place)
            .filter_map(|found| found.summary.as_ref())
            .filter(is_news)
            .collect();
        record_store.write(place, &summaries)?;
        let questions: Vec<&Question> =
            found.iter().filter(of_place).map(|found| &found.question).collect();
        record_store.write(place, &questions)?;
    }
    Ok(())
}
