//! Locks that the kernel releases when their holder dies.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
    time::{Duration, Instant},
};

use crate::regular::{SHARED, open_or_make};

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// The open file that holds the lock, to be handed to another process: the lock is released
    /// when nobody has it open any more.
    pub fn into_file(self) -> File {
        self.file
    }
}

/// Waits as long as it takes.
///
/// # Errors
/// When the lock file cannot be created (a read-only checkout).
pub fn wait(path: &Path) -> io::Result<Lock> {
    let file = open(path)?;
    file.lock()?;
    Ok(Lock { file })
}

/// Gives up after `patience`; `Ok(None)` means another process holds it.
///
/// # Errors
/// When the lock file cannot be created (a read-only checkout).
pub fn try_for(path: &Path, patience: Duration) -> io::Result<Option<Lock>> {
    let file = open(path)?;
    Ok(take_within(&file, patience)?.then_some(Lock { file }))
}

/// Takes the lock of an open file; `false` means that another process held it all of `patience`.
///
/// # Errors
/// When the file cannot be locked.
pub fn take_within(file: &File, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
    }
}

/// Makes a folder of ours and those above it. A git directory that is gone is not made anew: its
/// repository was moved or removed meanwhile.
///
/// # Errors
/// When it cannot be made, or the git directory that is to hold it is gone.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let git = folder.ancestors().find(|above| above.file_name().is_some_and(|name| name == ".git"));
    match git {
        Some(git) if !git.is_dir() => Err(io::ErrorKind::NotFound.into()),
        _ => fs::create_dir_all(folder),
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    open_or_make(path, SHARED)
}
