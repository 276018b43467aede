//! Beneath a root, on a system of which nothing but the standard library is known: names are looked at one by
//! one, then opened by path.
//!
//! No link that is there is followed. One that is put in the place of a folder between the look and the
//! opening is: so what is there is read, and nothing is made, changed or removed.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata, ReadDir},
    io,
    path::{Path, PathBuf},
};

use super::{Kind, Refusal, Stat, names};
use crate::{
    platform::{identity, not_here, rights, times},
    regular::{self, if_there},
};

/// A folder that paths are named from.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

/// Names in a folder and what lies there, in no order.
#[derive(Debug)]
pub struct Entries(ReadDir);

impl Iterator for Entries {
    type Item = io::Result<(OsString, Kind)>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.0.next()?;
        Some(entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?.into()))))
    }
}

impl Folder {
    pub fn open(path: &Path) -> io::Result<Self> {
        if !fs::metadata(names::shown(path))?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn at(&self, path: &Path) -> io::Result<Self> {
        self.reached(names::below(&self.path, path)?).map(|path| Self { path })
    }

    pub fn make(&self, path: &Path) -> io::Result<Self> {
        match self.at(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => unwritten(),
            found => found,
        }
    }

    pub fn make_new(&self, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn holding(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let (above, name) = names::split(&self.path, path)?;
        Ok((self.at(above)?, name.to_owned()))
    }

    pub fn making(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let (above, name) = names::split(&self.path, path)?;
        Ok((self.make(above)?, name.to_owned()))
    }

    pub fn read(&self, path: &Path) -> io::Result<(File, Metadata)> {
        let (at, found) = self.found(path)?;
        if found.is_symlink() {
            return Err(Refusal::Link(names::below(&self.path, path)?.to_owned()).into());
        }
        if !found.is_file() {
            return Err(Refusal::NotAFile.into());
        }
        let file = regular::open(&at)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    pub fn create(&self, _: &Path) -> io::Result<File> {
        unwritten()
    }

    pub fn append(&self, _: &Path) -> io::Result<(File, Metadata)> {
        unwritten()
    }

    pub fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        Ok(if_there(self.found(path))?.map(|(_, found)| {
            let [mtime, ctime] = times(&found);
            Stat {
                kind: found.file_type().into(),
                mode: rights(&found),
                size: found.len(),
                mtime,
                ctime,
                inode: identity(&found).map_or(0, |(_, inode)| inode),
            }
        }))
    }

    pub fn exists(&self, path: &Path) -> bool {
        self.stat(path).is_ok_and(|found| found.is_some())
    }

    pub fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        Ok(self.stat(path)?.map(|stat| stat.kind))
    }

    pub fn link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(self.found(path)?.0)
    }

    pub fn make_link(&self, _: &Path, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        names::resolved(&self.path, path)
    }

    pub fn entries(&self, path: &Path) -> io::Result<Entries> {
        let folder = self.at(path)?;
        fs::read_dir(names::shown(&folder.path)).map(Entries)
    }

    pub fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn rename_new(&self, _: &Path, _: &Self, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn take(&self, _: &Path, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn remove(&self, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn remove_folder(&self, _: &Path) -> io::Result<()> {
        unwritten()
    }

    pub fn remove_all(&self, path: &Path) -> io::Result<()> {
        if self.kind(path)?.is_none() { Ok(()) } else { unwritten() }
    }

    pub fn set_mode(&self, _: &Path, _: u32) -> io::Result<()> {
        unwritten()
    }

    pub fn sync(&self) -> io::Result<()> {
        unwritten()
    }

    /// What lies at a path, and where that is: behind folders alone.
    fn found(&self, path: &Path) -> io::Result<(PathBuf, Metadata)> {
        let below = names::below(&self.path, path)?;
        let (Some(above), Some(name)) = (below.parent(), below.file_name()) else {
            return Ok((self.path.clone(), fs::metadata(names::shown(&self.path))?));
        };
        let at = self.reached(above)?.join(name);
        let found = fs::symlink_metadata(&at)?;
        Ok((at, found))
    }

    /// Where the folder of this name is, of which no part is a link or anything else.
    fn reached(&self, below: &Path) -> io::Result<PathBuf> {
        let (mut at, mut named) = (self.path.clone(), PathBuf::new());
        for name in below {
            at.push(name);
            named.push(name);
            let found = fs::symlink_metadata(&at)?;
            if found.is_symlink() {
                return Err(Refusal::Link(named).into());
            }
            if !found.is_dir() {
                return Err(Refusal::NotAFolder(named).into());
            }
        }
        Ok(at)
    }
}

fn unwritten<T>() -> io::Result<T> {
    Err(not_here("writing in a folder without following links"))
}
