//! Who follows notes is told when they change.

use std::path::Path;

use super::server::Handle;
use elophanto_app::{notes::Notes, workspace::KnowledgeBase};
use elophanto_index::watch::follow;
use elophanto_repo::{BlobId, NotePath};

/// Tells clients which notes changed, for as long as the process lives. Who cannot watch tells
/// nothing: answers are fresh all the same.
pub fn tell_of_changes(root: &Path, base: &KnowledgeBase, handle: &Handle) {
    follow(root, &mut telling(base, handle));
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
