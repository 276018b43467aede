//! A run of the agent, as `--json` prints it line by line.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use elophanto_agent::{Approval, Event, Finished, ReaderState, Todo};
use elophanto_app::usage::usd;

/// What happens, or is asked: one line.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunLineWire<'a> {
    Begun {
        run: String,
        session: String,
    },
    Plan {
        steps: &'a [String],
        depth: u32,
    },
    Text {
        text: &'a str,
    },
    Restart,
    Calling {
        tool: &'a str,
        shown: &'a str,
        depth: u32,
    },
    Called {
        tool: &'a str,
        failed: bool,
        text: &'a str,
        seconds: f64,
        depth: u32,
    },
    Todo {
        items: Vec<TodoWire<'a>>,
        depth: u32,
    },
    /// Whole lines that a command says, as it says them.
    Output {
        tool: &'a str,
        text: &'a str,
        depth: u32,
    },
    Progress {
        tool: &'a str,
        text: &'a str,
        depth: u32,
    },
    Unmade {
        tool: &'a str,
        reason: &'a str,
        depth: u32,
    },
    Reflected {
        note: &'a str,
        depth: u32,
    },
    Compacted {
        messages: usize,
    },
    Tainted {
        origin: &'a str,
    },
    Warning {
        message: &'a str,
    },
    /// A task inside the task.
    SubTask {
        goal: &'a str,
        depth: u32,
        #[serde(flatten)]
        reader: Option<ReaderWire>,
    },
    ApprovalRequest(ApprovalWire<'a>),
    Question {
        id: u64,
        question: &'a str,
        options: &'a [String],
    },
    Ended(EndedWire<'a>),
}

#[derive(Serialize, JsonSchema)]
pub struct TodoWire<'a> {
    text: &'a str,
    /// `open`, `doing` or `done`.
    state: &'static str,
}

/// One of the readers that work side by side: one line as it begins, with what it may use, and one as
/// it ends, with what it used.
#[derive(Serialize, JsonSchema)]
pub struct ReaderWire {
    /// From 1.
    reader: usize,
    state: &'static str,
    steps: u32,
    tokens: u64,
}

/// A call that waits for an answer.
#[derive(Serialize, JsonSchema)]
pub struct ApprovalWire<'a> {
    id: u64,
    run: String,
    session: String,
    tool: &'a str,
    level: &'static str,
    arguments: &'a Value,
    /// What exactly will run, and its effect.
    shown: &'a str,
    reasons: &'a [String],
    commands: &'a [Vec<String>],
    /// Whether `session` may be answered; `edits`, all edits of files in this work tree for the session;
    /// and `rule`.
    can_be_kept: bool,
    can_be_edits: bool,
    can_be_rule: bool,
    tainted: bool,
    depth: u32,
}

impl<'a> ApprovalWire<'a> {
    /// Of a call, and what an answer has to name it by.
    pub fn of(id: u64, request: &'a Approval) -> Self {
        Self {
            id,
            run: request.run.to_string(),
            session: request.session.to_string(),
            tool: &request.tool,
            level: request.level.name(),
            arguments: &request.arguments,
            shown: &request.shown,
            reasons: &request.reasons,
            commands: &request.commands,
            can_be_kept: request.can_be_kept,
            can_be_edits: request.can_be_edits,
            can_be_rule: request.can_be_rule,
            tainted: request.is_tainted,
            depth: request.depth,
        }
    }
}

/// How a run ended.
#[derive(Serialize, JsonSchema)]
pub struct EndedWire<'a> {
    run: String,
    session: String,
    outcome: &'static str,
    reason: String,
    answer: &'a str,
    files: Vec<String>,
    commits: &'a [String],
    notes: Vec<String>,
    /// Calls that were made and that change, run or reach something; 0: nothing was changed.
    effects: usize,
    steps: u32,
    input_tokens: u64,
    output_tokens: u64,
    /// Of the calls whose price is known.
    usd: f64,
    warnings: &'a [String],
}

impl<'a> From<&'a Finished> for EndedWire<'a> {
    fn from(finished: &'a Finished) -> Self {
        let texts = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        Self {
            run: finished.run.to_string(),
            session: finished.session.to_string(),
            outcome: finished.outcome.name(),
            reason: finished.reason(),
            answer: &finished.answer,
            files: texts(&finished.touched),
            commits: &finished.commits,
            notes: texts(&finished.notes),
            effects: finished.effects,
            steps: finished.steps,
            input_tokens: finished.spent.input_tokens,
            output_tokens: finished.spent.output_tokens,
            usd: usd(finished.spent.usd_micros),
            warnings: &finished.warnings,
        }
    }
}

impl<'a> From<&Event<'a>> for RunLineWire<'a> {
    fn from(event: &Event<'a>) -> Self {
        match *event {
            Event::Begun { run, session } => {
                Self::Begun { run: run.to_string(), session: session.to_string() }
            }
            Event::Planned { plan, depth } => Self::Plan { steps: &plan.steps, depth },
            Event::Text(text) => Self::Text { text },
            Event::Restart => Self::Restart,
            Event::Calling { tool, shown, depth, .. } => Self::Calling { tool, shown, depth },
            Event::Called { tool, failed, text, seconds, depth } => {
                Self::Called { tool, failed, text, seconds, depth }
            }
            Event::Todo { items, depth } => {
                let item = |Todo { text, state }: &'a Todo| TodoWire { text, state: state.name() };
                Self::Todo { items: items.iter().map(item).collect(), depth }
            }
            Event::Output { tool, text, depth } => Self::Output { tool, text, depth },
            Event::Progress { tool, text, depth } => Self::Progress { tool, text, depth },
            Event::Unmade { tool, reason, depth } => Self::Unmade { tool, reason, depth },
            Event::Reflected { note, depth, .. } => Self::Reflected { note, depth },
            Event::Compacted { messages } => Self::Compacted { messages },
            Event::Tainted { origin } => Self::Tainted { origin },
            Event::Warning(message) => Self::Warning { message },
            Event::SubTask { goal, depth } => Self::SubTask { goal, depth, reader: None },
            Event::Reader { number, question, state, depth } => {
                let (state, steps, tokens) = match state {
                    ReaderState::Begun { steps, tokens } => ("begun", steps, tokens),
                    ReaderState::Ended { end, steps, tokens } => (end.name(), steps, tokens),
                };
                let reader = Some(ReaderWire { reader: number, state, steps, tokens });
                Self::SubTask { goal: question, depth, reader }
            }
            Event::Ended(finished) => Self::Ended(finished.into()),
        }
    }
}
