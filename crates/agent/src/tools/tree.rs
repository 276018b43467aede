//! The walk of tools that look around: files below a folder, sorted, without what git ignores.

use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Instant,
};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::arguments::bad;
use crate::{Host, ToolError};
use elophanto_base::{beneath::Kind, one_line::one_line};
use elophanto_repo::{WalkError, walk_entries};

/// Files and folders that are looked at in one call.
const MOST_ENTRIES: usize = 200_000;
/// Folders within each other that are entered.
const DEEPEST: usize = 128;
/// Globs of one call, and bytes of each.
const MOST_GLOBS: usize = 32;
const MOST_OF_A_GLOB: usize = 1_000;
/// Places that are told of where they could not be looked at.
const MOST_UNREAD: usize = 3;

/// One thing below the folder.
pub(super) struct Entry {
    /// Relative to the root.
    pub(super) relative: PathBuf,
    pub(super) kind: Kind,
    /// Of a file, in bytes.
    pub(super) size: u64,
}

/// A walk that has ended, and what it could not look at.
pub(super) struct Walk {
    ended: Ended,
    unread: Vec<WalkError>,
}

/// Why a walk ended before its end.
enum Ended {
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
) -> Result<Walk, ToolError> {
    let root = host.root().to_owned();
    let (began, mut seen) = (Instant::now(), 0_usize);
    let (mut ended, mut failed) = (Ended::Whole, None);
    let unread = walk_entries(&root, folder, !all, depth.min(DEEPEST), &mut |path, kind| {
        seen += 1;
        if host.is_cancelled() {
            failed = Some(ToolError::Cancelled);
        } else if seen > MOST_ENTRIES {
            ended = Ended::TooMany;
        } else if began.elapsed() > host.patience() {
            ended = Ended::TooSlow;
        } else {
            let relative = path.strip_prefix(&root).unwrap_or(path).to_owned();
            let kind = Kind::from(kind);
            let stat = (kind == Kind::File).then(|| fs::symlink_metadata(path).ok()).flatten();
            match take(Entry { relative, kind, size: stat.map_or(0, |found| found.len()) }) {
                Ok(true) => return ControlFlow::Continue(()),
                Ok(false) => {}
                Err(cause) => failed = Some(cause),
            }
        }
        ControlFlow::Break(())
    });
    match failed {
        Some(cause) => Err(cause),
        None => Ok(Walk { ended, unread }),
    }
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

impl Walk {
    /// What to tell of it; empty where all was looked at.
    pub(super) fn told(&self) -> String {
        let unread = self
            .unread
            .iter()
            .take(MOST_UNREAD)
            .map(|error| format!("[{}]\n", one_line(&error.to_string(), 400)));
        let ended = match self.ended {
            Ended::Whole => "",
            Ended::TooMany => "[over 200,000 files: the rest was not looked at; name a folder]\n",
            Ended::TooSlow => "[out of time: the rest was not looked at; name a folder]\n",
        };
        unread.collect::<String>() + ended
    }
}
