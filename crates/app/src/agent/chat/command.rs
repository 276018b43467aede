//! What is typed in a conversation, understood once: a message, a line for the shell, or a command.
//! One table, of which help comes too. Pure.

use super::super::{Mode, ModelRef};
use crate::{Error, config::AgentMode};
use elophanto_base::visible::escape_control_line;

/// What was typed.
#[derive(Debug, Clone, PartialEq)]
pub enum Line<'l> {
    /// Behind a `/`.
    Command(ChatCommand),
    /// Behind a `!`.
    Shell(&'l str),
    Message(&'l str),
}

impl<'l> Line<'l> {
    /// What a line is.
    ///
    /// # Errors
    /// When it begins as a command and is none.
    pub fn parse(line: &'l str) -> Result<Self, Error> {
        if let Some(command) = line.strip_prefix('/') {
            return ChatCommand::parse(command).map(Self::Command);
        }
        Ok(line.strip_prefix('!').map_or(Self::Message(line), |line| Self::Shell(line.trim())))
    }
}

/// A command of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatCommand {
    Status,
    Tasks,
    Budget,
    /// Without one, which it is.
    Mode(Option<Mode>),
    Model(Option<ModelRef>),
    Plan(Option<bool>),
    Context,
    Compact,
    Clear,
    Diff,
    Todo,
    Output,
    /// A run by its id or the beginning of it; without one, the last one of the conversation.
    Undo(Option<String>),
    Sessions,
    /// A session by its id, the beginning of it, or its name; without one, which there are.
    Resume(Option<String>),
    Rename(String),
    /// The path of a file that is not there yet; without one, the text itself.
    Export(Option<String>),
    Help,
    Quit,
}

impl ChatCommand {
    /// A command as it is typed, without the `/`.
    ///
    /// # Errors
    /// When there is none of that name, or what stands behind it is not what it takes.
    pub fn parse(typed: &str) -> Result<Self, Error> {
        let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let rest = rest.trim();
        if rest.is_empty() && matches!(name, "exit" | "q") {
            return Ok(Self::Quit);
        }
        let Some(known) = COMMANDS.iter().find(|known| known.name == name) else {
            let name = escape_control_line(name);
            let error = Error::new(format_args!("there is no command `/{name}`"));
            return Err(error.hint("`/help` lists them"));
        };
        if known.takes.is_empty() && !rest.is_empty() {
            let error = Error::new(format_args!("`/{name}` takes nothing behind it"));
            return Err(match name {
                "budget" => error.hint(
                    "the limit of a run is --budget, or llm.budget.run in your settings: leave, and \
                     go on with --session",
                ),
                _ => error,
            });
        }
        (known.read)(rest)
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct KnownCommand {
    pub name: &'static str,
    /// What may stand behind it; empty if nothing may.
    pub takes: &'static str,
    pub about: &'static str,
    read: fn(&str) -> Result<ChatCommand, Error>,
}

const fn command(
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    read: fn(&str) -> Result<ChatCommand, Error>,
) -> KnownCommand {
    KnownCommand { name, takes, about, read }
}

/// All commands, in the order in which they are listed.
pub const COMMANDS: &[KnownCommand] = &[
    command("status", "", "session, mode, what is known of the sandbox", |_| {
        Ok(ChatCommand::Status)
    }),
    command("tasks", "", "runs of this session and questions that wait for an answer", |_| {
        Ok(ChatCommand::Tasks)
    }),
    command("budget", "", "what this session's models cost so far, and the limits", |_| {
        Ok(ChatCommand::Budget)
    }),
    command("mode", "[M]", "what runs without asking: ask, smart or full", |typed| {
        let mode = |typed: String| typed.parse::<AgentMode>().map(Mode::from);
        Ok(ChatCommand::Mode(given(typed).map(mode).transpose().map_err(Error::new)?))
    }),
    command(
        "model",
        "[P/M]",
        "which models are asked; one of a provider for everything",
        |typed| {
            let model = |typed: String| typed.parse::<ModelRef>();
            Ok(ChatCommand::Model(given(typed).map(model).transpose().map_err(Error::new)?))
        },
    ),
    command("plan", "[on|off]", "ask about each plan before work begins", |typed| match typed {
        "" => Ok(ChatCommand::Plan(None)),
        "on" => Ok(ChatCommand::Plan(Some(true))),
        "off" => Ok(ChatCommand::Plan(Some(false))),
        _ => Err(Error::new("`/plan` takes on or off")),
    }),
    command("context", "", "how much of the model's window this conversation takes", |_| {
        Ok(ChatCommand::Context)
    }),
    command("compact", "", "put a summary in the place of what was said", |_| {
        Ok(ChatCommand::Compact)
    }),
    command("clear", "", "begin another conversation; this one is kept", |_| {
        Ok(ChatCommand::Clear)
    }),
    command("diff", "", "what the runs of this session have changed", |_| Ok(ChatCommand::Diff)),
    command("todo", "", "what is to be done, as the agent said last", |_| Ok(ChatCommand::Todo)),
    command("output", "", "all that the last command said", |_| Ok(ChatCommand::Output)),
    command("undo", "[R]", "take back what the last run here, or run R, changed", |typed| {
        Ok(ChatCommand::Undo(given(typed)))
    }),
    command("sessions", "", "conversations that can go on", |_| Ok(ChatCommand::Sessions)),
    command("resume", "[ID|NAME]", "go on in another conversation", resume),
    command("rename", "NAME", "give this conversation a name", |typed| match given(typed) {
        Some(name) => Ok(ChatCommand::Rename(name)),
        None => Err(Error::new("`/rename` takes the new name behind it")),
    }),
    command("export", "[FILE]", "this conversation as Markdown", |typed| {
        Ok(ChatCommand::Export(given(typed)))
    }),
    command("help", "", "this", |_| Ok(ChatCommand::Help)),
    command("quit", "", "leave (also Ctrl-D); Ctrl-C ends the run that goes on", |_| {
        Ok(ChatCommand::Quit)
    }),
];

fn given(typed: &str) -> Option<String> {
    (!typed.is_empty()).then(|| typed.to_owned())
}

fn resume(typed: &str) -> Result<ChatCommand, Error> {
    // Too short for an id, and meant for a list that is not there any more.
    if !typed.is_empty() && typed.len() < 3 && typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::new("`/resume` alone shows a list to choose from by number").hint(
            "behind it goes the name of a conversation, or three or more letters of its id",
        ));
    }
    Ok(ChatCommand::Resume(given(typed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_once() {
        let word = |text: &str| Some(text.to_owned());
        for (line, expected) in [
            ("/status", ChatCommand::Status),
            ("/mode", ChatCommand::Mode(None)),
            ("/mode full", ChatCommand::Mode(Some(Mode::Full))),
            ("/plan  on", ChatCommand::Plan(Some(true))),
            ("/undo", ChatCommand::Undo(None)),
            ("/undo 01AB", ChatCommand::Undo(word("01AB"))),
            ("/resume 123", ChatCommand::Resume(word("123"))),
            ("/rename two words", ChatCommand::Rename("two words".to_owned())),
            ("/export a b.md", ChatCommand::Export(word("a b.md"))),
            ("/q", ChatCommand::Quit),
        ] {
            assert_eq!(Line::parse(line).unwrap(), Line::Command(expected), "{line}");
        }
        assert_eq!(Line::parse("count otters").unwrap(), Line::Message("count otters"));
        assert_eq!(Line::parse("! ls -l ").unwrap(), Line::Shell("ls -l"));
        for (line, expected) in [
            ("/", "there is no command `/`"),
            ("/nothing", "there is no command `/nothing`"),
            ("/status now", "`/status` takes nothing behind it"),
            ("/quit now", "`/quit` takes nothing behind it"),
            ("/plan perhaps", "`/plan` takes on or off"),
            ("/rename", "`/rename` takes the new name behind it"),
            ("/resume 2", "`/resume` alone shows a list to choose from by number"),
        ] {
            assert_eq!(Line::parse(line).unwrap_err().message(), expected, "{line}");
        }
        assert!(Line::parse("/mode wild").is_err() && Line::parse("/model nothing").is_err());
    }

    #[test]
    fn what_needs_nothing_behind_it_is_read() {
        for known in COMMANDS.iter().filter(|known| !known.takes.starts_with(char::is_alphabetic)) {
            assert!(ChatCommand::parse(known.name).is_ok(), "{}", known.name);
        }
    }
}
