//! Writing a file by its path, as a whole or not at all. What lies in a work tree is written by
//! handle instead: see [`beneath`](crate::beneath).

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use crate::{beneath::TEMPORARY, platform};

/// Rights of a file that is its owner's alone.
pub const PRIVATE: u32 = 0o600;

/// What of a written file is on disk for good, and not only in the memory of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synced {
    Nothing,
    Content,
    ContentAndName,
}

/// Writes a file under a temporary name and renames it into place, so that readers see all of it or
/// nothing. A file that is there is replaced, and so is a link, which is never followed.
///
/// # Errors
/// When it cannot be written; what was there is then still there.
pub fn write_whole(path: &Path, bytes: &[u8], mode: u32, synced: Synced) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    file.write_all(bytes)?;
    // A temporary file is its owner's alone where there are rights.
    if mode != PRIVATE || cfg!(not(unix)) {
        platform::set_rights(file.as_file(), mode & 0o7777)?;
    }
    if synced != Synced::Nothing {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|failed| failed.error)?;
    if synced == Synced::ContentAndName { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_link_is_replaced_and_nothing_is_left_beside() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&other, "other").unwrap();
        symlink(&other, &path).unwrap();
        for (text, mode, synced) in [
            ("one", PRIVATE, Synced::Nothing),
            ("two", 0o100755, Synced::Content),
            ("", PRIVATE, Synced::ContentAndName),
        ] {
            write_whole(&path, text.as_bytes(), mode, synced).unwrap();
            let there = fs::symlink_metadata(&path).unwrap();
            assert!(there.is_file());
            assert_eq!(platform::rights(&there), mode & 0o7777);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(write_whole(&path.join("c"), b"", PRIVATE, Synced::Nothing).is_err());
    }
}
