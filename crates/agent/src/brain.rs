//! What the loop needs of language models.

use elophanto_models::llm::{Reply, Request, Sink, Task, Usage};

/// A reply, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Thought {
    pub reply: Reply,
    /// As `provider/model`.
    pub model: String,
    /// Millionths of a US dollar. `None`: unknown.
    pub usd_micros: Option<u64>,
    /// What was asked before in vain.
    pub lost: Vec<Cost>,
}

/// What asking a model cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// As `provider/model`.
    pub model: String,
    pub usage: Usage,
    /// Millionths of a US dollar. `None`: unknown.
    pub usd_micros: Option<u64>,
}

impl Thought {
    /// Everything that it cost, in order.
    pub(crate) fn costs(&self) -> Vec<Cost> {
        let Self { reply, model, usd_micros, lost } = self;
        let own = Cost { model: model.clone(), usage: reply.usage, usd_micros: *usd_micros };
        lost.iter().cloned().chain([own]).collect()
    }
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BrainError {
    /// Lower case, no full stop.
    pub message: String,
    /// What the user can do about it.
    pub hint: Option<String>,
    pub kind: BrainErrorKind,
    /// What it cost all the same: an answer that cannot be used is paid for.
    pub lost: Vec<Cost>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrainErrorKind {
    /// No provider answers, all tries included.
    Unreachable,
    /// No model is set up or may be asked.
    NoModel,
    OverBudget,
    /// The provider does not want this request.
    Refused,
    /// The prompt is longer than the model's context.
    TooLong,
    /// It answered, but not in the form that was asked for, or with arguments that are no JSON.
    Malformed {
        /// What it said.
        raw: String,
    },
}

/// Language models. Repeating what failed on the way is its concern, as are budgets. Several may ask
/// at once.
pub trait Brain: Sync {
    /// `request.model` is empty: the task says who is asked.
    ///
    /// # Errors
    /// When there is no reply.
    fn ask(
        &self,
        task: Task,
        request: &Request,
        sink: Option<Sink<'_>>,
    ) -> Result<Thought, BrainError>;

    /// Tokens that the budget still allows. `None`: they are not limited.
    fn tokens_left(&self) -> Option<u64> {
        None
    }
}
