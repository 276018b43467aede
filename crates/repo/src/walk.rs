//! The walk: every note, or every file that is wanted, below the roots, with the stat that tells
//! whether it may have changed.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::NotePath;
use elophanto_base::beneath::Stat;

/// Hidden folders at the top that hold documentation of a project, for the forge that carries it.
pub(super) const FORGE_FOLDERS: &[&str] = &[".github", ".gitlab", ".gitea", ".forgejo"];

/// Files that the walk reads in each folder.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".elophantoignore"];

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
        let extension = path.extension();
        !MARKDOWN.iter().any(|it| extension.is_some_and(|found| found.eq_ignore_ascii_case(it)))
            && (self.is_key)(path)
    }

    fn is_apart(&self, path: &Path) -> bool {
        !self.apart.as_os_str().is_empty() && path.parent() == Some(&*self.apart)
    }
}

/// What the file system says about a file without reading it. Times in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileStat {
    pub size: u64,
    pub mtime: i64,
    pub ctime: i64,
    pub inode: u64,
}

impl From<&Metadata> for FileStat {
    fn from(metadata: &Metadata) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            size: metadata.size(),
            mtime: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
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
#[error("{cause}")]
pub struct WalkError {
    cause: ignore::Error,
}

/// All notes below the selected roots, sorted by path, and what could not be looked at.
///
/// Honours `.gitignore` (also outside git), `.elophantoignore` and git's own exclude files. Hidden
/// files but those of a forge's folder (`.github` and its like), symbolic links, anything that is
/// no regular file, and other repositories nested in this one (submodules) are left out.
pub fn walk(root: &Path, selection: &Selection) -> (Vec<Walked>, Vec<WalkError>) {
    let is_note = |path: &Path| path.strip_prefix(root).is_ok_and(|path| selection.names(path));
    let (mut walked, mut failed) = walk_files(root, &selection.roots, is_note, |_| true);
    let forges = FORGE_FOLDERS.iter().map(|name| root.join(name));
    if selection.roots.iter().any(|folder| folder == Path::new("."))
        && forges.into_iter().any(|it| it.is_dir())
    {
        let (of_forges, more) = walk_forges(root, is_note);
        walked.extend(of_forges);
        walked.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        walked.dedup_by(|a, b| a.path == b.path);
        failed.extend(more);
    }
    (walked, failed)
}

/// The notes in the folders of forges. They are looked for from the top, so that ignore files there
/// hold in them too.
fn walk_forges(
    root: &Path,
    wanted: impl Fn(&Path) -> bool + Sync,
) -> (Vec<Walked>, Vec<WalkError>) {
    let traps = Traps::default();
    if !traps.is_none_in(root, root) {
        // The walk of all else says so.
        return (Vec::new(), Vec::new());
    }
    let (top, seen) = (root.to_owned(), traps.clone());
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).threads(1).filter_entry(move |entry| {
        let name = entry.file_name().to_str();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let enters = match entry.depth() {
            0 => true,
            1 => is_folder && name.is_some_and(|name| FORGE_FOLDERS.contains(&name)),
            _ => !name.is_some_and(|name| name.starts_with('.')),
        };
        enters
            && !is_foreign_repository(entry, &top)
            && (!is_folder || seen.is_none_in(entry.path(), &top))
    });
    let (walked, mut failed) = gather(&mut builder, root, &wanted);
    failed.append(&mut traps.take());
    (walked, failed)
}

/// All files below the roots that are `wanted` by their absolute path, under the rules of
/// [`walk`]; folders are entered only if `enters` says so.
pub fn walk_files(
    root: &Path,
    roots: &[PathBuf],
    wanted: impl Fn(&Path) -> bool + Sync,
    enters: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> (Vec<Walked>, Vec<WalkError>) {
    let traps = Traps::default();
    let roots = roots.iter().map(|folder| root.join(folder));
    // Ignore files between the top and a folder hold in it too.
    let between = |folder: &PathBuf| {
        let mut above = folder.ancestors().take_while(|above| above.starts_with(root));
        above.all(|above| traps.is_none_in(above, root))
    };
    let mut folders = roots.filter(between);
    let Some(first) = folders.next() else { return (Vec::new(), traps.take()) };
    let mut builder = WalkBuilder::new(first);
    for folder in folders {
        builder.add(folder);
    }
    let (top, seen) = (root.to_owned(), traps.clone());
    builder
        .threads(std::thread::available_parallelism().map_or(2, usize::from).min(8))
        .filter_entry(move |entry| {
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_foreign_repository(entry, &top)
                && (!folder
                    || (entry.depth() == 0 || enters(entry.path()))
                        && seen.is_none_in(entry.path(), &top))
        });
    let (walked, mut failed) = gather(&mut builder, root, &wanted);
    failed.append(&mut traps.take());
    (walked, failed)
}

/// The wanted files that a walk comes by, sorted by path.
fn gather(
    builder: &mut WalkBuilder,
    root: &Path,
    wanted: &(impl Fn(&Path) -> bool + Sync),
) -> (Vec<Walked>, Vec<WalkError>) {
    builder.require_git(false).follow_links(false).add_custom_ignore_filename(".elophantoignore");
    let found = Mutex::new((Vec::new(), Vec::new()));
    builder.build_parallel().run(|| {
        let mut local = Local { shared: &found, walked: Vec::new(), failed: Vec::new() };
        Box::new(move |entry| {
            match entry {
                Ok(entry) => {
                    let file = entry.file_type().is_some_and(|kind| kind.is_file());
                    if file && wanted(entry.path()) {
                        match entry.metadata() {
                            Ok(metadata) if metadata.is_file() => local.walked.push(Walked {
                                path: relative(entry.path(), root),
                                stat: FileStat::from(&metadata),
                            }),
                            Ok(_) => {}
                            Err(cause) => local.failed.push(WalkError { cause }),
                        }
                    }
                }
                // A configured root that does not exist is the caller's business, a file that
                // vanished while we walked is nobody's.
                Err(cause) if is_not_found(&cause) => {}
                Err(cause) => local.failed.push(WalkError { cause }),
            }
            WalkState::Continue
        })
    });
    let (mut walked, failed) = found.into_inner().unwrap_or_else(|poison| poison.into_inner());
    walked.sort_unstable_by(|a: &Walked, b| a.path.cmp(&b.path));
    walked.dedup_by(|a, b| a.path == b.path);
    (walked, failed)
}

/// Folders left out because reading their ignore files would never end: a device or a pipe, or a
/// link to one, which git carries.
#[derive(Clone, Default)]
struct Traps(Arc<Mutex<Vec<PathBuf>>>);

impl Traps {
    fn is_none_in(&self, folder: &Path, root: &Path) -> bool {
        let endless =
            |path: &Path| fs::metadata(path).is_ok_and(|kind| !kind.is_file() && !kind.is_dir());
        let found = IGNORE_FILES.iter().find(|name| endless(&folder.join(name)));
        let Some(name) = found else { return true };
        let path = relative(&folder.join(name), root);
        let mut seen = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
        if !seen.iter().any(|known| known == path.as_path()) {
            seen.push(path.as_path().to_owned());
        }
        false
    }

    fn take(&self) -> Vec<WalkError> {
        let mut seen = self.0.lock().unwrap_or_else(|poison| poison.into_inner());
        let error = |path: PathBuf| {
            let said = format!("its folder is left out: `{}` is no regular file", path.display());
            WalkError { cause: ignore::Error::Io(io::Error::other(said)) }
        };
        seen.drain(..).map(error).collect()
    }
}

/// Collects on one thread and hands over when the thread is done.
struct Local<'s> {
    shared: &'s Mutex<(Vec<Walked>, Vec<WalkError>)>,
    walked: Vec<Walked>,
    failed: Vec<WalkError>,
}

impl Drop for Local<'_> {
    fn drop(&mut self) {
        let mut shared = self.shared.lock().unwrap_or_else(|poison| poison.into_inner());
        shared.0.append(&mut self.walked);
        shared.1.append(&mut self.failed);
    }
}

fn has_extension(path: &Path, extensions: &[String]) -> bool {
    path.extension().is_some_and(|extension| {
        extensions.iter().any(|known| extension.eq_ignore_ascii_case(known.as_str()))
    })
}

fn is_foreign_repository(entry: &DirEntry, top: &Path) -> bool {
    entry.depth() > 0
        && entry.file_type().is_some_and(|kind| kind.is_dir())
        && entry.path() != top
        && entry.path().join(".git").symlink_metadata().is_ok()
}

fn relative(path: &Path, root: &Path) -> NotePath {
    let path = path.strip_prefix(root).unwrap_or(path);
    NotePath::from(path.strip_prefix(".").unwrap_or(path))
}

fn is_not_found(error: &ignore::Error) -> bool {
    error.io_error().is_some_and(|cause| cause.kind() == std::io::ErrorKind::NotFound)
}
