//! A connection to Discord's gateway: what is said over it, and why it ends.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::ChannelError;
use elophanto_net::{http::block_on, socket::Socket};

/// What the gateway calls its messages.
pub mod op {
    pub const DISPATCH: u64 = 0;
    pub const HEARTBEAT: u64 = 1;
    pub const IDENTIFY: u64 = 2;
    pub const RESUME: u64 = 6;
    pub const RECONNECT: u64 = 7;
    pub const INVALID_SESSION: u64 = 9;
    pub const HELLO: u64 = 10;
    pub const HEARTBEAT_ACK: u64 = 11;
}

/// Why a connection is over.
pub enum End {
    /// Nobody asks any more.
    Over,
    Lost {
        reason: String,
        wait: Option<Duration>,
    },
    /// It would end the same way again.
    Never(ChannelError),
}

pub fn lost(reason: impl Into<String>) -> End {
    End::Lost { reason: reason.into(), wait: None }
}

impl From<ChannelError> for End {
    fn from(error: ChannelError) -> Self {
        match error {
            ChannelError::Token(_) => Self::Never(error),
            ChannelError::Later { reason, wait } => Self::Lost { reason, wait },
            other => lost(other.to_string()),
        }
    }
}

/// A connection, and what keeps it alive.
pub struct Line {
    pub socket: Socket,
    pub every: Duration,
    pub due: Instant,
    pub is_acknowledged: bool,
    /// When Discord must have taken us up.
    pub patience: Instant,
    pub is_ready: bool,
    /// Whether it held for a while.
    pub is_well: bool,
    pub asked: Option<Instant>,
}

impl Line {
    pub fn send(&mut self, message: &Value) -> Result<(), End> {
        block_on(self.socket.send(message.to_string())).map_err(|error| lost(error.to_string()))
    }
}

/// What it means that the connection was ended with this code, and whether its session is gone.
/// <https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway>
pub fn closed(code: Option<u16>, reason: &str) -> (End, bool) {
    let barred = |why: &str| End::Never(ChannelError::Barred(why.to_owned()));
    let is_gone = matches!(code, Some(4003 | 4005 | 4007 | 4009));
    let end = match code {
        Some(4004) => End::Never(ChannelError::Token("the gateway does not know it".to_owned())),
        Some(4013 | 4014) => barred(
            "the bot may not hear what it asks for: at https://discord.com/developers/applications, \
             look at `Bot`, `Privileged Gateway Intents`",
        ),
        Some(4010..=4012) => barred("the gateway does not speak with us as we do (4010 to 4012)"),
        Some(code) => lost(format!("the connection was ended ({code})")),
        None => lost(reason),
    };
    (end, is_gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends() {
        for (code, is_for_good, is_gone) in [
            (Some(1000), false, false),
            (Some(4000), false, false),
            (Some(4004), true, false),
            (Some(4007), false, true),
            (Some(4009), false, true),
            (Some(4012), true, false),
            (Some(4014), true, false),
            (None, false, false),
        ] {
            let (end, gone) = closed(code, "it broke");
            assert_eq!((matches!(end, End::Never(_)), gone), (is_for_good, is_gone), "{code:?}");
        }
    }
}
