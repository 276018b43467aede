//! Calls to the kernel about mounts, each with a safe face.

use std::{
    ffi::{CStr, CString},
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use super::sys::checked;

/// Mounts; `source` may be a word such as `tmpfs`.
pub fn mount(
    source: &Path,
    target: &Path,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: &str,
) -> io::Result<()> {
    let (source, target, options) = (c_path(source)?, c_path(target)?, CString::new(options)?);
    let kind = kind.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: all strings end in NUL and outlive the call; the options are text for all kinds used.
    checked(
        unsafe {
            libc::mount(source.as_ptr(), target.as_ptr(), kind, flags, options.as_ptr().cast())
        }
        .into(),
    )?;
    Ok(())
}

/// Takes a mount out of the tree; what is bound from it stays.
pub fn unmount(target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: the string ends in NUL and outlives the call.
    checked(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) }.into())?;
    Ok(())
}

/// Sets and clears attributes of a mount, of all below it too if `recursive`.
pub fn set_mount(target: &Path, set: u64, clear: u64, recursive: bool) -> io::Result<()> {
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    const SIZE: usize = size_of::<Attributes>();
    let target = c_path(target)?;
    let attributes = Attributes { set, clear, propagation: 0, user_namespace: 0 };
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the structure has the layout and the size that the kernel is told, and outlives the
    // call like the path.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            target.as_ptr(),
            flags,
            &raw const attributes,
            SIZE,
        )
    })?;
    Ok(())
}

/// A path as the kernel takes it.
fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}
