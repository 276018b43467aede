//! A run that did not come to its end: which call was being made then. Pure but for reading its trail.

use serde_json::{Map, Value};
use ulid::Ulid;

use crate::{Entry, EntryKind, RunTrail, Session, Trails};
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Message, ToolCall};

/// Characters of the arguments, for people.
const SHOWN: usize = 200;

/// What the run in which a session was left has begun and not ended goes into the conversation, with a
/// result that says so. Gives what its user is told; nothing if there was no such call.
pub(super) fn into_session(trails: &Trails, run: Ulid, session: &mut Session) -> Option<String> {
    let trail = trails.read(&run.to_string()).ok()?;
    let said = |entry: &Entry| matches!(entry.kind, EntryKind::Tainted { .. });
    session.is_tainted |= trail.entries.iter().any(said);
    let (tool, arguments, inside) = begun(&trail)?;
    let shown = one_line(&format!("{tool} {arguments}"), SHOWN);
    let inside = inside.map(|tool| format!(", in its call of {tool}")).unwrap_or_default();
    let text = format!(
        "cut off: the program was ended while this call was being made{inside}. It may have been done \
         in part, or wholly, and may have been taken back since: look at what is there before you go \
         on, and do not just repeat it"
    );
    let id = format!("{run}_cut_off");
    let call = ToolCall { id: id.clone(), name: tool.clone(), arguments: as_object(arguments) };
    session.messages.push(Message::Assistant { text: String::new(), tool_calls: vec![call] });
    session.messages.push(Message::Tool { id, name: tool, text, failed: true });
    Some(format!("the run before was cut off in {shown}{inside}: the agent is told"))
}

/// The outermost call of the task that was begun and did not come back, and the innermost one in it.
fn begun(trail: &RunTrail) -> Option<(String, Value, Option<String>)> {
    let mut open: Vec<(&String, &Value)> = Vec::new();
    for entry in &trail.entries {
        match &entry.kind {
            EntryKind::Calling { tool, arguments } => open.push((tool, arguments)),
            EntryKind::Call { tool, .. } => {
                if let Some(at) = open.iter().rposition(|(name, _)| *name == tool) {
                    open.truncate(at);
                }
            }
            EntryKind::End { .. } => return None,
            _ => {}
        }
    }
    let (tool, arguments) = *open.first()?;
    let inside = open.iter().skip(1).next_back().map(|(name, _)| (*name).clone());
    Some((tool.clone(), arguments.clone(), inside))
}

/// As a conversation has arguments: very long ones are one text in a trail.
fn as_object(arguments: Value) -> Value {
    match arguments {
        Value::Object(_) => arguments,
        other => Value::Object(Map::from_iter([("arguments".to_owned(), other)])),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    /// `+name` begins, `-name` comes back, `.` is the end of the run.
    #[track_caller]
    fn check(story: &str, expected: Option<(&str, Option<&str>)>) {
        let kind = |word: &str| {
            let tool = word[1..].to_owned();
            match &word[..1] {
                "+" => EntryKind::Calling { tool, arguments: json!({ "of": word }) },
                "-" => {
                    let call = json!({ "type": "call", "tool": tool, "arguments": {}, "level": "",
                        "action": "", "decision": "", "layer": "", "reasons": [], "approved": "",
                        "made": true, "failed": false, "result": "", "seconds": 0.0,
                        "touched": [], "commits": [] });
                    serde_json::from_value(call).unwrap()
                }
                _ => {
                    let end = json!({ "type": "end", "outcome": "", "reason": "", "answer": "",
                        "touched": [], "commits": [], "notes": [], "steps": 0, "input_tokens": 0,
                        "output_tokens": 0, "usd_micros": 0, "unpriced": 0 });
                    serde_json::from_value(end).unwrap()
                }
            }
        };
        let entry =
            |word| Entry { at: Timestamp::UNIX_EPOCH, depth: 0, reader: None, kind: kind(word) };
        let entries = story.split_whitespace().map(entry).collect();
        let trail = RunTrail { run: Ulid::nil(), entries, damage: Vec::new() };
        let found = begun(&trail);
        let found = found.as_ref().map(|(tool, _, inside)| (tool.as_str(), inside.as_deref()));
        assert_eq!(found, expected, "{story}");
    }

    #[test]
    fn what_was_cut_off() {
        check("", None);
        check("+a -a", None);
        check("+a -a +b", Some(("b", None)));
        // What only looks is written down when it has come back.
        check("-look +a -look -a -look", None);
        check("+a +b", Some(("a", Some("b"))));
        check("+a +b -b +c", Some(("a", Some("c"))));
        check("+a +b -a", None);
        check("+a +a -a", Some(("a", None)));
        check("+a .", None);
    }
}
