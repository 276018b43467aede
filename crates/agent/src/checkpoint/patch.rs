//! What a run changed, as a patch that `git apply` takes: from what each path was before the run to
//! what the run left there, whatever became of it since.
//!
//! Contents from before are in the checkpoint. What the run left is looked for by its digest: in the
//! work tree, in the checkpoints of later runs (an undo keeps what it takes away), in the commits of
//! the run. Files that hold keys are left out: git is never given what is in them.

use std::{collections::BTreeMap, path::PathBuf};

use super::{
    CheckpointError, Checkpoints, MOST_FILE_BYTES, Result,
    git_calls::{Contents, odd},
    look::look_and_read,
    name::Name,
    private::is_private,
    record::{Move, Net},
    seal,
    state::{Digest, State},
};
use elophanto_repo::{CommitId, Git, GitError, NotePath, ObjectId};

/// Vectors go along with commits, and are made anew where the patch is applied.
const TABLES: &str = ".elophanto/index";
/// Any right to execute makes a file executable for git.
const EXECUTABLE: u32 = 0o111;

/// A patch of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// What `git apply` takes; empty if there is nothing to apply.
    pub bytes: Vec<u8>,
    /// Paths in it.
    pub files: usize,
    /// What the run changed and the patch does not.
    pub left_out: Vec<Unpatched>,
}

/// A path that is not in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpatched {
    /// Relative to the root.
    pub path: PathBuf,
    pub why: WhyUnpatched,
}

elophanto_base::named! {
    /// Why a path is not in a patch.
    pub enum WhyUnpatched, as_str {
        HoldsKeys = "holds keys",
        /// Somebody changed it since, and nobody keeps what the run left.
        Unknown = "was changed since, and what the run left is not kept",
        /// No file, or larger than what is covered.
        NotCovered = "is no file, or larger than what a checkpoint covers",
    }
}

/// What git has at a path: octal mode and content.
type Side = Option<(&'static str, ObjectId)>;

impl Checkpoints<'_> {
    /// The patch of a run that has ended; an empty one of a run that changed nothing.
    ///
    /// # Errors
    /// When git cannot give back what it holds, or write.
    pub fn patch(&self, run: &str) -> Result<Patch> {
        self.git.check_own()?;
        if !self.heads()?.iter().any(|head| head.run == run) {
            return Ok(Patch::default());
        }
        let sealed = seal::read_record(self, run)?;
        let before = seal::contents(self, run)?;
        let mut search = Search::new(*self, run, sealed.root.to_path(), &sealed.moves);
        let (mut sides, mut left_out) = (Vec::new(), Vec::new());
        for net in &sealed.changes {
            let path = net.path.as_path();
            if path.starts_with(TABLES) || is_folder(&net.was) && is_folder(&net.left) {
                continue;
            }
            let both = match is_private(self, path) {
                true => Err(WhyUnpatched::HoldsKeys),
                false => search.sides(net, &before)?,
            };
            match both {
                Ok(both) => sides.push((&net.path, both)),
                Err(why) => left_out.push(Unpatched { path: path.to_owned(), why }),
            }
        }
        let changed = sides.iter().filter(|(_, (was, left))| was != left).count();
        let bytes = if changed == 0 { Vec::new() } else { written(self.git, &sides)? };
        Ok(Patch { bytes, files: changed, left_out })
    }
}

pub(super) fn is_folder(state: &State) -> bool {
    matches!(state, State::Folder { .. } | State::Absent)
}

/// Where contents that a run left are found.
struct Search<'a> {
    at: Checkpoints<'a>,
    run: &'a str,
    root: PathBuf,
    moves: &'a [Move],
    /// Of later runs, once one was looked for there.
    later: Option<BTreeMap<Digest, ObjectId>>,
}

impl<'a> Search<'a> {
    fn new(at: Checkpoints<'a>, run: &'a str, root: PathBuf, moves: &'a [Move]) -> Self {
        Self { at, run, root, moves, later: None }
    }

    /// What git is to have of a path before the run and after it.
    fn sides(
        &mut self,
        net: &Net,
        before: &BTreeMap<Digest, ObjectId>,
    ) -> Result<Result<(Side, Side), WhyUnpatched>> {
        let was = self.side(&net.was, |_, digest| Ok(before.get(digest).copied()))?;
        let left = self.side(&net.left, |search, digest| {
            match before.get(digest) {
                // A file that was moved.
                Some(id) => Ok(Some(*id)),
                None => search.left(&net.path, digest),
            }
        })?;
        Ok(was.and_then(|was| Ok((was, left?))))
    }

    fn side(
        &mut self,
        state: &State,
        mut find: impl FnMut(&mut Self, &Digest) -> Result<Option<ObjectId>>,
    ) -> Result<Result<Side, WhyUnpatched>> {
        Ok(match state {
            State::Absent | State::Folder { .. } => Ok(None),
            State::Link { target } => {
                Ok(Some(("120000", store(self.at.git, target.as_bytes().to_vec())?)))
            }
            State::File { mode, digest, .. } => {
                let mode = if mode & EXECUTABLE == 0 { "100644" } else { "100755" };
                find(self, digest)?.map(|id| Some((mode, id))).ok_or(WhyUnpatched::Unknown)
            }
            State::Opaque(_) => Err(WhyUnpatched::NotCovered),
        })
    }

    /// A content that the run left at a path.
    fn left(&mut self, path: &Name, digest: &Digest) -> Result<Option<ObjectId>> {
        if let Ok((state, Some(bytes))) = look_and_read(&self.root, path)
            && state.digest() == Some(*digest)
        {
            return Ok(Some(store(self.at.git, bytes)?));
        }
        if let Some(id) = self.later()?.get(digest) {
            return Ok(Some(*id));
        }
        self.committed(path, digest)
    }

    /// Contents from before runs that came later: what this one left among them, if one of them
    /// changed it.
    fn later(&mut self) -> Result<&BTreeMap<Digest, ObjectId>> {
        let later = match self.later.take() {
            Some(later) => later,
            None => {
                let mut later = BTreeMap::new();
                for head in self.at.heads()?.iter().filter(|head| *head.run > *self.run) {
                    later.extend(seal::contents(&self.at, &head.run)?);
                }
                later
            }
        };
        Ok(self.later.insert(later))
    }

    /// What the run committed of a path, if it is that.
    fn committed(&self, path: &Name, digest: &Digest) -> Result<Option<ObjectId>> {
        let (objects, path) = (self.at.git.objects(), NotePath::from(path.as_path()));
        for commit in self.moves.iter().rev().filter_map(|moved| moved.new.as_ref()) {
            let commit: CommitId = commit.parse().map_err(|_| odd("the id of a commit"))?;
            // It may be collected by now.
            let Ok(found) = self.at.git.contents_at(&commit, &[&path]) else { continue };
            let Some(id) = found.into_iter().next().flatten() else { continue };
            let read = objects.read(&[&id], MOST_FILE_BYTES).pop();
            if read.is_some_and(|read| read.is_ok_and(|bytes| Digest::of(&bytes) == *digest)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }
}

/// Gives git a content.
fn store(git: &Git, bytes: Vec<u8>) -> Result<ObjectId, GitError> {
    let mut contents = Contents::new(git);
    contents.add(bytes)?;
    contents.finish()?.pop().ok_or_else(|| odd("the id of a content"))
}

/// The difference of two trees that hold these paths alone.
fn written(git: &Git, sides: &[(&Name, (Side, Side))]) -> Result<Vec<u8>> {
    let was = tree(git, sides.iter().map(|(path, (was, _))| (*path, was)))?;
    let left = tree(git, sides.iter().map(|(path, (_, left))| (*path, left)))?;
    let asked = [
        "diff-tree", "--patch", "--binary", "--full-index", "--find-renames", "--no-color",
        "--src-prefix=a/", "--dst-prefix=b/", &was, &left, "--",
    ];
    Ok(git.run(&asked)?)
}

fn tree<'s>(git: &Git, sides: impl Iterator<Item = (&'s Name, &'s Side)>) -> Result<String> {
    let mut input = Vec::new();
    for (path, side) in sides {
        let Some((mode, id)) = side else { continue };
        input.extend_from_slice(format!("{mode} {id} 0\t").as_bytes());
        input.extend_from_slice(path.as_bytes());
        input.push(0);
    }
    let folder = tempfile::tempdir_in(git.git_dir())
        .map_err(CheckpointError::io(git.git_dir(), "written"))?;
    let aside = git.clone().with_index(folder.path().join("index"));
    aside.run_with(&["update-index", "-z", "--add", "--index-info"], &input)?;
    Ok(String::from_utf8_lossy(aside.run(&["write-tree"])?.trim_ascii()).into_owned())
}
