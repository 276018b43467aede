//! `elophanto index --stage`, `--commit`, `--resolve` and `--check --verify`: the index in git.

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Progress, Ui, visible_line},
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_app::index::embed;
use elophanto_app::on_commit;
use elophanto_app::when;
use elophanto_index::{
    Refreshed,
    commit::TABLES,
    resolve::{Resolved, resolve},
    stage::{plan_staged, remove_obsolete, staged_before},
    verify::{Base, Forged, Unchecked, verify},
};
use elophanto_knowledge::corpus;
use elophanto_repo::{Git, GitError, Staged, Version, head};

/// Message of a commit that holds only the index.
const MESSAGE: &str = "Update the search index\n";

/// What `--stage` and `--commit` did, as `--json` prints it.
#[derive(Serialize)]
struct StagedWire {
    files: usize,
    chunks: usize,
    embedded: usize,
    /// Vectors in the new table.
    vectors: usize,
    commit: Option<String>,
}

/// What `--resolve` did, as `--json` prints it.
#[derive(Serialize)]
struct ResolvedWire<'a> {
    tables: usize,
    restored: usize,
    conflicts: usize,
    unreadable: &'a [String],
}

/// A vector that is not what its text gives, as `--json` prints it.
#[derive(Serialize)]
struct ForgedWire {
    forged: String,
    line: usize,
}

/// Vectors of a table that are of no text, or of another model, as `--json` prints it.
#[derive(Serialize)]
struct UncheckedWire<'a> {
    unchecked: &'a str,
    vectors: usize,
    model: Option<&'a str>,
}

/// Stages, or commits by itself, the table for what is staged.
pub fn stage(
    workspace: &Workspace,
    commit: bool,
    yes: bool,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let git = git(workspace)?;
    if !workspace.models.is_named() {
        for reason in workspace.models.reasons() {
            ui.note(reason);
        }
        ui.talk("nothing staged: the vectors of a model that stands in do not go into git");
        return Ok(Outcome::Done);
    }
    let progress = Progress::new();
    let update = |done, all| progress.update(done, all);
    if commit {
        may_commit(&git)?;
    }
    let records = journal(workspace, &git, ui)?;
    let refreshed = workspace.version(&git, &Version::Staged, &update)?;
    progress.finish();
    let again = || workspace.version(&git, &Version::Staged, &|_, _| {});
    let refreshed = embed::complete(workspace, refreshed, yes, &again, ui)?;
    for notice in &refreshed.report.notices {
        ui.note(notice);
    }
    let parent = head(&git)?;
    let plan = plan_staged(&workspace.context(), &git, &refreshed.snapshot)?;
    let made = if commit {
        let tables = staged_before(&git, parent, &plan)?;
        let changes = [tables, plan.changes.clone(), records].concat();
        let brings = |change: &Staged| matches!(change, Staged::Put { .. });
        if changes.iter().any(brings) {
            Some(git.commit_only(parent.as_ref(), &changes, MESSAGE)?)
        } else {
            git.stage(&changes)?;
            None
        }
    } else {
        git.stage(&plan.changes)?;
        None
    };
    remove_obsolete(&workspace.context(), &plan)?;
    let report = &refreshed.report;
    let vectors = if plan.changes.is_empty() { 0 } else { plan.vectors };
    let wire = StagedWire {
        files: report.files,
        chunks: report.chunks,
        embedded: report.embedded,
        vectors,
        commit: made.map(|commit| commit.to_string()),
    };
    let text = match (&made, vectors) {
        (Some(commit), 0) => format!("the staged tables committed as {}", commit.short()),
        (Some(commit), vectors) => format!("{vectors} vectors committed as {}", commit.short()),
        (None, 0) => format!("nothing new: every vector of {} staged notes is there", report.files),
        (None, vectors) => format!("{vectors} vectors staged"),
    };
    ui.emit(&wire, text)?;
    Ok(Outcome::Done)
}

/// Stages what the journal holds and git does not; returns what is staged of it.
fn journal(workspace: &Workspace, git: &Git, ui: &Ui) -> Result<Vec<Staged>, CliError> {
    if !workspace.config.journal.share {
        return Ok(Vec::new());
    }
    let allowed = super::hook_run::allowed(git)?;
    let pending = on_commit::journal::pending(&workspace.repository, git, &allowed)?;
    git.stage(&pending.changes)?;
    for notice in &pending.notices {
        ui.note(notice);
    }
    Ok([pending.changes, pending.staged].concat())
}

/// Settles a conflict over the tables.
pub fn resolve_conflict(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome, CliError> {
    let git = git(workspace)?;
    let Resolved { tables, restored, conflicts, unreadable } = resolve(&workspace.context(), &git)?;
    for name in &unreadable {
        ui.warn(format_args!(
            "`{name}` is whole on no side; what it held is made again by `elophanto index`"
        ));
    }
    let wire = ResolvedWire { tables, restored, conflicts, unreadable: &unreadable };
    let text = match conflicts + restored {
        0 => format!("nothing to settle: {tables} tables are staged"),
        _ => format!(
            "{conflicts} conflicting paths settled: {tables} tables staged, {restored} restored"
        ),
    };
    ui.emit(&wire, text)?;
    if conflicts > 0 {
        ui.talk(
            "hint: settle what else is in conflict, then `git commit` or `git rebase --continue`",
        );
    }
    Ok(Outcome::Done)
}

/// Whether a commit can be made now; asked before anything is changed.
fn may_commit(git: &Git) -> Result<(), CliError> {
    if git.is_replaying() || !git.other_sides().is_empty() {
        return Err(CliError::new("a merge, rebase, cherry-pick or revert is under way")
            .hint("finish it, then run this again"));
    }
    if !git.has_identity()? {
        return Err(CliError::new("git does not know in whose name to commit")
            .hint("set `user.name` and `user.email` with `git config`"));
    }
    Ok(())
}

/// Makes committed vectors again and says which are not what they claim; returns how many. With a
/// base, those that came since.
pub fn verify_vectors(
    workspace: &Workspace,
    refreshed: &Refreshed,
    base: &str,
    ui: &mut Ui,
) -> Result<usize, CliError> {
    let context = workspace.context();
    let verified = if base.is_empty() {
        verify(&context, &refreshed.snapshot, None)
    } else {
        let git = git(workspace)?;
        let commit = when::commit(&git, base, now_nanoseconds() / 1_000_000_000)?;
        let at = |commit| corpus::of_commit(&context, &git, commit, &|_, _| {});
        let base = Base { git: &git, commit, at: &at };
        verify(&context, &refreshed.snapshot, Some(&base))
    };
    let verified = verified
        .map_err(|cause| CliError::new(cause).hint("run `elophanto index --full`, then again"))?;
    for Forged { path, line } in &verified.forged {
        let path = path.to_text();
        let text = format!(
            "{}:{line}: its committed vector is not what the model makes of the text",
            visible_line(&path)
        );
        ui.emit(&ForgedWire { forged: path, line: *line }, text)?;
    }
    for Unchecked { table, vectors, model } in &verified.unchecked {
        let what = match model {
            None => "of no text, in the tree or in a commit since the base".to_owned(),
            Some(model) => {
                format!("of `{}`, not of the model in use, so not checked", visible_line(model))
            }
        };
        let text = format!("{TABLES}/{table}: {vectors} vectors {what}");
        let model = model.as_deref();
        ui.emit(&UncheckedWire { unchecked: table, vectors: *vectors, model }, text)?;
    }
    let unchecked: usize = verified.unchecked.iter().map(|table| table.vectors).sum();
    if !ui.json {
        let (checked, forged) = (verified.checked, verified.forged.len());
        let others = match unchecked {
            0 => String::new(),
            count => format!(", {count} cannot be held to a text"),
        };
        ui.talk(format_args!("{checked} committed vectors made again, {forged} differ{others}"));
        if unchecked > 0 {
            ui.talk(
                "hint: take these tables out of the branch (`git rm -r`), then run `elophanto index` \
                 and commit",
            );
        }
    }
    Ok(verified.forged.len() + unchecked)
}

fn git(workspace: &Workspace) -> Result<Git, CliError> {
    Git::of(&workspace.repository).ok_or_else(|| GitError::NoRepository.into())
}
