//! Logs of one JSON record per line, which only grow.
//!
//! Owns how records reach the disk (one buffer, one write, under a lock, synced before they
//! count) and how a log that something else has damaged is read: what can be told apart is
//! returned, what cannot is reported with its line. It refuses to know what a record means, whether
//! two records say the same, and where logs lie.

use std::{io, path::PathBuf};

mod append;
mod read;
#[cfg(test)]
mod tests;

pub use append::{Lock, Log, lock};
pub use read::{Damage, Entry, Fault, Read, by_line, bytes, bytes_beneath, parse, read, short};

/// How much a log may ask of whoever reads or writes it. Every cap is inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of one record, without its line end.
    pub line_bytes: usize,
    /// Bytes of a whole file.
    pub file_bytes: u64,
    /// Faults that are listed; the others are only counted.
    pub faults: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { line_bytes: 1024 * 1024, file_bytes: 256 * 1024 * 1024, faults: 1_000 }
    }
}

/// Why a log was not read, or a record is not in it.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("`{}` is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("a record of {bytes} bytes for `{}`, over the cap of {max}", path.display())]
    RecordTooLarge { path: PathBuf, bytes: usize, max: usize },
    #[error("`{}` has {bytes} bytes, over the cap of {max}", path.display())]
    FileTooLarge { path: PathBuf, bytes: u64, max: u64 },
    #[error("a record for `{}` cannot be written as JSON: {reason}", path.display())]
    Encode { path: PathBuf, reason: String },
}
