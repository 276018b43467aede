//! One run at a time in a work tree: a lock that the kernel releases when its holder dies.

use std::{
    fs::{self, File, TryLockError},
    io::{Read, Write},
    path::Path,
    time::Duration,
};

use super::{CheckpointError, Result, run_time};
use elophanto_base::{lock::take_within, regular::careful};

/// A list of runs takes the lock for a moment to see whether anybody holds it.
const PATIENCE: Duration = Duration::from_millis(200);
/// Bytes of an id at most.
const MOST_NAMED: u64 = 64;

/// The lock, held.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

/// Takes the lock for a run.
///
/// # Errors
/// [`CheckpointError::Busy`] when another run has it.
pub(super) fn take(path: &Path, run: &str) -> Result<Lock> {
    let failed = || CheckpointError::io(path, "locked");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed())?;
    }
    let mut file = open(path, true).map_err(failed())?;
    if !take_within(&file, PATIENCE).map_err(failed())? {
        return Err(match named(&mut file) {
            Some((run, since)) => CheckpointError::Busy { run, since },
            None => CheckpointError::BusyUnnamed,
        });
    }
    file.set_len(0).and_then(|()| file.write_all(run.as_bytes())).map_err(failed())?;
    Ok(Lock { file })
}

/// The run that holds the lock.
pub(super) fn holder(path: &Path) -> Option<String> {
    let mut file = open(path, false).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => named(&mut file).map(|(run, _)| run),
        _ => None,
    }
}

impl Lock {
    /// Lets go of it.
    pub(super) fn release(&self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn open(path: &Path, makes: bool) -> std::io::Result<File> {
    careful().read(true).write(makes).create(makes).truncate(false).open(path)
}

fn named(file: &mut File) -> Option<(String, jiff::Timestamp)> {
    let mut text = String::new();
    file.take(MOST_NAMED).read_to_string(&mut text).ok()?;
    let since = run_time(&text)?;
    Some((text, since))
}
