//! The files of a table, in memory. Owns how they are read: regular files alone, never through a
//! link, and no more than a table may hold.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use super::{DIGEST_DIGITS, MOST_BYTES, TableError};
use elophanto_base::{
    beneath::{Folder, above_ours},
    regular::read_capped,
};

/// Most files of a table. One of ours has three, and one more for each million rows.
const MOST_FILES: usize = 64;
/// Folders below one another.
const MOST_DEPTH: usize = 4;

/// Names relative to the table's folder, as the platform encodes them, with contents.
pub struct Files(pub BTreeMap<Vec<u8>, Vec<u8>>);

impl Files {
    /// Reads all of them.
    ///
    /// # Errors
    /// When one cannot be read, is no regular file, or all together are too large.
    pub fn read(table: &Path) -> Result<Self, TableError> {
        let mut files = BTreeMap::new();
        let mut left = MOST_BYTES;
        let root = Folder::open(above_ours(table.parent().unwrap_or(table)))?;
        for (name, path) in list(table)? {
            let bytes = read(&root, &path, left)?.ok_or(TableError::TooLarge)?;
            left -= bytes.len() as u64;
            files.insert(name, bytes);
        }
        Ok(Self(files))
    }

    /// BLAKE3 over the names and bytes of all files, in the order of their names.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (name, bytes) in &self.0 {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name);
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
        let mut digest = hasher.finalize().to_hex().to_string();
        digest.truncate(DIGEST_DIGITS);
        digest
    }
}

/// Regular files below a folder with their relative names, sorted. Anything but files and folders
/// is an error: no digest covers what a link or a pipe says.
pub(super) fn list(folder: &Path) -> io::Result<Vec<(Vec<u8>, PathBuf)>> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder).follow_links(false).max_depth(MOST_DEPTH) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            found.push((name.as_os_str().as_encoded_bytes().to_vec(), entry.into_path()));
        } else if !entry.file_type().is_dir() {
            return Err(irregular(entry.path()));
        }
        if found.len() > MOST_FILES {
            return Err(io::Error::other(format!("it has more than {MOST_FILES} files")));
        }
    }
    found.sort();
    Ok(found)
}

/// The bytes of a regular file; `None` if there are more than `limit`. Between the listing and now
/// it may have become a link or a pipe.
fn read(root: &Folder, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let (file, metadata) = root.read(path)?;
    if metadata.len() > limit {
        return Ok(None);
    }
    read_capped(file, limit)
}

fn irregular(path: &Path) -> io::Error {
    io::Error::other(format!("`{}` is no regular file", path.display()))
}
