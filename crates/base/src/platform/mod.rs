//! What each system has in its own way: rights, owners and identity of files, names as bytes, groups of
//! processes.
//!
//! Unix answers all of it. On other systems a name is text, and what is not to be had there is an error
//! that says so, or the answer that nobody takes for a permission: everybody may write, no two files are
//! one, nothing is ours. Neither knows what it is asked for.

use std::fs::Metadata;

#[cfg(any(test, not(unix)))]
mod elsewhere;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

#[cfg(not(any(unix, windows)))]
compile_error!("how a link is not followed on this system nobody has said yet");

#[cfg(not(unix))]
use elsewhere as system;
#[cfg(unix)]
use unix as system;

pub use system::{
    ask_to_end, be_nice, careful, end_group, ended_by, group, identity, links, make_folder,
    make_folders, may_write, own_group, owner, path, permissions, read_at, rights, set_rights,
    set_rights_at, symlink, times, uptime, user, with_rights,
};

/// Rights of a folder that is its owner's alone.
pub const PRIVATE_FOLDER: u32 = 0o700;

/// Whether somebody may run it.
pub fn is_executable(file: &Metadata) -> bool {
    rights(file) & 0o111 != 0
}

/// Whether others than its owner may write it.
pub fn others_may_write(file: &Metadata) -> bool {
    rights(file) & 0o022 != 0
}

/// Whether it is this user's.
pub fn is_own(file: &Metadata) -> bool {
    user().is_some_and(|user| owner(file) == Some(user))
}

/// Whether both are the same file.
pub fn is_one(a: &Metadata, b: &Metadata) -> bool {
    identity(a).is_some_and(|it| identity(b) == Some(it))
}

/// What a system that has it otherwise, or not at all, says.
pub fn not_here(what: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::Unsupported, format!("{what}: not on this system"))
}
