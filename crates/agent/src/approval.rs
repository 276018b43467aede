//! Whoever is asked: what they are shown, and what they may answer.

use serde_json::Value;
use ulid::Ulid;
use uuid::Uuid;

use super::{Plan, ReaderState, Todo, outcome::Finished};
use crate::permissions::{Action, Layer, Level};

/// A call that waits for an answer. All text in it may come from outside: the door escapes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The run that waits for it.
    pub run: Ulid,
    /// The conversation that the run is in.
    pub session: Uuid,
    /// By its name.
    pub tool: String,
    /// How much harm it may do.
    pub level: Level,
    /// As they will be used, secrets included.
    pub arguments: Value,
    /// What it does, as permissions see it.
    pub action: Action,
    /// The command, a diff, the address: see [`super::Intent::shown`].
    pub shown: String,
    /// Which layer of the permissions asks.
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

/// What may be answered to an [`Approval`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This call alone.
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
    /// A run has begun.
    Begun {
        /// By which it is known from now on.
        run: Ulid,
        /// The conversation that it is in.
        session: Uuid,
    },
    /// There is a plan, or another one.
    Planned {
        /// Its steps, in their order.
        plan: &'a Plan,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// A piece of the model's answer.
    Text(&'a str),
    /// The pieces so far are void.
    Restart,
    /// A call is about to be made.
    Calling {
        /// By its name.
        tool: &'a str,
        /// What it does, as permissions see it.
        action: &'a Action,
        /// What exactly will run, and its effect: see [`super::Intent::shown`].
        shown: &'a str,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// A call was made.
    Called {
        /// By its name.
        tool: &'a str,
        /// Whether it did not do what was asked.
        failed: bool,
        /// What it gave back, for the model.
        text: &'a str,
        /// How long it took.
        seconds: f64,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// What is to be done, in place of the list before.
    Todo {
        /// In their order.
        items: &'a [Todo],
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// Lines that a program says which a call runs, as it says them, secrets masked. All of it is in
    /// the text of [`Event::Called`], as far as it is kept.
    Output {
        /// By its name.
        tool: &'a str,
        /// Whole lines.
        text: &'a str,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// How far a call is that takes long.
    Progress {
        /// By its name.
        tool: &'a str,
        /// In words.
        text: &'a str,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// A call was not made, and why.
    Unmade {
        /// By its name.
        tool: &'a str,
        /// As the model is told.
        reason: &'a str,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// The model looked back at its last step.
    Reflected {
        /// What it thinks of it.
        note: &'a str,
        /// The step did not come out as expected, brought nothing, or the approach should change.
        is_unexpected: bool,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// Older messages were replaced by a summary.
    Compacted {
        /// How many.
        messages: usize,
    },
    /// From now on nothing that reaches beyond the work tree is approved by itself.
    Tainted {
        /// Where the text from outside comes from.
        origin: &'a str,
    },
    /// Something that the user should look at.
    Warning(&'a str),
    /// A task of its own begins inside the run.
    SubTask {
        /// What it is to do.
        goal: &'a str,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// A reader begins to work on a question, beside others, or has ended.
    Reader {
        /// From 1.
        number: usize,
        /// On one line.
        question: &'a str,
        /// How far it is.
        state: ReaderState,
        /// How many tasks this one is nested in; 0 is the run itself.
        depth: u32,
    },
    /// The run has ended.
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
