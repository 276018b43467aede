//! Locks that the kernel releases when their holder dies.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::{Duration, Instant},
};

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Waits as long as it takes.
///
/// # Errors
/// When the lock file cannot be created (a read-only checkout).
pub fn wait(path: &Path) -> io::Result<Lock> {
    let file = open(path)?;
    file.lock()?;
    Ok(Lock { _file: file })
}

/// Gives up after `patience`; `Ok(None)` means another process holds it.
///
/// # Errors
/// When the lock file cannot be created (a read-only checkout).
pub fn try_for(path: &Path, patience: Duration) -> io::Result<Option<Lock>> {
    let file = open(path)?;
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // A link would make us create a file elsewhere; opening a pipe must not wait for a reader.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    File::options().create(true).truncate(false).write(true).custom_flags(flags).open(path)
}
