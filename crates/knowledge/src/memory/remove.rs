//! Taking a record out of a file, for good.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{Files, MemoryError, read};
use elophanto_base::{beneath::Folder, platform, regular::if_there};
use elophanto_repo::journal::{self, JournalError};

/// Where a record was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files it was taken out of, by path. One of which nothing was left is gone.
    pub files: Vec<PathBuf>,
    /// Lines that held it.
    pub lines: usize,
    /// Files of other programs that still hold it.
    pub left_in: Vec<PathBuf>,
}

impl Files {
    /// Takes the record of this id out of the file that holds it, the archive included; out of all
    /// of them if branches have brought it twice. Every other record stays as it is, byte by byte
    /// if it has a line of its own. `None` if there is no such record.
    ///
    /// This is for files that git does not track: for others, write a [`super::Retired`].
    ///
    /// # Errors
    /// When the lock cannot be taken, a file that may hold the record cannot be read, or the disk
    /// failed. A file is changed as a whole or not at all.
    pub fn remove_line(&self, id: &str) -> Result<Option<Removed>, MemoryError> {
        let _held = self.hold()?;
        let listing = self.list();
        let Some(root) = self.records.root()? else { return Ok(None) };
        let (mut removed, mut unreadable) = (Removed::default(), listing.unreadable);
        for found in &listing.files {
            let bytes = match self.records.bytes(&root, &found.path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    unreadable.push(error);
                    continue;
                }
            };
            let Some((rest, lines)) = without(&bytes, id, &found.repo) else { continue };
            if self.is_ours(found) {
                replace(&root, &found.path, &rest)?;
                removed.files.push(found.path.clone());
                removed.lines += lines;
            } else {
                removed.left_in.push(found.path.clone());
            }
        }
        match unreadable.into_iter().next() {
            _ if removed != Removed::default() => Ok(Some(removed)),
            Some(error) => Err(error.into()),
            None => Ok(None),
        }
    }
}

/// The text without that record, and how many lines held it; `None` if none did. Other records on
/// such a line get lines of their own; what cannot be read there is dropped.
fn without(bytes: &[u8], id: &str, repo: &str) -> Option<(Vec<u8>, usize)> {
    let (mut rest, mut lines) = (Vec::with_capacity(bytes.len()), 0);
    for line in read::lines(bytes) {
        let found: Vec<_> = read::parse_line(line, repo).into_records().collect();
        if found.iter().all(|(entry, _)| entry.id() != id) {
            rest.extend_from_slice(line);
            continue;
        }
        lines += 1;
        for (_, text) in found.iter().filter(|(entry, _)| entry.id() != id) {
            rest.extend_from_slice(text.as_bytes());
            rest.push(b'\n');
        }
    }
    (lines > 0).then_some((rest, lines))
}

fn replace(root: &Folder, path: &Path, text: &[u8]) -> Result<(), JournalError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if text.trim_ascii().is_empty() {
        root.remove(path).map_err(journal::failed(path, "removed"))?;
        return journal::sync(root, folder);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Not the name of a file of lessons: what a crash leaves is never read.
    let beside = folder.join(format!(".{name}.new"));
    let written = write_new(root, &beside, path, text).and_then(|()| root.rename(&beside, path));
    if let Err(cause) = written {
        let _ = root.remove(&beside);
        return Err(journal::failed(path, "rewritten")(cause));
    }
    journal::sync(root, folder)
}

/// Under the lock, a file of that name is one that a crash has left.
fn write_new(root: &Folder, path: &Path, like: &Path, text: &[u8]) -> io::Result<()> {
    if_there(root.remove(path))?;
    let mut file = root.create(path)?;
    let like = root.stat(like)?.ok_or(io::ErrorKind::NotFound)?;
    platform::set_rights(&file, like.mode)?;
    file.write_all(text)?;
    file.sync_all()
}
