//! Teaching the built-in model a repository's own words from `minilm`.
//!
//! The passages are those of the notes; what was read of them before, by a second look or an index of
//! `minilm`, is not read again. The result is a table in the repository, of which everybody who has
//! it makes the same vectors.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error, Result,
    embedding::own_words::{path_for, tables},
    reporter::Reporter,
    workspace::{Workspace, write_beneath},
};
use elophanto_base::counted::counted;
use elophanto_index::{
    Options, note,
    passages::passages,
    store::{
        cache::Cache,
        matrix::{Encoded, Key},
    },
};
use elophanto_models::{
    Embedder, Fingerprint,
    bert::Bert,
    builtin::{Builtin, LEAST, Lesson, Tuned, learn},
};
use elophanto_repo::remove_beneath;

/// Passages that are learnt from at most: it takes seconds, and memory.
const MOST_PASSAGES: usize = 20_000;
/// Passages that are read at a time.
const BATCH: usize = 64;
/// Questions by which the gain is measured.
const QUESTIONS: usize = 200;
/// One passage of so many is asked about at most: the others are learnt from meanwhile.
const ASKED_OF: usize = 4;
/// Words of a question, and of the shortest passage that one is taken from.
const QUESTION_WORDS: usize = 12;
const LEAST_WORDS: usize = 2 * QUESTION_WORDS;
/// A table must be worth this much of the agreement with `minilm`.
const LEAST_GAIN: f32 = 0.01;

/// How a repository's words are learnt.
#[derive(Debug, Clone, Copy)]
pub struct TuneRequest {
    /// Nothing is written.
    pub dry_run: bool,
    /// How long passages may be read that nobody has read before.
    pub budget: Duration,
}

/// What was learnt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TunedWords {
    /// Passages of the notes.
    pub passages: usize,
    /// Those that were learnt from.
    pub read: usize,
    /// Words that have a vector of the repository's own.
    pub words: usize,
    /// Size of the table.
    pub bytes: usize,
    /// How many of the ten passages that `minilm` finds nearest the built-in model finds too, for runs
    /// of words of other passages: without the table, and with one.
    pub before: f32,
    /// See [`before`](Self::before): with the table.
    pub after: f32,
    /// Whether it is worth having.
    pub helps: bool,
    /// The table that was written.
    pub file: Option<PathBuf>,
    /// Whether the repository's index is one of the built-in model.
    pub is_used: bool,
}

/// Learns the repository's words and writes the table, if it helps; `None` if there is too little to
/// learn from.
///
/// # Errors
/// When the notes cannot be read, or the table cannot be written.
pub fn tune(
    request: &TuneRequest,
    workspace: &Workspace,
    reporter: &dyn Reporter,
) -> Result<Option<TunedWords>> {
    let progress = reporter.progress("notes");
    let update = |done, all| progress.update(done, all);
    let options = Options { full: false, patience: None, progress: &update };
    let refreshed = workspace.refresh(options)?;
    drop(progress);
    let found = passages(&workspace.context(), &refreshed.snapshot)
        .map_err(|_| Error::new("the search view is damaged"))?;
    // In the order of their hashes: whatever the time suffices for is of everything.
    let model = Bert::minilm().fingerprint();
    let named = found.into_iter().map(|passage| (note::key(model, &passage.text), passage.text));
    let mut texts: Vec<(Key, String)> = named.collect();
    texts.sort_unstable();
    texts.dedup();
    let all = texts.len();
    texts.truncate(MOST_PASSAGES);
    if all < LEAST {
        let passages = counted(all, "passage");
        reporter.note(format_args!("there are {passages}, and at least {LEAST} are needed"));
        return Ok(None);
    }
    let lessons = read(texts, request.budget, workspace, reporter)?;
    if lessons.len() < LEAST {
        let read = lessons.len();
        reporter.note(format_args!(
            "{read} of {all} passages were read in time, and at least {LEAST} are needed"
        ));
        return Ok(None);
    }
    let Some(learnt) = learn(&lessons, &questions(&lessons)) else {
        reporter.note(format_args!(
            "no passage has {LEAST_WORDS} words: that is too little to learn from"
        ));
        return Ok(None);
    };
    let bytes = learnt.words.to_bytes();
    let helps = !learnt.words.is_empty() && learnt.after - learnt.before >= LEAST_GAIN;
    let file = if helps && !request.dry_run {
        let path = path_for(&bytes);
        let root = &workspace.repository.root;
        let old = tables(root);
        write_beneath(root, &path, &bytes)?;
        forget(root, &old)?;
        Some(path)
    } else {
        None
    };
    Ok(Some(TunedWords {
        passages: all,
        read: lessons.len(),
        words: learnt.words.len(),
        bytes: bytes.len(),
        before: learnt.before,
        after: learnt.after,
        helps,
        file,
        is_used: is_builtin(workspace.models.active().fingerprint()),
    }))
}

/// Whether a model is the built-in one, with or without words of its own.
fn is_builtin(model: &Fingerprint) -> bool {
    model == Builtin.fingerprint() || Tuned::is_of(model)
}

/// Takes the tables away; says which.
///
/// # Errors
/// When one cannot be removed.
pub fn remove(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let found = tables(&workspace.repository.root);
    forget(&workspace.repository.root, &found)?;
    Ok(found)
}

fn forget(root: &Path, tables: &[PathBuf]) -> Result<()> {
    for table in tables {
        remove_beneath(root, table)?;
    }
    Ok(())
}

/// The passages that `minilm` has read or reads in time.
fn read(
    texts: Vec<(Key, String)>,
    budget: Duration,
    workspace: &Workspace,
    reporter: &dyn Reporter,
) -> Result<Vec<Lesson>> {
    let teacher = Bert::minilm();
    let (fingerprint, dimension) = (teacher.fingerprint(), teacher.dimension());
    let folder = workspace.repository.vectors_dir();
    let mut cache = Cache::new(folder, fingerprint.as_str(), dimension);
    let mut kept = cache.vectors(&texts.iter().map(|(key, _)| *key).collect());
    kept.retain(|_, vector| vector.is_sane(dimension));
    let (mut lessons, mut others) = (Vec::new(), Vec::new());
    for (key, text) in texts {
        match kept.remove(&key) {
            Some(Encoded { scale, codes }) => {
                let vector = codes.iter().map(|&code| f32::from(code) * scale).collect();
                lessons.push(Lesson { text, vector });
            }
            None => others.push((key, text)),
        }
    }
    let progress = reporter.progress("passages");
    let (begun, all) = (Instant::now(), others.len());
    let mut others = others.into_iter().peekable();
    while others.peek().is_some() && begun.elapsed() < budget {
        let batch: Vec<(Key, String)> = others.by_ref().take(BATCH).collect();
        let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
        for (vector, (key, text)) in teacher.embed_all(&texts).into_iter().zip(batch) {
            cache.add(key, Encoded::new(&vector));
            lessons.push(Lesson { text, vector });
        }
        progress.update(all - others.len(), all);
        if reporter.is_gone() {
            break;
        }
    }
    cache.close();
    reporter.still_wanted()?;
    Ok(lessons)
}

/// A run of words from the middle of some passages.
fn questions(lessons: &[Lesson]) -> Vec<(usize, Lesson)> {
    let step = (lessons.len() / QUESTIONS).max(ASKED_OF);
    let run = |of: usize| {
        let words: Vec<&str> = lessons[of].text.split_whitespace().collect();
        let run = &words[words.len() / 2..];
        let run = run[..run.len().min(QUESTION_WORDS)].join(" ");
        (words.len() >= LEAST_WORDS).then_some((of, run))
    };
    let runs: Vec<(usize, String)> = (0..lessons.len()).step_by(step).filter_map(run).collect();
    let texts: Vec<&str> = runs.iter().map(|(_, text)| text.as_str()).collect();
    let vectors = Bert::minilm().embed_all(&texts);
    runs.into_iter()
        .zip(vectors)
        .map(|((of, text), vector)| (of, Lesson { text, vector }))
        .collect()
}
