//! Who follows notes is told when they change.

use std::{os::unix::fs::MetadataExt, path::Path, time::Duration};

use super::server::Handle;
use elophanto_app::{notes::Notes, workspace::KnowledgeBase};
use elophanto_index::watch::{Wake, Watch};
use elophanto_repo::{BlobId, NotePath};

/// How often it is seen to that the root is the one that is watched.
const LOOKS: Duration = Duration::from_secs(5);

/// Tells clients which notes changed, for as long as the process lives. Who cannot watch tells
/// nothing: answers are fresh all the same.
pub fn tell_of_changes(root: &Path, base: &KnowledgeBase, handle: &Handle) {
    follow(root, &mut telling(base, handle));
}

/// Calls `changed` at the beginning and whenever something may have changed, for as long as the
/// process lives. A folder that takes the place of the root is watched in its turn; one that cannot
/// be watched is tried again.
pub fn follow(root: &Path, changed: &mut dyn FnMut()) {
    loop {
        let folder = identity(root);
        if folder.is_some()
            && let Ok(watch) = Watch::begin(root)
        {
            changed();
            watch.run(Some(LOOKS), |wake| {
                let is_there = identity(root) == folder;
                if is_there && wake != Wake::Interval {
                    changed();
                }
                is_there
            });
        } else {
            std::thread::sleep(LOOKS);
        }
    }
}

/// Which folder a path leads to.
fn identity(root: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(root).ok().map(|folder| (folder.dev(), folder.ino()))
}

/// Compares the notes with those of the time before, and tells clients which changed.
pub fn telling<'b>(base: &'b KnowledgeBase, handle: &'b Handle) -> impl FnMut() + 'b {
    let mut known = listed(base);
    move || {
        let now = listed(base);
        let before = std::mem::replace(&mut known, now.clone());
        let was = |path| {
            let at = before.binary_search_by(|(old, _)| old.cmp(path)).ok()?;
            before.get(at).map(|(_, blob)| blob)
        };
        let changed: Vec<String> = now
            .iter()
            .filter(|(path, blob)| was(path).is_some_and(|was| was != blob))
            .map(|(path, _)| path.to_text())
            .collect();
        let list_changed =
            !before.iter().map(|(path, _)| path).eq(now.iter().map(|(path, _)| path));
        if list_changed || !changed.is_empty() {
            handle.changed(&changed, list_changed);
        }
    }
}

/// All notes and pages of entities with their content, by path.
fn listed(base: &KnowledgeBase) -> Vec<(NotePath, BlobId)> {
    let Ok(workspace) = base.open(Vec::new()) else { return Vec::new() };
    let Ok(notes) = Notes::open(&workspace) else { return Vec::new() };
    notes.known.snapshot.files.iter().map(|file| (file.path.clone(), file.blob)).collect()
}
