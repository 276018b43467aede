//! `elophanto index --stage`, `--commit`, `--resolve` and `--check --verify`: the index in git.

use crate::cli::{Outcome, Result, Ui, Workspace, escape_control_line};
use crate::wire::upkeep::{ForgedWire, UncheckedWire};
use elophanto_app::index::git::{self, StageRequest};
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::{
    Snapshot,
    commit::TABLES,
    resolve::Resolved,
    verify::{Forged, Unchecked},
};

/// Stages, or commits by itself, the table for what is staged.
pub fn stage(workspace: &Workspace, wanted: StageRequest, ui: &mut Ui) -> Result<Outcome> {
    let Some(staging) = git::stage(workspace, wanted, ui)? else { return Ok(Outcome::Done) };
    let text = match (&staging.commit, staging.vectors) {
        (Some(commit), 0) => format!("the staged tables committed as {}", commit.short()),
        (Some(commit), vectors) => {
            format!("{} committed as {}", counted(vectors, "vector"), commit.short())
        }
        (None, 0) => format!(
            "nothing new: every vector of {} is there",
            counted(staging.files, "staged note")
        ),
        (None, vectors) => format!("{} staged", counted(vectors, "vector")),
    };
    ui.done(&staging, text)
}

/// Settles a conflict over the tables.
pub fn resolve_conflict(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome> {
    let resolved = git::resolve(workspace)?;
    let Resolved { tables, restored, conflicts, unreadable } = &resolved;
    for name in unreadable {
        ui.warn(format_args!(
            "`{name}` is whole on no side; what it held is made again by `elophanto index`"
        ));
    }
    let (paths, staged) = (counted(*conflicts, "conflicting path"), counted(*tables, "table"));
    let text = match conflicts + restored {
        0 => format!("nothing to settle: {staged} {} staged", agreeing(*tables, "is", "are")),
        _ => format!("{paths} settled: {staged} staged, {restored} restored"),
    };
    ui.emit(&resolved, text)?;
    if *conflicts > 0 {
        ui.talk(
            "hint: settle what else is in conflict, then `git commit` or `git rebase --continue`",
        );
    }
    Ok(Outcome::Done)
}

/// Says which committed vectors are not what they claim; returns how many.
pub fn verify_vectors(
    workspace: &Workspace,
    snapshot: &Snapshot,
    base: &str,
    ui: &mut Ui,
) -> Result<usize> {
    let base = Some(base).filter(|base| !base.is_empty());
    let verified = git::verify(workspace, snapshot, base)?;
    for forged in &verified.forged {
        let Forged { path, line } = forged;
        let text = format!(
            "{}:{line}: its committed vector is not what the model makes of the text",
            escape_control_line(&path.to_text())
        );
        ui.emit(&ForgedWire::from(forged), text)?;
    }
    for unchecked in &verified.unchecked {
        let Unchecked { table, vectors, model } = unchecked;
        let what = match model {
            None => "of no text, in the tree or in a commit since the base".to_owned(),
            Some(model) => {
                format!(
                    "of `{}`, not of the model in use, so not checked",
                    escape_control_line(model)
                )
            }
        };
        let text = format!("{TABLES}/{table}: {} {what}", counted(*vectors, "vector"));
        ui.emit(&UncheckedWire::from(unchecked), text)?;
    }
    let unchecked: usize = verified.unchecked.iter().map(|table| table.vectors).sum();
    if !ui.json {
        let (checked, forged) = (verified.checked, verified.forged.len());
        let others = match unchecked {
            0 => String::new(),
            count => format!(", {count} cannot be held to a text"),
        };
        ui.talk(format_args!(
            "{} made again, {forged} {}{others}",
            counted(checked, "committed vector"),
            agreeing(forged, "differs", "differ")
        ));
        if unchecked > 0 {
            ui.talk(
                "hint: take these tables out of the branch (`git rm -r`), then run `elophanto index` \
                 and commit",
            );
        }
    }
    Ok(verified.forged.len() + unchecked)
}
