//! What a run changed, as a patch for `git apply`.

use std::path::Path;

use super::Left;
use crate::{Error, Workspace};
use elophanto_agent::{checkpoint::Checkpoints, permissions::is_key};
use elophanto_base::{beneath::Folder, visible::exact_line};
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
pub fn patch(workspace: &Workspace, run: &str) -> Result<Patch, Error> {
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

/// Writes a patch to a file that is not there yet.
///
/// # Errors
/// When there is one, or it cannot be written.
pub fn write_patch(path: &Path, patch: &Patch) -> Result<(), Error> {
    let (folder, name) = place(path)?;
    Folder::open(folder)
        .and_then(|folder| folder.write_new(name, &patch.bytes))
        .map_err(|cause| unwritable(path, &cause))
}

/// Refuses a place where no patch could be written: to be asked before the work is done.
///
/// # Errors
/// When something is there, or no folder that would hold it.
pub fn refuse_taken(path: &Path) -> Result<(), Error> {
    let (folder, name) = place(path)?;
    match Folder::open(folder).map(|folder| folder.exists(name)) {
        Ok(false) => Ok(()),
        Ok(true) => Err(unwritable(path, &std::io::ErrorKind::AlreadyExists.into())),
        Err(cause) => Err(unwritable(path, &cause)),
    }
}

fn place(path: &Path) -> Result<(&Path, &Path), Error> {
    let name = path.file_name().ok_or_else(|| {
        let shown = exact_line(&path.to_string_lossy());
        Error::new(format_args!("no patch can be written to `{shown}`: it names no file"))
    })?;
    Ok((path.parent().unwrap_or(Path::new("")), Path::new(name)))
}

fn unwritable(path: &Path, cause: &std::io::Error) -> Error {
    let shown = exact_line(&path.to_string_lossy());
    let cause = match cause.kind() {
        std::io::ErrorKind::AlreadyExists => "there is a file of that name already".to_owned(),
        _ => cause.to_string(),
    };
    Error::new(format_args!("no patch can be written to `{shown}`: {cause}"))
        .hint("name a file that is not there yet, in a folder that is")
}
