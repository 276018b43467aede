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

    /// The side that kept a file (relative to the root) which the other deleted, until that is
    /// settled; the file then holds no marks of a conflict. Git is asked only where it is in the
    /// middle of something.
    pub fn one_sided(&self, path: &Path) -> Option<Side> {
        if !self.is_under_way() {
            return None;
        }
        let path = path.display().to_string();
        let output =
            self.run(&["ls-files", "--unmerged", "-z", "--full-name", "--", &path]).ok()?;
        // `mode id stage\tpath`.
        let stages = output.split(|&byte| byte == 0).filter_map(|line| {
            let tab = line.iter().position(|&byte| byte == b'\t')?;
            line[..tab].last().copied()
        });
        let stages: Vec<u8> = stages.collect();
        match (stages.contains(&b'2'), stages.contains(&b'3')) {
            (true, false) => Some(Side::Ours),
            (false, true) => Some(Side::Theirs),
            _ => None,
        }
    }
}
