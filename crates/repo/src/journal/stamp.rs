//! Telling whether anything in the journal has changed, without reading it.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{Journal, JournalError, Place};
use elophanto_base::beneath::Folder;

/// A file changed this recently may change again without a new time: clocks of file systems are
/// coarse.
const RACY_NS: i128 = 2_000_000_000;

/// What the files of both places looked like: names, sizes, times and inodes. To know that a reading is
/// still good, keep the stamp from *before* it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub digest: [u8; 32],
    /// A file is younger than 2 s or from the future, or something could not be looked at: a later
    /// stamp with the same digest proves nothing.
    pub racy: bool,
}

impl Journal {
    /// The present state. Opens no file.
    pub fn stamp(&self, now: Timestamp) -> Stamp {
        let mut hasher = blake3::Hasher::new();
        let mut racy = false;
        for place in [Place::Shared, Place::Local] {
            let (files, listing) = (self.files(place), self.list(place));
            for error in &listing.unreadable {
                racy |=
                    matches!(error, JournalError::Io { .. } | JournalError::TooManyFiles { .. });
                hasher.update(error.to_string().as_bytes()).update(b"\n");
            }
            let root = files.root().ok().flatten();
            let state = |file: &PathBuf| state(root.as_ref()?, file);
            let states: Vec<_> = listing.files.par_iter().map(state).collect();
            hasher.update(&(states.len() as u64).to_le_bytes());
            for (file, state) in listing.files.iter().zip(states) {
                let name = file.strip_prefix(files.path()).unwrap_or(file);
                let name = name.as_os_str().as_encoded_bytes();
                hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
                let Some([mtime, ctime, bytes, inode]) = state else {
                    racy = true;
                    continue;
                };
                racy |= mtime.max(ctime) > now.as_nanosecond() - RACY_NS;
                for number in [mtime, ctime, bytes, inode] {
                    hasher.update(&number.to_le_bytes());
                }
            }
        }
        Stamp { digest: *hasher.finalize().as_bytes(), racy }
    }
}

/// Times in nanoseconds since 1970, bytes, inode; `None` if the file has vanished since.
fn state(root: &Folder, path: &Path) -> Option<[i128; 4]> {
    let file = root.stat(path).ok()??;
    Some([file.mtime.into(), file.ctime.into(), file.size.into(), file.inode.into()])
}
