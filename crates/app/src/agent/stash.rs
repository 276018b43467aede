//! The user's uncommitted changes, put aside for a run and brought back after it: a stash of git, with
//! untracked files, that lives from before the run until all of it is back.
//!
//! What is under way is written down in the git directory before each step, so that after a kill the
//! next run or undo brings back what is aside, and everybody who looks is told. Nothing is brought
//! back half: where the work tree is in the way, all stays in the stash, which git lists like any
//! other, and that is said.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::branch::{begins_at, changed};
use crate::Error;
use elophanto_agent::permissions::is_key;
use elophanto_base::{
    beneath::{Folder, Kind},
    lock::{self, Lock},
    visible::exact_line,
};
use elophanto_repo::{CommitId, Git, GitError, NotePath, ObjectId};

/// In the git directory of the work tree: what is under way, and the lock of whoever is at it.
const RECORD: &str = "elophanto/stash.json";
const LOCK: &str = "elophanto/stash.lock";
/// Begins the message of a stash.
const MESSAGE: &str = "elophanto: before a run";
/// How `merge-tree` ends where there is a conflict.
const CONFLICT: &str = "exit status: 1";
const PATIENCE: Duration = Duration::from_secs(600);
/// What says what a run may do and read holds as it is in the work tree.
const HELD: [&str; 3] =
    [".elophanto/permissions.yaml", ".elophanto/config.yaml", ".elophantoignore"];

/// What is written down of changes that are aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// In the message of the stash.
    id: Ulid,
}

/// Changes that are aside.
#[derive(Debug)]
pub struct Stash {
    git: Git,
    record: Record,
    _lock: Lock,
}

/// What became of changes that were aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Back {
    /// They are back; the stash is gone.
    Whole,
    /// They are back, but nothing of them is staged any more.
    Unstaged,
    /// They are in the stash, and why.
    Stays { stash: String, why: String },
    /// There is no such stash: none was made, or somebody has taken it.
    Nothing,
}

impl Stash {
    /// Puts aside what differs from HEAD in work tree and index; `None` where nothing does.
    ///
    /// # Errors
    /// When there is no commit yet, changes are aside already, or git cannot put them there.
    pub fn begin(git: &Git) -> Result<Option<Self>, Error> {
        let git = git.clone().with_timeout(PATIENCE);
        begins_at(&git, "--stash")?;
        if git.is_under_way() {
            return Err(Error::new("a merge, rebase or the like is under way")
                .hint("finish it, or leave out `--stash`"));
        }
        let changed = changed(&git)?;
        if changed.is_empty() {
            return Ok(None);
        }
        refuse(&git, changed.iter().map(PathBuf::as_path))?;
        let lock = locked(&git)?.ok_or_else(busy)?;
        if read(&git).is_some() {
            return Err(Error::new("changes of yours are still aside from an earlier run")
                .hint("`git stash list` shows them; `elophanto agent undo` brings them back"));
        }
        let stash = Self { record: Record { id: Ulid::new() }, git, _lock: lock };
        write(&stash.git, &stash.record)?;
        let message = message(&stash.record);
        let pushed = stash.git.run(&["stash", "push", "--include-untracked", "-m", &message]);
        match (pushed, commit(&stash.git, &stash.record)?) {
            (Ok(_), Some(_)) => Ok(Some(stash)),
            // Git had nothing to put aside: an empty folder of another repository.
            (Ok(_), None) => {
                forget(&stash.git)?;
                Ok(None)
            }
            (Err(cause), None) => {
                forget(&stash.git)?;
                Err(Error::from(cause)
                    .hint("nothing was put aside: commit first, or leave out `--stash`"))
            }
            (Err(cause), Some(_)) => {
                let Back::Stays { stash, .. } = stash.end()? else { return Err(cause.into()) };
                Err(Error::from(cause).hint(format!("what was put aside is in {stash}")))
            }
        }
    }

    /// Brings them back.
    ///
    /// # Errors
    /// When git cannot say what is where; then they are in the stash.
    pub fn end(self) -> Result<Back, Error> {
        bring_back(&self.git, &self.record)
    }
}

/// Brings back what a killed run left aside; `None` where there is nothing.
///
/// # Errors
/// When git cannot say what is where; then it is in the stash.
pub fn recover(git: &Git) -> Result<Option<Back>, Error> {
    if read(git).is_none() {
        return Ok(None);
    }
    let git = git.clone().with_timeout(PATIENCE);
    // A run is at it.
    let Some(_lock) = locked(&git)? else { return Ok(None) };
    read(&git).map(|record| bring_back(&git, &record)).transpose()
}

/// How the stash is called that a killed run left; `None` where there is none, or a run is at it.
pub fn left(git: &Git) -> Option<String> {
    let record = read(git)?;
    let _lock = locked(git).ok().flatten()?;
    commit(git, &record).ok().flatten().map(|commit| commit.short())
}

fn bring_back(git: &Git, record: &Record) -> Result<Back, Error> {
    let Some(commit) = commit(git, record)? else {
        forget(git)?;
        return Ok(Back::Nothing);
    };
    let stash = Stored::of(git, commit)?;
    // Git was stopped before it cleaned up, or after it had brought all back.
    let back = if stash.is_there(git)? { Ok(Back::Whole) } else { stash.apply(git)? };
    forget(git)?;
    match back {
        Ok(back) => {
            drop_entry(git, &commit)?;
            Ok(back)
        }
        Err(why) => Ok(Back::Stays { stash: commit.short(), why }),
    }
}

/// What git has at a path: octal mode and content.
type Content = (String, ObjectId);

/// A stash as git keeps it: a commit on HEAD and on what was staged, and one of untracked files.
struct Stored {
    commit: CommitId,
    /// The tree that was staged.
    staged: String,
    /// What is to be in the work tree where it differs from the commit that it is based on.
    tracked: BTreeMap<NotePath, Option<Content>>,
    untracked: BTreeMap<NotePath, Content>,
}

impl Stored {
    fn of(git: &Git, commit: CommitId) -> Result<Self, Error> {
        let name = |suffix: &str| format!("{commit}{suffix}");
        let all = tree(git, &name(""))?;
        let (base, own) = (name("^1"), name(""));
        let asked = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", &base, &own, "--"];
        let changed = git.run(&asked)?;
        let changed = changed.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        let tracked = changed.map(|path| {
            let path = NotePath::new(path);
            let is = all.get(&path).cloned();
            (path, is)
        });
        let third = git.run(&["rev-parse", "--verify", "--quiet", &name("^3")]).is_ok();
        Ok(Self {
            staged: text(&git.run(&["rev-parse", &name("^2^{tree}")])?),
            tracked: tracked.collect(),
            untracked: if third { tree(git, &name("^3"))? } else { BTreeMap::new() },
            commit,
        })
    }

    /// Whether all of it is in work tree and index.
    fn is_there(&self, git: &Git) -> Result<bool, Error> {
        // Of an index in conflict there is no tree.
        let staged = git.run(&["write-tree"]).ok().map(|id| text(&id));
        if git.index_is_locked() || staged.as_ref() != Some(&self.staged) {
            return Ok(false);
        }
        for (path, is) in &self.tracked {
            if there(git, path)? != *is {
                return Ok(false);
            }
        }
        for (path, is) in &self.untracked {
            if there(git, path)?.as_ref() != Some(is) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts it into the work tree, all of it or nothing; else why not.
    fn apply(&self, git: &Git) -> Result<Result<Back, String>, Error> {
        if git.index_is_locked() {
            return Ok(Err("git is at work here, or was killed".to_owned()));
        }
        for path in self.untracked.keys() {
            if there(git, path)?.is_some() {
                return Ok(Err(format!("`{}` is there by now", shown(path))));
            }
        }
        // Git would leave these and bring back the rest.
        let mut meanwhile = changed(git)?.into_iter().map(|path| NotePath::from(path.as_path()));
        if let Some(path) = meanwhile.find(|path| self.tracked.contains_key(path)) {
            return Ok(Err(format!("`{}` was changed meanwhile", shown(&path))));
        }
        let base = format!("{}^1", self.commit);
        if git.resolve(&base)? != git.resolve("HEAD")?
            && let Some(why) = self.conflicts(git)?
        {
            return Ok(Err(why));
        }
        let commit = self.commit.to_string();
        let before = state(git)?;
        let mut why = match git.run(&["stash", "apply", "--index", "--quiet", &commit]) {
            Ok(_) => return Ok(Ok(Back::Whole)),
            Err(cause) => said(cause)?,
        };
        if state(git)? == before {
            match git.run(&["stash", "apply", "--quiet", &commit]) {
                Ok(_) => return Ok(Ok(Back::Unstaged)),
                Err(cause) => why = said(cause)?,
            }
        }
        if state(git)? != before {
            why.push_str(" (some of it is in the work tree: `git status`)");
        }
        Ok(Err(why))
    }

    /// Why it cannot be merged with HEAD: tried in memory, so that no conflict comes into the work
    /// tree.
    fn conflicts(&self, git: &Git) -> Result<Option<String>, Error> {
        if git.run(&["config", "--get-regexp", r"^merge\..*\.driver$"]).is_ok() {
            return Ok(Some(
                "the settings name a program that merges, which is not run".to_owned(),
            ));
        }
        // What both come from is the commit that the stash was made on.
        let commit = self.commit.to_string();
        match git.run(&["merge-tree", "--write-tree", "HEAD", &commit]) {
            Ok(_) => Ok(None),
            // A git before 2.38 does not know how: whether it can be merged is seen then.
            Err(GitError::Failed { said, .. }) if said != CONFLICT => Ok(None),
            Err(cause) => {
                said(cause)?;
                Ok(Some("it conflicts with what the run committed".to_owned()))
            }
        }
    }
}

/// What is in a tree.
fn tree(git: &Git, name: &str) -> Result<BTreeMap<NotePath, Content>, GitError> {
    let listed = git.run(&["ls-tree", "-r", "-z", "--full-tree", name])?;
    let odd = || GitError::Odd("a list of files".to_owned());
    let mut files = BTreeMap::new();
    for line in listed.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let tab = line.iter().position(|&byte| byte == b'\t').ok_or_else(odd)?;
        let fields = String::from_utf8_lossy(&line[..tab]).into_owned();
        let [mode, _, id] = fields.split(' ').collect::<Vec<_>>()[..] else { return Err(odd()) };
        files.insert(NotePath::new(&line[tab + 1..]), (mode.to_owned(), id.parse()?));
    }
    Ok(files)
}

/// What a path of the work tree is, as git has it; `None` where there is no file.
fn there(git: &Git, path: &NotePath) -> Result<Option<Content>, Error> {
    let top = Folder::open(git.root())?;
    let path = path.as_path();
    let (mode, bytes) = match top.stat(path) {
        Ok(Some(stat)) if stat.is_file() => {
            let mut bytes = Vec::new();
            top.read(path)?.0.read_to_end(&mut bytes)?;
            (if stat.mode & 0o100 == 0 { "100644" } else { "100755" }, bytes)
        }
        Ok(Some(stat)) if stat.kind == Kind::Link => {
            ("120000", top.link(path)?.as_os_str().as_bytes().to_vec())
        }
        // A link on the way leads to something else.
        _ => return Ok(None),
    };
    let id = git.run_with(&["hash-object", "--stdin"], &bytes)?;
    let id = ObjectId::from_hex(id.trim_ascii());
    let id = id.ok_or_else(|| GitError::Odd("the id of a content".to_owned()))?;
    Ok(Some((mode.to_owned(), id)))
}

/// What git says of work tree and index.
fn state(git: &Git) -> Result<Vec<u8>, GitError> {
    git.run(&["status", "--porcelain=v2", "-z", "--untracked-files=all"])
}

/// The words of a git that said no; other failures are none of the changes'.
fn said(cause: GitError) -> Result<String, Error> {
    match cause {
        GitError::Failed { said, .. } => Ok(said),
        cause => Err(cause.into()),
    }
}

/// What must not be put aside.
fn refuse<'p>(git: &Git, changed: impl Iterator<Item = &'p Path>) -> Result<(), Error> {
    if git.has_filtered_files()? {
        return Err(Error::new(
            "files here go through a filter (Git LFS), whose program is not run",
        )
        .hint("`git stash -u` before and `git stash pop` after the run do it with that"));
    }
    for path in changed {
        let name = exact_line(&path.to_string_lossy());
        if HELD.iter().any(|held| path == Path::new(held)) {
            return Err(Error::new(format_args!("`{name}` has changes that a run is to obey"))
                .hint("commit it first: what is put aside does not hold for the run"));
        }
        if is_key(&git.root().join(path)) {
            return Err(Error::new(format_args!(
                "`{name}` holds keys, and a stash is read by every git"
            ))
            .hint("have git ignore it (`.gitignore`), or leave out `--stash`"));
        }
    }
    Ok(())
}

fn message(record: &Record) -> String {
    format!("{MESSAGE} {}", record.id)
}

/// The commit of the stash, as long as git lists it.
fn commit(git: &Git, record: &Record) -> Result<Option<CommitId>, GitError> {
    Ok(entries(git)?
        .into_iter()
        .find_map(|(id, said)| said.ends_with(&message(record)).then_some(id)))
}

/// All stashes, the newest first, each with its message.
fn entries(git: &Git) -> Result<Vec<(CommitId, String)>, GitError> {
    let said = git.run(&["stash", "list", "--format=%H %gs"])?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let entry = |line: &str| {
        let (id, message) = line.split_once(' ')?;
        Some((id.parse().ok()?, message.to_owned()))
    };
    Ok(said.lines().filter_map(entry).collect())
}

/// Takes it out of the list.
fn drop_entry(git: &Git, commit: &CommitId) -> Result<(), Error> {
    let Some(at) = entries(git)?.iter().position(|(id, _)| id == commit) else { return Ok(()) };
    let entry = format!("stash@{{{at}}}");
    // Somebody may have made or dropped one meanwhile.
    if git.resolve(&entry)? == *commit {
        git.run(&["stash", "drop", "--quiet", &entry])?;
    }
    Ok(())
}

fn locked(git: &Git) -> Result<Option<Lock>, Error> {
    Ok(lock::try_for(&git.git_dir().join(LOCK), Duration::ZERO)?)
}

fn busy() -> Error {
    Error::new("another run has put changes of yours aside here").hint("wait until it has ended")
}

fn read(git: &Git) -> Option<Record> {
    serde_json::from_slice(&fs::read(git.git_dir().join(RECORD)).ok()?).ok()
}

fn write(git: &Git, record: &Record) -> Result<(), Error> {
    let top = Folder::open(git.git_dir())?;
    let text = serde_json::to_string(record).map_err(Error::new)?;
    Ok(top.write_private(Path::new(RECORD), text.as_bytes())?)
}

fn forget(git: &Git) -> Result<(), Error> {
    Ok(Folder::open(git.git_dir())?.remove(Path::new(RECORD))?)
}

fn shown(path: &NotePath) -> String {
    exact_line(&path.to_text())
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said.trim_ascii()).into_owned()
}
