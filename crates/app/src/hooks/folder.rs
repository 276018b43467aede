//! Which folder git runs hooks from.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::HookError;
use elophanto_base::platform;
use elophanto_repo::{Git, GitError, Repository};

/// A folder of hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// With links resolved, as far as it exists.
    pub path: PathBuf,
    /// Whose it is.
    pub place: Place,
}

/// Whose the folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Within the git directory: this repository's alone.
    GitDirectory,
    /// Among the files of the work tree, where other tools or the team keep hooks.
    WorkTree,
    /// Anywhere else: perhaps all repositories of this machine share it.
    Outside,
}

/// The folder that git runs the hooks of this work tree from.
///
/// # Errors
/// Where there is no git, or git does not say.
pub fn effective(repository: &Repository) -> Result<Folder, HookError> {
    let Some(git) = Git::of(repository) else {
        return Err(HookError::NoGit { root: repository.root.clone() });
    };
    Ok(match hooks_path(&git)? {
        // An empty one stands in front of a slash.
        Some(path) if path.as_os_str().is_empty() => {
            Folder { path: PathBuf::from("/"), place: Place::Outside }
        }
        // Git takes a relative one from where hooks run: the top of the work tree.
        Some(path) => placed(repository, &repository.root.join(path)),
        None => own(repository)?,
    })
}

/// The folder in the git directory, whether or not git is told to use another.
///
/// # Errors
/// Where there is no git.
pub fn own(repository: &Repository) -> Result<Folder, HookError> {
    match &repository.common_dir {
        Some(common_dir) => Ok(placed(repository, &common_dir.join("hooks"))),
        None => Err(HookError::NoGit { root: repository.root.clone() }),
    }
}

/// `core.hooksPath`, from whichever of the user's files sets it.
fn hooks_path(git: &Git) -> Result<Option<PathBuf>, GitError> {
    // Our wrapper sets it for its own safety, in the scope called `command`: that one is no answer.
    let listed =
        git.run(&["config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath"])?;
    let mut fields = listed.split(|byte| *byte == 0);
    let mut path = None;
    while let (Some(scope), Some(value)) = (fields.next(), fields.next()) {
        if scope != b"command" {
            path = Some(platform::path(value).to_owned());
        }
    }
    Ok(path)
}

fn placed(repository: &Repository, path: &Path) -> Folder {
    let Some(path) = settled(path) else {
        return Folder { path: path.to_owned(), place: Place::Outside };
    };
    let below = |folder: &Path| settled(folder).is_some_and(|folder| path.starts_with(folder));
    let shared = repository.common_dir.as_deref();
    // A linked work tree may be told, by an absolute path, to use hooks kept in the main one.
    let main_tree = shared.filter(|shared| shared.ends_with(".git")).and_then(Path::parent);
    let git_dirs = [shared, repository.git_dir.as_deref()];
    let place = if git_dirs.into_iter().flatten().any(below) {
        Place::GitDirectory
    } else if below(&repository.root) || main_tree.is_some_and(below) {
        Place::WorkTree
    } else {
        Place::Outside
    };
    Folder { path, place }
}

/// The path with links resolved as far as it exists; `None` if what does not exist climbs up.
fn settled(path: &Path) -> Option<PathBuf> {
    for above in path.ancestors() {
        if let Ok(resolved) = fs::canonicalize(above) {
            let rest = path.strip_prefix(above).ok()?;
            let plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
            // Part by part, as joining nothing would add a slash.
            return plain.then(|| resolved.iter().chain(rest).collect());
        }
    }
    None
}
