//! `elophanto clean`

use std::time::Duration;

use serde::Serialize;

use super::{
    Outcome, clean_entities,
    doctor::size,
    error::CliError,
    ui::Ui,
    workspace::{self, Workspace},
};
use elophanto_app::learning::now;
use elophanto_index::{
    compact::{Compacted, compact},
    resolve::is_in_conflict,
    tidy::{Tidied, tidy},
};
use elophanto_knowledge::{
    learn::{log::Log, responses},
    scan::expire,
};
use elophanto_repo::{Git, GitError};

/// Responses of searches are kept so long after they were processed.
const RESPONSE_AGE: Duration = Duration::from_hours(30 * 24);

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
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List entities that may be one, for a person to decide
    Review(clean_entities::ReviewArgs),
    /// Make two entities one
    Merge(clean_entities::MergeArgs),
    /// Take a merge back
    Undo(clean_entities::UndoArgs),
}

impl CleanArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        self.json
            || match &self.action {
                Some(Action::Review(args)) => args.json,
                Some(Action::Merge(args)) => args.json,
                Some(Action::Undo(args)) => args.json,
                None => false,
            }
    }
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

/// What became of records, as `--json` prints it.
#[derive(Serialize)]
struct RecordsWire {
    dry_run: bool,
    responses_removed: usize,
    bytes_freed: u64,
    questions_closed: usize,
}

pub fn run(args: &CleanArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    match &args.action {
        Some(Action::Review(args)) => return clean_entities::review(&workspace, args, ui),
        Some(Action::Merge(args)) => return clean_entities::merge_two(&workspace, args, ui),
        Some(Action::Undo(args)) => return clean_entities::undo(&workspace, args, ui),
        None => {}
    }
    if args.compact {
        compact_tables(&workspace, args.dry_run, ui)?;
    }
    if !args.index {
        records(&workspace, args.dry_run, ui)?;
        clean_entities::merge_all(&workspace, args.apply, args.dry_run, ui)?;
    }
    // Last, as compaction looks at every branch and keeps what it has seen.
    let Tidied { files, bytes } = tidy(&workspace.context(), args.dry_run)?;
    let done = if args.dry_run { "would free" } else { "freed" };
    let wire = TidiedWire { dry_run: args.dry_run, files_removed: files, bytes_freed: bytes };
    ui.emit(&wire, format_args!("{done} {} in {files} local files", size(bytes)))?;
    Ok(Outcome::Done)
}

/// What searches brought and nobody needs any more, and questions about what is gone.
fn records(workspace: &Workspace, dry: bool, ui: &mut Ui) -> Result<(), CliError> {
    let desk = workspace.desk();
    let log = Log::read(&desk.journal, now());
    let open: Vec<String> = log
        .unprocessed()
        .iter()
        .filter_map(|work| match work {
            elophanto_knowledge::learn::log::Work::Search(search) => search.response_hash.clone(),
            elophanto_knowledge::learn::log::Work::Message(_) => None,
        })
        .collect();
    let is_needed = |hash: &str| open.iter().any(|open| open == hash);
    let (files, bytes) = responses::tidy(&desk, RESPONSE_AGE, &is_needed, dry)?;
    let closed = expire(&desk, now(), dry)?;
    let wire = RecordsWire {
        dry_run: dry,
        responses_removed: files,
        bytes_freed: bytes,
        questions_closed: closed,
    };
    let would = if dry { "would " } else { "" };
    let (remove, close) = if dry { ("remove", "close") } else { ("removed", "closed") };
    ui.emit(
        &wire,
        format_args!(
            "{would}{remove} {files} responses of searches ({}), {would}{close} {closed} questions \
             about what is gone",
            size(bytes)
        ),
    )
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
