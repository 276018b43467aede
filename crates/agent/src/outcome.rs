//! How a run ended, and what is remembered of it.

use std::path::PathBuf;

use jiff::Timestamp;
use ulid::Ulid;
use uuid::Uuid;

use super::{sessions::SessionsError, trail::TrailsError};

elophanto_base::named! {
    /// Whether the goal was reached, best first.
    #[derive(PartialOrd, Ord)]
    pub enum Outcome, name {
        /// All that was asked for.
        Done = "done",
        /// Some of it.
        Partly = "partly",
        /// An answer came, but nothing was done that it speaks of.
        Nothing = "nothing done",
        /// Nothing came of it.
        Failed = "failed",
        /// The user ended it before.
        Cancelled = "cancelled",
    }
}

/// What ended a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The model gave its final answer.
    Answered,
    /// The user ended it.
    Cancelled,
    /// The steps that were allowed are used up.
    Steps {
        /// How many were allowed.
        max: u32,
    },
    /// What models may cost is used up.
    Budget {
        /// Which limit, and how much of it is used.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// No model answers, or none usefully.
    Brain {
        /// What the last one said.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// The same again and again.
    Loop {
        /// What was called.
        tool: String,
    },
    /// What happens can no longer be written down, so nothing more may happen.
    Trail {
        /// What the system said.
        message: String,
    },
}

impl End {
    /// In a few words for people.
    pub fn reason(&self) -> String {
        match self {
            Self::Answered => "the agent gave its answer".to_owned(),
            Self::Cancelled => "the user ended it".to_owned(),
            Self::Steps { max } => format!("all {max} steps are used up"),
            Self::Budget { message, .. } | Self::Brain { message, .. } => message.clone(),
            Self::Loop { tool } => format!("`{tool}` was called again and again with one result"),
            Self::Trail { message } => format!("the run cannot be written down: {message}"),
        }
    }
}

/// What models cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// That models read.
    pub input_tokens: u64,
    /// That models wrote.
    pub output_tokens: u64,
    /// Millionths of a US dollar, of the calls whose price is known.
    pub usd_micros: u64,
    /// Of models.
    pub calls: u32,
    /// Calls whose price is unknown.
    pub unpriced: u32,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            usd_micros: self.usd_micros.saturating_add(other.usd_micros),
            calls: self.calls.saturating_add(other.calls),
            unpriced: self.unpriced.saturating_add(other.unpriced),
        }
    }
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// By which it is known, to be undone too.
    pub run: Ulid,
    /// The conversation that it was in.
    pub session: Uuid,
    /// Whether the goal was reached.
    pub outcome: Outcome,
    /// What ended it.
    pub end: End,
    /// Why an answer is not all that was asked for.
    pub because: Option<String>,
    /// The model's last words, or why there are none. Text from outside may be in it.
    pub answer: String,
    /// Relative to the root, sorted: what tools and the checkpoint report, never the model.
    pub touched: Vec<PathBuf>,
    /// Full ids of those that it made.
    pub commits: Vec<String>,
    /// Notes written about it.
    pub notes: Vec<PathBuf>,
    /// Calls that were made and that change, run or reach something.
    pub effects: usize,
    /// What its models cost.
    pub spent: Spent,
    /// Steps of the model that were used.
    pub steps: u32,
    /// What the user should look at.
    pub warnings: Vec<String>,
}

impl Finished {
    /// Why it is called what it is called, in a few words for people.
    pub fn reason(&self) -> String {
        self.because.clone().unwrap_or_else(|| self.end.reason())
    }
}

/// What a run leaves for the next one. Files, commits and calls are facts of the trail; what the
/// model said of them is in the fields that say so.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSummary {
    pub run: Ulid,
    pub session: Uuid,
    pub started: Timestamp,
    pub ended: Timestamp,
    /// One line.
    pub title: String,
    /// The goal, secrets masked.
    pub asked: String,
    /// One line for each call that was made or refused, in order.
    pub did: Vec<String>,
    pub outcome: Outcome,
    /// The model's words on how it went, or the reason of the end.
    pub outcome_text: String,
    pub touched: Vec<PathBuf>,
    pub commits: Vec<String>,
    /// The model's words.
    pub failed_approaches: Vec<String>,
    /// Why it failed: the model's words, else the call that failed last or the reason of the end.
    /// `None` if it is done.
    pub root_cause: Option<String>,
    /// The model's words.
    pub lesson: Option<String>,
    /// Something that will hold in other tasks too. The model's words.
    pub pattern: Option<String>,
    /// Whether the model saw text from outside: then its words are no safer than that.
    pub is_tainted: bool,
}

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("there is no goal")]
    EmptyGoal,
    #[error("a goal of {bytes} bytes, over the cap of {max}")]
    GoalTooLong { bytes: usize, max: usize },
    #[error("session {session} is about `{root}`")]
    OtherRoot { session: uuid::Uuid, root: String },
    #[error(transparent)]
    Session(#[from] SessionsError),
    #[error(transparent)]
    Trail(#[from] TrailsError),
}
