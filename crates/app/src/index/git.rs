//! The index in git: what is staged or committed of it, a conflict over it, and whether what is
//! committed is whole and true.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::embed;
use crate::{
    Error, Result, on_commit,
    reporter::Reporter,
    when,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::{
    Options, Refreshed, Snapshot,
    check::{self, Gaps},
    commit,
    resolve::{self, Resolved},
    stage::{StagedTables, plan_staged, remove_obsolete, staged_before},
    store::registry::BadTable,
    verify::{self, Base, Verified},
};
use elophanto_knowledge::corpus;
use elophanto_repo::{CommitId, Git, GitError, Staged, Version, head};

/// Message of a commit that holds only the index.
const MESSAGE: &str = "Update the search index\n";

/// What is to become of the table for what is staged.
#[derive(Debug, Clone, Copy, Default)]
pub struct StageRequest {
    /// Commits the table by itself, and nothing else.
    pub commit: bool,
    /// Agrees to what is sent to a model elsewhere, whatever it costs.
    pub yes: bool,
}

/// What was staged, or committed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Staging {
    /// Notes, facts, descriptions and lessons that are staged.
    pub files: usize,
    /// Passages that these are cut into.
    pub chunks: usize,
    /// Passages that the model was asked for now.
    pub embedded: usize,
    /// Vectors in the new table.
    pub vectors: usize,
    /// The commit that was made of the table alone; `None` where it was staged.
    #[serde(serialize_with = "id")]
    #[schemars(with = "Option<String>")]
    pub commit: Option<CommitId>,
}

fn id<S: Serializer>(commit: &Option<CommitId>, to: S) -> Result<S::Ok, S::Error> {
    commit.map(|commit| commit.to_string()).serialize(to)
}

/// Stages, or commits by itself, the table for what is staged; `None` if the model only stands in.
///
/// # Errors
/// When there is no git, no commit can be made now, or git or a table cannot be read or written.
pub fn stage(
    workspace: &Workspace,
    wanted: StageRequest,
    reporter: &dyn Reporter,
) -> Result<Option<Staging>> {
    let git = git(workspace)?;
    if !workspace.models.is_named() {
        for reason in workspace.models.reasons() {
            reporter.note(reason);
        }
        reporter.talk("nothing staged: the vectors of a model that stands in do not go into git");
        return Ok(None);
    }
    let progress = reporter.progress("notes");
    let update = |done, all| progress.update(done, all);
    if wanted.commit {
        may_commit(&git)?;
    }
    let records = journal(workspace, &git, reporter)?;
    let context = workspace.context();
    let refreshed = corpus::carried(&context, &git, &Version::Staged, &update)?;
    drop(progress);
    let again = || Ok(corpus::carried(&context, &git, &Version::Staged, &|_, _| {})?);
    let refreshed = embed::complete(workspace, refreshed, wanted.yes, &again, reporter)?;
    let report = &refreshed.report;
    for notice in &report.notices {
        reporter.note(notice);
    }
    let parent = head(&git)?;
    let parents: Vec<CommitId> = parent.into_iter().chain(git.merge_heads()).collect();
    let tables = StagedTables::of(&git, &parents)?;
    let plan = plan_staged(&context, &git, &refreshed.snapshot, &tables)?;
    let mut commit = None;
    if wanted.commit {
        let tables = staged_before(&git, parent, &plan)?;
        let changes = [tables, plan.changes.clone(), records].concat();
        if changes.iter().any(|change| matches!(change, Staged::Put { .. })) {
            commit = Some(git.commit_only(parent.as_ref(), &changes, MESSAGE)?);
        } else {
            git.stage(&changes)?;
        }
    } else {
        git.stage(&plan.changes)?;
    }
    remove_obsolete(&context, &plan)?;
    Ok(Some(Staging {
        files: report.files,
        chunks: report.chunks,
        embedded: report.embedded,
        vectors: if plan.changes.is_empty() { 0 } else { plan.vectors },
        commit,
    }))
}

/// Stages what the journal holds and git does not; returns what is staged of it.
fn journal(workspace: &Workspace, git: &Git, reporter: &dyn Reporter) -> Result<Vec<Staged>> {
    if !workspace.config.journal.share {
        return Ok(Vec::new());
    }
    let allowed = on_commit::allowed(git, &workspace.environment)?;
    let pending = on_commit::journal::pending(&workspace.repository, git, &allowed)?;
    pending.stage(&workspace.repository, git)?;
    for notice in &pending.notices {
        reporter.note(notice);
    }
    Ok([pending.changes, pending.staged].concat())
}

/// Whether a commit can be made now; asked before anything is changed.
fn may_commit(git: &Git) -> Result<()> {
    if git.is_replaying() || !git.other_sides().is_empty() {
        return Err(Error::new("a merge, rebase, cherry-pick or revert is under way")
            .hint("finish it, then run this again"));
    }
    if !git.has_identity()? {
        return Err(Error::new("git does not know in whose name to commit")
            .hint("set `user.name` and `user.email` with `git config`"));
    }
    Ok(())
}

/// Settles a conflict over the tables.
///
/// # Errors
/// When there is no git, git cannot be read, or a table cannot be written.
pub fn resolve(workspace: &Workspace) -> Result<Resolved> {
    Ok(resolve::resolve(&workspace.context(), &git(workspace)?)?)
}

/// Whether everything is indexed and committed; writes nothing.
///
/// # Errors
/// When a root does not exist, or the folder of tables cannot be read.
pub fn check(workspace: &Workspace) -> Result<(Gaps, Refreshed)> {
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let refreshed = workspace.refresh_indexed(options)?;
    let (missing, bad) = uncommitted(workspace, &refreshed.snapshot)?;
    let (mut gaps, refreshed) = check::check(refreshed, missing, &bad);
    if !workspace.commits_vectors() {
        gaps.uncommitted = 0;
    }
    Ok((gaps, refreshed))
}

/// How many of the vectors that git is to carry no table holds, and which tables cannot be read.
///
/// # Errors
/// When the folder of tables cannot be read.
pub fn uncommitted(workspace: &Workspace, snapshot: &Snapshot) -> Result<(usize, Vec<BadTable>)> {
    let (missing, bad) = commit::uncommitted(&workspace.context(), snapshot)?;
    Ok((if workspace.commits_vectors() { missing } else { 0 }, bad))
}

/// Makes committed vectors again and says which are not what they claim; with a base, those that
/// came since.
///
/// # Errors
/// When the base is no commit, or the tables or the view cannot be read.
pub fn verify(workspace: &Workspace, snapshot: &Snapshot, base: Option<&str>) -> Result<Verified> {
    let context = workspace.context();
    let verified = match base {
        None => verify::verify(&context, snapshot, None),
        Some(base) => {
            let git = git(workspace)?;
            let commit = when::commit(&git, base, now_nanoseconds() / 1_000_000_000)?;
            let at = |commit| corpus::carried(&context, &git, &Version::Commit(commit), &|_, _| {});
            verify::verify(&context, snapshot, Some(&Base { git: &git, commit, at: &at }))
        }
    };
    verified.map_err(|cause| Error::new(cause).hint("run `elophanto index --full`, then again"))
}

fn git(workspace: &Workspace) -> Result<Git> {
    Git::of(&workspace.repository).ok_or_else(|| GitError::NoRepository.into())
}
