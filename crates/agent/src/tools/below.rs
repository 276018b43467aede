//! All that lies below a place, for tools that move or remove folders: no more than can be judged
//! path by path.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::contents::failed;
use crate::ToolError;
use elophanto_base::beneath::{Folder, Kind};
use elophanto_repo::is_git_name;

/// Files and folders that one call moves or removes at most.
const MOST: usize = 1_000;

/// A file or folder, relative to the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) relative: PathBuf,
    pub(super) kind: Kind,
    /// Of a file: bytes, inode, and when it was changed, so that another one is known as such.
    stamp: (u64, u64, i64),
}

/// The place itself and all below it, sorted, folders before what is in them. Links are not
/// followed.
///
/// # Errors
/// When there is too much, or a repository among it.
pub(super) fn below(root: &Path, place: &Path) -> Result<Vec<Item>, ToolError> {
    let unopened = |cause: io::Error| failed("look at", place, &cause);
    let top = Folder::open(root).map_err(unopened)?;
    let mut items = Vec::new();
    let mut waiting = vec![place.to_owned()];
    while let Some(relative) = waiting.pop() {
        let unread = |cause: io::Error| failed("look at", &relative, &cause);
        let found = top.stat(&relative).map_err(unread)?;
        let found = found.ok_or_else(|| unread(io::ErrorKind::NotFound.into()))?;
        if found.is_folder() {
            for entry in top.entries(&relative).map_err(unread)? {
                let (name, _) = entry.map_err(unread)?;
                if is_git_name(&name) {
                    let path = super::paths::shown(&relative);
                    return Err(ToolError::Refused(format!(
                        "`{path}` is a repository of its own: no tool moves or removes it"
                    )));
                }
                waiting.push(relative.join(name));
                if items.len() + waiting.len() > MOST {
                    let path = super::paths::shown(place);
                    return Err(ToolError::Refused(format!(
                        "over {MOST} files below `{path}`: move or remove its folders one by one"
                    )));
                }
            }
        }
        let stamp = match found.kind {
            Kind::Folder => (0, found.inode, 0),
            _ => (found.size, found.inode, found.mtime),
        };
        items.push(Item { relative, kind: found.kind, stamp });
    }
    items.sort_by(|a, b| a.relative.cmp(&b.relative));
    Ok(items)
}

/// All of the items as bytes, to notice that they have changed.
pub(super) fn state(items: &[Item]) -> Vec<u8> {
    let mut state = Vec::new();
    for item in items {
        state.extend_from_slice(item.relative.as_os_str().as_encoded_bytes());
        state.extend_from_slice(format!("\0{:?} {:?}\0", item.kind, item.stamp).as_bytes());
    }
    state
}
