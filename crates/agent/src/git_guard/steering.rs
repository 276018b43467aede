//! Files of the work tree that steer other programs outside of the sandbox, before and after a call
//! that nobody looked at: what is new is put out of their sight.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::{Named, planted::Aside};
use crate::permissions::Protected;
use elophanto_base::{
    beneath::Folder, counted::counted, mutex::lock, platform, visible::exact_line,
};
use elophanto_repo::{PutAside, Repository, Visited, inner_marks_and, move_aside};

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

/// Gathers what steers other programs, from a walk over a work tree that looks for git directories.
pub struct Sight<'r> {
    root: &'r Path,
    protected: Arc<Protected>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    closed: Vec<PathBuf>,
    /// Files with several names, by device and inode: how many, and those that were seen.
    linked: HashMap<(u64, u64), (u64, Vec<PathBuf>)>,
}

impl<'r> Sight<'r> {
    /// Of the work tree at `root`, but for what programs install and build.
    pub fn of(root: &'r Path, protected: &Arc<Protected>) -> Self {
        Self { root, protected: Arc::clone(protected), found: Mutex::default() }
    }

    /// To be handed to the walk.
    pub fn visit(&self, visited: Visited<'_>) {
        let (Visited::Entry(path, _) | Visited::Closed(path)) = visited;
        let below = path.strip_prefix(self.root).unwrap_or(path);
        let is_installed = |name: &OsStr| INSTALLED.iter().any(|it| name == *it);
        let mut around = below.parent().into_iter().flat_map(Path::iter);
        match visited {
            _ if around.any(is_installed) => {}
            Visited::Closed(_) if path.file_name().is_some_and(is_installed) => {}
            Visited::Closed(_) => lock(&self.found).closed.push(path.to_owned()),
            Visited::Entry(_, kind) if kind.is_dir() => {}
            Visited::Entry(_, kind) => {
                let leads = || kind.is_symlink() && self.protected.leads_to(path).is_some();
                if self.protected.executed(path).is_some() || leads() {
                    lock(&self.found).files.push(path.to_owned());
                }
                let found = kind.is_file().then(|| path.symlink_metadata().ok()).flatten();
                if let Some(found) = found.filter(|found| platform::links(found) > 1)
                    && let Some(identity) = platform::identity(&found)
                {
                    let mut all = lock(&self.found);
                    let linked = all.linked.entry(identity).or_default();
                    linked.0 = platform::links(&found);
                    linked.1.push(path.to_owned());
                }
            }
        }
    }

    /// What of it is still there, with what git goes by.
    pub fn steering(&self, named: Option<&Named>) -> Steering {
        let all = lock(&self.found);
        let named = named.iter().flat_map(|named| named.paths.keys());
        let is_hidden = |path: &&PathBuf| {
            path.ancestors().skip(1).any(|above| all.closed.iter().any(|it| it == above))
        };
        let paths = all.files.iter().chain(&all.closed).filter(|path| !is_hidden(path));
        let paths = paths.chain(named).filter(|path| path.symlink_metadata().is_ok());
        let relative = |path: &PathBuf| {
            let below = path.strip_prefix(self.root).ok().filter(|it| *it != Path::new(""))?;
            Some((below.to_owned(), fs::read_link(path).ok()))
        };
        Steering { files: paths.filter_map(relative).collect() }
    }

    /// Files of the work tree that are written where something else is: those that have a name
    /// outside of it as well, or in one of the `nested` repositories, which no undo takes back, and
    /// other names of what steers others. Absolute; what programs install is passed over.
    pub fn linked(&self, steering: &Steering, nested: &[PathBuf]) -> Vec<PathBuf> {
        let linked = std::mem::take(&mut lock(&self.found).linked);
        let steers = |path: &PathBuf| {
            path.strip_prefix(self.root).is_ok_and(|path| steering.files.contains_key(path))
        };
        let own = linked.into_values().filter_map(|(names, mut paths)| {
            paths.retain(|path| !nested.iter().any(|it| path.starts_with(it)));
            (names > paths.len() as u64 || paths.iter().any(steers)).then_some(paths)
        });
        own.flatten().collect()
    }
}

impl Steering {
    /// Looks through the work tree at `root`.
    pub fn look(root: &Path, protected: &Arc<Protected>, named: Option<&Named>) -> Self {
        let sight = Sight::of(root, protected);
        inner_marks_and(root, &|visited| sight.visit(visited));
        sight.steering(named)
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
}

/// Where a path of the work tree really lies in it, if a link is on its way.
fn in_place(root: &Path, path: &Path) -> PathBuf {
    let real = || {
        let above = root.join(path.parent()?).canonicalize().ok()?;
        Some(above.strip_prefix(root).ok()?.join(path.file_name()?))
    };
    real().unwrap_or_else(|| path.to_owned())
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
