//! Files beneath a root, reached by handle and never through a link.
//!
//! A path that was looked at may be another one by the time it is opened: whoever may rename a
//! folder can put a link in its place in between. So nothing here looks at a path and then opens
//! it. A root is opened once, links in the path to it included; all that is opened, made, renamed
//! or removed beneath is named from an open folder, and the kernel refuses links on the way.
//!
//! Owns the calls to the kernel that the standard library lacks, and how a file is written as a
//! whole or not at all. It refuses to know what a file is for, and which files there are.

#[cfg(any(test, not(unix)))]
mod elsewhere;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod list;
mod names;
#[cfg(unix)]
mod opening;
#[cfg(test)]
mod tests;
mod whole;

use std::{
    io,
    path::{Path, PathBuf},
};

#[cfg(not(unix))]
pub use elsewhere::{Entries, Folder};
#[cfg(unix)]
pub use {folder::Folder, list::Entries};

pub use names::{Kind, Stat};
pub use whole::TEMPORARY;

/// Why a file or folder is left alone. It comes as an [`io::Error`]: see [`refusal`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Relative to the root.
    #[error(
        "`{}` is a link, and nothing is read or written through one: \
         put a folder or file of its own in its place", .0.display()
    )]
    Link(PathBuf),
    /// Relative to the root.
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("not a regular file")]
    NotAFile,
    #[error("`{}` does not lie beneath `{}`", path.display(), root.display())]
    Outside { path: PathBuf, root: PathBuf },
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotAFolder(_) => Self::new(io::ErrorKind::NotADirectory, refusal),
            _ => Self::other(refusal),
        }
    }
}

/// The refusal that an error is, if it is one.
pub fn refusal(cause: &io::Error) -> Option<&Refusal> {
    cause.get_ref()?.downcast_ref()
}

/// Whether an error says that a link stands in the way.
pub fn is_link(cause: &io::Error) -> bool {
    matches!(refusal(cause), Some(Refusal::Link(_)))
}

/// The folder two above `folder`, `.` where the path begins: what is above two folders that bear
/// names of ours, either of which a commit may bring as a link.
pub fn above_ours(folder: &Path) -> &Path {
    let holder = folder.parent().unwrap_or(folder);
    let above = holder.parent().unwrap_or(holder);
    if above == Path::new("") { Path::new(".") } else { above }
}
