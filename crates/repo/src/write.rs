//! Writing a file of ours: beneath the root, as a whole or not at all.

use std::{
    io,
    path::{Path, PathBuf},
};

use elophanto_base::{
    beneath::{Folder, Refusal, refusal},
    shell::quoted,
};

pub use elophanto_base::beneath::TEMPORARY;

use super::{Git, GitError, Repository, locate};

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A link is in the way.
    #[error("`{}` cannot be written: {refusal}", path.display())]
    Outside { path: PathBuf, refusal: Refusal },
    #[error("`{}` cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// Its content is in git alone, as all of the work tree where that is empty, and would be gone with the next
    /// commit.
    #[error(
        "`{}` is committed but not checked out here: {}", path.display(), brought(path, *is_empty)
    )]
    LeftOut { path: PathBuf, is_empty: bool },
    #[error("`{}` cannot be written: {source}", path.display())]
    Git { path: PathBuf, source: GitError },
}

impl Repository {
    /// Refuses to make a file (relative to the root) that git tracks and that is not checked out, or a folder
    /// that holds some.
    ///
    /// # Errors
    /// [`WriteError::LeftOut`], or when git cannot be asked.
    pub fn refuse_left_out(&self, path: &Path) -> Result<(), WriteError> {
        let Some(git) = Git::of(self) else { return Ok(()) };
        let left_out = git
            .left_out(path)
            .map_err(|cause| WriteError::Git { path: path.to_owned(), source: cause })?;
        match left_out.first() {
            Some(first) => {
                let (path, is_empty) = (first.as_path().to_owned(), !git.is_checked_out());
                Err(WriteError::LeftOut { path, is_empty })
            }
            None => Ok(()),
        }
    }
}

/// Writes a file below the root; a file that is there keeps its rights.
///
/// # Errors
/// When it cannot be written, a link is in the way, or git tracks it and a sparse work tree leaves it out.
pub fn write_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = Folder::open(root).map_err(|cause| failed(path, cause))?;
    if !folder.exists(path) {
        refuse_left_out(root, path)?;
    }
    folder.write(path, bytes).map_err(|cause| failed(path, cause))
}

/// Writes a file below the root where there is none; whoever comes second finds that out.
///
/// # Errors
/// As [`write_beneath`]; with [`io::ErrorKind::AlreadyExists`] when there is something.
pub fn write_new_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    refuse_left_out(root, path)?;
    let written = Folder::open(root).and_then(|root| root.write_new(path, bytes));
    written.map_err(|cause| failed(path, cause))
}

/// Removes a file below the root; none is fine.
///
/// # Errors
/// When it cannot be removed, or a link is in the way.
pub fn remove_beneath(root: &Path, path: &Path) -> Result<(), WriteError> {
    match Folder::open(root).and_then(|root| root.remove(path)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(|cause| failed(path, cause)),
    }
}

fn refuse_left_out(root: &Path, path: &Path) -> Result<(), WriteError> {
    let (Ok(repository), Ok(root)) = (locate(root), root.canonicalize()) else { return Ok(()) };
    match root.strip_prefix(&repository.root) {
        Ok(below) => repository.refuse_left_out(&below.join(path)),
        Err(_) => Ok(()),
    }
}

/// What checks a file out: its folder with it, but at the top of the work tree.
fn brought(path: &Path, is_empty: bool) -> String {
    if is_empty {
        return "`git checkout` brings all that is".to_owned();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(path);
    format!("`git sparse-checkout add {}` brings it", quoted(&folder.to_string_lossy()))
}

fn failed(path: &Path, cause: io::Error) -> WriteError {
    let path = path.to_owned();
    match refusal(&cause) {
        Some(refusal @ Refusal::Link(_)) => WriteError::Outside { path, refusal: refusal.clone() },
        _ => WriteError::Io { path, source: cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_brings_a_file_is_no_other_command() {
        for (path, word) in [
            ("a.md", "a.md"),
            ("knowledge/system/a.md", "knowledge/system"),
            ("a;id/$(id) x/a.md", "'a;id/$(id) x'"),
        ] {
            let said = WriteError::LeftOut { path: path.into(), is_empty: false }.to_string();
            let command = format!("`git sparse-checkout add {word}` brings it");
            assert!(said.ends_with(&command), "{said}");
        }
    }
}
