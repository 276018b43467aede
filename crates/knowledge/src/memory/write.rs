//! Adding records to the files of a repository.

use std::{
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde_json::value::RawValue;

use super::{Entry, Files, MemoryError, is_repo_name, line};
use elophanto_repo::journal;

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
    /// When there is no record, one is too large, or the name is no repository's; and those of
    /// [`journal::RecordFolder::append`].
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
        let records = encode(entries)?;
        let folder = self.folder().join(repo);
        let list = || {
            let mut listing = journal::Listing::default();
            self.records.list([folder.clone()], &mut listing);
            listing
        };
        Ok(self.records.append(&records, list, &folder, now, tracked)?)
    }
}

fn encode(entries: &[Entry]) -> Result<Vec<Box<RawValue>>, MemoryError> {
    if entries.is_empty() {
        return Err(MemoryError::NoRecords);
    }
    let (mut records, mut bytes) = (Vec::with_capacity(entries.len()), 0);
    for entry in entries {
        let line = line(entry)?;
        bytes += line.len() + 1;
        let max = MAX_BATCH_BYTES;
        if bytes > max {
            return Err(MemoryError::TooLarge { what: "records", bytes, max });
        }
        let record = RawValue::from_string(line);
        records.push(record.map_err(|error| MemoryError::NotJson(error.to_string()))?);
    }
    Ok(records)
}
