//! The walk: every note, or every file that is wanted, below the roots, with the stat that tells
//! whether it may have changed.

mod found;
mod rules;

use std::{
    ffi::OsString,
    fs::{self, FileType, Metadata},
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

use rayon::{Scope, slice::ParallelSliceMut as _};

use super::{NotePath, is_git_name};
use elophanto_base::{beneath::Stat, platform};
pub use found::{Finder, is_in_parts};
pub(crate) use rules::MOST_IGNORE_BYTES;
use rules::{IGNORE_FILES, OF_NOTES, Rules};

/// Hidden folders at the top that hold documentation of a project, for the forge that carries it.
pub(super) const FORGE_FOLDERS: &[&str] = &[".github", ".gitlab", ".gitea", ".forgejo"];

/// Extensions of Markdown, in whatever folder and under whatever name: no keys are kept so.
const MARKDOWN: &[&str] = &["md", "markdown", "mdown", "mkd"];

/// Which files are notes.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Folders relative to the repository's root; `.` is all of it.
    pub roots: Vec<PathBuf>,
    /// File name extensions without the dot, in lower case.
    pub extensions: Vec<String>,
    /// Folder whose own files are no notes, for they are read in another way; empty for none.
    pub apart: PathBuf,
    /// Whether a path, relative to the repository's root, is named as files of keys are: such a
    /// file is no note, whatever its extension.
    pub is_key: fn(&Path) -> bool,
}

impl Selection {
    /// Whether a path, relative to the repository's root, is named as a note is.
    pub fn names(&self, path: &Path) -> bool {
        self.is_markdown(path) && !self.is_apart(path) && !self.is_withheld(path)
    }

    /// Whether a path ends as Markdown does, be it a note or not.
    pub fn is_markdown(&self, path: &Path) -> bool {
        has_extension(path, &self.extensions)
    }

    fn is_withheld(&self, path: &Path) -> bool {
        is_withheld(path, self.is_key)
    }

    fn is_apart(&self, path: &Path) -> bool {
        !self.apart.as_os_str().is_empty() && path.parent() == Some(&*self.apart)
    }
}

/// Whether a path is named as files of keys are, and not as Markdown.
pub fn is_withheld(path: &Path, is_key: impl Fn(&Path) -> bool) -> bool {
    let extension = path.extension();
    !MARKDOWN.iter().any(|it| extension.is_some_and(|found| found.eq_ignore_ascii_case(it)))
        && is_key(path)
}

/// What the file system says about a file without reading it. Times in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileStat {
    pub size: u64,
    pub mtime: i64,
    pub ctime: i64,
    pub inode: u64,
}

/// A stat taken this close to a file's own times proves nothing: the file may have been written
/// again within the clock's grain (git's racy rule, with room for coarse file systems).
const RACY_NANOSECONDS: i64 = 2_000_000_000;

impl FileStat {
    /// Whether another one like this proves that nothing has changed since; `taken` is when this was, in nanoseconds
    /// since 1970.
    pub fn is_settled(&self, taken: i64) -> bool {
        let settled = |time: i64| time.saturating_add(RACY_NANOSECONDS) <= taken;
        settled(self.mtime) && settled(self.ctime)
    }
}

impl From<&Metadata> for FileStat {
    fn from(metadata: &Metadata) -> Self {
        let [mtime, ctime] = platform::times(metadata);
        let inode = platform::identity(metadata).map_or(0, |(_, inode)| inode);
        Self { size: metadata.len(), mtime, ctime, inode }
    }
}

impl From<&Stat> for FileStat {
    fn from(stat: &Stat) -> Self {
        let Stat { size, mtime, ctime, inode, .. } = *stat;
        Self { size, mtime, ctime, inode }
    }
}

/// One note found by the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    pub path: NotePath,
    pub stat: FileStat,
}

/// A folder or file that the walk could not look at.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", path.display())]
pub struct WalkError {
    /// Where it lies, absolute.
    pub path: PathBuf,
    /// Why not.
    #[source]
    pub cause: io::Error,
}

impl WalkError {
    fn of(path: &Path, cause: io::Error) -> Self {
        Self { path: path.to_owned(), cause }
    }
}

/// All notes below the selected roots, sorted by path, and what could not be looked at.
///
/// Honours `.gitignore` (also outside git), git's own exclude files, and `.elophantoignore`, which only
/// leaves out more. Hidden files but those of a forge's folder (`.github` and its like), symbolic links,
/// anything that is no regular file, and other repositories nested in this one (submodules) are
/// left out.
pub fn walk(root: &Path, selection: &Selection) -> (Vec<Walked>, Vec<WalkError>) {
    let is_note = |path: &Path| below(root, path).is_some_and(|path| selection.names(path));
    let walk = Walk::new(root, is_note, |_: &Path| true, FORGE_FOLDERS, OF_NOTES);
    Walk { extensions: Some(&selection.extensions), ..walk }.through(&selection.roots)
}

/// All files below the roots that are `wanted` by their absolute path, under the rules of
/// [`walk`], `.ignore` too, but without the folders of forges; folders are entered only if `enters` says so.
pub fn walk_files(
    root: &Path,
    roots: &[PathBuf],
    wanted: impl Fn(&Path) -> bool + Sync,
    enters: impl Fn(&Path) -> bool + Sync,
) -> (Vec<Walked>, Vec<WalkError>) {
    Walk::new(root, wanted, enters, &[], &IGNORE_FILES).through(roots)
}

/// Hands all that lies below `folder` (relative to the root; it may be a file) to `visit`, sorted by
/// name, each folder before what is in it, at most `depth` folders deep, until that breaks. Gives back
/// what could not be looked at.
///
/// Hidden files, links and whatever else there is are handed over too, but nothing of git; what git
/// or an `.ignore` leaves out only without `rules`.
pub fn walk_entries(
    root: &Path,
    folder: &Path,
    rules: bool,
    depth: usize,
    visit: &mut dyn FnMut(&Path, FileType) -> ControlFlow<()>,
) -> Vec<WalkError> {
    let mut walk = Entries { visit, problems: Vec::new() };
    let found = if rules { Rules::towards(root, folder) } else { Ok(Some(Rules::none())) };
    let start = root.join(folder);
    match (found, fs::symlink_metadata(&start)) {
        (Err(trap), _) => walk.problems.push(trapped(root, &trap)),
        (Ok(Some(rules)), Ok(found)) if found.is_dir() => {
            let _ = walk.below(root, &start, &rules, depth);
        }
        (Ok(Some(_)), Ok(found)) => {
            let _ = (walk.visit)(&start, found.file_type());
        }
        _ => {}
    }
    walk.problems
}

/// A walk of one thread, in order.
struct Entries<'w> {
    visit: &'w mut dyn FnMut(&Path, FileType) -> ControlFlow<()>,
    problems: Vec<WalkError>,
}

impl Entries<'_> {
    fn below(
        &mut self,
        root: &Path,
        folder: &Path,
        rules: &Rules,
        depth: usize,
    ) -> ControlFlow<()> {
        if depth == 0 {
            return ControlFlow::Continue(());
        }
        let problems = Mutex::new(Vec::new());
        let fail = |path: &Path, cause| locked(&problems).push(WalkError::of(path, cause));
        let listed = listed(folder, rules, &fail);
        self.problems.append(&mut locked(&problems));
        let Listed { mut entries, ignore_files, has_git } = match listed {
            Ok(listed) => listed,
            Err(trap) => {
                self.problems.push(trapped(root, &trap));
                return ControlFlow::Continue(());
            }
        };
        entries.sort_unstable_by(|(_, a, _), (_, b, _)| a.cmp(b));
        let rules = rules.within(folder, &ignore_files, has_git);
        for (kind, name, _) in entries {
            let path = folder.join(&name);
            if is_git_name(&name) || rules.ignores(&path, kind.is_dir()) {
                continue;
            }
            (self.visit)(&path, kind)?;
            if kind.is_dir() {
                self.below(root, &path, &rules, depth - 1)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// What a folder holds.
struct Listed {
    /// Each with its name.
    entries: Vec<(FileType, OsString, fs::DirEntry)>,
    /// Those of its ignore files that can be read.
    ignore_files: Vec<&'static str>,
    has_git: bool,
}

/// Lists a folder. Nothing is asked of names that are not there.
///
/// # Errors
/// An ignore file that would be read for ever.
fn listed(
    folder: &Path,
    rules: &Rules,
    fail: &dyn Fn(&Path, io::Error),
) -> Result<Listed, PathBuf> {
    let mut found = Listed { entries: Vec::new(), ignore_files: Vec::new(), has_git: false };
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(cause) => {
            fail(folder, cause);
            return Ok(found);
        }
    };
    for entry in listed {
        let kind = entry.map_err(|cause| (folder.to_owned(), cause)).and_then(|entry| {
            let kind = entry.file_type().map_err(|cause| (entry.path(), cause))?;
            Ok((kind, entry.file_name(), entry))
        });
        match kind {
            Ok(one) => found.entries.push(one),
            Err((path, cause)) => fail(&path, cause),
        }
    }
    for (kind, name, entry) in &found.entries {
        found.has_git |= name == ".git";
        let Some(name) = rules.names().iter().find(|known| name == **known) else { continue };
        match how_it_reads(&entry.path(), *kind) {
            Reads::Well => found.ignore_files.push(*name),
            Reads::Nothing => {}
            Reads::TooMuch => fail(&entry.path(), io::Error::other(TOO_LARGE)),
            Reads::Forever => return Err(entry.path()),
        }
    }
    Ok(found)
}

/// Reading this ignore file would never end: its folder is left out.
fn trapped(root: &Path, trap: &Path) -> WalkError {
    let path = trap.strip_prefix(root).unwrap_or(trap);
    let said = format!("its folder is left out: `{}` is no regular file", path.display());
    WalkError::of(trap.parent().unwrap_or(trap), io::Error::other(said))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}

/// One walk. A folder is listed once, and its list says which ignore files and which repository it
/// holds: nothing is asked of names that are not there. Of a tree of 660 folders and 1,166 notes a
/// walk that asks takes 7 ms, this one 4 (two cores).
struct Walk<'w, W, E> {
    root: &'w Path,
    wanted: W,
    /// How the names of files end that are wanted, if only some are: no rule is asked about others.
    extensions: Option<&'w [String]>,
    enters: E,
    /// Hidden folders at the top that are entered all the same.
    shown: &'w [&'w str],
    /// Names of the ignore files that count.
    names: &'static [&'static str],
    found: Mutex<(Vec<Walked>, Vec<WalkError>)>,
}

impl<'w, W: Fn(&Path) -> bool + Sync, E: Fn(&Path) -> bool + Sync> Walk<'w, W, E> {
    fn new(
        root: &'w Path,
        wanted: W,
        enters: E,
        shown: &'w [&'w str],
        names: &'static [&'static str],
    ) -> Self {
        Self { root, wanted, extensions: None, enters, shown, names, found: Mutex::default() }
    }

    fn through(self, roots: &[PathBuf]) -> (Vec<Walked>, Vec<WalkError>) {
        rayon::scope(|scope| {
            for folder in roots {
                // Without the dots that a setting may hold.
                let start: PathBuf = self.root.join(folder).components().collect();
                self.begin(scope, start);
            }
        });
        let (mut walked, failed) =
            self.found.into_inner().unwrap_or_else(|poison| poison.into_inner());
        walked.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
        walked.dedup_by(|a, b| a.path == b.path);
        (walked, failed)
    }

    fn begin<'s>(&'s self, scope: &Scope<'s>, start: PathBuf) {
        // Ignore files between the top and a folder hold in it too.
        let rules = match Rules::above(&start, self.root, self.names) {
            Ok(rules) => rules,
            Err(trap) => return self.fail_at(&trap),
        };
        match fs::symlink_metadata(&start) {
            Ok(metadata) if metadata.is_file() => {
                let taken = self.taken(&start, || Ok(metadata));
                self.found().0.extend(taken);
            }
            // A link is followed here alone: a setting names it.
            Ok(_) if start.is_dir() => self.list(scope, &start, &rules, true),
            Ok(_) => {}
            Err(cause) => self.fail(&start, cause),
        }
    }

    /// Takes the files of a folder; its folders are walked beside it.
    fn list<'s>(&'s self, scope: &Scope<'s>, folder: &Path, rules: &Rules, is_start: bool) {
        let fail = |path: &Path, cause| self.fail(path, cause);
        let Listed { entries, ignore_files, has_git } = match listed(folder, rules, &fail) {
            Ok(listed) => listed,
            Err(trap) => return self.fail_at(&trap),
        };
        if has_git && !is_start && folder != self.root {
            return;
        }
        let rules = rules.within(folder, &ignore_files, has_git);
        let is_top = folder == self.root;
        let mut taken = Vec::new();
        for (kind, name, entry) in entries {
            let (is_file, is_folder) = (kind.is_file(), kind.is_dir());
            let is_named =
                || self.extensions.is_none_or(|known| has_extension(Path::new(&name), known));
            if is_file && !is_named() {
                continue;
            }
            let path = folder.join(&name);
            let is_hidden = name.as_encoded_bytes().starts_with(b".")
                && !(is_top && is_folder && self.shown.iter().any(|shown| name == *shown));
            if is_hidden || name == ".git" || rules.ignores(&path, is_folder) {
                continue;
            }
            if is_file {
                taken.extend(self.taken(&path, || entry.metadata()));
            } else if is_folder && (self.enters)(&path) {
                let rules = rules.clone();
                scope.spawn(move |scope| self.list(scope, &path, &rules, false));
            }
        }
        self.found().0.append(&mut taken);
    }

    fn taken(
        &self,
        path: &Path,
        metadata: impl FnOnce() -> io::Result<Metadata>,
    ) -> Option<Walked> {
        if !(self.wanted)(path) {
            return None;
        }
        match metadata() {
            Ok(metadata) => metadata.is_file().then(|| Walked {
                path: NotePath::from(below(self.root, path).unwrap_or(path)),
                stat: FileStat::from(&metadata),
            }),
            Err(cause) => {
                self.fail(path, cause);
                None
            }
        }
    }

    fn fail(&self, path: &Path, cause: io::Error) {
        // A configured root that does not exist is the caller's business, a file that vanished
        // while we walked is nobody's.
        if cause.kind() != io::ErrorKind::NotFound {
            self.found().1.push(WalkError::of(path, cause));
        }
    }

    fn fail_at(&self, trap: &Path) {
        let error = trapped(self.root, trap);
        let mut found = self.found();
        if !found.1.iter().any(|known| known.path == error.path) {
            found.1.push(error);
        }
    }

    fn found(&self) -> MutexGuard<'_, (Vec<Walked>, Vec<WalkError>)> {
        locked(&self.found)
    }
}

/// Why the rules of an ignore file do not hold: 50,000 of them take a gigabyte.
const TOO_LARGE: &str = "an ignore file over the cap of 128 KiB: its rules do not hold";

/// What comes of reading an ignore file.
enum Reads {
    Well,
    Nothing,
    TooMuch,
    /// A device or a pipe, or a link to one, which git carries.
    Forever,
}

fn how_it_reads(path: &Path, kind: FileType) -> Reads {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > MOST_IGNORE_BYTES => Reads::TooMuch,
        Ok(found) if found.is_file() => Reads::Well,
        Ok(found) if !found.is_dir() && !kind.is_file() => Reads::Forever,
        _ => Reads::Nothing,
    }
}

/// A path relative to the root that it lies below. Told by the bytes where those of the root stand before it:
/// to take both apart for each of many files costs more.
fn below<'p>(root: &Path, path: &'p Path) -> Option<&'p Path> {
    let rest =
        path.as_os_str().as_encoded_bytes().strip_prefix(root.as_os_str().as_encoded_bytes());
    match rest.and_then(|rest| rest.strip_prefix(b"/")) {
        Some(rest) => Some(platform::path(rest)),
        None => path.strip_prefix(root).ok(),
    }
}

fn has_extension(path: &Path, extensions: &[String]) -> bool {
    path.extension().is_some_and(|extension| {
        extensions.iter().any(|known| extension.eq_ignore_ascii_case(known.as_str()))
    })
}

#[cfg(test)]
mod tests;
