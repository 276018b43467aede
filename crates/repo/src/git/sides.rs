//! The sides of a file in conflict.

use std::path::Path;

use super::Git;

/// A side of a conflict, by the number that git's index gives it. While a rebase is under way,
/// ours is what is rebased onto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Ours = 2,
    Theirs = 3,
}

impl Git {
    /// What a side says of a file (relative to the root) that is in conflict; `None` if it is in no
    /// conflict, or not there on that side.
    pub fn side(&self, path: &Path, side: Side) -> Option<Vec<u8>> {
        let name = format!(":{}:{}", side as u8, path.display());
        self.run(&["cat-file", "blob", &name]).ok()
    }
}
