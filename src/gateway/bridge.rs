//! The gateway for scripts: one JSON message a line, both ways.

use std::{
    path::Path,
    sync::mpsc::{Receiver, sync_channel},
};

use serde_json::Value;

use super::{
    client::{Conversation, Heard},
    waiting::Waiting,
};
use elophanto_app::Error;

/// Messages that wait to be written.
const QUEUE: usize = 256;

/// What happens at either end.
enum Step {
    Typed(Option<String>),
    Heard(Heard),
}

/// Hands lines to the gateway, and its messages to `say`, until the lines end and all that was said is
/// answered, or until the gateway ends it.
///
/// # Errors
/// When nobody lets us in, nothing can be written, or the gateway ends it before that.
pub fn bridge(
    socket: &Path,
    lines: Receiver<String>,
    say: &mut dyn FnMut(&str) -> Result<(), Error>,
) -> Result<(), Error> {
    let (steps, next) = sync_channel(QUEUE);
    let heard = steps.clone();
    let conversation = Conversation::open(socket, move |it| drop(heard.send(Step::Heard(it))))?;
    std::thread::Builder::new().name("lines".to_owned()).spawn(move || {
        let ends = lines.iter().map(Some).chain([None]);
        for line in ends {
            if steps.send(Step::Typed(line)).is_err() {
                break;
            }
        }
    })?;
    let mut waiting = Waiting::default();
    let (mut is_greeted, mut is_at_end) = (false, false);
    while !(is_at_end && is_greeted && waiting.is_over()) {
        match next.recv() {
            Ok(Step::Typed(None)) => is_at_end = true,
            Ok(Step::Typed(Some(line))) => {
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
