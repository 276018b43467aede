//! What a plugin said, read and made fit for a model.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{MAX_SAID_BYTES, RunEnded};
use elophanto_base::schema;

/// Secrets of fewer bytes are words like others: masking them would shred the text.
const MIN_MASKED_BYTES: usize = 4;

pub(super) type Secrets = BTreeMap<String, SecretString>;

/// The text of an answer, or what went wrong.
pub(super) fn answer(
    ended: &RunEnded,
    output: Option<&Value>,
    secrets: &Secrets,
) -> Result<String, String> {
    if let Some(reason) = &ended.stopped {
        return Err(with_stderr(&format!("the plugin was ended: {reason}"), ended, secrets));
    }
    if ended.cut || ended.stdout.len() > MAX_SAID_BYTES {
        return Err(format!("the plugin said more than the cap of {MAX_SAID_BYTES} bytes"));
    }
    let object = match serde_json::from_slice::<Value>(ended.stdout.trim_ascii()) {
        Ok(mut value @ Value::Object(_)) => {
            mask_value(&mut value, secrets);
            Some(value)
        }
        _ => None,
    };
    if let Some(error) = object.as_ref().and_then(|object| object.get("error")) {
        return Err(match error {
            Value::String(error) => error.clone(),
            other => other.to_string(),
        });
    }
    match (ended.code, object) {
        (Some(0), Some(object)) => text(object, output),
        (Some(0), None) => {
            Err(with_stderr("the plugin did not say one JSON object", ended, secrets))
        }
        (Some(code), _) => {
            Err(with_stderr(&format!("the plugin ended with exit code {code}"), ended, secrets))
        }
        (None, _) => Err(with_stderr("the plugin was ended by a signal", ended, secrets)),
    }
}

/// `text`, and behind it the other fields as JSON.
fn text(object: Value, output: Option<&Value>) -> Result<String, String> {
    if let Some(output) = output {
        schema::check(output, &object)
            .map_err(|reason| format!("the plugin's answer does not fit its schema: {reason}"))?;
    }
    let Value::Object(mut fields) = object else { return Ok(String::new()) };
    let text = match fields.remove("text") {
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Ok(match (text.is_empty(), fields.is_empty()) {
        (_, true) => text,
        (true, false) => Value::Object(fields).to_string(),
        (false, false) => format!("{text}\n{}", Value::Object(fields)),
    })
}

fn with_stderr(reason: &str, ended: &RunEnded, secrets: &Secrets) -> String {
    // What was cut may end in half a secret, which no mask would find.
    if ended.cut {
        return reason.to_owned();
    }
    let stderr = mask(&String::from_utf8_lossy(&ended.stderr), secrets);
    let stderr = cut_middle(stderr.trim(), 2_000);
    if stderr.is_empty() { reason.to_owned() } else { format!("{reason}\n{stderr}") }
}

/// The text with each of the secrets replaced by its name.
pub(super) fn mask(text: &str, secrets: &Secrets) -> String {
    let mut known: Vec<(&str, &String)> = secrets
        .iter()
        .map(|(name, secret)| (secret.expose_secret(), name))
        .filter(|(secret, _)| secret.len() >= MIN_MASKED_BYTES)
        .collect();
    // The longest first: one may be part of another.
    known.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
    let masked = known.into_iter().fold(text.to_owned(), |text, (secret, name)| {
        if text.contains(secret) { text.replace(secret, &format!("[secret {name}]")) } else { text }
    });
    elophanto_base::secrets::mask(&masked).0.into_owned()
}

/// In the strings and keys of a value: behind the escapes of JSON.
fn mask_value(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => *text = mask(text, secrets),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, secrets)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (key, mut value) in old {
                mask_value(&mut value, secrets);
                fields.insert(mask(&key, secrets), value);
            }
        }
        Value::Number(number) => {
            let text = number.to_string();
            let masked = mask(&text, secrets);
            if masked != text {
                *value = Value::String(masked);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// At most about `max` bytes of a text: its beginning and its end, and how much is missing.
pub(crate) fn cut_middle(text: &str, max: usize) -> String {
    let text = text.replace('\0', "\u{2400}");
    if text.len() <= max {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(max / 2)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - max / 2)..).unwrap_or_default();
    let missing = text.len() - head.len() - tail.len();
    format!("{head}\n[{missing} bytes left out]\n{tail}")
}
