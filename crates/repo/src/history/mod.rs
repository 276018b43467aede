//! When each note changed last, from the commits.
//!
//! Owns the one run of `git log` and its fold: from nothing, or from what was known at an earlier
//! commit. Where it is remembered is not known here. What cannot be told is unknown, never recent:
//! in a shallow clone the oldest commits seem to have made every file.

mod fold;
mod log;
mod own_ids;

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

use rustc_hash::FxHashSet;

use super::{BlobId, CommitId, Git, GitError, NotePath, ObjectId, Selection};
use fold::Fold;
use log::Parser;

/// The commit that made a file what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// Committer's time in seconds since 1970.
    pub time: i64,
    pub commit: CommitId,
}

/// The last change of one committed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: NotePath,
    /// Its content at HEAD, as git names it.
    pub object: ObjectId,
    /// The same, as we name it; `None` if that could not be found out.
    pub blob: Option<BlobId>,
    /// `None` if the commits that are here do not tell.
    pub made: Option<Made>,
}

/// What the commits say of a file as it lies in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// It is as this commit made it.
    Committed(Made),
    /// It is as HEAD has it, but which commit made it so cannot be told.
    Unknown,
    /// It is new or edited.
    NotCommitted,
}

/// The last changes of all notes at one commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// `None` if nothing is known of any commit.
    pub head: Option<CommitId>,
    /// Which files were looked at, by which commits; see [`coverage`].
    pub coverage: String,
    /// Whether the log was read as far as was needed.
    pub complete: bool,
    /// Sorted by path.
    pub changes: Vec<Change>,
}

impl History {
    /// The last change of a file of HEAD.
    pub fn get(&self, path: &NotePath) -> Option<&Change> {
        let index = self.changes.binary_search_by(|change| change.path.cmp(path)).ok()?;
        self.changes.get(index)
    }

    /// What the commits say of a file with this content.
    pub fn age(&self, path: &NotePath, blob: &BlobId) -> Age {
        self.get(path).map_or(Age::NotCommitted, |change| change.age(blob))
    }
}

impl History {
    /// Finds our ids of contents that git names otherwise.
    fn name_blobs(&mut self, git: &Git, known: Option<&History>) -> Result<(), GitError> {
        let mut wanted = Vec::new();
        for change in self.changes.iter_mut().filter(|change| change.blob.is_none()) {
            let known = known.and_then(|known| known.get(&change.path));
            change.blob = known.filter(|k| k.object == change.object).and_then(|k| k.blob);
            if change.blob.is_none() {
                wanted.push(change.object);
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let named = own_ids::own_ids(git, &wanted)?;
        for change in self.changes.iter_mut().filter(|change| change.blob.is_none()) {
            change.blob = named.get(&change.object).copied();
        }
        Ok(())
    }
}

impl Change {
    /// What is said of a file at this path with this content.
    pub fn age(&self, blob: &BlobId) -> Age {
        match (self.blob, self.made) {
            (Some(own), _) if own != *blob => Age::NotCommitted,
            (Some(_), Some(made)) => Age::Committed(made),
            (None, _) | (_, None) => Age::Unknown,
        }
    }
}

/// What decides what a history can tell, besides HEAD: which files are notes, and where a shallow
/// clone ends.
pub fn coverage(git: &Git, selection: &Selection) -> String {
    let shallow = fs::read(git.common_dir().join("shallow")).map(|bytes| BlobId::of(&bytes));
    // A function lies elsewhere in each program, in many a one at each start.
    let Selection { roots, extensions, apart, is_key: _ } = selection;
    format!("{roots:?} {extensions:?} {apart:?} {:?}", shallow.ok())
}

/// The history at `head`, built upon `base` where that belongs to an ancestor of `head` and
/// covers the same, and what kept it from being whole, if anything.
pub fn history(
    git: &Git,
    head: CommitId,
    selection: &Selection,
    base: Option<&History>,
) -> (History, Option<GitError>) {
    let coverage = coverage(git, selection);
    let base = base.filter(|base| base.coverage == coverage);
    let (files, from) = rayon::join(
        || files_at(git, head, selection),
        || base.filter(|base| base.head.is_some_and(|old| leads_to(git, old, head))),
    );
    let mut history = History { head: Some(head), coverage, complete: false, changes: Vec::new() };
    let files = match files {
        Ok(files) => files,
        Err(cause) => return (history, Some(cause)),
    };
    let shallow = shallow_commits(git);
    let folders = folders(selection);
    if let Some(base) = from {
        let (fold, failure) = read_log(git, base.head, head, files.clone(), &shallow, &folders);
        if failure.is_none() {
            let (changes, lost) = fold.finish(|path| base.get(path));
            // A merge that took up again what lay before `base`: start anew. What was cut short
            // before would only be cut short again.
            if !lost || !base.complete {
                history.changes = changes;
                history.complete = base.complete;
                let failure = history.name_blobs(git, Some(base)).err();
                return (history, failure);
            }
        }
    }
    let (fold, failure) = read_log(git, None, head, files, &shallow, &folders);
    history.complete = failure.is_none();
    (history.changes, _) = fold.finish(|_| None);
    let failure = failure.or(history.name_blobs(git, base).err());
    (history, failure)
}

/// Folds the log from `head` back to what `from` knows. When git fails or takes too long, what was
/// read by then stands.
fn read_log(
    git: &Git,
    from: Option<CommitId>,
    head: CommitId,
    files: Vec<(NotePath, ObjectId)>,
    shallow: &FxHashSet<CommitId>,
    folders: &[OsString],
) -> (Fold, Option<GitError>) {
    let mut fold = Fold::new(files);
    let range = match from {
        Some(from) => format!("{from}..{head}"),
        None => head.to_string(),
    };
    let mut arguments: Vec<&OsStr> = log::ARGUMENTS.iter().map(OsStr::new).collect();
    arguments.extend([OsStr::new(&range), OsStr::new("--")]);
    arguments.extend(folders.iter().map(OsString::as_os_str));
    let mut parser = Parser::default();
    let mut odd = false;
    let mut take = |commit: log::Logged| shallow.contains(&commit.id) || fold.take(&commit);
    let mut more = true;
    let streamed = git.stream(&arguments, b"", &mut |bytes| {
        more = parser.feed(bytes, &mut take).unwrap_or_else(|log::Odd| {
            odd = true;
            false
        });
        more
    });
    let failure = match streamed {
        Err(cause) => Some(cause),
        Ok(()) if odd => Some(GitError::Odd("an odd line in `git log`".to_owned())),
        Ok(()) => {
            if more && let Some(last) = parser.finish() {
                take(last);
            }
            None
        }
    };
    (fold, failure)
}

/// The folders to which the log can be limited, as git is asked for them; none for all of the
/// repository. A large repository with few notes is then read in less than half the time, but what
/// came from elsewhere is taken for new.
fn folders(selection: &Selection) -> Vec<OsString> {
    let mut folders = Vec::new();
    for root in selection.roots.iter().map(|root| plain(root)) {
        if root.as_os_str().is_empty() {
            return Vec::new();
        }
        let mut folder = OsString::from(":(top,literal)");
        folder.push(root);
        folders.push(folder);
    }
    folders
}

/// The selected regular files of a commit.
fn files_at(
    git: &Git,
    commit: CommitId,
    selection: &Selection,
) -> Result<Vec<(NotePath, ObjectId)>, GitError> {
    let commit = commit.to_string();
    let listed = git.run(&["ls-tree", "-r", "-z", "--full-tree", &commit])?;
    let mut files = Vec::new();
    for entry in listed.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()) {
        let (object, path) = regular_file(entry)
            .ok_or_else(|| GitError::Odd(String::from_utf8_lossy(entry).into_owned()))?;
        if let Some(object) = object
            && is_selected(path, selection)
        {
            files.push((NotePath::new(path), object));
        }
    }
    Ok(files)
}

/// `<mode> <type> <id>\t<path>`: the path, and the id if it is that of a regular file.
fn regular_file(entry: &[u8]) -> Option<(Option<ObjectId>, &[u8])> {
    let tab = entry.iter().position(|&byte| byte == b'\t')?;
    let (facts, path) = (&entry[..tab], &entry[tab + 1..]);
    let mut words = facts.split(|&byte| byte == b' ');
    let (mode, _) = (words.next()?, words.next()?);
    let object = ObjectId::from_hex(words.next()?)?;
    Some((mode.starts_with(b"100").then_some(object), path))
}

fn is_selected(path: &[u8], selection: &Selection) -> bool {
    let path = NotePath::new(path);
    let path = path.as_path();
    selection.is_markdown(path) && selection.roots.iter().any(|root| path.starts_with(plain(root)))
}

/// A root as git would have it: without `.`.
fn plain(root: &Path) -> PathBuf {
    root.components().filter(|part| *part != Component::CurDir).collect()
}

fn leads_to(git: &Git, old: CommitId, new: CommitId) -> bool {
    old == new || git.is_part_of(&old, &new).unwrap_or(false)
}

impl Git {
    /// Whether this clone holds the newest commits alone.
    pub fn is_shallow(&self) -> bool {
        !shallow_commits(self).is_empty()
    }
}

/// The commits at which a shallow clone ends.
pub(crate) fn shallow_commits(git: &Git) -> FxHashSet<CommitId> {
    let text = fs::read(git.common_dir().join("shallow")).unwrap_or_default();
    text.split(|&byte| byte == b'\n').filter_map(ObjectId::from_hex).collect()
}
