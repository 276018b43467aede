//! An open folder, and what is done with the names beneath it.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata, Permissions},
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{ffi::OsStringExt, fs::PermissionsExt},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, fsync, mkdirat, openat, readlinkat},
    fs::{renameat, renameat_with, statat, symlinkat, unlinkat},
    io::Errno,
};

use super::{
    Kind, Refusal, Stat,
    list::Entries,
    names,
    opening::{HANDLE, open},
};
use crate::regular::if_there;

/// Rights of a new folder, before the user's mask.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);
/// Rights of a new file, before the user's mask.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);

/// An open folder. Paths that its methods take are relative to it, names only; a longer one that
/// begins with the path it was opened by is understood too.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a root. Links in the path to it are followed, none beneath it.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let handle = openat(CWD, names::shown(path), HANDLE, Mode::empty())?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder at a path.
    ///
    /// # Errors
    /// When there is none, or a link is on the way.
    pub fn at(&self, path: &Path) -> io::Result<Self> {
        let below = self.below(path)?;
        let handle = self.call(below, HANDLE, Mode::empty())?;
        Ok(Self { handle, path: self.path.join(below) })
    }

    /// The folder at a path; what of it is not there is made.
    ///
    /// # Errors
    /// When a folder cannot be made, or anything else is in its place.
    pub fn make(&self, path: &Path) -> io::Result<Self> {
        match self.at(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let below = self.below(path)?;
        let mut made = self.at(Path::new(""))?;
        for name in below.components().map(|component| Path::new(component.as_os_str())) {
            match mkdirat(&made.handle, name, FOLDER_MODE) {
                // It was there, or somebody was faster: it is opened like any other.
                Ok(()) => made.sync()?,
                Err(Errno::EXIST) => {}
                Err(cause) => return Err(cause.into()),
            }
            made = made.at(name).map_err(|cause| self.said_from_here(cause, &made))?;
        }
        Ok(made)
    }

    /// Makes a folder where there is nothing.
    ///
    /// # Errors
    /// When there is something, or the folder above is not there.
    pub fn make_new(&self, path: &Path) -> io::Result<()> {
        self.within(path, |folder, name| Ok(mkdirat(folder, name, FOLDER_MODE)?))
    }

    /// The folder that holds a path, and the name in there.
    ///
    /// # Errors
    /// As [`Folder::at`].
    pub fn holding(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let (above, name) = self.split(path)?;
        Ok((self.at(above)?, name.to_owned()))
    }

    /// The same; the folder is made if it is not there.
    ///
    /// # Errors
    /// As [`Folder::make`].
    pub fn making(&self, path: &Path) -> io::Result<(Self, OsString)> {
        let (above, name) = self.split(path)?;
        Ok((self.make(above)?, name.to_owned()))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// When there is none, or something else: nothing waits for the writer of a pipe.
    pub fn read(&self, path: &Path) -> io::Result<(File, Metadata)> {
        self.regular(path, OFlags::RDONLY)
    }

    /// Makes a file where there is nothing, for writing.
    ///
    /// # Errors
    /// With [`io::ErrorKind::AlreadyExists`] when there is something.
    pub fn create(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        Ok(File::from(self.call(self.below(path)?, flags, FILE_MODE)?))
    }

    /// Opens a regular file for reading, and for writing at its end; one that is not there is made.
    ///
    /// # Errors
    /// When something else is there.
    pub fn append(&self, path: &Path) -> io::Result<(File, Metadata)> {
        self.regular(path, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    fn regular(&self, path: &Path, flags: OFlags) -> io::Result<(File, Metadata)> {
        let file = File::from(self.call(self.below(path)?, flags | OFlags::NONBLOCK, FILE_MODE)?);
        let metadata = file.metadata()?;
        if metadata.is_file() { Ok((file, metadata)) } else { Err(Refusal::NotAFile.into()) }
    }

    /// What lies at a path; `None` if nothing does.
    ///
    /// # Errors
    /// When a folder above it cannot be entered, or is a link.
    pub fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        let below = self.below(path)?;
        if below.as_os_str().is_empty() {
            return Ok(Some(stat_of(&rustix::fs::fstat(&self.handle)?)));
        }
        let found = self.within(below, |folder, name| {
            statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from)
        });
        Ok(if_there(found)?.map(|stat| stat_of(&stat)))
    }

    /// Whether there is anything at a path, a link included; not through one.
    pub fn exists(&self, path: &Path) -> bool {
        self.stat(path).is_ok_and(|found| found.is_some())
    }

    /// What kind of thing lies at a path; `None` if nothing does.
    ///
    /// # Errors
    /// As [`Folder::stat`].
    pub fn kind(&self, path: &Path) -> io::Result<Option<Kind>> {
        Ok(self.stat(path)?.map(|stat| stat.kind))
    }

    /// Where the link at a path leads.
    ///
    /// # Errors
    /// When it is no link.
    pub fn link(&self, path: &Path) -> io::Result<PathBuf> {
        self.within(path, |folder, name| {
            let target = readlinkat(folder, name, Vec::new())?;
            Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
        })
    }

    /// Makes a link where there is nothing.
    ///
    /// # Errors
    /// When there is something.
    pub fn make_link(&self, target: &Path, path: &Path) -> io::Result<()> {
        self.within(path, |folder, name| Ok(symlinkat(target, folder, name)?))
    }

    /// Where a path leads whose links, a user's own, stay beneath this folder. Nothing rests on the
    /// answer: what is opened by it is opened without following a link either.
    ///
    /// # Errors
    /// When it leads out of the folder, or there is nothing.
    pub fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        names::resolved(&self.path, path)
    }

    /// What is in the folder at a path, in no order.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn entries(&self, path: &Path) -> io::Result<Entries> {
        let listed = self.call(self.below(path)?, OFlags::RDONLY | OFlags::DIRECTORY, FILE_MODE)?;
        Ok(Entries::of(listed)?)
    }

    /// Renames, over what is there.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.within(from, |old, from| self.within(to, |new, to| Ok(renameat(old, from, new, to)?)))
    }

    /// Renames to where nothing is, in this or another folder.
    ///
    /// # Errors
    /// With [`io::ErrorKind::AlreadyExists`] when there is something.
    pub fn rename_new(&self, from: &Path, folder: &Self, to: &Path) -> io::Result<()> {
        self.within(from, |old, from| {
            folder.within(to, |new, to| {
                match renameat_with(old, from, new, to, RenameFlags::NOREPLACE) {
                    // A file system that cannot promise it: looked at, then renamed.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                        match statat(new, to, AtFlags::SYMLINK_NOFOLLOW) {
                            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                            Err(Errno::NOENT) => Ok(renameat(old, from, new, to)?),
                            Err(cause) => Err(cause.into()),
                        }
                    }
                    renamed => Ok(renamed?),
                }
            })
        })
    }

    /// Renames what lies elsewhere, at a path that the caller vouches for, into this folder, over
    /// what is there.
    ///
    /// # Errors
    /// With [`io::ErrorKind::CrossesDevices`] when it is of another file system.
    pub fn take(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.within(to, |new, to| Ok(renameat(CWD, from, new, to)?))
    }

    /// Removes a file or a link.
    ///
    /// # Errors
    /// When there is none, or a folder.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        self.within(path, |folder, name| Ok(unlinkat(folder, name, AtFlags::empty())?))
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// When there is none, or it is not empty.
    pub fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.within(path, |folder, name| Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?))
    }

    /// Removes whatever lies at a path, with all that is in it; links are removed, not followed.
    /// Nothing there is fine.
    ///
    /// # Errors
    /// When something cannot be removed.
    pub fn remove_all(&self, path: &Path) -> io::Result<()> {
        let removed = match self.kind(path)? {
            None => return Ok(()),
            Some(Kind::Folder) => {
                let folder = self.at(path)?;
                for entry in folder.entries(Path::new(""))? {
                    folder.remove_all(Path::new(&entry?.0))?;
                }
                self.remove_folder(path)
            }
            Some(_) => self.remove(path),
        };
        if_there(removed).map(drop)
    }

    /// Sets the rights of a file or folder, also of one that they keep from being opened.
    ///
    /// # Errors
    /// When it is a link, or not ours.
    pub fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        let rights = Permissions::from_mode(mode & 0o7777);
        let below = self.below(path)?;
        match self.call(below, OFlags::RDONLY | OFlags::NONBLOCK, FILE_MODE) {
            Ok(open) => File::from(open).set_permissions(rights),
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
                self.set_closed_mode(below, rights)
            }
            Err(cause) => Err(cause),
        }
    }

    /// By way of the handle's own name below `/proc`, which no rename can change.
    #[cfg(target_os = "linux")]
    fn set_closed_mode(&self, below: &Path, rights: Permissions) -> io::Result<()> {
        use std::os::fd::AsRawFd;

        let handle = self.call(below, OFlags::PATH, Mode::empty())?;
        if stat_of(&rustix::fs::fstat(&handle)?).kind == Kind::Link {
            return Err(Refusal::Link(below.to_owned()).into());
        }
        std::fs::set_permissions(format!("/proc/self/fd/{}", handle.as_raw_fd()), rights)
    }

    #[cfg(not(target_os = "linux"))]
    fn set_closed_mode(&self, below: &Path, rights: Permissions) -> io::Result<()> {
        let mode = Mode::from_raw_mode(rights.mode() as _);
        self.within(below, |folder, name| {
            Ok(rustix::fs::chmodat(folder, name, mode, AtFlags::SYMLINK_NOFOLLOW)?)
        })
    }

    /// Has the disk keep the names in this folder.
    ///
    /// # Errors
    /// When the disk failed.
    pub fn sync(&self) -> io::Result<()> {
        let open = self.call(Path::new(""), OFlags::RDONLY | OFlags::DIRECTORY, FILE_MODE)?;
        match fsync(open) {
            // A file system that has no such thing.
            Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            synced => Ok(synced?),
        }
    }

    /// Does something with the folder that holds a path and the name in there.
    fn within<T>(
        &self,
        path: &Path,
        act: impl FnOnce(&OwnedFd, &Path) -> io::Result<T>,
    ) -> io::Result<T> {
        let (above, name) = self.split(path)?;
        let name = Path::new(name);
        if above.as_os_str().is_empty() {
            return act(&self.handle, name);
        }
        act(&self.call(above, HANDLE, Mode::empty())?, name)
    }

    fn split<'p>(&self, path: &'p Path) -> io::Result<(&'p Path, &'p OsStr)> {
        names::split(&self.path, path)
    }

    fn below<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        names::below(&self.path, path)
    }

    fn call(&self, below: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        open(self.handle.as_fd(), below, flags, mode).map_err(|cause| self.named(below, cause))
    }

    /// An error that names what is in the way, if it is about that.
    fn named(&self, below: &Path, cause: Errno) -> io::Error {
        if !matches!(cause, Errno::LOOP | Errno::XDEV | Errno::NOTDIR) {
            return cause.into();
        }
        let mut on_the_way: Vec<&Path> = below.ancestors().collect();
        on_the_way.reverse();
        let kind = |path: &Path| {
            let stat = statat(&self.handle, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some(Kind::of(FileType::from_raw_mode(stat.st_mode))).filter(|it| *it != Kind::Folder)
        };
        let found = on_the_way.into_iter().find_map(|path| Some((path, kind(path)?)));
        match found {
            Some((link, Kind::Link)) => Refusal::Link(link.to_owned()).into(),
            Some((file, _)) if cause == Errno::NOTDIR => {
                Refusal::NotAFolder(file.to_owned()).into()
            }
            // It is there no longer: who swaps things as we look swaps links.
            _ => Refusal::Link(below.to_owned()).into(),
        }
    }

    /// What was met from a folder beneath this one, named from here.
    fn said_from_here(&self, cause: io::Error, from: &Self) -> io::Error {
        let here = |path: &Path| {
            let whole = from.path.join(path);
            whole.strip_prefix(&self.path).map(Path::to_owned).unwrap_or(whole)
        };
        match super::refusal(&cause) {
            Some(Refusal::Link(link)) => Refusal::Link(here(link)).into(),
            Some(Refusal::NotAFolder(file)) => Refusal::NotAFolder(here(file)).into(),
            _ => cause,
        }
    }
}

impl Kind {
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// The fields have other types on other systems.
#[allow(clippy::unnecessary_cast)]
fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    let time = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Stat {
        kind: Kind::of(FileType::from_raw_mode(stat.st_mode)),
        mode: stat.st_mode as u32 & 0o7777,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
    }
}
