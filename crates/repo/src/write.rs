//! Writing a file of ours: beneath the root, as a whole or not at all.

use std::{
    io,
    path::{Path, PathBuf},
};

use elophanto_base::beneath::{Folder, Refusal, refusal};

pub use elophanto_base::beneath::TEMPORARY;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A link is in the way.
    #[error("`{}` cannot be written: {refusal}", path.display())]
    Outside { path: PathBuf, refusal: Refusal },
    #[error("`{}` cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Writes a file below the root; a file that is there keeps its rights.
///
/// # Errors
/// When it cannot be written, or a link is in the way.
pub fn write_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let written = Folder::open(root).and_then(|root| root.write(path, bytes));
    written.map_err(|cause| failed(path, cause))
}

/// Writes a file below the root where there is none; whoever comes second finds that out.
///
/// # Errors
/// As [`write_beneath`]; with [`io::ErrorKind::AlreadyExists`] when there is something.
pub fn write_new_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
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

fn failed(path: &Path, cause: io::Error) -> WriteError {
    let path = path.to_owned();
    match refusal(&cause) {
        Some(refusal @ Refusal::Link(_)) => WriteError::Outside { path, refusal: refusal.clone() },
        _ => WriteError::Io { path, source: cause },
    }
}
