//! The lines of git's attributes that keep two branches from a conflict over what both learnt.

use std::{fmt::Display, path::Path};

use crate::{
    Error, Result,
    init::{self, ATTRIBUTES_FILE, managed_block},
    reporter::Reporter,
    workspace::{Workspace, write_beneath},
};
use elophanto_knowledge::learn;
use elophanto_repo::{Git, NotePath, Version, read_if_there, remove_beneath};

/// Largest file of attributes, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;
/// Holds our settings, vectors and records.
const OWN_FOLDER: &str = ".elophanto";

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

/// Takes our block out of git's attributes, unless it is committed, which makes it that of every clone,
/// or something that it is for is there: settings and vectors, or pages of what was learnt. Says what
/// became of it.
pub(crate) fn withdraw(workspace: &Workspace, reporter: &dyn Reporter) {
    let stays = |why: &dyn Display| {
        reporter.note(format_args!("our lines in `{ATTRIBUTES_FILE}` stay: {why}"));
    };
    let learned = learn::entity_store::folder(&workspace.config.knowledge.write_root);
    let root = &workspace.repository.root;
    let holds = |folder: &&Path| root.join(folder).symlink_metadata().is_ok();
    let needs = [Path::new(OWN_FOLDER), &*learned].into_iter().find(holds);
    let is_committed = is_staged(workspace);
    match take_out(workspace, needs.is_none() && !is_committed) {
        Ok(false) => {}
        Ok(true) if is_committed => stays(&"they are committed, and so those of every clone"),
        Ok(true) => match needs {
            Some(folder) => {
                stays(&format_args!("they tell git how to merge what is in `{}`", folder.display()))
            }
            None => {
                reporter.note(format_args!("our lines in `{ATTRIBUTES_FILE}` were taken out"));
            }
        },
        Err(cause) => stays(&cause.message()),
    }
}

/// Whether the next commit holds our block.
fn is_staged(workspace: &Workspace) -> bool {
    let Some(git) = Git::of(&workspace.repository) else { return false };
    let path = Path::new(ATTRIBUTES_FILE);
    let files = git.list(&Version::Staged, &[path]).unwrap_or_default();
    files.iter().filter(|file| file.path.as_path() == path).any(|file| {
        let read = git.objects().read(&[&file.object], MOST_BYTES).pop();
        let bytes = read.and_then(Result::ok).unwrap_or_default();
        managed_block::split(&bytes).is_ok_and(|block| block.is_some())
    })
}

/// Says whether our block is, or was, there.
fn take_out(workspace: &Workspace, is_to_go: bool) -> Result<bool> {
    let (root, path) = (&workspace.repository.root, NotePath::from(ATTRIBUTES_FILE));
    let Some(current) = current(root)? else { return Ok(false) };
    let rest = managed_block::remove(&current)
        .map_err(|cause| Error::new(format_args!("`{ATTRIBUTES_FILE}`, line {cause}")))?;
    let Some(rest) = rest else { return Ok(false) };
    if is_to_go && rest.is_empty() {
        remove_beneath(root, path.as_path())?;
    } else if is_to_go {
        write_beneath(root, path.as_path(), &rest)?;
    }
    Ok(true)
}

fn current(root: &Path) -> Result<Option<Vec<u8>>> {
    read_if_there(root, &NotePath::from(ATTRIBUTES_FILE), MOST_BYTES)
        .map_err(|cause| Error::new(format_args!("`{ATTRIBUTES_FILE}`: {cause}")))
}

/// Says whether anything was to be written.
fn write(workspace: &Workspace) -> Result<bool> {
    let root = &workspace.repository.root;
    let current = current(root)?;
    let write_root = &workspace.config.knowledge.write_root;
    let Some(step) = init::attributes(&|_| current.clone(), write_root)? else { return Ok(false) };
    // Whoever has said how git merges such pages needs no block of ours for it; an older block is brought up
    // to date.
    let page = learn::entity_store::folder(write_root).join("any.md");
    let has_block = managed_block::split(current.as_deref().unwrap_or_default())
        .is_ok_and(|block| block.is_some());
    if !has_block
        && Git::of(&workspace.repository).is_some_and(|git| git.attribute(&page, "merge").is_some())
    {
        return Ok(false);
    }
    write_beneath(root, &step.path, &step.bytes)?;
    Ok(true)
}
