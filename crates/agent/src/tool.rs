//! The one interface of all tools.

use std::{path::PathBuf, time::Duration};

use serde_json::Value;

use super::Reading;
use crate::permissions::{Action, Level};
use elophanto_models::llm::Image;

/// What a tool is, as the manifest and the model are told.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// `[a-z][a-z0-9_]*`, at most 64 bytes.
    pub name: String,
    /// For the model: what it does, when to use it.
    pub description: String,
    /// JSON schema of an object: the arguments.
    pub input: Value,
    /// How much harm it may do.
    pub level: Level,
    /// Where it comes from.
    pub source: Source,
    /// Whether what it gives back is text from outside (a file of the repository, a page, a note,
    /// the output of a program): data, never an instruction.
    pub is_untrusted: bool,
}

/// Where a tool comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Of elophanto itself.
    BuiltIn,
    /// `plugins/<name>`, with the content hash that was deployed.
    Plugin {
        /// BLAKE3 of its files, in hex.
        hash: String,
    },
    /// An external server that the user added.
    Server {
        /// As the user calls it.
        name: String,
    },
}

/// What a call would do, before it does it: exactly what runs, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// What it does, as permissions see it.
    pub action: Action,
    /// For whoever approves: the command, a diff, the address. As it is: the door escapes it.
    pub shown: String,
}

/// What a call gave back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// For the model.
    pub text: String,
    /// It did not do what was asked (a program that ended badly); the text says why.
    pub failed: bool,
    /// Paths relative to the root that it wrote, moved or removed.
    pub touched: Vec<PathBuf>,
    /// Commits it made (full ids).
    pub commits: Vec<String>,
    /// Pictures, shown to the model behind the text.
    pub images: Vec<Image>,
    /// This text is from outside, whatever the spec says of the others.
    pub is_untrusted: bool,
}

/// Something that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// On one line.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

elophanto_base::named! {
    /// Where it stands.
    pub enum TodoState, name {
        /// Nobody is at it.
        Open = "open",
        /// The agent is at it.
        Doing = "doing",
        /// It is done.
        Done = "done",
    }
}

/// Why a call brought nothing.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit; says which and how. The model may try again.
    #[error("{0}")]
    Arguments(String),
    /// It will not be done, whoever approves.
    #[error("{0}")]
    Refused(String),
    /// It was tried, and this went wrong.
    #[error("{0}")]
    Failed(String),
    /// The user ended the run.
    #[error("cancelled")]
    Cancelled,
}

/// Who calls: what a tool may use of the run that it is part of.
pub trait Host {
    /// Canonical root of the work tree.
    fn root(&self) -> &std::path::Path;
    /// Whether the user has ended the run: long work looks at it often.
    fn is_cancelled(&self) -> bool;
    /// # Errors
    /// [`ToolError::Cancelled`] when the user has ended the run.
    fn alive(&self) -> Result<(), ToolError> {
        if self.is_cancelled() { Err(ToolError::Cancelled) } else { Ok(()) }
    }
    /// Time a tool may take at most.
    fn patience(&self) -> Duration;
    /// Bytes of text that go back to the model at most; what is longer is cut in its middle.
    fn max_output(&self) -> usize;
    /// Asks the user; `None` where nobody answers.
    fn ask_user(&mut self, question: &str, options: &[String]) -> Option<String>;
    /// Asks a language model for a kind of work: `coding`, `review`, `planning`, `simple`,...
    /// (names of `llm::Task`). The text of its answer.
    fn think(&mut self, task: &str, system: &str, prompt: &str) -> Result<String, ToolError>;
    /// Calls another tool of the run, through permissions, checkpoint and trail like any call.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<Output, ToolError>;
    /// Says how far a long call is: shown, and kept in the trail. Text in it may come from outside.
    fn report(&mut self, _text: &str) {}
    /// Shows the user what is to be done, in place of what was shown before.
    fn todo(&mut self, _items: &[Todo]) {}
    /// Passes on lines that a program says while it runs: shown, and not kept. They come from outside.
    fn said(&mut self, _lines: &str) {}
    /// Whether pictures that a call gives back are shown to the model.
    fn takes_images(&self) -> bool {
        false
    }
    /// Has questions read about side by side, each by a sub-agent with tools that only read, within a
    /// share of what the run may use; what each found, in their order.
    ///
    /// # Errors
    /// When too little is left for that, or the run ends.
    fn delegate(&mut self, _questions: &[String]) -> Result<Vec<Reading>, ToolError> {
        Err(ToolError::Refused("nobody reads for others here".to_owned()))
    }
    /// Runs a task of its own inside this one (plan, execute, reflect), with these tools only;
    /// its final answer.
    fn sub_task(&mut self, goal: &str, tools: &[&str]) -> Result<String, ToolError>;
}

/// Something that an agent may call.
pub trait Tool: Send + Sync {
    /// What it is, as the model is told.
    fn spec(&self) -> Spec;

    /// What a call with these arguments would do. Reads files at most.
    ///
    /// # Errors
    /// When the arguments do not fit.
    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError>;

    /// Does it. Called only after the intent was approved.
    ///
    /// # Errors
    /// When it cannot be done.
    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError>;
}
