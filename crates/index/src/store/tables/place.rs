//! Where tables stand in the work tree: putting one in its place and taking it away, by handle and
//! never through a link.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use elophanto_base::beneath::{Folder, above_ours};

/// Gives a whole table that lies at `from`, outside of what git carries, its place below `folder`.
/// Once this returns, it is on disk.
///
/// # Errors
/// When it cannot be moved, or one of the folders that bear our names is a link.
pub fn put(folder: &Path, name: &str, from: &Path) -> io::Result<()> {
    sync_all(from)?;
    let folder = Folder::open(above_ours(folder))?.make(folder)?;
    let name = Path::new(name);
    match folder.take(from, name) {
        Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices => {
            let near = format!(".tmp-{}", name.display());
            let near = Path::new(&near);
            folder.remove_all(near)?;
            copy(from, &folder.make(near)?)?;
            folder.rename(near, name)?;
        }
        taken => taken?,
    }
    folder.sync()
}

/// Takes a table away; none is fine.
///
/// # Errors
/// When it cannot be removed, or one of the folders that bear our names is a link.
pub fn remove(folder: &Path, name: &str) -> io::Result<()> {
    match Folder::open(above_ours(folder)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        root => root?.remove_all(&folder.join(name)),
    }
}

/// Copies what is in a folder of ours.
fn copy(from: &Path, to: &Folder) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.make(Path::new(&name))?)?;
        } else {
            let mut file = to.create(Path::new(&name))?;
            io::copy(&mut File::open(entry.path())?, &mut file)?;
            file.sync_all()?;
        }
    }
    to.sync()
}

/// Has the disk keep a folder of ours and all that is in it.
fn sync_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_all(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    File::open(folder)?.sync_all()
}
