use std::sync::Arc;

use serde_json::{Value, json};

use super::{Client, Seen, server, text};
use crate::mcp::server::{Tool, budget::NOTICE};

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Arguments that a tool takes.
fn arguments(tool: Tool) -> Value {
    match tool {
        Tool::Search => json!({"query": "otters"}),
        Tool::Get | Tool::Similar => json!({"path": "a.md"}),
        Tool::Recall => json!({"text": "npm"}),
        Tool::Remember => json!({"type": "error", "context": "c", "lesson": "l"}),
        Tool::Learn => json!({"topic": "otters"}),
        Tool::WriteNote => json!({"title": "t", "text": "x", "kind": "note"}),
        Tool::Questions | Tool::Entity | Tool::Status => json!({}),
    }
}

#[tokio::test]
async fn every_tool_answers_in_every_version() {
    for version in VERSIONS {
        let seen = Arc::new(Seen::default());
        let (mut client, served) = Client::start(server(&seen), version).await;
        let listed = client.ask("tools/list", json!({})).await;
        let listed = listed["result"]["tools"].as_array().unwrap().clone();
        assert_eq!(listed.len(), Tool::ALL.len());
        for (tool, listed) in Tool::ALL.into_iter().zip(listed) {
            assert_eq!(listed["name"], tool.name());
            assert_eq!(listed["outputSchema"]["type"], "object");
            assert!(!listed["outputSchema"]["required"].as_array().unwrap().is_empty());
            let reads = listed["annotations"]["readOnlyHint"].as_bool();
            assert_eq!(tool.annotations().read_only_hint, reads);
            let answer = client.call(tool.name(), arguments(tool)).await;
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            assert!(answer["result"]["structuredContent"].is_object());
            let quotes = tool.quotes(&answer["result"]["structuredContent"]);
            assert_eq!(text(&answer).starts_with(NOTICE), quotes);
        }
        assert_eq!(seen.calls.lock().unwrap().len(), Tool::ALL.len());
        drop(client);
        served.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn wrong_calls_say_how_to_repair_them() {
    let seen = Arc::new(Seen::default());
    let (mut client, _served) = Client::start(server(&seen), "2025-11-25").await;
    let answer = client.call("serach", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "there is no tool `serach`; did you mean `search`?");

    let answer = client.call("search", json!({"query": "x", "limt": 3})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("did you mean `limit`?"), "{answer}");
    assert!(seen.calls.lock().unwrap().is_empty());

    let answer = client.call("search", json!({"query": "refuse"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(text(&answer), "not now\nask otherwise");

    let answer = client.call("search", json!({"query": "odd"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains(": /hits/0/path: number instead of "), "{answer}");

    let answer = client.call("search", json!({"query": "client"})).await;
    assert_eq!(text(&answer), format!("{NOTICE}\ntester[2J"));
    let answer = client.ask("tools/call", json!({"name": "status"})).await;
    assert_eq!(answer["result"]["structuredContent"], super::example(Tool::Status, ""));
}

#[tokio::test]
async fn long_answers_are_cut() {
    let seen = Arc::new(Seen::default());
    let (mut client, _served) = Client::start(server(&seen), "2025-11-25").await;
    let answer = client.call("search", json!({"query": "long", "max_tokens": 100})).await;
    let shown = text(&answer);
    assert!(shown.starts_with(NOTICE) && super::count(shown) <= 100, "{shown}");
    assert!(shown.ends_with("more lines; ask for less or raise max_tokens]"));
    let structured = &answer["result"]["structuredContent"];
    assert_eq!(structured["cut"], true);
    assert!(super::count(&structured.to_string()) <= 100);
    assert_eq!(structured["hits"].as_array().unwrap().len(), 1);
}

/// What clients build on: a change of it is meant.
#[test]
fn tools_are_listed_with_their_schemas() {
    let listed = serde_json::to_string_pretty(&*crate::mcp::server::door::TOOLS).unwrap();
    insta::assert_snapshot!(listed);
}

/// What whoever asks for all of it gets.
#[test]
fn whole_schemas_are_listed_when_asked_for() {
    let listed = serde_json::to_string_pretty(&*crate::mcp::server::door::FULL_TOOLS).unwrap();
    for unwanted in ["$ref", "$defs", "$schema", "\"title\": \"Nullable"] {
        assert!(!listed.contains(unwanted), "{unwanted}");
    }
    insta::assert_snapshot!(listed);
}

#[test]
fn descriptions_are_short() {
    let listed = serde_json::to_string(&*crate::mcp::server::door::TOOLS).unwrap();
    // Four bytes a token; 1,500 tokens with what stands around the list.
    assert!(listed.len() < 5_950, "{} bytes sit in every context window", listed.len());
    for tool in Tool::ALL {
        assert!(tool.description().len() < 220, "{}", tool.name());
        assert_eq!(Tool::named(tool.name()), Some(tool));
    }
}
