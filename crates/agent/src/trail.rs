//! What is written down of a run, as it happens: a log for each.

mod entry;
#[cfg(test)]
mod tests;
mod writer;

use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use ulid::Ulid;
use uuid::Uuid;

pub use entry::{Entry, EntryKind};
pub(super) use entry::{some_commits, some_paths};
pub(super) use writer::Trail;

use super::{Spent, sessions::ids_in};
use elophanto_base::{
    jsonl::{self, Caps, JsonlError, Log},
    platform, regular,
    whole::PRIVATE,
};

const CAPS: Caps = Caps { line_bytes: 1024 * 1024, file_bytes: 64 * 1024 * 1024, faults: 100 };
/// Ids that an ambiguous prefix is answered with.
const SHOWN: usize = 5;
/// Trails that are looked at for a list.
const LOOKED_AT: usize = 10_000;

#[derive(Debug, thiserror::Error)]
pub enum TrailsError {
    #[error("`{0}` is no beginning of a run's id")]
    BadPrefix(String),
    #[error("there is no run `{0}`")]
    Missing(String),
    #[error("`{prefix}` fits several runs, such as {}", shown.join(", "))]
    Ambiguous { prefix: String, shown: Vec<String> },
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error(transparent)]
    Log(#[from] JsonlError),
    #[error("the trail of the run is no longer written")]
    Stopped,
}

/// All trails of a folder.
#[derive(Debug, Clone)]
pub struct Trails {
    folder: PathBuf,
}

/// Which runs are listed.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    All,
    /// Those in this work tree.
    Root(&'a Path),
    Session(Uuid),
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine {
    pub run: Ulid,
    pub begun: Timestamp,
    pub goal: String,
    /// The work tree.
    pub root: String,
    pub session: Option<Uuid>,
    /// As [`super::Outcome::name`]. `None`: it goes on, or was cut off.
    pub outcome: Option<String>,
    /// Calls that were made.
    pub calls: usize,
    /// What its models cost.
    pub spent: Spent,
    /// Questions of the agent that nobody answered.
    pub open_questions: Vec<String>,
}

/// All that is written down of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTrail {
    pub run: Ulid,
    /// In the order in which it happened.
    pub entries: Vec<Entry>,
    /// What could not be read, in words with the line.
    pub damage: Vec<String>,
}

impl Trails {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The newest runs first, at most `limit`, and what could not be read.
    ///
    /// # Errors
    /// When the folder cannot be read. No folder is no run.
    pub fn list(
        &self,
        which: Which<'_>,
        limit: usize,
    ) -> Result<(Vec<RunLine>, Vec<TrailsError>), TrailsError> {
        let (mut lines, mut problems) = (Vec::new(), Vec::new());
        let is_wanted = |run: &Ulid| match which {
            Which::All => true,
            Which::Root(wanted) => self.begin_of(*run).is_some_and(|(root, _)| *wanted == *root),
            Which::Session(wanted) => self.begin_of(*run).is_some_and(|(_, id)| wanted == id),
        };
        let newest = self.runs()?.into_iter().rev().take(LOOKED_AT);
        for run in newest.filter(is_wanted).take(limit) {
            match self.read_run(run) {
                Ok(trail) => lines.push(line(&trail)),
                Err(problem) => problems.push(problem),
            }
        }
        Ok((lines, problems))
    }

    /// The one run whose id begins so.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn read(&self, prefix: &str) -> Result<RunTrail, TrailsError> {
        let wanted = prefix.to_ascii_uppercase();
        let plain = wanted.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if wanted.is_empty() || wanted.len() > ulid::ULID_LEN || !plain {
            return Err(TrailsError::BadPrefix(elophanto_base::one_line::one_line(prefix, 60)));
        }
        let mut runs = self.runs()?;
        runs.retain(|run| run.to_string().starts_with(&wanted));
        match runs.as_slice() {
            [] => Err(TrailsError::Missing(wanted)),
            [run] => self.read_run(*run),
            several => {
                let shown = several.iter().rev().take(SHOWN).map(Ulid::to_string).collect();
                Err(TrailsError::Ambiguous { prefix: wanted, shown })
            }
        }
    }

    /// A new log, for its owner's eyes only.
    pub(super) fn begin(&self, now: Timestamp) -> Result<Trail, TrailsError> {
        let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
        let run = Ulid::from_parts(millis, Uuid::new_v4().as_u128());
        let path = self.path(run);
        let made = platform::make_folders(&self.folder, platform::PRIVATE_FOLDER);
        let failed =
            |cause| TrailsError::Io { path: path.clone(), action: "written", source: cause };
        made.and_then(|()| regular::make_new(&path, PRIVATE)).map_err(failed)?;
        let lock = self.folder.join(".lock");
        let log = Log::new(&path).with_lock(&lock).with_caps(CAPS);
        Trail::new(run, log, lock).map_err(failed)
    }

    /// In which work tree and session a run began: the first line says so.
    fn begin_of(&self, run: Ulid) -> Option<(PathBuf, Uuid)> {
        let file = regular::open(&self.path(run)).ok()?;
        let mut line = Vec::new();
        BufReader::new(file).take(CAPS.line_bytes as u64).read_until(b'\n', &mut line).ok()?;
        match serde_json::from_slice::<Entry>(&line).ok()?.kind {
            EntryKind::Begin { root, session, .. } => {
                Some((root.into(), Uuid::try_parse(&session).ok()?))
            }
            _ => None,
        }
    }

    fn read_run(&self, run: Ulid) -> Result<RunTrail, TrailsError> {
        let read = jsonl::read::<Entry>(&self.path(run), &CAPS)?;
        let fault = |one: &jsonl::Damage| format!("line {}: {}", one.line, one.fault);
        let damage = read.damage.iter().map(fault).collect();
        Ok(RunTrail { run, entries: read.into_records().collect(), damage })
    }

    /// The oldest first: ids begin with the time.
    fn runs(&self) -> Result<Vec<Ulid>, TrailsError> {
        let failed =
            |cause| TrailsError::Io { path: self.folder.clone(), action: "read", source: cause };
        ids_in(&self.folder, ".jsonl", |stem| Ulid::from_string(stem).ok()).map_err(failed)
    }

    fn path(&self, run: Ulid) -> PathBuf {
        self.folder.join(format!("{run}.jsonl"))
    }
}

fn line(trail: &RunTrail) -> RunLine {
    let mut line = RunLine {
        run: trail.run,
        begun: i64::try_from(trail.run.timestamp_ms())
            .ok()
            .and_then(|millis| Timestamp::from_millisecond(millis).ok())
            .unwrap_or(Timestamp::UNIX_EPOCH),
        goal: String::new(),
        root: String::new(),
        session: None,
        outcome: None,
        calls: 0,
        spent: Spent::default(),
        open_questions: Vec::new(),
    };
    for entry in &trail.entries {
        match &entry.kind {
            EntryKind::Begin { goal, session, root, .. } => {
                line.begun = entry.at;
                line.goal.clone_from(goal);
                line.root.clone_from(root);
                line.session = Uuid::try_parse(session).ok();
            }
            EntryKind::Call { made: true, .. } => line.calls += 1,
            EntryKind::Thought { input_tokens, output_tokens, usd_micros, .. } => {
                line.spent = line.spent.plus(Spent {
                    input_tokens: *input_tokens,
                    output_tokens: *output_tokens,
                    usd_micros: usd_micros.unwrap_or_default(),
                    calls: 1,
                    unpriced: u32::from(usd_micros.is_none()),
                });
            }
            EntryKind::Question { question, answer: None } => {
                line.open_questions.push(question.clone())
            }
            EntryKind::End { outcome, .. } => line.outcome = Some(outcome.clone()),
            _ => {}
        }
    }
    line
}
