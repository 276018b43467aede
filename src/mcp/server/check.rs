//! Holds arguments against the schema of a tool, and says what is wrong so that an agent can repair
//! its call. Pure.

use serde_json::{Map, Value, json};

use super::{Tool, arguments::schemas};
use crate::wire::{FORMS, Form};
use elophanto_base::{one_line::one_line, visible::escape_control_line};

/// How many faults are told at once.
const FAULTS: usize = 5;

/// The arguments as the tool takes them: each under its own name, defaults filled in, `null` taken for
/// left out, a single text where several may stand taken for a list of one.
///
/// # Errors
/// What is wrong, one fault a line: which argument, what it may be, and the name that was probably
/// meant.
pub fn check(tool: Tool, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let schema = &schemas(tool).input;
    let none = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let mut taken = Map::new();
    let mut faults = Vec::new();
    let is_known = |name: &str| {
        known.contains_key(name) || known.values().any(|it| aliases(it).any(|it| it == name))
    };
    for name in given.keys().filter(|name| !is_known(name)) {
        faults.push(unknown(tool, name, known));
        if faults.len() == FAULTS {
            break;
        }
    }
    for (name, argument) in known {
        let names = std::iter::once(name.as_str()).chain(aliases(argument));
        let mut said = names.filter(|name| given.get(*name).is_some_and(|it| !it.is_null()));
        let (first, second) = (said.next(), said.next());
        if let (Some(first), Some(second)) = (first, second) {
            faults.push(format!("`{second}` is another name of `{first}`: give one of them"));
            continue;
        }
        match first.and_then(|name| given.get(name)) {
            None if is_required(name) => {
                faults.push(format!("`{name}` is missing: {}", wanted(argument)));
            }
            None => {
                taken.extend(argument.get("default").map(|it| (name.clone(), it.clone())));
            }
            Some(value) => match take(argument, value) {
                Some(value) => {
                    taken.insert(name.clone(), value);
                }
                None => faults.push(format!(
                    "`{name}` must be {}, not {}",
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

/// The tool of some whose name is closest to `name`, if any is close.
pub fn closest_tool(name: &str, tools: &[Tool]) -> Option<&'static str> {
    closest(name, tools.iter().map(|tool| tool.name()))
}

/// Other names under which an argument is taken, for agents mix them up.
fn aliases(argument: &Value) -> impl Iterator<Item = &str> {
    argument["aliases"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn names_a_place(taken: &Map<String, Value>) -> bool {
    taken.contains_key("path") || taken.contains_key("kind")
}

fn unknown(tool: Tool, name: &str, known: &Map<String, Value>) -> String {
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let close = closest(name, names.iter().copied());
    let hint = close.map_or_else(|| ".".to_owned(), |close| format!("; did you mean `{close}`?"));
    let (tool, name) = (tool.name(), escape_control_line(&one_line(name, 60)));
    format!("`{tool}` has no argument `{name}`{hint} It takes: {}", names.join(", "))
}

fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
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
fn take(schema: &Value, value: &Value) -> Option<Value> {
    let bound = |name: &str, fallback| schema[name].as_u64().unwrap_or(fallback);
    let is_within = |count: usize, least: &str, most: &str| {
        (bound(least, 0)..=bound(most, u64::MAX)).contains(&(count as u64))
    };
    match (schema["type"].as_str()?, value) {
        ("string", Value::String(text)) => {
            let is_one = schema["enum"].as_array().is_none_or(|names| names.contains(value));
            let fits = form(schema).is_none_or(|form| (form.fits)(text));
            let is_long = is_within(text.chars().count(), "minLength", "maxLength");
            (is_one && fits && is_long).then(|| value.clone())
        }
        ("integer", Value::Number(_)) => {
            let number = whole(value)?;
            (bound("minimum", 0)..=bound("maximum", u64::MAX))
                .contains(&number)
                .then(|| json!(number))
        }
        ("boolean", Value::Bool(_)) => Some(value.clone()),
        ("array", Value::Array(items)) => (is_within(items.len(), "minItems", "maxItems")
            && items.iter().all(|item| take(&schema["items"], item).is_some()))
        .then(|| value.clone()),
        ("array", Value::String(_)) => take(schema, &json!([value])),
        _ => None,
    }
}

/// The form of a text of which its schema does not say all.
fn form(schema: &Value) -> Option<&'static Form> {
    FORMS.iter().find(|form| schema["format"] == form.name)
}

/// JSON knows one kind of number: `8.0` is a whole one.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let float = value.as_f64()?;
        (float.fract() == 0.0 && (0.0..9e15).contains(&float)).then_some(float as u64)
    })
}

/// What an argument may be, and what it is for.
fn wanted(schema: &Value) -> String {
    let items = &schema["items"];
    let names = |schema: &Value| {
        let names = schema["enum"].as_array()?.iter().filter_map(Value::as_str);
        Some(format!("\"{}\"", names.collect::<Vec<_>>().join("\", \"")))
    };
    let what = match (schema["type"].as_str(), form(schema), names(schema).or_else(|| names(items)))
    {
        (_, Some(form), _) => form.wanted.to_owned(),
        (Some("array"), _, Some(names)) => format!("a list of {names}"),
        (_, _, Some(names)) => format!("one of {names}"),
        (Some("array"), ..) => format!(
            "a list of at most {} texts of 1 to {} characters",
            schema["maxItems"], items["maxLength"]
        ),
        (Some("integer"), ..) => {
            format!("a whole number from {} to {}", schema["minimum"], schema["maximum"])
        }
        (Some("boolean"), ..) => "true or false".to_owned(),
        _ => format!("text of 1 to {} characters", schema["maxLength"]),
    };
    match schema["description"].as_str() {
        Some(purpose) => format!("{what} ({purpose})"),
        None => what,
    }
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
