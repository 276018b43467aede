//! What the structured answers of the tools look like, as JSON schemas. Pure.
//!
//! No key is required: an answer that must fit into few tokens keeps what it can.

use serde_json::{Map, Value, json};

use super::Tool;

/// The JSON schema of a tool's structured answer.
pub fn schema(tool: Tool) -> Map<String, Value> {
    let mut keys = match tool {
        Tool::Search => {
            let mut keys = list("hits", hit());
            keys["confidence"] = json!({
                "type": "object",
                "description": "whether the hits answer the question",
                "properties": {
                    "level": {"type": "string", "enum": ["sure", "perhaps", "probably nothing"]},
                    "probability": {"type": "number"},
                },
            });
            keys["excluded"] = json!({
                "type": "array",
                "items": text(),
                "description": "words with a dash: what holds them was left out",
            });
            keys
        }
        Tool::Similar => list("hits", hit()),
        Tool::Recall => list("memories", memory()),
        Tool::Questions => list("questions", json!({"type": "object"})),
        Tool::Entity => list("entities", json!({"type": "object"})),
        Tool::Get => json!({
            "path": text(),
            "title": maybe("string"),
            "lines": {"type": "array", "items": {"type": "integer"}, "description": "first and last line"},
            "text": text(),
            "hash": {"type": ["string", "null"], "description": "what `write_note` wants to overwrite the note"},
            "truncated": {"type": "boolean", "description": "more lines follow"},
            "origin": {"type": ["object", "null"]},
        }),
        Tool::Remember => json!({"id": text(), "path": maybe("string")}),
        Tool::Learn => json!({
            "prompt": maybe("string"),
            "queued": {"type": ["boolean", "integer", "null"]},
            "facts": {"type": ["integer", "array", "null"]},
        }),
        Tool::WriteNote => json!({"path": text(), "hash": text()}),
        Tool::Status => json!({}),
    };
    keys["cut"] =
        json!({"type": "boolean", "description": "parts were left out to fit max_tokens"});
    keys["hidden"] = json!({"type": "integer", "description": "characters shown as <U+XXXX>"});
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), keys);
    schema
}

fn list(name: &str, item: Value) -> Value {
    let mut keys = json!({"more": {"type": "integer", "description": "how many are left out"}});
    keys[name] = json!({"type": "array", "items": item});
    keys
}

fn hit() -> Value {
    json!({"type": "object", "properties": {
        "path": text(),
        "line": maybe("integer"),
        "kind": text(),
        "title": maybe("string"),
        "breadcrumb": {"type": ["string", "array", "null"]},
        "scope": maybe("string"),
        "text": text(),
        "score": maybe("number"),
        "origin": {"type": ["object", "string", "null"]},
    }})
}

fn memory() -> Value {
    json!({"type": "object", "properties": {
        "id": text(),
        "repo": maybe("string"),
        "lesson": text(),
        "context": maybe("string"),
        "timestamp": text(),
        "success_rate": maybe("string"),
    }})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn maybe(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}
