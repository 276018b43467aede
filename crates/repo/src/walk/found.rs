//! Whether the walk would come by a path that somebody names: a record of the journal, a setting.

use std::{
    collections::HashMap,
    fs,
    path::{Component, Path, PathBuf},
    sync::Mutex,
};

use super::{FORGE_FOLDERS, OF_NOTES, Rules, is_git_name, locked};

/// Which paths the walk from the top finds; what holds in a folder is looked up once.
pub struct Finder {
    root: PathBuf,
    /// `None` for a folder that the walk does not enter.
    folders: Mutex<HashMap<PathBuf, Option<Rules>>>,
}

impl Finder {
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), folders: Mutex::default() }
    }

    /// Whether the walk finds a path relative to the root, or would if it were there: neither it nor a
    /// folder above is hidden, left out by an ignore file, of git, or a link, and all lies in this
    /// repository.
    pub fn finds(&self, path: &Path) -> bool {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let (Some(_), true) = (path.file_name(), is_plain) else { return false };
        let found = fs::symlink_metadata(self.root.join(path));
        let is_folder = found.as_ref().is_ok_and(fs::Metadata::is_dir);
        let is_link = found.as_ref().is_ok_and(|found| found.is_symlink());
        let above = path.parent().unwrap_or(Path::new(""));
        !is_link && self.within(above).is_some_and(|rules| self.keeps(&rules, path, is_folder))
    }

    /// What holds in a folder, if the walk enters it.
    fn within(&self, folder: &Path) -> Option<Rules> {
        if let Some(known) = locked(&self.folders).get(folder) {
            return known.clone();
        }
        let rules = self.look(folder);
        locked(&self.folders).insert(folder.to_owned(), rules.clone());
        rules
    }

    fn look(&self, folder: &Path) -> Option<Rules> {
        let place = self.root.join(folder);
        let Some(above) = folder.parent() else {
            let above = Rules::of(OF_NOTES).above_too(&self.root, &self.root).ok()?;
            return above.of_folder(&self.root, &self.root).ok();
        };
        let above = self.within(above)?;
        let is_folder = match fs::symlink_metadata(&place) {
            Ok(found) => found.is_dir(),
            // Gone, with all that was in it.
            Err(_) => true,
        };
        let is_own = is_folder && !place.join(".git").exists();
        if !is_own || !self.keeps(&above, folder, true) {
            return None;
        }
        above.of_folder(&place, &self.root).ok()
    }

    fn keeps(&self, rules: &Rules, path: &Path, is_folder: bool) -> bool {
        let name = path.file_name().unwrap_or_default();
        let is_forge = || is_folder && FORGE_FOLDERS.iter().any(|forge| path == Path::new(forge));
        let is_hidden = name.as_encoded_bytes().starts_with(b".") && !is_forge();
        !is_hidden && !is_git_name(name) && !rules.ignores(&self.root.join(path), is_folder)
    }
}
