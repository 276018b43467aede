//! The committed index: write-once tables from a passage's key to its vector.
//!
//! A table is a folder of files that is written once and read whole. Its name carries a digest of all
//! its files: a flipped bit would read as data. A table is made in a temporary folder, synced, read
//! back, renamed into place and never touched again.
//!
//! What a table holds is outside data. Its files are read into memory ([`Files`]), held against the
//! digest, and only then decoded. How the files hold the vectors is a [`Format`]'s business: what git
//! carries is that of the crate `elophanto-tables`, which alone knows Lance; [`Plain`] is one file. A
//! table that ends the process all the same is passed over by the next one (`trial`).

use elophanto_base::regular::if_there;
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

mod files;
pub mod place;
mod plain;
#[cfg(test)]
mod tests;
mod trial;
mod vector;
mod write;

pub use files::Files;
pub use plain::Plain;
pub use trial::{abandon, forgive};
pub use vector::{Encoded, Key};
pub use write::{ROW_BYTES, pieces, rows_of_piece, write};

const SUFFIX: &str = ".lance";
/// Hexadecimal digits of the digest in a table's name.
const DIGEST_DIGITS: usize = 32;
/// Most bytes of all files of a table; [`write()`] stays below. Forges take no file over 100 MB.
pub const MOST_BYTES: u64 = 72 << 20;

/// What a table holds.
#[derive(Debug, Clone, PartialEq)]
pub struct TableContent {
    /// The model that made the vectors.
    pub fingerprint: String,
    pub rows: Vec<(Key, Encoded)>,
}

/// How the files of a table hold its vectors. What reads them trusts nothing in them.
pub trait Format: Sync {
    /// Writes the files of a table into a folder of its own below `folder`, which is empty and an
    /// absolute path, and returns that folder.
    ///
    /// # Errors
    /// When they cannot be written. Whether they are as they should be is read back by the caller.
    fn write(
        &self,
        folder: &Path,
        fingerprint: &str,
        rows: &[(Key, Encoded)],
    ) -> Result<PathBuf, TableError>;

    /// What the files of a table hold.
    ///
    /// # Errors
    /// For anything but files that this format wrote, panics inside included.
    fn read(&self, files: Files) -> Result<TableContent, TableError>;
}

/// Why a table cannot be used. What it held is embedded again.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("its files differ from the digest in its name")]
    Digest,
    #[error("written in the encoding `{0}`, which this version cannot read")]
    Encoding(String),
    #[error("row {row} holds no sane vector")]
    Insane { row: usize },
    #[error("not a table of vectors: {0}")]
    Shape(&'static str),
    #[error("its files hold more than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("reading it took more than {seconds} s")]
    TooSlow { seconds: u64 },
    #[error(
        "a process ended, or took too long, while it read this table; `elophanto index --full` \
         tries it once more"
    )]
    Fatal,
    #[error("{0}")]
    Lance(String),
    #[error("it is not on the disk as it was written: {0}")]
    Unwritten(Box<TableError>),
    #[error("other vectors are read than were written")]
    Differs,
}

/// Names of the tables below the folder, sorted. What else lies there is left alone.
pub fn list(folder: &Path) -> io::Result<BTreeSet<String>> {
    let Some(entries) = if_there(fs::read_dir(folder))? else { return Ok(BTreeSet::new()) };
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str()
            && is_name(name)
            && entry.file_type()?.is_dir()
        {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Reads a whole table after checking its digest. `trials` is the folder where it is
/// kept which table is being read for the first time; a table known to be good needs none.
///
/// # Errors
/// [`TableError`] for anything but exactly what was written.
pub fn read(
    format: &dyn Format,
    folder: &Path,
    name: &str,
    trials: Option<&Path>,
) -> Result<TableContent, TableError> {
    let files = Files::read(&folder.join(name))?;
    if digest_in(name) != Some(files.digest().as_str()) {
        return Err(TableError::Digest);
    }
    let trial = trials.map(|trials| trial::begin(trials, name)).transpose()?.flatten();
    let content = format.read(files);
    if let (Some(trial), Err(TableError::TooSlow { .. })) = (trial, &content) {
        trial.failed();
    }
    content
}

/// The files of a table, relative to its folder, with their contents.
///
/// # Errors
/// When a file cannot be read.
pub fn contents(folder: &Path, name: &str) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let path = |name: Vec<u8>| {
        // SAFETY: the bytes are those of `as_encoded_bytes` of a path on this very platform.
        PathBuf::from(unsafe { OsStr::from_encoded_bytes_unchecked(&name) })
    };
    match Files::read(&folder.join(name)) {
        Ok(files) => Ok(files.0.into_iter().map(|(name, bytes)| (path(name), bytes)).collect()),
        Err(TableError::Io(cause)) => Err(cause),
        Err(cause) => Err(io::Error::other(cause)),
    }
}

/// Bytes of all files of a table.
pub fn size(folder: &Path, name: &str) -> u64 {
    files::list(&folder.join(name))
        .map(|files| {
            let sizes = files.iter().map(|(_, path)| fs::metadata(path).map_or(0, |m| m.len()));
            sizes.sum()
        })
        .unwrap_or(0)
}

/// Whether this is what a table is called: `<ulid>-<digest>.lance`.
pub fn is_name(name: &str) -> bool {
    digest_in(name).is_some()
}

/// The digest part of a table's name, if it is one: `<ulid>-<digest>.lance`.
fn digest_in(name: &str) -> Option<&str> {
    let (ulid, digest) = name.strip_suffix(SUFFIX)?.split_once('-')?;
    let hex = digest.len() == DIGEST_DIGITS && digest.bytes().all(|b| b.is_ascii_hexdigit());
    (ulid.len() == ulid::ULID_LEN && hex && ulid.bytes().all(|b| b.is_ascii_alphanumeric()))
        .then_some(digest)
}

/// A new name for a table with this digest.
fn new_name(digest: &str) -> String {
    format!("{}-{digest}{SUFFIX}", ulid::Ulid::new().to_string().to_lowercase())
}
