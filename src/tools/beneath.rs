//! Files beneath a root, reached folder by folder from an open one: no link is ever followed, so
//! that nobody who swaps a folder for a link can lead reading or writing elsewhere.
//!
//! Owns the calls to the kernel that the standard library lacks (`openat` and its kin).

use std::{
    ffi::{CString, OsStr, OsString},
    fs::{File, Metadata, OpenOptions},
    io,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    },
    path::{Component, Path},
};

/// Rights of a new folder, before the user's mask.
const FOLDER_MODE: libc::mode_t = 0o777;
/// Rights of a new file, before the user's mask.
const FILE_MODE: libc::c_uint = 0o666;

/// An open folder.
pub(super) struct Folder(File);

/// What lies under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Folder {
    /// The folder that holds `path`, with its name in there. `path` is relative to the root, names
    /// only. Folders that are not there are made if `makes`.
    pub(super) fn holding(root: &Path, path: &Path, makes: bool) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or_else(|| io::Error::other("no name"))?.to_owned();
        Ok((Self::at(root, path.parent().unwrap_or(Path::new("")), makes)?, name))
    }

    /// The folder at `path`, relative to the root.
    pub(super) fn at(root: &Path, path: &Path, makes: bool) -> io::Result<Self> {
        let top = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC)
            .open(root)?;
        let mut folder = Self(top);
        for component in path.components() {
            let Component::Normal(name) = component else {
                return Err(io::Error::other("not a plain path"));
            };
            folder = match folder.enter(name) {
                Err(cause) if makes && cause.kind() == io::ErrorKind::NotFound => {
                    folder.make(name)?;
                    folder.enter(name)?
                }
                entered => entered?,
            };
        }
        Ok(folder)
    }

    fn enter(&self, name: &OsStr) -> io::Result<Self> {
        self.open(name, libc::O_RDONLY | libc::O_DIRECTORY).map(Self)
    }

    /// Opens a regular file for reading.
    pub(super) fn read(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        // O_NONBLOCK: opening a pipe must not wait for a writer.
        let file = self.open(name, libc::O_RDONLY | libc::O_NONBLOCK)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Ok((file, metadata))
        } else {
            Err(io::Error::other("not a regular file"))
        }
    }

    /// Makes a file where there is nothing.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)
    }

    fn open(&self, name: &OsStr, flags: libc::c_int) -> io::Result<File> {
        let name = c_string(name)?;
        let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: the descriptor is open as long as `self`, the name ends in NUL and outlives the
        // call.
        let fd = unsafe { libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags, FILE_MODE) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just given us this descriptor; nobody else has it.
        Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    fn make(&self, name: &OsStr) -> io::Result<()> {
        let name = c_string(name)?;
        // SAFETY: as for `openat`.
        match done(unsafe { libc::mkdirat(self.0.as_raw_fd(), name.as_ptr(), FOLDER_MODE) }) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// What lies under a name; `None` if nothing does.
    pub(super) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
        let name = c_string(name)?;
        let mut stat = std::mem::MaybeUninit::<libc::stat>::uninit();
        let (fd, flags) = (self.0.as_raw_fd(), libc::AT_SYMLINK_NOFOLLOW);
        // SAFETY: as for `openat`; the buffer is of the type that the call fills.
        let said = unsafe { libc::fstatat(fd, name.as_ptr(), stat.as_mut_ptr(), flags) };
        match done(said) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        }
        // SAFETY: the call has succeeded, so it has filled the buffer.
        let mode = unsafe { stat.assume_init() }.st_mode;
        Ok(Some(match mode & libc::S_IFMT {
            libc::S_IFREG => Kind::File,
            libc::S_IFDIR => Kind::Folder,
            libc::S_IFLNK => Kind::Link,
            _ => Kind::Other,
        }))
    }

    /// Renames within this folder, over what is there.
    pub(super) fn replace(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (fd, from, to) = (self.0.as_raw_fd(), c_string(from)?, c_string(to)?);
        // SAFETY: as for `openat`.
        done(unsafe { libc::renameat(fd, from.as_ptr(), fd, to.as_ptr()) })
    }

    /// Renames to where nothing is.
    pub(super) fn rename_new(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        let (old, new) = (self.0.as_raw_fd(), folder.0.as_raw_fd());
        let (from_c, to_c) = (c_string(from)?, c_string(to)?);
        // SAFETY: as for `openat`, with two open folders.
        #[cfg(target_os = "linux")]
        let said = unsafe {
            libc::renameat2(old, from_c.as_ptr(), new, to_c.as_ptr(), libc::RENAME_NOREPLACE)
        };
        // SAFETY: as for `openat`, with two open folders.
        #[cfg(target_os = "macos")]
        let said = unsafe {
            libc::renameatx_np(old, from_c.as_ptr(), new, to_c.as_ptr(), libc::RENAME_EXCL)
        };
        match done(said) {
            // A file system that cannot promise it: looked at, then renamed.
            Err(cause)
                if matches!(
                    cause.raw_os_error(),
                    Some(libc::EINVAL | libc::ENOSYS | libc::ENOTSUP)
                ) =>
            {
                if folder.kind(to)?.is_some() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                // SAFETY: as for `openat`, with two open folders.
                done(unsafe { libc::renameat(old, from_c.as_ptr(), new, to_c.as_ptr()) })
            }
            renamed => renamed,
        }
    }

    /// Removes a file or a link.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, 0)
    }

    /// Removes an empty folder.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, libc::AT_REMOVEDIR)
    }

    fn unlink(&self, name: &OsStr, flags: libc::c_int) -> io::Result<()> {
        let name = c_string(name)?;
        // SAFETY: as for `openat`.
        done(unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), flags) })
    }

    /// Makes what was renamed in here last.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}

fn done(said: libc::c_int) -> io::Result<()> {
    if said == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn c_string(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(io::Error::from)
}
