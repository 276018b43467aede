//! `elophanto agent runs` and `elophanto agent sessions`

use std::{borrow::Cow, path::Path};

use serde::Serialize;
use serde_json::Value;

use super::super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, escape_control_line, visible},
};
use elophanto_agent::{RunTrail, Session, Sessions, Trails};
use elophanto_app::{
    agent::state_folder,
    runs::{Conversation, Listed, conversation, conversations, list},
};
use elophanto_base::counted::counted;
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Message, ToolCall};
use elophanto_repo::locate;

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
    #[command(subcommand)]
    command: Option<SessionsCommand>,
    /// Forget this one, by its id or the beginning of it
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
        /// Id of the session, or its beginning
        #[arg(value_name = "ID")]
        session: String,
    },
}

impl SessionsArgs {
    /// Those of this repository, for people.
    pub fn here() -> Self {
        Self { command: None, remove: None, all: false, json: false }
    }
}

#[derive(Serialize)]
struct SessionWire<'a> {
    session: String,
    channel: String,
    user: String,
    /// The work tree; `null` before the first run.
    root: Option<&'a str>,
    /// What the user calls it.
    name: Option<&'a str>,
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
    Ok(Trails::new(state_folder(&env::environment())?.join("runs")))
}

/// The sessions of this machine.
///
/// # Errors
/// When there is no folder for them.
pub fn sessions() -> Result<Sessions, CliError> {
    Ok(Sessions::new(state_folder(&env::environment())?.join("sessions")))
}

pub fn run(args: &RunsArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let trails = trails()?;
    if let Some(RunsCommand::Show { run }) = &args.command {
        return show(&trails.read(run)?, ui);
    }
    let here = locate(Path::new(".")).ok();
    let listed = list((&trails, &sessions()?), here.as_ref(), args.all, args.limit, ui)?;
    for row in &listed {
        let mut text = told_in_list(row);
        if row.undoes.is_none() && (args.all || here.is_none()) {
            text.push_str(&format!("  in {}", escape_control_line(&row.root)));
        }
        ui.emit(row, text)?;
    }
    if listed.is_empty() {
        return Ok(ui.nothing("nothing was run: `elophanto agent run 'GOAL'`"));
    }
    Ok(Outcome::Done)
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

fn show(trail: &RunTrail, ui: &mut Ui) -> Result<Outcome, CliError> {
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

/// What was said, as `--json` prints it.
#[derive(Serialize)]
struct MessageWire<'a> {
    role: &'static str,
    text: Cow<'a, str>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<CallWire<'a>>,
    /// Of a result.
    #[serde(flatten)]
    result_of: Option<ResultWire<'a>>,
}

/// Which call a result is of.
#[derive(Serialize)]
struct ResultWire<'a> {
    id: &'a str,
    tool: &'a str,
    failed: bool,
}

#[derive(Serialize)]
struct CallWire<'a> {
    id: &'a str,
    tool: &'a str,
    arguments: &'a Value,
}

fn message_wire(message: &Message) -> MessageWire<'_> {
    let (role, text, calls, result_of) = match message {
        Message::System(text) => ("system", text.into(), Vec::new(), None),
        Message::User(text) => ("user", text.into(), Vec::new(), None),
        Message::Image(image) => ("user", image.text().into(), Vec::new(), None),
        Message::Assistant { text, tool_calls } => {
            ("agent", text.into(), tool_calls.iter().map(call_wire).collect(), None)
        }
        Message::Tool { id, name, text, failed } => {
            ("tool", text.into(), Vec::new(), Some(ResultWire { id, tool: name, failed: *failed }))
        }
    };
    MessageWire { role, text, calls, result_of }
}

fn call_wire(call: &ToolCall) -> CallWire<'_> {
    CallWire { id: &call.id, tool: &call.name, arguments: &call.arguments }
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

fn show_session(id: &str, ui: &mut Ui) -> Result<Outcome, CliError> {
    let here = locate(Path::new(".")).ok();
    let Conversation { session, runs } =
        conversation((&trails()?, &sessions()?), id, here.as_ref(), ui)?;
    ui.emit(&session_wire(&session), told_session(&session, true))?;
    for row in &runs {
        ui.emit(row, told_in_list(row))?;
    }
    for message in &session.messages {
        let wire = message_wire(message);
        ui.emit(&wire, told_message(&wire))?;
    }
    Ok(Outcome::Done)
}

pub fn list_sessions(args: &SessionsArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
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
    for session in &listed {
        ui.emit(&session_wire(session), told_session(session, here.is_none()))?;
    }
    if listed.is_empty() {
        return Ok(ui.nothing("no conversation is kept: `elophanto agent chat` begins one"));
    }
    Ok(Outcome::Done)
}

fn session_wire(session: &Session) -> SessionWire<'_> {
    SessionWire {
        session: session.id.to_string(),
        channel: session.channel.clone(),
        user: session.user.clone(),
        root: session.root.as_deref(),
        name: session.name.as_deref(),
        goal: session.goal.as_deref(),
        messages: session.messages.len(),
        tainted: session.is_tainted,
        rules: session.rules.len(),
        created: session.created.to_string(),
        updated: session.updated.to_string(),
    }
}

/// A line of the list; `is_placed`: with the work tree.
fn told_session(session: &Session, is_placed: bool) -> String {
    let updated = session.updated.strftime("%Y-%m-%d %H:%M");
    let tainted = if session.is_tainted { ", with text from outside" } else { "" };
    let said = session.messages.iter().rev().find_map(|message| match message {
        Message::User(text) => Some(text),
        _ => None,
    });
    let said = session.name.as_ref().or(session.goal.as_ref()).or(said);
    let said = said.map(|said| one_line(said, MOST_SAID));
    let place = session.root.as_ref().filter(|_| is_placed);
    let place = place.map(|root| format!("  in {}", escape_control_line(root))).unwrap_or_default();
    format!(
        "{}  {updated}  {}{tainted}  {}{place}",
        session.id,
        counted(session.messages.len(), "message"),
        escape_control_line(&said.unwrap_or_default())
    )
}
