//! What agents write down for each other: lessons, one JSON record per line, in files that only grow
//! until git tracks them.
//!
//! Owns the form of a record, where its files lie, which of several records counts, and how lessons
//! are printed for few tokens. Files are listed and written as those of the journal are
//! ([`elophanto_repo::journal::RecordFolder`]). It refuses to know how lessons are found, how git is
//! asked, how tokens are counted, and what the time is: these come in as arguments.

use std::path::PathBuf;

use elophanto_repo::journal::JournalError;

mod abbreviate;
mod archive;
mod codes;
mod command;
mod dispute;
mod doubles;
mod draft;
mod files;
mod fold;
mod inline;
mod lessons;
mod lineage;
mod paraphrase;
mod print;
mod rank;
mod rate;
mod read;
mod recall;
mod record;
mod remove;
mod repo_name;
mod shared;
mod tags;
#[cfg(test)]
mod tests;
mod times;
mod tools;
mod write;

pub use abbreviate::{abbreviated, telling_length};
pub use archive::Archived;
pub use dispute::{COMPARED, contradicted};
pub use draft::{Draft, DraftParts};
pub use files::{Files, Found, Listing};
pub use fold::{Folded, by_age, fold};
pub use lessons::repo_below;
pub use lessons::{FOLDER, Lessons, passage};
pub use lineage::{Lesson, Lineage};
pub use paraphrase::{Likely, paraphrases};
pub use print::{Compact, Dispute, Shown, compact};
pub use rate::{NotARate, Rate};
pub use read::{Read, parse_file};
pub use recall::{Question, RecallContext, Recalled, current, recall};
pub use record::{Entry, EventType, MAX_LINE_BYTES, Memory, NotAnEventType, Retired, line};
pub use remove::Removed;
pub use repo_name::{is_repo_name, repo_name};
pub use shared::{Shared, compared, shared, vectors};
pub use tags::derive_tags;

/// Why a record was refused or not written, or a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("there is already another file at `{}`", .0.display())]
    Taken(PathBuf),
    #[error("`{0}` cannot be the name of a repository's folder")]
    RepoName(String),
    #[error("there is no record to write")]
    NoRecords,
    #[error("{what} of {bytes} bytes, over the cap of {max}")]
    TooLarge { what: &'static str, bytes: usize, max: usize },
    #[error("the record is not written as JSON: {0}")]
    NotJson(String),
    #[error("`{key}` is no key of a record{}", nearest.map_or(String::new(), |known| format!(", did you mean `{known}`?")))]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[error("`{key}` {reason}")]
    Field { key: &'static str, reason: String },
    #[error(transparent)]
    Files(#[from] JournalError),
}
