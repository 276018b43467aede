//! What commands of a conversation answer, as text.

use crate::cli::agent::{runs, undo};
use crate::cli::{Result, Ui};
use crate::terminal::{
    call,
    run::Terminal,
    show::{self, Canvas},
};
use elophanto_agent::Session;
use elophanto_app::{
    agent::chat::{ChatAnswer, told},
    runs::Change,
};
use elophanto_base::one_line::one_line;

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
pub fn show(answer: &ChatAnswer<'_>, ui: &mut Ui) -> Result<()> {
    let canvas = Canvas { width: usize::MAX, colour: ui.colour };
    match answer {
        ChatAnswer::Changes(changes) => diff(changes, canvas, ui),
        ChatAnswer::Todo(items @ [_, ..]) => {
            items.iter().try_for_each(|item| ui.line(canvas.paint(&call::todo(item))))
        }
        ChatAnswer::Undone(Some(undone)) => undo::tell(undone, ui),
        // Of none it was said why.
        ChatAnswer::Undone(None) => Ok(()),
        ChatAnswer::Sessions(sessions) => runs::print_sessions(sessions, false, ui).map(drop),
        ChatAnswer::Resumed(_) | ChatAnswer::Written(_) => {
            told::text(answer).lines().for_each(|line| ui.talk(line));
            Ok(())
        }
        ChatAnswer::Help(_) => {
            ui.line(told::text(answer))?;
            BESIDES.iter().try_for_each(|(sign, about)| ui.line(format_args!("{sign:22}{about}")))
        }
        // Neither is told: one asks, the other ends.
        ChatAnswer::Choose(_) | ChatAnswer::Quit => Ok(()),
        _ => ui.line(told::text(answer)),
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

fn diff(changes: &[Change], canvas: Canvas, ui: &mut Ui) -> Result<()> {
    for change in changes {
        let text = told::change(change);
        if change.diff.is_none() {
            ui.line(text)?;
            continue;
        }
        for line in show::diff::lines(&text) {
            ui.line(canvas.paint(&line))?;
        }
    }
    match changes.is_empty() {
        true => ui.line(told::text(&ChatAnswer::Changes(Vec::new()))),
        false => Ok(()),
    }
}
