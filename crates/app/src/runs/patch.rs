//! What a run changed, as a patch for `git apply`.

use super::Left;
use crate::{Error, Result, Workspace};
use elophanto_agent::{checkpoint::Checkpoints, permissions::is_key};
use elophanto_repo::Git;

/// A patch of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Patch {
    /// Empty if the run changed nothing that a patch can say.
    pub bytes: Vec<u8>,
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
    let Some(git) = Git::of(&workspace.repository) else {
        return Err(Error::new("there is no git repository here, so there are no checkpoints"));
    };
    let folder = workspace.repository.runs_dir();
    let patch = Checkpoints::new(&git, &folder, is_key).patch(run)?;
    let left = |one: &elophanto_agent::checkpoint::Unpatched| Left {
        path: one.path.to_string_lossy().into_owned(),
        reason: one.why.as_str(),
    };
    let left_out = patch.left_out.iter().map(left).collect();
    Ok(Patch { bytes: patch.bytes, files: patch.files, left_out })
}
