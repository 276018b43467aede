//! The changelog of a knowledge base: its entries, and the page that gathers them.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error, Result,
    reporter::Reporter,
    workspace::{Workspace, write_beneath},
};
use elophanto_base::{beneath::Folder, regular::if_there};
use elophanto_repo::{NotePath, read_if_there, read_note};
use elophanto_text::{changelog, markdown};

/// Most entries that are read; older ones are left out.
const MAX_ENTRIES: usize = 10_000;
/// Most bytes of all entries together; older ones are left out.
const MAX_BYTES: u64 = 32 << 20;

/// What became of the page that gathers the entries.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Written {
    /// Relative to the root.
    pub path: String,
    /// Entries that the page gathers.
    pub entries: usize,
    /// Whether it had to be written.
    pub written: bool,
}

/// Brings the page that gathers the entries up to date.
///
/// # Errors
/// When an entry's folder or the page cannot be read or written, or the page's block is damaged.
pub fn write(workspace: &Workspace, reporter: &dyn Reporter) -> Result<Written> {
    let folder = changelog::folder(&workspace.config.knowledge.write_root);
    workspace.repository.refuse_left_out(&folder)?;
    let entries = entries(workspace, reporter)?;
    let root = &workspace.repository.root;
    let path = changelog::page(&workspace.config.knowledge.write_root);
    let limit = workspace.config.knowledge.max_file_bytes;
    let shown = path.display().to_string();
    let existing = read_if_there(root, &NotePath::from(path.as_path()), limit)
        .map_err(|cause| Error::new(format_args!("{shown}: {cause}")))?;
    let new = changelog::assemble(&entries, &existing.unwrap_or_default())
        .map_err(|cause| Error::new(format_args!("{shown}: {cause}")))?;
    if let Some(new) = &new {
        write_beneath(root, &path, new)?;
    }
    let count = changelog::newest_first(&entries).len();
    Ok(Written { path: shown, entries: count, written: new.is_some() })
}

/// Names and texts of all entries that can be read.
///
/// # Errors
/// When their folder cannot be read.
pub fn entries(workspace: &Workspace, reporter: &dyn Reporter) -> Result<Vec<(String, String)>> {
    let root = &workspace.repository.root;
    let folder = changelog::folder(&workspace.config.knowledge.write_root);
    let names = names(root, &folder)?;
    let limit = workspace.config.knowledge.max_file_bytes.min(MAX_BYTES);
    let mut entries = Vec::new();
    let mut room = MAX_BYTES;
    for (number, name) in names.iter().enumerate() {
        let path = NotePath::from(folder.join(name).as_path());
        let read = read_note(root, &path, limit).map_err(|cause| cause.to_string());
        let text = read.and_then(|(bytes, _)| match markdown::decode(&bytes) {
            Ok(decoded) => Ok(decoded.text.into_owned()),
            Err(cause) => Err(cause.to_string()),
        });
        match text {
            Ok(text) if number < MAX_ENTRIES && text.len() as u64 <= room => {
                room -= text.len() as u64;
                entries.push((name.clone(), text));
            }
            Ok(_) => {
                let older = names.len() - number;
                reporter.warn(format_args!(
                    "{older} older entries are left out: more than {MAX_ENTRIES} or {MAX_BYTES} bytes"
                ));
                break;
            }
            Err(cause) => reporter.warn(format_args!("{}: skipped: {cause}", path.to_text())),
        }
    }
    Ok(entries)
}

/// Names of entries, newest first. A folder that is a link to somewhere else has none of ours.
fn names(root: &Path, folder: &Path) -> Result<Vec<String>> {
    let entries = if_there(Folder::open(root).and_then(|root| root.entries(folder)))
        .map_err(|cause| Error::new(format_args!("{}: {cause}", folder.display())))?;
    let mut names = Vec::new();
    for entry in entries.into_iter().flatten() {
        let Ok(name) = entry?.0.into_string() else { continue };
        if let Some(parts) = changelog::name_parts(&name) {
            names.push((parts, name));
        }
    }
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names.into_iter().map(|(_, name)| name).collect())
}
