//! What a trail says, in the form of its file: names of fields are a promise.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clean::cut_middle;

/// Paths and commits of one entry, and bytes of a path: a record has a cap, and each of these
/// bytes may become six.
const LISTED: usize = 100;
const PATH_CAP: usize = 400;

/// One thing that happened. Secrets are masked and long texts cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub at: Timestamp,
    /// How many tasks this one is nested in.
    pub depth: u32,
    /// The reader that it belongs to, from 1, where several were at work side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<usize>,
    #[serde(flatten)]
    pub kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EntryKind {
    Begin {
        run: String,
        goal: String,
        session: String,
        mode: String,
        attended: bool,
        tainted: bool,
        root: String,
    },
    /// A picture that the user added, by its file.
    Image {
        path: String,
        hash: String,
        bytes: u64,
        format: String,
    },
    Plan {
        steps: Vec<String>,
        answer_at_once: bool,
    },
    /// A call that changes something or reaches out is about to be made: what is last in a trail
    /// that was cut off.
    Calling {
        tool: String,
        arguments: Value,
    },
    /// A call, made or not.
    Call {
        tool: String,
        arguments: Value,
        level: String,
        /// What it does, in words.
        action: String,
        /// `allow`, `ask` or `deny`; empty if it did not come so far.
        decision: String,
        layer: String,
        reasons: Vec<String>,
        /// `mode` (nobody had to), `session`, `once`, `kept` (for the session), `rule`, `no`,
        /// `nobody`, `delegated` (with the readers that it is a call of); empty if it did not come so far.
        approved: String,
        made: bool,
        failed: bool,
        result: String,
        seconds: f64,
        /// The first 100; what is no UTF-8 is shown with marks.
        touched: Vec<String>,
        commits: Vec<String>,
    },
    /// How far a call is that takes long, in the tool's words.
    Progress {
        tool: String,
        text: String,
    },
    /// The agent asked the user.
    Question {
        question: String,
        answer: Option<String>,
    },
    Thought {
        task: String,
        model: String,
        input_tokens: u64,
        output_tokens: u64,
        usd_micros: Option<u64>,
    },
    Reflection {
        as_expected: bool,
        progress: bool,
        change: Option<String>,
        done: bool,
    },
    Tainted {
        origin: String,
    },
    SubBegin {
        goal: String,
        tools: Vec<String>,
    },
    SubEnd {
        failed: bool,
        answer: String,
    },
    /// A reader of a question, with what it may use.
    ReaderBegin {
        question: String,
        tools: Vec<String>,
        steps: u32,
        tokens: u64,
    },
    /// `end`: `answered`, `partly`, `failed` or `cancelled`; with what was used.
    ReaderEnd {
        end: String,
        answer: String,
        /// Files that it read, the first 100.
        sources: Vec<String>,
        steps: u32,
        tokens: u64,
    },
    Warning {
        text: String,
    },
    End {
        outcome: String,
        reason: String,
        answer: String,
        touched: Vec<String>,
        commits: Vec<String>,
        notes: Vec<String>,
        steps: u32,
        input_tokens: u64,
        output_tokens: u64,
        usd_micros: u64,
        /// Calls of models whose price is unknown.
        unpriced: u32,
    },
}

/// As an entry lists them.
pub(crate) fn some_paths<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<String> {
    let shown = |path: &PathBuf| cut_middle(&Path::to_string_lossy(path), PATH_CAP);
    paths.into_iter().take(LISTED).map(shown).collect()
}

/// As an entry lists them.
pub(crate) fn some_commits(commits: &[String]) -> Vec<String> {
    commits.iter().take(LISTED).map(|id| id.chars().take(64).collect()).collect()
}
