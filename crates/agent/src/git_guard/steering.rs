//! Files of the work tree that steer other programs outside of the sandbox, before and after a call
//! that nobody looked at: what is new is put out of their sight.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::{Named, planted::Aside};
use crate::permissions::Protected;
use elophanto_base::{beneath::Folder, counted::counted, visible::exact_line};
use elophanto_repo::{PutAside, Repository, move_aside};

/// Files that are told of one by one.
const MOST_TOLD: usize = 20;
/// Folders of what programs install and build, in which nobody opens an editor.
pub const INSTALLED: [&str; 7] =
    ["node_modules", "target", "venv", ".gradle", ".next", ".tox", ".venv"];

/// What steers other programs in a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steering {
    /// Files and links, relative to the root, and folders that cannot be looked into; where a link
    /// leads.
    pub files: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl Steering {
    /// Looks through the work tree at `root`, but for what programs install and build.
    pub fn look(root: &Path, protected: &Protected, named: Option<&Named>) -> Self {
        let mut files = BTreeMap::new();
        let mut add = |path: &Path| {
            if let Ok(below) = path.strip_prefix(root) {
                files.insert(below.to_owned(), fs::read_link(path).ok());
            }
        };
        for entry in WalkDir::new(root).into_iter().filter_entry(is_looked_into) {
            match entry {
                Ok(entry) => {
                    let (path, kind) = (entry.path(), entry.file_type());
                    let leads = || kind.is_symlink() && protected.leads_to(path).is_some();
                    if !kind.is_dir() && (protected.executed(path).is_some() || leads()) {
                        add(path);
                    }
                }
                Err(closed) => closed.path().into_iter().for_each(&mut add),
            }
        }
        let named = named.iter().flat_map(|named| named.paths.keys());
        named.filter(|path| path.symlink_metadata().is_ok()).for_each(|path| add(path));
        files.remove(Path::new(""));
        Self { files }
    }

    /// Puts those files of `now` into the folder `snapshot` that were not there before, and those
    /// that stand where a link did, which comes back.
    pub fn put_aside(&self, repository: &Repository, now: &Self, snapshot: &Path) -> Aside {
        let root = &repository.root;
        let is_new = |(path, link): &(&PathBuf, &Option<PathBuf>)| {
            self.files.get(*path).is_none_or(|before| before != *link)
        };
        let new: Vec<&PathBuf> = now.files.iter().filter(is_new).map(|(path, _)| path).collect();
        // What lies behind a link is moved from where it is.
        let moved = move_aside(root, new.iter().map(|path| in_place(root, path)), snapshot);
        for (path, moved) in new.iter().zip(&moved) {
            if let (Some(Some(link)), Ok(_)) = (self.files.get(*path), &moved.to) {
                // Where it cannot come back, its absence is no danger, and an undo brings it.
                let _ = Folder::open(root).and_then(|top| top.make_link(link, path));
            }
        }
        let mut told: Vec<String> = moved.iter().take(MOST_TOLD).map(said).collect();
        if let Some(more @ 1..) = moved.len().checked_sub(MOST_TOLD) {
            told.push(format!("{} like it", counted(more, "more file")));
        }
        Aside { told, is_whole: moved.iter().all(|one| one.to.is_ok()) }
    }

    /// Files of the work tree that are written where something else is: those that have a name
    /// outside of it as well, or in one of the `nested` repositories, which no undo takes back, and
    /// other names of what steers others. Absolute; what programs install is passed over.
    pub fn linked(&self, root: &Path, nested: &[PathBuf]) -> Vec<PathBuf> {
        let mut linked: HashMap<(u64, u64), (u64, Vec<PathBuf>)> = HashMap::new();
        let is_own =
            |entry: &DirEntry| is_looked_into(entry) && !nested.iter().any(|it| it == entry.path());
        let walk = WalkDir::new(root).into_iter().filter_entry(is_own);
        for entry in walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
            let Ok(found) = entry.metadata() else { continue };
            if found.nlink() > 1 {
                let (names, paths) = linked.entry((found.dev(), found.ino())).or_default();
                *names = found.nlink();
                paths.push(entry.into_path());
            }
        }
        let steers = |path: &PathBuf| {
            path.strip_prefix(root).is_ok_and(|path| self.files.contains_key(path))
        };
        let held = linked
            .into_values()
            .filter(|(names, paths)| *names > paths.len() as u64 || paths.iter().any(steers));
        held.flat_map(|(_, paths)| paths).collect()
    }
}

/// Where a path of the work tree really lies in it, if a link is on its way.
fn in_place(root: &Path, path: &Path) -> PathBuf {
    let real = || {
        let above = root.join(path.parent()?).canonicalize().ok()?;
        Some(above.strip_prefix(root).ok()?.join(path.file_name()?))
    };
    real().unwrap_or_else(|| path.to_owned())
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
