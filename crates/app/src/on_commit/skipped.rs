//! Commits that were made here and that no hook saw: picked, reverted, rebased, or made with
//! `--no-verify`. What was pulled or merged was others' to write down, and what was there before
//! the hooks is history.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{CommitError, changes, record::Teller};
use elophanto_base::secrets::mask;
use elophanto_repo::{CommitId, Git, Logged, Version, stored_notes};
use elophanto_text::changelog::{self, for_commit};

/// Commits that are looked at, the newest ones.
const MOST_LOOKED_AT: usize = 50;
/// Commits that get an entry of their own from a later one, the newest ones.
const MOST_SKIPPED: usize = 5;

/// Name and text of the entries for commits made here since `seen` that changed notes and brought no
/// entry.
pub(super) fn skipped(
    teller: &Teller,
    git: &Git,
    seen: Option<CommitId>,
    head: CommitId,
) -> Result<Vec<(String, String)>, CommitError> {
    // Where hooks begin, history is as it is: only what comes after is written down.
    let Some(seen) = seen.filter(|seen| *seen != head) else { return Ok(Vec::new()) };
    // A commit that was rewritten and pruned since: begin anew.
    let Ok(logged) = git.commits_since(&seen, &head, MOST_LOOKED_AT) else { return Ok(Vec::new()) };
    let folder = changelog::folder(teller.context.write_root);
    let folders = [folder.as_path()];
    let mut bare = Vec::new();
    for logged in logged {
        // Most commits bring their entry: asked first, since that folder is soon listed.
        let before = match logged.parent {
            Some(parent) => git.list(&Version::Commit(parent), &folders)?,
            None => Vec::new(),
        };
        if git.list(&Version::Commit(logged.commit), &folders)? == before {
            bare.push(logged);
        }
    }
    if bare.is_empty() {
        return Ok(Vec::new());
    }
    let made = git.made_since(&seen).unwrap_or_default();
    bare.retain(|logged| made.contains(&logged.commit));
    let mut entries = Vec::new();
    for logged in bare {
        entries.extend(entry(teller, git, logged)?);
        if entries.len() == MOST_SKIPPED {
            break;
        }
    }
    Ok(entries)
}

/// Name and text of the entry for a commit; `None` if it changed no notes.
fn entry(
    teller: &Teller,
    git: &Git,
    logged: Logged,
) -> Result<Option<(String, String)>, CommitError> {
    let Logged { commit, parent, authored, subject } = logged;
    let notes = |version| stored_notes(git, teller.objects, &version, teller.context.selection);
    let now = notes(Version::Commit(commit))?;
    let before = parent.map(|parent| notes(Version::Commit(parent))).transpose()?;
    let told = teller.tell(&changes(before.as_slice(), &now));
    let write_root = teller.context.write_root;
    let entry = for_commit(&commit.to_string(), authored, &subject, write_root, &told);
    // Nobody looked through the message of that commit.
    Ok(entry.map(|(name, entry)| (name, mask(&entry.render()).0.into_owned())))
}

/// Up to which commit everything is written down, in this clone.
pub struct Seen {
    file: PathBuf,
}

impl Seen {
    /// The memory of this clone.
    pub fn of(git: &Git) -> Self {
        Self { file: git.common_dir().join("elophanto").join("changelog-seen") }
    }

    pub(super) fn read(&self) -> Option<CommitId> {
        fs::read_to_string(&self.file).ok()?.trim().parse().ok()
    }

    /// Begins at a commit, unless there is a memory already.
    pub fn begin(&self, commit: Option<CommitId>) {
        if self.read().is_none() {
            self.write(commit);
        }
    }

    /// Remembers a commit. Where that cannot be written, the next commit looks again.
    pub(super) fn write(&self, commit: Option<CommitId>) {
        let write = |commit: CommitId| -> io::Result<()> {
            fs::create_dir_all(self.file.parent().unwrap_or(Path::new(".")))?;
            fs::write(&self.file, format!("{commit}\n"))
        };
        let _ = commit.map(write);
    }
}
