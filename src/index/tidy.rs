//! Removing local data that is no longer needed. Everything here is made again when it is.

use std::{fs, io, path::Path};

use super::{Context, version::past_dir};
use crate::store::view;

/// What was removed, or would be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tidied {
    pub files: usize,
    pub bytes: u64,
}

/// Removes what was kept of versions other than the work tree, and what killed runs left.
///
/// # Errors
/// When something is there and cannot be removed.
pub fn tidy(context: &Context, dry: bool) -> io::Result<Tidied> {
    let mut tidied = Tidied::default();
    let past = past_dir(context);
    // Nobody is adding to it while it goes.
    let lock = if past.exists() { view::write_lock(&past, None).ok() } else { None };
    count(&past, &mut tidied)?;
    if !dry && past.exists() {
        fs::remove_dir_all(&past)?;
    }
    drop(lock);
    Ok(tidied)
}

fn count(folder: &Path, tidied: &mut Tidied) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(folder).follow_links(false) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => {
                tidied.files += 1;
                tidied.bytes += entry.metadata().map_or(0, |metadata| metadata.len());
            }
            Ok(_) => {}
            Err(cause) if cause.io_error().is_some_and(is_gone) => {}
            Err(cause) => return Err(cause.into()),
        }
    }
    Ok(())
}

fn is_gone(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::NotFound
}
