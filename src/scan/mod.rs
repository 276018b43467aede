//! What the knowledge base does not know yet: finding it, asking about it, finding it out.
//!
//! [`sought`] says which files are worth describing, [`state`] what the last scan saw of them,
//! [`known`] what the journal holds, [`gap`] what is missing and what comes first (pure),
//! [`investigate`] closes gaps, [`documents`] makes summaries searchable, [`freshness`] tells
//! whether they still hold. Which model is asked, and whether it may be, is the caller's.

pub mod activity;
mod answer;
mod differ;
pub mod documents;
pub mod freshness;
pub mod gap;
pub mod investigate;
pub mod known;
pub mod library;
pub mod notes;
mod parse;
pub mod record;
mod run;
pub mod sought;
pub mod state;
mod uses;

pub use answer::Notes as AnswerNotes;
pub use known::{Described, Known};
pub use parse::outline_in_time;
pub use record::{GapKind, Priority, Question, QuestionState, Summary};
pub use run::{Report, Scan, scan};
pub use sought::{Found, Sought, Wanted};

use std::{io, path::PathBuf};

use crate::{
    journal::{Journal, JournalError, Place},
    repo::{GitError, Repository},
};

/// A scan could not be done at all. One bad file is never such an error.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error("what was found out cannot be written down: {0}")]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("the search view is damaged")]
    Damaged,
    #[error("`{}` cannot be locked: {cause}", path.display())]
    Lock { path: PathBuf, cause: io::Error },
}

impl From<crate::store::Malformed> for ScanError {
    fn from(crate::store::Malformed: crate::store::Malformed) -> Self {
        Self::Damaged
    }
}

/// Where the journal is, and where new records of this repository go.
pub struct Desk<'a> {
    pub repository: &'a Repository,
    pub journal: Journal,
    /// Whether git carries what is written.
    pub share: bool,
}

impl<'a> Desk<'a> {
    pub fn new(repository: &'a Repository, share: bool) -> Self {
        let local = repository.local_dir();
        let shared = repository.root.join(SHARED);
        let journal = Journal::new(shared, local.join("journal"), local.join("journal.lock"));
        Self { repository, journal, share }
    }

    /// Where a record about a file goes: what lies outside the repository is nobody else's.
    pub fn place(&self, is_outside: bool) -> Place {
        if self.share && !is_outside { Place::Shared } else { Place::Local }
    }

    /// Whether a record about a file is for everybody.
    fn is_shared(&self, is_outside: bool) -> bool {
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
        let tracked = |file: &std::path::Path| {
            let path = file.strip_prefix(&self.repository.root).unwrap_or(file);
            crate::repo::is_tracked(self.repository, path).map_err(io::Error::other)
        };
        self.journal.append(place, records, jiff::Timestamp::now(), &tracked).map(drop)
    }
}

/// Where git carries the journal, relative to the root.
pub const SHARED: &str = ".elophanto/journal";
