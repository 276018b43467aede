//! All paths of a repository, to be looked up whole, by their end, or by package.
//!
//! Owns the index behind these look-ups; each takes a few binary searches, however many files
//! share a name. What an import means is `resolve`'s.

use crate::markdown::followed;
use rustc_hash::{FxHashMap, FxHashSet};

/// Paths that are taken in; further ones are unknown to every look-up.
const MAX_PATHS: usize = 1_000_000;
/// Folders around a file that are looked at.
const MAX_DEPTH: usize = 64;

/// The paths of all files of a repository.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    /// Sorted, each once.
    files: Vec<String>,
    /// All files, sorted by their paths read backwards: those that share an end stand together.
    by_end: Vec<u32>,
    /// For each folder of Go files the one that stands for it, sorted by folder read backwards.
    go_packages: Vec<u32>,
    /// The `lib.rs` of each Rust crate by the name it is imported by; `None` if two have it.
    crates: FxHashMap<String, Option<u32>>,
    /// Every name that a Python module or a folder around one has: most imports are of libraries,
    /// and end here.
    python_names: FxHashSet<String>,
}

/// What a look-up by end found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending<'p> {
    None,
    One(&'p str),
    Many,
}

impl<'p> Ending<'p> {
    pub(super) fn one(self) -> Option<&'p str> {
        match self {
            Self::One(path) => Some(path),
            Self::None | Self::Many => None,
        }
    }
}

impl Paths {
    /// Takes paths relative to the root, separated by `/`, in any order. What is empty, begins with
    /// `/` or has a part `.` or `..` is no such path and left out.
    pub fn new(paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut files: Vec<String> = paths
            .into_iter()
            .map(Into::into)
            .filter(|path: &String| path.split('/').all(|part| !matches!(part, "" | "." | "..")))
            .take(MAX_PATHS)
            .collect();
        files.sort_unstable();
        files.dedup();
        let mut by_end: Vec<u32> = (0u32..).take(files.len()).collect();
        by_end.sort_by(|&a, &b| backwards(&files[a as usize]).cmp(backwards(&files[b as usize])));
        let go_packages = go_packages(&files);
        let crates = crates(&files);
        let python_names = python_names(&files);
        Self { files, by_end, go_packages, crates, python_names }
    }

    /// The path as it is kept here, if there is such a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        let at = self.files.binary_search_by(|file| file.as_str().cmp(path)).ok()?;
        self.files.get(at).map(String::as_str)
    }

    /// The one file whose path ends with these whole parts. A path of several parts that is there
    /// as it stands needs not be the only one.
    pub fn ending(&self, end: &str) -> Option<&str> {
        self.file_ending(end).one()
    }

    pub(super) fn file_ending(&self, end: &str) -> Ending<'_> {
        self.lookup(&self.by_end, end, |file| file)
    }

    /// The file that stands for the Go package whose folder ends with these whole parts.
    pub(super) fn go_package(&self, folder: &str) -> Ending<'_> {
        self.lookup(&self.go_packages, folder, parent)
    }

    /// The `lib.rs` of the crate that Rust code imports by this name.
    pub(super) fn rust_crate(&self, name: &str) -> Option<&str> {
        let number = (*self.crates.get(name)?)?;
        self.files.get(number as usize).map(String::as_str)
    }

    /// Whether any Python module, or a folder around one, has this name.
    pub(super) fn has_python_name(&self, name: &str) -> bool {
        self.python_names.contains(name)
    }

    pub(super) fn has_folder(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        let at = self.files.partition_point(|file| *file < inside);
        self.files.get(at).is_some_and(|file| file.starts_with(&inside))
    }

    fn lookup<'p>(
        &'p self,
        sorted: &'p [u32],
        end: &str,
        key: impl Fn(&'p str) -> &'p str,
    ) -> Ending<'p> {
        if end.is_empty() {
            return Ending::None;
        }
        let file = |number: u32| self.files.get(number as usize).map_or("", String::as_str);
        let at = sorted.partition_point(|&number| backwards(key(file(number))).lt(backwards(end)));
        let whole = sorted.get(at).map(|&number| file(number)).filter(|path| key(path) == end);
        if let Some(path) = whole
            && end.contains('/')
        {
            return Ending::One(path);
        }
        // What else ends so has a `/` before it; other characters belong to longer names.
        let longer = || backwards(end).chain([b'/']);
        let at = sorted.partition_point(|&number| backwards(key(file(number))).lt(longer()));
        let fits = |path: &&'p str| {
            key(path).strip_suffix(end).is_some_and(|before| before.ends_with('/'))
        };
        let mut fitting = sorted[at..].iter().map(|&number| file(number)).take_while(fits);
        match (whole, fitting.next(), fitting.next()) {
            (None, None, _) => Ending::None,
            (Some(path), None, _) | (None, Some(path), None) => Ending::One(path),
            _ => Ending::Many,
        }
    }
}

fn backwards(path: &str) -> impl Iterator<Item = u8> {
    path.bytes().rev()
}

/// The file named like its folder stands for the package, else the first that is no test.
fn go_packages(files: &[String]) -> Vec<u32> {
    let mut best: FxHashMap<&str, (u8, u32)> = FxHashMap::default();
    for (number, path) in (0u32..).zip(files) {
        let Some(stem) = file_name(path).strip_suffix(".go") else { continue };
        let folder = parent(path);
        let place = match stem {
            _ if stem == file_name(folder) => 0,
            _ if stem.ends_with("_test") => 2,
            _ => 1,
        };
        let known = best.entry(folder).or_insert((place, number));
        *known = (place, number).min(*known);
    }
    let mut packages: Vec<(&str, u32)> =
        best.into_iter().map(|(folder, (_, number))| (folder, number)).collect();
    packages.sort_by(|(a, _), (b, _)| backwards(a).cmp(backwards(b)));
    packages.into_iter().map(|(_, number)| number).collect()
}

fn crates(files: &[String]) -> FxHashMap<String, Option<u32>> {
    let mut crates = FxHashMap::default();
    for (number, path) in (0u32..).zip(files) {
        let Some(folder) = path.strip_suffix("/src/lib.rs") else { continue };
        let name = file_name(folder).replace('-', "_");
        crates.entry(name).and_modify(|known| *known = None).or_insert(Some(number));
    }
    crates
}

fn python_names(files: &[String]) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    for path in files {
        let stem = path.strip_suffix(".py").or_else(|| path.strip_suffix(".pyi"));
        for name in stem.into_iter().flat_map(|stem| stem.split('/')) {
            if !names.contains(name) {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder of a path; empty for one at the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder and those around it, nearest first, up to the root, which is empty.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| parent(folder)))
        .take(MAX_DEPTH)
}

/// A path within a folder; either may be empty.
pub(super) fn within(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", _) => path.to_owned(),
        (_, "") => folder.to_owned(),
        _ => format!("{folder}/{path}"),
    }
}

/// Follows a relative path from a folder; `None` where it leaves the root or is absolute.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    if relative.starts_with('/') {
        return None;
    }
    followed(folder, relative.split('/'))
}
