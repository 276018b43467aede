//! What a plugin says of itself in `schema.json`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{MAX_DESCRIPTION_CHARS, MAX_SCHEMA_BYTES, MAX_SECRETS, PluginError};
use crate::permissions::Level;
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Schema, schema};

/// The content of a `schema.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// On one line.
    pub description: String,
    /// Never below [`Level::Destructive`]: a plugin is a program.
    pub level: Level,
    /// JSON schema of an object.
    pub input: Value,
    /// JSON schema of the object that it answers with.
    pub output: Option<Value>,
    /// Names of the secrets it needs, sorted.
    pub secrets: Vec<String>,
    /// Whether it opens connections.
    pub network: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    description: String,
    #[serde(default)]
    level: Option<String>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    secrets: Vec<String>,
    #[serde(default)]
    network: bool,
}

impl Declared {
    /// Reads a `schema.json`.
    ///
    /// # Errors
    /// When it is no JSON of this form, has a schema that answers can't be checked against, or hits
    /// a cap.
    pub fn parse(text: &str) -> Result<Self, PluginError> {
        let refused = |reason: String| PluginError::Schema(reason);
        if text.len() > MAX_SCHEMA_BYTES {
            return Err(refused(format!("over the cap of {MAX_SCHEMA_BYTES} bytes")));
        }
        let written: Written =
            serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
        let description = one_line(&written.description, MAX_DESCRIPTION_CHARS);
        if description.is_empty() {
            return Err(refused("`description` is empty".to_owned()));
        }
        let level = match written.level.as_deref() {
            None => Level::Destructive,
            Some(level) => Level::named(level)
                .ok_or_else(|| {
                    refused("`level` is none of safe, moderate, destructive, critical".into())
                })?
                .max(Level::Destructive),
        };
        let input = written.input.unwrap_or_else(|| json!({"type": "object"}));
        for (key, one) in [("input", Some(&input)), ("output", written.output.as_ref())] {
            let Some(one) = one else { continue };
            let one = Schema { name: key.to_owned(), schema: one.clone() };
            schema::examine(&one).map_err(|error| refused(format!("`{key}`: {error}")))?;
        }
        let mut secrets = written.secrets;
        secrets.sort();
        secrets.dedup();
        if secrets.len() > MAX_SECRETS {
            return Err(refused(format!("over the cap of {MAX_SECRETS} secrets")));
        }
        if !secrets.iter().all(|name| is_secret_name(name)) {
            return Err(refused("`secrets`: a name is 1 to 64 of A-Z, a-z, 0-9, `_`, `-`".into()));
        }
        let (output, network) = (written.output, written.network);
        Ok(Self { description, level, input, output, secrets, network })
    }
}

fn is_secret_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<Level, &str>) {
        let found = Declared::parse(text);
        let text: String = text.chars().take(80).collect();
        match (found, expected) {
            (Ok(found), Ok(level)) => assert_eq!(found.level, level, "{text}"),
            (Err(error), Err(part)) => {
                assert!(error.to_string().contains(part), "{text}: {error}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn schemas() {
        check(r#"{"description": "x"}"#, Ok(Level::Destructive));
        check(r#"{"description": "x", "level": "safe"}"#, Ok(Level::Destructive));
        check(r#"{"description": "x", "level": "critical"}"#, Ok(Level::Critical));
        check(r#"{"description": "x", "input": {"type": "object"}}"#, Ok(Level::Destructive));
        check("", Err("EOF"));
        check("[]", Err("invalid length"));
        check(r#"{"level": "safe"}"#, Err("description"));
        check(r#"{"description": "\u202e \n"}"#, Err("empty"));
        check(r#"{"description": "x", "level": "root"}"#, Err("none of safe"));
        check(r#"{"description": "x", "input": {"type": "string"}}"#, Err("outermost"));
        check(r##"{"description": "x", "input": {"type": "object", "$ref": "#"}}"##, Err("$ref"));
        check(r#"{"description": "x", "secrets": ["../key"]}"#, Err("secrets"));
        check(r#"{"description": "x", "command": "rm"}"#, Err("unknown field"));
        check(&format!("{{\"input\": {}", "[".repeat(60_000)), Err("recursion"));
        check(&" ".repeat(70_000), Err("cap"));
        let many: Vec<String> = (0..17).map(|n| format!("\"s{n}\"")).collect();
        check(&format!(r#"{{"description": "x", "secrets": [{}]}}"#, many.join(",")), Err("cap"));
    }
}
