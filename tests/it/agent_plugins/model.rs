//! A model that plans nothing, calls the tools of a list, and writes a plugin when it is asked to.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use super::{PROGRAM, README, SCHEMA, TESTS};
use crate::{
    env::TestEnv,
    fake::{Answer, Fake, Seen, chat::Protocol},
};

/// What the loop is answered: a call, or the final words.
pub enum Step {
    Call(&'static str, Value),
    Say(&'static str),
}

/// What the coder answers.
pub fn code(changed: &[(&str, &str)]) -> String {
    let usual = [
        ("plugin.sh", PROGRAM),
        ("test_plugin.sh", TESTS),
        ("schema.json", SCHEMA),
        ("README.md", README),
    ];
    let content = |path: &str, text: &str| {
        let changed = changed.iter().find(|(changed, _)| *changed == path);
        changed.map_or(text.to_owned(), |(_, text)| (*text).to_owned())
    };
    let files: Vec<Value> = usual
        .iter()
        .map(|(path, text)| json!({ "path": path, "content": content(path, text) }))
        .collect();
    json!({ "files": files }).to_string()
}

pub const APPROVED: &str = r#"{"approved": true, "findings": ["README.md: is short"]}"#;

/// The server, and settings that name it: one model works, another one reviews.
pub fn scripted(env: &TestEnv, steps: Vec<Step>, codes: Vec<String>, reviews: Vec<&str>) -> Fake {
    let reviews: Vec<String> = reviews.into_iter().map(str::to_owned).collect();
    let counts: [AtomicUsize; 3] = Default::default();
    let fake = Fake::start(move |seen| {
        let next = |which: usize, most: usize| {
            counts[which].fetch_add(1, Ordering::Relaxed).min(most.saturating_sub(1))
        };
        let body = &seen.body;
        if let Some(form) = body.pointer("/response_format/json_schema/schema") {
            return says(seen, &filled(form).to_string());
        }
        let system = body.pointer("/messages/0/content").and_then(Value::as_str);
        let system = system.unwrap_or_default();
        if system.starts_with("You design a small plugin") {
            return says(seen, "Reads a word and says it in capitals.");
        }
        if system.starts_with("You write a small plugin") {
            return says(seen, &codes[next(1, codes.len())]);
        }
        if system.starts_with("You review a plugin") {
            return says(seen, &reviews[next(2, reviews.len())]);
        }
        match &steps[next(0, steps.len())] {
            Step::Say(text) => says(seen, text),
            Step::Call(name, arguments) => calls(seen, name, arguments),
        }
    });
    let tasks: String = ["planning", "coding", "analysis", "simple"]
        .iter()
        .map(|task| format!("    {task}: [fake/worker]\n"))
        .collect();
    env.write_settings(&format!(
        "llm:\n  providers:\n    ollama: {{base_url: \"http://127.0.0.1:2\"}}\n    \
         fake: {{base_url: \"{}\", protocol: openai}}\n  tasks:\n{tasks}    \
         review: [fake/reviewer]\nagent.notes: knowledge\n",
        fake.url
    ));
    fake
}

fn says(seen: &Seen, text: &str) -> Answer {
    match seen.body["stream"] == true {
        true => Protocol::OpenAi.streams(&[text]),
        false => Protocol::OpenAi.says(text),
    }
}

fn calls(seen: &Seen, name: &str, arguments: &Value) -> Answer {
    if seen.body["stream"] != true {
        return Protocol::OpenAi.calls(name, arguments);
    }
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "index": 0, "id": "c1", "type": "function", "function": function });
    let begun = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] });
    let ended = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7 } });
    let body = format!("data: {begun}\n\ndata: {ended}\n\ndata: [DONE]\n\n");
    Answer::text("text/event-stream", &body)
}

/// An answer of some form: plans, looks back, sums up.
fn filled(form: &Value) -> Value {
    let value = |(name, one): (&String, &Value)| {
        let kind = one["type"].as_str().or(one["type"][0].as_str()).unwrap_or_default();
        let value = match (name.as_str(), kind) {
            ("steps", _) => json!(["do it"]),
            ("title", _) => json!("Otter in capitals"),
            ("outcome", _) => json!("done"),
            (name, "boolean") => json!(matches!(name, "as_expected" | "progress")),
            (_, "array") => json!([]),
            (_, "string") => json!(""),
            _ => Value::Null,
        };
        (name.clone(), value)
    };
    let empty = Map::new();
    let fields = form["properties"].as_object().unwrap_or(&empty);
    Value::Object(fields.iter().map(value).collect())
}
