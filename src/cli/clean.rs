//! `elophanto clean`

use serde::Serialize;

use super::{Outcome, doctor::size, error::CliError, ui::Ui, workspace::Workspace};
use crate::{
    index::{
        compact::{Compacted, compact},
        resolve::is_in_conflict,
        tidy::{Tidied, tidy},
    },
    repo::{Git, GitError},
};

/// Tidy up what elophanto keeps
///
/// Only derived data is touched: notes are never changed.
#[derive(clap::Args, Debug)]
pub struct CleanArgs {
    /// Remove local data that is no longer needed: what was kept of other commits, vectors that
    /// are committed by now, leftovers of killed runs
    #[arg(long, required = true)]
    index: bool,
    /// Also make one committed table of many, without the vectors that no branch uses, and stage
    /// that. For the default branch, while nobody else does it; if two did,
    /// `elophanto index --resolve` settles the conflict
    #[arg(long)]
    compact: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Local tidying, as `--json` prints it.
#[derive(Serialize)]
struct TidiedWire {
    dry_run: bool,
    files_removed: usize,
    bytes_freed: u64,
}

/// Compaction, as `--json` prints it.
#[derive(Serialize)]
struct CompactedWire {
    dry_run: bool,
    tips: usize,
    tables_before: usize,
    bytes_before: u64,
    tables_after: usize,
    bytes_after: u64,
    vectors_kept: usize,
    vectors_dropped: usize,
}

pub fn run(args: &CleanArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = Workspace::open(Vec::new(), ui)?;
    if args.compact {
        compact_tables(&workspace, args.dry_run, ui)?;
    }
    // Last, as compaction looks at every branch and keeps what it has seen.
    let Tidied { files, bytes } = tidy(&workspace.context(), args.dry_run)?;
    let done = if args.dry_run { "would free" } else { "freed" };
    let wire = TidiedWire { dry_run: args.dry_run, files_removed: files, bytes_freed: bytes };
    ui.emit(&wire, format_args!("{done} {} in {files} local files", size(bytes)))?;
    Ok(Outcome::Done)
}

fn compact_tables(workspace: &Workspace, dry: bool, ui: &mut Ui) -> Result<(), CliError> {
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    if git.is_replaying() || !git.other_sides().is_empty() {
        return Err(CliError::new("a merge, rebase or cherry-pick is under way")
            .hint("finish it, then run this again"));
    }
    if is_in_conflict(&git)? {
        return Err(CliError::new("the committed index is in conflict")
            .hint("settle it with `elophanto index --resolve`"));
    }
    let Compacted { before, after, kept, dropped, tips, worth } =
        compact(&workspace.context(), &git, dry)?;
    let wire = CompactedWire {
        dry_run: dry,
        tips,
        tables_before: before.0,
        bytes_before: before.1,
        tables_after: after.0,
        bytes_after: after.1,
        vectors_kept: kept,
        vectors_dropped: dropped,
    };
    if !worth {
        let text = format!("nothing to gain: {} tables, every vector in use", before.0);
        return ui.emit(&wire, text);
    }
    let verb = if dry { "would become" } else { "became" };
    ui.emit(
        &wire,
        format_args!(
            "{} tables ({}) {verb} {} ({}): {kept} vectors stay, {dropped} that none of {tips} \
             branch tips uses go",
            before.0,
            size(before.1),
            after.0,
            size(after.1)
        ),
    )?;
    if !dry {
        ui.talk(
            "staged; commit it on the default branch. Git's history keeps the old tables: a \
             checkout gets smaller, a clone does not",
        );
    } else if let Some(branch) = git.branch()
        && !git.is_default_branch(&branch)
    {
        ui.note(format_args!("this belongs on the default branch, not on `{branch}`"));
    }
    Ok(())
}
