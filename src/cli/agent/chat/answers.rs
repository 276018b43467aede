//! What commands of a conversation answer, as text.

use super::super::{
    super::{
        error::CliError,
        ui::{Ui, escape_control_line, exact_line, visible},
    },
    runs, undo,
};
use crate::terminal::{
    call,
    run::Terminal,
    show::{self, Canvas},
};
use elophanto_agent::{RunLine, Session};
use elophanto_app::{
    agent::{
        ModelRef, Task,
        chat::{ChatAnswer, ChatBudget, ChatStatus, KnownCommand, Resumed, Said},
        context::{Context, WindowSource},
    },
    config::AgentMode,
    runs::Change,
};
use elophanto_base::{counted::counted, one_line::one_line};

/// Columns of a command in the help.
const WIDE: usize = 18;
/// Bytes of what was said last.
const MOST_SAID: usize = 400;
const MOST_NAME: usize = 60;

/// What else there is, besides commands.
const BESIDES: &[(&str, &str)] = &[
    (
        "@path",
        "a file of the work tree, quoted beside what is said; @path:10-40 lines of it; an image is shown",
    ),
    ("!line", "run by the shell in the sandbox; what it says goes with your next message"),
    ("\\ at the end", "the line goes on; what is pasted is one text"),
    ("Ctrl-R", "search in what was typed before"),
];

/// Prints an answer.
///
/// # Errors
/// When stdout cannot be written.
pub fn show(answer: &ChatAnswer<'_>, ui: &mut Ui) -> Result<(), CliError> {
    let canvas = Canvas { width: usize::MAX, colour: ui.colour };
    match answer {
        ChatAnswer::Status(status) => ui.line(told_status(status)),
        ChatAnswer::Tasks(runs) => tasks(runs, ui),
        ChatAnswer::Budget(budget) => ui.line(told_budget(budget)),
        ChatAnswer::Mode(mode) => ui.line(format_args!("mode {}", AgentMode::from(*mode))),
        ChatAnswer::Models(models) => {
            models.iter().try_for_each(|(task, models)| ui.line(told_models(*task, models)))
        }
        ChatAnswer::Plan(asks) => {
            let how = if *asks { "asked about" } else { "not asked about" };
            ui.line(format_args!("plans are {how} before work begins"))
        }
        ChatAnswer::Context(context) => ui.line(told_context(context)),
        ChatAnswer::Compacted(done) => ui.line(format_args!(
            "{} became a summary: about {} tokens instead of {}",
            counted(done.messages, "message"),
            done.tokens.1,
            done.tokens.0
        )),
        ChatAnswer::Cleared { session, before } => {
            ui.line(format_args!("session {session}; {before} is kept"))
        }
        ChatAnswer::Changes(changes) => diff(changes, canvas, ui),
        ChatAnswer::Todo([]) => ui.line("the agent keeps no list"),
        ChatAnswer::Todo(items) => {
            items.iter().try_for_each(|item| ui.line(canvas.paint(&call::todo(item))))
        }
        ChatAnswer::Output(None) => ui.line("no command has run yet"),
        ChatAnswer::Output(Some(text)) => ui.line(visible(text.trim_end())),
        ChatAnswer::Undone(None) => Ok(()),
        ChatAnswer::Undone(Some(undone)) => undo::tell(undone, ui),
        ChatAnswer::Sessions(sessions) => runs::print_sessions(sessions, false, ui).map(drop),
        ChatAnswer::Resumed(resumed) => {
            tell_last(resumed, ui);
            Ok(())
        }
        ChatAnswer::Renamed { session, name } => {
            ui.line(format_args!("session {session} is `{}`", escape_control_line(name)))
        }
        ChatAnswer::Exported(text) => ui.line(visible(text.trim_end())),
        ChatAnswer::Written(file) => {
            ui.talk(format_args!("written to `{}`", exact_line(file)));
            Ok(())
        }
        ChatAnswer::Help(commands) => help(commands, ui),
        // Neither is told: one asks, the other ends.
        ChatAnswer::Choose(_) | ChatAnswer::Quit => Ok(()),
    }
}

/// The id of the conversation that the user wants, if they want one.
pub fn choice(sessions: &[Session], terminal: &mut Terminal) -> Option<String> {
    if sessions.is_empty() {
        return None;
    }
    let shown = sessions.iter().map(|session| {
        let name = session.name.as_ref().or(session.goal.as_ref());
        let name = one_line(name.map_or("", String::as_str), MOST_NAME);
        format!("{}  {}  {name}", session.id, session.updated.strftime("%Y-%m-%d %H:%M"))
    });
    let answer = terminal.choose("Which one? (a number, or nothing)", &shown.collect::<Vec<_>>());
    answer.and_then(|answer| answer.split_whitespace().next().map(str::to_owned))
}

fn help(commands: &[KnownCommand], ui: &mut Ui) -> Result<(), CliError> {
    for KnownCommand { name, takes, about, .. } in commands {
        ui.line(format_args!("{:WIDE$}{about}", format!("/{name} {takes}")))?;
    }
    BESIDES.iter().try_for_each(|(sign, about)| ui.line(format_args!("{sign:WIDE$}{about}")))
}

fn told_status(ChatStatus { session, mode, fence, tools }: &ChatStatus<'_>) -> String {
    let tainted = if session.is_tainted {
        "text from outside is in it: what reaches beyond this work tree asks"
    } else {
        "nothing from outside is in it"
    };
    let name = session.name.as_ref().map(|name| format!(" ({})", escape_control_line(name)));
    format!(
        "session {}{}: {}, {tainted}\nmode {}\n{fence}\n{}",
        session.id,
        name.unwrap_or_default(),
        counted(session.messages.len(), "message"),
        AgentMode::from(*mode),
        counted(*tools, "tool"),
    )
}

fn tasks(runs: &[RunLine], ui: &mut Ui) -> Result<(), CliError> {
    for line in runs {
        let goal: String = line.goal.chars().take(70).collect();
        // No run goes on in a session while its user types.
        let outcome = line.outcome.as_deref().unwrap_or("cut off");
        ui.line(format_args!("{}  {outcome:<9}  {}", line.run, escape_control_line(&goal)))?;
        for question in &line.open_questions {
            ui.line(format_args!("    not answered: {}", escape_control_line(question)))?;
        }
    }
    if runs.is_empty() { ui.line("no run yet") } else { Ok(()) }
}

fn told_budget(ChatBudget { spent, limits }: &ChatBudget<'_>) -> String {
    format!(
        "{} here: {}, ${:.4}\nlimits: run {}, day {}, month {}",
        counted(spent.runs, "run"),
        counted(spent.tokens, "token"),
        spent.usd_micros as f64 / 1e6,
        limits.run,
        limits.day,
        limits.month,
    )
}

fn told_models(task: Task, models: &[ModelRef]) -> String {
    let models: Vec<_> = models.iter().map(ToString::to_string).collect();
    let models = if models.is_empty() { "as planning".to_owned() } else { models.join(", ") };
    format!("{:10}{}", task.name(), escape_control_line(&models))
}

/// How much of the model's window the conversation takes.
fn told_context(Context { window, answer, used, messages }: &Context) -> String {
    let source = match window.source {
        WindowSource::Setting => "agent.context_tokens",
        WindowSource::Known => "known of the model",
        WindowSource::Assumed => {
            "not known of the model: llm.context_tokens, or set agent.context_tokens"
        }
    };
    let model = window.model.as_ref().map_or("no model".to_owned(), ToString::to_string);
    let left = window.tokens.saturating_sub(used.total() + answer);
    format!(
        "{model}: {} tokens ({source})\ninstructions {}, tools {}, known {}, conversation {} ({}), \
         answer {answer}: about {left} left",
        window.tokens,
        used.instructions,
        used.tools,
        used.known,
        used.conversation,
        counted(*messages, "message"),
    )
}

fn diff(changes: &[Change], canvas: Canvas, ui: &mut Ui) -> Result<(), CliError> {
    for Change { path, diff } in changes {
        let path = exact_line(&path.to_string_lossy());
        let Some(diff) = diff else {
            ui.line(format_args!("`{path}` has changed; what is in it is not shown"))?;
            continue;
        };
        let safe: Vec<_> = diff.lines().map(escape_control_line).collect();
        for line in show::diff::lines(&safe.join("\n")) {
            ui.line(canvas.paint(&line))?;
        }
    }
    match changes.is_empty() {
        true => ui.line("nothing in the work tree is other than before this session's runs"),
        false => Ok(()),
    }
}

fn tell_last(Resumed { session, last }: &Resumed<'_>, ui: &Ui) {
    ui.talk(format_args!("session {}", session.id));
    for said in last {
        let (by, said) = match said {
            Said::You(text) => ("you", text),
            Said::Agent(text) => ("agent", text),
        };
        ui.talk(format_args!("{by}: {}", one_line(said, MOST_SAID)));
    }
}
