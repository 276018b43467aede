//! Arguments of a call, read strictly: what does not fit is told so that a model can mend it.

use serde_json::{Map, Value, json};

use crate::{Source, Spec, ToolError, permissions::Level};

/// Bytes of one text argument at most.
const MOST_BYTES: usize = 1 << 20;
/// Items of one list argument at most.
const MOST_ITEMS: usize = 1_000;

/// The spec of a built-in tool; `properties` are those of the JSON schema of its arguments.
pub fn spec(
    name: &str,
    level: Level,
    is_untrusted: bool,
    description: &str,
    properties: Value,
    required: &[&str],
) -> Spec {
    Spec {
        name: name.to_owned(),
        description: description.to_owned(),
        input: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        level,
        source: Source::BuiltIn,
        is_untrusted,
    }
}

/// Arguments whose names are all known.
pub(super) struct Arguments<'a>(Option<&'a Map<String, Value>>);

impl<'a> Arguments<'a> {
    /// # Errors
    /// When they are no object, or one has a name that the spec does not list.
    pub(super) fn of(spec: &Spec, arguments: &'a Value) -> Result<Self, ToolError> {
        let known = spec.input.get("properties").and_then(Value::as_object);
        Self::named(
            arguments,
            |name| known.is_some_and(|known| known.contains_key(name)),
            || known.map(|known| known.keys().cloned().collect()).unwrap_or_default(),
        )
    }

    /// The object inside a list of another argument.
    pub(super) fn inner(value: &'a Value, known: &[&str]) -> Result<Self, ToolError> {
        Self::named(
            value,
            |name| known.contains(&name),
            || known.iter().map(|&name| name.to_owned()).collect(),
        )
    }

    fn named(
        value: &'a Value,
        is_known: impl Fn(&str) -> bool,
        known: impl Fn() -> Vec<String>,
    ) -> Result<Self, ToolError> {
        let object = match value {
            Value::Null => return Ok(Self(None)),
            Value::Object(object) => object,
            _ => return Err(bad("the arguments are to be a JSON object")),
        };
        match object.keys().find(|name| !is_known(name)) {
            Some(name) => {
                let name: String = name.chars().take(60).collect();
                Err(bad(format!(
                    "there is no argument `{name}`; there are: {}",
                    known().join(", ")
                )))
            }
            None => Ok(Self(Some(object))),
        }
    }

    /// `null` counts as not given.
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.and_then(|object| object.get(name)).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, ToolError> {
        self.optional_text(name)?.ok_or_else(|| bad(format!("`{name}` is missing")))
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, ToolError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| bad(format!("`{name}` is to be a string")))?;
        if text.len() > MOST_BYTES {
            return Err(bad(format!("`{name}` is over the limit of {MOST_BYTES} bytes")));
        }
        Ok(Some(text))
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, ToolError> {
        let Some(value) = self.get(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| bad(format!("`{name}` is to be true or false")))
    }

    /// A whole number between these, both included.
    pub(super) fn number(
        &self,
        name: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        let wanted = || bad(format!("`{name}` is to be a whole number from {least} to {most}"));
        number.map(Some).ok_or_else(wanted)
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], ToolError> {
        let Some(value) = self.get(name) else { return Ok(&[]) };
        let list = value.as_array().ok_or_else(|| bad(format!("`{name}` is to be a list")))?;
        if list.len() > MOST_ITEMS {
            return Err(bad(format!("`{name}` has over {MOST_ITEMS} items")));
        }
        Ok(list)
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<&'a str>, ToolError> {
        let texts = self.list(name)?.iter().map(Value::as_str);
        let texts: Option<Vec<&str>> = texts.collect();
        texts.ok_or_else(|| bad(format!("`{name}` is to be a list of strings")))
    }
}

/// An error about arguments.
pub(super) fn bad(why: impl Into<String>) -> ToolError {
    ToolError::Arguments(why.into())
}
