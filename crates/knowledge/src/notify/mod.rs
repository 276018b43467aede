//! Telling a user what was learned, without being a nuisance.
//!
//! Owns what waits to be told, when it may be told, in which words, and the ways out: a file, the
//! desktop, a program, an address of the web. Planning is pure: the time is an argument, queue and
//! state are values that can be written down. It refuses to know how facts are found, who the user
//! is, where its state lies, and terminals: what goes there is handed back.

mod message;
mod queue;
mod quiet;
mod sinks;
mod state;
#[cfg(test)]
mod tests;

pub use message::{MAX_FACT_CHARS, MAX_SHOWN_FACTS, Message};
pub use queue::{MAX_WAITING, MAX_WAITING_FACTS, Queue, QueueFull};
pub use quiet::{Quiet, QuietError};
pub use sinks::{
    CommandSink, DesktopSink, FileSink, Outlet, SINK_PATIENCE, Sink, SinkError, WebhookSink,
};
pub use state::{Due, FIRST_PAUSE, LONGEST_PAUSE, MAX_BATCH, State, due};

/// With more facts than this on an entity, only what is new in kind is told.
pub const MANY_FACTS: usize = 15;

/// What was found out about one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// Its slug: what is said about one entity is said together.
    pub entity: String,
    /// As people write it.
    pub name: String,
    /// Nobody knew of it before.
    pub is_new: bool,
    /// What was found out, what matters most first.
    pub facts: Vec<Fact>,
    /// Facts that are known about it by now, these included.
    pub known_facts: usize,
    /// Address of a picture.
    pub image: Option<String>,
}

/// One thing that was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// One sentence.
    pub text: String,
    /// It resembles nothing that was known.
    pub novel: bool,
}

impl Discovery {
    /// What of it is worth telling.
    fn told(&self) -> impl Iterator<Item = &Fact> {
        let all = self.is_new || self.known_facts <= MANY_FACTS;
        self.facts.iter().filter(move |fact| all || fact.novel)
    }
}
