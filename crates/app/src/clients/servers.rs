//! The entry of our server in a file that lists servers.

use serde_json::{Map, Value, json};

use super::{
    NAME, SERVE,
    json::{self, Document, Kind, Node, append, created, render, replace, take_out, within},
    toml_file,
};

/// How a program lists its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, `mcpServers`, each with its transport.
    Typed,
    /// JSON, `mcpServers`; the transport follows from the keys.
    Plain,
    /// JSON, `servers`, each with its transport.
    Vscode,
    /// JSON, `mcp`, the program and its arguments in one list.
    Opencode,
    /// TOML, `mcp_servers`.
    Toml,
}

impl Format {
    fn key(self) -> &'static str {
        match self {
            Self::Typed | Self::Plain => "mcpServers",
            Self::Vscode => "servers",
            Self::Opencode => "mcp",
            Self::Toml => "mcp_servers",
        }
    }

    fn entry(self, program: &str) -> Map<String, Value> {
        let kind = |kind| ("type".to_owned(), json!(kind));
        let command = ("command".to_owned(), json!(program));
        let args = ("args".to_owned(), json!(SERVE));
        match self {
            Self::Typed | Self::Vscode => Map::from_iter([kind("stdio"), command, args]),
            Self::Plain | Self::Toml => Map::from_iter([command, args]),
            Self::Opencode => {
                let all: Vec<&str> = [program].into_iter().chain(SERVE).collect();
                Map::from_iter([kind("local"), ("command".to_owned(), json!(all))])
            }
        }
    }
}

/// Why a file is not changed. The offset is that of the text.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    Invalid { offset: usize, format: &'static str, reason: String },
    WrongType { offset: usize, key: String, expected: &'static str },
    Twice { offset: usize, key: String },
    NoTable { offset: usize, key: String },
}

impl From<json::Flaw> for Refusal {
    fn from(flaw: json::Flaw) -> Self {
        Self::Invalid { offset: flaw.offset, format: "JSON", reason: flaw.reason.to_owned() }
    }
}

/// Whether the file has an entry of our name.
pub fn has_entry(text: &str, format: Format) -> bool {
    if format == Format::Toml {
        return toml_file::has_entry(text, format.key(), NAME);
    }
    json::parse(text).is_ok_and(|document| {
        let route = document.root.as_ref().map(|root| lookup(root, &[format.key(), NAME]));
        matches!(route, Some(Ok(Found::There { .. })))
    })
}

/// The text with an entry that starts `program`. What else the entry says stays.
pub fn with_entry(text: Option<&str>, format: Format, program: &str) -> Result<String, Refusal> {
    let entry = format.entry(program);
    if format == Format::Toml {
        return toml_file::with_entry(text, format.key(), NAME, &entry);
    }
    let mut text = put(text, &[format.key(), NAME], &Value::Object(entry.clone()))?;
    for (key, value) in &entry {
        let document = json::parse(&text)?;
        let Some(root) = &document.root else { continue };
        let path = [format.key(), NAME, key];
        if let Found::There { node, .. } = lookup(root, &path)? {
            if !equals(node, value) {
                let new = render(value, json::Layout::Line);
                text = replace(&text, node.span.clone(), &new);
            }
        } else {
            text = put(Some(&text), &path, value)?;
        }
    }
    Ok(text)
}

/// The text without our entry. `None`: the file was made for it.
pub fn without_entry(text: &str, format: Format) -> Result<Option<String>, Refusal> {
    if format == Format::Toml {
        return toml_file::without_entry(text, format.key(), NAME);
    }
    let document = json::parse(text)?;
    let Some(root) = &document.root else { return Ok(Some(text.to_owned())) };
    match lookup(root, &[format.key(), NAME])? {
        Found::There { route, .. } => Ok(take_out(&document, &route)),
        Found::Missing { .. } => Ok(Some(text.to_owned())),
    }
}

/// What a path of keys leads to.
pub enum Found<'a> {
    /// The value, and the number of each item on the way.
    There { node: &'a Node, route: Vec<usize> },
    /// The object that lacks a key, and how many keys of the path lead to it.
    Missing { container: &'a Node, depth: usize },
}

/// Follows the keys from the root; all values on the way must be objects, keys must be there once.
pub fn lookup<'a>(root: &'a Node, path: &[&str]) -> Result<Found<'a>, Refusal> {
    let (mut node, mut route) = (root, Vec::new());
    for (depth, key) in path.iter().enumerate() {
        let Kind::Object(members) = &node.kind else {
            let key = path.get(..depth).unwrap_or_default().join(".");
            let key = if key.is_empty() { "the whole file".to_owned() } else { key };
            let offset = node.span.start;
            return Err(Refusal::WrongType { offset, key, expected: "object" });
        };
        let mut found = members.iter().enumerate().filter(|(_, member)| member.key == *key);
        let Some((index, member)) = found.next() else {
            return Ok(Found::Missing { container: node, depth });
        };
        if let Some((_, second)) = found.next() {
            return Err(Refusal::Twice { offset: second.start, key: (*key).to_owned() });
        }
        route.push(index);
        node = &member.value;
    }
    Ok(Found::There { node, route })
}

/// The text with a value at the end of a path, unless there is one.
pub fn put(text: Option<&str>, path: &[&str], value: &Value) -> Result<String, Refusal> {
    let document = text.map(json::parse).transpose()?;
    let Some((document, root)) =
        document.as_ref().and_then(|document| Some((document, document.root.as_ref()?)))
    else {
        return Ok(created(text, &within(value.clone(), path)));
    };
    match lookup(root, path)? {
        Found::There { .. } => Ok(document.text.to_owned()),
        Found::Missing { container, depth } => {
            let rest = path.get(depth + 1..).unwrap_or_default();
            let value = within(value.clone(), rest);
            Ok(append(document, container, path.get(depth).copied(), &value))
        }
    }
}

fn equals(node: &Node, value: &Value) -> bool {
    match (&node.kind, value) {
        (Kind::String(text), Value::String(expected)) => text == expected,
        (Kind::Array(items), Value::Array(expected)) => {
            items.len() == expected.len()
                && items.iter().zip(expected).all(|(item, expected)| equals(item, expected))
        }
        _ => false,
    }
}

/// The element of an array, added at its end.
pub fn push(document: &Document<'_>, array: &Node, value: &Value) -> String {
    append(document, array, None, value)
}
