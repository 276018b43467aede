//! `elophanto agent runs` and `elophanto agent sessions`

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible, visible_line},
    },
    work::state_folder,
};
use elophanto_agent::{
    RunLine, RunTrail, Session, Sessions, Trails, Which,
    checkpoint::{Checkpoints, Kept, Progress, is_undone},
    permissions::is_key,
};
use elophanto_base::one_line::one_line;
use elophanto_models::llm::Message;
use elophanto_repo::{Git, Repository, locate};

/// What is said of a run that goes on.
const AT_WORK: &str = "at work";
/// Bytes of what was said last in a session, in a list of them.
const MOST_SAID: usize = 80;

/// What the agent did, run by run
///
/// Each run leaves a trail on this machine: every call with its arguments, who decided and how, what
/// came of it, tokens and money. Secrets in it are masked. Inside of a repository its own runs are
/// listed.
#[derive(clap::Args, Debug)]
pub struct RunsArgs {
    #[command(subcommand)]
    command: Option<RunsCommand>,
    /// Runs that are listed at most
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
    /// List the runs in all repositories
    #[arg(long)]
    all: bool,
    /// Print JSON Lines
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum RunsCommand {
    /// Everything that happened in a run
    Show {
        /// Id of the run, or its beginning
        #[arg(value_name = "RUN")]
        run: String,
    },
}

/// Conversations with the agent that can go on
#[derive(clap::Args, Debug)]
pub struct SessionsArgs {
    /// Forget this one, by its id or the beginning of it
    #[arg(long, value_name = "ID")]
    remove: Option<String>,
    /// List those of all repositories
    #[arg(long)]
    all: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

impl SessionsArgs {
    /// Those of this repository, for people.
    pub fn here() -> Self {
        Self { remove: None, all: false, json: false }
    }
}

#[derive(Serialize)]
struct RunWire<'a> {
    run: String,
    begun: String,
    goal: &'a str,
    root: &'a str,
    session: Option<String>,
    /// `null` while it goes on, or when it was cut off.
    outcome: Option<&'a str>,
    is_at_work: bool,
    /// Of an undo, what it took back: it can be taken back itself.
    undoes: Option<&'a str>,
    is_undone: bool,
    calls: usize,
    open_questions: &'a [String],
}

#[derive(Serialize)]
struct SessionWire<'a> {
    session: String,
    channel: String,
    user: String,
    /// The work tree; `null` before the first run.
    root: Option<&'a str>,
    goal: Option<&'a str>,
    messages: usize,
    tainted: bool,
    rules: usize,
    created: String,
    updated: String,
}

/// The runs of this machine.
///
/// # Errors
/// When there is no folder for them.
pub fn trails() -> Result<Trails, CliError> {
    Ok(Trails::new(state_folder()?.join("runs")))
}

/// The sessions of this machine.
///
/// # Errors
/// When there is no folder for them.
pub fn sessions() -> Result<Sessions, CliError> {
    Ok(Sessions::new(state_folder()?.join("sessions")))
}

pub fn run(args: &RunsArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let trails = trails()?;
    match &args.command {
        Some(RunsCommand::Show { run }) => show(&trails.read(run)?, ui),
        None => {
            let here = locate(Path::new(".")).ok();
            list(&trails, here.as_ref(), args, ui)
        }
    }
}

/// How a run ended, in a word.
fn state<'l>(line: &'l RunLine, sessions: &Sessions) -> &'l str {
    let is_at_work = || line.session.is_some_and(|id| sessions.is_busy(id));
    match &line.outcome {
        Some(outcome) => outcome,
        None if is_at_work() => AT_WORK,
        None => "cut off",
    }
}

/// One line for each run, the newest first.
fn list(
    trails: &Trails,
    here: Option<&Repository>,
    args: &RunsArgs,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let root = here.filter(|_| !args.all).map(|here| here.root.as_path());
    let (lines, problems) = trails.list(root.map_or(Which::All, Which::Root), args.limit)?;
    let sessions = sessions()?;
    let kept = here.map(checkpoints).unwrap_or_default();
    for problem in problems {
        ui.warn(problem);
    }
    let undos =
        kept.iter().filter_map(|kept| Some((&kept.run, Row::Undo(kept, kept.undoes.as_deref()?))));
    let mut rows: Vec<(String, Row)> =
        lines.iter().map(|line| (line.run.to_string(), Row::Run(line))).collect();
    rows.extend(undos.map(|(run, row)| (run.clone(), row)));
    rows.sort_by(|one, two| two.0.cmp(&one.0));
    rows.truncate(args.limit);
    for (run, row) in &rows {
        let is_undone = is_undone(&kept, run);
        let (wire, mut text) = match row {
            Row::Run(line) => run_row(line, state(line, &sessions), is_undone),
            Row::Undo(kept, undoes) => undo_row(kept, undoes, is_undone),
        };
        if is_undone {
            text.push_str(" (taken back)");
        }
        if let Row::Run(line) = row
            && root.is_none()
        {
            text.push_str(&format!("  in {}", visible_line(&line.root)));
        }
        ui.emit(&wire, text)?;
    }
    Ok(if rows.is_empty() { Outcome::Negative } else { Outcome::Done })
}

/// A line of the list.
enum Row<'r> {
    Run(&'r RunLine),
    /// An undo, and what it took back.
    Undo(&'r Kept, &'r str),
}

fn run_row<'l>(line: &'l RunLine, state: &str, is_undone: bool) -> (RunWire<'l>, String) {
    let wire = RunWire {
        run: line.run.to_string(),
        begun: line.begun.to_string(),
        goal: &line.goal,
        root: &line.root,
        session: line.session.map(|id| id.to_string()),
        outcome: line.outcome.as_deref(),
        is_at_work: state == AT_WORK,
        undoes: None,
        is_undone,
        calls: line.calls,
        open_questions: &line.open_questions,
    };
    let goal: String = line.goal.chars().take(70).collect();
    let (run, begun) = (line.run, line.begun.strftime("%Y-%m-%d %H:%M"));
    let text =
        format!("{run}  {begun}  {state:<9}  {:>3} calls  {}", line.calls, visible_line(&goal));
    (wire, text)
}

fn undo_row<'k>(kept: &'k Kept, undoes: &'k str, is_undone: bool) -> (RunWire<'k>, String) {
    let wire = RunWire {
        run: kept.run.clone(),
        begun: kept.began.to_string(),
        goal: "",
        root: "",
        session: None,
        outcome: None,
        is_at_work: kept.progress == Progress::AtWork,
        undoes: Some(undoes),
        is_undone,
        calls: 0,
        open_questions: &[],
    };
    let begun = kept.began.strftime("%Y-%m-%d %H:%M");
    (wire, format!("{}  {begun}  undo of {undoes}", kept.run))
}

/// What could be taken back here, as far as it can be found out.
fn checkpoints(here: &Repository) -> Vec<Kept> {
    let Some(git) = Git::of(here) else { return Vec::new() };
    Checkpoints::new(&git, &here.runs_dir(), is_key).runs().unwrap_or_default()
}

fn show(trail: &RunTrail, ui: &mut Ui) -> Result<Outcome, CliError> {
    for damage in &trail.damage {
        ui.warn(visible_line(damage));
    }
    for entry in &trail.entries {
        let mut value = serde_json::to_value(entry).unwrap_or_default();
        let text = told(&value);
        if let Value::Object(fields) = &mut value {
            fields.insert("run".to_owned(), trail.run.to_string().into());
        }
        ui.emit(&value, text)?;
    }
    Ok(Outcome::Done)
}

/// An entry for people: when, how deep, what, and its fields one a line.
fn told(entry: &Value) -> String {
    let word = |key: &str| entry[key].as_str().unwrap_or_default();
    let indent = "  ".repeat(entry["depth"].as_u64().unwrap_or_default() as usize);
    let at = word("at").get(11..19).unwrap_or_default();
    let mut text = format!("{at} {indent}{}", visible_line(word("type")));
    let empty = serde_json::Map::new();
    let fields = entry.as_object().unwrap_or(&empty);
    let is_shown = |key: &str| !matches!(key, "at" | "depth" | "type");
    for (key, value) in fields.iter().filter(|(key, _)| is_shown(key)) {
        let said = match value {
            Value::Null => continue,
            Value::String(said) => said.clone(),
            Value::Array(items) if items.is_empty() => continue,
            other => other.to_string(),
        };
        if said.is_empty() {
            continue;
        }
        let said = visible(said.trim_end()).replace('\n', &format!("\n{indent}             "));
        text.push_str(&format!("\n{indent}           {key}: {said}"));
    }
    text
}

pub fn list_sessions(args: &SessionsArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let sessions = sessions()?;
    if let Some(id) = &args.remove {
        let id = sessions.find(id)?;
        sessions.remove(id)?;
        ui.talk(format_args!("session {id} is forgotten"));
        return Ok(Outcome::Done);
    }
    let listing = sessions.list()?;
    for problem in &listing.problems {
        ui.warn(problem);
    }
    let here = locate(Path::new(".")).ok().filter(|_| !args.all);
    let here = here.map(|here| here.root.to_string_lossy().into_owned());
    let is_here = |session: &&Session| {
        here.as_ref().is_none_or(|here| session.root.as_ref().is_none_or(|root| root == here))
    };
    let mut none = true;
    for session in listing.sessions.iter().filter(is_here) {
        none = false;
        let wire = SessionWire {
            session: session.id.to_string(),
            channel: session.channel.clone(),
            user: session.user.clone(),
            root: session.root.as_deref(),
            goal: session.goal.as_deref(),
            messages: session.messages.len(),
            tainted: session.is_tainted,
            rules: session.rules.len(),
            created: session.created.to_string(),
            updated: session.updated.to_string(),
        };
        let updated = session.updated.strftime("%Y-%m-%d %H:%M");
        let tainted = if session.is_tainted { ", with text from outside" } else { "" };
        let said = session.messages.iter().rev().find_map(|message| match message {
            Message::User(text) => Some(text),
            _ => None,
        });
        let said = session.goal.as_ref().or(said).map(|said| one_line(said, MOST_SAID));
        let place = session.root.as_ref().filter(|_| here.is_none());
        let place = place.map(|root| format!("  in {}", visible_line(root))).unwrap_or_default();
        let text = format!(
            "{}  {updated}  {} messages{tainted}  {}{place}",
            session.id,
            session.messages.len(),
            visible_line(&said.unwrap_or_default())
        );
        ui.emit(&wire, text)?;
    }
    Ok(if none { Outcome::Negative } else { Outcome::Done })
}
