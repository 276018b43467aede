//! The file on the disk: read with suspicion, replaced as a whole, one writer at a time.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::error::{Result, VaultError};
use elophanto_base::{platform, regular, whole::PRIVATE};

/// Largest file, in bytes.
pub const MAX_VAULT_BYTES: u64 = 1 << 20;

/// Any permission of anybody but the owner.
const OTHERS: u32 = 0o077;

/// How the names of temporary files begin.
const TEMPORARY: &str = ".tmp-vault-";

/// A held lock; dropping it releases it.
pub struct Lock {
    _file: File,
}

/// Waits until nobody else writes.
pub fn lock(path: &Path) -> Result<Lock> {
    let file = open_lock(path)?;
    file.lock().map_err(|cause| VaultError::Write { path: path.to_owned(), source: cause })?;
    Ok(Lock { _file: file })
}

/// `None` if somebody else writes.
pub fn try_lock(path: &Path) -> Result<Option<Lock>> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(cause)) => {
            Err(VaultError::Write { path: path.to_owned(), source: cause })
        }
    }
}

/// Removes what writers that were killed have left beside the file: under the lock nobody else
/// writes. It is encrypted like the file itself; what cannot be removed harms nobody.
pub fn tidy(path: &Path) {
    let is_left = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_prefix(TEMPORARY.as_bytes());
        // As whoever writes makes it: six letters or digits, a file, nobody else's.
        rest.is_some_and(|rest| rest.len() == 6 && rest.iter().all(u8::is_ascii_alphanumeric))
            && entry
                .metadata()
                .is_ok_and(|it| it.is_file() && platform::rights(&it) & 0o777 == PRIVATE)
    };
    let entries = fs::read_dir(folder(path)).into_iter().flatten().flatten();
    let left: Vec<_> = entries.filter(is_left).collect();
    if !left.is_empty()
        && let Ok(Some(_lock)) = try_lock(path)
    {
        for entry in left {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The bytes of the file, if nobody but its owner can read or write it.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |cause| VaultError::Read { path: path.to_owned(), source: cause };
    let file = regular::careful().read(true).open(path).map_err(|cause| not_opened(path, cause))?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(VaultError::NoFile { path: path.to_owned() });
    }
    let mode = platform::rights(&metadata) & 0o777;
    if mode & OTHERS != 0 {
        return Err(VaultError::Exposed { path: path.to_owned(), mode });
    }
    let folder = folder(path);
    if platform::others_may_write(&fs::metadata(folder).map_err(failed)?) {
        return Err(VaultError::SharedFolder { path: folder.to_owned() });
    }
    let bytes = regular::read_capped(file, MAX_VAULT_BYTES).map_err(failed)?;
    bytes.ok_or_else(|| VaultError::TooLarge { path: path.to_owned(), cap: MAX_VAULT_BYTES })
}

/// Puts these bytes in place of the file at once: whatever happens, the old or the new ones are
/// there. With `new`, nothing may be there yet. To be called under the lock.
pub fn replace(path: &Path, bytes: &[u8], new: bool) -> Result<()> {
    if bytes.len() as u64 > MAX_VAULT_BYTES {
        return Err(VaultError::Full);
    }
    let failed = |cause| VaultError::Write { path: path.to_owned(), source: cause };
    let folder = folder(path);
    // Temporary files are made with mode 0600.
    let mut file =
        tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder).map_err(failed)?;
    let owner = platform::owner(&file.as_file().metadata().map_err(failed)?);
    let of_folder = platform::owner(&fs::metadata(folder).map_err(failed)?);
    if of_folder.is_none() || of_folder != owner {
        return Err(VaultError::Foreign { path: folder.to_owned() });
    }
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    let persisted = if new { file.persist_noclobber(path) } else { file.persist(path) };
    persisted.map_err(|failure| match failure.error.kind() {
        io::ErrorKind::AlreadyExists => VaultError::Exists { path: path.to_owned() },
        _ => failed(failure.error),
    })?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Makes the folder, for its owner alone.
pub fn make_folder(path: &Path) -> Result<()> {
    let folder = folder(path);
    let failed = |cause| VaultError::Write { path: folder.to_owned(), source: cause };
    platform::make_folders(folder, platform::PRIVATE_FOLDER).map_err(failed)?;
    if platform::others_may_write(&fs::metadata(folder).map_err(failed)?) {
        return Err(VaultError::SharedFolder { path: folder.to_owned() });
    }
    Ok(())
}

/// Whether anything is there, a broken link included.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn open_lock(path: &Path) -> Result<File> {
    let lock = beside(path, ".lock");
    regular::open_or_make(&lock, PRIVATE).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => VaultError::Missing { path: path.to_owned() },
        _ => VaultError::Write { path: lock, source: cause },
    })
}

fn not_opened(path: &Path, cause: io::Error) -> VaultError {
    let path = path.to_owned();
    match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => VaultError::Missing { path },
        _ if path.is_symlink() => VaultError::Link { path },
        _ => VaultError::Read { path, source: cause },
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(ending);
    path.with_file_name(name)
}
