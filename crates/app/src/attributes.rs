//! The lines of git's attributes that keep two branches from a conflict over what both learnt.

use crate::{
    Error,
    init::{self, ATTRIBUTES_FILE},
    reporter::Reporter,
    workspace::{Workspace, write_beneath},
};
use elophanto_knowledge::learn;
use elophanto_repo::{Git, NotePath, read_note};

/// Largest file of attributes, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;

/// Puts our block into git's attributes if it is not there, or not as it should be. That it cannot
/// be put there is said and stops nothing.
pub fn ensure(workspace: &Workspace, reporter: &dyn Reporter) {
    if workspace.repository.git_dir.is_none() {
        return;
    }
    match write(workspace) {
        Ok(true) => reporter.note(format_args!(
            "`{ATTRIBUTES_FILE}` tells git how to merge what is written here; commit it too"
        )),
        Ok(false) => {}
        Err(cause) => reporter.note(format_args!(
            "git will not merge what two branches learn of one thing: {}",
            cause.message()
        )),
    }
}

/// Says whether anything was to be written.
fn write(workspace: &Workspace) -> Result<bool, Error> {
    let root = &workspace.repository.root;
    let current = match read_note(root, &NotePath::from(ATTRIBUTES_FILE), MOST_BYTES) {
        Ok((bytes, _)) => Some(bytes),
        Err(cause) if cause.is_gone() => None,
        Err(cause) => return Err(Error::new(format_args!("`{ATTRIBUTES_FILE}`: {cause}"))),
    };
    let write_root = &workspace.config.knowledge.write_root;
    let Some(step) = init::attributes(&|_| current.clone(), write_root)? else { return Ok(false) };
    // Whoever has said how git merges such pages needs no block of ours for it.
    let page = learn::entity_store::folder(write_root).join("any.md");
    if Git::of(&workspace.repository).is_some_and(|git| git.attribute(&page, "merge").is_some()) {
        return Ok(false);
    }
    write_beneath(root, &step.path, &step.bytes)?;
    Ok(true)
}
