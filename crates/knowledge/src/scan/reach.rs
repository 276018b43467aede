//! Which files records of the journal may speak of.
//!
//! A journal comes with a clone, and so from a stranger: a path in it may be `/home/you/.ssh/id_rsa`, or a
//! file that git ignores. Whatever opens or shows a file that a record names goes through here.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::sought::is_outside;
use elophanto_repo::{Finder, NotePath};

/// The files that this clone would find by itself, and those that the user's own settings name.
pub struct Reach<'a> {
    /// The root of the repository.
    pub root: &'a Path,
    finder: Finder,
    named: Vec<Named>,
}

/// A place that the user's own settings name: a file, or a folder with what the walk finds in it.
struct Named {
    place: PathBuf,
    finder: Finder,
    pattern: Option<GlobMatcher>,
}

impl<'a> Reach<'a> {
    /// `named` are places of the user's own settings, not of the repository's: outside of it, or hidden or
    /// ignored within.
    pub fn new(root: &'a Path, named: &[PathBuf]) -> Self {
        let named = named.iter().filter(|place| **place != Path::new("."));
        let named = named.map(|place| Named::new(&root.join(place))).collect();
        Self { root, finder: Finder::new(root), named }
    }

    /// Whether a file may be opened and shown. Any other counts as gone.
    pub fn holds(&self, path: &NotePath) -> bool {
        let path = path.as_path();
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::RootDir);
        self.finder.finds(path)
            || path.components().all(is_plain)
                && self.named.iter().any(|named| named.holds(&self.root.join(path)))
    }

    /// Whether what is found out about a file stays on this machine: git carries none that is outside,
    /// hidden or ignored.
    pub fn is_private(&self, path: &NotePath) -> bool {
        is_outside(path) || !self.named.is_empty() && !self.finder.finds(path.as_path())
    }

    /// Whether a scan may begin at a path of the settings, whoever's they are.
    pub fn enters(&self, path: &Path) -> bool {
        path == Path::new(".") || self.holds(&NotePath::from(path))
    }
}

impl Named {
    fn new(place: &Path) -> Self {
        let (folder, pattern) = split(place);
        Self { finder: Finder::new(&folder), place: folder, pattern }
    }

    fn holds(&self, path: &Path) -> bool {
        let is_named = self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(path));
        let below = || path.strip_prefix(&self.place).is_ok_and(|below| self.finder.finds(below));
        is_named && (path == self.place || below())
    }
}

/// The folder, or file, of a place of the settings, and the pattern of what is wanted below it.
pub(super) fn split(place: &Path) -> (PathBuf, Option<GlobMatcher>) {
    let is_pattern = |text: &str| text.contains(['*', '?', '[', '{']);
    let mut folder = place.to_owned();
    let Some(text) = place.to_str().filter(|text| is_pattern(text)) else { return (folder, None) };
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    while folder.to_str().is_some_and(is_pattern) && folder.pop() {}
    (folder, glob.ok().map(|glob| glob.compile_matcher()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn records_reach_what_the_walk_finds_and_what_the_user_names() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().canonicalize().unwrap();
        let root = outside.join("repository");
        for path in [
            "diary.txt",
            "srv/a.service",
            "srv/b.txt",
            "srv/.c.service",
            "srv/d/e.service",
            "repository/src/a.rs",
            "repository/private/p.txt",
            "repository/.env",
            "repository/.secret/s.txt",
            "repository/.own/o.txt",
            "repository/.own/.x/o.txt",
        ] {
            fs::create_dir_all(outside.join(path).parent().unwrap()).unwrap();
            fs::write(outside.join(path), "x").unwrap();
        }
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join(".gitignore"), "private\n").unwrap();
        std::os::unix::fs::symlink("../diary.txt", root.join("link.txt")).unwrap();
        let at = |path: &str| outside.join(path).to_str().unwrap().to_owned();
        let own = [".own".into(), ".".into(), at("srv/*.service").into()];
        for (path, by_itself, by_name) in [
            ("src/a.rs", true, true),
            ("src/gone.rs", true, true),
            ("private/p.txt", false, false),
            (".env", false, false),
            (".secret/s.txt", false, false),
            (".own/o.txt", false, true),
            (".own/.x/o.txt", false, false),
            (".own/../private/p.txt", false, false),
            (".git/config", false, false),
            ("link.txt", false, false),
            ("../diary.txt", false, false),
            (&at("diary.txt"), false, false),
            (&at("repository/src/a.rs"), false, false),
            (&at("srv/a.service"), false, true),
            (&at("srv/.c.service"), false, false),
            (&at("srv/b.txt"), false, false),
            (&at("srv/d/e.service"), false, false),
            (&at("srv/../srv/a.service"), false, false),
            ("", false, false),
        ] {
            let path = NotePath::from(path);
            assert_eq!(Reach::new(&root, &[]).holds(&path), by_itself, "{path:?}");
            let by_own = Reach::new(&root, &own);
            assert_eq!(by_own.holds(&path), by_name, "{path:?}");
            assert_eq!(by_own.is_private(&path), !by_itself, "{path:?}");
        }
    }
}
