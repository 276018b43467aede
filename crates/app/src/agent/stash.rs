//! The user's uncommitted changes, put aside for a run and brought back after it: a stash of git, with
//! untracked files, that lives from before the run until all of it is back.
//!
//! What is under way is written down in the git directory before each step, so that after a kill the
//! next run or undo brings back what is aside, and everybody who looks is told. Nothing is brought
//! back half: where the work tree is in the way, all stays in the stash, which git lists like any
//! other, and that is said.

use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::branch::{begins_at, changed};
use crate::{Error, Result, pages::is_instructions};
use elophanto_agent::permissions::is_key;
use elophanto_base::{
    beneath::{Folder, Kind},
    lock, platform,
    regular::read as read_whole,
    visible::exact_line,
};
use elophanto_repo::{CommitId, Git, GitError, NotePath, ObjectId};

/// In the git directory of the work tree: what is under way, and the lock of whoever is at it.
const RECORD: &str = "elophanto/stash.json";
const LOCK: &str = "elophanto/stash.lock";
/// Largest record, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Begins the message of a stash.
const MESSAGE: &str = "elophanto: before a run";
/// Made for a moment, to see which rights git would give a file.
const PROBE: &str = "elophanto/stash.rights";
/// How `merge-tree` ends where there is a conflict.
const CONFLICT: i32 = 1;
/// Rounds in which others may make stashes while ours is dropped.
const ROUNDS: usize = 8;
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
    /// Holds the lock.
    git: Git,
    record: Record,
}

/// What became of changes that were aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Back {
    /// They are back; the stash is gone.
    Whole,
    /// They are back, but nothing of them is staged any more.
    Unstaged,
    /// They are in the stash, and why.
    Stays {
        /// The id of its commit.
        stash: String,
        /// What git said, or that a file stands in the way.
        why: String,
    },
    /// There is no such stash: none was made, or somebody has taken it.
    Nothing,
}

impl Stash {
    /// Puts aside what differs from HEAD in work tree and index; `None` where nothing does.
    ///
    /// # Errors
    /// When there is no commit yet, changes are aside already, or git cannot put them there.
    pub fn begin(git: &Git) -> Result<Option<Self>> {
        let git = git.clone().with_timeout(PATIENCE);
        begins_at(&git, "--stash")?;
        if git.is_under_way() {
            return Err(Error::new("a merge, rebase or the like is under way")
                .hint("finish it, or leave out `--stash`"));
        }
        let found = found(&git)?;
        if found.is_empty() {
            return Ok(None);
        }
        refuse(&git, &found)?;
        refuse_inexact(&git, &found)?;
        let git = locked(&git)?.ok_or_else(busy)?;
        if read(&git).is_some() {
            return Err(Error::new("changes of yours are still aside from an earlier run")
                .hint("`git stash list` shows them; `elophanto agent undo` brings them back"));
        }
        let stash = Self { record: Record { id: Ulid::new() }, git };
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
    pub fn end(self) -> Result<Back> {
        bring_back(&self.git, &self.record)
    }
}

/// Brings back what a run left aside that was killed, or at whose end it did not fit; `None` where there is nothing.
///
/// # Errors
/// When git cannot say what is where; then it is in the stash.
pub(crate) fn recover(git: &Git) -> Result<Option<Back>> {
    if read(git).is_none() {
        return Ok(None);
    }
    let git = git.clone().with_timeout(PATIENCE);
    // A run is at it, or a git that a killed one has left.
    let Some(git) = locked(&git)? else { return Ok(None) };
    read(&git).map(|record| bring_back(&git, &record)).transpose()
}

/// How the stash is called that a run left; `None` where there is none, or a run is at it.
pub fn left(git: &Git) -> Option<String> {
    let record = read(git)?;
    let _lock = locked(git).ok().flatten()?;
    commit(git, &record).ok().flatten().map(|commit| commit.short())
}

fn bring_back(git: &Git, record: &Record) -> Result<Back> {
    let Some(commit) = commit(git, record)? else {
        forget(git)?;
        return Ok(Back::Nothing);
    };
    let stash = Stored::of(git, commit)?;
    // Git was stopped before it cleaned up, or after it had brought all back.
    let back = if stash.is_there(git)? { Ok(Back::Whole) } else { stash.apply(git)? };
    match back {
        Ok(back) => {
            if let Some(path) = stash.otherwise(git, stash.is_merged(git)?)? {
                let why = format!(
                    "`{}` came back otherwise than it was, as git's attributes or settings have \
                     changed; the stash has it as it was",
                    shown(&path)
                );
                return Ok(Back::Stays { stash: commit.short(), why });
            }
            forget(git)?;
            drop_entry(git, &commit)?;
            Ok(back)
        }
        // It may fit later: what is written down stays as well.
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
    /// What is tracked now and was not in that commit.
    added: Vec<NotePath>,
}

impl Stored {
    fn of(git: &Git, commit: CommitId) -> Result<Self> {
        let name = |suffix: &str| format!("{commit}{suffix}");
        let all = tree(git, &name(""))?;
        let (base, own) = (name("^1"), name(""));
        let differing = |kinds: &str| -> Result<Vec<NotePath>, GitError> {
            let asked = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", kinds];
            let paths = git.run(&[&asked[..], &[&base, &own, "--"]].concat())?;
            let paths = paths.split(|&byte| byte == 0).filter(|path| !path.is_empty());
            Ok(paths.map(NotePath::new).collect())
        };
        let tracked = differing("--diff-filter=ACDMRTUXB")?.into_iter().map(|path| {
            let is = all.get(&path).cloned();
            (path, is)
        });
        let third = git.run(&["rev-parse", "--verify", "--quiet", &name("^3")]).is_ok();
        Ok(Self {
            staged: text(&git.run(&["rev-parse", &name("^2^{tree}")])?),
            tracked: tracked.collect(),
            untracked: if third { tree(git, &name("^3"))? } else { BTreeMap::new() },
            added: differing("--diff-filter=A")?,
            commit,
        })
    }

    /// Whether all of it is in work tree and index.
    fn is_there(&self, git: &Git) -> Result<bool> {
        // Of an index in conflict there is no tree.
        let staged = git.run(&["write-tree"]).ok().map(|id| text(&id));
        if git.index_is_locked() || staged.as_ref() != Some(&self.staged) {
            return Ok(false);
        }
        Ok(self.otherwise(git, false)?.is_none())
    }

    /// Whether it came back on another commit than it was made on.
    fn is_merged(&self, git: &Git) -> Result<bool, GitError> {
        Ok(git.resolve(&format!("{}^1", self.commit))? != git.resolve("HEAD")?)
    }

    /// A file that is not as it was; if it was merged, of the untracked ones.
    fn otherwise(&self, git: &Git, is_merged: bool) -> Result<Option<NotePath>> {
        let tracked = self.tracked.iter().filter(|_| !is_merged);
        let all = tracked.map(|(path, is)| (path, is.as_ref()));
        for (path, is) in all.chain(self.untracked.iter().map(|(path, is)| (path, Some(is)))) {
            if there(git, path)?.as_ref() != is {
                return Ok(Some(path.clone()));
            }
        }
        Ok(None)
    }

    /// Puts it into the work tree, all of it or nothing; else why not.
    fn apply(&self, git: &Git) -> Result<Result<Back, String>> {
        if git.index_is_locked() {
            return Ok(Err("git is at work here, or was killed".to_owned()));
        }
        // A folder as well, and a file where a folder is to be.
        let top = Folder::open(git.root())?;
        let is_free = |path: &NotePath| matches!(top.stat(path.as_path()), Ok(None));
        if let Some(path) = self.untracked.keys().chain(&self.added).find(|path| !is_free(path)) {
            return Ok(Err(format!("`{}` is there by now", shown(path))));
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
    fn conflicts(&self, git: &Git) -> Result<Option<String>> {
        if git.run(&["config", "--get-regexp", r"^merge\..*\.driver$"]).is_ok() {
            return Ok(Some(
                "the settings name a program that merges, which is not run".to_owned(),
            ));
        }
        // What both come from is the commit that the stash was made on.
        let commit = self.commit.to_string();
        match git.run(&["merge-tree", "--write-tree", "HEAD", &commit]) {
            Ok(_) => Ok(None),
            Err(GitError::Failed { code: Some(CONFLICT), .. }) => {
                Ok(Some("it conflicts with what the run committed".to_owned()))
            }
            // A git before 2.38 does not know how: whether it can be merged is seen then.
            Err(cause) => said(cause).map(|_| None),
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
fn there(git: &Git, path: &NotePath) -> Result<Option<Content>> {
    let top = Folder::open(git.root())?;
    let path = path.as_path();
    let (mode, bytes) = match top.stat(path) {
        Ok(Some(stat)) if stat.is_file() => {
            let mut bytes = Vec::new();
            top.read(path)?.0.read_to_end(&mut bytes)?;
            (if stat.mode & 0o100 == 0 { "100644" } else { "100755" }, bytes)
        }
        Ok(Some(stat)) if stat.kind == Kind::Link => {
            ("120000", top.link(path)?.as_os_str().as_encoded_bytes().to_vec())
        }
        // A link on the way leads to something else.
        _ => return Ok(None),
    };
    let id = git.run_with(&["hash-object", "--no-filters", "--stdin"], &bytes)?;
    let id = ObjectId::from_hex(id.trim_ascii());
    let id = id.ok_or_else(|| GitError::Odd("the id of a content".to_owned()))?;
    Ok(Some((mode.to_owned(), id)))
}

/// What git says of work tree and index.
fn state(git: &Git) -> Result<Vec<u8>, GitError> {
    git.run(&["status", "--porcelain=v2", "-z", "--untracked-files=all"])
}

/// The words of a git that said no; other failures are none of the changes'.
fn said(cause: GitError) -> Result<String> {
    match cause {
        GitError::Failed { said, .. } => Ok(said),
        cause => Err(cause.into()),
    }
}

/// What is to be put aside, sorted.
fn found(git: &Git) -> Result<Vec<PathBuf>> {
    let asked = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
    let status = git.run(&[&asked[..], &["--ignore-submodules=dirty"]].concat())?;
    let names = status.split(|&byte| byte == 0).filter_map(|line| line.get(3..));
    let mut found: Vec<_> = names.map(|name| platform::path(name).to_owned()).collect();
    found.sort();
    let top = Folder::open(git.root())?;
    let is_folder = |path: &&PathBuf| {
        let is_one = top.stat(path).ok().flatten().is_some_and(|stat| stat.kind == Kind::Folder);
        is_one && top.stat(&path.join(".git")).ok().flatten().is_none()
    };
    if let Some(path) = found.iter().find(is_folder) {
        return Err(Error::new(format_args!(
            "`{}` is a file for git and a folder here, and no stash holds what git ignores in it",
            exact_line(&path.to_string_lossy())
        ))
        .hint("commit it first, or leave out `--stash`"));
    }
    // Gone for git and there all the same, or a file and a folder in each other's place.
    match found.windows(2).find(|pair| pair[1].starts_with(&pair[0])) {
        Some(pair) => Err(Error::new(format_args!(
            "`{}` is deleted for git, and there is something untracked",
            exact_line(&pair[0].to_string_lossy())
        ))
        .hint("`git add` or commit it first, or leave out `--stash`: no stash holds both")),
        None => Ok(found),
    }
}

/// Refuses what git would give back otherwise than it is: line ends and the like that it converts,
/// rights that it does not keep.
fn refuse_inexact(git: &Git, changed: &[PathBuf]) -> Result<()> {
    let (top, usual) = (Folder::open(git.root())?, usual_rights(git)?);
    let mut asked = Vec::new();
    let mut files = Vec::new();
    for path in changed {
        let Some(stat) = top.stat(path).ok().flatten().filter(|stat| stat.is_file()) else {
            continue;
        };
        let (bytes, mode) = (path.as_os_str().as_encoded_bytes(), stat.mode & 0o7777);
        if !usual.contains(&mode) {
            return Err(inexact(path, &format!("its rights ({mode:03o}) are not kept by git")));
        }
        if bytes.starts_with(b"\"") || bytes.iter().any(|byte| b"\n\r".contains(byte)) {
            return Err(inexact(path, "git cannot be asked about such a name"));
        }
        asked.extend_from_slice(bytes);
        asked.push(b'\n');
        files.push(path);
    }
    if files.is_empty() {
        return Ok(());
    }
    let raw = git.run_with(&["hash-object", "--no-filters", "--stdin-paths"], &asked)?;
    let kept = git.run_with(&["hash-object", "--stdin-paths"], &asked)?;
    let lines = |said: &[u8]| said.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (raw, kept): (Vec<_>, Vec<_>) = (lines(&raw), lines(&kept));
    match files.iter().zip(raw.iter().zip(&kept)).find(|(_, (raw, kept))| raw != kept) {
        Some((path, _)) => Err(inexact(path, "git converts it (line ends and the like)")),
        None => Ok(()),
    }
}

fn inexact(path: &Path, why: &str) -> Error {
    let name = exact_line(&path.to_string_lossy());
    Error::new(format_args!("`{name}` would not come back as it is: {why}"))
        .hint("commit it first, have git ignore it, or leave out `--stash`")
}

/// The rights that git gives files: those of a new file, and with all who read it running it.
fn usual_rights(git: &Git) -> Result<[u32; 4]> {
    let (top, probe) = (Folder::open(git.git_dir())?, Path::new(PROBE));
    let (made, name) = top.making(probe)?;
    let _ = made.remove(Path::new(&name));
    let mode = platform::rights(&top.create(probe)?.metadata()?) & 0o777;
    top.remove(probe)?;
    Ok([0o644, 0o755, mode, mode | (mode & 0o444) >> 2])
}

/// What must not be put aside.
fn refuse(git: &Git, changed: &[PathBuf]) -> Result<()> {
    if git.has_filtered_files()? {
        return Err(Error::new(
            "files here go through a filter (Git LFS), whose program is not run",
        )
        .hint("`git stash -u` before and `git stash pop` after the run do it with that"));
    }
    // `h` and the like: git does not look whether they changed, and a stash writes over them.
    let flagged = git.run(&["ls-files", "-v", "-z"])?;
    let mut flagged = flagged.split(|&byte| byte == 0);
    if let Some(line) = flagged.find(|line| line.first().is_some_and(u8::is_ascii_lowercase)) {
        let name = exact_line(&String::from_utf8_lossy(line.get(2..).unwrap_or_default()));
        return Err(Error::new(format_args!("git is told to take `{name}` for unchanged")).hint(
            "`git update-index --no-assume-unchanged FILE` ends that; or leave out `--stash`",
        ));
    }
    for path in changed {
        let name = exact_line(&path.to_string_lossy());
        if HELD.iter().any(|held| path == Path::new(held)) || is_instructions(path) {
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
fn drop_entry(git: &Git, commit: &CommitId) -> Result<()> {
    for _ in 0..ROUNDS {
        let Some(at) = entries(git)?.iter().position(|(id, _)| id == commit) else { break };
        let said = text(&git.run(&["stash", "drop", &format!("stash@{{{at}}}")])?);
        // `Dropped stash@{0} (ID)`
        let dropped =
            said.rsplit_once('(').and_then(|(_, id)| id.trim_end_matches(')').parse().ok());
        let Some(other) = dropped.filter(|id: &CommitId| id != commit) else { break };
        // Somebody has made or dropped one meanwhile, and so ours had another number.
        let other = other.to_string();
        let message = text(&git.run(&["log", "-1", "--format=%s", &other])?);
        git.run(&["stash", "store", "--quiet", "-m", &message, &other])?;
    }
    Ok(())
}

/// The same git with the lock, which each git that it starts has as well: where this program is killed,
/// nobody looks before such a git has ended.
fn locked(git: &Git) -> Result<Option<Git>> {
    let lock = lock::try_for(&git.git_dir().join(LOCK), Duration::ZERO)?;
    Ok(lock.map(|lock| git.clone().holding(lock.into_file())))
}

fn busy() -> Error {
    Error::new("another run has put changes of yours aside here").hint("wait until it has ended")
}

fn read(git: &Git) -> Option<Record> {
    serde_json::from_slice(&read_whole(&git.git_dir().join(RECORD), MOST_BYTES).ok()?).ok()
}

fn write(git: &Git, record: &Record) -> Result<()> {
    let top = Folder::open(git.git_dir())?;
    let text = serde_json::to_string(record).map_err(Error::new)?;
    Ok(top.write_private(Path::new(RECORD), text.as_bytes())?)
}

fn forget(git: &Git) -> Result<()> {
    Ok(Folder::open(git.git_dir())?.remove(Path::new(RECORD))?)
}

fn shown(path: &NotePath) -> String {
    exact_line(&path.to_text())
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said.trim_ascii()).into_owned()
}
