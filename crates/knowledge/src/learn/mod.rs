//! Learning: what the user wants to know is searched for, read, and kept as facts with their source.
//!
//! [`record`] is how it is written down, [`log`] what was asked and searched, [`responses`] what the
//! searches brought; [`decide`] says what becomes of what was found (and is the only place where an
//! entity can come to be), [`meaning`] how near texts are, [`entity_store`] reads and changes the pages,
//! [`documents`] makes them searchable. Which model is asked, and whether it may be, is the
//! caller's.

mod bearing;
mod compare;
pub mod decide;
pub mod deepen;
pub mod documents;
mod entity_snapshot;
pub mod entity_store;
pub mod interests;
pub mod kept;
pub mod log;
pub mod meaning;
pub mod merge;
pub mod novel;
pub mod otherwise;
pub mod pipeline;
pub mod plan;
mod read;
pub mod record;
pub mod responses;
pub mod run;
pub mod sources;
pub mod tell;
#[cfg(test)]
mod tests;
pub mod undo;
pub mod users;
pub mod writer;

use std::{io, path::PathBuf};

use elophanto_repo::{GitError, NotePath, WriteError, journal::JournalError};

/// Something could not be learnt, or not be written down.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    #[error("what was found out cannot be written down: {0}")]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("`{}` cannot be locked: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("`{}` is there and cannot be read", .0.to_text())]
    Unreadable(NotePath),
    #[error("`{}` is not UTF-8: what is not ASCII, or any line, would spoil it", .0.to_text())]
    Encoding(NotePath),
    #[error("what a search brought cannot be kept: {0}")]
    Response(#[source] io::Error),
    #[error("what waits cannot be kept: {0}")]
    Waiting(#[source] io::Error),
    #[error("the id of this clone cannot be kept: {0}")]
    Writer(#[source] io::Error),
}
