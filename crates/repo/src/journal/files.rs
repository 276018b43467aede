//! The folders and files of one place, as they are on disk: listing them, making a folder.
//!
//! Nothing here follows a link: neither a place's folder nor the one that holds it (both bear our
//! names, and a commit can bring a link under either), nor a month's, nor a file. What lies above
//! is the caller's to vouch for.

use std::{
    io,
    path::{Path, PathBuf},
};

use ulid::Ulid;

use super::{JournalError, names};
use elophanto_base::{
    beneath::{Entries, Folder, Kind, Refusal, above_ours, refusal},
    jsonl::JsonlError,
};

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

/// What everything of a place is reached from; `None` if it is not there.
pub(super) fn root(folder: &Path) -> Result<Option<Folder>, JournalError> {
    match Folder::open(above_ours(folder)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some).map_err(failed(folder, "read")),
    }
}

/// All files of a place, newest months first as long as there is room for `max` of them. A place
/// that does not exist is empty; what does not bear a name of ours is passed over.
pub(super) fn list(folder: &Path, max: usize) -> Listing {
    let mut listing = Listing::default();
    let root = match root(folder) {
        Ok(Some(root)) => root,
        Ok(None) => return listing,
        Err(error) => return Listing { unreadable: vec![error], ..listing },
    };
    let months = months(&root, folder).unwrap_or_else(|error| {
        listing.unreadable.push(error);
        Vec::new()
    });
    for month in months {
        if let Err(error) = list_month(&root, folder, &month, max, &mut listing) {
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
    let holder = folder.parent().filter(|holder| *holder != Path::new(""));
    let made = failed(holder.unwrap_or(folder), "made");
    let root = Folder::open(above_ours(folder)).map_err(made)?;
    let path = folder.join(month);
    for folder in holder.into_iter().chain([folder, &path]) {
        root.make(folder).map_err(failed(folder, "made"))?;
        let above = folder.parent().unwrap_or(Path::new(""));
        let synced = root.at(above).and_then(|above| above.sync());
        synced.map_err(failed(folder, "synced"))?;
    }
    Ok(path)
}

fn months(root: &Folder, folder: &Path) -> Result<Vec<String>, JournalError> {
    let mut months = Vec::new();
    for entry in entries(root, folder)?.into_iter().flatten() {
        let (name, _) = entry.map_err(failed(folder, "listed"))?;
        if let Some(name) = name.to_str().filter(|name| names::is_month(name)) {
            months.push(name.to_owned());
        }
    }
    months.sort_unstable_by(|one, other| other.cmp(one));
    Ok(months)
}

fn list_month(
    root: &Folder,
    folder: &Path,
    month: &str,
    max: usize,
    listing: &mut Listing,
) -> Result<(), JournalError> {
    let month = folder.join(month);
    for entry in entries(root, &month)?.into_iter().flatten() {
        let (name, kind) = entry.map_err(failed(&month, "listed"))?;
        let Some(id) = name.to_str().and_then(names::file_id) else { continue };
        let path = month.join(name);
        if listing.files.len() + listing.unreadable.len() >= max {
            return Err(JournalError::TooManyFiles { folder: folder.to_owned(), max });
        }
        if kind == Kind::File {
            listing.files.push(Found { id, path });
        } else {
            listing.unreadable.push(JsonlError::NotAFile(path).into());
        }
    }
    Ok(())
}

/// `None` if there is no such folder, or no longer.
fn entries(root: &Folder, folder: &Path) -> Result<Option<Entries>, JournalError> {
    match root.entries(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        listed => listed.map(Some).map_err(failed(folder, "listed")),
    }
}

/// What went wrong at a path: what is no folder of its own is named.
pub(super) fn failed(path: &Path, action: &'static str) -> impl Fn(io::Error) -> JournalError {
    move |cause| match refusal(&cause) {
        Some(Refusal::Link(at) | Refusal::NotAFolder(at)) => {
            let at = path.ancestors().find(|above| above.ends_with(at)).unwrap_or(path);
            JournalError::NotAFolder(at.to_owned())
        }
        _ => JournalError::Io { path: path.to_owned(), action, cause },
    }
}
