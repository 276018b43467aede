//! From a topic that a user wants to know about to the searches that find it out.
//!
//! Owns what a topic is, searches made of it without a model, what a language model is asked for
//! and which lines of its answer become searches. It is pure and always says the same of the same
//! text. It refuses to know who searches, which model answers and what becomes of the results.

mod accept;
mod prompt;
mod searches;
mod subject;
#[cfg(test)]
mod tests;
mod topic;

pub use accept::{MAX_ANSWER_BYTES, Refused, accept};
pub use prompt::prompt;
pub use searches::plan;
pub use topic::{MAX_TOPIC_CHARS, Topic, TopicError};

/// Fewest searches of a plan.
pub const MIN_QUERIES: usize = 3;
/// Most searches of a plan.
pub const MAX_QUERIES: usize = 5;
/// Characters of one search.
pub const MAX_QUERY_CHARS: usize = 200;
