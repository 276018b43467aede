//! What git tracks below a folder.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    path::Path,
};

use super::{
    super::{NotePath, Repository},
    Git, GitError,
};

/// Names directly below `folder` (relative to the root) that git tracks: in its index or in HEAD.
///
/// Outside git nothing is tracked.
///
/// # Errors
/// When neither libgit2 nor the git program can read the repository.
pub fn tracked_under(
    repository: &Repository,
    folder: &str,
) -> Result<BTreeSet<NotePath>, GitError> {
    let Some(git) = Git::of(repository) else { return Ok(BTreeSet::new()) };
    match by_library(&git.git_dir, folder) {
        Ok(names) => Ok(names),
        Err(_) => by_program(&git, folder),
    }
}

/// Whether git tracks a file (relative to the root): in its index or in HEAD.
///
/// # Errors
/// When neither libgit2 nor the git program can read the repository.
pub fn is_tracked(repository: &Repository, path: &Path) -> Result<bool, GitError> {
    let Some(git) = Git::of(repository) else { return Ok(false) };
    let by_library = || -> Result<bool, git2::Error> {
        let repository = git2::Repository::open_bare(&git.git_dir)?;
        if repository.index()?.get_path(path, 0).is_some() {
            return Ok(true);
        }
        let Ok(head) = repository.head() else { return Ok(false) };
        Ok(head.peel_to_tree()?.get_path(path).is_ok())
    };
    if let Ok(tracked) = by_library() {
        return Ok(tracked);
    }
    let listed =
        git.run(&[OsStr::new("ls-files"), OsStr::new("-z"), OsStr::new("--"), path.as_os_str()])?;
    // No commit yet is an answer, not a failure: then only the index counts.
    let arguments = ["ls-tree", "-r", "-z", "--name-only", "HEAD", "--"].map(OsStr::new);
    let committed = git.run(&[&arguments[..], &[path.as_os_str()]].concat()).unwrap_or_default();
    Ok(!listed.is_empty() || !committed.is_empty())
}

/// Whether nothing may be added to a file of records (relative to the root) any more: git tracks it, or a git
/// has the index to itself, as `git commit --all` has while its editor is open, and may have staged it there.
///
/// # Errors
/// Those of [`is_tracked`].
pub fn is_closed(repository: &Repository, path: &Path) -> Result<bool, GitError> {
    let is_locked = Git::of(repository).is_some_and(|git| git.index_is_locked());
    Ok(is_locked || is_tracked(repository, path)?)
}

impl Git {
    /// Whether anything was ever checked out here: `git clone --no-checkout` leaves that for later.
    pub fn is_checked_out(&self) -> bool {
        self.git_dir.join("index").exists()
    }

    /// Files at or below a place (relative to the root) that git tracks and that are not checked out: a sparse
    /// work tree leaves them out, or nothing is yet.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn left_out(&self, place: &Path) -> Result<Vec<NotePath>, GitError> {
        if !self.is_checked_out() {
            let arguments = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", "--"];
            let arguments = arguments.map(OsStr::new);
            // The top has no name that git takes.
            let place = if place.as_os_str().is_empty() { Path::new(".") } else { place };
            // No commit yet is an answer, not a failure.
            let listed = self.run(&[&arguments[..], &[place.as_os_str()]].concat());
            let listed = listed.unwrap_or_default();
            let paths = listed.split(|&byte| byte == 0).filter(|path| !path.is_empty());
            return Ok(paths.map(NotePath::new).collect());
        }
        if !self.git_dir.join("info/sparse-checkout").exists() {
            return Ok(Vec::new());
        }
        let mut pattern = OsString::from(":(top,literal)");
        pattern.push(place);
        let arguments = ["ls-files", "-t", "-z", "--"].map(OsStr::new);
        let listed = self.run(&[&arguments[..], &[pattern.as_os_str()]].concat())?;
        let left_out = listed.split(|&byte| byte == 0).filter_map(|line| line.strip_prefix(b"S "));
        Ok(left_out.map(NotePath::new).collect())
    }
}

fn by_library(git_dir: &Path, folder: &str) -> Result<BTreeSet<NotePath>, git2::Error> {
    let mut names = BTreeSet::new();
    let repository = git2::Repository::open_bare(git_dir)?;
    let prefix = format!("{folder}/");
    for entry in repository.index()?.iter() {
        names.extend(first_component(&entry.path, prefix.as_bytes()));
    }
    if let Ok(head) = repository.head() {
        let tree = head.peel_to_tree()?;
        if let Ok(entry) = tree.get_path(Path::new(folder)) {
            let object = entry.to_object(&repository)?;
            if let Some(tree) = object.as_tree() {
                names.extend(tree.iter().map(|entry| NotePath::new(entry.name_bytes())));
            }
        }
    }
    Ok(names)
}

fn by_program(git: &Git, folder: &str) -> Result<BTreeSet<NotePath>, GitError> {
    let prefix = format!("{folder}/");
    let mut names = BTreeSet::new();
    let listed = git.run(&["ls-files", "-z", "--", folder])?;
    // No commit yet is an answer, not a failure: then only the index counts.
    let committed =
        git.run(&["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", folder]).unwrap_or_default();
    for output in [listed, committed] {
        for path in output.split(|&byte| byte == 0) {
            names.extend(first_component(path, prefix.as_bytes()));
        }
    }
    Ok(names)
}

fn first_component(path: &[u8], prefix: &[u8]) -> Option<NotePath> {
    let rest = path.strip_prefix(prefix)?;
    rest.split(|&byte| byte == b'/').next().filter(|name| !name.is_empty()).map(NotePath::new)
}
