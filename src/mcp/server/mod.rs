//! The door for agents: the Model Context Protocol over standard streams and over HTTP.
//!
//! Owns the protocol: which tools, resources and prompts there are and how they are described,
//! arguments held against their schemas, answers cut to their budget, how many operations run at
//! once and for how long, who is told what changed, and who may speak at all. It refuses to know how
//! an answer is found: operations come in as functions.

use std::sync::Arc;

use serde_json::{Map, Value};

mod arguments;
mod call;
mod calling;
mod check;
mod door;
mod gate;
mod http;
mod listeners;
mod prompts;
mod resources;
mod shown;
mod stdio;
#[cfg(test)]
mod tests;
mod tool;

pub use call::{Call, Follower};
pub use http::{Http, routes, serve_http};
pub use listeners::Handle;
pub use stdio::serve_stdio;
pub use tool::Tool;

use crate::wire::budget;
use gate::{Gate, Limits};

/// What the server can do, given by its caller. All functions block; the server calls them on
/// threads where that is no harm, several at once.
pub struct Operations {
    /// One call of a tool with arguments that fit the tool's schema, defaults filled in.
    pub call: Box<CallFn>,
    /// Notes in the order of their paths (by bytes), those after a path, at most so many.
    pub notes: Box<NotesFn>,
    /// The text of a note by its path relative to the root, decoded, never absolute, without `..`.
    /// None: there is none.
    pub read: Box<ReadFn>,
    /// Tokens of a text.
    pub count_tokens: fn(&str) -> usize,
    /// Tools that there are here: no other is listed or called.
    pub tools: &'static [Tool],
}

/// See [`Operations::call`].
pub type CallFn = dyn Fn(Tool, &Map<String, Value>, &Call) -> Reply + Send + Sync;
/// See [`Operations::notes`].
pub type NotesFn = dyn Fn(Option<&str>, usize) -> Result<Vec<NoteEntry>, String> + Send + Sync;
/// See [`Operations::read`].
pub type ReadFn = dyn Fn(&str) -> Result<Option<NoteText>, String> + Send + Sync;

/// A note in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteEntry {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Of the note.
    pub title: String,
    /// Size of its file.
    pub bytes: u64,
    /// When its file changed, where that is known.
    pub changed: Option<jiff::Timestamp>,
}

/// The text of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    /// All of it.
    pub text: String,
    /// Whether the note goes on after `text`.
    pub truncated: bool,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// `structured` is an object of the form that the tool's output schema declares. `items` are those
    /// of its list as texts, which follow `text`, or none.
    Found {
        /// For models and people.
        text: String,
        /// Texts of the list's parts, in its order; what does not fit is left out.
        items: Vec<String>,
        /// The same for programs.
        structured: Value,
    },
    /// Why there is no answer, and what would help.
    Refused {
        /// Why, in words.
        reason: String,
        /// What to do next.
        hint: Option<String>,
    },
}

impl Reply {
    /// A reply whose text is one.
    pub fn found(text: String, structured: Value) -> Self {
        Self::Found { text, items: Vec::new(), structured }
    }
}

/// A server of MCP, to be served over standard streams or HTTP. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

/// What all sessions of a server have in common.
struct Shared {
    operations: Operations,
    version: String,
    health: Value,
    gate: Gate,
    handle: Handle,
}

/// Why serving ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not begin as the protocol says.
    #[error("the client broke the protocol before it had begun: {0}")]
    Handshake(String),
    /// The connection broke.
    #[error("serving ended unexpectedly: {0}")]
    Ended(String),
    /// The port cannot be listened at.
    #[error("cannot listen: {0}")]
    Listen(std::io::Error),
    /// Callers need a token, and there is none.
    #[error("the token is empty or has characters that cannot be sent in a header")]
    Token,
}

impl Server {
    /// A server with these operations, and the handle that tells its clients what changed.
    /// `version` is that of the program, `health` an object that `GET /health` answers besides name
    /// and version.
    pub fn new(operations: Operations, version: &str, health: Value) -> (Self, Handle) {
        Self::with_limits(operations, version, health, Limits::default())
    }

    /// One beside it that can do other things: what runs at once is limited for both together.
    pub fn beside(&self, operations: Operations) -> Self {
        let Shared { version, health, gate, .. } = &*self.shared;
        let (version, health, gate) = (version.clone(), health.clone(), gate.clone());
        let shared = Shared { operations, version, health, gate, handle: Handle::default() };
        Self { shared: Arc::new(shared) }
    }

    fn with_limits(
        operations: Operations,
        version: &str,
        health: Value,
        limits: Limits,
    ) -> (Self, Handle) {
        let (gate, handle) = (Gate::new(limits), Handle::default());
        let version = version.to_owned();
        let shared = Shared { operations, version, health, gate, handle: handle.clone() };
        (Self { shared: Arc::new(shared) }, handle)
    }
}
