//! Moving files of old lessons out of the way, whole.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{Files, Found, MemoryError, read};
use elophanto_base::{beneath::Folder, jsonl::Lock};
use elophanto_repo::journal;

/// What was moved, or would be.
#[derive(Debug, Default)]
pub struct Archived {
    pub files: usize,
    pub records: usize,
    /// Where the files lay, and where they lie now, by path.
    pub moves: Vec<(PathBuf, PathBuf)>,
    /// What could not be listed, read or moved. It stays where it is.
    pub left: Vec<MemoryError>,
}

impl Files {
    /// Moves the files whose records are all older than `before` to the archive. A file that may
    /// hold more than could be read of it stays, as do those of other programs. What a moved file
    /// takes back or corrects is still to be [folded](super::fold) with it.
    ///
    /// `dry_run` only says what would be moved: it writes nothing, and takes no lock.
    ///
    /// # Errors
    /// When the lock cannot be taken, or a folder cannot be made or synced. What was moved until
    /// then stays moved.
    pub fn archive(&self, before: Timestamp, dry_run: bool) -> Result<Archived, MemoryError> {
        let held = if dry_run { None } else { Some(self.hold()?) };
        let listing = self.list();
        let Some(root) = self.records.root()? else { return Ok(Archived::default()) };
        let left = listing.unreadable.into_iter().map(Into::into).collect();
        let mut archived = Archived { left, ..Archived::default() };
        let mut changed = BTreeSet::new();
        for found in listing.files.iter().filter(|found| self.is_ours(found) && !found.is_archived)
        {
            let records = match self.old_records(&root, found, before) {
                Ok(Some(records)) => records,
                Ok(None) => continue,
                Err(error) => {
                    archived.left.push(error);
                    continue;
                }
            };
            let Some(name) = found.path.file_name() else { continue };
            let folder = self.archive_folder().join(&found.repo);
            let to = folder.join(name);
            if let Some(held) = &held {
                if changed.insert(folder.clone()) {
                    self.records.make(&folder)?;
                }
                if let Err(error) = self.move_file(&root, &found.path, &to, held) {
                    archived.left.push(error);
                    continue;
                }
                if let Some(from) = found.path.parent()
                    && changed.insert(from.to_owned())
                {
                    stay(&root, from)?;
                }
            }
            archived.files += 1;
            archived.records += records;
            archived.moves.push((found.path.clone(), to));
        }
        for folder in changed {
            journal::sync(&root, &folder)?;
        }
        Ok(archived)
    }

    /// Whether a file is in the folder of a repository: beside those lie other programs' files.
    pub fn is_ours(&self, found: &Found) -> bool {
        found.path.parent() != Some(self.folder())
    }

    /// How many records a file has, if all of them are known and old.
    fn old_records(
        &self,
        root: &Folder,
        found: &Found,
        before: Timestamp,
    ) -> Result<Option<usize>, MemoryError> {
        let (read, is_complete) = read::parse(&self.records.bytes(root, &found.path)?, &found.repo);
        let is_old = read.entries.iter().all(|(_, entry)| entry.timestamp() < before);
        let records = read.entries.len();
        Ok((is_complete && is_old && records > 0).then_some(records))
    }

    /// A file of that name in the archive is taken over only if it is the same: another branch has
    /// moved it.
    fn move_file(
        &self,
        root: &Folder,
        from: &Path,
        to: &Path,
        _held: &Lock,
    ) -> Result<(), MemoryError> {
        let bytes = |path| self.records.bytes(root, path);
        match root.stat(to).map_err(journal::failed(to, "read"))? {
            None => {}
            Some(there) if !there.is_file() || bytes(from)? != bytes(to)? => {
                return Err(MemoryError::Taken(to.to_owned()));
            }
            Some(_) => {}
        }
        Ok(root.rename(from, to).map_err(journal::failed(from, "moved"))?)
    }
}

/// Leaves an empty file in a folder. Where all files of a folder were moved, git takes the folder for
/// renamed, and would bring lessons that another branch writes there to the archive as well.
fn stay(root: &Folder, folder: &Path) -> Result<(), MemoryError> {
    let keep = folder.join(".gitkeep");
    match root.create(&keep) {
        Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => {
            Err(journal::failed(&keep, "made")(cause).into())
        }
        _ => Ok(()),
    }
}
