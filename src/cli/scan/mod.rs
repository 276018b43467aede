//! `elophanto scan`

mod output;
mod questions;

use std::{path::PathBuf, time::Duration};

use super::{CliError, Outcome, Result, Ui, Workspace, flags, index::say_watching, workspace};
use elophanto_app::{
    config::parse_duration,
    questions::Listed,
    scan::{ScanRequest, Scanned, scan},
};
use elophanto_index::watch::Watch;
use elophanto_knowledge::scan::{QuestionState, investigate::Found};
use elophanto_repo::NotePath;
use output::question_line;

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
}

pub fn run(args: &ScanArgs, ui: &mut Ui) -> Result<Outcome> {
    let flags = flags([
        ("scan.max_questions", args.limit.map(|limit| limit.to_string())),
        ("llm.budget.run", args.budget.clone()),
    ]);
    let workspace = workspace::open(flags, ui)?;
    if args.list {
        return questions::list(&workspace, args.state, ui);
    }
    if let Some(id) = &args.show {
        return questions::show(&workspace, id, ui);
    }
    if let Some(id) = &args.dismiss {
        return questions::dismiss(&workspace, id, ui);
    }
    if args.indexed {
        return questions::indexed(&workspace, ui);
    }
    let interval = interval(args.every.as_deref(), workspace.config.scan.interval)?;
    let request = ScanRequest {
        only: named(&workspace, &args.paths, ui),
        investigate: args.investigate.clone(),
        // A run of many is told from one that was asked for by hand: it goes on until everything is
        // answered.
        all: args.all || args.watch || interval.is_some(),
        yes: args.yes,
    };
    // Before the first run: what changes while that is at work is not missed.
    let watch = if args.watch { Some(Watch::begin(&workspace.repository.root)?) } else { None };
    let first = once(&workspace, &request, args.evidence, ui)?;
    output::left_out(&first, ui);
    if let Some(watch) = watch {
        say_watching(watch.method(), ui);
        watch.run(interval, |_| match once(&workspace, &request, args.evidence, ui) {
            Err(cause) if cause.broken_pipe => false,
            // What goes wrong now may go right the next time: a checkout, a full disk.
            Err(cause) => {
                ui.warn(cause.message());
                true
            }
            Ok(_) => true,
        });
        return Ok(Outcome::Done);
    }
    let Some(interval) = interval else { return Ok(Outcome::Done) };
    loop {
        std::thread::sleep(interval);
        once(&workspace, &request, args.evidence, ui)?;
    }
}

/// One run, to its report.
fn once(
    workspace: &Workspace,
    request: &ScanRequest,
    as_evidence: bool,
    ui: &mut Ui,
) -> Result<Scanned> {
    let beside = ui.beside();
    let mut told = |found: &Found| output::answer(found, as_evidence, ui);
    let scanned = scan(workspace, request, &mut told, &beside)?;
    if request.investigate.is_none() {
        for question in &scanned.questions {
            ui.emit(&Listed::from(question), question_line(question))?;
        }
    }
    output::summary(&scanned, as_evidence, ui)?;
    ui.flush()?;
    Ok(scanned)
}

/// Files and folders as they were typed; says which cannot be scanned.
fn named(workspace: &Workspace, paths: &[PathBuf], ui: &Ui) -> Vec<NotePath> {
    let inside = |path: &PathBuf| {
        let inside = workspace.note_path(path);
        if !path.exists() {
            ui.warn(format_args!("`{}` does not exist", path.display()));
        } else if inside.as_path().is_absolute() || inside.as_path().starts_with("..") {
            ui.warn(format_args!(
                "`{}` is outside the repository: your own settings may name it in `scan.paths`",
                path.display()
            ));
        }
        inside
    };
    paths.iter().map(inside).collect()
}

/// The shortest time between two runs.
const SHORTEST: Duration = Duration::from_millis(100);

/// What `--every` says; `usual` if it has no value.
pub fn interval(every: Option<&str>, usual: Duration) -> Result<Option<Duration>> {
    let given = |text: &str| match text {
        "" => Ok(usual),
        _ => parse_duration(text).map_err(|cause| {
            CliError::new(cause)
                .hint("give a number with ms, s, m, h, d or w, such as `--every 10m`")
        }),
    };
    match every.map(given).transpose()? {
        Some(every) if every < SHORTEST => {
            Err(CliError::new("`--every` is at least 100ms")
                .hint("give more, such as `--every 10m`"))
        }
        every => Ok(every),
    }
}
