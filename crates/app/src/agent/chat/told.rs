//! What commands of a conversation answer, as text for any door: Markdown, without control characters
//! from outside. A door that can do better (colours, a choice by number) shows the typed answer.

use super::{
    super::{
        ModelRef, Session, Task,
        context::{Context, WindowSource},
    },
    ChatAnswer, ChatBudget, ChatStatus, KnownCommand, Resumed, Said,
};
use crate::runs::{Change, Left, Undone};
use elophanto_agent::{RunLine, Todo};
use elophanto_base::{
    counted::counted,
    one_line::one_line,
    visible::{escape_control_line, exact_line, visible},
};
use elophanto_models::llm::Message;

/// Columns of a command in the help.
const WIDE: usize = 22;
/// Bytes of what was said last.
const MOST_SAID: usize = 400;
/// The same in a list.
const MOST_LISTED: usize = 80;
/// Characters of what a run was about, in a list.
const MOST_GOAL: usize = 70;

/// An answer as text; empty where there is nothing to say.
pub fn text(answer: &ChatAnswer<'_>) -> String {
    match answer {
        ChatAnswer::Status(of) => status(of),
        ChatAnswer::Tasks(runs) => tasks(runs),
        ChatAnswer::Budget(of) => budget(of),
        ChatAnswer::Mode(mode) => format!("mode {}", mode),
        ChatAnswer::Models(all) => lines(all.iter().map(|(task, models)| of_task(*task, models))),
        ChatAnswer::Plan(asks) => {
            let how = if *asks { "asked about" } else { "not asked about" };
            format!("plans are {how} before work begins")
        }
        ChatAnswer::Context(of) => context(of),
        ChatAnswer::Compacted(done) => format!(
            "{} became a summary: about {} tokens instead of {}",
            counted(done.messages, "message"),
            done.tokens.1,
            done.tokens.0
        ),
        ChatAnswer::Cleared { session, before } => format!("session {session}; {before} is kept"),
        ChatAnswer::Changes(changes) if changes.is_empty() => {
            "nothing in the work tree is other than before this session's runs".to_owned()
        }
        ChatAnswer::Changes(changes) => lines(changes.iter().map(change)),
        ChatAnswer::Todo([]) => "the agent keeps no list".to_owned(),
        ChatAnswer::Todo(items) => lines(items.iter().map(todo)),
        ChatAnswer::Output(None) => "no command has run yet".to_owned(),
        ChatAnswer::Output(Some(text)) => visible(text.trim_end()),
        ChatAnswer::Undone(None) => "there was nothing to take back".to_owned(),
        ChatAnswer::Undone(Some(of)) => undone(of),
        ChatAnswer::Sessions(sessions) | ChatAnswer::Choose(sessions) => listed(sessions),
        ChatAnswer::Resumed(of) => resumed(of),
        ChatAnswer::Renamed { session, name } => {
            format!("session {session} is `{}`", escape_control_line(name))
        }
        ChatAnswer::Exported(text) => visible(text.trim_end()),
        ChatAnswer::Written(file) => format!("written to `{}`", exact_line(file)),
        ChatAnswer::Known(text) => text.clone(),
        ChatAnswer::Help(commands) => help(commands),
        ChatAnswer::Quit => String::new(),
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn help(commands: &[KnownCommand]) -> String {
    lines(commands.iter().map(|KnownCommand { name, takes, about, .. }| {
        format!("{:WIDE$}{about}", format!("/{name} {takes}"))
    }))
}

fn status(ChatStatus { session, mode, fence, tools }: &ChatStatus<'_>) -> String {
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
        mode,
        counted(*tools, "tool"),
    )
}

fn tasks(runs: &[RunLine]) -> String {
    let line = |line: &RunLine| {
        let goal: String = line.goal.chars().take(MOST_GOAL).collect();
        // No run goes on in a session while its user types.
        let outcome = line.outcome.as_deref().unwrap_or("cut off");
        let open =
            |question: &String| format!("\n    not answered: {}", escape_control_line(question));
        let open: String = line.open_questions.iter().map(open).collect();
        format!("{}  {outcome:<9}  {}{open}", line.run, escape_control_line(&goal))
    };
    if runs.is_empty() { "no run yet".to_owned() } else { lines(runs.iter().map(line)) }
}

fn budget(ChatBudget { spent, limits }: &ChatBudget<'_>) -> String {
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

fn of_task(task: Task, models: &[ModelRef]) -> String {
    let models: Vec<_> = models.iter().map(ToString::to_string).collect();
    let models = if models.is_empty() { "as planning".to_owned() } else { models.join(", ") };
    format!("{:10}{}", task.name(), escape_control_line(&models))
}

/// How much of the model's window the conversation takes.
fn context(Context { window, answer, used, messages }: &Context) -> String {
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

/// A change as a diff; of one that cannot be shown only its path.
pub fn change(Change { path, diff }: &Change) -> String {
    let path = exact_line(&path.to_string_lossy());
    match diff {
        None => format!("`{path}` has changed; what is in it is not shown"),
        Some(diff) => lines(diff.lines().map(escape_control_line)),
    }
}

fn todo(item: &Todo) -> String {
    format!("- {}: {}", item.state.name(), escape_control_line(&item.text))
}

fn undone(undone: &Undone) -> String {
    let left = |Left { path, reason }: &Left| format!("`{}` {reason}", exact_line(path));
    let uncovered = undone.uncovered.iter().map(|Left { path, reason }| {
        format!("`{}` is as the run left it: {reason}", exact_line(path))
    });
    lines(undone.left.iter().map(left).chain(uncovered).chain([undone.told()]))
}

/// A line for each conversation.
fn listed(sessions: &[Session]) -> String {
    if sessions.is_empty() {
        return "no other conversation is kept here".to_owned();
    }
    lines(sessions.iter().map(|session| of_session(session, false)))
}

/// A line of the list; `is_placed`: with the work tree.
pub fn of_session(session: &Session, is_placed: bool) -> String {
    let updated = session.updated.strftime("%Y-%m-%d %H:%M");
    let tainted = if session.is_tainted { ", with text from outside" } else { "" };
    let said = session.messages.iter().rev().find_map(|message| match message {
        Message::User(text) => Some(text),
        _ => None,
    });
    let said = session.name.as_ref().or(session.goal.as_ref()).or(said);
    let said = said.map(|said| one_line(said, MOST_LISTED));
    let place = session.root.as_ref().filter(|_| is_placed);
    let place = place.map(|root| format!("  in {}", escape_control_line(root))).unwrap_or_default();
    format!(
        "{}  {updated}  {}{tainted}  {}{place}",
        session.id,
        counted(session.messages.len(), "message"),
        escape_control_line(&said.unwrap_or_default())
    )
}

fn resumed(Resumed { session, last }: &Resumed<'_>) -> String {
    let said = last.iter().map(|said| {
        let (by, said) = match said {
            Said::You(text) => ("you", text),
            Said::Agent(text) => ("agent", text),
        };
        format!("{by}: {}", one_line(said, MOST_SAID))
    });
    lines([format!("session {}", session.id)].into_iter().chain(said))
}
