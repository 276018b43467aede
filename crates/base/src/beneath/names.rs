//! What lies under a name beneath a root, and how names are understood there, whatever the system.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
};

use super::Refusal;

/// What lies under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl From<std::fs::FileType> for Kind {
    fn from(kind: std::fs::FileType) -> Self {
        match kind {
            kind if kind.is_dir() => Self::Folder,
            kind if kind.is_file() => Self::File,
            kind if kind.is_symlink() => Self::Link,
            _ => Self::Other,
        }
    }
}

/// What the file system says of a name, of a link itself and not of what it leads to. Times in
/// nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub kind: Kind,
    /// Rights, without the kind.
    pub mode: u32,
    pub size: u64,
    pub mtime: i64,
    pub ctime: i64,
    pub inode: u64,
}

impl Stat {
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }
}

/// A path as it is named from a root.
pub(super) fn below<'p>(root: &Path, path: &'p Path) -> io::Result<&'p Path> {
    let below = path.strip_prefix(root).unwrap_or(path);
    let is_plain = |component| matches!(component, Component::Normal(_));
    if below.components().all(is_plain) {
        return Ok(below);
    }
    // A dot in front is the folder itself.
    match below.strip_prefix(".") {
        Ok(rest) if rest.components().all(is_plain) => Ok(rest),
        _ => Err(Refusal::Outside { path: path.to_owned(), root: root.to_owned() }.into()),
    }
}

/// The folder that holds a path, as it is named from a root, and the name in there.
pub(super) fn split<'p>(root: &Path, path: &'p Path) -> io::Result<(&'p Path, &'p OsStr)> {
    let below = below(root, path)?;
    let name = below.file_name().ok_or_else(|| io::Error::other("no name"))?;
    Ok((below.parent().unwrap_or(Path::new("")), name))
}

/// A root as it is opened.
pub(super) fn shown(root: &Path) -> &Path {
    if root.as_os_str().is_empty() { Path::new(".") } else { root }
}

/// Where a path leads whose links stay beneath a root.
pub(super) fn resolved(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let here = shown(root);
    let real = fs::canonicalize(here.join(below(root, path)?))?;
    let root = fs::canonicalize(here)?;
    let below = real.strip_prefix(&root).map(Path::to_owned);
    below.map_err(|_| Refusal::Outside { path: path.to_owned(), root }.into())
}
