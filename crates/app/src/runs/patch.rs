//! What a run changed, as a patch for `git apply`.

use super::Left;
use crate::{Result, Workspace};
use elophanto_agent::{checkpoint::Checkpoints, permissions::is_key};

/// A patch of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Patch {
    /// Empty if the run changed nothing that a patch can say.
    pub bytes: Vec<u8>,
    /// How many it changes.
    pub files: usize,
    /// What the run changed and the patch does not.
    pub left_out: Vec<Left>,
}

/// The patch of a run that has ended, by its whole id: from what its files were before it to what it
/// left, whatever became of them since.
///
/// # Errors
/// When there is no git repository, or it cannot give back what it holds.
pub fn patch(workspace: &Workspace, run: &str) -> Result<Patch> {
    let (git, folder) = super::checkpoints_of(workspace)?;
    let patch = Checkpoints::new(&git, &folder, is_key).patch(run)?;
    let left = |one: &elophanto_agent::checkpoint::Unpatched| Left {
        path: one.path.to_string_lossy().into_owned(),
        reason: one.why.as_str(),
    };
    let left_out = patch.left_out.iter().map(left).collect();
    Ok(Patch { bytes: patch.bytes, files: patch.files, left_out })
}
