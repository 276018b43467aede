//! The journal of a repository: where it lies, and where a new record goes.
//!
//! Joins the repository and the journal, which know nothing of each other. It refuses to know what
//! is written down.

use std::{io, path::Path};

use crate::{
    Repository, is_closed,
    journal::{Journal, JournalError, Place},
    watch,
};

/// Where the journal is, and where new records of this repository go.
pub struct RecordStore<'a> {
    pub repository: &'a Repository,
    pub journal: Journal,
    /// Whether git carries what is written.
    pub share: bool,
}

impl<'a> RecordStore<'a> {
    pub fn new(repository: &'a Repository, share: bool) -> Self {
        Self { repository, journal: journal_of(repository), share }
    }

    /// Where a record about a file goes: what lies outside the repository is nobody else's.
    pub fn place(&self, is_outside: bool) -> Place {
        if self.share && !is_outside { Place::Shared } else { Place::Local }
    }

    /// Whether a record about a file is for everybody.
    pub fn is_shared(&self, is_outside: bool) -> bool {
        self.place(is_outside) == Place::Shared
    }

    /// Writes records down; once this returns they are on disk.
    ///
    /// # Errors
    /// When none, or not all, could be written.
    pub fn write<T: serde::Serialize>(
        &self,
        place: Place,
        records: &[T],
    ) -> Result<(), JournalError> {
        if records.is_empty() {
            return Ok(());
        }
        let tracked = |file: &Path| {
            let path = file.strip_prefix(&self.repository.root).unwrap_or(file);
            is_closed(self.repository, path).map_err(io::Error::other)
        };
        let is_shared = place == Place::Shared;
        let _telling = is_shared.then(|| watch::tell(self.repository, Path::new(SHARED), None));
        self.journal.append(place, records, jiff::Timestamp::now(), &tracked).map(drop)
    }
}

/// The journal of a repository, to be read.
pub fn journal_of(repository: &Repository) -> Journal {
    let local = repository.local_dir();
    let shared = repository.root.join(SHARED);
    Journal::new(shared, local.join("journal"), local.join("journal.lock"))
}

/// Where git carries the journal, relative to the root.
pub const SHARED: &str = ".elophanto/journal";
