//! Looking back on a step that failed after another one that did: a short question to a cheap model. Any
//! other step is judged by the model that makes the next one, in the same reply
//! ([`crate::prompt::JUDGES`]), unless the user wants only failures to be looked back on.

use serde_json::{Value, json};

use super::{
    Run,
    call::{Asked, Made},
    frame::{Frame, Trouble},
};
use crate::{
    End, Event,
    clean::{brief_json, cut_middle},
    trail::EntryKind,
};
use elophanto_base::{one_line::one_line, schema::check};
use elophanto_models::llm::{Message, Request, Schema, Task, schema};

/// Bytes of the goal and of the result that it sees.
const CAPS: (usize, usize) = (2_000, 3_000);
/// Characters of a change.
const CHANGE_CHARS: usize = 400;

#[derive(Debug, PartialEq, Eq)]
struct Reflection {
    as_expected: bool,
    progress: bool,
    change: Option<String>,
    done: bool,
}

impl Run<'_, '_> {
    /// Reflects on a call and puts the finding into the conversation. Without a usable answer the
    /// task goes on as it was.
    pub(super) fn reflect(
        &mut self,
        frame: &mut Frame<'_>,
        asked: &Asked<'_>,
        made: &Made,
    ) -> Result<(), End> {
        let request = self.request_for(frame, asked, made);
        let found = match self.ask(Task::Simple, &request, false) {
            Ok(reply) => parsed(reply.value, &reply.text),
            Err(Trouble::Malformed { raw, .. }) => parsed(None, &raw),
            Err(Trouble::End(End::Cancelled)) => return Err(End::Cancelled),
            Err(_) => None,
        };
        let Some(found) = found else { return Ok(()) };
        let note = in_words(&found, &str::to_owned);
        let is_unexpected = !found.as_expected || !found.progress || found.change.is_some();
        let depth = self.depth;
        self.approver.tell(&Event::Reflected { note: &note, is_unexpected, depth });
        // Whoever judged has read the result: what was in that may speak out of the judgement.
        let quoted = |text: &str| self.quote.wrap("whoever judged the step", text);
        frame.remark(&match self.session.is_tainted {
            true => in_words(&found, &quoted),
            false => note,
        });
        let Reflection { as_expected, progress, change, done } = found;
        self.note(EntryKind::Reflection { as_expected, progress, change, done });
        Ok(())
    }

    fn request_for(&self, frame: &Frame<'_>, asked: &Asked<'_>, made: &Made) -> Request {
        let system =
            format!("You watch an agent at work and judge its last step. {}", self.quote.rule());
        let steps: Vec<_> = frame.plan.steps.iter().map(|step| format!("- {step}")).collect();
        let failed = if made.failed { "it failed" } else { "it did not fail" };
        // The result may be quoted already; a quote in a quote is no worse.
        let result = self.quote.wrap("result", &cut_middle(&made.text, CAPS.1));
        let arguments = brief_json(&asked.arguments, 400, 2_000);
        let text = format!(
            "Goal: {}\n\nPlan:\n{}\n\nCall: {} {arguments}\nBy the program: {failed}.\n{result}\n\n\
             Did it return what was expected? Is there progress towards the goal? If the approach \
             must change, say how in one sentence, else null. Is the goal reached?",
            cut_middle(&frame.goal, CAPS.0),
            steps.join("\n"),
            one_line(asked.tool, 64),
        );
        let messages = vec![Message::System(system), Message::User(text)];
        let schema = Some(reflection_schema());
        Request { messages, schema, repairs: 0, max_tokens: 400, ..Request::default() }
    }
}

fn reflection_schema() -> Schema {
    let schema = json!({
        "type": "object",
        "properties": {
            "as_expected": { "type": "boolean" },
            "progress": { "type": "boolean" },
            "change": { "type": ["string", "null"] },
            "done": { "type": "boolean" },
        },
        "required": ["as_expected", "progress", "change", "done"],
        "additionalProperties": false,
    });
    Schema { name: "reflection".to_owned(), schema }
}

fn parsed(value: Option<Value>, text: &str) -> Option<Reflection> {
    let form = reflection_schema();
    let value = value.filter(|value| check(&form.schema, value).is_ok());
    let value = value.or_else(|| schema::answer(&form, text).ok())?;
    let yes = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or(false);
    let change = value.get("change").and_then(Value::as_str);
    let change =
        change.map(|text| one_line(&crate::clean::clean(text, 4 * CHANGE_CHARS), CHANGE_CHARS));
    Some(Reflection {
        as_expected: yes("as_expected"),
        progress: yes("progress"),
        change: change.filter(|text| !text.is_empty()),
        done: yes("done"),
    })
}

fn in_words(found: &Reflection, suggestion: &dyn Fn(&str) -> String) -> String {
    let expected = if found.as_expected { "as expected" } else { "not as expected" };
    let progress = if found.progress { "progress" } else { "no progress" };
    let mut text = format!("Last step: {expected}, {progress}.");
    if let Some(change) = &found.change {
        text.push_str(&format!(" Suggested change: {}", suggestion(change)));
    }
    if found.done {
        text.push_str(" The goal seems reached: if it is, give the final answer.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reflections() {
        let full =
            r#"{"as_expected":true,"progress":false,"change":"look\nelsewhere","done":true}"#;
        for (text, expected) in [
            ("", None),
            ("All is well.", None),
            (r#"{"as_expected": true}"#, None),
            (
                full,
                Some(
                    "Last step: as expected, no progress. Suggested change: look elsewhere The goal \
                     seems reached: if it is, give the final answer.",
                ),
            ),
            (
                r#"Well: {"as_expected":false,"progress":true,"change":null,"done":false}"#,
                Some("Last step: not as expected, progress."),
            ),
        ] {
            let found = parsed(None, text).map(|found| in_words(&found, &str::to_owned));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
