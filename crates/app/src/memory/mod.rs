//! What agents remember: where it lies, writing it down, recalling it within a budget.

mod acknowledged;
mod archive;
mod forget;
mod left_out;
mod nothing;
mod origin;
mod patterns;
mod records;
pub mod reply;
mod stats;
mod wipe;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;

use crate::{
    Result, embedding::background::embed_soon, shell::quoted, when::day, workspace::Workspace,
};
pub(crate) use acknowledged::held;
pub use archive::MovedAway;
use elophanto_base::{one_line::one_line, secrets, visible::escape_control_line};
use elophanto_index::{
    Options, Problem, Refreshed, Report, Snapshot,
    plan::plan,
    refresh::{refresh, settings},
    search::SearchError,
};
pub use elophanto_knowledge::memory::{Draft, EventType, Memory, Question, Rate, Recalled};
use elophanto_knowledge::memory::{
    Entry, Files, RecallContext, Retired, contradicted, recall, repo_name,
};
use elophanto_repo::{NotePath, Repository, is_closed, locate, remote_url, watch};
pub use forget::{About, Forgotten};
pub use left_out::LeftOut;
pub use nothing::Nothing;
use origin::Commits;
pub use patterns::{Joined, Patterns};
pub use records::{Correction, Place, Records};
pub use stats::Stats;
pub use wipe::{Held, Wiped, Wiping};

/// A question waits this long for another process that writes the view.
const PATIENCE: Duration = Duration::from_millis(50);

/// The memory of a knowledge base.
pub struct Memories<'a> {
    /// The knowledge base that it belongs to.
    pub workspace: &'a Workspace,
    /// The name that this repository's own records bear.
    pub own: String,
    /// The JSONL files of all agents, archived ones too.
    pub files: Files,
    /// What the paths of the files are relative to.
    root: PathBuf,
    /// The repository that tracks the files, if any.
    tracked_by: Option<Repository>,
    /// What a server has kept of the call before.
    kept: Option<&'a Kept>,
}

/// The index of all records as it was last seen, and which commits brought them, for a process that is
/// asked again and again.
#[derive(Default)]
pub struct Kept {
    seen: Mutex<Option<Seen>>,
    commits: Mutex<Commits>,
}

struct Seen {
    snapshot: Snapshot,
    chunks: usize,
    waiting: usize,
    /// Which view it is of, and how it was made.
    made: (PathBuf, String),
}

/// What was written down.
pub struct Remembered {
    /// As it was written: secrets masked, tags derived.
    pub memory: Memory,
    /// Relative to the root, or absolute if it lies outside of it.
    pub path: PathBuf,
    /// Secrets that were masked in it.
    pub masked: usize,
    /// Older lessons that it contradicts, the newest first.
    pub contradicts: Vec<Memory>,
}

impl Remembered {
    /// Each lesson that it contradicts, as people are told of it, and what to do about it.
    pub fn contradictions(&self) -> impl Iterator<Item = String> {
        self.contradicts.iter().map(|it| {
            let [id, lesson] =
                [&it.id, &one_line(&it.lesson, 100)].map(|it| escape_control_line(it));
            let (day, word) = (day(it.timestamp.as_second()), quoted(&id));
            format!(
                "contradicts {id} of {day}, {lesson:?}: recalling tells both, this one first; \
                 elophanto agent memory forget {word} if that holds no longer"
            )
        })
    }
}

impl<'a> Memories<'a> {
    /// Says where lessons lie, and reads none yet.
    pub fn open(workspace: &'a Workspace) -> Self {
        let repository = &workspace.repository;
        let own = repo_name(remote_url(repository).as_deref(), &folder_name(repository));
        let lessons = workspace.lessons();
        let folder = lessons.folder();
        let tracked_by = if lessons.in_git {
            Some(repository.clone())
        } else {
            // The parent's: the folder itself is made by the first record.
            folder.ancestors().find(|it| it.is_dir()).and_then(|it| locate(it).ok())
        };
        let files = match &tracked_by {
            Some(_) if lessons.in_git => Files::of_repository(repository),
            Some(repository) if repository.git_dir.is_some() => {
                Files::new(folder, repository.local_dir().join("memory.lock"))
            }
            _ => {
                let lock = folder.join(".lock");
                Files::new(folder, lock)
            }
        };
        Self { workspace, own, files, root: lessons.root.clone(), tracked_by, kept: None }
    }

    /// The same, for a process that is asked again and again.
    pub fn keeping(self, kept: &'a Kept) -> Self {
        Self { kept: Some(kept), ..self }
    }

    /// Writes a record down; once this returns it is on disk.
    ///
    /// # Errors
    /// When it is no record, or cannot be written.
    pub fn remember(&self, mut draft: Draft, now: Timestamp) -> Result<Remembered> {
        let mut masked = 0;
        let tags = draft.tags.iter_mut().flatten();
        let texts =
            [&mut draft.context, &mut draft.command, &mut draft.lesson, &mut draft.agent_id];
        for text in texts.into_iter().chain(tags) {
            let (safe, found) = secrets::mask(text);
            if found > 0 {
                *text = safe.into_owned();
                masked += found;
            }
        }
        let memory = draft.finish(now)?;
        // The file is named after the clock, whatever time the record bears.
        let entries = [Entry::Memory(memory.clone())];
        let path = self.append(&memory.repo, &entries, Timestamp::now())?;
        let known = self.newest();
        let contradicts = contradicted(&memory, &known).into_iter().cloned().collect();
        Ok(Remembered { memory, path, masked, contradicts })
    }

    /// Takes records back, in every clone; `joined` is the lesson that says the same, if one does.
    fn retire(&self, repo: &str, ids: &[&str], joined: Option<&str>, agent: &str) -> Result<()> {
        let now = Timestamp::now();
        let retired = |id: &&str| {
            Entry::Retired(Retired {
                id: ulid::Ulid::new().to_string(),
                timestamp: now,
                agent_id: agent.to_owned(),
                repo: repo.to_owned(),
                retired: (*id).to_owned(),
                joined: joined.map(str::to_owned),
            })
        };
        let entries: Vec<Entry> = ids.iter().map(retired).collect();
        self.append(repo, &entries, now)?;
        self.drop_copies(ids.iter().copied())
    }

    fn append(&self, repo: &str, entries: &[Entry], now: Timestamp) -> Result<PathBuf> {
        let path = self.write(repo, entries, now)?;
        self.acknowledge(repo, entries, now);
        Ok(path)
    }

    /// Adds records to the files, and keeps no copy.
    fn write(&self, repo: &str, entries: &[Entry], now: Timestamp) -> Result<PathBuf> {
        let tracked = |file: &Path| match &self.tracked_by {
            None => Ok(false),
            Some(repository) => {
                // The folder may be named by way of a link; the repository never is.
                let file = fs::canonicalize(file)?;
                let path = file.strip_prefix(&repository.root).unwrap_or(&file);
                is_closed(repository, path).map_err(io::Error::other)
            }
        };
        if !self.workspace.lessons().in_git
            && let Some(above) = self.root.parent()
        {
            // Named by the user, and not made before anything is to be written there.
            fs::create_dir_all(above)?;
        }
        let _telling =
            watch::tell(&self.workspace.repository, &self.files.folder().join(repo), None);
        let path = self.files.append(repo, entries, now, &tracked)?;
        let below = path.strip_prefix(&self.workspace.repository.root).map(Path::to_owned);
        Ok(below.unwrap_or(path))
    }

    /// What to recall about a text, in all repositories and of all kinds; about nothing, the best of
    /// what was learnt here lately.
    pub fn question<'q>(&'q self, text: &'q str, limit: usize) -> Question<'q> {
        let (own, now) = (&*self.own, Timestamp::now());
        Question { text, repo: None, own, event_type: None, archived: false, limit, now }
    }

    /// The records that answer a question best.
    ///
    /// # Errors
    /// When the view cannot be read and not be made anew.
    pub fn recall(&self, question: &Question) -> Result<Vec<Recalled>> {
        Ok(self.recall_with_faults(question)?.0)
    }

    /// The same, with what is wrong with the files that they come from.
    ///
    /// # Errors
    /// As [`Memories::recall`].
    pub fn recall_with_faults(&self, question: &Question) -> Result<(Vec<Recalled>, Vec<String>)> {
        let workspace = self.workspace;
        let mut full = false;
        loop {
            let refreshed = self.refreshed(full)?;
            let is_asked = !question.text.trim().is_empty();
            if is_asked && workspace.models.is_behind(&refreshed.report, true, workspace) {
                continue;
            }
            let means = RecallContext {
                analyzer: &workspace.analyzer,
                embedder: workspace.models.active(),
                thresholds: workspace.models.thresholds(),
            };
            match recall(&refreshed.snapshot, question, &means) {
                Err(SearchError::Damaged) if !full => full = true,
                Err(SearchError::Embed(cause))
                    if workspace.models.cannot_answer(&cause, workspace) => {}
                found => return Ok((found?, self.faults(&refreshed))),
            }
        }
    }

    /// The index of all records, brought up to date.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn refreshed(&self, full: bool) -> Result<Refreshed> {
        let (context, lessons) = (self.workspace.context(), self.workspace.lessons());
        let made = (context.view_of(lessons), settings(&context));
        if !full && let Some(seen) = self.seen(&made) {
            return Ok(seen);
        }
        let again = |full| -> Result<Refreshed> {
            let options = Options { full, patience: Some(PATIENCE), progress: &|_, _| {} };
            Ok(refresh(&context, lessons, options)?)
        };
        let refreshed = embed_soon(self.workspace, &context, again(full)?, &|| again(false))?;
        let report = &refreshed.report;
        let is_sound = report.notices.is_empty()
            && report.problems.is_empty()
            && report.stale + report.waiting == 0;
        if let Some(kept) = self.kept.filter(|_| is_sound) {
            let snapshot = refreshed.snapshot.clone();
            let (chunks, waiting) = (report.chunks, report.waiting);
            let seen = Seen { snapshot, chunks, waiting, made };
            *kept.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
        }
        Ok(refreshed)
    }

    /// What was seen last, if the files are as they were then.
    fn seen(&self, made: &(PathBuf, String)) -> Option<Refreshed> {
        let kept = self.kept?.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = kept.as_ref().filter(|seen| seen.made == *made)?;
        let walked = self.workspace.lessons().list();
        let stats = walked.iter().map(|file| (&file.path, &file.stat));
        plan(&seen.snapshot.files, stats, false).is_empty().then(|| Refreshed {
            snapshot: seen.snapshot.clone(),
            report: Report {
                files: seen.snapshot.files.len(),
                chunks: seen.chunks,
                waiting: seen.waiting,
                ..Report::default()
            },
        })
    }

    /// What the user should know of the files: what is not searched, and what is damaged.
    fn faults(&self, refreshed: &Refreshed) -> Vec<String> {
        let report = &refreshed.report;
        let mut faults = report.notices.clone();
        if report.stale > 0 {
            faults.push(format!("{} changed files are not searched yet", report.stale));
        }
        let shown = |path: &NotePath| self.shown(path.as_path()).to_string_lossy().into_owned();
        for Problem { path, reason, .. } in &report.problems {
            faults.push(format!("`{}` is left out: {reason}", escape_control_line(&shown(path))));
        }
        for part in &refreshed.snapshot.parts {
            let documents = part.live.ones().map(|number| part.loaded.segment.document(number));
            for document in documents.flatten().filter(|document| !document.note.is_empty()) {
                let path = shown(&document.path);
                faults.push(format!("`{}`, {}", escape_control_line(&path), document.note));
            }
        }
        faults.extend(
            self.left_out()
                .map(|left| format!("{}; to take them along: {}", left.told(), left.mend())),
        );
        // A folder that is a link, say, is not even listed.
        faults.extend(self.files.list().unreadable.iter().map(ToString::to_string));
        faults
    }

    /// A path as the user knows it.
    pub fn shown(&self, path: &Path) -> PathBuf {
        let absolute = self.root.join(path);
        let below = absolute.strip_prefix(&self.workspace.repository.root).map(Path::to_owned);
        below.unwrap_or(absolute)
    }
}

/// What the folder of a repository is called: that of the main work tree, for a linked one has a
/// name of its own.
fn folder_name(repository: &Repository) -> String {
    let Repository { root, git_dir, common_dir } = repository;
    let folder = match common_dir.as_deref().filter(|common| git_dir.as_deref() != Some(*common)) {
        Some(common) if common.ends_with(".git") => common.parent().unwrap_or(root),
        Some(common) => common,
        None => root,
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_suffix(".git").map(str::to_owned).unwrap_or(name)
}
