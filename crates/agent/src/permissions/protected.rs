//! What no tool may write, and key material that none may read: data, and one way to match it.
//!
//! Paths are compared without regard to case, and without dots and blanks at the end of a name,
//! since a file system may do so too.

use std::path::{Component, Path, PathBuf};

use super::{
    executed::{executed, leads_to},
    keys,
    matching::{self, Fit},
};

/// Parts of a work tree that are protected in every repository.
const IN_EVERY_REPOSITORY: &[&str] = &[
    ".elophanto/permissions.yaml",
    ".elophanto/config.yaml",
    ".gitmodules",
    ".githooks",
    ".husky",
];
/// Parts of the product's own repository that keep the agent in check.
const IN_OUR_REPOSITORY: &[&str] = &[
    "crates/agent/src/permissions",
    "crates/net/src/vault",
    "crates/agent/src/sandbox",
    "crates/agent/src/checkpoint",
    "hooks",
    "plugins/manifest.json",
];

/// The immutable core: what every tool leaves alone, in every mode.
#[derive(Debug, Clone)]
pub struct Protected {
    root: Vec<String>,
    trees: Vec<Tree>,
}

#[derive(Debug, Clone)]
struct Tree {
    names: Vec<String>,
    shown: String,
}

/// Whether a path is held, and by which entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hold<'a> {
    pub entry: &'a str,
    /// The path has no wildcards: it is held for sure.
    pub is_certain: bool,
}

/// What is protected of a work tree besides `.git`, relative to its root: for whoever shuts
/// programs in.
pub fn core(is_own_repository: bool) -> Vec<&'static str> {
    let own = if is_own_repository { IN_OUR_REPOSITORY } else { &[] };
    IN_EVERY_REPOSITORY.iter().chain(own).copied().collect()
}

impl Protected {
    /// `root` is the canonical root of the work tree; `absolute` are files and whole folders
    /// elsewhere: the user's configuration and state, the hooks folder, the vault, the running
    /// binary. In the product's own repository its safety sources are protected too.
    pub fn new(root: &Path, absolute: Vec<PathBuf>, is_own_repository: bool) -> Self {
        let own = if is_own_repository { IN_OUR_REPOSITORY } else { &[] };
        let inside = IN_EVERY_REPOSITORY
            .iter()
            .chain(own)
            .map(|entry| Tree { names: names_of(&root.join(entry)), shown: (*entry).to_owned() });
        let outside = absolute
            .iter()
            .map(|path| Tree { names: names_of(path), shown: path.display().to_string() })
            // The root of the file system would protect everything, and so nothing could be done.
            .filter(|tree| !tree.names.is_empty());
        Self { root: names_of(root), trees: inside.chain(outside).collect() }
    }

    /// With further files and whole folders of the work tree, relative to its root.
    pub fn and(mut self, root: &Path, inside: &[PathBuf]) -> Self {
        self.trees.extend(inside.iter().map(|path| {
            let text = path.to_string_lossy();
            // It stands in prompts, and a repository's settings may have named it.
            let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
            let plain = text.chars().all(is_plain).then(|| text.into_owned());
            let shown = plain.unwrap_or_else(|| "a folder that the settings name".to_owned());
            Tree { names: names_of(&root.join(path)), shown }
        }));
        self
    }

    /// Who goes by this absolute path outside of the sandbox, if it is a file that other programs
    /// execute or are steered by.
    pub fn executed(&self, path: &Path) -> Option<&'static str> {
        self.run_by_others(&path_pattern(path))
    }

    /// Who goes by what lies below this absolute path, if it has the name of a folder in which only
    /// some files are such: a file or link in its place stands for all of them.
    pub fn leads_to(&self, path: &Path) -> Option<&'static str> {
        let names = matching::names(&path_pattern(path));
        let is_below =
            names.len() > self.root.len() && matching::fit(&names, &self.root) != Fit::Apart;
        if is_below { leads_to(names.get(self.root.len()..)?) } else { None }
    }

    /// The entry that keeps tools from writing this absolute path, key material included.
    pub fn holds(&self, path: &Path) -> Option<&str> {
        self.written(&path_pattern(path)).map(|hold| hold.entry)
    }

    /// The entry that keeps tools from reading this absolute path.
    pub fn holds_key(&self, path: &Path) -> Option<&str> {
        self.read(&path_pattern(path)).map(|hold| hold.entry)
    }

    /// All entries, for the prompt and the documentation.
    pub fn entries(&self) -> Vec<String> {
        std::iter::once(".git".to_owned())
            .chain(self.trees.iter().map(|tree| tree.shown.clone()))
            .chain(keys::entries())
            .collect()
    }

    /// Whether a write to this absolute pattern is kept off.
    pub(super) fn written(&self, pattern: &str) -> Option<Hold<'_>> {
        let names = matching::names(pattern);
        let is_certain = !matching::is_open(pattern);
        if names.iter().any(|name| matching::fits(name, ".git") || is_short_name(name)) {
            return Some(Hold { entry: ".git", is_certain });
        }
        self.trees
            .iter()
            .find(|tree| matching::fit(&names, &tree.names) == Fit::Inside)
            .map(|tree| Hold { entry: &tree.shown, is_certain })
            .or_else(|| self.read(pattern))
    }

    /// Whether a read of this absolute pattern is kept off.
    pub(super) fn read(&self, pattern: &str) -> Option<Hold<'_>> {
        let names = matching::names(pattern);
        keys::held(&names).map(|entry| Hold { entry, is_certain: !matching::is_open(pattern) })
    }

    /// Who goes by what lies at this absolute pattern, see [`Protected::executed`].
    pub(super) fn run_by_others(&self, pattern: &str) -> Option<&'static str> {
        let names = matching::names(pattern);
        if names.len() < self.root.len() || matching::fit(&names, &self.root) == Fit::Apart {
            return None;
        }
        executed(names.get(self.root.len()..)?)
    }

    /// An entry that lies inside of this folder, which would be removed or changed with it.
    pub(super) fn below(&self, pattern: &str) -> Option<&str> {
        let names = matching::names(pattern);
        if matching::fit(&names, &self.root) != Fit::Apart && names.len() <= self.root.len() {
            return Some(".git");
        }
        self.trees
            .iter()
            .find(|tree| matching::fit(&names, &tree.names) == Fit::Above)
            .map(|tree| tree.shown.as_str())
    }
}

/// Whether this absolute path is of a file that holds keys, as [`Protected::holds_key`] says
/// wherever the work tree is.
pub fn is_key(path: &Path) -> bool {
    keys::held(&names_of(path)).is_some()
}

/// `GIT~1`: the second name of `.git` on some file systems.
fn is_short_name(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && matching::fits(name, "git~1")
}

fn names_of(path: &Path) -> Vec<String> {
    matching::names(&path_pattern(path))
}

/// An absolute path as text, `.` and `..` resolved by name.
fn path_pattern(path: &Path) -> String {
    let mut names: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                names.pop();
            }
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    format!("/{}", names.join("/"))
}
