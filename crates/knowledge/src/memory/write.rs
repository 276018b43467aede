//! Adding records: under the lock of all writers, to a file that git does not track.

use std::{
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{Entry, Files, MemoryError, append, files, is_repo_name, line, names};
use elophanto_base::beneath::{Folder, above_ours};

/// Most bytes of what is added at once.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;

impl Files {
    /// Adds records in their order, all to one file of a repository, and returns which. Once this
    /// returns, they are on disk.
    ///
    /// `tracked` says whether git tracks a file. It is asked under the lock, at most once. What is
    /// committed under this lock (see [`Files::hold`]) is not written to again.
    ///
    /// # Errors
    /// When the records are not there: there is none, one is too large, the name is no
    /// repository's, a folder is a link, there is no room, git cannot be asked, or the disk failed.
    /// What a failed sync or the end of this process has interrupted may be found there later all
    /// the same.
    pub fn append(
        &self,
        repo: &str,
        entries: &[Entry],
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<PathBuf, MemoryError> {
        if !is_repo_name(repo) {
            return Err(MemoryError::RepoName(repo.chars().take(100).collect()));
        }
        let lines = encode(entries)?;
        let folder = self.folder.join(repo);
        let held = self.hold()?;
        let above = above_ours(&self.folder);
        let root = Folder::open(above).map_err(files::failed(&self.folder, "made"))?;
        let (path, is_new) = self.next_file(&root, &folder, now, tracked)?;
        let file = append::write(&root, &path, is_new, &lines)?;
        drop(held);
        append::sync(&root, &file, &path, &folder)?;
        Ok(path)
    }

    /// The newest file if it may grow; else one to be made, in a folder that is there.
    fn next_file(
        &self,
        root: &Folder,
        folder: &Path,
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<(PathBuf, bool), MemoryError> {
        let above = self.folder.parent().unwrap_or(Path::new(""));
        let max = self.limits.files;
        let found = files::repo_files(root, folder, max)?;
        let ids: Vec<_> = found.iter().map(|(id, _)| *id).collect();
        let newest = names::newest(&ids, now);
        if let Some((id, true)) = found.iter().find(|(id, _)| Some(*id) == newest) {
            let path = folder.join(names::file_name(*id));
            if self.has_room(root, &path) && !is_tracked(&path, tracked)? {
                return Ok((path, false));
            }
        }
        // More could not be read back.
        if found.len() >= max {
            return Err(MemoryError::TooManyFiles { folder: folder.to_owned(), max });
        }
        files::make_folders(root, &[above, &self.folder, folder])?;
        Ok((folder.join(names::file_name(names::after(newest, now))), true))
    }

    fn has_room(&self, root: &Folder, path: &Path) -> bool {
        let file = root.stat(path).ok().flatten();
        file.is_some_and(|file| file.size < self.limits.full_bytes)
    }
}

fn encode(entries: &[Entry]) -> Result<String, MemoryError> {
    if entries.is_empty() {
        return Err(MemoryError::NoRecords);
    }
    let mut lines = String::new();
    for entry in entries {
        lines.push_str(&line(entry)?);
        lines.push('\n');
        let (bytes, max) = (lines.len(), MAX_BATCH_BYTES);
        if bytes > max {
            return Err(MemoryError::TooLarge { what: "records", bytes, max });
        }
    }
    Ok(lines)
}

fn is_tracked(
    path: &Path,
    tracked: &dyn Fn(&Path) -> io::Result<bool>,
) -> Result<bool, MemoryError> {
    tracked(path).map_err(|cause| MemoryError::Tracked { path: path.to_owned(), cause })
}
