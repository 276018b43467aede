//! Reading one note: beneath the root, regular files only, bounded.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use super::{FileStat, NotePath};

/// Why a note could not be read. None of these stops the others.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a regular file")]
    NotRegular,
    #[error("leads out of the repository through a symbolic link")]
    Outside,
    #[error("{size} bytes, over the limit of {limit} (knowledge.max_file_bytes)")]
    TooLarge { size: u64, limit: u64 },
}

impl ReadError {
    /// Whether the file simply is not there any more.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Io(cause) if cause.kind() == io::ErrorKind::NotFound)
    }
}

/// The bytes of a note and the stat they belong to; `None` in place of the stat if the file
/// changed while it was read, so that the caller reads it again next time.
///
/// `root` must be canonical.
///
/// # Errors
/// See [`ReadError`]; nothing but a regular file beneath the root is ever opened for reading.
pub fn read_note(
    root: &Path,
    path: &NotePath,
    limit: u64,
) -> Result<(Vec<u8>, Option<FileStat>), ReadError> {
    let full = path.below(root);
    let parent = full.parent().unwrap_or(root);
    if !fs::canonicalize(parent)?.starts_with(root) {
        return Err(ReadError::Outside);
    }
    let mut file = open_regular(&full)?;
    let before = file.metadata()?;
    if before.len() > limit {
        return Err(ReadError::TooLarge { size: before.len(), limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or(0) + 1);
    // A growing file is cut at the limit, never followed.
    file.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { size: bytes.len() as u64, limit });
    }
    let stat = FileStat::from(&before);
    let same = FileStat::from(&file.metadata()?) == stat && bytes.len() as u64 == stat.size;
    Ok((bytes, same.then_some(stat)))
}

fn open_regular(path: &Path) -> Result<File, ReadError> {
    // O_NONBLOCK: opening a FIFO must not wait for a writer. Neither flag matters for a regular
    // file.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(path)
        .map_err(|cause| match cause.raw_os_error() {
            Some(libc::ELOOP) => ReadError::NotRegular,
            _ => ReadError::Io(cause),
        })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(ReadError::NotRegular) }
}
