//! Tidying up what is kept: records that are no longer needed, committed tables that could be one,
//! entities that are one. Notes are never changed.

pub mod entities;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Result, learning::now, reporter::Reporter, workspace::Workspace};
use elophanto_index::{
    compact::{self, Compacted},
    resolve::is_in_conflict,
};
use elophanto_knowledge::{
    corpus,
    learn::{
        entity_store::EntityStore,
        kept,
        log::{Log, Work},
        responses,
    },
    scan::expire,
};
use elophanto_repo::{Git, GitError};

/// Responses of searches are kept so long after they were processed.
const RESPONSE_AGE: Duration = Duration::from_hours(30 * 24);

/// What became of records, or would.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Records {
    /// Answers of searches that nobody needs any more.
    pub responses_removed: usize,
    /// Texts of sources in git that no fact names any more.
    pub texts_removed: usize,
    /// Of all of these files.
    pub bytes_freed: u64,
    /// Questions of scans about what is gone.
    pub questions_closed: usize,
}

/// Removes what searches brought and nobody needs any more, and closes questions about what is gone.
///
/// # Errors
/// When something cannot be removed or written down.
pub fn records(workspace: &Workspace, dry_run: bool) -> Result<Records> {
    let record_store = workspace.record_store();
    let log = Log::read(&record_store, now());
    let hash = |work: &Work| match work {
        Work::Search(search) => search.response_hash.clone(),
        Work::Message(_) => None,
    };
    let open: Vec<String> = log.unprocessed().iter().filter_map(hash).collect();
    let is_needed = |hash: &str| open.iter().any(|open| open == hash);
    let (files, bytes) = responses::tidy(&record_store, RESPONSE_AGE, &is_needed, dry_run)?;
    let write_root = &workspace.config.knowledge.write_root;
    let store = EntityStore { record_store: &record_store, write_root };
    let snapshot = store.read(now());
    let (texts, of_texts) = kept::tidy(&record_store, &log, &snapshot, dry_run)?;
    let closed = expire(&record_store, &workspace.reach(), now(), dry_run)?;
    Ok(Records {
        responses_removed: files,
        texts_removed: texts,
        bytes_freed: bytes + of_texts,
        questions_closed: closed,
    })
}

/// Makes one committed table of many, without the vectors that no branch uses, and stages that.
///
/// # Errors
/// When there is no git, a merge is under way, or git or a table cannot be read or written.
pub fn compact(workspace: &Workspace, dry_run: bool, reporter: &dyn Reporter) -> Result<Compacted> {
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    if git.is_replaying() || !git.other_sides().is_empty() {
        return Err(Error::new("a merge, rebase or cherry-pick is under way")
            .hint("finish it, then run this again"));
    }
    if is_in_conflict(&git)? {
        return Err(Error::new("the committed index is in conflict")
            .hint("settle it with `elophanto index --resolve`"));
    }
    let context = workspace.context();
    let compacted = compact::compact(&context, &corpus::sources(&context), &git, dry_run)?;
    if dry_run
        && compacted.worth
        && let Some(branch) = git.branch()
        && !git.is_default_branch(&branch)
    {
        reporter.note(format_args!("this belongs on the default branch, not on `{branch}`"));
    }
    Ok(compacted)
}
