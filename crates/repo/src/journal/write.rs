//! Adding records: under the lock of all writers, to a file that git does not track.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{Journal, JournalError, Listing, Place, RecordFolder, files, names, record::Header};
use elophanto_base::{
    beneath::above_ours,
    jsonl::{self, JsonlError, Log},
};

impl RecordFolder {
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

    /// Adds records in their order, all to one file, and returns which: the newest of those listed
    /// if it may grow, else a new one in `folder`, which is one in this one. Once this returns, they
    /// are on disk.
    ///
    /// `tracked` says whether git tracks a file. It is asked under the lock, at most once. What is
    /// committed under this lock is not written to again.
    ///
    /// # Errors
    /// When the records are not there: one is too large, a folder is a link or cannot be listed,
    /// there is no room, git cannot be asked, or the disk failed. What a failed sync or the end of
    /// this process has interrupted may be found there later all the same.
    pub fn append(
        &self,
        records: &[Box<RawValue>],
        list: impl FnOnce() -> Listing,
        folder: &Path,
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<PathBuf, JournalError> {
        let held = self.hold()?;
        let path = self.next_file(list(), folder, now, tracked)?;
        let log = Log::new(&path).beneath(above_ours(self.path()));
        log.with_caps(self.limits().file.clone()).append_all(records, held)?;
        Ok(path)
    }

    /// The newest file if it may grow, else the name of a new one in a folder that is there.
    fn next_file(
        &self,
        listing: Listing,
        folder: &Path,
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<PathBuf, JournalError> {
        let Listing { files, unreadable, .. } = listing;
        // A link or a folder that bears the name of a file keeps others from bearing it.
        let other = unreadable.iter().filter_map(|error| match error {
            JournalError::Log(JsonlError::NotAFile(path)) => Some(path),
            _ => None,
        });
        let newest =
            names::newest(files.iter().chain(other).filter_map(|it| files::id_of(it)), now);
        if let Some(path) = files.iter().rfind(|path| files::id_of(path) == newest)
            && self.has_room(path)
            && !tracked(path)
                .map_err(|cause| JournalError::Tracked { path: path.clone(), source: cause })?
        {
            return Ok(path.clone());
        }
        // More could not be read back.
        let max = self.limits().files;
        if files.len() + unreadable.len() >= max {
            return Err(JournalError::TooManyFiles { folder: self.path().to_owned(), max });
        }
        // What could not be listed may be newer than a new file would be.
        let is_there = |error: &JournalError| match error {
            JournalError::Io { path, .. } | JournalError::NotAFolder(path) => {
                folder.starts_with(path)
            }
            _ => false,
        };
        if let Some(error) = unreadable.into_iter().find(is_there) {
            return Err(error);
        }
        self.make(folder)?;
        Ok(folder.join(names::file_name(names::after(newest, names::new_id(now)))))
    }

    fn has_room(&self, path: &Path) -> bool {
        let file = self.root().ok().flatten().and_then(|root| root.stat(path).ok()?);
        file.is_some_and(|file| file.size < self.limits().full_bytes)
    }
}

impl Journal {
    /// Adds records in their order, all to one file, and returns which. Once this returns, they are
    /// on disk. Records are best made as [`super::Draft`]s.
    ///
    /// `tracked` says whether git tracks a file. It is asked under the lock, at most once, and
    /// never for a local one. What is committed under this lock is not written to again.
    ///
    /// # Errors
    /// When one has no header, and those of [`RecordFolder::append`].
    pub fn append<T: Serialize>(
        &self,
        place: Place,
        records: &[T],
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<PathBuf, JournalError> {
        let files = self.files(place);
        let records = encode(records, files.path())?;
        let folder = files.path().join(names::month(now));
        let ours = |path: &Path| Ok(place == Place::Shared && tracked(path)?);
        files.append(&records, || self.list(place), &folder, now, &ours)
    }

    /// Keeps everybody from adding records for as long as the result lives.
    ///
    /// # Errors
    /// When the lock cannot be taken.
    pub fn hold(&self) -> Result<jsonl::Lock, JournalError> {
        self.shared.hold()
    }

    /// The files that git is to carry, by their ids.
    pub fn shared_files(&self) -> Vec<PathBuf> {
        self.list(Place::Shared).files
    }

    /// Whether there is no file in either place.
    pub fn is_empty(&self) -> bool {
        [Place::Shared, Place::Local].into_iter().all(|place| self.list(place).files.is_empty())
    }

    /// All files of a place by their ids, those of the newest months as long as there is room. A
    /// place that does not exist is empty; what does not bear a name of ours is passed over.
    pub(super) fn list(&self, place: Place) -> Listing {
        let (files, mut listing) = (self.files(place), Listing::default());
        match files.entries(files.path()) {
            Ok(months) => {
                let months = months.into_iter().rev().filter(|(name, _)| names::is_month(name));
                files.list(months.map(|(name, _)| files.path().join(name)), &mut listing);
            }
            Err(error) => listing.unreadable.push(error),
        }
        let order = |one: &PathBuf, other: &PathBuf| {
            one.file_name().cmp(&other.file_name()).then_with(|| one.cmp(other))
        };
        listing.files.sort_unstable_by(order);
        listing
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
