//! Looking at one path: what there is, without following a link on the way or at the end.

use std::{
    io,
    path::{Component, Path},
};

use super::{
    CheckpointError, MOST_FILE_BYTES, Result,
    name::Name,
    state::{Digest, MODE_BITS, Opaque, State},
};
use elophanto_base::{
    beneath::{Folder, Kind, Refusal, Stat, is_link, refusal},
    platform::rights,
    regular::read_capped,
};

/// What there is at a path below the root.
///
/// # Errors
/// When a folder above it cannot be looked into.
pub(super) fn look(root: &Path, name: &Name) -> Result<State> {
    look_and_read(root, name).map(|(state, _)| state)
}

/// The same with the bytes of a file.
///
/// # Errors
/// Those of [`look`].
pub(super) fn look_and_read(root: &Path, name: &Name) -> Result<(State, Option<Vec<u8>>)> {
    at(&Folder::open(root).map_err(CheckpointError::io(root, "read"))?, name)
}

/// The same from an open root.
///
/// # Errors
/// Those of [`look`].
pub(super) fn at(top: &Folder, name: &Name) -> Result<(State, Option<Vec<u8>>)> {
    match top.stat(name.as_path()) {
        Ok(Some(stat)) if stat.is_folder() => Ok((folder(top, name, &stat), None)),
        Ok(Some(stat)) => read_at(top, name, &stat),
        Ok(None) => Ok((State::Absent, None)),
        Err(cause) if is_gone(&cause) => Ok((State::Absent, None)),
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => Ok(unreadable()),
        Err(cause) => Err(CheckpointError::io(&top.path().join(name.as_path()), "read")(cause)),
    }
}

/// What there is at a path that is no folder, with its bytes.
///
/// # Errors
/// When the system fails in another way than by refusing.
pub(super) fn read_at(top: &Folder, name: &Name, stat: &Stat) -> Result<(State, Option<Vec<u8>>)> {
    let path = name.as_path();
    let read = match stat.kind {
        Kind::Link => {
            top.link(path).map(|target| (State::Link { target: (&*target).into() }, None))
        }
        Kind::File => read_file(top, path),
        _ => return Ok((State::Opaque(Opaque::Special), None)),
    };
    match read {
        Ok(found) => Ok(found),
        Err(cause) if is_gone(&cause) => Ok((State::Absent, None)),
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => Ok(unreadable()),
        Err(cause) => Err(CheckpointError::io(&top.path().join(path), "read")(cause)),
    }
}

/// A path that a caller names, relative to the root.
///
/// # Errors
/// When it is not in the work tree, is reached through a link, or belongs to git.
pub(super) fn inside(root: &Path, path: &Path) -> Result<Name> {
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
    let is_through_link = || {
        Folder::open(root).and_then(|top| top.stat(name.as_path())).is_err_and(|it| is_link(&it))
    };
    if name.as_bytes().is_empty() || is_through_link() {
        return Err(outside());
    }
    Ok(name)
}

/// Whether everything above a path is a folder, and no link.
pub(super) fn leads_through_folders(root: &Path, name: &Name) -> bool {
    let above = name.as_path().parent().unwrap_or(Path::new(""));
    Folder::open(root).and_then(|top| top.at(above)).is_ok()
}

/// Whether an error says that there is nothing, or that a link is on the way to it.
pub(super) fn is_gone(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) || is_link(cause)
}

fn unreadable() -> (State, Option<Vec<u8>>) {
    (State::Opaque(Opaque::Unreadable), None)
}

fn folder(top: &Folder, name: &Name, stat: &Stat) -> State {
    // The root has a `.git` of its own.
    if !name.as_bytes().is_empty() && top.exists(&name.as_path().join(".git")) {
        return State::Opaque(Opaque::Nested);
    }
    State::Folder { mode: stat.mode & MODE_BITS }
}

fn read_file(top: &Folder, path: &Path) -> io::Result<(State, Option<Vec<u8>>)> {
    let (file, metadata) = match top.read(path) {
        Err(cause) if refusal(&cause) == Some(&Refusal::NotAFile) => {
            return Ok((State::Opaque(Opaque::Special), None));
        }
        opened => opened?,
    };
    if metadata.len() > MOST_FILE_BYTES {
        return Ok((State::large(&metadata), None));
    }
    let Some(bytes) = read_capped(file, MOST_FILE_BYTES)? else {
        return Ok((State::large(&metadata), None));
    };
    let (size, digest) = (bytes.len() as u64, Digest::of(&bytes));
    let state = State::File { mode: rights(&metadata), size, digest };
    Ok((state, Some(bytes)))
}
