//! Commands of a conversation as an editor offers them: those of `app::agent::chat`, but for what the
//! editor does itself. Pure.

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, SessionUpdate,
    UnstructuredCommandInput,
};

use elophanto_app::{
    Error, Result,
    agent::chat::{COMMANDS, ChatAnswer, ChatCommand, told},
};
use elophanto_base::fenced::fenced;

/// What an editor begins, lists, stops and ends itself, and what takes a gateway.
const LEFT_OUT: [&str; 9] =
    ["clear", "sessions", "resume", "stop", "repo", "react", "schedule", "help", "quit"];

/// All that are offered.
pub fn offered() -> SessionUpdate {
    let known = COMMANDS.iter().filter(|known| !LEFT_OUT.contains(&known.name));
    let commands = known.map(|known| {
        let takes = (!known.takes.is_empty()).then(|| UnstructuredCommandInput::new(known.takes));
        let input = takes.map(AvailableCommandInput::Unstructured);
        AvailableCommand::new(known.name, known.about).input(input)
    });
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands.collect()))
}

/// The command that a prompt is; `None` if it is none that is known, such as a path.
///
/// # Errors
/// When it takes something else, or the editor does what it would do.
pub fn parse(text: &str) -> Result<Option<ChatCommand>> {
    let Some(typed) = text.trim().strip_prefix('/') else { return Ok(None) };
    let name = typed.split(char::is_whitespace).next().unwrap_or_default();
    if !COMMANDS.iter().any(|known| known.name == name) {
        return Ok(None);
    }
    if LEFT_OUT.contains(&name) {
        return Err(Error::new(format_args!("`/{name}` is not for an editor"))
            .hint("the editor begins, lists, stops and ends conversations itself"));
    }
    ChatCommand::parse(typed).map(Some)
}

/// What a command answers, as Markdown.
pub fn answer(answer: &ChatAnswer<'_>) -> String {
    let text = told::text(answer);
    match answer {
        ChatAnswer::Changes(changes) if !changes.is_empty() => fenced("diff", &text),
        ChatAnswer::Output(Some(_)) => fenced("", &text),
        ChatAnswer::Known(_) | ChatAnswer::Exported(_) => text,
        // Each line stays one.
        _ => text.replace('\n', "  \n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_there() {
        for name in LEFT_OUT {
            assert!(COMMANDS.iter().any(|known| known.name == name), "{name}");
        }
    }

    #[test]
    fn commands_are_told_from_paths() {
        assert_eq!(parse("/status ").unwrap(), Some(ChatCommand::Status));
        for text in ["/usr/bin/env is what?", "status", "/", "!ls", "/statusquo", ""] {
            assert_eq!(parse(text).unwrap(), None, "{text}");
        }
        for text in ["/clear", "/status now", "/mode wild"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
