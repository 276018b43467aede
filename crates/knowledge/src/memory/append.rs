//! Adding lines to a file: all of them or nothing, and on disk before they count.
//!
//! [`elophanto_base::jsonl::Log`] syncs while its lock is held. Here many short-lived processes write at
//! once, and each would wait for the syncs of all others; so writing, which needs the lock, and
//! syncing, which does not, are two steps: what was written is in the file for good, nobody cuts
//! it off again, and the syncs of several writers run side by side.

use std::{
    fs::File,
    io::{self, Write},
    os::unix::fs::FileExt,
    path::Path,
};

use elophanto_base::beneath::Folder;

use super::{MemoryError, files::failed};

/// Adds whole lines with one write as a rule; the caller holds the lock of all writers. What a
/// failed write left is taken back, a file made for it included.
///
/// # Errors
/// When none of it is in the file: it is no regular file, or the disk failed.
pub(super) fn write(
    root: &Folder,
    path: &Path,
    is_new: bool,
    lines: &str,
) -> Result<File, MemoryError> {
    let opened = if is_new { root.append_new(path) } else { root.append(path) };
    let (file, metadata) = opened.map_err(failed(path, "opened"))?;
    let written = write_to(&file, metadata.len(), path, lines);
    if written.is_err() && is_new {
        // Nobody can have written to it meanwhile; if it stays, the next writer takes it.
        let _ = root.remove(path);
    }
    written.map(|()| file)
}

/// Has the disk keep what was written, and the name of the file in its folder. Every writer sees to
/// the name, not only the one that made the file: that one may not have come to it yet, or never
/// will.
///
/// # Errors
/// When the disk failed. What was written may be found there later all the same.
pub(super) fn sync(
    root: &Folder,
    file: &File,
    path: &Path,
    folder: &Path,
) -> Result<(), MemoryError> {
    file.sync_data().map_err(failed(path, "synced"))?;
    sync_folder(root, folder)
}

/// Has the disk keep the names of a folder's files.
pub(super) fn sync_folder(root: &Folder, folder: &Path) -> Result<(), MemoryError> {
    root.at(folder).and_then(|folder| folder.sync()).map_err(failed(folder, "synced"))
}

fn write_to(file: &File, before: u64, path: &Path, lines: &str) -> Result<(), MemoryError> {
    let is_torn = needs_newline(file, before).map_err(failed(path, "read"))?;
    let written = if is_torn {
        write_whole(file, before, format!("\n{lines}").as_bytes())
    } else {
        write_whole(file, before, lines.as_bytes())
    };
    written.map_err(failed(path, "written"))
}

/// Whether the last writer was cut off: what follows would become part of its line.
fn needs_newline(file: &File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte != *b"\n")
}

/// What a short write left is finished, or else taken back.
pub(super) fn write_whole(mut file: &File, before: u64, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    let failed = loop {
        match file.write(rest) {
            Ok(0) if !rest.is_empty() => break io::ErrorKind::WriteZero.into(),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => break cause,
        }
        if rest.is_empty() {
            return Ok(());
        }
    };
    let end = before + (bytes.len() - rest.len()) as u64;
    // Only what is ours: if somebody without the lock has written behind us, it stays as it is.
    if end > before && file.metadata()?.len() == end {
        file.set_len(before)?;
    }
    Err(failed)
}
