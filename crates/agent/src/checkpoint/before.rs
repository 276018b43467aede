//! What files were before a run changed them, for whoever looks at what it did.

use std::path::PathBuf;

use super::{Checkpoints, Result, patch::is_folder, seal, state::State};
use elophanto_repo::ObjectId;

/// Larger files are not read.
const MOST_BYTES: u64 = 1024 * 1024;

/// A file before a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Was {
    /// Relative to the root.
    pub path: PathBuf,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// There was none.
    Absent,
    Bytes(Vec<u8>),
    /// No file, too large, or one that holds keys.
    NotShown,
}

impl Checkpoints<'_> {
    /// What the files were that a run changed, by path; folders are left out. Nothing of a run that
    /// changed nothing or is still at work.
    ///
    /// # Errors
    /// When git cannot give back what it holds.
    pub fn before(&self, run: &str) -> Result<Vec<Was>> {
        if !self.heads()?.iter().any(|head| head.run == run) {
            return Ok(Vec::new());
        }
        let held = seal::contents(self, run)?;
        let changes = seal::read_record(self, run)?.changes;
        let changes = changes.into_iter();
        let changes = changes.filter(|net| !(is_folder(&net.was) && is_folder(&net.left)));
        let objects = self.git.objects();
        let content = |state: &State| match state {
            State::Absent | State::Folder { .. } => Content::Absent,
            State::File { digest, .. } => {
                let id: Option<&ObjectId> = held.get(digest);
                let read = id.and_then(|id| objects.read(&[id], MOST_BYTES).pop()?.ok());
                read.map_or(Content::NotShown, Content::Bytes)
            }
            State::Link { .. } | State::Opaque(_) => Content::NotShown,
        };
        let was = changes.map(|net| Was { path: net.path.to_path(), content: content(&net.was) });
        Ok(was.collect())
    }
}
