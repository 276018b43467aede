//! What is in an open folder.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, statat},
    io::Errno,
};

use super::Kind;

/// Names in a folder and what lies there, in no order.
#[derive(Debug)]
pub struct Entries(Dir);

impl Entries {
    pub(super) fn of(folder: OwnedFd) -> Result<Self, Errno> {
        Dir::new(folder).map(Self)
    }

    /// Some file systems do not tell with the name; what has vanished since is of no kind of ours.
    fn kind(&self, name: &OsStr) -> Result<Option<FileType>, Errno> {
        match statat(self.0.fd()?, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(cause) => Err(cause),
        }
    }
}

impl Iterator for Entries {
    type Item = io::Result<(OsString, Kind)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.0.read()? {
                Ok(entry) => entry,
                Err(cause) => return Some(Err(cause.into())),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => self.kind(name),
                kind => Ok(Some(kind)),
            };
            match kind {
                Ok(Some(kind)) => return Some(Ok((name.to_owned(), Kind::of(kind)))),
                Ok(None) => {}
                Err(cause) => return Some(Err(cause.into())),
            }
        }
    }
}
