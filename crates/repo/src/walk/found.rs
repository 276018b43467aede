//! Whether the walk would come by a path that somebody names: a record of the journal, a setting.

use std::{
    collections::HashMap,
    fs,
    path::{Component, Path, PathBuf},
    sync::Mutex,
};

use super::{FORGE_FOLDERS, IGNORE_FILES, OF_NOTES, Rules, is_git_name, locked};

/// Which paths a walk from the top finds; what holds in a folder is looked up once.
pub struct Finder {
    root: PathBuf,
    enters: fn(&Path) -> bool,
    /// Hidden folders at the top that are entered all the same.
    shown: &'static [&'static str],
    /// Names of the ignore files that count.
    names: &'static [&'static str],
    /// `None` for a folder that the walk does not enter.
    folders: Mutex<HashMap<PathBuf, Option<Rules>>>,
}

impl Finder {
    /// Of the walk for notes.
    pub fn new(root: &Path) -> Self {
        Self::of(root, |_| true, FORGE_FOLDERS, OF_NOTES)
    }

    /// Of the walk for files, which enters folders only if `enters` says so.
    pub fn of_files(root: &Path, enters: fn(&Path) -> bool) -> Self {
        Self::of(root, enters, &[], &IGNORE_FILES)
    }

    fn of(
        root: &Path,
        enters: fn(&Path) -> bool,
        shown: &'static [&'static str],
        names: &'static [&'static str],
    ) -> Self {
        Self { root: root.to_owned(), enters, shown, names, folders: Mutex::default() }
    }

    /// Whether the walk finds a path relative to the root, or would if it were there: neither it nor a
    /// folder above is hidden, left out by an ignore file, of git, or a link, and all lies in this
    /// repository.
    pub fn finds(&self, path: &Path) -> bool {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let (Some(_), true) = (path.file_name(), is_plain && is_in_parts(path)) else {
            return false;
        };
        let found = fs::symlink_metadata(self.root.join(path));
        let is_folder = found.as_ref().is_ok_and(fs::Metadata::is_dir);
        let is_link = found.as_ref().is_ok_and(|found| found.is_symlink());
        let above = path.parent().unwrap_or(Path::new(""));
        let is_ours = !(is_link || is_folder && self.is_other(path));
        is_ours && self.within(above).is_some_and(|rules| self.keeps(&rules, path, is_folder))
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
            let above = Rules::above(&self.root, &self.root, self.names).ok()?;
            return above.of_folder(&self.root, &self.root).ok();
        };
        let above = self.within(above)?;
        let is_folder = match fs::symlink_metadata(&place) {
            Ok(found) => found.is_dir(),
            // Gone, with all that was in it.
            Err(_) => true,
        };
        let is_entered = is_folder && !self.is_other(folder) && (self.enters)(&place);
        if !is_entered || !self.keeps(&above, folder, true) {
            return None;
        }
        above.of_folder(&place, &self.root).ok()
    }

    /// Whether a folder is another repository, or another work tree of this one.
    pub fn is_other(&self, folder: &Path) -> bool {
        fs::symlink_metadata(self.root.join(folder).join(".git")).is_ok()
    }

    fn keeps(&self, rules: &Rules, path: &Path, is_folder: bool) -> bool {
        let name = path.file_name().unwrap_or_default();
        let is_shown = || is_folder && self.shown.iter().any(|shown| path == Path::new(shown));
        let is_hidden = name.as_encoded_bytes().starts_with(b".") && !is_shown();
        !is_hidden && !is_git_name(name) && !rules.ignores(&self.root.join(path), is_folder)
    }
}

/// Whether the bytes of a path are those of its parts, joined by `/`: those of `a//b` and `a/./b`, which the
/// file system takes for `a/b`, are not, and no rule of an ignore file speaks of them.
pub fn is_in_parts(path: &Path) -> bool {
    path.components().collect::<PathBuf>().as_os_str() == path.as_os_str()
}
