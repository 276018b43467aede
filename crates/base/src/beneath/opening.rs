//! Opening what a path names, seen from an open folder, without following a link.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Component, Path},
};

use rustix::{
    fs::{Mode, OFlags, openat},
    io::Errno,
};

/// A folder that others are named from. Where the kernel can, this needs no right to list it.
#[cfg(target_os = "linux")]
pub(super) const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(super) const HANDLE: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens what `path` names: plain names only, or nothing for the folder itself. `mode` counts where
/// a file is made.
pub(super) fn open(
    top: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    #[cfg(target_os = "linux")]
    if let Some(opened) = at_once(top, path, flags, mode) {
        return opened;
    }
    by_steps(top, path, flags, mode)
}

/// With one call; `None` where the kernel, or a filter of calls, has none of this kind.
#[cfg(target_os = "linux")]
pub(super) fn at_once(
    top: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> Option<Result<OwnedFd, Errno>> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{ResolveFlags, openat2};

    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if IS_MISSING.load(Ordering::Relaxed) {
        return None;
    }
    let itself = Path::new(".");
    let path = if path.as_os_str().is_empty() { itself } else { path };
    let no_links = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // The call takes no mode where it makes no file.
    let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    match openat2(top, path, flags, mode, no_links) {
        Err(Errno::NOSYS) => {
            IS_MISSING.store(true, Ordering::Relaxed);
            None
        }
        // What a filter says; or the file itself is closed, which the steps find out too.
        Err(Errno::PERM) => None,
        // Something was renamed meanwhile, and the kernel could not be sure.
        Err(Errno::AGAIN) => None,
        said => Some(said),
    }
}

/// With one call for each folder on the way.
pub(super) fn by_steps(
    top: BorrowedFd<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let mut names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let Some(last) = names.next_back() else {
        return openat(top, ".", flags, mode);
    };
    let mut folder: Option<OwnedFd> = None;
    for name in names {
        let above = folder.as_ref().map_or(top, AsFd::as_fd);
        folder = Some(openat(above, name, HANDLE | OFlags::NOFOLLOW, Mode::empty())?);
    }
    openat(folder.as_ref().map_or(top, AsFd::as_fd), last, flags, mode)
}
