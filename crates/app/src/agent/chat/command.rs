//! What is typed in a conversation, understood once: a message, a line for the shell, or a command.
//! One table, of which help comes too. Pure.

use std::{path::Path, time::Duration};

use super::{
    super::{Mode, ModelRef},
    KnowledgeCommand,
};
use crate::{
    Error, Result,
    config::{AgentMode, parse_duration},
};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::interest::PreferenceKind;

/// What was typed.
#[derive(Debug, Clone, PartialEq)]
pub enum Line<'l> {
    /// Behind a `/`.
    Command(ChatCommand),
    /// Behind a `!`.
    Shell(&'l str),
    /// Anything else: a task, or an answer to the agent.
    Message(&'l str),
}

impl<'l> Line<'l> {
    /// What a line is.
    ///
    /// # Errors
    /// When it begins as a command and is none.
    pub fn parse(line: &'l str) -> Result<Self> {
        if let Some(command) = line.strip_prefix('/') {
            return ChatCommand::parse(command).map(Self::Command);
        }
        Ok(line.strip_prefix('!').map_or(Self::Message(line), |line| Self::Shell(line.trim())))
    }
}

/// A command of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatCommand {
    /// `/status`: how the conversation stands.
    Status,
    /// `/tasks`: its runs.
    Tasks,
    /// `/budget`: what it cost and may cost.
    Budget,
    /// Without one, which it is.
    Mode(Option<Mode>),
    /// `/model`: asks this model for everything; without one, which are asked.
    Model(Option<ModelRef>),
    /// `/plan`: whether plans are asked about; without one, as it is.
    Plan(Option<bool>),
    /// `/context`: how full the window of the model is.
    Context,
    /// `/compact`: older messages become a summary.
    Compact,
    /// `/clear`: another conversation begins.
    Clear,
    /// `/diff`: what its runs changed.
    Diff,
    /// `/todo`: what is to be done.
    Todo,
    /// `/output`: all that the last command said.
    Output,
    /// A run by its id or the beginning of it; without one, the last one of the conversation.
    Undo(Option<String>),
    /// `/sessions`: conversations that can go on.
    Sessions,
    /// A session by its id, the beginning of it, or its name; without one, which there are.
    Resume(Option<String>),
    /// `/rename`: a new name.
    Rename(String),
    /// The path of a file that is not there yet; without one, the text itself.
    Export(Option<String>),
    /// `/stop`: ends the run that goes on.
    Stop {
        /// What waits for its turn too.
        all: bool,
    },
    /// A repository by its name; without one, which there are.
    Repo(Option<String>),
    /// What is asked of the knowledge base, whether or not a run goes on.
    Known(KnowledgeCommand),
    /// `/schedule`: tasks at intervals.
    Schedule(ScheduleCommand),
    /// `/help`: all commands.
    Help,
    /// `/quit`: the end.
    Quit,
}

/// Tasks that are done at intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleCommand {
    /// Which there are.
    List,
    /// Another one.
    Add {
        /// The time from one start to the next.
        every: Duration,
        /// What is to be done, in words.
        task: String,
    },
    /// By its number in the list.
    Remove(usize),
}

/// What whoever types a command must be allowed: the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// It only looks.
    Look,
    /// It changes the conversation, or adds to what is known.
    Chat,
    /// It takes away what is known: whoever answers approvals.
    Approve,
    /// It reaches beyond the conversation: the user of this machine alone.
    Machine,
}

impl ChatCommand {
    /// What whoever types it must be allowed. `/undo` of a run of other conversations, which is known only
    /// where runs are, takes [`Right::Machine`] as well.
    pub fn right(&self) -> Right {
        match self {
            Self::Status
            | Self::Tasks
            | Self::Budget
            | Self::Mode(None)
            | Self::Model(None)
            | Self::Context
            | Self::Diff
            | Self::Todo
            | Self::Output
            | Self::Sessions
            | Self::Resume(None)
            | Self::Export(None)
            | Self::Repo(_)
            | Self::Schedule(ScheduleCommand::List)
            | Self::Help
            | Self::Quit => Right::Look,
            Self::Mode(Some(_))
            | Self::Plan(_)
            | Self::Compact
            | Self::Clear
            | Self::Undo(_)
            | Self::Rename(_)
            | Self::Schedule(_)
            | Self::Stop { .. } => Right::Chat,
            Self::Model(Some(_)) | Self::Resume(Some(_)) | Self::Export(Some(_)) => Right::Machine,
            Self::Known(command) => match command {
                KnowledgeCommand::Search(_)
                | KnowledgeCommand::Learn(None)
                | KnowledgeCommand::Interests
                | KnowledgeCommand::Schedule
                | KnowledgeCommand::Memory { delete: false, .. } => Right::Look,
                KnowledgeCommand::Memory { delete: true, .. } => Right::Approve,
                KnowledgeCommand::Learn(Some(_))
                | KnowledgeCommand::Preference { .. }
                | KnowledgeCommand::React { .. } => Right::Chat,
            },
        }
    }

    /// The same with files that it names below a folder, wherever this process was started.
    #[must_use]
    pub fn within(self, folder: &Path) -> Self {
        match self {
            Self::Export(Some(file)) if !file.starts_with('~') => {
                Self::Export(Some(folder.join(file).to_string_lossy().into_owned()))
            }
            command => command,
        }
    }

    /// A command as it is typed, without the `/`.
    ///
    /// # Errors
    /// When there is none of that name, or what stands behind it is not what it takes.
    pub fn parse(typed: &str) -> Result<Self> {
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
    /// Without the `/`.
    pub name: &'static str,
    /// What may stand behind it; empty if nothing may.
    pub takes: &'static str,
    /// What it does, for the list of commands.
    pub about: &'static str,
    read: fn(&str) -> Result<ChatCommand>,
}

const fn command(
    name: &'static str,
    takes: &'static str,
    about: &'static str,
    read: fn(&str) -> Result<ChatCommand>,
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
    command(
        "stop",
        "[all]",
        "end the run that goes on; `all`: what waits behind it too",
        |typed| match typed {
            "" => Ok(ChatCommand::Stop { all: false }),
            "all" => Ok(ChatCommand::Stop { all: true }),
            _ => Err(Error::new("`/stop` takes nothing, or all")),
        },
    ),
    command("repo", "[NAME]", "go on in another repository of the gateway", |typed| {
        Ok(ChatCommand::Repo(given(typed)))
    }),
    command("search", "WORDS", "what the notes say of it", |typed| {
        about("search", typed, KnowledgeCommand::Search)
    }),
    command("learn", "[TOPIC]", "find out more about it; alone: what was asked for", |typed| {
        Ok(ChatCommand::Known(KnowledgeCommand::Learn(given(typed))))
    }),
    command("like", "TOPIC", "it is worth finding out more about it", |typed| {
        about("like", typed, |topic| preference(topic, PreferenceKind::Like, false))
    }),
    command("unlike", "TOPIC", "take a like back", |typed| {
        about("unlike", typed, |topic| preference(topic, PreferenceKind::Like, true))
    }),
    command("dislike", "TOPIC", "nothing more is to be found out about it", |typed| {
        about("dislike", typed, |topic| preference(topic, PreferenceKind::Dislike, false))
    }),
    command("undislike", "TOPIC", "take a dislike back", |typed| {
        about("undislike", typed, |topic| preference(topic, PreferenceKind::Dislike, true))
    }),
    command(
        "memory",
        "[N [delete]]",
        "what is known: all entities, or the facts of one",
        |typed| {
            let (name, delete) = match typed.strip_suffix("delete") {
                Some(name) if name.ends_with(char::is_whitespace) => (name.trim_end(), true),
                _ => (typed, false),
            };
            let entity = given(name);
            Ok(ChatCommand::Known(KnowledgeCommand::Memory { entity, delete }))
        },
    ),
    command("interests", "", "what you care about, by what you did", |_| {
        Ok(ChatCommand::Known(KnowledgeCommand::Interests))
    }),
    command("react", "ID +|-", "to a notification or an answer: more of it, or no more", |typed| {
        let (id, sign) = typed.rsplit_once(char::is_whitespace).unwrap_or((typed, ""));
        let positive = match sign {
            "+" => true,
            "-" => false,
            _ => {
                return Err(Error::new("`/react` takes an id and + or - behind it")
                    .hint("the id stands beside what you were told"));
            }
        };
        let id = id.trim_end().to_owned();
        Ok(ChatCommand::Known(KnowledgeCommand::React { id, positive }))
    }),
    command(
        "schedule",
        "[...]",
        "what is done at intervals; `every 6h: TASK`, `remove N`",
        schedule,
    ),
    command("help", "", "this", |_| Ok(ChatCommand::Help)),
    command("quit", "", "leave (also Ctrl-D); Ctrl-C ends the run that goes on", |_| {
        Ok(ChatCommand::Quit)
    }),
];

fn given(typed: &str) -> Option<String> {
    (!typed.is_empty()).then(|| typed.to_owned())
}

/// A command about something.
fn about(name: &str, typed: &str, of: fn(String) -> KnowledgeCommand) -> Result<ChatCommand> {
    let topic = given(typed)
        .ok_or_else(|| Error::new(format_args!("`/{name}` takes behind it what it is about")))?;
    Ok(ChatCommand::Known(of(topic)))
}

fn preference(topic: String, preference: PreferenceKind, takes_back: bool) -> KnowledgeCommand {
    KnowledgeCommand::Preference { topic, preference, takes_back }
}

fn schedule(typed: &str) -> Result<ChatCommand> {
    let unclear = || {
        Error::new("`/schedule` takes nothing, `every 6h: TASK`, or `remove N`")
            .hint("such as `/schedule every 6h: check the changelog of lance`")
    };
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    Ok(ChatCommand::Schedule(match word {
        "" | "list" if rest.is_empty() => ScheduleCommand::List,
        "every" => {
            let (every, task) = rest.split_once(':').ok_or_else(unclear)?;
            let every = parse_duration(every.trim()).map_err(Error::new)?;
            let task = task.trim();
            // A task is said to the agent; commands and lines for the shell are not.
            if task.is_empty() || task.starts_with(['/', '!']) {
                return Err(unclear());
            }
            ScheduleCommand::Add { every, task: task.to_owned() }
        }
        "remove" => ScheduleCommand::Remove(rest.trim().parse().map_err(|_| unclear())?),
        _ => return Err(unclear()),
    }))
}

fn resume(typed: &str) -> Result<ChatCommand> {
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
        let memory = |entity: &str, delete| {
            ChatCommand::Known(KnowledgeCommand::Memory { entity: word(entity), delete })
        };
        let like = preference("two words".to_owned(), PreferenceKind::Like, false);
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
            ("/stop all", ChatCommand::Stop { all: true }),
            ("/memory 3 delete", memory("3", true)),
            ("/memory delete", memory("delete", false)),
            ("/like two words", ChatCommand::Known(like)),
            ("/schedule list", ChatCommand::Schedule(ScheduleCommand::List)),
            ("/schedule remove 2", ChatCommand::Schedule(ScheduleCommand::Remove(2))),
            (
                "/schedule every 6h: check: all of it",
                ChatCommand::Schedule(ScheduleCommand::Add {
                    every: Duration::from_hours(6),
                    task: "check: all of it".to_owned(),
                }),
            ),
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
            ("/search", "`/search` takes behind it what it is about"),
            ("/react 12", "`/react` takes an id and + or - behind it"),
            ("/stop now", "`/stop` takes nothing, or all"),
            ("/schedule 6h", "`/schedule` takes nothing, `every 6h: TASK`, or `remove N`"),
            ("/schedule every 6h", "`/schedule` takes nothing, `every 6h: TASK`, or `remove N`"),
            (
                "/schedule every 6h: /undo",
                "`/schedule` takes nothing, `every 6h: TASK`, or `remove N`",
            ),
            ("/resume 2", "`/resume` alone shows a list to choose from by number"),
        ] {
            assert_eq!(Line::parse(line).unwrap_err().message(), expected, "{line}");
        }
        assert!(Line::parse("/mode wild").is_err() && Line::parse("/model nothing").is_err());
    }

    #[test]
    fn rights() {
        for (line, expected) in [
            ("status", Right::Look),
            ("mode", Right::Look),
            ("mode ask", Right::Chat),
            ("export", Right::Look),
            ("export a.md", Right::Machine),
            ("resume", Right::Look),
            ("resume 1234", Right::Machine),
            ("memory 3", Right::Look),
            ("memory 3 delete", Right::Approve),
            ("schedule", Right::Look),
            ("schedule remove 1", Right::Chat),
            ("schedule every 1h: look", Right::Chat),
            ("like otters", Right::Chat),
            ("undo", Right::Chat),
            ("stop", Right::Chat),
        ] {
            assert_eq!(ChatCommand::parse(line).unwrap().right(), expected, "{line}");
        }
    }

    #[test]
    fn what_needs_nothing_behind_it_is_read() {
        for known in COMMANDS.iter().filter(|known| !known.takes.starts_with(char::is_alphabetic)) {
            assert!(ChatCommand::parse(known.name).is_ok(), "{}", known.name);
        }
    }
}
