//! The files that are notes by their names.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use rustc_hash::FxHashMap;

use elophanto_index::links::Names;
use elophanto_repo::{NotePath, Selection, walk, walk_files};

/// Names of notes as the folders have them: nothing of them is read.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted.
    paths: Vec<String>,
    /// By their files' names alone.
    pub names: Names,
    /// All files, notes or not, once somebody asks for one.
    files: OnceLock<Files>,
}

impl Listing {
    /// Walks below a root.
    pub fn of(root: &Path, selection: &Selection) -> Self {
        let (walked, _) = walk(root, selection);
        let mut paths: Vec<NotePath> = walked.into_iter().map(|file| file.path).collect();
        if !selection.apart.as_os_str().is_empty() {
            // Pages of entities are read in another way, and linked to all the same.
            let pages = Selection {
                roots: vec![selection.apart.clone()],
                apart: std::path::PathBuf::new(),
                ..selection.clone()
            };
            let is_there = root.join(&selection.apart).is_dir();
            let walked = if is_there { walk(root, &pages).0 } else { Vec::new() };
            paths.extend(walked.into_iter().map(|file| file.path));
        }
        paths.sort();
        paths.dedup();
        Self::from_paths(paths.iter().map(NotePath::to_text).collect())
    }

    /// Of paths that are sorted.
    pub fn from_paths(paths: Vec<String>) -> Self {
        let mut names = Names::default();
        paths.iter().for_each(|path| names.add(&NotePath::from(path.as_str()), []));
        Self { paths, names, files: OnceLock::new() }
    }

    /// All of them, sorted.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    pub fn contains(&self, path: &str) -> bool {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    /// Whether some file beneath the root is called so.
    pub fn is_called(&self, root: &Path, target: &str) -> bool {
        self.files.get_or_init(|| Files::of(root)).are_called(target)
    }
}

/// Paths of files by the last of their names, all in lower case: so links in double brackets are
/// looked up by those who keep pictures and notes in one vault, wherever in it they lie.
#[derive(Debug, Default)]
struct Files(FxHashMap<String, Vec<String>>);

impl Files {
    fn of(root: &Path) -> Self {
        let (walked, _) = walk_files(root, &[PathBuf::from(".")], |_| true, |_| true);
        Self::from_paths(walked.iter().map(|file| file.path.to_text()))
    }

    fn from_paths(paths: impl Iterator<Item = String>) -> Self {
        let mut all = FxHashMap::<String, Vec<String>>::default();
        for path in paths.map(|path| path.to_lowercase()) {
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            all.entry(name).or_default().push(path);
        }
        Self(all)
    }

    /// Whether the path of one of them ends so, at a whole name; `.md` may be left out.
    fn are_called(&self, target: &str) -> bool {
        let target = target.to_lowercase();
        [target.clone(), format!("{target}.md")].iter().any(|target| {
            let ends = |path: &String| {
                let above = path.strip_suffix(target.as_str());
                above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
            };
            let named = target.rsplit('/').next().and_then(|name| self.0.get(name));
            named.is_some_and(|paths| paths.iter().any(ends))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_the_ends_of_their_paths() {
        let paths = ["en/Plugins/Formulas.md", "en/Pictures/Menu.svg", "de/Plugins/Formulas.md"];
        let files = Files::from_paths(paths.map(str::to_owned).into_iter());
        for (target, expected) in [
            ("Formulas", true),
            ("formulas.md", true),
            ("plugins/Formulas", true),
            ("en/Plugins/Formulas", true),
            ("menu.svg", true),
            ("Menu", false),
            ("ormulas", false),
            ("lugins/Formulas", false),
            ("fr/Plugins/Formulas", false),
            ("/Formulas", false),
            ("../Formulas", false),
            ("Plugins", false),
            ("", false),
        ] {
            assert_eq!(files.are_called(target), expected, "{target}");
        }
    }
}
