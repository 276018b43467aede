//! The files that are notes by their names.

use std::path::Path;

use elophanto_index::links::{Files, Names};
use elophanto_repo::{NotePath, Selection, walk};

/// Names of notes as the folders have them: nothing of them is read.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted.
    paths: Vec<String>,
    /// By their files' names alone.
    pub names: Names,
    /// All files, notes or not, once somebody asks for one.
    pub files: Files,
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
        let listed = Self::from_paths(paths.iter().map(NotePath::to_text).collect());
        Self { files: Files::below(root), ..listed }
    }

    /// Of paths that are sorted.
    pub fn from_paths(paths: Vec<String>) -> Self {
        let mut names = Names::default();
        paths.iter().for_each(|path| names.add(&NotePath::from(path.as_str()), []));
        Self { paths, names, files: Files::default() }
    }

    /// All of them, sorted.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Whether there is such a file, by its path relative to the root.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }
}
