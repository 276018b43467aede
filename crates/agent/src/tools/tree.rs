//! The walk of tools that look around: files below a folder, sorted, without what git ignores.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::{
    DirEntry, WalkBuilder,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::arguments::bad;
use crate::{Host, ToolError};
use elophanto_base::beneath::Kind;
use elophanto_repo::is_git_name;

/// Files and folders that are looked at in one call.
const MOST_ENTRIES: usize = 200_000;
/// Folders within each other that are entered.
const DEEPEST: usize = 128;
/// Globs of one call, and bytes of each.
const MOST_GLOBS: usize = 32;
const MOST_OF_A_GLOB: usize = 1_000;
/// Files that the walk itself reads in each folder.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore"];

/// One thing below the folder.
pub(super) struct Entry {
    /// Relative to the root.
    pub(super) relative: PathBuf,
    pub(super) kind: Kind,
    /// Of a file, in bytes.
    pub(super) size: u64,
}

/// Why a walk ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Whole,
    TooMany,
    TooSlow,
}

/// Hands what lies below `folder` (relative to the root) to `take`, sorted by path, until that says
/// `false`. Nothing of git, no link followed; what git ignores only if `all`. At most `depth`
/// folders deep.
///
/// # Errors
/// When the user has ended the run, or `take` fails.
pub(super) fn walk(
    host: &dyn Host,
    folder: &Path,
    all: bool,
    depth: usize,
    mut take: impl FnMut(Entry) -> Result<bool, ToolError>,
) -> Result<Ended, ToolError> {
    let (root, top) = (host.root().to_owned(), host.root().join(folder));
    let began = Instant::now();
    // From the root on, so that its ignore files hold in the folder too, but only towards it.
    let mut builder = WalkBuilder::new(&root);
    let leads = top.clone();
    let excluded = if all { Gitignore::empty() } else { excluded(&root) };
    let below_root = folder.components().count();
    builder
        .hidden(false)
        .ignore(!all)
        .git_ignore(!all)
        .git_global(!all)
        .git_exclude(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(below_root + depth.min(DEEPEST)))
        .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()))
        .filter_entry(move |entry| {
            let path = entry.path();
            !is_git_name(entry.file_name())
                && (path.starts_with(&leads) || leads.starts_with(path))
                && !excluded.matched(path, is_folder(entry)).is_ignore()
                && !(is_folder(entry) && is_trap(path))
        });
    let mut seen = 0_usize;
    for entry in builder.build() {
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        seen += 1;
        if seen > MOST_ENTRIES {
            return Ok(Ended::TooMany);
        }
        if began.elapsed() > host.patience() {
            return Ok(Ended::TooSlow);
        }
        // What vanished or may not be read is not there for us.
        let Ok(entry) = entry else { continue };
        if entry.path() == top && is_folder(&entry) || !entry.path().starts_with(&top) {
            continue;
        }
        let Ok(relative) = entry.path().strip_prefix(&root) else { continue };
        let kind = match entry.file_type() {
            Some(kind) if kind.is_dir() => Kind::Folder,
            Some(kind) if kind.is_file() => Kind::File,
            Some(kind) if kind.is_symlink() => Kind::Link,
            _ => Kind::Other,
        };
        let is_file = kind == Kind::File;
        let size = if is_file { entry.metadata().map_or(0, |found| found.len()) } else { 0 };
        if !take(Entry { relative: relative.to_owned(), kind, size })? {
            break;
        }
    }
    Ok(Ended::Whole)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// What git's own exclude file says. The walk would read those of nested repositories too, and wait
/// for ever where one is a pipe.
fn excluded(root: &Path) -> Gitignore {
    let file = root.join(".git/info/exclude");
    let mut builder = GitignoreBuilder::new(root);
    if fs::symlink_metadata(&file).is_ok_and(|found| found.is_file()) {
        // A line that cannot be read excludes nothing.
        let _ = builder.add(file);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Whether reading the ignore files of a folder would never end: a pipe or a device, or a link to
/// one.
fn is_trap(folder: &Path) -> bool {
    let endless = |name: &&str| {
        fs::metadata(folder.join(name)).is_ok_and(|found| !found.is_file() && !found.is_dir())
    };
    IGNORE_FILES.iter().any(endless)
}

/// Globs, as git has them: one without `/` is about names, in every folder.
///
/// # Errors
/// When one cannot be read.
pub(super) fn globs(texts: &[&str]) -> Result<GlobSet, ToolError> {
    if texts.len() > MOST_GLOBS {
        return Err(bad(format!("over {MOST_GLOBS} globs")));
    }
    let mut set = GlobSetBuilder::new();
    for text in texts {
        if text.len() > MOST_OF_A_GLOB {
            return Err(bad(format!("a glob is over {MOST_OF_A_GLOB} bytes")));
        }
        let glob = match text.strip_prefix('/') {
            Some(rest) => rest.to_owned(),
            None if text.contains('/') => (*text).to_owned(),
            None => format!("**/{text}"),
        };
        let glob = GlobBuilder::new(&glob).literal_separator(true).build();
        set.add(glob.map_err(|cause| bad(cause.to_string()))?);
    }
    set.build().map_err(|cause| bad(cause.to_string()))
}

/// What to tell of a walk that ended early; empty for a whole one.
pub(super) fn told(ended: Ended) -> &'static str {
    match ended {
        Ended::Whole => "",
        Ended::TooMany => "[over 200,000 files: the rest was not looked at; name a folder]\n",
        Ended::TooSlow => "[out of time: the rest was not looked at; name a folder]\n",
    }
}
