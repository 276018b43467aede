//! What folders held when they were listed last: one that has not changed since is not listed again.
//!
//! A folder changes when an entry of it comes, goes or gets another name, and its times tell. What changes
//! within the clock's grain after a look would not be told from what was seen, so that a folder that had
//! changed shortly before is looked at again (git's racy rule). Owns neither file nor format: whoever
//! walks keeps what is handed out.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, FileType, Metadata},
    path::Path,
    sync::{Arc, Mutex},
};

use rustc_hash::FxHashMap;

use super::{FileStat, Found, below, locked};
use crate::NotePath;
use elophanto_base::platform;

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// A link, a pipe, a device.
    Other,
}

impl EntryKind {
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }
}

/// A folder that had not changed for a while when it was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The number of its file system.
    pub device: u64,
    /// As it was before it was listed.
    pub stat: FileStat,
    /// Those that a walk asks about.
    pub entries: Vec<(EntryKind, OsString)>,
}

/// What is known of folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// How the names of files end that are known of.
    pub extensions: Vec<String>,
    /// By path, relative to the root.
    pub by_path: FxHashMap<NotePath, Arc<Folder>>,
}

/// What was known before a walk, and what the walk sees.
pub(super) struct Known<'w> {
    before: &'w Folders,
    /// Of the root: what is mounted below it may tell less of its folders.
    device: Option<u64>,
    /// When the walk began, in nanoseconds since 1970.
    now: i64,
    seen: Mutex<FxHashMap<NotePath, Arc<Folder>>>,
}

/// What a folder holds.
pub(super) enum Held<'w> {
    Listed(Vec<Found>),
    Known(&'w Folder),
}

impl Held<'_> {
    pub(super) fn entries(
        &self,
    ) -> Box<dyn Iterator<Item = (EntryKind, &OsStr, Option<&fs::DirEntry>)> + '_> {
        match self {
            Self::Listed(found) => {
                Box::new(found.iter().map(|(kind, name, entry)| {
                    (EntryKind::of(*kind), name.as_os_str(), Some(entry))
                }))
            }
            Self::Known(folder) => Box::new(
                folder
                    .entries
                    .iter()
                    .map(|(kind, name)| (*kind, name.as_os_str(), None::<&fs::DirEntry>)),
            ),
        }
    }
}

impl<'w> Known<'w> {
    pub(super) fn new(before: &'w Folders, root: &Path, now: i64) -> Self {
        let device = fs::metadata(root).ok().and_then(|metadata| device(&metadata));
        Self { before, device, now, seen: Mutex::default() }
    }

    /// What a folder below the root holds: as it is known, else as `list` finds it, which says whether that is
    /// all; of that what is `asked` about is remembered.
    pub(super) fn held(
        &self,
        root: &Path,
        folder: &Path,
        list: impl FnOnce() -> (Vec<Found>, bool),
        asked: impl Fn(EntryKind, &OsStr) -> bool,
    ) -> Held<'w> {
        // Before it is listed: what comes meanwhile makes the next stat another one.
        let metadata = fs::symlink_metadata(folder).ok().filter(Metadata::is_dir);
        let metadata = metadata.filter(|metadata| device(metadata) == self.device);
        let path = below(root, folder).map(NotePath::from);
        let (Some(path), Some(metadata), Some(device)) = (path, metadata, self.device) else {
            return Held::Listed(list().0);
        };
        let stat = FileStat::from(&metadata);
        if let Some(known) = self.before.by_path.get(&path)
            && (known.device, known.stat) == (device, stat)
        {
            locked(&self.seen).insert(path, Arc::clone(known));
            return Held::Known(known);
        }
        let (found, is_all) = list();
        if is_all && stat.is_settled(self.now) {
            let entries = found.iter().map(|(kind, name, _)| (EntryKind::of(*kind), name));
            let entries = entries.filter(|(kind, name)| asked(*kind, name));
            let entries = entries.map(|(kind, name)| (kind, name.clone())).collect();
            locked(&self.seen).insert(path, Arc::new(Folder { device, stat, entries }));
        }
        Held::Listed(found)
    }

    /// What is known after the walk; `None` if that is what was known before.
    pub(super) fn after(self, extensions: &[String]) -> Option<Folders> {
        let by_path = self.seen.into_inner().unwrap_or_else(|poison| poison.into_inner());
        let is_known = |(path, folder): (&NotePath, &Arc<Folder>)| {
            self.before.by_path.get(path).is_some_and(|known| Arc::ptr_eq(known, folder))
        };
        let is_same = by_path.len() == self.before.by_path.len() && by_path.iter().all(is_known);
        (!is_same).then(|| Folders { extensions: extensions.to_vec(), by_path })
    }
}

/// The number of the file system of a folder.
fn device(metadata: &Metadata) -> Option<u64> {
    platform::identity(metadata).map(|(device, _)| device)
}
