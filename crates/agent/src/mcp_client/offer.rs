//! What a server offers, as specs of tools under our names and levels. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Entry;
use crate::{Source, Spec};
use elophanto_base::one_line::one_line;

/// Tools of one server.
pub const MAX_TOOLS: usize = 128;
/// Bytes of the schema of one tool.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;
/// Characters of a description.
pub const MAX_DESCRIPTION: usize = 1_024;

/// Bytes of a tool's name.
const MAX_NAME: usize = 64;
/// Bytes of a name as a server has it.
const MAX_OWN_NAME: usize = 256;
const MAX_PROBLEMS: usize = 20;

/// All that a server offered.
#[derive(Debug, Default)]
pub(super) struct Offered {
    pub tools: Vec<rmcp::model::Tool>,
    /// There were more than are listed here.
    pub is_cut: bool,
}

/// A tool of a server under our name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    /// As the server calls it.
    pub own_name: String,
    pub spec: Spec,
    /// Of all the server says about it.
    pub hash: String,
}

/// Specs for what a server offers, sorted by its own names. Names that are `taken` are not given
/// again, and those given are added to them.
pub(super) fn tools(
    entry: &Entry,
    offered: Offered,
    taken: &mut BTreeSet<String>,
    problems: &mut Vec<String>,
) -> Vec<Named> {
    let Offered { tools: mut offers, is_cut } = offered;
    let mut said = Vec::new();
    if is_cut || offers.len() > MAX_TOOLS {
        said.push(format!("it offers more than {MAX_TOOLS} tools, of which the first are used"));
    }
    offers.truncate(MAX_TOOLS);
    offers.sort_by(|a, b| a.name.cmp(&b.name));
    let mut named: Vec<Named> = Vec::new();
    for tool in &offers {
        let shown = one_line(&tool.name, 80);
        if named.iter().any(|other| other.own_name == tool.name) {
            said.push(format!("it offers `{shown}` twice"));
            continue;
        }
        match spec(entry, tool, taken) {
            Ok(spec) => {
                taken.insert(spec.name.clone());
                named.push(Named { own_name: tool.name.to_string(), spec, hash: hash(tool) });
            }
            Err(why) => said.push(format!("its tool `{shown}` is left out: {why}")),
        }
    }
    for name in entry.levels.keys() {
        if !named.iter().any(|tool| tool.own_name == *name) {
            said.push(format!("the level of `{}` is for no tool it has", one_line(name, 80)));
        }
    }
    said.truncate(MAX_PROBLEMS);
    problems.extend(said.into_iter().map(|said| format!("server `{}`: {said}", entry.name)));
    named
}

/// A hash of all that a server says about a tool.
pub(super) fn hash(tool: &rmcp::model::Tool) -> String {
    // Maps are sorted, so that the same offer has the same text.
    let text = serde_json::to_value(tool).map(|value| value.to_string()).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A hash of all that a server offers, in whatever order.
pub(super) fn fingerprint(tools: &[rmcp::model::Tool]) -> String {
    let hashes: BTreeSet<String> = tools.iter().map(hash).collect();
    let joined: Vec<String> = hashes.into_iter().collect();
    format!("blake3:{}", blake3::hash(joined.join("\n").as_bytes()).to_hex())
}

fn spec(
    entry: &Entry,
    tool: &rmcp::model::Tool,
    taken: &BTreeSet<String>,
) -> Result<Spec, &'static str> {
    if tool.name.len() > MAX_OWN_NAME {
        return Err("its name is too long");
    }
    let name = name(&entry.name, &tool.name).ok_or("its name has no letter or digit")?;
    let name = free(&name, taken).ok_or("another tool has its name")?;
    let input = schema(&tool.input_schema)?;
    let said = one_line(tool.description.as_deref().unwrap_or_default(), MAX_DESCRIPTION);
    let said = if said.is_empty() { "(it says nothing about this tool)".to_owned() } else { said };
    Ok(Spec {
        name,
        description: format!("[from the external server `{}`] {said}", entry.name),
        input,
        level: entry.levels.get(tool.name.as_ref()).copied().unwrap_or(entry.default_level),
        source: Source::Server { name: entry.name.clone() },
        is_untrusted: true,
    })
}

/// `SERVER_TOOL` in lower case, `_` for everything but letters and digits, cut.
fn name(server: &str, own: &str) -> Option<String> {
    let mut name = String::new();
    for char in own.chars() {
        if char.is_ascii_alphanumeric() {
            name.push(char.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_matches('_');
    (!name.is_empty()).then(|| {
        let mut whole = format!("{server}_{name}");
        whole.truncate(MAX_NAME);
        whole.trim_end_matches('_').to_owned()
    })
}

/// The name, else the first of `NAME_2` to `NAME_9` that is free.
fn free(name: &str, taken: &BTreeSet<String>) -> Option<String> {
    let numbered = |number: usize| {
        let head: String = name.chars().take(MAX_NAME - 2).collect();
        format!("{}_{number}", head.trim_end_matches('_'))
    };
    std::iter::once(name.to_owned()).chain((2..10).map(numbered)).find(|name| !taken.contains(name))
}

/// The schema of an object of arguments, with descriptions on one line and cut.
fn schema(given: &Map<String, Value>) -> Result<Value, &'static str> {
    match given.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => {}
        Some(_) => return Err("its arguments are no object"),
    }
    let mut value = Value::Object(given.clone());
    if let Some(map) = value.as_object_mut() {
        map.insert("type".to_owned(), Value::from("object"));
        map.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    clean(&mut value);
    let length = serde_json::to_string(&value).map_or(usize::MAX, |text| text.len());
    if length > MAX_SCHEMA_BYTES { Err("its schema is too long") } else { Ok(value) }
}

/// Recurses as deep as JSON was read, which its reader limits.
fn clean(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match (key.as_str(), &*value) {
                    // Values that must stay what they are.
                    ("default" | "enum" | "const" | "examples" | "pattern", _) => {}
                    ("description" | "title" | "$comment", Value::String(text)) => {
                        *value = Value::from(one_line(text, MAX_DESCRIPTION));
                    }
                    _ => clean(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(clean),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names() {
        let check = |own: &str, expected: Option<&str>| {
            assert_eq!(name("s", own).as_deref(), expected, "{own}")
        };
        check("read_file", Some("s_read_file"));
        check("Read File!", Some("s_read_file"));
        check("__a--b__", Some("s_a_b"));
        check("日本 x", Some("s_x"));
        check("a/../b", Some("s_a_b"));
        check("7", Some("s_7"));
        for own in ["", "_", "日本", "\u{202e}", "../.."] {
            check(own, None);
        }
    }

    proptest! {
        #[test]
        fn names_keep_to_the_rule(own in any::<String>(), repeats in 1_usize..40) {
            let mut taken = BTreeSet::new();
            for _ in 0..3 {
                let Some(name) = name("server", &own.repeat(repeats)) else { continue };
                let name = free(&name, &taken).unwrap();
                prop_assert!(name.len() <= 64 && name.starts_with("server_"));
                prop_assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
                prop_assert!(taken.insert(name));
            }
        }
    }
}
