//! Platforms on which people write to the agent, and the terminal as one of them: what comes from there as one set of words, what is
//! said as the platform wants it.
//!
//! Owns the API of each platform, its limits and rates, and how an answer is cut and marked up there. It
//! refuses to know who may write, what a message does, and what must not be forgotten: that is for
//! whoever uses an adapter.

mod adapter;
mod discord;
mod error;
#[cfg(any(test, feature = "testutil"))]
pub mod fake;
mod multipart;
mod parts;
mod signs;
mod slack;
mod telegram;
mod terminal;
mod unsure;

pub use adapter::{
    Bot, Button, ChannelAdapter, FileRef, Inbound, Limits, Place, Posted, Quote, Said, Sender,
    Sign, What,
};
pub use discord::{ADDRESS as DISCORD, Discord};
pub use error::{ChannelError, Result};
pub use parts::{Dialect, Text};
pub use slack::{ADDRESS as SLACK, Slack};
pub use telegram::{ADDRESS as TELEGRAM, Telegram};
pub use terminal::Terminal;
