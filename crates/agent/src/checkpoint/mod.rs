//! What a run of the agent changed in a work tree, taken back exactly.
//!
//! Owns what is written down before and after each change of a run, the checkpoint that becomes of
//! it (a commit under `refs/elophanto/checkpoints/`), and the undo of a run, which is a run itself.
//! It refuses to know what a tool is, who agreed to a call, and what is printed.
//!
//! A run at work keeps a folder of its own: a journal, synced before each change, and the contents
//! it speaks of. Content of whole work trees goes to git at once. A run that ends, or is found to
//! have been interrupted, is sealed: one commit that holds its record and the contents to go back
//! to; those of files that hold keys stay in a folder beside. The user's index, stash and branches are not touched by any of it; only the undo of commits
//! moves a branch, and only from where the run left it.
//!
//! Restored are kind, content, rights and link target of a path, and empty folders. Owners, times,
//! extended attributes and hard links are not.

mod baseline;
mod baseline_file;
mod before;
mod data;
mod error;
mod git_calls;
mod lock;
mod look;
mod moves;
mod name;
mod patch;
mod plan;
mod private;
mod record;
mod run;
mod scope;
mod seal;
mod seen;
mod state;
mod survey;
mod undo;
mod walk;
mod walk_little;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

pub use before::{Content, Was};
pub use error::{CheckpointError, Result};
pub use patch::{Patch, Unpatched, WhyUnpatched};
pub use plan::{Left, WhyLeft};
pub use run::Run;
pub use state::{Uncovered, WhyUncovered};

use elophanto_repo::Git;
use private::Private;
use record::Head;

/// Larger files are not covered, in bytes.
pub const MOST_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// What is covered of ignored files, and of a folder that is named: so many files and folders, ...
pub const MOST_IGNORED_ENTRIES: usize = 20_000;
/// ... and so many bytes.
pub const MOST_IGNORED_BYTES: u64 = 512 * 1024 * 1024;
/// Most files and folders of a work tree.
pub const MOST_ENTRIES: usize = 1_000_000;

/// The checkpoints of a repository.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoints<'a> {
    git: &'a Git,
    folder: &'a Path,
    holds_key: fn(&Path) -> bool,
}

/// Nobody begins a run here while there is one.
#[derive(Debug)]
pub struct Held(lock::Lock);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// A run that can be undone, or is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub run: String,
    /// When it began.
    pub began: jiff::Timestamp,
    pub progress: Progress,
    /// The run that this one took back.
    pub undoes: Option<String>,
    /// How many paths it changed. Of a run that is not sealed, as far as it is known.
    pub changes: usize,
    pub commits: usize,
    /// How many paths it may have changed that cannot be taken back.
    pub uncovered: usize,
    /// The work tree that it changed, where that is known.
    pub root: Option<PathBuf>,
}

impl Kept {
    /// Whether it was in this work tree; one of which nothing is known counts everywhere.
    pub fn is_in(&self, root: &Path) -> bool {
        self.root.as_deref().is_none_or(|own| own == root)
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    AtWork,
    Finished,
    /// It ended without saying so.
    Interrupted,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub run: String,
    /// Paths relative to the root that differ from before, sorted.
    pub changed: Vec<PathBuf>,
    /// Full ids.
    pub commits: Vec<String>,
    /// What an undo would not take back.
    pub uncovered: Vec<Uncovered>,
}

/// What to undo.
#[derive(Debug, Clone, Copy)]
pub struct Undo<'u> {
    pub run: &'u str,
    /// The id of the undo, which is a run: to undo it is to redo.
    pub as_run: &'u str,
    pub how: How,
    /// Whether changes count that were first seen after the run was interrupted, and may be
    /// somebody else's.
    pub accepts_interrupted: bool,
}

/// What becomes of an undo when part of it cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nothing is changed.
    All,
    /// The rest is done.
    OnlyUnchanged,
}

/// What an undo did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// The undo, as a run; `None` if there was nothing to do.
    pub run: Option<String>,
    /// Paths that are what they were, sorted.
    pub restored: Vec<PathBuf>,
    /// Paths where there is nothing again.
    pub removed: Vec<PathBuf>,
    /// What is as it was found.
    pub left: Vec<Left>,
    /// Folders that the run made and that stay, as others put something there.
    pub used: Vec<PathBuf>,
    pub commits_undone: usize,
    /// What the run may have changed and no undo takes back.
    pub uncovered: Vec<Uncovered>,
    /// The run had been interrupted.
    pub is_interrupted: bool,
}

impl<'a> Checkpoints<'a> {
    /// `folder` is where runs at work keep their state, private to this machine:
    /// `elophanto/runs` in the git directory of this work tree. What files hold that
    /// `holds_key` (an absolute path) stays there and is never given to git.
    pub fn new(git: &'a Git, folder: &'a Path, holds_key: fn(&Path) -> bool) -> Self {
        Self { git, folder, holds_key }
    }

    /// Begins a run; `run` is a new ULID. Runs of this work tree that were interrupted are sealed.
    ///
    /// # Errors
    /// [`CheckpointError::Busy`] while another run is at work, [`CheckpointError::ReadOnly`] where
    /// nothing can be kept.
    pub fn begin(&self, run: &str) -> Result<Run<'a>> {
        let lock = self.locked(run, run)?;
        if self.heads()?.iter().any(|head| head.run == run) {
            return Err(CheckpointError::RunExists(run.to_owned()));
        }
        Run::begin(*self, run, None, lock)
    }

    /// Keeps runs and undos from beginning here until it is dropped; `run` is a new ULID.
    ///
    /// # Errors
    /// [`CheckpointError::Busy`] while a run is at work.
    pub fn hold(&self, run: &str) -> Result<Held> {
        lock::take(&self.lock_file(), run).map(Held)
    }

    /// All runs that can be undone or are at work, the newest first. A run that changed nothing is
    /// not among them once it is finished.
    ///
    /// # Errors
    /// When git cannot list them.
    pub fn runs(&self) -> Result<Vec<Kept>> {
        self.take_over();
        let mut runs = Vec::new();
        for head in self.heads()? {
            let Some(began) = run_time(&head.run) else { continue };
            let Head { run, undoes, is_interrupted, changes, moves: commits, uncovered, root } =
                head;
            let progress = if is_interrupted { Progress::Interrupted } else { Progress::Finished };
            let root = root.map(|root| root.to_path());
            runs.push(Kept { run, began, progress, undoes, changes, commits, uncovered, root });
        }
        let known: BTreeSet<String> = runs.iter().map(|kept| kept.run.clone()).collect();
        let holder = lock::holder(&self.lock_file());
        for run in seal::unsealed(self).into_iter().filter(|run| !known.contains(run)) {
            let Some(began) = run_time(&run) else { continue };
            // One that is just being sealed has gone meanwhile; one that is damaged says nothing.
            let folded = seal::read_journal(self, &run).unwrap_or_default();
            let is_at_work = holder.as_ref() == Some(&run);
            if !is_at_work && folded.is_empty() && folded.open.is_empty() {
                // It ended before it did anything, or was sealed at this moment.
                continue;
            }
            runs.push(Kept {
                progress: if is_at_work { Progress::AtWork } else { Progress::Interrupted },
                run,
                began,
                changes: folded.net().count(),
                commits: folded.moves.len(),
                uncovered: folded.uncovered.len(),
                undoes: folded.undoes,
                root: Some(folded.root.to_path()).filter(|root| root.is_absolute()),
            });
        }
        runs.sort_unstable_by(|a, b| b.run.cmp(&a.run));
        Ok(runs)
    }

    /// Takes a run back: each path that it changed becomes what it was, if it is as the run left
    /// it. An undo that was interrupted may be made again.
    ///
    /// # Errors
    /// [`CheckpointError::Conflicts`] if part of it cannot be done and [`How::All`] is asked for;
    /// nothing has been changed then.
    pub fn undo(&self, wanted: &Undo) -> Result<Undone> {
        run_time(wanted.run).ok_or_else(|| CheckpointError::BadRun(wanted.run.to_owned()))?;
        let lock = self.locked(wanted.as_run, wanted.run)?;
        let heads = self.heads()?;
        if heads.iter().any(|head| head.run == wanted.as_run) {
            return Err(CheckpointError::RunExists(wanted.as_run.to_owned()));
        }
        if !heads.iter().any(|head| head.run == wanted.run) {
            if self.run_folder(wanted.run).exists() {
                let root = seal::read_journal(self, wanted.run)?.root.to_path();
                return Err(CheckpointError::OtherWorkTree { run: wanted.run.to_owned(), root });
            }
            return Err(CheckpointError::UnknownRun(wanted.run.to_owned()));
        }
        undo::undo(*self, wanted, lock)
    }

    /// Forgets a run: it can no longer be undone.
    ///
    /// # Errors
    /// [`CheckpointError::UnknownRun`] if there is no such checkpoint.
    pub fn remove(&self, run: &str) -> Result<()> {
        run_time(run).ok_or_else(|| CheckpointError::BadRun(run.to_owned()))?;
        self.git.check_own()?;
        if !self.heads()?.iter().any(|head| head.run == run) {
            let folder = self.run_folder(run);
            if !folder.exists() {
                return Err(CheckpointError::UnknownRun(run.to_owned()));
            }
            let lock = lock::take(&self.lock_file(), run)?;
            let removed = seal::remove(self, run);
            lock.release();
            return removed;
        }
        git_calls::remove_reference(self.git, &seal::reference(run))?;
        Private::of(self, run).remove()
    }

    /// Forgets the oldest runs, so that `keep` remain, and what was seen of work trees that are gone.
    /// Returns the runs that are forgotten.
    ///
    /// # Errors
    /// When git cannot remove them.
    pub fn prune(&self, keep: usize) -> Result<Vec<String>> {
        self.git.check_own()?;
        // Before the refs are listed: one at work may be sealed in between.
        let is_over =
            |owner: &String| run_time(owner).is_some() && !self.run_folder(owner).exists();
        let mut over = private::owners(self);
        over.retain(is_over);
        let mut runs: Vec<String> = self.heads()?.into_iter().map(|head| head.run).collect();
        runs.sort_unstable_by(|a, b| b.cmp(a));
        let old = runs.split_off(keep.min(runs.len()));
        for run in &old {
            git_calls::remove_reference(self.git, &seal::reference(run))?;
        }
        over.iter()
            .filter(|owner| !runs.contains(owner))
            .try_for_each(|owner| Private::of(self, owner).remove())?;
        baseline::prune(self)?;
        Ok(old)
    }

    /// The lock of all runs, with what was interrupted sealed.
    fn locked(&self, run: &str, wanted: &str) -> Result<lock::Lock> {
        run_time(run).ok_or_else(|| CheckpointError::BadRun(run.to_owned()))?;
        self.git.check_own()?;
        let lock = lock::take(&self.lock_file(), run)?;
        self.take_over();
        seal::recover(self, wanted)?;
        Ok(lock)
    }

    /// Moves here what a version before this one left of runs of this linked work tree in the folder
    /// of all. What cannot be moved stays.
    fn take_over(&self) {
        let (git_dir, common_dir) = (self.git.git_dir(), self.git.common_dir());
        if git_dir == common_dir || !self.folder.starts_with(git_dir) {
            return;
        }
        let folder = common_dir.join("elophanto/runs");
        let older = Checkpoints { folder: &folder, ..*self };
        // One at work there may be of that version, and in this work tree.
        if !folder.is_dir() || lock::holder(&older.lock_file()).is_some() {
            return;
        }
        let own = name::Name::from(self.git.root());
        for run in seal::unsealed(&older) {
            let is_own = seal::read_journal(&older, &run).is_ok_and(|it| it.root == own);
            if is_own && fs::create_dir_all(self.folder).is_ok() {
                let _ = fs::rename(older.run_folder(&run), self.run_folder(&run));
            }
        }
        let owners = private::owners(&older);
        let heads = if owners.is_empty() { Vec::new() } else { self.heads().unwrap_or_default() };
        let cache = baseline::cache_file(self);
        for owner in owners {
            let is_own = |head: &Head| head.run == owner && head.root.as_ref() == Some(&own);
            if cache.ends_with(&owner) || heads.iter().any(is_own) {
                let _ = Private::of(self, &owner).take_over(&Private::of(&older, &owner));
            }
        }
    }

    /// What is said of each sealed run; a ref that holds none is passed over.
    fn heads(&self) -> Result<Vec<Head>> {
        let found = git_calls::references(self.git, git_calls::CHECKPOINTS)?;
        let heads = found.iter().filter_map(|(reference, message)| {
            let head: Head = serde_json::from_slice(message).ok()?;
            (*reference == seal::reference(&head.run)).then_some(head)
        });
        Ok(heads.collect())
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join("lock")
    }

    /// Where a run puts what git is not to find in the work tree. Not where a linked work tree has its
    /// own: that goes with it.
    fn aside_folder(&self, run: &str) -> PathBuf {
        self.git.common_dir().join("elophanto/aside").join(run)
    }

    fn run_folder(&self, run: &str) -> PathBuf {
        self.folder.join(run)
    }
}

/// Whether a run is taken back: an undo of it is not taken back itself.
pub fn is_undone(runs: &[Kept], run: &str) -> bool {
    // Each undo is newer than what it takes back, so that this ends.
    let mut undos = runs.iter().filter(|it| it.undoes.as_deref() == Some(run) && *it.run > *run);
    undos.any(|undo| !is_undone(runs, &undo.run))
}

/// When a run began, which its id says; `None` for what is no id.
fn run_time(run: &str) -> Option<jiff::Timestamp> {
    let id = ulid::Ulid::from_string(run).ok().filter(|id| id.to_string() == run)?;
    jiff::Timestamp::from_millisecond(i64::try_from(id.timestamp_ms()).ok()?).ok()
}
