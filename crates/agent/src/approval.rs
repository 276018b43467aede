//! Whoever is asked: what they are shown, and what they may answer.

use serde_json::Value;
use ulid::Ulid;
use uuid::Uuid;

use super::{Plan, ReaderState, Todo, outcome::Finished};
use crate::permissions::{Action, Layer, Level};

/// A call that waits for an answer. All text in it may come from outside: the door escapes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    pub run: Ulid,
    pub session: Uuid,
    pub tool: String,
    pub level: Level,
    /// As they will be used, secrets included.
    pub arguments: Value,
    pub action: Action,
    /// The command, a diff, the address: see [`super::Intent::shown`].
    pub shown: String,
    pub layer: Layer,
    /// Why it asks.
    pub reasons: Vec<String>,
    /// Every command of a shell line, as argv.
    pub commands: Vec<Vec<String>>,
    /// Whether [`Answer::Session`] may be given; otherwise it counts as [`Answer::Once`].
    pub can_be_kept: bool,
    /// Whether [`Answer::Edits`] may be given; otherwise it counts as [`Answer::Once`].
    pub can_be_edits: bool,
    /// Whether [`Answer::Rule`] may be given; otherwise it counts as [`Answer::Once`].
    pub can_be_rule: bool,
    /// Whether untrusted text is in the conversation.
    pub is_tainted: bool,
    /// How many tasks this one is nested in.
    pub depth: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Once,
    /// This call and its like until the session ends: see [`super::Rule`].
    Session,
    /// All edits of files in this work tree until the session ends.
    Edits,
    /// As a rule of the user's own; counts for this session at once.
    Rule,
    /// With what the model is told.
    No(Option<String>),
    /// There is nobody who could answer: counts as no.
    Nobody,
}

/// What happens, as it happens. Text in it may come from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    Begun {
        run: Ulid,
        session: Uuid,
    },
    Planned {
        plan: &'a Plan,
        depth: u32,
    },
    /// A piece of the model's answer.
    Text(&'a str),
    /// The pieces so far are void.
    Restart,
    /// A call is about to be made.
    Calling {
        tool: &'a str,
        action: &'a Action,
        shown: &'a str,
        depth: u32,
    },
    /// A call was made.
    Called {
        tool: &'a str,
        failed: bool,
        text: &'a str,
        seconds: f64,
        depth: u32,
    },
    /// What is to be done, in place of the list before.
    Todo {
        items: &'a [Todo],
        depth: u32,
    },
    /// Lines that a program says which a call runs, as it says them, secrets masked. All of it is in
    /// the text of [`Event::Called`], as far as it is kept.
    Output {
        tool: &'a str,
        text: &'a str,
        depth: u32,
    },
    /// How far a call is that takes long.
    Progress {
        tool: &'a str,
        text: &'a str,
        depth: u32,
    },
    /// A call was not made, and why.
    Unmade {
        tool: &'a str,
        reason: &'a str,
        depth: u32,
    },
    Reflected {
        note: &'a str,
        /// The step did not come out as expected, brought nothing, or the approach should change.
        is_unexpected: bool,
        depth: u32,
    },
    /// Older messages were replaced by a summary.
    Compacted {
        messages: usize,
    },
    /// From now on nothing that reaches beyond the work tree is approved by itself.
    Tainted {
        origin: &'a str,
    },
    Warning(&'a str),
    SubTask {
        goal: &'a str,
        depth: u32,
    },
    /// A reader begins to work on a question, beside others, or has ended.
    Reader {
        /// From 1.
        number: usize,
        /// On one line.
        question: &'a str,
        state: ReaderState,
        depth: u32,
    },
    Ended(&'a Finished),
}

/// Who decides for the user: a terminal, a channel, a test.
pub trait Approver {
    /// Waits as long as it takes; never turns waiting into a yes.
    fn approve(&mut self, request: &Approval) -> Answer;

    /// A question of the agent; `options` may be empty. `None` where nobody answers.
    fn ask(&mut self, question: &str, options: &[String]) -> Option<String>;

    /// Shows what happens.
    fn tell(&mut self, event: &Event<'_>);
}
