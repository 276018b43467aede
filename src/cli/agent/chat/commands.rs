//! Commands of a conversation: one table, of which `/help` comes too.

use super::{
    super::{
        super::{
            error::CliError,
            ui::{Ui, escape_control_line, visible},
        },
        runs,
        undo::{self, UndoArgs},
        work::{call, show::Canvas},
    },
    Chat, conversation,
    window::{clear, compact, context},
};
use elophanto_agent::Which;
use elophanto_app::{
    agent::{Mode, ModelRef},
    config::AgentMode,
};
use elophanto_base::counted::counted;

/// Runs that `/tasks` shows.
const MOST_TASKS: usize = 20;
/// Columns of a command in `/help`.
const WIDE: usize = 18;

/// A command of the conversation.
pub struct Command {
    pub name: &'static str,
    /// What may stand behind it; empty if nothing may.
    takes: &'static str,
    about: &'static str,
    run: fn(&mut Chat<'_>, &str, &mut Ui) -> Result<(), CliError>,
}

const fn command(
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    run: fn(&mut Chat<'_>, &str, &mut Ui) -> Result<(), CliError>,
) -> Command {
    Command { name, takes, about, run }
}

pub const COMMANDS: &[Command] = &[
    command("status", "", "session, mode, what is known of the sandbox", status),
    command("tasks", "", "runs of this session and questions that wait for an answer", tasks),
    command("budget", "", "what this session's models cost so far, and the limits", budget),
    command("mode", "[M]", "what runs without asking: ask, smart or full", mode),
    command("model", "[P/M]", "which models are asked; one of a provider for everything", model),
    command("plan", "[on|off]", "ask about each plan before work begins", plan),
    command("context", "", "how much of the model's window this conversation takes", context),
    command("compact", "", "put a summary in the place of what was said", compact),
    command("clear", "", "begin another conversation; this one is kept", clear),
    command("diff", "", "what the runs of this session have changed", conversation::diff),
    command("todo", "", "what is to be done, as the agent said last", todo),
    command("output", "", "all that the last command said", output),
    command("undo", "[R]", "take back what the last run here, or run R, changed", take_back),
    command("sessions", "", "conversations that can go on", sessions),
    command("resume", "[ID]", "go on in another conversation", conversation::resume),
    command("rename", "NAME", "give this conversation a name", conversation::rename),
    command("export", "[FILE]", "this conversation as Markdown", conversation::export),
    command("help", "", "this", help),
    command("quit", "", "leave (also Ctrl-D); Ctrl-C ends the run that goes on", |_, _, _| Ok(())),
];

/// What else there is, besides commands.
const BESIDES: &[(&str, &str)] = &[
    ("@path", "a file of the work tree, quoted beside what is said; an image is shown"),
    ("!line", "run by the shell in the sandbox; what it says goes with your next message"),
    ("\\ at the end", "the line goes on; what is pasted is one text"),
    ("Ctrl-R", "search in what was typed before"),
];

/// Whether a command ends the conversation.
pub fn is_end(command: &str) -> bool {
    matches!(command, "quit" | "exit" | "q")
}

pub fn obey(command: &str, chat: &mut Chat<'_>, ui: &mut Ui) -> Result<(), CliError> {
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let Some(known) = COMMANDS.iter().find(|known| known.name == name) else {
        let name = escape_control_line(name);
        let error = CliError::new(format_args!("there is no command `/{name}`"));
        return Err(error.hint("`/help` lists them"));
    };
    if known.takes.is_empty() && !rest.is_empty() {
        let error = CliError::new(format_args!("`/{name}` takes nothing behind it"));
        return Err(match name {
            "budget" => error.hint(
                "the limit of a run is --budget, or llm.budget.run in your settings: leave, and \
                 go on with --session",
            ),
            _ => error,
        });
    }
    (known.run)(chat, rest, ui)
}

fn help(_: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    for Command { name, takes, about, .. } in COMMANDS {
        ui.line(format_args!("{:WIDE$}{about}", format!("/{name} {takes}")))?;
    }
    BESIDES.iter().try_for_each(|(sign, about)| ui.line(format_args!("{sign:WIDE$}{about}")))
}

fn status(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let (session, prepared) = (&chat.session, chat.prepared);
    let tainted = if session.is_tainted {
        "text from outside is in it: what reaches beyond this work tree asks"
    } else {
        "nothing from outside is in it"
    };
    let name = session.name.as_ref().map(|name| format!(" ({})", escape_control_line(name)));
    ui.line(format_args!(
        "session {}{}: {}, {tainted}\nmode {}\n{}\n{}",
        session.id,
        name.unwrap_or_default(),
        counted(session.messages.len(), "message"),
        mode_name(prepared.mode()),
        prepared.fence(),
        counted(prepared.tools.len(), "tool"),
    ))
}

fn tasks(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let (lines, _) = runs::trails()?.list(Which::Session(chat.session.id), MOST_TASKS)?;
    for line in &lines {
        let goal: String = line.goal.chars().take(70).collect();
        // No run goes on in a session while its user types.
        let outcome = line.outcome.as_deref().unwrap_or("cut off");
        ui.line(format_args!("{}  {outcome:<9}  {}", line.run, escape_control_line(&goal)))?;
        for question in &line.open_questions {
            ui.line(format_args!("    not answered: {}", escape_control_line(question)))?;
        }
    }
    if lines.is_empty() { ui.line("no run yet") } else { Ok(()) }
}

fn budget(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let (limits, spent) = (&chat.prepared.workspace.config.llm, &chat.spent);
    ui.line(format_args!(
        "{} here: {}, ${:.4}\nlimits: run {}, day {}, month {}",
        counted(spent.runs, "run"),
        counted(spent.tokens, "token"),
        spent.usd_micros as f64 / 1e6,
        limits.budget.run,
        limits.budget.day,
        limits.budget.month,
    ))
}

fn mode(chat: &mut Chat<'_>, wanted: &str, ui: &mut Ui) -> Result<(), CliError> {
    if !wanted.is_empty() {
        let mode: AgentMode = wanted.parse().map_err(CliError::new)?;
        chat.prepared.set_mode(mode.into());
    }
    ui.line(format_args!("mode {}", mode_name(chat.prepared.mode())))
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Ask => "ask",
        Mode::Smart => "smart",
        Mode::Full => "full",
    }
}

fn model(chat: &mut Chat<'_>, wanted: &str, ui: &mut Ui) -> Result<(), CliError> {
    if !wanted.is_empty() {
        let model: ModelRef = wanted.parse().map_err(CliError::new)?;
        chat.prepared.set_model(model)?;
    }
    for (task, models) in chat.prepared.models() {
        let models: Vec<_> = models.iter().map(ToString::to_string).collect();
        let models = if models.is_empty() { "as planning".to_owned() } else { models.join(", ") };
        ui.line(format_args!("{:10}{}", task.name(), escape_control_line(&models)))?;
    }
    Ok(())
}

fn plan(chat: &mut Chat<'_>, wanted: &str, ui: &mut Ui) -> Result<(), CliError> {
    chat.asks_plan = match wanted {
        "" => chat.asks_plan,
        "on" => true,
        "off" => false,
        _ => return Err(CliError::new("`/plan` takes on or off")),
    };
    let how = if chat.asks_plan { "asked about" } else { "not asked about" };
    ui.line(format_args!("plans are {how} before work begins"))
}

fn output(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    match &chat.terminal.output {
        Some(text) => ui.line(visible(text.trim_end())),
        None => ui.line("no command has run yet"),
    }
}

fn todo(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let canvas = Canvas { width: usize::MAX, colour: ui.colour };
    let items = &chat.terminal.todo;
    items.iter().try_for_each(|item| ui.line(canvas.paint(&call::todo(item))))?;
    if items.is_empty() { ui.line("the agent keeps no list") } else { Ok(()) }
}

fn take_back(chat: &mut Chat<'_>, run: &str, ui: &mut Ui) -> Result<(), CliError> {
    // Without an id it is this conversation's, whatever else was run here since.
    let last = match run {
        "" => conversation::last_run(chat)?,
        run => run.to_owned(),
    };
    let args = UndoArgs::of(Some(&last));
    undo::take_back(chat.prepared.workspace, &args, ui).map(drop)
}

fn sessions(_: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    runs::list_sessions(&runs::SessionsArgs::here(), ui).map(drop)
}
