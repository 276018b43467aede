//! Whether a description still holds: by content, at the moment it is shown.

use super::{
    known::{Described, Known},
    reach::Reach,
    run::read_file,
};
use elophanto_repo::{BlobId, NotePath};

elophanto_base::named! {
    /// How a described file stands to its description.
    pub enum Freshness, name {
        /// Its content is the one that was described.
        Fresh = "fresh",
        /// It has another content, or cannot be read now.
        Stale = "stale",
        /// It is no longer there.
        Gone = "gone",
    }
}

/// Compares the content at `path` with the one named `blob`, in hex.
pub fn freshness(reach: &Reach, path: &NotePath, blob: &str, limit: u64) -> Freshness {
    described_content(reach, path, blob, limit).err().unwrap_or(Freshness::Fresh)
}

/// The content at `path`, if it is the one named `blob`, in hex.
///
/// # Errors
/// How the file stands to its description else.
pub fn described_content(
    reach: &Reach,
    path: &NotePath,
    blob: &str,
    limit: u64,
) -> Result<Vec<u8>, Freshness> {
    match read_file(reach, path, limit) {
        Ok((bytes, _)) if BlobId::of(&bytes).to_string() == blob => Ok(bytes),
        Err(cause) if cause.is_gone() => Err(Freshness::Gone),
        Ok(_) | Err(_) => Err(Freshness::Stale),
    }
}

/// The description of a file as it is now, else the one to show for it, and how it stands to the
/// file.
pub fn current<'k>(
    known: &'k Known,
    reach: &Reach,
    path: &NotePath,
    limit: u64,
) -> Option<(&'k Described, Freshness)> {
    let shown = known.shown(path)?;
    match read_file(reach, path, limit) {
        Ok((bytes, _)) => match known.of_content(path, &BlobId::of(&bytes).to_string()) {
            Some(described) => Some((described, Freshness::Fresh)),
            None => Some((shown, Freshness::Stale)),
        },
        Err(cause) if cause.is_gone() => Some((shown, Freshness::Gone)),
        Err(_) => Some((shown, Freshness::Stale)),
    }
}
