//! Which files records of the journal may speak of.
//!
//! A journal comes with a clone, and so from a stranger: a path in it may be `/home/you/.ssh/id_rsa`, a
//! file that git ignores, or one of keys that was committed. Whatever opens or shows a file that a record
//! names goes through here.

use std::{
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use globset::{GlobBuilder, GlobMatcher};

use super::sought::{Sought, Wanted, is_beneath, is_outside, is_own_folder};
use elophanto_repo::{Finder, NotePath, is_in_parts, is_withheld};

/// The notes and the files to describe that this clone would find by itself, or that the user's own settings
/// name; of keys only a file that these name itself.
pub struct Reach<'a> {
    /// The root of the repository.
    pub root: &'a Path,
    wanted: &'a Wanted,
    sought: OnceLock<Sought>,
    finder: Finder,
    /// Where the user's own settings have notes read and files described.
    named: Vec<Place>,
    /// Where files are described.
    scanned: Vec<Place>,
}

/// A place of the settings: a file, or a folder with what a walk finds in it.
struct Place {
    path: PathBuf,
    finder: Finder,
    pattern: Option<GlobMatcher>,
}

impl<'a> Reach<'a> {
    pub fn new(root: &'a Path, wanted: &'a Wanted) -> Self {
        let named = wanted.named.iter().map(|path| Place::new(root, path, Finder::new)).collect();
        let (finder, sought) = (Finder::new(root), OnceLock::new());
        let mut reach = Self { root, wanted, sought, finder, named, scanned: Vec::new() };
        let paths = wanted.paths.iter().filter(|path| path.is_absolute() || reach.enters(path));
        let files = |folder: &Path| Finder::of_files(folder, is_own_folder);
        reach.scanned = paths.map(|path| Place::new(root, path, files)).collect();
        reach
    }

    /// What a scan looks for.
    pub fn sought(&self) -> &Sought {
        self.sought.get_or_init(|| Sought::new(self.root, self.wanted))
    }

    /// Whether a file may be opened and shown: a note, or one that a scan would describe. Any other counts as
    /// gone.
    pub fn holds(&self, path: &NotePath) -> bool {
        let path = path.as_path();
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::RootDir);
        is_in_parts(path)
            && path.components().all(is_plain)
            && (self.is_note(path) || self.is_scanned(path))
    }

    fn is_note(&self, path: &Path) -> bool {
        let notes = &self.wanted.notes;
        let is_below = |root: &PathBuf| root == Path::new(".") || path.starts_with(root);
        notes.is_markdown(path) && notes.roots.iter().any(is_below) && self.finds(path)
    }

    fn is_scanned(&self, path: &Path) -> bool {
        let withholds = || self.withholds(path);
        self.sought().family(path).is_some()
            && self.scanned.iter().any(|place| place.holds(path, withholds))
    }

    /// Whether the walk for notes comes by a path, or the user's own settings name it.
    fn finds(&self, path: &Path) -> bool {
        let withholds = || self.withholds(path);
        self.finder.finds(path) && !withholds()
            || self.named.iter().any(|place| place.holds(path, withholds))
    }

    /// Whether a file is named as those of keys are: within the repository as well as from the top of the
    /// file system, so that neither the folder of the repository nor a `proc` in it makes all files keys.
    pub fn withholds(&self, path: &Path) -> bool {
        let is_key = self.wanted.notes.is_key;
        is_withheld(path, |path| is_key(path) && is_key(&self.root.join(path)))
    }

    /// Whether what is found out about a file stays on this machine: git carries none that is outside,
    /// hidden or ignored.
    pub fn is_private(&self, path: &NotePath) -> bool {
        is_outside(path) || !self.named.is_empty() && !self.finder.finds(path.as_path())
    }

    /// Whether a scan may begin at a path of the settings in the repository, whoever's they are.
    pub fn enters(&self, path: &Path) -> bool {
        path == Path::new(".") || is_beneath(self.root, path) && self.finds(path)
    }
}

impl Place {
    fn new(root: &Path, path: &Path, finder: impl Fn(&Path) -> Finder) -> Self {
        let (folder, pattern) = split(path);
        let folder = folder.strip_prefix(".").unwrap_or(&folder);
        // Without the slash that nothing adds.
        let at: PathBuf = root.join(folder).components().collect();
        Self { path: folder.to_owned(), finder: finder(&at), pattern }
    }

    fn holds(&self, path: &Path, is_withheld: impl Fn() -> bool) -> bool {
        let is_named = self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(path));
        let below = || path.strip_prefix(&self.path).is_ok_and(|below| self.finder.finds(below));
        is_named && (path == self.path || below() && !is_withheld())
    }
}

/// The folder, or file, of a place of the settings, and the pattern of what is wanted below it.
pub(super) fn split(place: &Path) -> (PathBuf, Option<GlobMatcher>) {
    let is_pattern = |text: &str| text.contains(['*', '?', '[', '{']);
    // A user may have written a slash too many.
    let mut folder: PathBuf = place.components().collect();
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
            "diary.rst",
            "srv/a.service",
            "srv/b.txt",
            "srv/.c.service",
            "srv/d/e.service",
            "srv/key.service",
            "srv/vendor/a.service",
            "repository/src/a.rs",
            "repository/src/key.rs",
            "repository/src/key.md",
            "repository/src/named.rs",
            "repository/top/a.rs",
            "repository/private/p.md",
            "repository/odd/hidden.toml",
            "repository/vendor/a.rs",
            "repository/cached/CACHEDIR.TAG",
            "repository/cached/a.rs",
            "repository/other.rs",
            "repository/src/inner/.git/HEAD",
            "repository/src/inner/a.rs",
            "repository/knowledge/vendor/n.md",
            "repository/.github/n.md",
            "repository/.env",
            "repository/.secret/s.md",
            "repository/.own/o.md",
            "repository/.own/.x/o.md",
        ] {
            fs::create_dir_all(outside.join(path).parent().unwrap()).unwrap();
            fs::write(outside.join(path), "x").unwrap();
        }
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join(".gitignore"), "private\n/odd/hidden.toml\n").unwrap();
        fs::write(root.join(".ignore"), "/src/skipped.rs\n/knowledge/skipped.md\n").unwrap();
        std::os::unix::fs::symlink("../diary.rst", root.join("link.md")).unwrap();
        let at = |path: &str| outside.join(path).to_str().unwrap().to_owned();
        let own = [".own", ".", "src/named.rs", &at("srv/*.service"), &at("key.rs"), &at("srv//d")];
        // Whatever lies in `top`, the first of all folders, and what is called so.
        let is_key = |path: &Path| {
            path.file_stem().is_some_and(|name| name == "key" || name == "named")
                || path.strip_prefix("/").unwrap_or(path).starts_with("top")
        };
        let named = own.iter().filter(|path| **path != ".").map(PathBuf::from).collect::<Vec<_>>();
        let (by_itself, by_own) =
            (Wanted::below(&["."], &[], is_key), Wanted::below(&own, &named, is_key));
        let (by_itself, by_own) = (Reach::new(&root, &by_itself), Reach::new(&root, &by_own));
        for (path, is_found, is_named) in [
            ("src/a.rs", true, true),
            ("src//a.rs", false, false),
            ("src/./a.rs", false, false),
            ("src/gone.rs", true, true),
            ("src/a.exe", false, false),
            ("src/a.min.js", false, false),
            ("src/skipped.rs", false, false),
            ("src/key.rs", false, false),
            ("src/key.md", true, true),
            ("src/named.rs", false, true),
            ("src/inner/a.rs", false, false),
            ("vendor/a.rs", false, false),
            ("cached/a.rs", false, false),
            ("bare.git/config", false, false),
            ("odd/hidden.toml", false, false),
            ("odd//hidden.toml", false, false),
            ("top/a.rs", true, true),
            ("knowledge/vendor/n.md", true, true),
            ("knowledge/skipped.md", true, true),
            ("docs/vendor/n.md", false, false),
            (".github/n.md", false, false),
            (&at("top/a.rs"), false, false),
            (&at("key.rs"), false, true),
            (&at("srv/key.service"), false, false),
            ("private/p.md", false, false),
            (".env", false, false),
            (".secret/s.md", false, false),
            (".own/o.md", false, true),
            (".own//o.md", false, false),
            (".own/.x/o.md", false, false),
            (".own/../private/p.md", false, false),
            (".git/config", false, false),
            ("link.md", false, false),
            ("../diary.rst", false, false),
            (&at("diary.rst"), false, false),
            (&at("repository/src/a.rs"), false, false),
            (&at("repository/.own/o.md"), false, false),
            (&at("srv/a.service"), false, true),
            (&at("srv//a.service"), false, false),
            (&at("srv/.c.service"), false, false),
            (&at("srv/b.txt"), false, false),
            (&at("srv/vendor/a.service"), false, false),
            (&at("srv/d/e.service"), false, true),
            (&at("srv/d/vendor/e.service"), false, false),
            (&at("srv/../srv/a.service"), false, false),
            ("", false, false),
            (".", false, false),
        ] {
            let path = NotePath::from(path);
            assert_eq!(by_itself.holds(&path), is_found, "{path:?}");
            assert_eq!(by_own.holds(&path), is_named, "{path:?}");
            assert!(!is_found || !by_own.is_private(&path), "{path:?}");
            assert!(!is_outside(&path) || by_own.is_private(&path), "{path:?}");
        }
        assert!(by_own.is_private(&NotePath::from(".own/o.md")));
    }

    /// As the scan finds files, so does whoever shows them.
    #[test]
    fn what_a_scan_finds_is_in_reach_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let all = [
            "a.rs", "docs/b.toml", "docs/c.exe", "docs/old/d.rs", "vendor/e.rs", "lib/vendor/f.rs",
            "lib/g.min.js", "lib/h.js", "lib/.i.js", "lib/made/j.js", "lib/inner/.git/HEAD",
            "lib/inner/k.js", "lib/skipped/l.js", ".hidden/m.js",
        ];
        for path in all {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "x").unwrap();
        }
        fs::write(root.join("lib/.ignore"), "skipped\n").unwrap();
        fs::write(root.join(".gitattributes"), "lib/made/* linguist-generated\n").unwrap();
        for (paths, expected) in [
            (&["."][..], &["a.rs", "docs/b.toml", "lib/h.js"][..]),
            (&["docs"], &["docs/b.toml"]),
            (&["docs/b.toml", "vendor", ".hidden"], &["docs/b.toml", "vendor/e.rs"]),
        ] {
            let wanted = Wanted::below(paths, &[], |_| false);
            let reach = Reach::new(&root, &wanted);
            let (found, ..) = reach.sought().find(&reach);
            let found: Vec<String> = found.iter().map(|it| it.path.to_text()).collect();
            let held = all.iter().filter(|path| reach.holds(&NotePath::from(**path)));
            assert_eq!(held.collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>(), "{paths:?}");
            assert_eq!(found, expected, "{paths:?}");
        }
    }
}
