//! Reading a table for the first time is a trial: if it ends the process (memory, a fault in
//! Lance), the next process must not die of the same table.
//!
//! A file with the table's name lies below the git directory for as long as somebody decodes it,
//! under a lock that the kernel releases when its holder dies. Each death leaves a line in the
//! file; after the second the table is not read again. Tables already known by their name have no trial.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{TableError, is_name};
use elophanto_base::{lock::make_folder, mutex::lock, platform::is_one, regular::careful};

const PREFIX: &str = "trial-";
/// What stands in the file for each process that had it under way and did not end it.
const DEATH: &[u8] = b"trial\n";
/// So many did not end in vain: one may have been ended by somebody (Ctrl-C, a time limit) while the
/// table was read.
const DEATHS: u64 = 2;
/// Another process may remove the file between our opening and locking it.
const ATTEMPTS: usize = 8;

/// The trials of this process, by their number: the same table may be tried again at once.
static UNDER_WAY: Mutex<BTreeMap<u64, PathBuf>> = Mutex::new(BTreeMap::new());
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A trial under way; dropping it says that it was survived.
pub(super) struct Trial {
    number: u64,
    path: PathBuf,
    locked: File,
    survived: bool,
}

/// Begins one. `None` where another process has it under way, or where nothing can be written.
///
/// # Errors
/// [`TableError::Fatal`] if an earlier one was not survived.
pub(super) fn begin(folder: &Path, name: &str) -> Result<Option<Trial>, TableError> {
    let path = folder.join(format!("{PREFIX}{name}"));
    for _ in 0..ATTEMPTS {
        if make_folder(folder).is_err() {
            return Ok(None);
        }
        let Ok(mut file) = open(&path) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return Ok(None),
        }
        let (Ok(ours), Ok(there)) = (file.metadata(), fs::symlink_metadata(&path)) else {
            continue;
        };
        if !is_one(&ours, &there) {
            continue;
        }
        if ours.len() >= DEATHS * DEATH.len() as u64 {
            return Err(TableError::Fatal);
        }
        if file.write_all(DEATH).is_err() {
            let _ = fs::remove_file(&path);
            return Ok(None);
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        lock(&UNDER_WAY).insert(number, path.clone());
        return Ok(Some(Trial { number, path, locked: file, survived: true }));
    }
    Ok(None)
}

/// Breaks off the trials of this process, which is about to end for another reason.
pub fn abandon() {
    for path in std::mem::take(&mut *lock(&UNDER_WAY)).into_values() {
        let _ = fs::remove_file(path);
    }
}

/// Forgets all trials that were not survived, so that every table is tried once more.
pub fn forgive(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_trial =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(is_name);
        if is_trial && open(&entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Trial {
    /// It was not survived: the table is not read again.
    pub(super) fn failed(mut self) {
        // Nobody else ended it.
        let _ = self.locked.write_all(DEATH);
        self.survived = false;
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        if lock(&UNDER_WAY).remove(&self.number).is_some() && self.survived {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    careful().create(true).read(true).append(true).open(path)
}
