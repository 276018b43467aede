//! A file that the user hands over to be read.

use std::{
    fmt::Display,
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use crate::{Error, Result, workspace::Workspace};
use elophanto_base::{beneath::Folder, regular::follow, visible::escape_control_line};

/// What a file holds whose path the user typed, at most one byte more than `most`. A link in the repository,
/// which a clone may have brought, is not followed out of it; what lies outside may be named itself.
///
/// # Errors
/// When it is no file, cannot be read, or lies behind such a link.
pub fn handed(workspace: &Workspace, typed: &str, most: u64) -> Result<Vec<u8>> {
    let shown = escape_control_line(typed);
    let failed = |what: &dyn Display| {
        Error::new(format_args!("`{shown}` {what}"))
            .hint("give a file, an address that begins with https://, or `-`")
    };
    let unread = |cause: io::Error| failed(&format_args!("cannot be read: {cause}"));
    let absolute = std::path::absolute(typed).map_err(unread)?;
    let real = absolute.canonicalize().map_err(unread)?;
    if !real.is_file() {
        return Err(failed(&"is no file"));
    }
    let root = &workspace.repository.root;
    let is_inside = |folder: &Path| folder.canonicalize().is_ok_and(|it| it.starts_with(root));
    let file = match real.strip_prefix(root) {
        Ok(path) => Folder::open(root).and_then(|top| top.read(path)).map(|(file, _)| file),
        Err(_) if by_name(&absolute).ancestors().any(is_inside) => {
            let real = escape_control_line(&real.to_string_lossy());
            let what = format!("`{shown}` leads out of the repository through a link");
            return Err(Error::new(what).hint(format!("if it is to be read, give `{real}`")));
        }
        Err(_) => follow(&real),
    };
    let mut bytes = Vec::new();
    file.and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(unread)?;
    Ok(bytes)
}

/// A path without its `..`, as it is written.
fn by_name(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut before, part| {
        match part {
            Component::ParentDir => drop(before.pop()),
            part => before.push(part),
        }
        before
    })
}
