//! What the knowledge base does not know yet: finding it, asking about it, finding it out.
//!
//! [`sought`] says which files are worth describing, [`state`] what the last scan saw of them,
//! [`known`] what the journal holds, [`gap`] what is missing and what comes first (pure),
//! [`investigate`] closes gaps, [`documents`] makes summaries searchable, [`freshness`] tells
//! whether they still hold. Which model is asked, and whether it may be, is the caller's.

pub mod activity;
mod answer;
pub mod documents;
mod expire;
pub mod freshness;
pub mod gap;
pub mod investigate;
pub mod known;
pub mod notes;
mod parse;
pub mod reach;
pub mod record;
mod run;
pub mod sought;
pub mod state;
mod uses;

pub use answer::Notes as AnswerNotes;
pub use expire::expire;
pub use known::{Described, Known};
pub use parse::outline_in_time;
pub use reach::Reach;
pub use record::{GapKind, Priority, Question, QuestionState, Summary};
pub use run::{Report, Scan, scan};
pub use sought::{Found, LeftOut, Sought, Wanted};

use std::{io, path::PathBuf};

use elophanto_repo::{GitError, journal::JournalError};

/// A scan could not be done at all. One bad file is never such an error.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error("what was found out cannot be written down: {0}")]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("the search view is damaged")]
    Damaged,
    #[error("`{0}` is not described, and holds nothing that is")]
    NotWanted(String),
    #[error("`{}` cannot be locked: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
}

impl From<elophanto_index::store::Malformed> for ScanError {
    fn from(elophanto_index::store::Malformed: elophanto_index::store::Malformed) -> Self {
        Self::Damaged
    }
}
