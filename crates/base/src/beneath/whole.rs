//! Writing a file as a whole or not at all.

use std::{
    fs::File,
    io::{self, Write},
    iter::repeat_with,
    path::{Path, PathBuf},
};

use super::{Folder, Kind, Refusal};
use crate::platform;

/// How the name of a file begins that is not whole yet.
pub const TEMPORARY: &str = ".tmp-elophanto-";
/// Rights of a new file.
const MODE: u32 = 0o644;
const PRIVATE_MODE: u32 = 0o600;
/// Letters of a random name.
const LETTERS: usize = 12;

impl Folder {
    /// Writes a file, over one that is there, which keeps its rights; folders above are made. Once
    /// this returns, content and name are on disk.
    ///
    /// # Errors
    /// When it cannot be written, or something else than a file is there.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.write_as(path, bytes, MODE)
    }

    /// The same; a new file is for its owner alone.
    ///
    /// # Errors
    /// Those of [`Folder::write`].
    pub fn write_private(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.write_as(path, bytes, PRIVATE_MODE)
    }

    fn write_as(&self, path: &Path, bytes: &[u8], new: u32) -> io::Result<()> {
        let (folder, name) = self.making(path)?;
        let name = Path::new(&name);
        let mode = match folder.stat(name)? {
            None => new,
            Some(there) if there.is_file() => there.mode,
            Some(there) if there.kind == Kind::Link => {
                return Err(Refusal::Link(path.to_owned()).into());
            }
            Some(_) => return Err(Refusal::NotAFile.into()),
        };
        let beside = folder.beside(bytes, mode)?;
        folder.rename(&beside, name).inspect_err(|_| drop(folder.remove(&beside)))?;
        folder.sync()
    }

    /// Writes a file where there is nothing; whoever comes second finds that out. Folders above are
    /// made.
    ///
    /// # Errors
    /// With [`io::ErrorKind::AlreadyExists`] when there is something.
    pub fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.making(path)?;
        let beside = folder.beside(bytes, MODE)?;
        let renamed = folder.rename_new(&beside, &folder, Path::new(&name));
        renamed.inspect_err(|_| drop(folder.remove(&beside)))?;
        folder.sync()
    }

    /// A new file of a random name, on disk; its name.
    fn beside(&self, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
        let (mut file, name) = self.temporary()?;
        let mut write = || {
            file.write_all(bytes)?;
            platform::set_rights(&file, mode)?;
            // Records tell of what is written here: it must not be gone while they are there.
            file.sync_data()
        };
        write().inspect_err(|_| drop(self.remove(&name)))?;
        Ok(name)
    }

    /// A new file of a random name that begins as [`TEMPORARY`] does.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn temporary(&self) -> io::Result<(File, PathBuf)> {
        loop {
            let letters: String = repeat_with(fastrand::alphanumeric).take(LETTERS).collect();
            let name = PathBuf::from(format!("{TEMPORARY}{letters}"));
            match self.create(&name) {
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
                created => return Ok((created?, name)),
            }
        }
    }
}
