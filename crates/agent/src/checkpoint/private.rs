//! Contents that git is never given: whoever may look at git's objects may look at them all, and a
//! mirror gets every ref. Each owner (a sealed run, or what was last seen of a work tree) has a
//! folder with a file per content, named by its digest.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    CheckpointError, Checkpoints, MOST_FILE_BYTES, Result,
    data::{link_or_copy, sync},
    state::Digest,
};
use elophanto_base::{
    platform,
    regular::{self, if_there, read_capped},
    whole::{PRIVATE, Synced, write_whole},
};

/// In the folder of the runs.
const FOLDER: &str = "private";

/// The contents of one owner.
pub(super) struct Private {
    folder: PathBuf,
}

impl Private {
    pub(super) fn of(at: &Checkpoints, owner: &str) -> Self {
        Self { folder: at.folder.join(FOLDER).join(owner) }
    }

    /// Keeps a content. It is on disk once [`Self::finish`] returns.
    pub(super) fn keep(&self, digest: &Digest, bytes: &[u8]) -> Result<()> {
        let file = self.file(digest);
        if self.read(digest).is_some() {
            return Ok(());
        }
        self.make()?;
        let written = write_whole(&file, bytes, PRIVATE, Synced::Content);
        written.map_err(CheckpointError::io(&file, "written"))
    }

    /// Takes over a content of another owner.
    pub(super) fn share(&self, digest: &Digest, other: &Self) -> Result<()> {
        self.make()?;
        link_or_copy(&other.file(digest), &self.file(digest))
    }

    /// Moves all contents of another owner here.
    pub(super) fn take_over(&self, other: &Self) -> Result<()> {
        let failed = || CheckpointError::io(&other.folder, "moved");
        self.make()?;
        for entry in fs::read_dir(&other.folder).map_err(failed())?.flatten() {
            fs::rename(entry.path(), self.folder.join(entry.file_name())).map_err(failed())?;
        }
        self.finish()?;
        fs::remove_dir(&other.folder).map_err(failed())
    }

    /// Makes what was kept last a crash.
    pub(super) fn finish(&self) -> Result<()> {
        if self.folder.is_dir() { sync(&self.folder) } else { Ok(()) }
    }

    /// Whether it is there, by its size.
    pub(super) fn holds(&self, digest: &Digest, size: u64) -> bool {
        fs::symlink_metadata(self.file(digest))
            .is_ok_and(|found| found.is_file() && found.len() == size)
    }

    /// A content, checked.
    pub(super) fn read(&self, digest: &Digest) -> Option<Vec<u8>> {
        let file = regular::open(&self.file(digest)).ok()?;
        let bytes = read_capped(file, MOST_FILE_BYTES).ok()??;
        (Digest::of(&bytes) == *digest).then_some(bytes)
    }

    /// Removes all but these.
    pub(super) fn retain(&self, needed: &BTreeSet<Digest>) {
        let needed: BTreeSet<String> = needed.iter().map(Digest::to_string).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !entry.file_name().to_str().is_some_and(|name| needed.contains(name)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    pub(super) fn remove(&self) -> Result<()> {
        if_there(fs::remove_dir_all(&self.folder))
            .map(drop)
            .map_err(CheckpointError::io(&self.folder, "removed"))
    }

    fn make(&self) -> Result<()> {
        if self.folder.is_dir() {
            return Ok(());
        }
        let made = platform::make_folders(&self.folder, platform::PRIVATE_FOLDER);
        made.map_err(CheckpointError::io(&self.folder, "made"))?;
        let above = self.folder.ancestors().skip(1).take(2);
        above.into_iter().try_for_each(sync)
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }
}

/// All owners that there are.
pub(super) fn owners(at: &Checkpoints) -> Vec<String> {
    let entries = fs::read_dir(at.folder.join(FOLDER)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Whether a path, relative to the root, is of a file that holds keys.
pub(super) fn is_private(at: &Checkpoints, path: &Path) -> bool {
    (at.holds_key)(&at.git.root().join(path))
}
