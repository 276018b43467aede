//! The unit files of a job in systemd's folder: reading, writing as a whole, removing.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{MAX_ENTRIES, MAX_FILE_BYTES, Place, ScheduleError, job::Job, systemd};
use elophanto_base::{
    platform,
    regular::{careful, if_there, read_capped},
    whole::{Synced, write_whole},
};

/// What lies in the folder of the two files of a job.
#[derive(Debug, Default, Clone)]
pub(super) struct Units {
    pub service: Option<Vec<u8>>,
    pub timer: Option<Vec<u8>>,
}

impl Units {
    /// The job that both stand for. Without a timer there is none: nothing starts the service.
    pub(super) fn job(&self) -> Option<Job> {
        systemd::parse(self.service.as_ref()?, self.timer.as_ref()?)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.service.is_none() && self.timer.is_none()
    }
}

/// Reads both files of a unit.
///
/// # Errors
/// When one cannot be read, is no plain file, or was not written by us.
pub(super) fn read(folder: &Path, unit: &str) -> Result<Units, ScheduleError> {
    Ok(Units {
        service: read_ours(&service(folder, unit))?,
        timer: read_ours(&timer(folder, unit))?,
    })
}

/// A file of ours, if it is there.
///
/// # Errors
/// When it cannot be read, is no plain file, or was not written by us.
pub(super) fn read_ours(path: &Path) -> Result<Option<Vec<u8>>, ScheduleError> {
    if !path.parent().map_or(Ok(false), is_folder)? {
        return Ok(None);
    }
    match read_file(path)? {
        Some(bytes) if !systemd::is_ours(&bytes) => {
            Err(ScheduleError::Unclear(Place::Unit { path: path.to_owned() }))
        }
        bytes => Ok(bytes),
    }
}

/// Makes a service that no timer starts what it is to be; `None` removes it.
pub(super) fn put_one(
    folder: &Path,
    unit: &str,
    bytes: Option<&[u8]>,
) -> Result<(), ScheduleError> {
    let path = service(folder, unit);
    match bytes {
        Some(bytes) => {
            make(folder)?;
            put(&path, bytes)
        }
        None => remove(&path),
    }
}

/// Makes the two files what they are to be; `None` removes one. Where this ends early, no timer is
/// left without its service.
pub(super) fn write(folder: &Path, unit: &str, units: &Units) -> Result<(), ScheduleError> {
    let (service, timer) = (service(folder, unit), timer(folder, unit));
    if !units.is_empty() {
        make(folder)?;
    }
    if units.timer.is_none() {
        remove(&timer)?;
    }
    match &units.service {
        Some(bytes) => put(&service, bytes)?,
        None => remove(&service)?,
    }
    units.timer.as_ref().map_or(Ok(()), |bytes| put(&timer, bytes))
}

fn make(folder: &Path) -> Result<(), ScheduleError> {
    let failed = |cause| ScheduleError::Io { path: folder.to_owned(), source: cause };
    platform::make_folders(folder, 0o755).map_err(failed)?;
    is_folder(folder).map(drop)
}

/// Names of all units that by their name are ours, sorted.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, ScheduleError> {
    if !is_folder(folder)? {
        return Ok(Vec::new());
    }
    let failed = |cause| ScheduleError::Io { path: folder.to_owned(), source: cause };
    let mut names = Vec::new();
    for (count, entry) in fs::read_dir(folder).map_err(failed)?.enumerate() {
        if count == MAX_ENTRIES {
            let what = format!("`{}`", folder.display());
            return Err(ScheduleError::TooMuch { what, cap: MAX_ENTRIES, unit: "entries" });
        }
        let name = entry.map_err(failed)?.file_name();
        let unit = name.to_str().and_then(|name| name.strip_suffix(".timer"));
        names.extend(unit.filter(|unit| systemd::is_unit_name(unit)).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Path of the timer.
pub(super) fn timer(folder: &Path, unit: &str) -> PathBuf {
    folder.join(format!("{unit}.timer"))
}

pub(super) fn service(folder: &Path, unit: &str) -> PathBuf {
    folder.join(format!("{unit}.service"))
}

/// Whether the folder is there. A link in its place is refused: it may lead into a repository.
fn is_folder(folder: &Path) -> Result<bool, ScheduleError> {
    match fs::symlink_metadata(folder) {
        Ok(kind) if kind.is_dir() => Ok(true),
        Ok(_) => Err(ScheduleError::Odd { path: folder.to_owned(), expected: "folder" }),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(ScheduleError::Io { path: folder.to_owned(), source: cause }),
    }
}

fn read_file(path: &Path) -> Result<Option<Vec<u8>>, ScheduleError> {
    let failed = |cause| ScheduleError::Io { path: path.to_owned(), source: cause };
    let odd = || ScheduleError::Odd { path: path.to_owned(), expected: "file" };
    let file = match careful().read(true).open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A link, or a socket.
        Err(_) if path.symlink_metadata().is_ok_and(|found| !found.is_file()) => return Err(odd()),
        Err(cause) => return Err(failed(cause)),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(odd());
    }
    let too_much = || {
        let what = format!("`{}`", path.display());
        ScheduleError::TooMuch { what, cap: MAX_FILE_BYTES, unit: "bytes" }
    };
    read_capped(file, MAX_FILE_BYTES as u64).map_err(failed)?.ok_or_else(too_much).map(Some)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), ScheduleError> {
    let failed = |cause| ScheduleError::Io { path: path.to_owned(), source: cause };
    write_whole(path, bytes, 0o644, Synced::Content).map_err(failed)
}

fn remove(path: &Path) -> Result<(), ScheduleError> {
    if_there(fs::remove_file(path))
        .map(drop)
        .map_err(|cause| ScheduleError::Io { path: path.to_owned(), source: cause })
}
