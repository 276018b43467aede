//! What the program sees of the file system in the full sandbox.
//!
//! All mounts become read-only, and the writable folders are mounted again over themselves. In
//! those, what is protected is mounted over itself read-only. A mount point can be neither renamed
//! nor removed, so the folders on the way to something protected become mount points as well.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    mount_calls::{mount, set_mount, unmount},
    places::{Places, is_below_any},
    request::Failure,
};

/// Entries of a folder that has to be gone through one by one.
const MAX_ENTRIES: usize = 2_000;
const SHARED_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
const NO_SET_USER: u64 = libc::MOUNT_ATTR_NOSUID;
const NO_DEVICES: u64 = libc::MOUNT_ATTR_NODEV;

/// What is mounted over itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    /// Written, but neither renamed nor removed.
    Pinned,
    /// Nothing is created, renamed or removed directly in it; its entries are mounts of their own.
    Frozen,
    /// Neither it nor anything below it is written.
    ReadOnly,
}

/// Arranges the mounts of this process's own namespace. `needed` is what the program finds where it
/// is, `with_submounts` whether the kernel keeps those read-only that were so before, as it does in
/// a user namespace.
pub fn arrange(
    places: &Places,
    needed: &[&Path],
    memory_bytes: u64,
    with_submounts: bool,
) -> Result<(), Failure> {
    let root = Path::new("/");
    let none = Path::new("none");
    mount(none, root, None, libc::MS_REC | libc::MS_PRIVATE, "")
        .map_err(Failure::step("keeping mounts private"))?;
    for folder in &places.writable {
        bind(folder)?;
    }
    set_mount(root, READ_ONLY | NO_SET_USER, 0, true)
        .map_err(Failure::step("making the system read-only"))?;
    for folder in &places.writable {
        make_writable(folder, with_submounts);
    }
    let mut over_itself: Vec<(PathBuf, Access)> = plan(places)?.into_iter().collect();
    over_itself.sort_by_key(|(path, _)| path.components().count());
    for (path, access) in over_itself {
        bind(&path)?;
        match access {
            Access::Pinned => make_writable(&path, with_submounts),
            Access::Frozen => set_mount(&path, READ_ONLY, 0, false)
                .map_err(Failure::step("protecting a folder"))?,
            Access::ReadOnly => {
                set_mount(&path, READ_ONLY, 0, true).map_err(Failure::step("protecting a path"))?
            }
        }
    }
    cover(places)?;
    hide(places)?;
    private_folders(places, needed, memory_bytes)
}

/// Which paths are mounted over themselves, and how.
fn plan(places: &Places) -> Result<BTreeMap<PathBuf, Access>, Failure> {
    let mut plan = BTreeMap::new();
    let mut note = |path: PathBuf, access: Access| {
        let noted = plan.entry(path).or_insert(access);
        *noted = (*noted).max(access);
    };
    for path in places.unwritable() {
        for folder in path.ancestors().skip(1) {
            if is_below_any(folder, &places.writable) {
                note(folder.to_owned(), Access::Pinned);
            }
        }
    }
    // A link cannot be a mount point, nor can what no placeholder could be put at because we may
    // not write there: the program might allow itself to.
    let (placed, not_placed): (Vec<_>, Vec<_>) =
        places.missing.iter().partition(|path| path.symlink_metadata().is_ok());
    let frozen = places.links.iter().chain(not_placed).filter_map(|path| path.parent());
    for folder in frozen.collect::<BTreeSet<_>>() {
        note(folder.to_owned(), Access::Frozen);
        for (count, entry) in fs::read_dir(folder).map_err(Failure::path(folder))?.enumerate() {
            if count >= MAX_ENTRIES {
                return Err(Failure::TooManyEntries(folder.into()));
            }
            let entry = entry.map_err(Failure::path(folder))?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_file()) {
                note(entry.path(), Access::Pinned);
            }
        }
    }
    for path in &places.protected {
        note(path.clone(), Access::ReadOnly);
    }
    for path in placed {
        note(path.clone(), Access::ReadOnly);
    }
    Ok(plan)
}

fn bind(path: &Path) -> Result<(), Failure> {
    mount(path, path, None, libc::MS_BIND | libc::MS_REC, "").map_err(Failure::path(path))
}

/// Best effort: what was read-only before us stays so.
fn make_writable(path: &Path, with_submounts: bool) {
    let set = NO_SET_USER | NO_DEVICES;
    if !with_submounts || set_mount(path, set, READ_ONLY, true).is_err() {
        let _ = set_mount(path, set, READ_ONLY, false);
    }
}

/// Puts files in the place of others. Nothing is read instead of one that cannot be put there.
fn cover(places: &Places) -> Result<(), Failure> {
    for (path, with) in &places.covered {
        mount(with, path, None, libc::MS_BIND, "")
            .and_then(|()| set_mount(path, READ_ONLY | NO_DEVICES | NO_SET_USER, 0, false))
            .map_err(Failure::path(path))?;
    }
    Ok(())
}

/// Covers what is not to be read with something empty that may not be opened.
fn hide(places: &Places) -> Result<(), Failure> {
    if places.hidden.is_empty() {
        return Ok(());
    }
    // Any folder that is always there; it gets a `/proc` of its own later.
    let snapshot = Path::new("/proc");
    let (file, folder) = (snapshot.join("file"), snapshot.join("folder"));
    mount(Path::new("none"), snapshot, Some(c"tmpfs"), 0, "size=4k,nr_inodes=8,mode=700")
        .and_then(|()| {
            fs::File::create(&file)?;
            fs::create_dir(&folder)?;
            for path in [&file, &folder] {
                fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o000))?;
            }
            Ok(())
        })
        .map_err(Failure::step("preparing what covers hidden files"))?;
    for path in &places.hidden {
        let cover = if path.is_dir() { &folder } else { &file };
        let covered = mount(cover, path, None, libc::MS_BIND, "")
            .and_then(|()| set_mount(path, READ_ONLY | NO_DEVICES | NO_SET_USER, 0, false));
        match covered {
            // It lies in something that is hidden already.
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {}
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            other => other.map_err(Failure::path(path))?,
        }
    }
    unmount(snapshot).map_err(Failure::step("putting away what covers hidden files"))
}

/// `/proc` of these processes alone, and folders for temporary files and shared memory.
fn private_folders(places: &Places, needed: &[&Path], memory_bytes: u64) -> Result<(), Failure> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    let quiet = flags | libc::MS_NOEXEC;
    mount(Path::new("proc"), Path::new("/proc"), Some(c"proc"), quiet | libc::MS_RDONLY, "")
        .map_err(Failure::step("mounting /proc"))?;
    let shared = Path::new("/dev/shm");
    if shared.is_dir() && !needed.iter().any(|path| path.starts_with(shared)) {
        let size = SHARED_MEMORY_BYTES.min(memory_bytes);
        let options = format!("size={size},nr_inodes=4096,mode=1777");
        mount(Path::new("none"), shared, Some(c"tmpfs"), quiet, &options)
            .map_err(Failure::step("mounting /dev/shm"))?;
    }
    let common = Path::new("/tmp");
    let is_free = common.is_dir() && !needed.iter().any(|path| path.starts_with(common));
    if is_free && places.writable.contains(&places.temporary) {
        mount(&places.temporary, common, None, libc::MS_BIND | libc::MS_REC, "")
            .map_err(Failure::step("mounting /tmp"))?;
    }
    Ok(())
}
