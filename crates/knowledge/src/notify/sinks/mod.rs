//! The ways out.

use std::{path::PathBuf, time::Duration};

use serde::Serialize;

use super::Message;
use elophanto_base::{jsonl::JsonlError, process::ProcessError};

mod command;
mod desktop;
mod file;
#[cfg(test)]
mod tests;
mod webhook;

pub use command::CommandSink;
pub use desktop::DesktopSink;
pub use file::FileSink;
pub use webhook::WebhookSink;

/// How long a program or server may take over one message.
pub const SINK_PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of what a program says that are kept.
const MAX_OUTPUT: usize = 16 * 1024;

/// Something that takes messages away.
pub trait Sink: Send {
    /// Takes one message. May wait for up to [`SINK_PATIENCE`].
    ///
    /// # Errors
    /// When it is not sure that the message arrived.
    fn send(&self, message: &Message) -> Result<(), SinkError>;
}

/// Where messages go.
pub enum Outlet {
    /// To whoever runs the program: printing is not done here.
    Terminal,
    /// To something that takes them away.
    Sink(Box<dyn Sink>),
}

impl Outlet {
    /// Sends a message, or gives back the text to print.
    ///
    /// # Errors
    /// As [`Sink::send`].
    pub fn send(&self, message: &Message) -> Result<Option<String>, SinkError> {
        match self {
            Self::Terminal => Ok(Some(message.text())),
            Self::Sink(sink) => sink.send(message).map(|()| None),
        }
    }
}

/// Why a message did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The file of messages is a link, or its folder is missing or closed.
    #[error("`{}` cannot be made: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// The file of messages did not take the line.
    #[error(transparent)]
    Log(#[from] JsonlError),
    /// The program could not be run, or took too long.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The program says so. `said` is one line of at most 200 characters.
    #[error("`{program}` failed ({status}): {said}")]
    Failed { program: String, status: String, said: String },
    /// The address is not one to send messages to.
    #[error("the address of the webhook {reason}")]
    Address { reason: &'static str },
    /// Only the host is named: the rest of such an address is often a secret.
    #[error("the webhook at `{host}` {reason}")]
    Webhook { host: String, reason: String },
    /// A channel did not take it.
    #[error("{0}")]
    Channel(String),
    /// Texts can always be written as JSON, so this is not to be expected.
    #[error("a message cannot be written as JSON: {0}")]
    Encode(serde_json::Error),
}

/// A message as programs and servers see it.
#[derive(Debug, Serialize)]
struct Wire<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    entity: &'a str,
    name: &'a str,
    is_new: bool,
    headline: String,
    facts: &'a [String],
    more: usize,
    image: Option<&'a str>,
    /// All of it; what chat servers look for.
    text: String,
}

impl<'a> From<&'a Message> for Wire<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            id: &message.id,
            entity: &message.entity,
            name: &message.name,
            is_new: message.is_new,
            headline: message.headline(),
            facts: &message.facts,
            more: message.more,
            image: message.image.as_deref(),
            text: message.text(),
        }
    }
}

fn encode(message: &Message) -> Result<Vec<u8>, SinkError> {
    serde_json::to_vec(&Wire::from(message)).map_err(SinkError::Encode)
}
