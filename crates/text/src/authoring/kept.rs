//! Keys of front matter that outlive an overwriting, in the words of the note where that is safe.

use std::{collections::BTreeMap, fmt::Write as _};

use toml::de::{DeTable, DeValue};

use super::{front::Damage, text::clean};
use crate::markdown::{FRONT_MATTER_BUDGET, count_line_ends};
use elophanto_base::yaml::{self, Value};

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub key: String,
    /// One or more lines of YAML, each with its line feed.
    pub lines: String,
}

/// The keys of a YAML block, in its order. The block begins on line 2 of its text.
pub(super) fn yaml_entries(block: &str) -> Result<Vec<Kept>, Damage> {
    let node = yaml::parse(block, &FRONT_MATTER_BUDGET).map_err(|error| Damage {
        line: error.line().map(|line| line + 1),
        reason: error.to_string(),
    })?;
    let Value::Mapping(entries) = node.value else { return Ok(Vec::new()) };
    // A part that says one thing, by what it says: keys are unique, so that is too.
    let parts = parts(block).into_iter().map(|part| part.trim_end_matches('\n').to_owned() + "\n");
    let parts = parts.filter_map(|part| Some((says(&part)?, part)));
    let mut parts: BTreeMap<String, String> = parts.collect();
    let entries = entries.into_iter().map(|(key, node)| {
        let rendered = rendered(&key, |out| push_yaml(&node.value, out));
        let lines = parts.remove(&rendered).unwrap_or(rendered);
        Kept { key, lines }
    });
    Ok(entries.collect())
}

/// The keys of a TOML block as YAML. The block begins on line 2 of its text.
pub(super) fn toml_entries(block: &str) -> Result<Vec<Kept>, Damage> {
    let max = FRONT_MATTER_BUDGET.max_bytes;
    if block.len() > max {
        let reason = format!("{} bytes of TOML, over the cap of {max}", block.len());
        return Err(Damage { line: None, reason });
    }
    let table = DeTable::parse(block).map_err(|error| {
        let before = error.span().and_then(|span| block.get(..span.start));
        let line = before.map(|before| 2 + count_line_ends(before));
        Damage { line, reason: format!("invalid TOML: {}", error.message()) }
    })?;
    let entries = table.into_inner().into_iter().map(|(key, value)| {
        let key = key.into_inner().into_owned();
        let lines = rendered(&key, |out| push_toml(value.get_ref(), out));
        Kept { key, lines }
    });
    Ok(entries.collect())
}

/// The block cut in front of each key at the left margin and the comments above it.
fn parts(block: &str) -> Vec<&str> {
    let begins = |line: &str| {
        !line.trim().is_empty() && !line.starts_with([' ', '\t', '#', '}', ']']) && !is_item(line)
    };
    let (mut parts, mut start, mut at, mut has_key) = (Vec::new(), 0, 0, false);
    let mut comment = None;
    for line in block.split_inclusive('\n') {
        if begins(line) {
            if has_key {
                let end = comment.unwrap_or(at);
                parts.extend(block.get(start..end));
                start = end;
            }
            (has_key, comment) = (true, None);
        } else if line.starts_with('#') {
            comment = comment.or(Some(at));
        } else if !line.trim().is_empty() {
            comment = None;
        }
        at += line.len();
    }
    parts.extend(block.get(start..));
    parts
}

/// An item of a list that is not indented under its key.
fn is_item(line: &str) -> bool {
    line.strip_prefix('-').is_some_and(|rest| rest.trim().is_empty() || rest.starts_with(' '))
}

/// What a part says if it says one thing.
fn says(part: &str) -> Option<String> {
    match yaml::parse(part, &FRONT_MATTER_BUDGET).ok()?.value {
        Value::Mapping(entries) => match entries.as_slice() {
            [(key, node)] => Some(rendered(key, |out| push_yaml(&node.value, out))),
            _ => None,
        },
        Value::Null | Value::Scalar(_) | Value::Sequence(_) => None,
    }
}

fn rendered(key: &str, push_value: impl FnOnce(&mut String)) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let is_plain = key.starts_with(|char: char| char.is_ascii_alphabetic())
        && key.chars().all(plain)
        && !matches!(key.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "y" | "n");
    let mut line = if is_plain { key.to_owned() } else { quoted(key) };
    line.push_str(": ");
    push_value(&mut line);
    line.push('\n');
    line
}

/// JSON's form of a text, which is YAML's too once no character needs an escape that only JSON has.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::String(clean(text)).to_string()
}

/// On one line, in YAML's flow form.
fn push_yaml(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Scalar(text) => out.push_str(&quoted(text)),
        Value::Sequence(items) => {
            push_between(LIST, items.iter(), out, |item, out| push_yaml(&item.value, out));
        }
        Value::Mapping(entries) => push_between(MAP, entries.iter(), out, |(key, node), out| {
            let _ = write!(out, "{}: ", quoted(key));
            push_yaml(&node.value, out);
        }),
    }
}

fn push_toml(value: &DeValue<'_>, out: &mut String) {
    let _ = match value {
        DeValue::String(text) => write!(out, "{}", quoted(text)),
        DeValue::Integer(number) => write!(out, "{number}"),
        DeValue::Float(number) => write!(out, "{number}"),
        DeValue::Boolean(yes) => write!(out, "{yes}"),
        DeValue::Datetime(time) => write!(out, "{}", quoted(&time.to_string())),
        DeValue::Array(items) => {
            push_between(LIST, items.iter(), out, |item, out| push_toml(item.get_ref(), out));
            Ok(())
        }
        DeValue::Table(table) => {
            push_between(MAP, table.iter(), out, |(key, value), out| {
                let _ = write!(out, "{}: ", quoted(key.get_ref()));
                push_toml(value.get_ref(), out);
            });
            Ok(())
        }
    };
}

const LIST: (char, char) = ('[', ']');
const MAP: (char, char) = ('{', '}');

fn push_between<T>(
    (open, close): (char, char),
    parts: impl Iterator<Item = T>,
    out: &mut String,
    push: impl Fn(T, &mut String),
) {
    out.push(open);
    for (index, part) in parts.enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        push(part, out);
    }
    out.push(close);
}
