//! Adding records: under the lock of all writers, to a file that git does not track.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use ulid::Ulid;

use super::{Journal, JournalError, Place, files, names, record::Header};
use elophanto_base::{
    beneath::above_ours,
    jsonl::{self, Log},
};

impl Journal {
    /// Adds records in their order, all to one file, and returns which. Once this returns, they are
    /// on disk. Records are best made as [`super::Draft`]s.
    ///
    /// `tracked` says whether git tracks a file. It is asked under the lock, at most once, and
    /// never for a local one. What is committed under this lock is not written to again.
    ///
    /// # Errors
    /// When the records are not in the journal: one has no header or is too large, a folder is a
    /// link, there is no room, git cannot be asked, or the disk failed. What a failed sync or the
    /// end of this process has interrupted may be found there later all the same.
    pub fn append<T: Serialize>(
        &self,
        place: Place,
        records: &[T],
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<PathBuf, JournalError> {
        let records = encode(records, self.folder(place))?;
        if let Some(folder) = self.lock.parent() {
            fs::create_dir_all(folder).map_err(files::failed(folder, "made"))?;
        }
        let held = jsonl::lock(&self.lock)?;
        let path = self.next_file(place, now, tracked)?;
        let log = Log::new(&path).beneath(above_ours(self.folder(place)));
        log.with_caps(self.limits.file.clone()).append_all(&records, &held)?;
        Ok(path)
    }

    /// Keeps everybody from adding records for as long as the result lives.
    ///
    /// # Errors
    /// When the lock cannot be taken.
    pub fn hold(&self) -> Result<jsonl::Lock, JournalError> {
        if let Some(folder) = self.lock.parent() {
            fs::create_dir_all(folder).map_err(files::failed(folder, "made"))?;
        }
        Ok(jsonl::lock(&self.lock)?)
    }

    /// The files that git is to carry, by their ids.
    pub fn shared_files(&self) -> Vec<PathBuf> {
        let listing = files::list(self.folder(Place::Shared), self.limits.files);
        listing.files.into_iter().map(|file| file.path).collect()
    }

    /// Whether there is no file in either place.
    pub fn is_empty(&self) -> bool {
        let none = |place| files::list(self.folder(place), self.limits.files).files.is_empty();
        none(Place::Shared) && none(Place::Local)
    }

    /// The newest file if it may grow, else the name of a new one in a folder that is there.
    fn next_file(
        &self,
        place: Place,
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<PathBuf, JournalError> {
        let (folder, max) = (self.folder(place), self.limits.files);
        let files::Listing { files: found, unreadable } = files::list(folder, max);
        let newest = names::newest(found.iter().map(|file| file.id), now);
        let candidate = found.iter().rfind(|file| Some(file.id) == newest);
        if let Some(path) = candidate.map(|file| &file.path)
            && self.has_room(folder, path)
            && !(place == Place::Shared && is_tracked(path, tracked)?)
        {
            return Ok(path.clone());
        }
        // More could not be read back.
        if found.len() + unreadable.len() >= max {
            return Err(JournalError::TooManyFiles { folder: folder.to_owned(), max });
        }
        let id = names::after(newest, now, Ulid::new().random());
        Ok(files::make_month(folder, &names::month(now))?.join(names::file_name(id)))
    }

    fn has_room(&self, folder: &Path, path: &Path) -> bool {
        let file = files::root(folder).ok().flatten().and_then(|root| root.stat(path).ok()?);
        file.is_some_and(|file| file.size < self.limits.full_bytes)
    }
}

/// What cannot be read back must not be written.
fn encode<T: Serialize>(records: &[T], folder: &Path) -> Result<Vec<Box<RawValue>>, JournalError> {
    if records.is_empty() {
        return Err(JournalError::NoRecords(folder.to_owned()));
    }
    let encode = |record| {
        let object = to_raw_value(record)?;
        Header::of(&object)?;
        Ok(object)
    };
    let encoded = records.iter().enumerate().map(|(index, record)| {
        encode(record).map_err(|error: serde_json::Error| JournalError::NoHeader {
            folder: folder.to_owned(),
            number: index + 1,
            reason: error.to_string(),
        })
    });
    encoded.collect()
}

fn is_tracked(
    path: &Path,
    tracked: &dyn Fn(&Path) -> io::Result<bool>,
) -> Result<bool, JournalError> {
    tracked(path).map_err(|cause| JournalError::Tracked { path: path.to_owned(), cause })
}
