//! The folders and files of one place, as they are on disk: listing them, making a folder.
//!
//! Nothing here follows a link: neither a place's folder nor the one that holds it (both bear our
//! names, and a commit can bring a link under either), nor a month's, nor a file. What lies above
//! is the caller's to vouch for.

use std::{
    fs::{self, File, ReadDir},
    io,
    path::{Path, PathBuf},
};

use ulid::Ulid;

use super::{JournalError, names};
use crate::jsonl::JsonlError;

/// A file of the journal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub id: Ulid,
    pub path: PathBuf,
}

/// What a place holds. What could not be listed is said beside the rest.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// By id.
    pub files: Vec<Found>,
    pub unreadable: Vec<JournalError>,
}

/// All files of a place, newest months first as long as there is room for `max` of them. A place
/// that does not exist is empty; what does not bear a name of ours is passed over.
pub(super) fn list(folder: &Path, max: usize) -> Listing {
    let mut listing = Listing::default();
    let months = months(folder).unwrap_or_else(|error| {
        listing.unreadable.push(error);
        Vec::new()
    });
    for month in months {
        if let Err(error) = list_month(folder, &month, max, &mut listing) {
            let full = matches!(error, JournalError::TooManyFiles { .. });
            listing.unreadable.push(error);
            if full {
                break;
            }
        }
    }
    listing.files.sort_unstable();
    listing
}

/// Makes the folder of a month, and those of the place above it. On return the disk keeps their
/// names, whoever made them: a process that was to see to that may have been killed.
pub(super) fn make_month(folder: &Path, month: &str) -> Result<PathBuf, JournalError> {
    let path = folder.join(month);
    for folder in folder.parent().into_iter().chain([folder, &path]) {
        if !is_folder(folder)? {
            match fs::create_dir(folder) {
                // Somebody was faster; what they made is looked at like any other.
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => is_folder(folder)?,
                made => made.map(|()| true).map_err(failed(folder, "made"))?,
            };
        }
        let above = folder.parent().filter(|above| *above != Path::new(""));
        let synced = File::open(above.unwrap_or(Path::new("."))).and_then(|file| file.sync_all());
        synced.map_err(failed(folder, "synced"))?;
    }
    Ok(path)
}

/// `false` if there is nothing of that name; an error if it is anything but a folder.
fn is_folder(path: &Path) -> Result<bool, JournalError> {
    // A relative place may have no folder above it but the current one.
    if path == Path::new("") {
        return Ok(true);
    }
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(_) => Err(JournalError::NotAFolder(path.to_owned())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(failed(path, "read")(cause)),
    }
}

fn months(folder: &Path) -> Result<Vec<String>, JournalError> {
    let mut months = Vec::new();
    if let Some(above) = folder.parent()
        && !is_folder(above)?
    {
        return Ok(months);
    }
    for entry in entries(folder)?.into_iter().flatten() {
        let name = entry.map_err(failed(folder, "listed"))?.file_name();
        if let Some(name) = name.to_str().filter(|name| names::is_month(name)) {
            months.push(name.to_owned());
        }
    }
    months.sort_unstable_by(|one, other| other.cmp(one));
    Ok(months)
}

fn list_month(
    folder: &Path,
    month: &str,
    max: usize,
    listing: &mut Listing,
) -> Result<(), JournalError> {
    let path = folder.join(month);
    for entry in entries(&path)?.into_iter().flatten() {
        let entry = entry.map_err(failed(&path, "listed"))?;
        let Some(id) = entry.file_name().to_str().and_then(names::file_id) else { continue };
        let path = entry.path();
        if listing.files.len() + listing.unreadable.len() >= max {
            return Err(JournalError::TooManyFiles { folder: folder.to_owned(), max });
        }
        match entry.file_type() {
            Ok(kind) if kind.is_file() => listing.files.push(Found { id, path }),
            Ok(_) => listing.unreadable.push(JsonlError::NotAFile(path).into()),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => listing.unreadable.push(failed(&path, "read")(cause)),
        }
    }
    Ok(())
}

/// `None` if there is no such folder, or no longer.
fn entries(folder: &Path) -> Result<Option<ReadDir>, JournalError> {
    if !is_folder(folder)? {
        return Ok(None);
    }
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(failed(folder, "listed")(cause)),
    }
}

pub(super) fn failed(path: &Path, action: &'static str) -> impl Fn(io::Error) -> JournalError {
    move |cause| JournalError::Io { path: path.to_owned(), action, cause }
}
