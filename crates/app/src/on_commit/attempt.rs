//! What was put aside for a commit of which nobody knows yet whether it was made.
//!
//! A commit can come to nothing after its hook has run (an empty message, another hook). What we
//! staged for it then lies in git's index, or, after `commit -a`, in the work tree only. The next
//! commit knows it by this memory and makes it anew, unless the commit was made after all; what the
//! user has changed in the meantime is the user's.

use std::path::PathBuf;

use elophanto_base::regular::read_text;
use elophanto_index::store::write_whole;
use elophanto_repo::{Git, ObjectId};

/// Largest memory, in bytes.
const MOST_BYTES: u64 = 64 * 1024;

/// The memory of one work tree.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Name and content of the entry for the commit itself.
    pub entry: Option<(String, ObjectId)>,
}

impl Attempt {
    /// What is remembered; nothing where that cannot be read.
    pub fn read(git: &Git) -> Self {
        let text = read_text(&file(git), MOST_BYTES).unwrap_or_default();
        let entry = text.lines().find_map(|line| {
            let (id, name) = line.strip_prefix("entry ")?.split_once(' ')?;
            Some((name.to_owned(), ObjectId::from_hex(id.as_bytes())?))
        });
        Self { entry }
    }

    /// Remembers it. Where that cannot be written, an attempt that comes to nothing leaves its
    /// files behind: no reason to stop this one.
    pub fn write(&self, git: &Git) {
        let entry = self.entry.as_ref().map(|(name, id)| format!("entry {id} {name}\n"));
        let _ = write_whole(&file(git), entry.unwrap_or_default().as_bytes());
    }
}

fn file(git: &Git) -> PathBuf {
    git.git_dir().join("elophanto").join("changelog-attempt")
}
