//! What was put aside for a commit of which nobody knows yet whether it was made.
//!
//! A commit can come to nothing after its hook has run (an empty message, another hook). What we
//! staged for it then lies in git's index, or, after `commit -a`, in the work tree only. The next
//! commit knows it by this memory and makes it anew; what the user has changed in the meantime is
//! the user's.

use std::{fs, io, path::PathBuf};

use elophanto_repo::{BlobId, Git, ObjectId, Stored};

/// The memory of one work tree.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Name and content of the entry for the commit itself.
    pub entry: Option<(String, ObjectId)>,
    /// The page that was put into the work tree last.
    pub page: Option<ObjectId>,
    /// The entries, as one name, that a page was seen to gather completely.
    pub gathered: Option<String>,
}

impl Attempt {
    /// What is remembered; nothing where that cannot be read.
    pub fn read(git: &Git) -> Self {
        let text = fs::read_to_string(file(git)).unwrap_or_default();
        let mut attempt = Self::default();
        for line in text.lines() {
            let Some((kind, rest)) = line.split_once(' ') else { continue };
            match kind {
                "entry" => {
                    attempt.entry = rest.split_once(' ').and_then(|(id, name)| {
                        Some((name.to_owned(), ObjectId::from_hex(id.as_bytes())?))
                    });
                }
                "page" => attempt.page = ObjectId::from_hex(rest.as_bytes()),
                "gathered" => attempt.gathered = Some(rest.to_owned()),
                _ => {}
            }
        }
        attempt
    }

    /// Remembers it. Where that cannot be written, an attempt that comes to nothing leaves its
    /// files behind: no reason to stop this one.
    pub fn write(&self, git: &Git) {
        let entry = self.entry.as_ref().map(|(name, id)| format!("entry {id} {name}\n"));
        let page = self.page.map(|id| format!("page {id}\n"));
        let gathered = self.gathered.as_ref().map(|name| format!("gathered {name}\n"));
        let text: String = [entry, page, gathered].into_iter().flatten().collect();
        let file = file(git);
        let write = || -> io::Result<()> {
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&file, text)
        };
        let _ = write();
    }
}

/// A set of entries as one name.
pub fn name_of(entries: &[Stored]) -> String {
    let lines = entries.iter().map(|file| [file.object.as_bytes(), file.path.as_bytes(), b"\0"]);
    BlobId::of(&lines.flatten().collect::<Vec<_>>().concat()).to_string()
}

fn file(git: &Git) -> PathBuf {
    git.git_dir().join("elophanto").join("changelog-attempt")
}
