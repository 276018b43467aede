//! A run at work: what is about to change is written down before, what has changed after.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    CheckpointError, Checkpoints, Result, Summary, Uncovered,
    baseline::Baseline,
    data::{Data, link_or_copy, sync},
    git_calls,
    lock::Lock,
    look::inside,
    name::Name,
    record::{Event, Folded, IndexChange, Move, Scope, Was},
    scope::{self, Bare},
    seal,
    seen::{self, Seen, baseline_name, keep},
    state::{Opaque, State},
};
use elophanto_base::{
    jsonl::{Caps, Log},
    platform,
};
use elophanto_repo::{CommitId, ObjectId, watch};

/// The journal of a run, in its folder.
pub(super) const JOURNAL: &str = "journal.jsonl";
/// The index as it was.
const INDEX: &str = "index";

/// What a journal may hold: a scope of many paths is one record.
pub(super) fn caps() -> Caps {
    Caps { line_bytes: 512 * 1024 * 1024, file_bytes: 2 * 1024 * 1024 * 1024, faults: 1_000 }
}

/// A run at work. While it lives no other run may begin in this repository.
///
/// Dropped without [`Run::finish`] it is interrupted, as by a crash.
pub struct Run<'a> {
    at: Checkpoints<'a>,
    run: String,
    folder: PathBuf,
    log: Log,
    folded: Folded,
    /// The work tree as it was seen last before a change.
    last: Option<Seen>,
    /// Of the open scopes on the whole work tree, the last one last.
    baselines: Vec<Arc<Baseline>>,
    /// The remembered index is that of a moment ago.
    index_is_fresh: bool,
    lock: Lock,
}

impl<'a> Run<'a> {
    pub(super) fn begin(
        at: Checkpoints<'a>,
        run: &str,
        undoes: Option<String>,
        lock: Lock,
    ) -> Result<Self> {
        let folder = at.run_folder(run);
        let failed = || CheckpointError::io(&folder, "made");
        fs::create_dir_all(at.folder).map_err(failed())?;
        // What it keeps is for its owner's eyes only.
        match platform::make_folder(&folder, platform::PRIVATE_FOLDER) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                return Err(CheckpointError::RunExists(run.to_owned()));
            }
            made => made.map_err(failed())?,
        }
        let log = Log::new(folder.join(JOURNAL)).with_caps(caps());
        let (run, folded) = (run.to_owned(), Folded::default());
        let (last, baselines, index_is_fresh) = (None, Vec::new(), false);
        let mut this = Self { at, run, folder, log, folded, last, baselines, index_is_fresh, lock };
        let begun = this.start(undoes);
        if let Err(cause) = begun {
            let _ = fs::remove_dir_all(&this.folder);
            return Err(cause);
        }
        Ok(this)
    }

    fn start(&mut self, undoes: Option<String>) -> Result<()> {
        self.before_commit()?;
        watch::watch(&self.folder).map_err(CheckpointError::io(&self.folder, "made"))?;
        let root = Name::from(self.at.git.root());
        let head = elophanto_repo::head(self.at.git)?.map(|id| id.to_string());
        self.index_is_fresh = false;
        self.write(Event::Begun { root, head, undoes })?;
        sync(self.at.folder)
    }

    /// The id of the run.
    pub fn id(&self) -> &str {
        &self.run
    }

    /// Where it works.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// To be called before these files are changed: each path as it is, or that there is nothing,
    /// and everything below a folder. Absolute or relative to the root. What is found is on disk
    /// when this returns.
    ///
    /// Each call is closed by one [`Run::after`], the last call first.
    ///
    /// # Errors
    /// When a path is none of the work tree's, or the state cannot be kept: then it must not be
    /// changed.
    pub fn before_files(&mut self, paths: &[PathBuf]) -> Result<()> {
        let root = self.at.git.root();
        let names = paths.iter().map(|path| inside(root, path)).collect::<Result<Vec<_>, _>>()?;
        self.open(Scope::Below(names.clone()), &names)
    }

    /// The same for exactly these paths.
    pub(super) fn before_exactly(&mut self, names: &[Name]) -> Result<()> {
        self.open(Scope::Exact, names)
    }

    fn open(&mut self, scope: Scope, names: &[Name]) -> Result<()> {
        let told = watch::told_bytes(&self.folder);
        let mut data = Data::new(&self.folder);
        let mut keep = |bytes: &[u8]| keep(&mut data, bytes);
        let below = scope != Scope::Exact;
        let held = scope::states(self.at.git.root(), names, below, Some(&mut keep))?;
        data.finish()?;
        let mut uncovered = Bare::new();
        let mut was = Vec::with_capacity(held.len());
        for (path, (state, place)) in held {
            if let State::Opaque(why) = &state {
                uncovered.insert((path.clone(), why.into()));
            }
            was.push(Was { path, state, place });
        }
        self.write(Event::Opened { scope, was, uncovered, told })
    }

    /// To be called before something runs that may change any file. What the whole work tree
    /// holds is on disk when this returns.
    ///
    /// Each call is closed by one [`Run::after`], the last call first.
    ///
    /// `kept` (absolute) are paths that it is kept from changing, with what is below them: whoever
    /// changes them meanwhile, it is not the run. `nested`: from changing other repositories in the
    /// work tree too.
    ///
    /// # Errors
    /// When the state cannot be kept: then nothing must run.
    pub fn before_anything(&mut self, kept: &[PathBuf], nested: bool) -> Result<()> {
        let root = self.at.git.root();
        let relative = |path: &PathBuf| Some(path.strip_prefix(root).ok()?.into());
        let but = kept.iter().filter_map(relative).collect();
        let told = watch::told_bytes(&self.folder);
        let head = elophanto_repo::head(self.at.git)?.map(|id| id.to_string());
        let number = self.folded.baselines;
        let (seen, since) = seen::look(&self.at, &self.folder, self.last.as_ref(), number)?;
        let baseline = Arc::clone(&seen.baseline);
        let opaque = baseline.entries.iter().filter(|(_, entry)| entry.state.is_opaque());
        let mut uncovered = Bare::new();
        let mut was = Vec::new();
        for (path, entry) in opaque {
            match &entry.state {
                // Its stat will tell whether it has changed.
                State::Opaque(Opaque::Large { .. }) => {}
                State::Opaque(Opaque::Nested) if nested => {}
                State::Opaque(why) => {
                    uncovered.insert((path.clone(), why.into()));
                }
                _ => {}
            }
            was.push(Was { path: path.clone(), state: entry.state.clone(), place: None });
        }
        let scope = Scope::All { baseline: seen.number, head, since, but };
        self.write(Event::Opened { scope, was, uncovered, told })?;
        let number = seen.number;
        let last = self.last.replace(seen).filter(|last| last.number != number);
        if let Some(last) = last.filter(|_| self.baselines.is_empty()) {
            let _ = fs::remove_file(self.folder.join(baseline_name(last.number)));
        }
        self.baselines.push(baseline);
        Ok(())
    }

    /// All files and folders of the work tree, relative to the root, as [`Run::before_anything`]
    /// has just seen them; `None` where it did not look into everything.
    pub fn paths(&self) -> Option<impl Iterator<Item = &Path>> {
        let seen = self.baselines.last()?;
        let is_whole = |state: &State| match state {
            State::Opaque(Opaque::Large { .. } | Opaque::Special) => true,
            state => !state.is_opaque(),
        };
        let is_whole = seen.entries.iter().all(|(_, entry)| is_whole(&entry.state));
        is_whole.then(|| seen.entries.iter().map(|(name, _)| name.as_path()))
    }

    /// What the call that was announced last may change and an undo would not restore.
    pub fn not_covered(&self) -> Vec<Uncovered> {
        let was = self.folded.open.last().into_iter().flat_map(|open| &open.was);
        let opaque = was.filter_map(|(name, (state, _))| match state {
            State::Opaque(opaque) => {
                Some(Uncovered { path: name.as_path().to_owned(), why: opaque.into() })
            }
            _ => None,
        });
        opaque.collect()
    }

    /// To be called when what the last open call announced is done. Returns the paths that have
    /// changed, relative to the root, sorted; they are on record when this returns.
    ///
    /// # Errors
    /// When the changes cannot be looked at or written down. The call may be made again.
    pub fn after(&mut self) -> Result<Vec<PathBuf>> {
        let Some(open) = self.folded.open.last() else { return Ok(Vec::new()) };
        let is_all = matches!(open.scope, Scope::All { .. });
        let baseline = self.baselines.last().filter(|_| is_all).map(|baseline| &**baseline);
        let closed = close(&self.at, &self.folder, open, baseline, &self.folded.moves)?;
        let Event::Closed { changes, .. } = &closed else { return Ok(Vec::new()) };
        let paths = changes.iter().map(|change| change.path.to_path()).collect();
        self.write(closed)?;
        if is_all {
            self.baselines.pop();
        }
        Ok(paths)
    }

    /// Remembers git's index as it is now. To be called before anything is staged for a commit;
    /// without it the index of the run's beginning counts, and only for paths that the commit
    /// changes.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn before_commit(&mut self) -> Result<()> {
        let kept = self.folder.join(INDEX);
        let _ = fs::remove_file(&kept);
        let index = self.at.git.git_dir().join("index");
        self.index_is_fresh = true;
        if index.exists() { link_or_copy(&index, &kept) } else { Ok(()) }
    }

    /// Says that the run has made a commit: of a branch (its full name), or of a detached HEAD.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn committed(
        &mut self,
        old: Option<CommitId>,
        new: CommitId,
        branch: Option<&str>,
    ) -> Result<()> {
        let git = self.at.git;
        let kept = self.folder.join(INDEX);
        let was = if kept.exists() {
            git_calls::index(&git.clone().with_index(kept))?
        } else {
            BTreeMap::new()
        };
        let left = git_calls::index(git)?;
        let mut paths: BTreeSet<Name> =
            git_calls::changed_paths(git, old.as_ref(), Some(&new))?.into_iter().collect();
        if self.index_is_fresh {
            // What was added for the commit without a change in the end, and what had to give way
            // to a folder, or a file, of its name.
            let names = was.keys().chain(left.keys());
            paths.extend(names.filter(|name| was.get(*name) != left.get(*name)).cloned());
        }
        let entries = |path: &Name| {
            let (was, left) = (was.get(path), left.get(path));
            let (was, left) = (was.cloned().unwrap_or_default(), left.cloned().unwrap_or_default());
            IndexChange { path: path.clone(), was, left }
        };
        let index = paths.iter().map(entries).collect();
        let (old, new) = (old.map(|id| id.to_string()), Some(new.to_string()));
        self.moved(Move { branch: branch.map(str::to_owned), old, new, index })?;
        self.index_is_fresh = false;
        Ok(())
    }

    pub(super) fn moved(&mut self, moved: Move) -> Result<()> {
        self.write(Event::Moved(moved))
    }

    /// What could not be taken back if the run was undone now.
    pub fn uncovered(&self) -> Vec<Uncovered> {
        seal::shown(&self.folded.uncovered)
    }

    /// Ends the run: whatever is open is closed, and its checkpoint becomes a commit of git.
    ///
    /// # Errors
    /// When that fails; the run is then interrupted, and all that it wrote down is still there.
    pub fn finish(mut self) -> Result<Summary> {
        while !self.folded.open.is_empty() {
            self.after()?;
        }
        seal::seal(&self.at, &self.run, &self.folded, false)?;
        let changed = self.folded.net().map(|net| net.path.to_path()).collect();
        let uncovered = self.uncovered();
        let commits = self.folded.moves.iter().filter_map(|moved| moved.new.clone()).collect();
        self.lock.release();
        Ok(Summary { run: self.run, changed, commits, uncovered })
    }

    /// Written down first, true only then.
    fn write(&mut self, event: Event) -> Result<()> {
        self.log.append(&event)?;
        self.folded.take(event, false);
        Ok(())
    }
}

/// What has changed in a scope of the run in this folder, as the event that closes it.
pub(super) fn close(
    at: &Checkpoints,
    folder: &Path,
    open: &super::record::Open,
    baseline: Option<&Baseline>,
    moves: &[Move],
) -> Result<Event> {
    let (changes, mut uncovered) = scope::differences(at, open, baseline)?;
    let mut committed = BTreeSet::new();
    if let Scope::All { head, but, .. } = &open.scope {
        let now = elophanto_repo::head(at.git)?;
        let shown = now.map(|id| id.to_string());
        // A commit of the run's own can be taken back.
        let is_known = shown == *head || moves.last().is_some_and(|moved| moved.new == shown);
        if !is_known && but.contains(&Name::new(".git")) {
            // Somebody else committed meanwhile, and what is in that commit is theirs.
            let before = head.as_deref().and_then(|head| ObjectId::from_hex(head.as_bytes()));
            let paths = git_calls::changed_paths(at.git, before.as_ref(), now.as_ref())?;
            committed.extend(paths);
        } else if !is_known {
            uncovered.insert((Name::new("HEAD"), super::WhyUncovered::Head));
        }
    }
    // They tell before they write: what was seen has been told by now.
    let told = watch::told_since(folder, open.told);
    let changes = scope::own(at.git.root(), changes, &told, &committed);
    Ok(Event::Closed { changes, uncovered })
}
