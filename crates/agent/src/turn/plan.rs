//! Planning: an explicit question to a model before anything is done.

use serde_json::{Value, json};

use super::{
    Run,
    frame::{Frame, Trouble},
};
use crate::{
    End, Event, Host,
    clean::clean,
    prompt::{self, NOTE},
    trail::EntryKind,
};
use elophanto_base::{one_line::one_line, schema::check};
use elophanto_models::llm::{Message, Schema, Task, schema};

const STEPS_CAP: usize = 12;
const TOOLS_CAP: usize = 20;
/// Characters of a step.
const STEP_CHARS: usize = 300;
const PLAN_TOKENS: u32 = 1_500;
/// Plans that the user may want to be different, one after another.
const MOST_PLANS: usize = 10;
/// Bytes of what they want.
const EDIT_CAP: usize = 8 * 1024;

/// What a task is going to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// In order, each on one line, secrets masked. May be empty.
    pub steps: Vec<String>,
    /// What is known suffices: no tool is used.
    pub answer_at_once: bool,
    /// The goal is that something is changed or run, rather than that a question is answered; not always
    /// said.
    pub changes: Option<bool>,
    /// Names of tools that it needs.
    pub tools: Vec<String>,
}

impl Run<'_, '_> {
    /// Asks for a plan and puts it into the conversation. A model that gives none works without.
    pub(super) fn plan(&mut self, frame: &mut Frame<'_>) -> Result<(), End> {
        let mut plan = self.planned(frame)?;
        let asks = self.agent.settings.asks_plan && self.depth == 0;
        let mut left = MOST_PLANS;
        while asks && !plan.answer_at_once {
            let Some(wanted) = self.about_plan()? else { break };
            left -= 1;
            if left == 0 {
                return Err(End::Cancelled);
            }
            let text = numbered(&plan.steps);
            frame.push(Message::Assistant { text, tool_calls: Vec::new() });
            frame.push(Message::User(wanted));
            plan = self.planned(frame)?;
        }
        if plan.answer_at_once {
            frame.remark("What you know suffices. Answer now, without tools.");
        } else if !plan.steps.is_empty() {
            let plan = numbered(&plan.steps);
            frame.remark(&format!("Your plan:\n{plan}\nCarry it out."));
        }
        frame.plan = plan;
        Ok(())
    }

    /// Asks the user about the plan that was just told; what they want instead, if they do.
    fn about_plan(&mut self) -> Result<Option<String>, End> {
        let options = ["yes", "no", "edit"].map(str::to_owned);
        let answer = self.ask_user("Work by this plan?", &options).ok_or(End::Cancelled)?;
        let answer = match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(None),
            "" | "n" | "no" => return Err(End::Cancelled),
            "e" | "edit" => self.ask_user("What is to be different?", &[]).ok_or(End::Cancelled)?,
            // What else is said is what is wanted instead.
            _ => answer,
        };
        match clean(answer.trim(), EDIT_CAP) {
            wanted if wanted.is_empty() => Err(End::Cancelled),
            wanted => Ok(Some(wanted)),
        }
    }

    fn planned(&mut self, frame: &mut Frame<'_>) -> Result<Plan, End> {
        let mut request = frame.request(false, PLAN_TOKENS);
        request.schema = Some(plan_schema());
        request.repairs = 0;
        request.messages.push(Message::User(format!(
            "{NOTE} Before anything is done: make a short plan for this goal, one line for each \
             step, with these tools, and name those that it needs. If what you were told above \
             suffices to answer, set `answer_at_once`; if the goal is that something is changed or \
             run, rather than an answer or a text, set `changes`.\n{}",
            prompt::tool_lines(frame.tools.specs())
        )));
        let plan = match self.ask(Task::Planning, &request, false) {
            Ok(reply) => parsed(reply.value, &reply.text),
            Err(Trouble::Malformed { raw, .. }) => parsed(None, &raw),
            Err(Trouble::TooLong(_)) => Plan::default(),
            Err(Trouble::End(end)) => return Err(end),
        };
        self.note(EntryKind::Plan {
            steps: plan.steps.clone(),
            answer_at_once: plan.answer_at_once,
        });
        self.approver.tell(&Event::Planned { plan: &plan, depth: self.depth });
        frame.wanted.extend(plan.tools.iter().cloned());
        Ok(plan)
    }
}

fn numbered(steps: &[String]) -> String {
    let lines = steps.iter().enumerate().map(|(number, step)| format!("{}. {step}", number + 1));
    lines.collect::<Vec<_>>().join("\n")
}

fn plan_schema() -> Schema {
    let schema = json!({
        "type": "object",
        "properties": {
            "answer_at_once": { "type": "boolean" },
            "changes": { "type": "boolean" },
            "steps": { "type": "array", "items": { "type": "string" } },
            "tools": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["answer_at_once", "changes", "steps", "tools"],
        "additionalProperties": false,
    });
    Schema { name: "plan".to_owned(), schema }
}

/// From what fits the schema, from JSON among prose, or from the lines of prose. What was not always asked
/// for may be missing.
fn parsed(value: Option<Value>, text: &str) -> Plan {
    let mut form = plan_schema();
    form.schema["required"] = json!(["answer_at_once", "steps"]);
    let value = value.filter(|value| check(&form.schema, value).is_ok());
    let Some(value) = value.or_else(|| schema::answer(&form, text).ok()) else {
        return Plan { steps: lines(text), ..Plan::default() };
    };
    let texts = |name: &str| {
        let texts = value.get(name).and_then(Value::as_array).into_iter().flatten();
        texts.filter_map(Value::as_str)
    };
    let steps = texts("steps").map(step_line);
    Plan {
        tools: texts("tools").take(TOOLS_CAP).map(str::to_owned).collect(),
        steps: steps.filter(|step| !step.is_empty()).take(STEPS_CAP).collect(),
        answer_at_once: value.get("answer_at_once").and_then(Value::as_bool).unwrap_or(false),
        changes: value.get("changes").and_then(Value::as_bool),
    }
}

fn lines(text: &str) -> Vec<String> {
    // Broken JSON is no list of steps.
    let is_line = |line: &&str| line.chars().any(char::is_alphanumeric);
    if text.trim_start().starts_with(['{', '[', '`']) {
        return Vec::new();
    }
    text.lines().filter(is_line).take(STEPS_CAP).map(step_line).collect()
}

/// Without its number or bullet, which the list gets anew.
fn step_line(line: &str) -> String {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    let bare = if is_numbered { digits.get(1..).unwrap_or("") } else { line };
    let bare = bare.trim_start_matches(['-', '*', '#', ' ']);
    one_line(&clean(bare, 4 * STEP_CHARS), STEP_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, steps: &[&str], answer_at_once: bool) {
        let plan = parsed(None, text);
        assert_eq!(
            (plan.steps.as_slice(), plan.answer_at_once),
            (
                steps.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>().as_slice(),
                answer_at_once
            )
        );
    }

    #[test]
    fn plans_are_found() {
        check("", &[], false);
        check(r#"{"answer_at_once": true, "steps": []}"#, &[], true);
        check(r#"Here: {"answer_at_once": false, "steps": ["1. read", " "]} ok"#, &["read"], false);
        check("1. Read a.md\n\n2) Edit it\n- Test\n---", &["Read a.md", "Edit it", "Test"], false);
        check(r#"{"steps": ["a"#, &[], false);
        check(r#"{"steps": 3, "answer_at_once": "yes"}"#, &[], false);
        check("2026 was good\u{1b}[2J\r\n", &["2026 was good[2J"], false);
        check(&"x\n".repeat(1_000), &["x"; STEPS_CAP], false);
    }
}
