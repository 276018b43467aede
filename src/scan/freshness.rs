//! Whether a description still holds: by content, at the moment it is shown.

use std::path::Path;

use super::run::read_file;
use crate::repo::{BlobId, NotePath};

/// How a described file stands to its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Its content is the one that was described.
    Fresh,
    /// It has another content, or cannot be read now.
    Stale,
    /// It is no longer there.
    Gone,
}

/// Compares the content at `path` with the one named `blob`, in hex.
pub fn freshness(root: &Path, path: &NotePath, blob: &str, limit: u64) -> Freshness {
    match read_file(root, path, limit) {
        Ok((bytes, _)) if BlobId::of(&bytes).to_string() == blob => Freshness::Fresh,
        Err(cause) if cause.is_gone() => Freshness::Gone,
        Ok(_) | Err(_) => Freshness::Stale,
    }
}
