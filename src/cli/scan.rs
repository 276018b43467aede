//! `elophanto scan`

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    index::say_watching,
    scan_investigate::{self, Wish},
    scan_output::{QuestionWire, question_line},
    scan_questions,
    ui::{Ui, visible_line},
    workspace::{self, Workspace, now_nanoseconds},
};
use elophanto_app::{config::parse_duration, init};
use elophanto_index::{Options, Refreshed, watch::Watch};
use elophanto_knowledge::scan::{self, QuestionState, Report, Scan, Wanted};
use elophanto_repo::{Git, NotePath};
use elophanto_text::changelog;

/// Questions that a run asks at once when it is to answer everything.
const ROUND: usize = 2_000;

/// Find what the knowledge base does not know yet
///
/// Compares the files of the repository with what is known, and asks about what is missing:
/// files that nobody has described, descriptions and notes that are out of date, links that lead
/// nowhere, notes that nothing links to, learned notes that contradict yours. With --investigate
/// it finds the answers itself.
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("look").args(["list", "show", "dismiss", "indexed"]))]
pub struct ScanArgs {
    /// Ask only about these files and folders
    paths: Vec<PathBuf>,
    /// Raise at most this many new questions
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Answer questions: those named, else the most valuable ones
    #[arg(long, value_name = "ID", num_args = 0.., conflicts_with = "look")]
    investigate: Option<Vec<String>>,
    /// Ask and answer until nothing is left
    #[arg(long, requires = "investigate")]
    all: bool,
    /// What one run may spend on a language model, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS", requires = "investigate")]
    budget: Option<String>,
    /// Send files to the model of the settings, and remember that this may be done
    #[arg(long, short, requires = "investigate")]
    yes: bool,
    /// Print each answer as an evidence record, for other programs
    #[arg(long, requires = "investigate")]
    evidence: bool,
    /// Go on and scan whenever files change
    #[arg(long, conflicts_with = "look")]
    watch: bool,
    /// Go on and scan at intervals, such as 10m; without a value every `scan.interval`
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "",
          conflicts_with = "look")]
    every: Option<String>,
    /// List questions that wait for an answer
    #[arg(long)]
    list: bool,
    /// With --list: questions in this state: open, investigating, answered, dismissed or failed
    #[arg(long, requires = "list")]
    state: Option<QuestionState>,
    /// Show a question with its evidence and answer
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// Put a question aside for good
    #[arg(long, value_name = "ID")]
    dismiss: Option<String>,
    /// List the files that are described
    #[arg(long)]
    indexed: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// The summary of a run, as `--json` prints it.
#[derive(Serialize)]
struct SummaryWire<'a> {
    files: usize,
    indexed: usize,
    read: usize,
    asked: usize,
    closed: usize,
    answered: usize,
    failed: usize,
    calls: usize,
    open: usize,
    left: usize,
    seconds: f64,
    problems: &'a [String],
}

/// What a run came to.
#[derive(Default)]
struct Sum {
    answered: usize,
    failed: usize,
    calls: usize,
    /// Nothing more was answered though something is open.
    stopped: bool,
}

pub fn run(args: &ScanArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let flags = [
        ("scan.max_questions", args.limit.map(|limit| limit.to_string())),
        ("llm.budget.run", args.budget.clone()),
    ];
    let flags = flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let workspace = workspace::open(flags.collect(), ui)?;
    if args.list {
        return scan_questions::list(&workspace, args.state, ui);
    }
    if let Some(id) = &args.show {
        return scan_questions::show(&workspace, id, ui);
    }
    if let Some(id) = &args.dismiss {
        return scan_questions::dismiss(&workspace, id, ui);
    }
    if args.indexed {
        return scan_questions::indexed(&workspace, ui);
    }
    let interval = match args.every.as_deref() {
        None => None,
        Some("") => Some(workspace.config.scan.interval),
        Some(text) => Some(parse_duration(text).map_err(|cause| {
            CliError::new(cause)
                .hint("give a number with ms, s, m, h, d or w, such as `--every 10m`")
        })?),
    };
    for path in &args.paths {
        let inside = workspace.note_path(path);
        if !path.exists() {
            ui.warn(format_args!("`{}` does not exist", path.display()));
        } else if inside.as_path().is_absolute() || inside.as_path().starts_with("..") {
            ui.warn(format_args!(
                "`{}` is outside the repository: your own settings may name it in `scan.paths`",
                path.display()
            ));
        }
    }
    let goes_on = args.watch || interval.is_some();
    // Before the first run: what changes while that is at work is not missed.
    let watch = if args.watch { Some(Watch::begin(&workspace.repository.root)?) } else { None };
    once(&workspace, args, goes_on, ui)?;
    if let Some(watch) = watch {
        return Ok(keep_watching(&workspace, watch, args, interval, ui));
    }
    if let Some(interval) = interval {
        loop {
            std::thread::sleep(interval);
            once(&workspace, args, true, ui)?;
        }
    }
    Ok(Outcome::Done)
}

/// One run, to its report. A run of many is told from one that was asked for by hand: it goes on
/// until everything is answered.
fn once(
    workspace: &Workspace,
    args: &ScanArgs,
    goes_on: bool,
    ui: &mut Ui,
) -> Result<(), CliError> {
    let start = Instant::now();
    let mut sum = Sum::default();
    let mut first: Option<Report> = None;
    loop {
        let all = args.all || goes_on;
        let limit = workspace.config.scan.max_questions;
        // Who wants everything answered is not to wait for one walk per ten questions.
        let whole = all && args.investigate.is_some();
        let report = look(workspace, args, if whole { limit.max(ROUND) } else { limit })?;
        if args.investigate.is_none() {
            for question in &report.asked {
                ui.emit(&QuestionWire::of(question), question_line(question))?;
            }
        }
        let left = report.left;
        let mut answered = 0;
        if let Some(ids) = &args.investigate {
            let wish = Wish { ids, all, yes: args.yes, evidence: args.evidence };
            let done = scan_investigate::run(workspace, &wish, ui)?;
            answered = done.answered + done.failed;
            sum.answered += done.answered;
            sum.failed += done.failed;
            sum.calls += done.calls;
            sum.stopped |= done.stopped;
        }
        let report = match first.take() {
            None => report,
            Some(before) => Report {
                asked: [before.asked, report.asked].concat(),
                closed: before.closed + report.closed,
                read: before.read + report.read,
                ..report
            },
        };
        first = Some(report);
        let again = whole && left > 0 && answered > 0 && !sum.stopped;
        if !again {
            break;
        }
    }
    let mut report = first.unwrap_or_default();
    report.open = report.open.saturating_sub(sum.answered + sum.failed);
    report.indexed += sum.answered;
    say(&report, &sum, start.elapsed(), ui)?;
    ui.flush()
}

/// Brings the notes up to date and compares.
fn look(workspace: &Workspace, args: &ScanArgs, limit: usize) -> Result<Report, CliError> {
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let Refreshed { snapshot, .. } = workspace.refresh_pages(options)?;
    let git = Git::of(&workspace.repository);
    let desk = workspace.desk();
    let only: Vec<NotePath> = args.paths.iter().map(|path| workspace.note_path(path)).collect();
    let folder = changelog::folder(&workspace.config.knowledge.write_root);
    // Entries of the changelog, and the pages that every knowledge base begins with.
    let unlinked: Vec<NotePath> = init::pages(&workspace.config.knowledge.write_root)
        .chain([folder])
        .map(|path| NotePath::from(path.as_path()))
        .collect();
    Ok(scan::scan(&Scan {
        desk: &desk,
        wanted: &wanted(workspace),
        max_file_bytes: workspace.config.knowledge.max_file_bytes,
        notes: &snapshot,
        git: git.as_ref(),
        near_duplicate: workspace.models.profile().near_duplicate,
        unlinked: &unlinked,
        only: &only,
        limit,
        now: now_nanoseconds(),
    })?)
}

/// What the settings want described.
pub fn wanted(workspace: &Workspace) -> Wanted {
    let settings = &workspace.config.scan;
    Wanted {
        paths: settings.paths.clone(),
        patterns: settings.patterns.clone(),
        skip: settings.skip.clone(),
    }
}

fn keep_watching(
    workspace: &Workspace,
    watch: Watch,
    args: &ScanArgs,
    interval: Option<Duration>,
    ui: &mut Ui,
) -> Outcome {
    say_watching(watch.method(), ui);
    watch.run(interval, |_| {
        // What goes wrong now may go right the next time: a checkout, a full disk.
        if let Err(cause) = once(workspace, args, true, ui) {
            if cause.broken_pipe {
                return false;
            }
            ui.warn(cause.message());
        }
        true
    });
    Outcome::Done
}

fn say(report: &Report, sum: &Sum, took: Duration, ui: &mut Ui) -> Result<(), CliError> {
    for problem in &report.problems {
        if !ui.json {
            ui.warn(visible_line(problem));
        }
    }
    let wire = SummaryWire {
        files: report.files,
        indexed: report.indexed.min(report.files),
        read: report.read,
        asked: report.asked.len(),
        closed: report.closed,
        answered: sum.answered,
        failed: sum.failed,
        calls: sum.calls,
        open: report.open,
        left: report.left,
        seconds: (took.as_secs_f64() * 1000.0).round() / 1000.0,
        problems: &report.problems,
    };
    let SummaryWire { files, indexed, asked, open, left, seconds, .. } = &wire;
    let answered = match sum.answered + sum.failed {
        0 => String::new(),
        _ if sum.failed == 0 => format!("{} answered, ", sum.answered),
        _ => format!("{} answered, {} failed, ", sum.answered, sum.failed),
    };
    let left = if *left == 0 { String::new() } else { format!(" and {left} to be asked") };
    ui.emit(
        &wire,
        format_args!(
            "{files} files, {indexed} described, {asked} asked, {answered}{open} open{left}, \
             {seconds:.2} seconds"
        ),
    )
}
