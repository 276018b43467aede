//! As Unix has it.

use std::{
    ffi::{CString, OsStr},
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::{
        self,
        ffi::OsStrExt,
        fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
        process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::{Command, ExitStatus},
    time::Duration,
};

/// The path of these bytes, as git and the file system hold them.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Who may do what with it: the lowest twelve bits of a mode.
pub fn rights(file: &Metadata) -> u32 {
    file.mode() & 0o7777
}

/// Rights, as what makes files and folders takes them.
///
/// # Errors
/// When the system has none.
pub fn permissions(rights: u32) -> io::Result<Permissions> {
    Ok(Permissions::from_mode(rights))
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

/// Has a link opened, in the place of a file, only if links are followed, and the other end of a pipe not
/// waited for.
pub fn careful(options: &mut OpenOptions, follows: bool) {
    options.custom_flags(libc::O_NONBLOCK | if follows { 0 } else { libc::O_NOFOLLOW });
}

/// Has a file that is made have never more than these rights.
///
/// # Errors
/// When nobody can promise that.
pub fn with_rights(options: &mut OpenOptions, rights: u32) -> io::Result<()> {
    options.mode(rights);
    Ok(())
}

/// Fills all of `bytes` with what a file has from there.
///
/// # Errors
/// When it has less, or cannot be read.
pub fn read_at(file: &File, bytes: &mut [u8], from: u64) -> io::Result<()> {
    file.read_exact_at(bytes, from)
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

/// How long this machine runs, its sleep included where the system counts it.
pub fn uptime() -> Duration {
    #[cfg(target_os = "linux")]
    const CLOCK: libc::clockid_t = libc::CLOCK_BOOTTIME;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: only fills in the structure, which outlives the call. That it fails is no matter: then none
    // has passed, and the clock of the wall counts as well.
    unsafe { libc::clock_gettime(CLOCK, &raw mut now) };
    let (seconds, nanos) = (u64::try_from(now.tv_sec), u32::try_from(now.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
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

/// Asks one process of the same user to end.
///
/// # Errors
/// When there is none of this number, or it is somebody else's.
pub fn ask_to_end(process: u32) -> io::Result<()> {
    // 0 and what is negative stand for groups.
    let Some(process) = libc::pid_t::try_from(process).ok().filter(|process| *process > 0) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    // SAFETY: hands over numbers only.
    match unsafe { libc::kill(process, libc::SIGTERM) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lowers the priority of this thread, and of those that it starts, as far as it goes.
pub fn be_nice() {
    const LOWEST: libc::c_int = 19;
    // SAFETY: hands over numbers only. That it fails is no matter.
    unsafe { libc::nice(LOWEST) };
}

/// The number of the signal that ended a program.
pub fn ended_by(status: ExitStatus) -> Option<i32> {
    status.signal()
}
