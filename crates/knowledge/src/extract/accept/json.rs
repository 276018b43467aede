//! The list of strings in what a model said, whatever stands around it.

use serde_json::{Deserializer, Value};

use super::{MAX_ANSWER_BYTES, Refused};

/// Places at which JSON may begin that are tried.
const MAX_PLACES: usize = 64;
/// Items of a list that are read.
const MAX_ITEMS: usize = 1_000;
/// Fields of an item that hold its text.
const TEXTS: &[&str] = &["name", "entity", "fact", "text", "statement", "content", "title"];

/// The strings of the list that the answer holds under one of `fields`, or of its only list.
///
/// # Errors
/// [`Refused`] if there is none.
pub(super) fn strings(answer: &str, fields: &[&str]) -> Result<Vec<String>, Refused> {
    let answer = &answer[..answer.floor_char_boundary(MAX_ANSWER_BYTES)];
    // Thoughts may hold drafts of the answer.
    let answer = ["</think>", "</thinking>", "</reasoning>"]
        .iter()
        .filter_map(|close| answer.rfind(close).map(|at| at + close.len()))
        .max()
        .map_or(answer, |end| &answer[end..]);
    if answer.trim().is_empty() {
        return Err(Refused::Empty);
    }
    let mut rest = answer;
    let mut empty = false;
    for _ in 0..MAX_PLACES {
        let Some(start) = rest.find(['{', '[']) else { break };
        let after = &rest[start..];
        let mut values = Deserializer::from_str(after).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                match list(&value, fields) {
                    Some(found) if !found.is_empty() => return Ok(found),
                    Some(_) => empty = true,
                    None => {}
                }
                rest = &after[values.byte_offset().max(1)..];
            }
            // A brace in prose, or an answer that was cut: its list may be whole.
            _ => rest = &after[1..],
        }
    }
    if empty { Ok(Vec::new()) } else { Err(Refused::NoList) }
}

fn list(value: &Value, fields: &[&str]) -> Option<Vec<String>> {
    let items = match value {
        Value::Array(items) => items,
        Value::Object(object) => {
            let named = fields.iter().find_map(|field| object.get(*field)?.as_array());
            let mut lists = object.values().filter_map(Value::as_array);
            named.or_else(|| lists.next())?
        }
        _ => return None,
    };
    let found: Vec<String> = items.iter().take(MAX_ITEMS).filter_map(text).collect();
    // A list of something else is not the answer.
    (!found.is_empty() || items.is_empty()).then_some(found)
}

fn text(item: &Value) -> Option<String> {
    match item {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => {
            TEXTS.iter().find_map(|field| fields.get(*field)?.as_str()).map(str::to_owned)
        }
        _ => None,
    }
}
