//! Answers that must have a form: finding them in what a model said, and checking them.
//!
//! What [`check`] does not look at and only narrows further is left to the provider. What would
//! change the meaning (`$ref`, `allOf`, `oneOf`,
//! `not`, `if`, `patternProperties`, `prefixItems`) is refused before anything is sent. The
//! outermost type is an object: some providers take no other.

use serde_json::{Deserializer, Value};

use super::{
    error::{LlmError, RAW_CHARS, Result},
    types::{Message, Request, Schema, ToolChoice},
};
use elophanto_base::{one_line::shorten, schema::check};

/// Levels of a schema.
const DEPTH_CAP: usize = 32;
/// Bytes of a schema.
const SIZE_CAP: usize = 64 * 1024;
/// Places in an answer where a JSON value may begin.
const PLACES_CAP: usize = 10_000;
const REFUSED: &[&str] =
    &["$ref", "$dynamicRef", "allOf", "oneOf", "not", "if", "patternProperties", "prefixItems"];

/// Refuses schemas that an answer could not be checked against.
///
/// # Errors
/// [`LlmError::BadSchema`] with what is not understood.
pub fn examine(schema: &Schema) -> Result<()> {
    let name = &schema.name;
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let named = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
    let found = if !named {
        Err("its name has other characters than letters, digits, `_` and `-`, or over 64".into())
    } else if schema.schema.to_string().len() > SIZE_CAP {
        Err(format!("over the cap of {SIZE_CAP} bytes"))
    } else if schema.schema["type"] != "object" {
        Err("its outermost type is not `object`".to_owned())
    } else {
        understood(&schema.schema, 0)
    };
    found.map_err(|reason| LlmError::BadSchema { schema: shorten(name, 64), reason })
}

fn understood(schema: &Value, depth: usize) -> Result<(), String> {
    let Value::Object(fields) = schema else {
        return if schema.is_boolean() { Ok(()) } else { Err("it is no object".to_owned()) };
    };
    if depth >= DEPTH_CAP {
        return Err(format!("over the cap of {DEPTH_CAP} levels"));
    }
    if let Some(word) = REFUSED.iter().find(|word| fields.contains_key(**word)) {
        return Err(format!("`{word}` is not supported"));
    }
    let properties = schema["properties"].as_object().into_iter().flat_map(|all| all.values());
    let parts = ["items", "additionalProperties"].iter().filter_map(|name| fields.get(*name));
    let any = schema["anyOf"].as_array().into_iter().flatten();
    properties.chain(parts).chain(any).try_for_each(|part| understood(part, depth + 1))
}

/// Whether nothing is left open: no further properties, none that may be missing. OpenAI's strict
/// mode takes only such.
pub fn is_closed(schema: &Value) -> bool {
    let all = |value: &Value| value.as_object().is_none_or(|all| all.values().all(is_closed));
    let each = |value: &Value| value.as_array().is_none_or(|all| all.iter().all(is_closed));
    let object = schema["type"] == "object" || schema["properties"].is_object();
    let closed = !object
        || (schema["additionalProperties"] == false
            && schema["properties"].as_object().is_none_or(|properties| {
                let required = schema["required"].as_array();
                properties.keys().all(|key| {
                    required.is_some_and(|required| required.iter().any(|name| name == key))
                })
            }));
    closed
        && all(&schema["properties"])
        && each(&schema["anyOf"])
        && (schema["items"].is_null() || is_closed(&schema["items"]))
}

/// The one JSON object of a text: bare, in a fence, or among prose.
///
/// # Errors
/// When there is none, more than one, or one that is broken: what is whole inside of that is not
/// the answer.
pub fn find_object(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && value.is_object()
    {
        return Ok(value);
    }
    let (mut found, mut rest, mut places) = (None, text, 0);
    while let Some(start) = rest.find('{') {
        places += 1;
        if places > PLACES_CAP {
            return Err("it has too many braces to look for JSON in it".to_owned());
        }
        let after = &rest[start..];
        let mut values = Deserializer::from_str(after).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                if found.is_some() {
                    return Err("it has more than one JSON object".to_owned());
                }
                found = Some(value);
                rest = &after[values.byte_offset()..];
            }
            Some(Err(error)) if after[1..].trim_start().starts_with('"') => {
                return Err(format!("its JSON object is broken: {error}"));
            }
            // A brace in prose.
            _ => rest = &after[1..],
        }
    }
    found.ok_or_else(|| "it has no whole JSON object".to_owned())
}

/// The answer to a schema in what a model said.
///
/// # Errors
/// With what is wrong, in words for the model and for the user.
pub fn answer(schema: &Schema, text: &str) -> Result<Value, String> {
    let value = find_object(text)?;
    check(&schema.schema, &value)?;
    Ok(value)
}

/// What a provider without a field for schemas is told instead.
pub fn instruction(schema: &Schema) -> String {
    format!(
        "The final answer is one JSON object, without anything around it, that fits this JSON \
         schema:\n{}",
        schema.schema
    )
}

/// The same question again, with what was wrong. No tool is called this time.
pub fn repair(request: &Request, schema: &Schema, said: &str, reason: &str) -> Request {
    let mut request = request.clone();
    if !said.trim().is_empty() {
        request.messages.push(Message::assistant(shorten(said, RAW_CHARS)));
    }
    request.messages.push(Message::user(format!(
        "This answer can't be used: {reason}.\nAnswer again. {}",
        instruction(schema)
    )));
    request.tool_choice = ToolChoice::None;
    request
}
