//! A run that is made elsewhere, as the terminal shows those that are made here: events and approvals
//! of a gateway become ours. What is not understood is passed over: a newer gateway may say more.

use serde_json::Value;
use uuid::Uuid;

use super::run::Terminal;
use elophanto_agent::{
    Answer, Approval, Approver, Event, Plan, Todo, TodoState,
    permissions::{Action, Layer, Level},
};
use elophanto_app::{
    Reporter,
    gateway::message::{ApprovalOf, ApprovalRequest, Word},
    reporter::Tone,
};

/// The tool that runs lines of a shell. What it shows of a call ends in the line, behind a first line
/// that says where and with what it runs.
const SHELL: &str = "shell_execute";

/// Shows what happens.
pub fn tell(terminal: &mut Terminal, event: &Value) {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let depth = event["depth"].as_u64().and_then(|depth| depth.try_into().ok()).unwrap_or(0);
    let tool = text("tool");
    match text("event") {
        "begun" => {
            let run = text("run").parse().unwrap_or_default();
            terminal.tell(&Event::Begun { run, session: Uuid::nil() });
        }
        "planned" => {
            let steps = event["steps"].as_array().into_iter().flatten();
            let steps = steps.filter_map(Value::as_str).map(str::to_owned).collect();
            let plan = Plan { steps, answer_at_once: false, changes: None, tools: Vec::new() };
            terminal.tell(&Event::Planned { plan: &plan, depth });
        }
        "calling" => {
            let shown = text("shown");
            let action = action(terminal, tool, shown);
            terminal.tell(&Event::Calling { tool, action: &action, shown, depth });
        }
        "called" => {
            let failed = event["failed"] == true;
            let seconds = event["seconds"].as_f64().unwrap_or_default();
            terminal.tell(&Event::Called { tool, failed, text: text("text"), seconds, depth });
        }
        "todo" => {
            let items = event["items"].as_array().into_iter().flatten().map(todo);
            let items: Vec<_> = items.collect();
            terminal.tell(&Event::Todo { items: &items, depth });
        }
        "output" => terminal.tell(&Event::Output { tool, text: text("text"), depth }),
        "progress" => terminal.tell(&Event::Progress { tool, text: text("text"), depth }),
        "unmade" => terminal.tell(&Event::Unmade { tool, reason: text("reason"), depth }),
        "reflected" => {
            let is_unexpected = event["unexpected"] == true;
            terminal.tell(&Event::Reflected { note: text("note"), is_unexpected, depth });
        }
        "compacted" => {
            let messages = event["messages"].as_u64().and_then(|it| it.try_into().ok());
            terminal.tell(&Event::Compacted { messages: messages.unwrap_or(0) });
        }
        "tainted" => terminal.tell(&Event::Tainted { origin: text("origin") }),
        "sub_task" => terminal.tell(&Event::SubTask { goal: text("goal"), depth }),
        "restart" => terminal.tell(&Event::Restart),
        "notification" => {
            let tone = match text("tone") {
                "warning" => Tone::Warning,
                "note" => Tone::Note,
                _ => Tone::Talk,
            };
            (&terminal.screen as &dyn Reporter).tell(tone, text("text"));
        }
        "error" => terminal.screen.warn(text("text")),
        _ => {}
    }
}

/// Asks what the gateway asks; `None` where nobody answers.
pub fn ask(terminal: &mut Terminal, request: &ApprovalRequest) -> Option<(Word, Option<String>)> {
    match &request.what {
        ApprovalOf::Question { question, options } => {
            terminal.ask(question, options).map(|text| (Word::Once, Some(text)))
        }
        ApprovalOf::Call {
            tool,
            level,
            arguments,
            shown,
            reasons,
            commands,
            can_be_kept,
            can_be_edits,
            can_be_rule,
            tainted,
            depth,
        } => {
            let approval = Approval {
                run: request.run.parse().unwrap_or_default(),
                session: Uuid::nil(),
                tool: tool.clone(),
                level: Level::named(level).unwrap_or(Level::Critical),
                arguments: arguments.clone(),
                action: action(terminal, tool, shown),
                shown: shown.clone(),
                layer: Layer::Mode,
                reasons: reasons.clone(),
                commands: commands.clone(),
                can_be_kept: *can_be_kept,
                can_be_edits: *can_be_edits,
                can_be_rule: *can_be_rule,
                is_tainted: *tainted,
                depth: *depth,
            };
            match terminal.approve(&approval) {
                Answer::Once => Some((Word::Once, None)),
                Answer::Session => Some((Word::Session, None)),
                Answer::Edits => Some((Word::Edits, None)),
                Answer::Rule => Some((Word::Rule, None)),
                Answer::No(why) => Some((Word::No, why)),
                Answer::Nobody => None,
            }
        }
    }
}

/// What a call does, as far as what is shown of it says so.
fn action(terminal: &Terminal, tool: &str, shown: &str) -> Action {
    match (tool, shown.split_once('\n')) {
        (SHELL, Some((how, line))) => Action::Shell {
            line: line.to_owned(),
            folder: terminal.root().to_owned(),
            network: how.contains("with network"),
        },
        _ => Action::Look,
    }
}

fn todo(item: &Value) -> Todo {
    let state = item["state"].as_str().and_then(TodoState::named);
    let text = item["text"].as_str().unwrap_or_default().to_owned();
    Todo { text, state: state.unwrap_or(TodoState::Open) }
}
