//! Holds arguments against the table of a tool, and says what is wrong so that an agent can repair
//! its call. Pure.

use serde_json::{Map, Value, json};

use super::{
    Tool,
    arguments::{Argument, Kind, PATH_MAX, arguments},
    note_path::is_below_root,
};
use elophanto_base::{one_line::one_line, visible::escape_control_line};

/// How many faults are told at once.
const FAULTS: usize = 5;

/// The arguments as the tool takes them: defaults filled in, `null` taken for left out, a single
/// text where several may stand taken for a list of one.
///
/// # Errors
/// What is wrong, one fault a line: which argument, what it may be, and the name that was probably
/// meant.
pub fn check(tool: Tool, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let table = arguments(tool);
    let mut taken = Map::new();
    let mut faults = Vec::new();
    for name in given.keys().filter(|name| table.iter().all(|one| one.name != **name)) {
        faults.push(unknown(tool, name, table));
        if faults.len() == FAULTS {
            break;
        }
    }
    for argument in table {
        let default = argument.default.map(|default| json!(default));
        match given.get(argument.name) {
            None | Some(Value::Null) if argument.required => {
                faults.push(format!("`{}` is missing: {}", argument.name, wanted(argument)));
            }
            None | Some(Value::Null) => taken.extend(default.map(|it| (argument.name.into(), it))),
            Some(value) => match take(argument.kind, value) {
                Some(value) => {
                    taken.insert(argument.name.to_owned(), value);
                }
                None => faults.push(format!(
                    "`{}` must be {}, not {}",
                    argument.name,
                    wanted(argument),
                    shown(value)
                )),
            },
        }
    }
    if faults.is_empty() && tool == Tool::WriteNote && !names_a_place(&taken) {
        faults.push("`path` or `kind` is missing: one of them says where the note goes".to_owned());
    }
    faults.truncate(FAULTS);
    if faults.is_empty() { Ok(taken) } else { Err(faults.join("\n")) }
}

/// The tool whose name is closest to `name`, if any is close.
pub fn closest_tool(name: &str) -> Option<&'static str> {
    closest(name, Tool::ALL.iter().map(|tool| tool.name()))
}

fn names_a_place(taken: &Map<String, Value>) -> bool {
    taken.contains_key("path") || taken.contains_key("kind")
}

fn unknown(tool: Tool, name: &str, table: &[Argument]) -> String {
    let names: Vec<&str> = table.iter().map(|argument| argument.name).collect();
    let close = closest(name, names.iter().copied());
    let hint = close.map_or_else(|| ".".to_owned(), |close| format!("; did you mean `{close}`?"));
    let (tool, name) = (tool.name(), escape_control_line(&one_line(name, 60)));
    format!("`{tool}` has no argument `{name}`{hint} It takes: {}", names.join(", "))
}

fn closest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name: String = name.chars().take(60).collect::<String>().to_lowercase();
    let likeness = |known: &str| {
        let begins = name.len() > 1 && (known.starts_with(&name) || name.starts_with(known));
        if begins { 1.0 } else { strsim::normalized_damerau_levenshtein(&name, known) }
    };
    names
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, known)| known)
}

/// The value in the form that the tool takes, if it is one that may stand there.
fn take(kind: Kind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Text { most }, Value::String(text)) => is_long(text, most).then(|| value.clone()),
        (Kind::Path, Value::String(path)) => {
            (is_long(path, PATH_MAX) && is_below_root(path)).then(|| value.clone())
        }
        (Kind::Lines, Value::String(lines)) => is_lines(lines).then(|| value.clone()),
        (Kind::Rate, Value::String(rate)) => is_rate(rate).then(|| value.clone()),
        (Kind::Whole { least, most }, Value::Number(_)) => {
            let number = whole(value)?;
            (least..=most).contains(&number).then(|| json!(number))
        }
        (Kind::Flag, Value::Bool(_)) => Some(value.clone()),
        (Kind::Choice(choices), Value::String(choice)) => {
            choices.contains(&choice.as_str()).then(|| value.clone())
        }
        (Kind::Choices(choices), Value::Array(items)) => (items.len() <= choices.len()
            && items.iter().all(|item| take(Kind::Choice(choices), item).is_some()))
        .then(|| value.clone()),
        (Kind::Texts { items: at_most, most }, Value::Array(items)) => (items.len() <= at_most
            && items.iter().all(|item| take(Kind::Text { most }, item).is_some()))
        .then(|| value.clone()),
        (Kind::Choices(_) | Kind::Texts { .. }, Value::String(_)) => take(kind, &json!([value])),
        _ => None,
    }
}

fn is_long(text: &str, most: usize) -> bool {
    !text.is_empty() && text.chars().take(most + 1).count() <= most
}

/// JSON knows one kind of number: `8.0` is a whole one.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let float = value.as_f64()?;
        (float.fract() == 0.0 && (0.0..9e15).contains(&float)).then_some(float as u64)
    })
}

fn is_lines(text: &str) -> bool {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    matches!((positive(first, 9), positive(last, 9)), (Some(first), Some(last)) if first <= last)
}

fn is_rate(text: &str) -> bool {
    let Some((part, all)) = text.split_once('/') else { return false };
    matches!((number(part, 6), positive(all, 6)), (Some(part), Some(all)) if part <= all)
}

fn positive(digits: &str, most: usize) -> Option<u64> {
    number(digits, most).filter(|_| !digits.starts_with('0'))
}

fn number(digits: &str, most: usize) -> Option<u64> {
    let is_number =
        (1..=most).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

fn wanted(argument: &Argument) -> String {
    let form = match argument.kind {
        Kind::Text { most } => format!("text of 1 to {most} characters"),
        Kind::Path => format!(
            "a path of at most {PATH_MAX} characters, relative to the root, with `/` and without `..`"
        ),
        Kind::Lines => "line numbers such as \"10-40\" or \"7\"".to_owned(),
        Kind::Rate => "successes of attempts such as \"9/10\"".to_owned(),
        Kind::Whole { least, most } => format!("a whole number from {least} to {most}"),
        Kind::Flag => "true or false".to_owned(),
        Kind::Choice(choices) => format!("one of \"{}\"", choices.join("\", \"")),
        Kind::Choices(choices) => format!("a list of \"{}\"", choices.join("\", \"")),
        Kind::Texts { items, most } => {
            format!("a list of at most {items} texts of 1 to {most} characters")
        }
    };
    format!("{form} ({})", argument.says)
}

/// A value that did not fit, cut: the agent knows what it sent.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > 60 => {
            format!("a text of {} characters", text.chars().count())
        }
        Value::Array(items) if items.len() > 5 => format!("a list of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
        other => escape_control_line(&one_line(&other.to_string(), 80)),
    }
}
