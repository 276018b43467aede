//! Files of the work tree that steer other programs outside of the sandbox, before and after a call
//! that nobody looked at: what is new is put out of their sight.

use std::{
    collections::{BTreeSet, HashMap},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::{Named, planted::Aside};
use crate::permissions::Protected;
use elophanto_base::{counted::counted, visible::exact_line};
use elophanto_repo::{PutAside, Repository, move_aside};

/// Files that are told of one by one.
const MOST_TOLD: usize = 20;
/// Folders of what programs install and build, in which nobody opens an editor.
pub const INSTALLED: [&str; 7] =
    ["node_modules", "target", "venv", ".gradle", ".next", ".tox", ".venv"];

/// What steers other programs in a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steering {
    /// Files and links, relative to the root, and folders that cannot be looked into.
    pub files: BTreeSet<PathBuf>,
}

impl Steering {
    /// Looks through the work tree at `root`, but for what programs install and build.
    pub fn look(root: &Path, protected: &Protected, named: Option<&Named>) -> Self {
        let mut files = BTreeSet::new();
        for entry in WalkDir::new(root).into_iter().filter_entry(is_looked_into) {
            let path = match entry {
                Ok(entry) => {
                    let (path, kind) = (entry.path(), entry.file_type());
                    let leads = || kind.is_symlink() && protected.leads_to(path).is_some();
                    let is_one = !kind.is_dir() && (protected.executed(path).is_some() || leads());
                    is_one.then(|| entry.into_path())
                }
                Err(closed) => closed.path().map(Path::to_owned),
            };
            files.extend(path.and_then(|path| Some(path.strip_prefix(root).ok()?.to_owned())));
        }
        for path in named.iter().flat_map(|named| named.paths.keys()) {
            let is_there = path.symlink_metadata().is_ok();
            files.extend(path.strip_prefix(root).ok().filter(|_| is_there).map(Path::to_owned));
        }
        files.remove(Path::new(""));
        Self { files }
    }

    /// Puts those files of `now` that were not there before into the folder `snapshot`.
    pub fn put_aside(
        &self,
        repository: &Repository,
        now: BTreeSet<PathBuf>,
        snapshot: &Path,
    ) -> Aside {
        let new = now.into_iter().filter(|path| !self.files.contains(path));
        let moved = move_aside(&repository.root, new, snapshot);
        let mut told: Vec<String> = moved.iter().take(MOST_TOLD).map(said).collect();
        if let Some(more @ 1..) = moved.len().checked_sub(MOST_TOLD) {
            told.push(format!("{} like it", counted(more, "more file")));
        }
        Aside { told, is_whole: moved.iter().all(|one| one.to.is_ok()) }
    }
}

/// Files of the work tree that have a name outside of it as well, absolute: what is written into one
/// is written there too, and no undo takes it back. What programs install is passed over.
pub fn linked_outside(root: &Path) -> Vec<PathBuf> {
    let mut linked: HashMap<(u64, u64), (u64, Vec<PathBuf>)> = HashMap::new();
    let walk = WalkDir::new(root).into_iter().filter_entry(is_looked_into);
    for entry in walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
        let Ok(found) = entry.metadata() else { continue };
        if found.nlink() > 1 {
            let (names, paths) = linked.entry((found.dev(), found.ino())).or_default();
            *names = found.nlink();
            paths.push(entry.into_path());
        }
    }
    let outside = linked.into_values().filter(|(names, paths)| *names > paths.len() as u64);
    outside.flat_map(|(_, paths)| paths).collect()
}

fn is_looked_into(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    !entry.file_type().is_dir() || name != ".git" && !INSTALLED.iter().any(|it| name == *it)
}

fn said(PutAside { mark, to }: &PutAside) -> String {
    let mark = exact_line(&mark.to_string_lossy());
    match to {
        Ok(to) => {
            let to = exact_line(&to.to_string_lossy());
            format!(
                "`{mark}` would steer other programs outside of the sandbox: it was moved to `{to}`"
            )
        }
        Err(cause) => format!(
            "`{mark}` steers other programs outside of the sandbox, and could not be moved away: \
             {cause}: look at it first"
        ),
    }
}
