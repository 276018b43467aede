//! What is told of questions that are read about side by side, each by a reader of its own.

use std::path::PathBuf;

elophanto_base::named! {
    /// How a reader ended.
    pub enum ReaderEnd, name {
        Answered = "answered",
        /// Its budget ended first: what it says is a part.
        Partly = "partly",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

/// Where a reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderState {
    /// With what it may use.
    Begun { steps: u32, tokens: u64 },
    /// With what it used.
    Ended { end: ReaderEnd, steps: u32, tokens: u64 },
}

/// What a reader found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// On one line.
    pub question: String,
    pub end: ReaderEnd,
    /// Its answer, or why there is none. Text from outside is in it.
    pub answer: String,
    /// Files that its calls read, relative to the root, sorted: what the program saw, not what the model
    /// says.
    pub sources: Vec<PathBuf>,
    pub steps: u32,
    pub tokens: u64,
    /// Tokens that it might use.
    pub budget: u64,
}
