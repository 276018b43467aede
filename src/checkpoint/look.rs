//! Looking at one path: what there is, without following a link on the way or at the end.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Component, Path},
};

use super::{
    CheckpointError, MOST_FILE_BYTES,
    name::Name,
    state::{Digest, MODE_BITS, Opaque, State},
};

/// What there is at a path below the root.
///
/// # Errors
/// When a folder above it cannot be looked into.
pub(super) fn look(root: &Path, name: &Name) -> Result<State, CheckpointError> {
    look_and_read(root, name).map(|(state, _)| state)
}

/// The same with the bytes of a file.
///
/// # Errors
/// Those of [`look`].
pub(super) fn look_and_read(
    root: &Path,
    name: &Name,
) -> Result<(State, Option<Vec<u8>>), CheckpointError> {
    for folder in name.above().collect::<Vec<_>>().iter().rev() {
        match fs::symlink_metadata(root.join(folder.as_path())) {
            Ok(found) if found.is_dir() => {}
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(unreadable());
            }
            _ => return Ok((State::Absent, None)),
        }
    }
    let path = root.join(name.as_path());
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok((folder(&path, name, &metadata), None)),
        Ok(metadata) => read_at(&path, &metadata),
        Err(cause) if is_gone(&cause) => Ok((State::Absent, None)),
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => Ok(unreadable()),
        Err(cause) => Err(CheckpointError::io(&path, "read")(cause)),
    }
}

/// What there is at a path that is no folder, with its bytes.
///
/// # Errors
/// When the system fails in another way than by refusing.
pub(super) fn read_at(
    path: &Path,
    metadata: &Metadata,
) -> Result<(State, Option<Vec<u8>>), CheckpointError> {
    let kind = metadata.file_type();
    let read = if kind.is_symlink() {
        fs::read_link(path).map(|target| (State::Link { target: (&*target).into() }, None))
    } else if kind.is_file() {
        read_file(path)
    } else {
        return Ok((State::Opaque(Opaque::Special), None));
    };
    match read {
        Ok(found) => Ok(found),
        Err(cause) if is_gone(&cause) => Ok((State::Absent, None)),
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => Ok(unreadable()),
        Err(cause) => Err(CheckpointError::io(path, "read")(cause)),
    }
}

/// A path that a caller names, relative to the root.
///
/// # Errors
/// When it is not in the work tree, is reached through a link, or belongs to git.
pub(super) fn inside(root: &Path, path: &Path) -> Result<Name, CheckpointError> {
    let outside = || CheckpointError::Outside(path.to_owned());
    let relative = if path.is_absolute() { path.strip_prefix(root).ok() } else { Some(path) };
    let mut name = Name::default();
    for part in relative.ok_or_else(outside)?.components() {
        match part {
            Component::Normal(part) if part.eq_ignore_ascii_case(".git") => {
                return Err(CheckpointError::OfGit(path.to_owned()));
            }
            Component::Normal(part) => name = name.entry(part),
            Component::CurDir => {}
            _ => return Err(outside()),
        }
    }
    let is_link = |folder: Name| {
        fs::symlink_metadata(root.join(folder.as_path())).is_ok_and(|found| found.is_symlink())
    };
    if name.as_bytes().is_empty() || name.above().any(is_link) {
        return Err(outside());
    }
    Ok(name)
}

/// Whether everything above a path is a folder, and no link.
pub(super) fn leads_through_folders(root: &Path, name: &Name) -> bool {
    name.above().all(|folder| {
        fs::symlink_metadata(root.join(folder.as_path())).is_ok_and(|found| found.is_dir())
    })
}

/// Whether an error says that there is nothing.
pub(super) fn is_gone(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable() -> (State, Option<Vec<u8>>) {
    (State::Opaque(Opaque::Unreadable), None)
}

fn folder(path: &Path, name: &Name, metadata: &Metadata) -> State {
    // The root has a `.git` of its own.
    if !name.as_bytes().is_empty() && fs::symlink_metadata(path.join(".git")).is_ok() {
        return State::Opaque(Opaque::Nested);
    }
    State::folder(metadata)
}

fn read_file(path: &Path) -> io::Result<(State, Option<Vec<u8>>)> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok((State::Opaque(Opaque::Special), None));
    }
    if metadata.len() > MOST_FILE_BYTES {
        return Ok((State::large(&metadata), None));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(MOST_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    if size > MOST_FILE_BYTES {
        return Ok((State::large(&metadata), None));
    }
    let state = State::File { mode: metadata.mode() & MODE_BITS, size, digest: Digest::of(&bytes) };
    Ok((state, Some(bytes)))
}
