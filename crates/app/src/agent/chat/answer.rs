//! What commands of a conversation answer. Which of it is shown, and how, is the door's.

use super::{
    super::{Mode, ModelRef, Session, Task, context::Context},
    KnownCommand,
};
use crate::{
    config::BudgetConfig,
    runs::{Change, Undone},
};
use elophanto_agent::{CompactedSession, RunLine, Todo};

/// What a command answers.
pub enum ChatAnswer<'c> {
    /// What it stands at: session, mode, sandbox.
    Status(ChatStatus<'c>),
    /// Runs of this conversation, the newest first.
    Tasks(Vec<RunLine>),
    /// What it cost so far, and what it may.
    Budget(ChatBudget<'c>),
    /// What runs without asking, from now on.
    Mode(Mode),
    /// Which models are asked for which kind of work, best first; none where that is as for planning.
    Models(Vec<(Task, Vec<ModelRef>)>),
    /// Whether plans are asked about, from now on.
    Plan(bool),
    /// How full the window of the model is.
    Context(Context),
    /// Older messages are one summary now.
    Compacted(CompactedSession),
    /// Another conversation has begun; the one before, by its id, is kept.
    Cleared {
        /// The id of the new one.
        session: String,
        /// The id of the one before.
        before: String,
    },
    /// What is other than before the runs of this conversation.
    Changes(Vec<Change>),
    /// What is to be done, as the agent said last.
    Todo(&'c [Todo]),
    /// All that the last command said.
    Output(Option<&'c str>),
    /// `None` where there was nothing to take back, which was told.
    Undone(Option<Undone>),
    /// Conversations that can go on, the one that was used last first.
    Sessions(Vec<Session>),
    /// The others to choose from: the command goes on with the id of one.
    Choose(Vec<Session>),
    /// This conversation goes on now.
    Resumed(Resumed<'c>),
    /// This conversation, by its id, has a new name.
    Renamed {
        /// Its id.
        session: String,
        /// What it is called now.
        name: &'c str,
    },
    /// This conversation as Markdown.
    Exported(String),
    /// It was written to this file.
    Written(String),
    /// What the knowledge base says; Markdown.
    Known(String),
    /// All commands, in the order in which they are listed.
    Help(&'static [KnownCommand]),
    /// The conversation is over.
    Quit,
}

/// How a conversation stands.
pub struct ChatStatus<'c> {
    /// The conversation itself.
    pub session: &'c Session,
    /// What runs without asking.
    pub mode: Mode,
    /// How commands are shut in.
    pub fence: String,
    /// How many tools there are.
    pub tools: usize,
}

/// What a conversation cost, in runs before it was opened here too, and what it may.
pub struct ChatBudget<'c> {
    /// Since the conversation began.
    pub spent: ChatSpent,
    /// What the settings allow each run, day and month.
    pub limits: &'c BudgetConfig,
}

/// What models of a conversation cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChatSpent {
    /// Read and written.
    pub tokens: u64,
    /// Millionths of a US dollar, of the calls whose price is known.
    pub usd_micros: u64,
    /// Runs in it.
    pub runs: usize,
}

impl ChatSpent {
    pub(super) fn add(&mut self, spent: &elophanto_agent::Spent) {
        self.tokens += spent.input_tokens + spent.output_tokens;
        self.usd_micros += spent.usd_micros;
    }
}

/// Where a conversation goes on.
pub struct Resumed<'c> {
    /// The conversation that goes on.
    pub session: &'c Session,
    /// What the user said last, and what was answered.
    pub last: Vec<Said<'c>>,
}

/// Something that was said.
pub enum Said<'c> {
    /// By the user.
    You(&'c str),
    /// By the agent.
    Agent(&'c str),
}
