//! Files that a user names for what a run leaves: new ones, never written over.

use std::{io, path::Path};

use crate::{Error, Result};
use elophanto_base::{beneath::Folder, visible::exact_line};

/// Writes a file that is not there yet, as a whole.
///
/// # Errors
/// When there is one, or it cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let (folder, name) = place(path)?;
    Folder::open(folder)
        .and_then(|folder| folder.write_new(name, bytes))
        .map_err(|cause| unwritable(path, &cause))
}

/// Refuses a place where no file could be written: to be asked before the work is done.
///
/// # Errors
/// When something is there, or no folder that would hold it.
pub fn refuse_taken(path: &Path) -> Result<()> {
    let (folder, name) = place(path)?;
    match Folder::open(folder).map(|folder| folder.exists(name)) {
        Ok(false) => Ok(()),
        Ok(true) => Err(unwritable(path, &io::ErrorKind::AlreadyExists.into())),
        Err(cause) => Err(unwritable(path, &cause)),
    }
}

fn place(path: &Path) -> Result<(&Path, &Path)> {
    let name = path.file_name().ok_or_else(|| {
        let shown = exact_line(&path.to_string_lossy());
        Error::new(format_args!("`{shown}` cannot be written: it names no file"))
    })?;
    Ok((path.parent().unwrap_or(Path::new("")), Path::new(name)))
}

fn unwritable(path: &Path, cause: &io::Error) -> Error {
    let shown = exact_line(&path.to_string_lossy());
    let cause = match cause.kind() {
        io::ErrorKind::AlreadyExists => "there is a file of that name already".to_owned(),
        _ => cause.to_string(),
    };
    Error::new(format_args!("`{shown}` cannot be written: {cause}"))
        .hint("name a file that is not there yet, in a folder that is")
}
