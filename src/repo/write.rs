//! Writing a file of ours: beneath the root, as a whole or not at all.

use std::{
    fs,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// How the name of a file begins that is not whole yet.
pub const TEMPORARY: &str = ".tmp-elophanto-";

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("`{}` is a link that leads elsewhere", .0.display())]
    Outside(PathBuf),
    #[error("`{}` cannot be written: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
}

/// Writes a file below the root; a file that is there keeps its rights.
///
/// # Errors
/// When it cannot be written, or a link would lead the writing elsewhere.
pub fn write_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(root, path, bytes, true)
}

/// Writes a file below the root where there is none; whoever comes second finds that out.
///
/// # Errors
/// As [`write_beneath`]; with [`io::ErrorKind::AlreadyExists`] when there is something.
pub fn write_new_beneath(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write(root, path, bytes, false)
}

fn write(root: &Path, path: &Path, bytes: &[u8], replaces: bool) -> Result<(), WriteError> {
    let failed = |cause: io::Error| WriteError::Io { path: path.to_owned(), cause };
    let target = root.join(path);
    let folder = target.parent().unwrap_or(root);
    // Looked at before any folder is made, so that none is made elsewhere.
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(root);
    let outside = !fs::canonicalize(there).map_err(failed)?.starts_with(root)
        || fs::symlink_metadata(&target).is_ok_and(|kind| kind.is_symlink());
    if outside {
        return Err(WriteError::Outside(path.to_owned()));
    }
    let write = || {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
        file.write_all(bytes)?;
        // Records tell of what is written here: it must not be gone while they are there.
        file.as_file().sync_data()?;
        // A file of ours gets the rights any new file would get; one of the user's keeps its own.
        let permissions = match fs::metadata(&target) {
            Ok(metadata) => metadata.permissions(),
            Err(_) => PermissionsExt::from_mode(0o644),
        };
        fs::set_permissions(file.path(), permissions)?;
        let kept = if replaces { file.persist(&target) } else { file.persist_noclobber(&target) };
        kept.map_err(|failed| failed.error)?;
        Ok(())
    };
    write().map_err(failed)
}
