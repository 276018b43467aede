//! Questions to git: libgit2 where it can open the repository, else the git program.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

use super::{NotePath, Repository};

/// Git could not answer.
#[derive(Debug, thiserror::Error)]
#[error("git cannot list the tracked files: {0}")]
pub struct GitError(String);

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
    let Some(git_dir) = &repository.git_dir else { return Ok(BTreeSet::new()) };
    match by_library(git_dir, folder) {
        Ok(names) => Ok(names),
        Err(_) => by_program(&repository.root, folder),
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

fn by_program(root: &Path, folder: &str) -> Result<BTreeSet<NotePath>, GitError> {
    let prefix = format!("{folder}/");
    let mut names = BTreeSet::new();
    let listed = run(root, &["ls-files", "-z", "--", folder])?;
    // No commit yet is an answer, not a failure: then only the index counts.
    let committed =
        run(root, &["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", folder]).unwrap_or_default();
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

/// Runs the git program with everything switched off that a repository could use to run code.
fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = Command::new("git")
        .current_dir(root)
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_CONFIG_COUNT", "3")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", "false")
        .env("GIT_CONFIG_KEY_1", "safe.bareRepository")
        .env("GIT_CONFIG_VALUE_1", "explicit")
        .env("GIT_CONFIG_KEY_2", "protocol.ext.allow")
        .env("GIT_CONFIG_VALUE_2", "never")
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| GitError(format!("cannot run git: {cause}")))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(GitError(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}
