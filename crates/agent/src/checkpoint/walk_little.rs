//! The walk through a work tree so small that all of it is covered, whether git ignores it or not:
//! by several threads, and without asking git.

use std::{
    fs::{self, DirEntry, Metadata, ReadDir},
    io,
    path::Path,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    thread,
};

use super::{
    CheckpointError, MOST_IGNORED_BYTES, MOST_IGNORED_ENTRIES, Result,
    look::is_gone,
    name::Name,
    state::{Opaque, State},
    walk::{Found, Nested},
};

/// Most threads of one walk.
const MOST_THREADS: usize = 4;
/// With fewer folders another thread does not pay.
const FOLDERS_PER_THREAD: usize = 8;
/// The same for entries of one folder.
const ENTRIES_PER_THREAD: usize = 1_000;

/// Everything there is, sorted by path, if it is so little that it would be taken even if all of
/// it was ignored; `None` if it is more.
///
/// # Errors
/// When the root cannot be listed.
pub(super) fn walk_little(root: &Path, nested: Nested) -> Result<Option<Vec<(Name, Found)>>> {
    let most = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let (entries, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let walk = Walk { root, nested, threads: most, entries, bytes };
    let failed = || CheckpointError::io(root, "read");
    let mut part = Part::default();
    // The root has a `.git` of its own.
    match walk.entries_of(&Name::default(), fs::read_dir(root).map_err(failed())?, &mut part) {
        None => return Ok(None),
        Some(read) => read.map_err(failed())?,
    }
    // A few folders may hold all others: they are opened until there is enough to share.
    let mut opened = 0;
    while opened < part.folders.len() && part.folders.len() - opened < most * FOLDERS_PER_THREAD {
        let (name, metadata) = part.folders[opened].clone();
        opened += 1;
        if walk.folder(name, &metadata, &mut part).is_none() {
            return Ok(None);
        }
    }
    let waiting = part.folders.split_off(opened);
    let threads = (waiting.len() / FOLDERS_PER_THREAD).clamp(1, most);
    let work = &|number: usize| {
        walk.below(waiting.iter().skip(number).step_by(threads).cloned().collect())
    };
    let parts = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|number| scope.spawn(move || work(number))).collect();
        let mut parts = vec![work(0)];
        // What a thread could not do is more than there should be, as far as anybody knows.
        parts.extend(others.into_iter().map(|other| other.join().unwrap_or(None)));
        parts
    });
    let mut found = part.found;
    for part in parts {
        let Some(mut part) = part else { return Ok(None) };
        found.append(&mut part);
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(found))
}

struct Walk<'w> {
    root: &'w Path,
    nested: Nested<'w>,
    /// How many threads may look at the entries of one folder.
    threads: usize,
    /// What has been found by all threads together.
    entries: AtomicUsize,
    bytes: AtomicU64,
}

/// What one thread has found.
#[derive(Default)]
struct Part {
    found: Vec<(Name, Found)>,
    /// Folders that were found; each is to be opened once.
    folders: Vec<(Name, Metadata)>,
}

impl Walk<'_> {
    /// Everything below these folders, and they themselves; `None` if it is too much.
    fn below(&self, folders: Vec<(Name, Metadata)>) -> Option<Vec<(Name, Found)>> {
        let mut part = Part { folders, ..Part::default() };
        while let Some((name, metadata)) = part.folders.pop() {
            self.folder(name, &metadata, &mut part)?;
        }
        Some(part.found)
    }

    /// A folder and its entries.
    fn folder(&self, name: Name, metadata: &Metadata, part: &mut Part) -> Option<()> {
        let path = self.root.join(name.as_path());
        let state = match fs::read_dir(&path) {
            Err(cause) if is_gone(&cause) => return Some(()),
            Err(_) => State::Opaque(Opaque::Unreadable),
            Ok(_) if fs::symlink_metadata(path.join(".git")).is_ok() && (self.nested)(&name) => {
                State::Opaque(Opaque::Nested)
            }
            Ok(entries) => match self.entries_of(&name, entries, part)? {
                Ok(()) => State::folder(metadata),
                Err(_) => State::Opaque(Opaque::Unreadable),
            },
        };
        part.found.push((name, Found::Known(state)));
        Some(())
    }

    fn entries_of(
        &self,
        folder: &Name,
        entries: ReadDir,
        part: &mut Part,
    ) -> Option<io::Result<()>> {
        // One more than there may be is too much already.
        let entries = match entries.take(MOST_IGNORED_ENTRIES + 2).collect::<io::Result<Vec<_>>>() {
            Ok(entries) => entries,
            Err(cause) => return Some(Err(cause)),
        };
        if entries.len() > MOST_IGNORED_ENTRIES + 1 {
            return None;
        }
        let threads = (entries.len() / ENTRIES_PER_THREAD).clamp(1, self.threads);
        let (own, others) = entries.split_at(entries.len() / threads);
        let parts = thread::scope(|scope| {
            let size = others.len().div_ceil(threads.saturating_sub(1).max(1)).max(1);
            let look = |entries| self.look_at(folder, entries);
            let others: Vec<_> =
                others.chunks(size).map(|chunk| scope.spawn(move || look(chunk))).collect();
            let mut parts = vec![look(own)];
            parts.extend(others.into_iter().map(|other| other.join().unwrap_or(None)));
            parts
        });
        for found in parts {
            let mut found = found?;
            part.found.append(&mut found.found);
            part.folders.append(&mut found.folders);
        }
        Some(Ok(()))
    }

    /// Some entries of a folder, by their stat; `None` if they are too many.
    fn look_at(&self, folder: &Name, entries: &[DirEntry]) -> Option<Part> {
        let mut part = Part::default();
        for entry in entries {
            let file_name = entry.file_name();
            if folder.as_bytes().is_empty() && file_name == ".git" {
                continue;
            }
            let name = folder.entry(&file_name);
            // Relative to the open folder, so that its path is not looked up again.
            let found = match entry.metadata() {
                Ok(metadata) if metadata.is_dir() && file_name == ".git" => {
                    Found::Known(State::folder(&metadata))
                }
                Ok(metadata) if metadata.is_dir() => {
                    part.folders.push((name, metadata));
                    self.count(0)?;
                    continue;
                }
                Ok(metadata) => Found::Unread(metadata),
                Err(cause) if is_gone(&cause) => continue,
                Err(_) => Found::Known(State::Opaque(Opaque::Unreadable)),
            };
            self.count(found.bytes())?;
            part.found.push((name, found));
        }
        Some(part)
    }

    /// Counts an entry; `None` if that is one too many.
    fn count(&self, bytes: u64) -> Option<()> {
        let entries = self.entries.fetch_add(1, Relaxed) + 1;
        let bytes = self.bytes.fetch_add(bytes, Relaxed).saturating_add(bytes);
        (entries <= MOST_IGNORED_ENTRIES && bytes <= MOST_IGNORED_BYTES).then_some(())
    }
}
