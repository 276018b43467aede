//! Empty folders that stand where protected paths do not exist, while a program runs in a sandbox.
//! To everybody else there is nothing.

use std::{fs, path::Path};

use crate::platform::rights;

/// What no other folder's permissions are likely to be, and a usual umask leaves alone.
pub const MODE: u32 = 0o511;

/// Whether there is one at a path, of somebody at work or left behind.
pub fn is_placeholder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir() && rights(&data) == MODE)
        && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
