//! Where the knowledge base is: its root, and the git directories beside it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

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

    /// Folder of the vectors that were embedded on this machine.
    pub fn vectors_dir(&self) -> PathBuf {
        self.local_dir().join("vectors")
    }

    /// Folder of the committed vector tables.
    pub fn tables_dir(&self) -> PathBuf {
        self.root.join(".elophanto").join("index")
    }

    /// The repository's own settings.
    pub fn config_file(&self) -> PathBuf {
        self.root.join(".elophanto").join("config.yaml")
    }
}

/// Why no knowledge base was found.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    #[error("`{}` is in no git repository and in no initialised folder", start.display())]
    Nowhere { start: PathBuf },
    #[error("`{}` is a bare repository: it has no files to read", path.display())]
    Bare { path: PathBuf },
    #[error("`{}` points to a git directory that cannot be used: {cause}", path.display())]
    BadGitFile { path: PathBuf, cause: String },
    #[error("cannot look into `{}`: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
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
        .map_err(|cause| LocateError::Unreadable { path: start.to_owned(), cause })?;
    let mut plain = None;
    for folder in start.ancestors() {
        let dot_git = folder.join(".git");
        if let Ok(kind) = fs::symlink_metadata(&dot_git) {
            if kind.is_file() {
                let git_dir = follow_git_file(&dot_git)?;
                return Ok(in_git(folder, git_dir));
            }
            if dot_git.join("HEAD").exists() {
                return Ok(in_git(folder, dot_git));
            }
        }
        if looks_bare(folder) {
            return Err(LocateError::Bare { path: folder.to_owned() });
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

fn in_git(root: &Path, git_dir: PathBuf) -> Repository {
    // A linked work tree names the shared directory in a file of one line.
    let common_dir = fs::read_to_string(git_dir.join("commondir"))
        .map(|line| git_dir.join(line.trim_end_matches(['\n', '\r'])))
        .ok()
        .and_then(|path| fs::canonicalize(path).ok())
        .unwrap_or_else(|| git_dir.clone());
    Repository { root: root.to_owned(), git_dir: Some(git_dir), common_dir: Some(common_dir) }
}

fn follow_git_file(path: &Path) -> Result<PathBuf, LocateError> {
    let bad = |cause: String| LocateError::BadGitFile { path: path.to_owned(), cause };
    let text = fs::read_to_string(path).map_err(|cause| bad(cause.to_string()))?;
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

fn looks_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}
