//! Adding a record to a log: all of it or nothing, and on disk before it counts.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use serde::Serialize;

use super::{Caps, JsonlError};
use crate::{
    beneath::{Folder, Refusal, refusal},
    platform,
    regular::{SHARED, open_or_make},
};

/// A log to add to, and the file whose lock its writers take. Neither may be a link; the folders
/// above them are the caller's concern, unless the log lies [beneath](Log::beneath) a root.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
    lock: PathBuf,
    root: Option<PathBuf>,
    caps: Caps,
}

impl Log {
    /// The lock file lies beside the log, as `.<name>.lock`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let lock = path.with_file_name(format!(".{name}.lock"));
        Self { path, lock, root: None, caps: Caps::default() }
    }

    /// No folder between this root and the log may be a link either.
    pub fn beneath(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// The lock file lies elsewhere: git must not see one beside a log that it tracks.
    pub fn with_lock(mut self, lock: impl Into<PathBuf>) -> Self {
        self.lock = lock.into();
        self
    }

    pub fn with_caps(mut self, caps: Caps) -> Self {
        self.caps = caps;
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds one record. Once this returns, it is on disk.
    ///
    /// # Errors
    /// When the record is not in the log: it is too large, the log is full, or the disk failed. A
    /// record whose sync failed may be found there later all the same.
    pub fn append<T: Serialize>(&self, record: &T) -> Result<(), JsonlError> {
        let line = self.line(record)?;
        self.write(line, self.locked()?)
    }

    /// Adds records in their order, with one write and one sync. The caller has made the folder and
    /// taken the lock of all writers (see [`lock`]), which is let go of before the sync: what was
    /// written nobody cuts off again, and many short-lived writers need not wait for each other's
    /// syncs. The log's own lock is not taken.
    ///
    /// # Errors
    /// As [`Log::append`]: then none of them is in the log, except after a failed sync.
    pub fn append_all<T: Serialize>(&self, records: &[T], held: Lock) -> Result<(), JsonlError> {
        let mut lines = Vec::new();
        for record in records {
            lines.append(&mut self.line(record)?);
        }
        self.write(lines, held)
    }

    /// The record and the newline that ends it.
    fn line<T: Serialize>(&self, record: &T) -> Result<Vec<u8>, JsonlError> {
        let refused = |reason| JsonlError::Encode { path: self.path.clone(), reason };
        let mut line = serde_json::to_vec(record).map_err(|error| refused(error.to_string()))?;
        if line.contains(&b'\n') {
            return Err(refused("it has a line break".to_owned()));
        }
        let max = self.caps.line_bytes;
        if line.len() > max {
            let bytes = line.len();
            return Err(JsonlError::RecordTooLarge { path: self.path.clone(), bytes, max });
        }
        line.push(b'\n');
        Ok(line)
    }

    fn locked(&self) -> Result<Lock, JsonlError> {
        for file in [&self.path, &self.lock] {
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder).map_err(|cause| self.failed("written", cause))?;
            }
        }
        lock(&self.lock)
    }

    fn write(&self, lines: Vec<u8>, held: Lock) -> Result<(), JsonlError> {
        self.try_write(lines, held).map_err(|cause| self.failed("written", cause))?
    }

    fn try_write(&self, mut lines: Vec<u8>, held: Lock) -> io::Result<Result<(), JsonlError>> {
        let folder = self.folder()?;
        let name = Path::new(self.path.file_name().unwrap_or_default());
        let (file, metadata) = match folder.append(name) {
            Err(cause) if refusal(&cause) == Some(&Refusal::NotAFile) => {
                return Ok(Err(JsonlError::NotAFile(self.path.clone())));
            }
            opened => opened?,
        };
        let (before, max) = (metadata.len(), self.caps.file_bytes);
        let bytes = before.saturating_add(lines.len() as u64 + 1);
        if bytes > max {
            return Ok(Err(JsonlError::FileTooLarge { path: self.path.clone(), bytes, max }));
        }
        if !lines.is_empty() && needs_newline(&file, before)? {
            lines.insert(0, b'\n');
        }
        if let Err(cause) = append_whole(&file, before, &lines) {
            if before == 0 && file.metadata().is_ok_and(|file| file.len() == 0) {
                // If an empty log stays, the next writer takes it.
                let _ = folder.remove(name);
            }
            return Err(cause);
        }
        drop(held);
        file.sync_data()?;
        // The name of a new file is the folder's to keep. Every writer sees to it once: the one that
        // made the file may not have come to it yet, or never will.
        if before == 0 || !is_name_kept(&self.path, &metadata) {
            folder.sync()?;
            name_is_kept(&self.path, &metadata);
        }
        Ok(Ok(()))
    }

    fn folder(&self) -> io::Result<Folder> {
        let above = self.path.parent().unwrap_or(Path::new(""));
        match &self.root {
            Some(root) => Folder::open(root)?.at(above),
            None => Folder::open(above),
        }
    }

    fn failed(&self, action: &'static str, cause: io::Error) -> JsonlError {
        JsonlError::Io { path: self.path.clone(), action, source: cause }
    }
}

/// A file by its path and numbers, and by its birth, as numbers are given again.
type Identity = (PathBuf, Option<(u64, u64)>, Option<SystemTime>);

/// Files whose folders this process has synced since they are there.
static KEPT: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());
/// More logs than one process writes to for long.
const MOST_KEPT: usize = 1_024;

fn identity(path: &Path, file: &Metadata) -> Identity {
    (path.to_owned(), platform::identity(file), file.created().ok())
}

/// Whether this process has seen to it that the name of this very file is on disk.
pub(super) fn is_name_kept(path: &Path, file: &Metadata) -> bool {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).contains(&identity(path, file))
}

fn name_is_kept(path: &Path, file: &Metadata) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() == MOST_KEPT {
        kept.clear();
    }
    kept.insert(identity(path, file));
}

/// Waits for the lock that all writers of a log take; its folder must be there. The kernel lets go
/// of it when the value is dropped, or when the process ends in any way.
///
/// # Errors
/// When the file cannot be made, opened or locked.
pub fn lock(path: &Path) -> Result<Lock, JsonlError> {
    let locked =
        open_or_make(path, SHARED).and_then(|file| file.lock().map(|()| Lock { _file: file }));
    locked.map_err(|cause| JsonlError::Io {
        path: path.to_owned(),
        action: "locked",
        source: cause,
    })
}

/// The lock of a log's writers, held as long as this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Whether the last writer of a file of this length was cut off: what follows would become part of
/// its line.
///
/// # Errors
/// When its last byte cannot be read.
fn needs_newline(file: &File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    platform::read_at(file, &mut byte, last)?;
    Ok(byte != *b"\n")
}

/// Adds to a file of `before` bytes, with one write as a rule. What a short one left is finished, or
/// else taken back.
///
/// # Errors
/// When nothing was added.
pub(super) fn append_whole(mut file: &File, before: u64, bytes: &[u8]) -> io::Result<()> {
    let mut done = 0;
    let failed = loop {
        match file.write(&bytes[done..]) {
            Ok(0) if done < bytes.len() => break io::ErrorKind::WriteZero.into(),
            Ok(count) if done + count >= bytes.len() => return Ok(()),
            Ok(count) => done += count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => break cause,
        }
    };
    let end = before + done as u64;
    // Only what is ours: if somebody without the lock has written behind us, it stays as it is.
    if end > before && file.metadata()?.len() == end {
        file.set_len(before)?;
    }
    Err(failed)
}
