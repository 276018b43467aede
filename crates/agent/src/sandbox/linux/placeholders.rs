//! Empty folders that stand where protected paths do not exist, while a program runs.
//!
//! Git does not see empty folders. Each is held by a shared lock of everybody who relies on it, and
//! removed by the last. One that a crash has left behind is known by its unusual permissions, and
//! removed by the next who needs it.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{request::Failure, sys};
use elophanto_base::mount_placeholder::MODE;

/// How often somebody else may remove it between our look and our lock.
const ATTEMPTS: usize = 100;

/// The placeholders of one program; removed when dropped.
#[derive(Debug, Default)]
pub struct Placeholders(Vec<(PathBuf, File)>);

impl Placeholders {
    /// Puts one at each of these paths, whose parents exist, but where we may not write or there is
    /// something else by now.
    pub fn put(missing: &BTreeSet<PathBuf>) -> Result<Self, Failure> {
        let mut placed = Self::default();
        for path in missing {
            if let Some(held) = put(path).map_err(Failure::path(path))? {
                placed.0.push((path.clone(), held));
            }
        }
        Ok(placed)
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for (path, held) in &self.0 {
            // Another program that relies on it keeps it, and removes it.
            if sys::lock(held, libc::LOCK_EX).is_ok() && is_same(path, held) {
                let _ = fs::remove_dir(path);
            }
        }
    }
}

fn put(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..ATTEMPTS {
        if let Err(cause) = fs::DirBuilder::new().mode(MODE).create(path) {
            match cause.raw_os_error() {
                Some(libc::EEXIST) => {}
                Some(libc::EACCES | libc::EROFS | libc::EPERM) => return Ok(None),
                _ => return Err(cause),
            }
        }
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let held = match fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(held) => held,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            // Somebody has just made something else there, which is protected as it is.
            Err(_) => return Ok(None),
        };
        if held.metadata()?.mode() & 0o7777 != MODE {
            return Ok(None);
        }
        if sys::lock(&held, libc::LOCK_SH).is_ok() && is_same(path, &held) {
            return Ok(Some(held));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Whether the path still leads to what is open.
fn is_same(path: &Path, held: &File) -> bool {
    let (Ok(there), Ok(held)) = (fs::symlink_metadata(path), held.metadata()) else {
        return false;
    };
    (there.dev(), there.ino()) == (held.dev(), held.ino())
}
