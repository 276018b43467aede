//! `elophanto index`

mod git;

use std::path::{Path, PathBuf};

use super::{Outcome, Result, Ui, Workspace, escape_control_line, workspace};
use crate::wire::upkeep::{CheckedWire, SkippedWire};
use elophanto_app::{
    embedding::background as waiting,
    hidden,
    index::{
        self, IndexRequest, Indexed, Summary,
        git::{StageRequest, check},
    },
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::process;
use elophanto_index::{
    Problem, Refreshed,
    watch::{Method, Watch},
};

/// Bring the index up to date
///
/// Reads what changed since the last time, and writes the vectors that no committed table holds
/// into one pending table below `.elophanto/index`, for you to commit.
#[derive(clap::Args, Debug)]
pub struct IndexArgs {
    /// Report only on these files and folders; everything is indexed all the same
    paths: Vec<PathBuf>,
    /// Read and cut every note again. Vectors stay, as they belong to their text
    #[arg(long)]
    full: bool,
    /// Go on and index whenever notes change
    #[arg(long)]
    watch: bool,
    /// Go on and index at intervals, such as 10m or 6h; without a value every
    /// `knowledge.index_interval`
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "")]
    every: Option<String>,
    /// Exit with 1 if a note is not indexed or the committed tables lack a vector; write neither
    /// tables nor settings
    #[arg(long, conflicts_with_all = ["watch", "every", "full"])]
    check: bool,
    /// With `--check`: make the committed vectors in use again and compare, so that nobody can
    /// poison the ranking; with a revision only those of texts and tables it does not have, and
    /// vectors of no text are refused
    #[arg(long, requires = "check", value_name = "BASE", num_args = 0..=1,
          default_missing_value = "")]
    verify: Option<String>,
    /// Stage the table that goes with the staged notes, as the pre-commit hook does
    #[arg(long, conflicts_with_all = ["watch", "every", "full", "check"])]
    stage: bool,
    /// Commit the table that goes with the staged notes, and nothing else: for bots and cron
    #[arg(long, conflicts_with_all = ["watch", "every", "full", "check", "stage"])]
    commit: bool,
    /// Settle a conflict over the index: take every readable table of all sides and stage them
    #[arg(long, conflicts_with_all = ["watch", "every", "full", "check", "stage", "commit"])]
    resolve: bool,
    /// Send what is to be embedded to the remote model of the settings, whatever it costs, and
    /// remember that this may be done
    #[arg(long, short)]
    yes: bool,
    /// Embed what waits, as the process that a search leaves it to does
    #[arg(long, hide = true, conflicts_with_all = ["watch", "every", "full", "check", "stage", "commit"])]
    fill: bool,
    /// Print the summary and each problem as JSON Lines
    #[arg(long)]
    pub json: bool,
}

impl IndexArgs {
    fn request(&self) -> IndexRequest {
        IndexRequest { full: self.full, yes: self.yes }
    }
}

pub fn run(args: &IndexArgs, ui: &mut Ui) -> Result<Outcome> {
    if args.fill {
        // Before there are other threads.
        process::be_nice();
        // Nobody reads what it says.
        waiting::run(&workspace::here_again()?)?;
        return Ok(Outcome::Done);
    }
    let workspace = workspace::open(Vec::new(), ui)?;
    if args.check {
        return check_all(&workspace, args, ui);
    }
    if args.stage || args.commit {
        let wanted = StageRequest { commit: args.commit, yes: args.yes };
        return git::stage(&workspace, wanted, ui);
    }
    if args.resolve {
        return git::resolve_conflict(&workspace, ui);
    }
    let every = args.every.as_deref();
    let interval = super::scan::interval(every, workspace.config.knowledge.index_interval)?;
    // Before the first run: what changes while that is at work is not missed.
    let watch = if args.watch { Some(Watch::begin(&workspace.repository.root)?) } else { None };
    let asked = hidden::Asked::begin(&workspace);
    let (workspace, indexed) = index::first(workspace, args.request(), ui)?;
    report(&workspace, args, &indexed, ui)?;
    match indexed.refreshed.report.embedded {
        0 => asked.say(ui),
        // Files of ours may be new.
        _ => hidden::say(&workspace, ui),
    }
    if let Some(watch) = watch {
        say_watching(watch.method(), ui);
        let beside = ui.beside();
        let told = &mut |indexed: &Indexed| report(&workspace, args, indexed, ui);
        index::keep(&workspace, watch, interval, args.request(), &beside, told)?;
        return Ok(Outcome::Done);
    }
    if let Some(interval) = interval {
        loop {
            std::thread::sleep(interval);
            let indexed = index::again(&workspace, args.request(), ui)?;
            report(&workspace, args, &indexed, ui)?;
        }
    }
    Ok(Outcome::Done)
}

/// Says what a run came to.
fn report(workspace: &Workspace, args: &IndexArgs, indexed: &Indexed, ui: &mut Ui) -> Result<()> {
    say_problems(&indexed.refreshed, args, workspace, ui)?;
    summary(indexed, ui)?;
    ui.flush()
}

fn check_all(workspace: &Workspace, args: &IndexArgs, ui: &mut Ui) -> Result<Outcome> {
    let (gaps, refreshed) = check(workspace)?;
    say_problems(&refreshed, args, workspace, ui)?;
    let forged = match &args.verify {
        Some(base) => git::verify_vectors(workspace, &refreshed.snapshot, base, ui)?,
        None => 0,
    };
    let wire = CheckedWire { ok: gaps.is_empty() && forged == 0, gaps: &gaps };
    let report = &refreshed.report;
    if gaps.is_empty() && forged > 0 {
        if ui.json {
            ui.json(&wire)?;
        }
        return Ok(Outcome::Negative);
    }
    if gaps.is_empty() {
        let (files, chunks) = (report.files, report.chunks);
        return ui.done(
            &wire,
            format_args!(
                "ok: {}, {}, all indexed, every vector in a table",
                counted(files, "file"),
                counted(chunks, "chunk")
            ),
        );
    }
    ui.emit(
        &wire,
        format_args!(
            "not complete: {} in no table, {} damaged, {} skipped, {} not searched yet",
            counted(gaps.uncommitted, "vector"),
            counted(gaps.damaged, "table"),
            counted(gaps.skipped, "file"),
            gaps.stale
        ),
    )?;
    if gaps.uncommitted > 0 {
        ui.talk("hint: run `elophanto index` and commit `.elophanto/index`");
    }
    if gaps.damaged > 0 {
        ui.talk("hint: bring the table back with `git checkout -- .elophanto/index`; if git holds it damaged, `git rm -r` it");
    }
    if gaps.skipped > 0 {
        ui.talk("hint: mend the files named above, or list them in `.elophantoignore`");
    }
    Ok(Outcome::Negative)
}

fn say_problems(
    refreshed: &Refreshed,
    args: &IndexArgs,
    workspace: &Workspace,
    ui: &mut Ui,
) -> Result<()> {
    for notice in &refreshed.report.notices {
        ui.note(notice);
    }
    let chosen: Vec<_> = args.paths.iter().map(|path| workspace.note_path(path)).collect();
    for problem in &refreshed.report.problems {
        let Problem { path, line, reason } = problem;
        let at = path.as_path();
        // Of a folder that cannot be looked into, nothing below is known.
        let is_named = |chosen: &Path| at.starts_with(chosen) || chosen.starts_with(at);
        let named = chosen.is_empty()
            || at == Path::new(".")
            || chosen.iter().any(|chosen| is_named(chosen.as_path()));
        if !named {
            continue;
        }
        if ui.json {
            ui.json(&SkippedWire::from(problem))?;
        } else {
            let shown = escape_control_line(&path.to_text());
            let place = line.map_or(shown.clone(), |line| format!("{shown}:{line}"));
            ui.warn(format_args!("{place}: skipped: {reason}"));
        }
    }
    for path in &args.paths {
        if !Path::new(path).exists() {
            ui.warn(format_args!("`{}` does not exist", path.display()));
        }
    }
    Ok(())
}

fn summary(indexed: &Indexed, ui: &mut Ui) -> Result<()> {
    let wire = indexed.summary();
    let Summary { files, chunks, embedded, reused, removed, skipped, seconds, .. } = &wire;
    let waiting = match wire.waiting {
        0 => String::new(),
        waiting => format!("{waiting} without a vector, "),
    };
    let text = format!(
        "{}, {}, {embedded} embedded, {reused} reused, {waiting}{removed} removed, {skipped} skipped, \
         {seconds:.2} seconds",
        counted(*files, "file"),
        counted(*chunks, "chunk")
    );
    ui.emit(&wire, text)?;
    if indexed.committed.written && !ui.json {
        ui.talk(format_args!(
            "{} {} in `.elophanto/index` to be committed",
            counted(indexed.committed.pending, "vector"),
            agreeing(indexed.committed.pending, "waits", "wait")
        ));
    }
    Ok(())
}

/// Says that watching has begun, and how.
pub fn say_watching(method: Method, ui: &Ui) {
    ui.note(match method {
        Method::Native => "watching; Ctrl-C ends it",
        Method::Polling => "the system has no room for more watches: comparing files every 3 s",
    });
}
