//! Adding records: under the lock of all writers, to a file that git does not track.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{Entry, Files, MemoryError, append, files, is_repo_name, line, names};

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
        let (path, is_new) = self.next_file(&folder, now, tracked)?;
        let file = append::write(&path, is_new, &lines)?;
        drop(held);
        append::sync(&file, &path, &folder)?;
        Ok(path)
    }

    /// The newest file if it may grow; else one to be made, in a folder that is there.
    fn next_file(
        &self,
        folder: &Path,
        now: Timestamp,
        tracked: &dyn Fn(&Path) -> io::Result<bool>,
    ) -> Result<(PathBuf, bool), MemoryError> {
        let above = self.folder.parent().unwrap_or(Path::new(""));
        let max = self.limits.files;
        let mut found = Vec::new();
        if files::is_folder(above)? && files::is_folder(&self.folder)? {
            found = files::repo_files(folder, max)?;
        }
        let ids: Vec<_> = found.iter().map(|(id, _)| *id).collect();
        let newest = names::newest(&ids, now);
        if let Some((id, true)) = found.iter().find(|(id, _)| Some(*id) == newest) {
            let path = folder.join(names::file_name(*id));
            if self.has_room(&path) && !is_tracked(&path, tracked)? {
                return Ok((path, false));
            }
        }
        // More could not be read back.
        if found.len() >= max {
            return Err(MemoryError::TooManyFiles { folder: folder.to_owned(), max });
        }
        files::make_folders(&[above, &self.folder, folder])?;
        Ok((folder.join(names::file_name(names::after(newest, now))), true))
    }

    fn has_room(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|file| file.len() < self.limits.full_bytes)
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
