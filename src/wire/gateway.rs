//! Messages of clients of the gateway, taken from JSON, and the schemas of all messages.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use elophanto_app::gateway::message::{Asked, Failure, Hello, Incoming, Outgoing, VERSION};
use elophanto_base::one_line::one_line;

/// Types of messages that clients send.
const ASKED: [&str; 4] = ["chat", "approval_response", "command", "status"];
/// Types of messages that only the gateway sends.
const TOLD: [&str; 4] = ["response", "approval_request", "event", "error"];
/// Bytes of what is quoted of a message that is none.
const MOST_QUOTED: usize = 60;

/// A message of a client.
///
/// # Errors
/// What it is told instead: what is wrong with the message, and of which message if that can be seen.
pub fn incoming(text: &str) -> Result<Incoming, Failure> {
    let bad = |detail: String, hint: String, reply_to: Option<Uuid>| Failure {
        detail,
        hint: Some(hint),
        reply_to,
    };
    let value: Value = serde_json::from_str(text).map_err(|cause| {
        bad(
            format!("this is not JSON: {cause}"),
            format!("one message is one object: {FORM}"),
            None,
        )
    })?;
    if !value.is_object() {
        return Err(bad("a message is an object".to_owned(), format!("write {FORM}"), None));
    }
    let id = value.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let known = || format!("a client sends {}", ASKED.join(", "));
    match value.get("type").and_then(Value::as_str) {
        None => return Err(bad("a message has a `type`".to_owned(), known(), id)),
        Some(kind) if TOLD.contains(&kind) => {
            return Err(bad(format!("only the gateway sends `{kind}`"), known(), id));
        }
        Some(kind) if !ASKED.contains(&kind) => {
            let kind = one_line(kind, MOST_QUOTED);
            return Err(bad(format!("there is no type `{kind}`"), known(), id));
        }
        Some(_) => {}
    }
    if id.is_none() {
        let hint = "choose one for each message: a message that comes again is not done again";
        return Err(bad("a message has a UUID as `id`".to_owned(), hint.to_owned(), None));
    }
    serde_json::from_value(value).map_err(|cause| {
        let hint = "what each message holds: assets/gateway/client.schema.json of elophanto's own \
                    repository";
        bad(format!("the message does not fit: {cause}"), hint.to_owned(), id)
    })
}

/// How a message looks.
const FORM: &str = r#"{"type": "chat", "id": "UUID", "data": {"content": "..."}}"#;

/// A message of a client, as it is sent.
#[derive(Serialize)]
struct Sent<'a> {
    id: Uuid,
    #[serde(flatten)]
    body: &'a Asked,
}

/// What a client says, as a message with this id.
pub fn sent(id: Uuid, body: &Asked) -> Value {
    serde_json::to_value(Sent { id, body }).unwrap_or_default()
}

/// What a client says first.
pub fn hello(id: Uuid) -> Value {
    sent(id, &Asked::Status(Hello { version: VERSION }))
}

/// The JSON schema of what clients send, and of what the gateway sends.
pub fn schemas() -> [Value; 2] {
    let settings = SchemaSettings::draft2020_12;
    [
        schema::<Incoming>(settings().for_deserialize()),
        schema::<Outgoing>(settings().for_serialize()),
    ]
}

fn schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, detail: &str, is_known: bool) {
        let failure = incoming(text).unwrap_err();
        assert!(failure.detail.contains(detail), "{text}: {failure:?}");
        assert!(failure.hint.is_some());
        assert_eq!(failure.reply_to.is_some(), is_known, "{text}: {failure:?}");
    }

    #[test]
    fn what_is_no_message_is_told_why() {
        const ID: &str = "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";
        let with = |rest: &str| format!(r#"{{"id": "{ID}", {rest}}}"#);
        refused("", "not JSON", false);
        refused("{", "not JSON", false);
        refused(&"[".repeat(100_000), "not JSON", false);
        refused("[]", "is an object", false);
        refused("{}", "has a `type`", false);
        refused(&with(r#""data": {}"#), "has a `type`", true);
        refused(&with(r#""type": "shout", "data": {}"#), "no type `shout`", true);
        refused(&with(r#""type": "response", "data": {}"#), "only the gateway", true);
        refused(r#"{"type": "chat", "data": {"content": "x"}}"#, "UUID", false);
        refused(r#"{"type": "chat", "id": "1", "data": {"content": "x"}}"#, "UUID", false);
        refused(&with(r#""type": "chat""#), "data", true);
        refused(&with(r#""type": "chat", "data": {}"#), "content", true);
        refused(&with(r#""type": "chat", "data": {"content": "x", "mode": "full"}"#), "mode", true);
        refused(&with(r#""type": "status", "data": {"version": -1}"#), "-1", true);
        let other = with(r#""type": "chat", "session_id": "x", "data": {"content": "x"}"#);
        refused(&other, "UUID", true);
        let more =
            r#""type": "chat", "user_id": "root", "channel": "web", "data": {"content": "x"}"#;
        assert!(incoming(&with(more)).is_ok(), "who somebody says to be is nothing to us");
        assert!(incoming(&hello(Uuid::new_v4()).to_string()).is_ok());
    }
}
