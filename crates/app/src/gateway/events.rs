//! What happens in a run, as clients are told.

use uuid::Uuid;

use super::message::{ApprovalOf, Happening, Response, TaskComplete, TodoItem, Told, Tone};
use crate::{Error, reporter};
use elophanto_agent::{Approval, Event, Finished};

/// The outcome of a run whose process was ended.
pub const CUT_OFF: &str = "cut off";

/// What is told of an event in the run of a message; nothing of its end, which has a message of its own.
pub fn told(event: &Event<'_>, goal: &str, message: Uuid) -> Option<Told> {
    let own = |text: &&str| (*text).to_owned();
    let happening = match event {
        Event::Text(piece) => {
            let (content, reply_to) = (own(piece), Some(message));
            return Some(Told::Response(Response { content, reply_to, ..Response::default() }));
        }
        Event::Begun { run, .. } => Happening::Begun {
            run: run.to_string(),
            goal: goal.to_owned(),
            reply_to: Some(message),
        },
        Event::Planned { plan, depth } => {
            Happening::Planned { steps: plan.steps.clone(), depth: *depth }
        }
        Event::Restart => Happening::Restart,
        Event::Calling { tool, shown, depth, .. } => {
            Happening::Calling { tool: own(tool), shown: own(shown), depth: *depth }
        }
        Event::Called { tool, failed, text, seconds, depth } => Happening::Called {
            tool: own(tool),
            failed: *failed,
            text: own(text),
            seconds: *seconds,
            depth: *depth,
        },
        Event::Todo { items, depth } => {
            let item = |item: &elophanto_agent::Todo| TodoItem {
                text: item.text.clone(),
                state: item.state.name().to_owned(),
            };
            Happening::Todo { items: items.iter().map(item).collect(), depth: *depth }
        }
        Event::Output { tool, text, depth } => {
            Happening::Output { tool: own(tool), text: own(text), depth: *depth }
        }
        Event::Progress { tool, text, depth } => {
            Happening::Progress { tool: own(tool), text: own(text), depth: *depth }
        }
        Event::Unmade { tool, reason, depth } => {
            Happening::Unmade { tool: own(tool), reason: own(reason), depth: *depth }
        }
        Event::Reflected { note, is_unexpected, depth } => {
            Happening::Reflected { note: own(note), unexpected: *is_unexpected, depth: *depth }
        }
        Event::Compacted { messages } => Happening::Compacted { messages: *messages },
        Event::Tainted { origin } => Happening::Tainted { origin: own(origin) },
        Event::Warning(text) => return Some(notice(own(text), Tone::Warning)),
        Event::SubTask { goal, depth } | Event::Reader { question: goal, depth, .. } => {
            Happening::SubTask { goal: own(goal), depth: *depth }
        }
        Event::Ended(_) => return None,
    };
    Some(Told::Event(Box::new(happening)))
}

/// Something the user should know.
pub fn notice(text: String, tone: Tone) -> Told {
    Told::Event(Box::new(Happening::Notification { text, tone }))
}

impl From<reporter::Tone> for Tone {
    fn from(tone: reporter::Tone) -> Self {
        match tone {
            reporter::Tone::Note => Self::Note,
            reporter::Tone::Warning => Self::Warning,
            reporter::Tone::Talk => Self::Talk,
        }
    }
}

/// What a call shows that waits for an answer.
pub fn asked(approval: &Approval) -> ApprovalOf {
    ApprovalOf::Call {
        tool: approval.tool.clone(),
        level: approval.level.name().to_owned(),
        arguments: approval.arguments.clone(),
        shown: approval.shown.clone(),
        reasons: approval.reasons.clone(),
        commands: approval.commands.clone(),
        can_be_kept: approval.can_be_kept,
        can_be_edits: approval.can_be_edits,
        can_be_rule: approval.can_be_rule,
        tainted: approval.is_tainted,
        depth: approval.depth,
    }
}

impl TaskComplete {
    /// How a run ended that was to reach this goal.
    pub fn of(finished: &Finished, goal: &str) -> Self {
        let texts = |paths: &[std::path::PathBuf]| {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        Self {
            run: finished.run.to_string(),
            goal: goal.to_owned(),
            outcome: finished.outcome.name().to_owned(),
            reason: finished.reason(),
            files: texts(&finished.touched),
            commits: finished.commits.clone(),
            notes: texts(&finished.notes),
            effects: finished.effects,
            steps: finished.steps,
            input_tokens: finished.spent.input_tokens,
            output_tokens: finished.spent.output_tokens,
            usd: finished.spent.usd_micros as f64 / 1e6,
            warnings: finished.warnings.clone(),
        }
    }
}

/// A message without a run that came to its end.
pub fn without_run(goal: &str, outcome: &str, reason: String) -> TaskComplete {
    let (goal, outcome) = (goal.to_owned(), outcome.to_owned());
    TaskComplete { goal, outcome, reason, ..TaskComplete::default() }
}

/// Why there was no run.
pub fn failed(goal: &str, error: &Error) -> TaskComplete {
    without_run(goal, "failed", error.message().to_owned())
}
