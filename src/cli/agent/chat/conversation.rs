//! What becomes of a conversation: looked at, gone on with, named, written out.

use std::{fs::OpenOptions, io::Write};

use super::{
    super::{
        super::{
            error::CliError,
            ui::{Ui, escape_control_line, exact_line, visible},
        },
        runs,
        work::show::{self, Canvas},
    },
    Chat, Spent,
};
use elophanto_agent::Which;
use elophanto_app::runs::{self as use_cases, Change, changes, conversations};
use elophanto_base::one_line::one_line;
use elophanto_models::llm::Message;

/// Runs of a session that are looked at.
const MOST_RUNS: usize = 100;
/// Conversations to choose from.
const MOST_CHOICES: usize = 20;
/// Bytes of what was said last.
const MOST_SAID: usize = 400;
const MOST_NAME: usize = 60;

/// What the runs of this session have changed.
pub fn diff(chat: &mut Chat<'_>, _: &str, ui: &mut Ui) -> Result<(), CliError> {
    let (lines, _) = runs::trails()?.list(Which::Session(chat.session.id), MOST_RUNS)?;
    let runs = lines.iter().map(|line| line.run.to_string());
    let runs: Vec<_> = runs.chain(chat.ran.iter().cloned()).collect();
    let changes = changes(chat.prepared.workspace, &runs)?;
    let canvas = Canvas { width: usize::MAX, colour: ui.colour };
    for Change { path, diff } in &changes {
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

/// The last run of this conversation that changed something and was not taken back, a command of the
/// user among them.
pub fn last_run(chat: &Chat<'_>) -> Result<String, CliError> {
    let (lines, _) = runs::trails()?.list(Which::Session(chat.session.id), MOST_RUNS)?;
    let own = lines.iter().map(|line| line.run.to_string()).chain(chat.ran.iter().cloned());
    let last = use_cases::last_of(chat.prepared.workspace, &own.collect::<Vec<_>>())?;
    last.ok_or_else(|| {
        CliError::new("no run of this conversation has changed anything that is not taken back")
            .hint("`/undo ID` takes back another one: `elophanto agent runs` lists them")
    })
}

/// Goes on in another conversation of this work tree.
pub fn resume(chat: &mut Chat<'_>, wanted: &str, ui: &mut Ui) -> Result<(), CliError> {
    let is_number = |text: &str| text.len() < 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let chosen = match wanted {
        "" => choose(chat, ui)?,
        number if is_number(number) => {
            return Err(CliError::new("`/resume` alone shows a list to choose from by number")
                .hint(
                    "behind it goes the name of a conversation, or three or more letters of its id",
                ));
        }
        id => Some(id.to_owned()),
    };
    let Some(id) = chosen else { return Ok(()) };
    let session = chat.prepared.session(Some(&id))?;
    let root = chat.prepared.workspace.repository.root.to_string_lossy();
    if let Some(other) = session.root.as_ref().filter(|other| **other != root) {
        return Err(CliError::new(format_args!("session {} is about another folder", session.id))
            .hint(format!("go there: cd {}", escape_control_line(other))));
    }
    chat.session = session;
    chat.begins_anew();
    chat.spent = Spent::of(&chat.session)?;
    ui.talk(format_args!("session {}", chat.session.id));
    for (by, said) in last(&chat.session.messages) {
        ui.talk(format_args!("{by}: {}", one_line(said, MOST_SAID)));
    }
    Ok(())
}

/// The id of the conversation that the user wants, if they want one.
fn choose(chat: &mut Chat<'_>, ui: &Ui) -> Result<Option<String>, CliError> {
    let root = chat.prepared.workspace.repository.root.clone();
    let listed = conversations(&runs::sessions()?, Some(&root), ui)?;
    let own = chat.session.id;
    let listed: Vec<_> = listed.into_iter().filter(|it| it.id != own).take(MOST_CHOICES).collect();
    if listed.is_empty() {
        ui.talk("there is no other conversation here");
        return Ok(None);
    }
    let shown = listed.iter().map(|session| {
        let name = session.name.as_ref().or(session.goal.as_ref());
        let name = one_line(name.map_or("", String::as_str), MOST_NAME);
        format!("{}  {}  {name}", session.id, session.updated.strftime("%Y-%m-%d %H:%M"))
    });
    let answer =
        chat.terminal.choose("Which one? (a number, or nothing)", &shown.collect::<Vec<_>>());
    let id = answer.and_then(|answer| answer.split_whitespace().next().map(str::to_owned));
    Ok(id)
}

/// What the user said last, and what was answered.
fn last(messages: &[Message]) -> Vec<(&'static str, &str)> {
    let you = messages.iter().rposition(|message| matches!(message, Message::User(_)));
    let Some(you) = you else { return Vec::new() };
    let said = messages[you..].iter().filter_map(|message| match message {
        Message::User(text) => Some(("you", text.as_str())),
        Message::Assistant { text, .. } if !text.trim().is_empty() => {
            Some(("agent", text.as_str()))
        }
        _ => None,
    });
    said.collect()
}

/// Gives it a name.
pub fn rename(chat: &mut Chat<'_>, name: &str, ui: &mut Ui) -> Result<(), CliError> {
    if name.is_empty() {
        return Err(CliError::new("`/rename` takes the new name behind it"));
    }
    chat.prepared.rename(&mut chat.session, name)?;
    let name = chat.session.name.as_deref().unwrap_or_default();
    ui.line(format_args!("session {} is `{}`", chat.session.id, escape_control_line(name)))
}

/// Writes it out as Markdown, to a new file or to stdout.
pub fn export(chat: &mut Chat<'_>, file: &str, ui: &mut Ui) -> Result<(), CliError> {
    if chat.session.messages.is_empty() {
        return Err(CliError::new("nothing was said yet"));
    }
    let said = use_cases::said(&runs::sessions()?, &chat.session, &*ui)?;
    let text = visible(&use_cases::export(&chat.session, &said));
    if file.is_empty() {
        return ui.line(text.trim_end());
    }
    // What is there is never written over.
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(chat.prepared.workspace.environment.with_home(file))
        .and_then(|mut opened| opened.write_all(text.as_bytes()));
    let name = exact_line(file);
    written.map_err(|cause| {
        CliError::new(format_args!("`{name}` cannot be written: {cause}"))
            .hint("name a file that is not there yet, in a folder that is")
    })?;
    ui.talk(format_args!("written to `{name}`"));
    Ok(())
}
