//! What a call has changed: for the checkpoint, and for whoever has to look at it.

use std::{
    collections::{BTreeSet, HashMap},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::{Begun, Surroundings};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::exact_line;
use elophanto_repo::{Git, PutAside, move_aside};

/// Files that are told of one by one.
const MOST_TOLD: usize = 20;
/// Folders of what programs install and build, in which nobody opens an editor.
const INSTALLED: [&str; 7] =
    ["node_modules", "target", "venv", ".gradle", ".next", ".tox", ".venv"];

/// Whether the way into an entry of the work tree is gone.
fn is_looked_into(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    !entry.file_type().is_dir() || name != ".git" && !INSTALLED.iter().any(|it| name == *it)
}

impl Surroundings<'_> {
    /// What the call that has just been made changed.
    pub(super) fn changed(&mut self) -> Vec<PathBuf> {
        let Some(Begun { is_covered: true, head: old, .. }) = self.calls.pop() else {
            return Vec::new();
        };
        let new = self.head();
        let branch = self.git.and_then(Git::branch).map(|name| format!("refs/heads/{name}"));
        let Some(run) = &mut self.checkpoint else { return Vec::new() };
        if let Some(old) = old
            && let Some(new) = new.filter(|new| old.as_ref() != Some(new))
            && let Err(cause) = run.committed(old, new, branch.as_deref())
        {
            self.warnings.push(format!("the commit cannot be taken back: {cause}"));
        }
        match run.after() {
            Ok(paths) => paths,
            Err(cause) => {
                self.warnings.push(format!("what the call changed is not known yet: {cause}"));
                Vec::new()
            }
        }
    }

    /// Puts repositories that the call has left out of git's sight; says so.
    pub(super) fn put_aside(&mut self) -> Vec<String> {
        let repository = &self.workspace.repository;
        let Some(Begun { before: Some(before), under_way, .. }) = self.calls.last_mut() else {
            return Vec::new();
        };
        let run = self.run.unwrap_or_default().to_string();
        let aside = before.put_aside(repository, &|_| false, &repository.aside_dir().join(run));
        // What is still there is tried again by the next run.
        if let Some(under_way) = under_way.take().filter(|_| aside.is_whole) {
            under_way.ended();
        }
        aside.told
    }

    /// Files and links of the work tree that others execute or go by, git among them, relative to
    /// its root, and folders that cannot be looked into. What programs install and build is passed
    /// over.
    pub(super) fn steering(&self) -> BTreeSet<PathBuf> {
        let (rights, root) = (self.prepared.rights.borrow(), &self.workspace.repository.root);
        let protected = &rights.protected;
        let mut found = BTreeSet::new();
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
            found.extend(path.and_then(|path| Some(path.strip_prefix(root).ok()?.to_owned())));
        }
        for path in self.named.iter().flat_map(|named| named.paths.keys()) {
            let is_there = path.symlink_metadata().is_ok();
            found.extend(path.strip_prefix(root).ok().filter(|_| is_there).map(Path::to_owned));
        }
        found.remove(Path::new(""));
        found
    }

    /// Files of the work tree that have a name outside of it as well, absolute: what is written into
    /// one is written there too, and no undo takes it back. What programs install is passed over.
    pub(super) fn linked_outside(&self) -> Vec<PathBuf> {
        let root = &self.workspace.repository.root;
        let mut linked: HashMap<(u64, u64), (u64, Vec<PathBuf>)> = HashMap::new();
        let walk = WalkDir::new(root).into_iter().filter_entry(is_looked_into);
        for entry in walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
            let Ok(found) = entry.metadata() else { continue };
            if found.nlink() > 1 {
                let at = linked.entry((found.dev(), found.ino())).or_default();
                at.0 = found.nlink();
                at.1.push(entry.into_path());
            }
        }
        let outside = linked.into_values().filter(|(names, paths)| *names > paths.len() as u64);
        outside.flat_map(|(_, paths)| paths).collect()
    }

    /// Puts files aside that others go by and that a call has left which nobody looked at; says so.
    pub(super) fn put_steering_aside(&mut self) -> Vec<String> {
        let Some(known) = self.calls.last_mut().and_then(|call| call.steering.take()) else {
            return Vec::new();
        };
        let repository = &self.workspace.repository;
        let new: Vec<PathBuf> =
            self.steering().into_iter().filter(|it| !known.contains(it)).collect();
        let aside = repository.aside_dir().join(self.run.unwrap_or_default().to_string());
        let moved = move_aside(&repository.root, new, &aside);
        let said = |PutAside { mark, to }: &PutAside| {
            let mark = exact_line(&mark.to_string_lossy());
            match to {
                Ok(to) => {
                    let to = exact_line(&to.to_string_lossy());
                    format!(
                        "`{mark}` would steer other programs outside of the sandbox: it was moved \
                         to `{to}`"
                    )
                }
                Err(cause) => format!(
                    "`{mark}` steers other programs outside of the sandbox, and could not be moved \
                     away: {cause}: look at it first"
                ),
            }
        };
        let mut told: Vec<String> = moved.iter().take(MOST_TOLD).map(said).collect();
        if let Some(more @ 1..) = moved.len().checked_sub(MOST_TOLD) {
            told.push(format!("{} like it", counted(more, "more file")));
        }
        told
    }

    /// Says which of these files, relative to the root, others execute.
    pub(super) fn executed(&self, changed: &[PathBuf]) -> Vec<String> {
        let (rights, root) = (self.prepared.rights.borrow(), &self.workspace.repository.root);
        let who = |path: &PathBuf| {
            let path = root.join(path);
            // A folder alone says nothing; a link says what lies behind it.
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            let by_git = || self.named.as_ref()?.why(&path).map(|_| "git");
            rights.protected.executed(&path).or_else(by_git).filter(|_| !is_folder)
        };
        let found: Vec<(&PathBuf, &str)> =
            changed.iter().filter_map(|path| Some((path, who(path)?))).collect();
        let said = |(path, who): &(&PathBuf, &str)| {
            let path = exact_line(&path.to_string_lossy());
            format!(
                "`{path}` was changed, and runs or steers {who} outside of the sandbox: look at it \
                 first"
            )
        };
        let mut told: Vec<String> = found.iter().take(MOST_TOLD).map(said).collect();
        if let Some(more @ 1..) = found.len().checked_sub(MOST_TOLD) {
            let (files, were) = (counted(more, "more file"), agreeing(more, "was", "were"));
            let run = agreeing(more, "runs or steers", "run or steer");
            told.push(format!("{files} that {run} other programs {were} changed"));
        }
        told
    }
}
