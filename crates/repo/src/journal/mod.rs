//! The journal: records of deliberate acts, all kinds together, in files that only grow until git
//! tracks them and never change after that.
//!
//! Owns where its files lie and how they are called, which one the next record goes to, the header
//! that every record has (`kind`, `id`, `at`, `retired`), reading all files of both places at once,
//! and which of several records with one id counts. Lessons lie in files of the same make
//! ([`RecordFolder`]). It refuses to know what a kind means, how git is asked, and what the time is:
//! both come in as arguments.

use std::{io, path::PathBuf};

use elophanto_base::jsonl::{Caps, JsonlError};

mod files;
mod fold;
mod names;
mod read;
mod record;
mod stamp;
#[cfg(test)]
mod tests;
mod write;

pub use files::{Listing, RecordFolder, failed, sync};
pub use fold::{fold, greatest};
pub use names::new_id;
pub use read::{Reading, parse_file};
pub use record::{Draft, Record, is_credible};
pub use stamp::Stamp;

/// Where a record is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the repository, for everybody: `.elophanto/journal`.
    Shared,
    /// Below git's common directory, for this clone only: `elophanto/journal`.
    Local,
}

/// How much files of records may ask of whoever reads or writes them. Every cap is inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Files of one place.
    pub files: usize,
    /// Bytes of all files that are read at once.
    pub bytes: u64,
    /// Bytes from which on a file takes no further records.
    pub full_bytes: u64,
    /// Of one file. A file exceeds `full_bytes` by what is appended at once.
    pub file: Caps,
}

impl Default for Limits {
    fn default() -> Self {
        let file = Caps { file_bytes: 64 * 1024 * 1024, ..Caps::default() };
        let bytes = 2 * 1024 * 1024 * 1024;
        Self { files: 100_000, bytes, full_bytes: 4 * 1024 * 1024, file }
    }
}

/// The files of both places, `<folder>/<YYYY-MM>/<ulid>.jsonl`. Holds no file open.
#[derive(Debug, Clone)]
pub struct Journal {
    shared: RecordFolder,
    local: RecordFolder,
}

impl Journal {
    /// The folders of both places, and the file whose lock all writers of both take. What lies
    /// above a place's folder and the folder that holds it (`.elophanto/journal`) must be there.
    pub fn new(shared: PathBuf, local: PathBuf, lock: PathBuf) -> Self {
        let files = |folder| RecordFolder::new(folder, lock.clone(), Limits::default());
        Self { shared: files(shared), local: files(local) }
    }

    pub fn with_limits(self, limits: Limits) -> Self {
        let shared = self.shared.with_limits(limits.clone());
        Self { shared, local: self.local.with_limits(limits) }
    }

    fn files(&self, place: Place) -> &RecordFolder {
        match place {
            Place::Shared => &self.shared,
            Place::Local => &self.local,
        }
    }
}

/// Why a record is not in the journal, or a file of it was not read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("`{}` is no folder of its own: it is a link or a file", .0.display())]
    NotAFolder(PathBuf),
    #[error("`{}` has more than {max} files", folder.display())]
    TooManyFiles { folder: PathBuf, max: usize },
    #[error("`{}` is left out: its name is no id, as those of files of records are", .0.display())]
    NoId(PathBuf),
    #[error("`{}` is left out: all files have more than {max} bytes", path.display())]
    TooMuch { path: PathBuf, max: u64 },
    #[error("record {number} for `{}` has no valid header: {reason}", folder.display())]
    NoHeader { folder: PathBuf, number: usize, reason: String },
    #[error("there is no record to write to `{}`", .0.display())]
    NoRecords(PathBuf),
    #[error("whether git tracks `{}` cannot be told: {source}", path.display())]
    Tracked { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Log(#[from] JsonlError),
}
