//! `elophanto agent runs` and `elophanto agent sessions`

use std::path::Path;

use serde_json::Value;

use super::run::around::tell_left_out;
use crate::cli::{CliError, Outcome, Result, Ui, env, escape_control_line, visible, workspace};
use crate::wire::{MessageWire, ResultWire, SessionWire};
use elophanto_agent::{RunTrail, Session, Sessions, Trails};
use elophanto_app::{
    agent::{self, chat::told::of_session, state_folder},
    runs::{Conversation, Listed, conversation, conversations, left_beside, list, patch},
};
use elophanto_base::counted::counted;
use elophanto_repo::{Repository, locate};

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
        /// Print what it changed instead, as a patch for `git apply`
        #[arg(long)]
        patch: bool,
    },
}

/// Conversations with the agent that can go on
#[derive(clap::Args, Debug)]
pub struct SessionsArgs {
    #[command(subcommand)]
    command: Option<SessionsCommand>,
    /// Forget this one, by its id, the beginning of it, or its name
    #[arg(long, value_name = "ID")]
    remove: Option<String>,
    /// List those of all repositories
    #[arg(long)]
    all: bool,
    /// Print JSON Lines
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum SessionsCommand {
    /// All that was said in a conversation, and its runs
    Show {
        /// Id of the session, its beginning, or its name
        #[arg(value_name = "ID")]
        session: String,
    },
}

/// The runs of this machine.
///
/// # Errors
/// When there is no folder for them.
fn trails() -> Result<Trails> {
    agent::trails(&env::environment())
}

/// The sessions of this machine.
///
/// # Errors
/// When there is no folder for them.
fn sessions() -> Result<Sessions> {
    Ok(Sessions::new(state_folder(&env::environment())?.join("sessions")))
}

pub fn run(args: &RunsArgs, ui: &mut Ui) -> Result<Outcome> {
    let trails = trails()?;
    if let Some(RunsCommand::Show { run, patch }) = &args.command {
        let trail = trails.read(run)?;
        return if *patch { show_patch(&trail.run.to_string(), ui) } else { show(&trail, ui) };
    }
    let here = locate(Path::new(".")).ok();
    here.iter().for_each(|here| tell_left(here, ui));
    let listed = list((&trails, &sessions()?), here.as_ref(), args.all, args.limit, ui)?;
    for row in &listed {
        let mut text = told_in_list(row);
        if row.undoes.is_none() && (args.all || here.is_none()) {
            text.push_str(&format!("  in {}", escape_control_line(&row.root)));
        }
        ui.emit(row, text)?;
    }
    Ok(ui.listed(listed.is_empty(), "nothing was run: `elophanto agent run 'GOAL'`"))
}

/// What a run changed, for `git apply`.
fn show_patch(run: &str, ui: &mut Ui) -> Result<Outcome> {
    if ui.json {
        return Err(CliError::new("a patch is no JSON").hint("leave out `--json`"));
    }
    let patch = patch(&workspace::here_again()?, run)?;
    tell_left_out(&patch, ui);
    if patch.bytes.is_empty() {
        return Ok(
            ui.nothing(format_args!("there is no change of run {run} here that a patch says"))
        );
    }
    ui.raw(&patch.bytes)?;
    Ok(Outcome::Done)
}

/// Says what runs have left beside the work tree.
fn tell_left(here: &Repository, ui: &Ui) {
    match left_beside(here) {
        Ok(left) => left.iter().for_each(|line| ui.talk(line)),
        Err(error) => ui.warn(error.message()),
    }
}

/// A line of the list.
fn told_in_list(row: &Listed) -> String {
    let (run, begun) = (&row.run, row.begun.strftime("%Y-%m-%d %H:%M"));
    let taken_back = if row.is_undone { " (taken back)" } else { "" };
    if let Some(undoes) = &row.undoes {
        return format!("{run}  {begun}  undo of {undoes}{taken_back}");
    }
    let state = match &row.outcome {
        Some(outcome) => outcome,
        None if row.is_at_work => "at work",
        None => "cut off",
    };
    let goal: String = row.goal.chars().take(70).collect();
    let (calls, goal) = (counted(row.calls, "call"), escape_control_line(&goal));
    format!("{run}  {begun}  {state:<9}  {calls:>9}  {goal}{taken_back}")
}

fn show(trail: &RunTrail, ui: &mut Ui) -> Result<Outcome> {
    for damage in &trail.damage {
        ui.warn(escape_control_line(damage));
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
    let mut text = format!("{at} {indent}{}", escape_control_line(word("type")));
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

/// A message for people: who speaks stands before it, the rest below.
fn told_message(message: &MessageWire) -> String {
    let mut who = message.role.to_owned();
    if let Some(ResultWire { tool, failed, .. }) = &message.result_of {
        who = format!("{tool}{}", if *failed { " failed" } else { "" });
    }
    let calls = message.calls.iter().map(|call| format!("{} {}", call.tool, call.arguments));
    let said = message.text.trim_end().lines().map(str::to_owned);
    let lines: String = said.chain(calls).map(|line| format!("\n    {}", visible(&line))).collect();
    format!("{}:{lines}", escape_control_line(&who))
}

fn show_session(id: &str, ui: &mut Ui) -> Result<Outcome> {
    let here = locate(Path::new(".")).ok();
    let Conversation { session, messages, runs } =
        conversation((&trails()?, &sessions()?), id, here.as_ref(), ui)?;
    ui.emit(&SessionWire::from(&session), of_session(&session, true))?;
    for row in &runs {
        ui.emit(row, told_in_list(row))?;
    }
    for message in &messages {
        let wire = MessageWire::of(message);
        ui.emit(&wire, told_message(&wire))?;
    }
    Ok(Outcome::Done)
}

pub fn list_sessions(args: &SessionsArgs, ui: &mut Ui) -> Result<Outcome> {
    if let Some(SessionsCommand::Show { session }) = &args.command {
        return show_session(session, ui);
    }
    let sessions = sessions()?;
    if let Some(id) = &args.remove {
        let id = sessions.find(id)?;
        sessions.remove(id)?;
        ui.talk(format_args!("session {id} is forgotten"));
        return Ok(Outcome::Done);
    }
    let here = locate(Path::new(".")).ok().filter(|_| !args.all);
    let listed = conversations(&sessions, here.as_ref().map(|here| &*here.root), ui)?;
    print_sessions(&listed, here.is_none(), ui)
}

/// Prints a list of conversations; `is_placed`: with their work trees.
///
/// # Errors
/// When stdout cannot be written.
pub fn print_sessions(sessions: &[Session], is_placed: bool, ui: &mut Ui) -> Result<Outcome> {
    for session in sessions {
        ui.emit(&SessionWire::from(session), of_session(session, is_placed))?;
    }
    Ok(ui.listed(sessions.is_empty(), "no conversation is kept: `elophanto agent chat` begins one"))
}
