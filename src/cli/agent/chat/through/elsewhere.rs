//! What happens in a conversation while somebody types: in short, a line or a few for each message.
//! Pure.

use serde_json::Value;

use crate::terminal::ui::{exact_line, visible};
use elophanto_base::one_line::one_line;

/// Bytes of a goal, a call, a reason.
const MOST: usize = 200;

/// What is shown of a message; nothing where it says nothing new to whoever looks on.
pub fn line(message: &Value) -> Option<String> {
    let data = &message["data"];
    let short = |key: &str| short(data, key);
    let text = match (message["type"].as_str()?, data["event"].as_str()) {
        ("response", _) if data["done"] == true => {
            let answer = data["content"].as_str().unwrap_or_default().trim();
            (!answer.is_empty()).then(|| visible(answer))?
        }
        ("approval_request", _) => {
            format!("waits for an answer: {} (Enter: answer here)", named(data))
        }
        ("event", Some("begun")) => format!("a run begins: {}", short("goal")),
        ("event", Some("calling")) => format!("{}: {}", short("tool"), short("shown")),
        ("event", Some("called")) if data["failed"] == true => format!("{} failed", short("tool")),
        ("event", Some("approval_settled")) => match data["channel"].as_str() {
            Some(_) => format!("answered by {}: {}", short("channel"), short("answer")),
            None => format!("not answered: {}", short("answer")),
        },
        ("event", Some("notification" | "error")) => short("text"),
        ("event", Some("task_complete")) => {
            format!("the run has ended, {}: {}", short("outcome"), short("reason"))
        }
        ("error", _) => format!("error: {}", short("detail")),
        _ => return None,
    };
    Some(text)
}

/// What waits for an answer.
pub fn named(request: &Value) -> String {
    match request["kind"].as_str() {
        Some("question") => short(request, "question"),
        _ => format!("{}: {}", short(request, "tool"), short(request, "shown")),
    }
}

fn short(data: &Value, key: &str) -> String {
    exact_line(&one_line(data[key].as_str().unwrap_or_default(), MOST))
}

/// Whether somebody has to answer it.
pub fn waits(message: &Value) -> bool {
    message["type"] == "approval_request"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_for_what_is_new() {
        let event = |data: Value| json!({ "type": "event", "data": data });
        for (message, expected) in [
            (json!({ "type": "status", "data": {} }), None),
            (json!({ "type": "response", "data": { "content": "pie", "done": false } }), None),
            (
                json!({ "type": "response", "data": { "content": "a\u{1b}b\n", "done": true } }),
                Some("a␛b"),
            ),
            (event(json!({ "event": "begun", "goal": "x\ny" })), Some("a run begins: x y")),
            (event(json!({ "event": "planned", "steps": [] })), None),
            (
                event(json!({ "event": "approval_settled", "answer": "no", "channel": "web" })),
                Some("answered by web: no"),
            ),
            (
                json!({ "type": "approval_request", "data": { "kind": "question", "question": "Why?" } }),
                Some("waits for an answer: Why? (Enter: answer here)"),
            ),
        ] {
            assert_eq!(line(&message).as_deref(), expected, "{message}");
        }
    }
}
