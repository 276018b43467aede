//! What runs have changed, as it stands in the work tree now.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{Result, Workspace};
use elophanto_agent::{
    checkpoint::{Checkpoints, Content},
    permissions::is_key,
    tools::diff,
};
use elophanto_repo::{NotePath, read_note};

/// Larger files are named only.
const MOST_BYTES: u64 = 1024 * 1024;

/// A file that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the root.
    pub path: PathBuf,
    /// As a unified diff; `None` of what is no text, too large, or holds keys.
    pub diff: Option<String>,
}

/// Files that differ from what they were before the first of these runs that changed them, by path.
/// What was changed by others since is part of it, what was taken back is not.
///
/// # Errors
/// When there is no git repository, or it cannot give back what it holds.
pub fn changes(workspace: &Workspace, runs: &[String]) -> Result<Vec<Change>> {
    let (git, folder) = super::checkpoints_of(workspace)?;
    let checkpoints = Checkpoints::new(&git, &folder, is_key);
    let mut runs: Vec<&String> = runs.iter().collect();
    // Ids begin with the time.
    runs.sort_unstable();
    let mut before = BTreeMap::new();
    for run in runs {
        for was in checkpoints.before(run)? {
            before.entry(was.path).or_insert(was.content);
        }
    }
    let changed = before.into_iter().filter_map(|(path, was)| {
        let now = now(workspace, &path);
        if was == now && now != Content::NotShown {
            return None;
        }
        let diff = match (text(&was), text(&now)) {
            (Some(was), Some(now)) => Some(diff(&path, was.as_deref(), now.as_deref(), 0)),
            _ => None,
        };
        Some(Change { path, diff })
    });
    Ok(changed.collect())
}

/// What there is of a file now.
fn now(workspace: &Workspace, path: &std::path::Path) -> Content {
    let root = &workspace.repository.root;
    let full = root.join(path);
    match full.symlink_metadata() {
        Err(_) => Content::Absent,
        Ok(found) if found.is_file() && !is_key(&full) => {
            let read = read_note(root, &NotePath::from(path), MOST_BYTES);
            read.map_or(Content::NotShown, |(bytes, _)| Content::Bytes(bytes))
        }
        Ok(_) => Content::NotShown,
    }
}

/// `None` of what is no text; of a file that is not there, no text.
fn text(content: &Content) -> Option<Option<String>> {
    match content {
        Content::Absent => Some(None),
        Content::Bytes(bytes) => String::from_utf8(bytes.clone()).ok().map(Some),
        Content::NotShown => None,
    }
}
