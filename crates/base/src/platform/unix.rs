//! As Unix has it.

use std::{
    ffi::{CString, OsStr},
    fs::{self, DirBuilder, File, Metadata, Permissions},
    io,
    os::unix::{
        self,
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt, PermissionsExt},
        process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::{Command, ExitStatus},
};

/// The path of these bytes, as git and the file system hold them.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Who may do what with it: the lowest twelve bits of a mode.
pub fn rights(file: &Metadata) -> u32 {
    file.mode() & 0o7777
}

/// Gives it these rights.
///
/// # Errors
/// When it is not ours to say.
pub fn set_rights(file: &File, rights: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(rights))
}

/// The same by path; a link is followed.
///
/// # Errors
/// As [`set_rights`].
pub fn set_rights_at(path: &Path, rights: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(rights))
}

/// Makes one folder that has never more than these rights.
///
/// # Errors
/// When it cannot be made, or is there.
pub fn make_folder(path: &Path, rights: u32) -> io::Result<()> {
    DirBuilder::new().mode(rights).create(path)
}

/// Makes it and what is missing above it; what is there stays as it is.
///
/// # Errors
/// When one cannot be made.
pub fn make_folders(path: &Path, rights: u32) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(rights).create(path)
}

/// Makes a link at a path.
///
/// # Errors
/// When it cannot be made.
pub fn symlink(to: &Path, at: &Path) -> io::Result<()> {
    unix::fs::symlink(to, at)
}

/// Whether the system lets us write into a folder.
pub fn may_write(folder: &Path) -> bool {
    let path = CString::new(folder.as_os_str().as_bytes());
    // SAFETY: only looks at the path, which outlives the call.
    path.is_ok_and(|path| unsafe { libc::access(path.as_ptr(), libc::W_OK) } == 0)
}

/// The number of its file system, and its own there; `None` if the system tells none.
pub fn identity(file: &Metadata) -> Option<(u64, u64)> {
    Some((file.dev(), file.ino()))
}

/// How many names it has.
pub fn links(file: &Metadata) -> u64 {
    file.nlink()
}

/// When its content was changed, and when anything of it was: nanoseconds since 1970.
pub fn times(file: &Metadata) -> [i64; 2] {
    let time = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    [time(file.mtime(), file.mtime_nsec()), time(file.ctime(), file.ctime_nsec())]
}

/// The number of its owner, if the system tells it.
pub fn owner(file: &Metadata) -> Option<u32> {
    Some(file.uid())
}

/// The number of its group, if the system tells it.
pub fn group(file: &Metadata) -> Option<u32> {
    Some(file.gid())
}

/// The number of this user, if the system tells it.
pub fn user() -> Option<u32> {
    // SAFETY: takes nothing and cannot fail.
    Some(unsafe { libc::geteuid() })
}

/// Has what is started so lead a group of its own, so that what it starts can be ended with it.
pub fn own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Asks all of a group to end, whose leader is a child that was not waited for: nobody else has its
/// number. With `at_once` they are not asked.
pub fn end_group(leader: u32, at_once: bool) {
    let Some(group) = libc::pid_t::try_from(leader).ok().filter(|group| *group > 0) else { return };
    // SAFETY: takes numbers only.
    unsafe { libc::kill(-group, if at_once { libc::SIGKILL } else { libc::SIGTERM }) };
}

/// The number of the signal that ended a program.
pub fn ended_by(status: ExitStatus) -> Option<i32> {
    status.signal()
}
