//! How what is put into a file is written.

use serde_json::{Value, json};

/// How a value is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout<'a> {
    /// On one line, with a space inside the brackets of whatever holds objects or members.
    Line,
    /// One member or object a line. The first line is not indented.
    Block {
        /// What the lines of the value's own brackets begin with.
        indent: &'a str,
        /// One step of indentation.
        unit: &'a str,
        /// The line end of the file.
        eol: &'a str,
    },
}

/// The value inside objects of one member each, the outermost named first.
pub fn within(value: Value, keys: &[&str]) -> Value {
    keys.iter().rev().fold(value, |value, key| json!({ *key: value }))
}

/// The text of a value. Members keep their order. A string of JSON is one of TOML as well as long as there
/// is no DEL in it.
pub fn render(value: &Value, layout: Layout<'_>) -> String {
    match value {
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| (None, item)).collect::<Vec<_>>();
            bracketed(['[', ']'], &items, layout)
        }
        Value::Object(members) => {
            let items: Vec<_> =
                members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect();
            bracketed(['{', '}'], &items, layout)
        }
        value => value.to_string(),
    }
}

/// A value, as a member if it has a key.
pub(super) fn item(key: Option<&str>, value: &Value, layout: Layout<'_>) -> String {
    let value = render(value, layout);
    key.map_or(value.clone(), |key| format!("{}: {value}", Value::from(key)))
}

fn bracketed(brackets: [char; 2], items: &[(Option<&str>, &Value)], layout: Layout<'_>) -> String {
    let [open, close] = brackets;
    match layout {
        _ if items.is_empty() => format!("{open}{close}"),
        Layout::Line => {
            let items: Vec<String> =
                items.iter().map(|(key, value)| item(*key, value, layout)).collect();
            format!("{open} {} {close}", items.join(", "))
        }
        Layout::Block { indent, unit, eol } => {
            let inner = format!("{indent}{unit}");
            let layout = Layout::Block { indent: &inner, unit, eol };
            let items: Vec<String> = items
                .iter()
                .map(|(key, value)| format!("{inner}{}", item(*key, value, layout)))
                .collect();
            format!("{open}{eol}{}{eol}{indent}{close}", items.join(&format!(",{eol}")))
        }
    }
}
