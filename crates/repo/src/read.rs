//! Reading one note: beneath the root, regular files only, bounded.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
};

use super::{FileStat, NotePath};
use elophanto_base::beneath::{Folder, Refusal, refusal};

/// Why a note could not be read. None of these stops the others.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{0}")]
    Io(#[source] io::Error),
    #[error("not a regular file")]
    NotRegular,
    #[error("leads out of the repository through a symbolic link")]
    Outside,
    #[error("{size} bytes, over the limit of {limit} (knowledge.max_file_bytes)")]
    TooLarge { size: u64, limit: u64 },
}

impl From<io::Error> for ReadError {
    fn from(cause: io::Error) -> Self {
        match refusal(&cause) {
            Some(Refusal::NotAFile) => Self::NotRegular,
            Some(Refusal::Link(_) | Refusal::Outside { .. }) => Self::Outside,
            _ => Self::Io(cause),
        }
    }
}

impl ReadError {
    /// Whether something else stood where the file was to be, or a folder above it.
    pub fn is_elsewhere(&self) -> bool {
        match self {
            Self::Io(cause) => cause.kind() == io::ErrorKind::NotADirectory,
            Self::Outside | Self::NotRegular => true,
            Self::TooLarge { .. } => false,
        }
    }

    /// Whether the file simply is not there any more.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Io(cause) if cause.kind() == io::ErrorKind::NotFound)
    }
}

/// The bytes of a note and the stat they belong to; `None` in place of the stat if the file
/// changed while it was read, so that the caller reads it again next time.
///
/// Links that a user has put between the root and the note are followed as long as they stay
/// beneath the root.
///
/// # Errors
/// See [`ReadError`]; nothing but a regular file beneath the root is ever opened for reading.
pub fn read_note(
    root: &Path,
    path: &NotePath,
    limit: u64,
) -> Result<(Vec<u8>, Option<FileStat>), ReadError> {
    let (mut file, before) = open_regular(root, path.as_path())?;
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

/// The bytes of a note; `None` if it is not there.
///
/// # Errors
/// As [`read_note`], but for that.
pub fn read_if_there(
    root: &Path,
    path: &NotePath,
    limit: u64,
) -> Result<Option<Vec<u8>>, ReadError> {
    match read_note(root, path, limit) {
        Err(cause) if cause.is_gone() => Ok(None),
        read => read.map(|(bytes, _)| Some(bytes)),
    }
}

fn open_regular(root: &Path, path: &Path) -> Result<(File, Metadata), ReadError> {
    let top = Folder::open(root)?;
    match top.read(path) {
        Err(cause) => match refusal(&cause) {
            Some(Refusal::Link(link)) if link == path => Err(ReadError::NotRegular),
            Some(Refusal::Link(_)) => {
                let folder = top.resolve(path.parent().unwrap_or(Path::new("")))?;
                Ok(top.read(&folder.join(path.file_name().unwrap_or_default()))?)
            }
            _ => Err(cause.into()),
        },
        opened => Ok(opened?),
    }
}
