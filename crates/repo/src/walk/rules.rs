//! What the ignore files of a folder, and of those above it, say of its entries.
//!
//! What git leaves out stays out, whatever ours say: those of a clone come from a stranger, and
//! `!private/` in one must not bring back what the user keeps from git. So three voices are heard, and
//! each may only leave out: ours (the strongest kind of file that speaks of an entry, of one kind the
//! innermost), `.gitignore` (the innermost that speaks), and the user's own exclude files.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{Reads, how_it_reads};
use crate::locate::shared_git_dir;
use elophanto_base::regular::{follow, read_capped};

/// Names of ignore files, the strongest first, that of git last.
pub const IGNORE_FILES: [&str; 3] = [".elophantoignore", ".ignore", ".gitignore"];
/// Those that leave out notes: what only other searches skip is committed, and read by somebody.
pub const OF_NOTES: &[&str] = &[".elophantoignore", ".gitignore"];
/// Those of them that other programs go by.
const OF_OTHERS: &[&str] = &[".ignore", ".gitignore"];
/// The rules of a larger one do not hold, in bytes.
pub(crate) const MOST_IGNORE_BYTES: u64 = 128 * 1024;
const KINDS: usize = IGNORE_FILES.len() + 1;

/// The rules that hold in a folder.
#[derive(Clone)]
pub struct Rules {
    /// Names of the ignore files that count, the strongest first.
    names: &'static [&'static str],
    innermost: Option<Arc<Folder>>,
    /// Of the user's git, for all repositories, as it holds in the one that is around the folder.
    global: Arc<Gitignore>,
}

/// A folder that has ignore files.
struct Folder {
    /// By strength; the last is the exclude file of the repository that begins here.
    files: [Gitignore; KINDS],
    above: Option<Arc<Self>>,
}

impl Rules {
    /// What these ignore files say in `start` because of the folders above it, up to the root of the file
    /// system.
    ///
    /// # Errors
    /// An ignore file between `top` and `start` that is a pipe or a device.
    pub fn above(
        start: &Path,
        top: &Path,
        names: &'static [&'static str],
    ) -> Result<Self, PathBuf> {
        Self::of(names, top).above_too(start, top)
    }

    /// What git and other searches than ours leave out in a folder, relative to `root`; `None` if
    /// that is the folder itself.
    ///
    /// # Errors
    /// As [`Self::above`].
    pub fn towards(root: &Path, folder: &Path) -> Result<Option<Self>, PathBuf> {
        let mut rules = Self::above(root, root, OF_OTHERS)?;
        let mut place = root.to_owned();
        for name in folder {
            rules = rules.of_folder(&place, root)?;
            place.push(name);
            if rules.ignores(&place, true) {
                return Ok(None);
            }
        }
        Ok(Some(rules))
    }

    /// No rules at all.
    pub fn none() -> Self {
        Self { names: &[], innermost: None, global: Arc::new(Gitignore::empty()) }
    }

    fn of(names: &'static [&'static str], root: &Path) -> Self {
        Self { names, innermost: None, global: Arc::new(global(root)) }
    }

    /// Names of the ignore files that count.
    pub fn names(&self) -> &'static [&'static str] {
        self.names
    }

    fn above_too(self, start: &Path, top: &Path) -> Result<Self, PathBuf> {
        let folders: Vec<&Path> = start.ancestors().skip(1).collect();
        folders.into_iter().rev().try_fold(self, |rules, folder| rules.of_folder(folder, top))
    }

    /// What holds in a folder that was not listed.
    pub(super) fn of_folder(self, folder: &Path, top: &Path) -> Result<Self, PathBuf> {
        let mut present = Vec::new();
        for name in self.names {
            let path = folder.join(name);
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            match how_it_reads(&path, metadata.file_type()) {
                Reads::Well => present.push(*name),
                Reads::Forever if folder.starts_with(top) => return Err(path),
                _ => {}
            }
        }
        let has_git = folder.join(".git").exists();
        Ok(self.within(folder, &present, has_git))
    }

    /// What holds in a folder that has these ignore files.
    pub fn within(&self, folder: &Path, ignore_files: &[&str], has_git: bool) -> Self {
        let exclude = (has_git && !self.names.is_empty()).then(|| exclude_file(folder)).flatten();
        let is_moved = has_git && !self.global.is_empty() && self.global.path() != folder;
        let global = if is_moved { Arc::new(global(folder)) } else { Arc::clone(&self.global) };
        if ignore_files.is_empty() && exclude.is_none() {
            return Self { global, ..self.clone() };
        }
        let path = |kind: usize| match self.names.get(kind) {
            Some(name) => ignore_files.contains(name).then(|| folder.join(name)),
            None => exclude.clone().filter(|_| kind == self.names.len()),
        };
        let files = std::array::from_fn(|kind| {
            path(kind).map_or_else(Gitignore::empty, |path| read(folder, &path))
        });
        let above = self.innermost.clone();
        Self { names: self.names, innermost: Some(Arc::new(Folder { files, above })), global }
    }

    /// Whether an entry is left out.
    pub fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let says = |rules: &Gitignore| {
            let found = if rules.is_empty() { Match::None } else { rules.matched(path, is_folder) };
            (!found.is_none()).then(|| found.is_ignore())
        };
        let folders = || std::iter::successors(self.innermost.as_deref(), |it| it.above.as_deref());
        let innermost = |kind: usize| folders().find_map(|folder| says(&folder.files[kind]));
        let (excludes, git) = (self.names.len(), self.names.len().saturating_sub(1));
        (0..git).find_map(innermost) == Some(true)
            || innermost(git) == Some(true)
            || innermost(excludes).or_else(|| says(&self.global)) == Some(true)
    }
}

/// A line that is no pattern, or a file that cannot be read or is too large, leaves nothing out.
fn read(folder: &Path, path: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    // A pipe may lie there since it was looked at.
    let bytes = follow(path).and_then(|file| read_capped(file, MOST_IGNORE_BYTES));
    let bytes = bytes.ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The user's exclude file for all repositories, as it holds in a work tree: its patterns are of paths there,
/// wherever a command is started.
fn global(root: &Path) -> Gitignore {
    GitignoreBuilder::new(root).build_global().0
}

fn exclude_file(folder: &Path) -> Option<PathBuf> {
    let path = shared_git_dir(&folder.join(".git"))?.join("info/exclude");
    path.is_file().then_some(path)
}
