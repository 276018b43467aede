//! Commands of a conversation, from any channel: which need a right, which are answered at once, and
//! which wait for the worker.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    Gateway, Identity,
    conversation::Conversation,
    mode,
    state::{Standing, Work},
    worker::Telling,
};
use crate::{
    Error, Result,
    agent::{
        self, Door,
        chat::{
            Chat, ChatAnswer, ChatCommand, ChatOptions, Line, Right, ScheduleCommand, known,
            none_scheduled, scheduled, told,
        },
    },
};
use elophanto_base::{counted::counted, one_line::one_line, visible::escape_control_line};

/// Bytes of what a run is about.
const MOST_GOAL: usize = 200;

/// Who does what is asked.
enum By {
    /// The gateway itself, from what it has in memory.
    Gateway,
    /// Whoever reads the command, beside a run that may go on.
    Beside,
    /// The worker, when no run goes on.
    Worker,
}

fn by(command: &ChatCommand) -> By {
    match command {
        ChatCommand::Status
        | ChatCommand::Stop { .. }
        | ChatCommand::Repo(_)
        | ChatCommand::Help
        | ChatCommand::Quit => By::Gateway,
        ChatCommand::Known(_)
        | ChatCommand::Schedule(_)
        | ChatCommand::Mode(_)
        | ChatCommand::Tasks
        | ChatCommand::Budget
        | ChatCommand::Model(None)
        | ChatCommand::Context
        | ChatCommand::Diff
        | ChatCommand::Sessions
        | ChatCommand::Resume(None)
        | ChatCommand::Export(None) => By::Beside,
        ChatCommand::Model(Some(_))
        | ChatCommand::Plan(_)
        | ChatCommand::Compact
        | ChatCommand::Clear
        | ChatCommand::Todo
        | ChatCommand::Output
        | ChatCommand::Undo(_)
        | ChatCommand::Resume(Some(_))
        | ChatCommand::Rename(_)
        | ChatCommand::Export(Some(_)) => By::Worker,
    }
}

/// Whether somebody may do what takes a right.
///
/// # Errors
/// When they may not.
fn allowed(who: &Identity, right: Right) -> Result<()> {
    match right {
        Right::Look => Ok(()),
        _ if !who.scopes.chat => Err(Error::new("this connection may only read")),
        Right::Approve if !who.scopes.approve => {
            Err(Error::new("this is done by whoever answers approvals"))
        }
        Right::Machine if !who.scopes.admin => Err(Error::new("this is done on this machine only")
            .hint("`elophanto agent chat` in a terminal does it")),
        Right::Chat | Right::Approve | Right::Machine => Ok(()),
    }
}

/// What somebody typed who is known to the gateway: a command, a line for the shell, or neither, which
/// is a message.
pub fn typed(
    gateway: &Arc<Gateway>,
    conversation: &Arc<Conversation>,
    line: &str,
    reply_to: Uuid,
    who: &Identity,
) -> Result<Option<Done>> {
    match Line::parse(line)? {
        Line::Message(_) => Ok(None),
        Line::Shell(line) => {
            allowed(who, Right::Machine).map_err(|error| {
                error.hint("or say what is to be done: the agent asks before it runs anything")
            })?;
            let work = Work::Shell { line: line.to_owned(), reply_to };
            conversation.when_idle(gateway, reply_to, work)?;
            Ok(Some(Done::Later))
        }
        Line::Command(command) => obey(gateway, conversation, command, reply_to, who).map(Some),
    }
}

/// What became of a command.
pub enum Done {
    /// This is the answer, for whoever asked.
    Now(String),
    /// The worker answers.
    Later,
    /// The client goes on in the repository of this name.
    Repo(String),
}

fn obey(
    gateway: &Arc<Gateway>,
    conversation: &Arc<Conversation>,
    command: ChatCommand,
    reply_to: Uuid,
    who: &Identity,
) -> Result<Done> {
    allowed(who, command.right())?;
    match by(&command) {
        By::Gateway => Ok(match command {
            ChatCommand::Stop { all } => {
                let (had_run, dropped, left) = conversation.stop(gateway, all);
                Done::Now(stopped(had_run, dropped, left))
            }
            ChatCommand::Repo(None) => Done::Now(gateway.list_repositories(conversation)),
            ChatCommand::Repo(Some(name)) => Done::Repo(name),
            ChatCommand::Help => Done::Now(told::text(&ChatAnswer::Help(agent::chat::COMMANDS))),
            ChatCommand::Quit => Done::Now(String::new()),
            _ => Done::Now(standing(conversation)),
        }),
        By::Beside => beside(gateway, conversation, command, who).map(Done::Now),
        By::Worker => {
            let who = who.clone();
            let work = Work::Command { command, reply_to, who };
            conversation.when_idle(gateway, reply_to, work)?;
            Ok(Done::Later)
        }
    }
}

fn stopped(had_run: bool, dropped: usize, left: usize) -> String {
    let mut text = match had_run {
        true => "the run is ended".to_owned(),
        false => "no run goes on".to_owned(),
    };
    if dropped > 0 {
        text.push_str(&format!("; {} dropped", counted(dropped, "message")));
    }
    if left > 0 {
        let wait = if left == 1 { "waits" } else { "wait" };
        text.push_str(&format!(
            "; {} {wait} and {} turn comes: `/stop all` drops what waits",
            counted(left, "message"),
            if left == 1 { "its" } else { "their" }
        ));
    }
    text
}

fn standing(conversation: &Conversation) -> String {
    let Standing { running, at_turn, queued, waiting, mode } = conversation.standing();
    let mode = mode.map_or_else(
        || "as the settings say".to_owned(),
        |mode| format!("{} at most", mode::name(mode)),
    );
    let running = match running {
        Some(goal) => {
            format!("a run goes on: {}", one_line(&escape_control_line(&goal), MOST_GOAL))
        }
        None if at_turn => "no run goes on here: one of another conversation does".to_owned(),
        None => "no run goes on".to_owned(),
    };
    let waits = if queued == 1 { "waits" } else { "wait" };
    format!(
        "session {} about {}\nmode {mode}\n{running}; {} {waits} behind it\n{} to answer{}",
        conversation.session(),
        escape_control_line(&conversation.served.name),
        counted(queued, "message"),
        counted(waiting.len(), "approval"),
        waiting.iter().map(|it| format!("\n- {}", escape_control_line(it))).collect::<String>(),
    )
}

/// Answers beside the run that may go on, from what is on disk.
fn beside(
    gateway: &Arc<Gateway>,
    conversation: &Arc<Conversation>,
    command: ChatCommand,
    who: &Identity,
) -> Result<String> {
    let workspace = conversation.served.base.open(Vec::new())?;
    let telling =
        Arc::new(Telling { gateway: Arc::clone(gateway), conversation: Arc::clone(conversation) });
    let command = match command {
        ChatCommand::Known(command) => return known(&workspace, &command, &*telling),
        ChatCommand::Schedule(command) => {
            let is_list = command == ScheduleCommand::List;
            let own = conversation.schedule(gateway, command, who)?;
            if !is_list {
                return Ok(own);
            }
            let own = Some(own).filter(|own| !own.is_empty());
            let all: Vec<_> = own.into_iter().chain(scheduled(&workspace, &*telling)?).collect();
            return Ok(if all.is_empty() { none_scheduled() } else { all.join("\n") });
        }
        ChatCommand::Mode(wanted) => {
            let of_settings = workspace.config.agent.mode.into();
            let now = mode::held(conversation.standing().mode, of_settings);
            let Some(wanted) = wanted else { return Ok(format!("mode {}", mode::name(now))) };
            mode::check(who, wanted, now, of_settings)?;
            conversation.narrow(wanted)?;
            return Ok(format!("mode {}, from the next message on", mode::name(wanted)));
        }
        command => command,
    };
    let (channel, user) = (who.channel.name(), Some(who.user.clone()));
    let door = Door { channel, user, tools: Vec::new(), reporter: telling.clone() };
    let prepared = agent::prepare(&workspace, door)?;
    let session = prepared.session_of(conversation.session())?;
    let mut chat = Chat::within(&prepared, session, ChatOptions::default())?;
    let is_running = conversation.standing().running.is_some();
    let answer = match (chat.obey(command, &*telling)?, who.scopes.admin) {
        (ChatAnswer::Tasks(mut runs), _) => {
            // The newest comes first.
            if let Some(run) = runs.first_mut().filter(|run| is_running && run.outcome.is_none()) {
                run.outcome = Some("goes on".to_owned());
            }
            ChatAnswer::Tasks(runs)
        }
        // What others say is theirs.
        (ChatAnswer::Sessions(mut all) | ChatAnswer::Choose(mut all), false) => {
            all.retain(|session| gateway.is_of(&conversation.person, session));
            ChatAnswer::Sessions(all)
        }
        (answer, _) => answer,
    };
    Ok(told::text(&answer))
}

/// Whether somebody may have this done by the worker, who knows which runs are theirs.
///
/// # Errors
/// When it would reach beyond their conversation.
pub fn check(chat: &Chat<'_>, command: &ChatCommand, who: &Identity) -> Result<()> {
    match command {
        ChatCommand::Undo(Some(run)) if !chat.is_own(run)? => allowed(who, Right::Machine),
        _ => Ok(()),
    }
}
