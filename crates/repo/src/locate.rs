//! Where the knowledge base is: its root, and the git directories beside it.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::owner::is_used_by_git;
use elophanto_base::regular::follow;

/// Longest path that a file of git may name, in bytes.
const MOST_OF_A_PATH: u64 = 8 * 1024;

/// A knowledge base on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Top of the work tree, or the folder that holds `.elophanto` where there is no git.
    pub root: PathBuf,
    /// Git directory of this work tree (`.git`, or what a `.git` file points to).
    pub git_dir: Option<PathBuf>,
    /// Git directory that all work trees share.
    pub common_dir: Option<PathBuf>,
}

impl Repository {
    /// Folder of the derived search view: private to this work tree, never committed.
    pub fn view_dir(&self) -> PathBuf {
        match &self.git_dir {
            Some(git_dir) => git_dir.join("elophanto").join("view"),
            None => self.local_dir().join("view"),
        }
    }

    /// Folder of what is local to this machine but shared by all work trees.
    pub fn local_dir(&self) -> PathBuf {
        match &self.common_dir {
            Some(common_dir) => common_dir.join("elophanto"),
            None => self.root.join(".elophanto").join("cache"),
        }
    }

    /// The folder without which there is no repository any more.
    pub fn home(&self) -> &Path {
        self.common_dir.as_deref().unwrap_or(&self.root)
    }

    /// Folder of the runs that are at work in this work tree: each has one at a time.
    pub fn runs_dir(&self) -> PathBuf {
        match &self.git_dir {
            Some(git_dir) => git_dir.join("elophanto").join("runs"),
            None => self.local_dir().join("runs"),
        }
    }

    /// Folder of what commands left in the work tree and git is not to find there.
    pub fn aside_dir(&self) -> PathBuf {
        self.local_dir().join("aside")
    }

    /// Folder of the vectors that were embedded on this machine.
    pub fn vectors_dir(&self) -> PathBuf {
        self.local_dir().join("vectors")
    }

    /// Folder of the committed vector tables.
    pub fn tables_dir(&self) -> PathBuf {
        self.root.join(".elophanto").join("index")
    }
}

/// Why no knowledge base was found.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    #[error("`{}` is in no git repository and in no initialised folder", start.display())]
    Nowhere { start: PathBuf },
    #[error("`{}` is a bare repository: it has no files to read", path.display())]
    Bare { path: PathBuf },
    #[error("`{}` is the folder of git itself: the notes lie beside it", path.display())]
    OfGit { path: PathBuf },
    #[error("`{}` points to a git directory that cannot be used: {cause}", path.display())]
    BadGitFile { path: PathBuf, cause: String },
    #[error("`{}` is not a regular file", path.display())]
    NoFile { path: PathBuf },
    #[error("`{}` is a git repository of somebody else, and git refuses to use it", path.display())]
    NotOwn { path: PathBuf },
    #[error("cannot look into `{}`: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

/// Finds the knowledge base that holds `start`: the innermost git work tree, else the innermost
/// folder with `.elophanto` in it.
///
/// The `.git` entry is read here rather than through libgit2: it costs a search nothing, and it
/// works for repository formats that libgit2 refuses.
///
/// # Errors
/// [`LocateError`] says which of the places was unusable.
pub fn locate(start: &Path) -> Result<Repository, LocateError> {
    let start = fs::canonicalize(start)
        .map_err(|cause| LocateError::Unreadable { path: start.to_owned(), source: cause })?;
    let mut plain = None;
    for folder in start.ancestors() {
        let dot_git = folder.join(".git");
        if let Ok(kind) = fs::symlink_metadata(&dot_git) {
            if kind.is_file() {
                let git_dir = follow_git_file(&dot_git)?;
                return in_git(folder, &dot_git, git_dir);
            }
            if dot_git.join("HEAD").exists() {
                return in_git(folder, &dot_git, dot_git.clone());
            }
        }
        if looks_bare(folder) {
            let path = folder.to_owned();
            let is_of_git = folder.ends_with(".git");
            return Err(if is_of_git {
                LocateError::OfGit { path }
            } else {
                LocateError::Bare { path }
            });
        }
        if plain.is_none() && folder.join(".elophanto").is_dir() {
            plain = Some(folder.to_owned());
        }
    }
    match plain {
        Some(root) => Ok(Repository { root, git_dir: None, common_dir: None }),
        None => Err(LocateError::Nowhere { start }),
    }
}

fn in_git(root: &Path, dot_git: &Path, git_dir: PathBuf) -> Result<Repository, LocateError> {
    // Git and libgit2 would wait for the writer of a pipe for ever.
    for name in ["HEAD", "commondir", "config", "index", "info/exclude", "packed-refs"] {
        let path = git_dir.join(name);
        if fs::metadata(&path).is_ok_and(|kind| !kind.is_file()) {
            return Err(LocateError::NoFile { path });
        }
    }
    if !is_used_by_git(root, dot_git, &git_dir) {
        return Err(LocateError::NotOwn { path: root.to_owned() });
    }
    let common_dir = common_dir(&git_dir)?;
    Ok(Repository { root: root.to_owned(), git_dir: Some(git_dir), common_dir: Some(common_dir) })
}

/// The git directory that all work trees of a repository share, from the `.git` of one of them.
pub(crate) fn shared_git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    common_dir(&follow_git_file(dot_git).ok()?).ok()
}

/// A linked work tree names the shared directory in a file of one line. Git makes the one beneath
/// the other; a file that names another place would make git and us write there.
fn common_dir(git_dir: &Path) -> Result<PathBuf, LocateError> {
    let path = git_dir.join("commondir");
    let bad = |cause: String| LocateError::BadGitFile { path: path.clone(), cause };
    let line = match read_short(&path) {
        Ok(line) => line,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(git_dir.to_owned()),
        Err(cause) => return Err(bad(cause.to_string())),
    };
    let real = |path: &Path| fs::canonicalize(path).map_err(|cause| bad(cause.to_string()));
    let common_dir = real(&git_dir.join(line.trim_end_matches(['\n', '\r'])))?;
    if real(git_dir)?.starts_with(&common_dir) {
        Ok(common_dir)
    } else {
        Err(bad(format!("`{}` does not hold this one", common_dir.display())))
    }
}

fn follow_git_file(path: &Path) -> Result<PathBuf, LocateError> {
    let bad = |cause: String| LocateError::BadGitFile { path: path.to_owned(), cause };
    let text = read_short(path).map_err(|cause| bad(cause.to_string()))?;
    let target = text
        .strip_prefix("gitdir:")
        .map(str::trim)
        .ok_or_else(|| bad("no `gitdir:` line".to_owned()))?;
    let target = path.parent().unwrap_or(Path::new("/")).join(target);
    if target.join("HEAD").exists() {
        fs::canonicalize(&target).map_err(|cause| bad(cause.to_string()))
    } else {
        Err(bad(format!("`{}` is no git directory", target.display())))
    }
}

/// A file of one line that git keeps. Nothing is read that is no file, and no more than a path.
fn read_short(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    follow(path)?.take(MOST_OF_A_PATH).read_to_string(&mut text)?;
    Ok(text)
}

fn looks_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}
