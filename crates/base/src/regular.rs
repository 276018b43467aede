//! Files named by their path that somebody else may have put there: no link is followed in their
//! place, nobody is waited for at the other end of a pipe, and no more is read than is borne.
//!
//! What lies in a work tree is reached by handle instead: see [`beneath`](crate::beneath).

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::Path,
};

use crate::platform;

/// Rights of a file that others of the user's group may be let write by their umask.
pub const SHARED: u32 = 0o666;

/// Options with which neither a link is followed nor a pipe waited for.
pub fn careful() -> OpenOptions {
    let mut options = File::options();
    platform::careful(&mut options, false);
    options
}

/// Options with which a link is followed, and no pipe waited for.
pub fn unwaiting() -> OpenOptions {
    let mut options = File::options();
    platform::careful(&mut options, true);
    options
}

/// Opens a file for reading.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    checked(careful().read(true).open(path)?)
}

/// Opens a file for reading that the user names, and a link may stand for. What is none is not opened
/// at all: to open a device may do something.
///
/// # Errors
/// As [`open`], but that links are followed.
pub fn follow(path: &Path) -> io::Result<File> {
    if !path.metadata()?.is_file() {
        return Err(no_file());
    }
    checked(unwaiting().read(true).open(path)?)
}

fn checked(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

fn no_file() -> io::Error {
    io::Error::other("no regular file")
}

/// All of a file, of at most so many bytes.
///
/// # Errors
/// As [`open`], and when there are more.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_capped(open(path)?, most)?
        .ok_or_else(|| io::Error::other(format!("more than {most} bytes")))
}

/// The same of a text.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(io::Error::other)
}

/// Opens a file to lock it or to add to it; one that is not there is made with these rights.
///
/// # Errors
/// When it cannot be opened or made.
pub fn open_or_make(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = careful();
    platform::with_rights(&mut options, mode)?;
    options.create(true).truncate(false).write(true).open(path)
}

/// Makes a file with these rights, where nothing is.
///
/// # Errors
/// When it cannot be made, or anything is there.
pub fn make_new(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = File::options();
    platform::with_rights(&mut options, mode)?;
    options.write(true).create_new(true).open(path)
}

/// What was opened, read, listed or removed; `None` if it is not there.
///
/// # Errors
/// As they are, but for that.
pub fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// All bytes there are; `None` if they are more than `cap`, however they grow.
///
/// # Errors
/// When they cannot be read.
pub fn read_capped(file: impl Read, cap: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(cap.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= cap).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        let pipe = std::ffi::CString::new(at("pipe").to_str().unwrap()).unwrap();
        // SAFETY: the path is a string that ends, and lives as long as the call.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        for (name, expected) in [("file", true), ("link", false), ("pipe", false), (".", false)] {
            assert_eq!(open(&at(name)).is_ok(), expected, "{name}");
            assert_eq!(read(&at(name), 4).is_ok(), expected, "{name}");
            assert_eq!(follow(&at(name)).is_ok(), expected || name == "link", "{name}");
        }
        for (name, expected) in [("file", true), ("new", true), ("link", false), ("pipe", false)] {
            assert_eq!(open_or_make(&at(name), 0o600).is_ok(), expected, "{name}");
        }
        assert!(read(&at("file"), 3).is_err() && read_text(&at("file"), 4).unwrap() == "text");
        for (cap, expected) in [(3, None), (4, Some(&b"text"[..])), (u64::MAX, Some(&b"text"[..]))]
        {
            let found = read_capped(open(&at("file")).unwrap(), cap).unwrap();
            assert_eq!(found.as_deref(), expected, "{cap}");
        }
    }
}
