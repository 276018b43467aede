//! Commits that were made here and that no hook saw: picked, reverted, rebased, or made with
//! `--no-verify`. What was pulled or merged was others' to write down, and what was there before
//! the hooks is history.

use super::{CommitError, changes, record::Teller};
use elophanto_base::secrets::mask;
use elophanto_repo::{CommitId, Git, Logged, Version, stored_notes};
use elophanto_text::changelog::{self, for_commit};

/// Commits that are looked at, the newest ones.
const MOST_LOOKED_AT: usize = 50;
/// Commits that get an entry of their own from a later one, the newest ones.
const MOST_SKIPPED: usize = 5;

/// Name and text of the entries for commits made here that lead to `head` and to none of `seen`, changed
/// notes and brought no entry.
pub(super) fn skipped(
    teller: &Teller,
    git: &Git,
    seen: &[CommitId],
    head: CommitId,
) -> Result<Vec<(String, String)>, CommitError> {
    if seen.contains(&head) {
        return Ok(Vec::new());
    }
    let logged = git.commits_since(seen, &head, MOST_LOOKED_AT)?;
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
    let made = git.made_here().unwrap_or_default();
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
