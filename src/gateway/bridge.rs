//! The gateway for scripts: one JSON message a line, both ways.

use std::{
    path::Path,
    sync::mpsc::{Receiver, sync_channel},
};

use serde_json::{Value, json};

use super::{
    client::{Conversation, Heard},
    waiting::Waiting,
};
use elophanto_app::{Error, Result};

/// Bytes of a line: of a message.
pub const MOST_LINE: u64 = 1024 * 1024;
/// Messages that wait to be written.
const QUEUE: usize = 256;

/// What happens at either end.
enum Step {
    Typed(String),
    /// A line that is too long, or no text.
    NoLine,
    /// The end of the lines.
    NoMore,
    Heard(Heard),
}

/// Hands lines to the gateway, and its messages to `say`, until the lines end and all that was said is
/// answered, or until the gateway ends it.
///
/// # Errors
/// When nobody lets us in, nothing can be written, or the gateway ends it before that.
pub fn bridge(
    socket: &Path,
    lines: Receiver<Option<String>>,
    say: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    let (steps, next) = sync_channel(QUEUE);
    let heard = steps.clone();
    let conversation = Conversation::open(socket, move |it| drop(heard.send(Step::Heard(it))))?;
    let room = conversation.room();
    std::thread::Builder::new().name("lines".to_owned()).spawn(move || {
        // Of as many lines as there are, few are in memory.
        let is_sent =
            |line: &Option<String>| line.as_ref().is_some_and(|line| !line.trim().is_empty());
        let lines = lines.iter().filter(|line| !is_sent(line) || room.send(()).is_ok());
        let lines = lines.map(|line| line.map_or(Step::NoLine, Step::Typed));
        for step in lines.chain([Step::NoMore]) {
            if steps.send(step).is_err() {
                break;
            }
        }
    })?;
    let mut waiting = Waiting::default();
    let (mut is_greeted, mut is_at_end) = (false, false);
    while !(is_at_end && is_greeted && waiting.is_over()) {
        match next.recv() {
            Ok(Step::NoMore) => is_at_end = true,
            // As the gateway would say it.
            Ok(Step::NoLine) => say(&no_line().to_string())?,
            Ok(Step::Typed(line)) => {
                let line = line.trim();
                if !line.is_empty() {
                    waiting.sent(&serde_json::from_str(line).unwrap_or(Value::Null));
                    conversation.say(line.to_owned());
                }
            }
            Ok(Step::Heard(Heard::Message(text))) => {
                is_greeted = true;
                serde_json::from_str::<Value>(&text)
                    .iter()
                    .for_each(|message| waiting.heard(message));
                say(&text)?;
            }
            Ok(Step::Heard(Heard::End(why))) => {
                return Err(Error::new(why).hint("`elophanto gateway status` says whether it runs"));
            }
            Err(_) => break,
        }
    }
    Ok(())
}

/// What a line is answered that is not sent.
fn no_line() -> Value {
    let detail =
        format!("a line is UTF-8 and has at most {MOST_LINE} bytes: this one was not sent");
    let hint = "hand files over by `POST /attachment`, and name their ids";
    json!({ "type": "error", "data": { "detail": detail, "hint": hint, "reply_to": null } })
}
