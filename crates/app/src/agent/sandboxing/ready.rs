//! What is found out and started ahead of the next program, while the model thinks.

use std::{
    path::{Path, PathBuf},
    thread::{Builder, JoinHandle},
};

use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};

use super::Fencing;
use elophanto_agent::sandbox::{Kind, Standby};
use elophanto_base::mutex::lock;
use elophanto_repo::inner_marks;

/// Files and folders of a work tree that are looked at for keys.
const MOST_ENTRIES: usize = 200_000;

/// What was made ready for the next program while something else was done.
#[derive(Default)]
pub(super) struct Ready {
    pub standby: Option<Standby>,
    /// What holds keys in the work tree, if all of it has just been looked at.
    pub keys: Option<Vec<PathBuf>>,
    /// Other repositories in it, and where one could be put, if that was looked for: an undo does
    /// not reach into them.
    pub repositories: Option<Vec<PathBuf>>,
    /// It writes nowhere but in the work tree, whatever the settings say.
    pub stays_here: bool,
    /// An empty folder for temporary files.
    pub temporary: Option<TempDir>,
}

impl Fencing {
    /// To be called before there is time to pass until the next program runs: its helper is
    /// started meanwhile.
    pub fn get_ready(&self) {
        let (helper, kind) = self.helper();
        let mut ready = lock(&self.ready);
        (ready.keys, ready.repositories) = (None, None);
        let next = lock(&self.next).take().and_then(|next| next.join().ok().flatten());
        let mut standby = ready.standby.take().or(next);
        if !standby.as_mut().is_some_and(Standby::is_waiting) && !matches!(kind, Kind::Absent(_)) {
            // Whoever runs the program is told why there is none.
            standby = helper.start().ok();
        }
        ready.standby = standby;
    }

    /// To be called when a program has ended and the model is about to be asked: where one was
    /// run, there will be others, and their helper can start while the model thinks.
    pub fn expects_another(&self) {
        let Some((helper, kind)) = self.helper.get() else { return };
        let mut next = lock(&self.next);
        if !matches!(kind, Kind::Absent(_)) && lock(&self.ready).standby.is_none() && next.is_none()
        {
            let helper = helper.clone();
            let start = move || helper.start().ok();
            *next = Builder::new().name("standby".to_owned()).spawn(start).ok();
        }
    }

    /// To be called at the end of a run: nothing is left waiting.
    pub fn rests(&self) {
        drop(lock(&self.next).take().map(JoinHandle::join));
        lock(&self.ready).standby = None;
    }

    /// To be called right before the next program runs, by whoever has just looked at all files and
    /// folders of the work tree: their paths relative to the root.
    pub fn knows<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        let keys = self.keys_among(paths);
        lock(&self.ready).keys = Some(keys);
    }

    /// The same of other repositories in the work tree, and of where one could be put: absolute.
    pub fn knows_repositories(&self, paths: Vec<PathBuf>) {
        lock(&self.ready).repositories = Some(paths);
    }

    /// Whether the next program writes nowhere but in the work tree: nobody has looked at it.
    pub fn stays_here(&self, stays: bool) {
        lock(&self.ready).stays_here = stays;
    }

    /// What was found out about the work tree is out of date.
    pub fn forget(&self) {
        let mut ready = lock(&self.ready);
        (ready.keys, ready.repositories) = (None, None);
    }

    /// Those of these paths that hold keys. Of each it is found out once: it depends on nothing but
    /// the path.
    fn keys_among<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
        let mut judged = lock(&self.judged);
        let mut keys = Vec::new();
        for path in paths {
            let is_key = judged.get(path.as_os_str()).copied().unwrap_or_else(|| {
                let is_key = self.protected.holds_key(&self.root.join(path)).is_some();
                judged.insert(path.into(), is_key);
                is_key
            });
            if is_key {
                keys.push(self.root.join(path));
            }
        }
        keys
    }

    /// What holds keys in the work tree.
    pub(super) fn keys(&self) -> Vec<PathBuf> {
        let walk = WalkDir::new(&self.root).into_iter();
        let walk = walk.filter_entry(|entry| entry.file_name() != ".git");
        let entries = walk.take(MOST_ENTRIES).filter_map(Result::ok);
        let paths: Vec<PathBuf> = entries.map(DirEntry::into_path).collect();
        self.keys_among(paths.iter().filter_map(|path| path.strip_prefix(&self.root).ok()))
    }

    /// Folders of other repositories in the work tree.
    pub(super) fn repositories(&self) -> Vec<PathBuf> {
        let marks = inner_marks(&self.root);
        marks.iter().filter_map(|mark| Some(self.root.join(mark.parent()?))).collect()
    }
}
