//! `elophanto clean`

mod entities;

use super::{Json, Outcome, Result, Ui, Workspace, doctor::size, workspace};
use crate::wire::upkeep::TidiedWire;
use elophanto_app::clean;
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::{compact::Compacted, tidy::tidy};

/// Tidy up what elophanto keeps
///
/// Removes local data that is no longer needed, closes questions about files that are gone, and
/// lists entities that may be one. Notes are never changed. With --apply, entities that are certainly
/// one are merged; `clean undo` takes any merge back.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CleanArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Merge entities that are certainly one
    #[arg(long, conflicts_with = "index")]
    apply: bool,
    /// Remove local data that is no longer needed, and nothing else: what was kept of other commits,
    /// vectors that are committed by now, leftovers of killed runs
    #[arg(long)]
    index: bool,
    /// Also make one committed table of many, without the vectors that no branch uses, and stage
    /// that. For the default branch, while nobody else does it; if two did,
    /// `elophanto index --resolve` settles the conflict
    #[arg(long, requires = "index")]
    compact: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List entities that may be one, for a person to decide
    Review(Json<entities::ReviewArgs>),
    /// Make two entities one
    Merge(Json<entities::MergeArgs>),
    /// Take a merge back
    Undo(Json<entities::UndoArgs>),
}

pub fn run(args: &CleanArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    match &args.action {
        Some(Action::Review(args)) => return entities::review(&workspace, args, ui),
        Some(Action::Merge(args)) => return entities::merge_two(&workspace, args, ui),
        Some(Action::Undo(args)) => return entities::undo(&workspace, args, ui),
        None => {}
    }
    if args.compact {
        compact_tables(&workspace, args.dry_run, ui)?;
    }
    if !args.index {
        records(&workspace, args.dry_run, ui)?;
        entities::merge_all(&workspace, args.apply, args.dry_run, ui)?;
    }
    // Last, as compaction looks at every branch and keeps what it has seen.
    let dry_run = args.dry_run;
    let done = tidy(&workspace.context(), dry_run)?;
    let freed = if dry_run { "would free" } else { "freed" };
    let text = format!("{freed} {} in {}", size(done.bytes), counted(done.files, "local file"));
    ui.done(&TidiedWire { dry_run, done }, text)
}

fn records(workspace: &Workspace, dry_run: bool, ui: &mut Ui) -> Result<()> {
    let done = clean::records(workspace, dry_run)?;
    let would = if dry_run { "would " } else { "" };
    let (remove, close) = if dry_run { ("remove", "close") } else { ("removed", "closed") };
    let texts = match done.texts_removed {
        0 => String::new(),
        count => format!(" and {} of sources that no fact names", counted(count, "text")),
    };
    let text = format!(
        "{would}{remove} {} of searches{texts} ({}), {would}{close} {} about what is gone",
        counted(done.responses_removed, "response"),
        size(done.bytes_freed),
        counted(done.questions_closed, "question")
    );
    ui.emit(&TidiedWire { dry_run, done }, text)
}

fn compact_tables(workspace: &Workspace, dry_run: bool, ui: &mut Ui) -> Result<()> {
    let done = clean::compact(workspace, dry_run, ui)?;
    let Compacted { tips, tables_before, tables_after, vectors_kept, vectors_dropped, .. } = done;
    let (before, after) = (size(done.bytes_before), size(done.bytes_after));
    let verb = if dry_run { "would become" } else { "became" };
    let (worth, tables) = (done.worth, counted(tables_before, "table"));
    let text = match worth {
        false => format!("nothing to gain: {tables}, every vector in use"),
        true => format!(
            "{tables} ({before}) {verb} {tables_after} ({after}): {} {}, {vectors_dropped} that none of \
             {} uses {}",
            counted(vectors_kept, "vector"),
            agreeing(vectors_kept, "stays", "stay"),
            counted(tips, "branch tip"),
            agreeing(vectors_dropped, "goes", "go"),
        ),
    };
    ui.emit(&TidiedWire { dry_run, done }, text)?;
    if worth && !dry_run {
        ui.talk(
            "staged; commit it on the default branch. Git's history keeps the old tables: a \
             checkout gets smaller, a clone does not",
        );
    }
    Ok(())
}
