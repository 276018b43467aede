//! Files in the folder of a run: the contents that its journal speaks of, one after another in a
//! file of their own, and second names of files that others replace.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{CheckpointError, Result};
use elophanto_base::{
    regular::{open, open_or_make},
    whole::PRIVATE,
};

const DATA: &str = "data";

/// The file of contents of a run. What a crash leaves at its end is passed over.
pub(super) struct Data {
    path: PathBuf,
    file: Option<File>,
    end: u64,
}

impl Data {
    /// In the folder of a run.
    pub(super) fn new(folder: &Path) -> Self {
        Self { path: folder.join(DATA), file: None, end: 0 }
    }

    /// Returns where the bytes begin.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<u64> {
        let failed = || CheckpointError::io(&self.path, "written");
        if self.file.is_none() {
            let file = open_or_make(&self.path, PRIVATE).map_err(failed())?;
            self.end = file.metadata().map_err(failed())?.len();
            self.file = Some(file);
        }
        let at = self.end;
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes)).map_err(failed())?;
        }
        self.end += bytes.len() as u64;
        Ok(at)
    }

    /// Once this returns, all of it is on disk.
    pub(super) fn finish(self) -> Result<()> {
        match self.file {
            Some(file) => file.sync_data().map_err(CheckpointError::io(&self.path, "written")),
            None => Ok(()),
        }
    }
}

/// Bytes that were added at `from`.
pub(super) fn kept(folder: &Path, from: u64, size: u64) -> Result<Vec<u8>> {
    let path = folder.join(DATA);
    let mut bytes = Vec::new();
    let mut read = || {
        let mut file = open(&path)?;
        file.seek(SeekFrom::Start(from))?;
        file.take(size).read_to_end(&mut bytes)
    };
    read().map_err(CheckpointError::io(&path, "read"))?;
    Ok(bytes)
}

/// Makes the entries of a folder durable.
pub(super) fn sync(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(CheckpointError::io(folder, "written"))
}

/// Gives a file a second name, in place of what had it. Files that are replaced and never written
/// into may be shared.
pub(super) fn link_or_copy(from: &Path, to: &Path) -> Result<()> {
    let _ = fs::remove_file(to);
    let copy = |_| {
        let bytes = fs::read(from)?;
        let mut file = File::create_new(to)?;
        file.write_all(&bytes)?;
        file.sync_data()
    };
    fs::hard_link(from, to).or_else(copy).map_err(CheckpointError::io(to, "written"))
}
