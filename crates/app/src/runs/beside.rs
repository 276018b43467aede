//! What runs have left that the work tree does not show: work trees of their own, changes of the user
//! that are aside.

use crate::{
    Result,
    agent::{
        stash,
        worktree::{Standing, standing},
    },
    shell::quoted,
};
use elophanto_base::counted::counted;
use elophanto_repo::{Git, Repository};

/// Lines for people, each with what can be done.
///
/// # Errors
/// When git cannot say.
pub fn left_beside(here: &Repository) -> Result<Vec<String>> {
    let mut told: Vec<String> =
        stash_left(here).map(|(said, mend)| format!("{said}: {mend}")).into_iter().collect();
    for tree in standing(here)? {
        told.push(format!("{}: {}", said(&tree), mend(&tree)));
    }
    Ok(told)
}

/// What of it is unfinished: nobody works there, and there is something that is not committed, or
/// nothing at all. Each with what mends it.
///
/// # Errors
/// When git cannot say.
pub fn unfinished(here: &Repository) -> Result<Vec<(String, String)>> {
    let is_unfinished =
        |tree: &Standing| !tree.is_at_work && (tree.uncommitted > 0 || tree.commits == 0);
    let trees = standing(here)?.into_iter().filter(is_unfinished);
    Ok(stash_left(here).into_iter().chain(trees.map(|tree| (said(&tree), mend(&tree)))).collect())
}

fn stash_left(here: &Repository) -> Option<(String, String)> {
    let stash = stash::left(&Git::of(here)?)?;
    let said = format!("an earlier run has left uncommitted changes of yours in the stash {stash}");
    Some((
        said,
        "elophanto agent undo, or any run here, brings them back where they fit".to_owned(),
    ))
}

fn said(tree: &Standing) -> String {
    let path = quoted(&tree.path.to_string_lossy());
    let at_work = if tree.is_at_work { ", where a run is at work" } else { "" };
    let on = tree.branch.as_deref().map_or("no branch".to_owned(), quoted);
    format!(
        "the work tree {path}{at_work} has {} and {} not committed on {on}",
        counted(tree.commits, "commit"),
        counted(tree.uncommitted, "file")
    )
}

fn mend(tree: &Standing) -> String {
    let path = quoted(&tree.path.to_string_lossy());
    let merge = tree.branch.as_deref().map(|branch| format!("git merge {}", quoted(branch)));
    match (tree.uncommitted, tree.commits, merge) {
        (1.., ..) => format!("commit there, or `elophanto agent undo` there; cd {path}"),
        (0, 1.., Some(merge)) => format!("{merge}, git worktree remove {path}"),
        _ => format!("git worktree remove {path}"),
    }
}
