//! Files that cannot be gone on with, under names at which nobody reads them: never lost.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{platform::is_one, regular, whole::PRIVATE};

/// Gives a file a second name, or copies it there: that name. One that it has by now, of a time that was
/// ended in between, is good.
///
/// # Errors
/// When it has none afterwards.
pub fn keep(path: &Path) -> io::Result<PathBuf> {
    let name = free(path, |name| is_same(path, name))?;
    if name.symlink_metadata().is_ok() || fs::hard_link(path, &name).is_ok() {
        return Ok(name);
    }
    // Not every file system knows second names.
    copy(path, &name).inspect_err(|_| drop(fs::remove_file(&name)))?;
    Ok(name)
}

/// Takes [`keep`] back: under its first name there is what was there before.
///
/// # Errors
/// When it lies under the second name alone.
pub fn put_back(path: &Path, name: &Path) -> io::Result<()> {
    if is_same(path, name) { fs::remove_file(name) } else { fs::rename(name, path) }
}

/// Gives a file another name: that name.
///
/// # Errors
/// When it still has its own.
pub fn rename(path: &Path) -> io::Result<PathBuf> {
    let name = free(path, |_| false)?;
    fs::rename(path, &name)?;
    Ok(name)
}

/// The first name beside a file that is free, or good all the same.
fn free(path: &Path, is_good: impl Fn(&Path) -> bool) -> io::Result<PathBuf> {
    for number in 1_u64.. {
        let name = path.with_extension(format!("aside-{number}"));
        if regular::if_there(name.symlink_metadata())?.is_none() || is_good(&name) {
            return Ok(name);
        }
    }
    Err(io::Error::other("no name is free"))
}

fn copy(path: &Path, name: &Path) -> io::Result<()> {
    let mut from = regular::open(path)?;
    let mut to = regular::make_new(name, PRIVATE)?;
    io::copy(&mut from, &mut to)?;
    to.sync_all()
}

/// Whether both names lead to the same file, or to a copy of it.
fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| path.symlink_metadata().ok().filter(fs::Metadata::is_file);
    let (Some(a), Some(b)) = (file(one), file(other)) else { return false };
    let bytes = |path: &Path| fs::read(path).ok();
    is_one(&a, &b) || a.len() == b.len() && bytes(one).is_some_and(|one| bytes(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_as_good_as_a_second_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        fs::write(&path, "{\n").unwrap();
        copy(&path, &path.with_extension("aside-1")).unwrap();
        assert_eq!(keep(&path).unwrap(), path.with_extension("aside-1"));
        // Of another content it is another one.
        fs::write(&path, "[\n").unwrap();
        assert_eq!(keep(&path).unwrap(), path.with_extension("aside-2"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn what_was_kept_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        for other in [None, Some("other"), Some("")] {
            fs::write(&path, "as it was").unwrap();
            let name = keep(&path).unwrap();
            // Under another name in between, as a file is written as a whole.
            if let Some(text) = other {
                fs::remove_file(&path).unwrap();
                fs::write(&path, text).unwrap();
            }
            put_back(&path, &name).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        let name = keep(&path).unwrap();
        fs::remove_file(&path).unwrap();
        put_back(&path, &name).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
        assert_eq!(rename(&path).unwrap(), folder.path().join("a.aside-1"));
        assert!(!path.exists());
    }
}
