//! Answers of the MCP server that may be only a few tokens long.

use serde_json::{Value, json};

use crate::env::TestEnv;

#[test]
fn what_was_found_is_not_called_nothing_however_short_the_answer_may_be() {
    let long =
        "The ferry leaves at dawn with the mail, the milk and whoever slept in the harbour. ";
    let env = TestEnv::with(&[("notes/ferry.md", &format!("# The ferry\n\n{}\n", long.repeat(9)))]);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let calls = [50, 60, 90, 2000].map(|tokens| {
        let arguments = json!({"query": "ferry", "max_tokens": tokens});
        let params = json!({"name": "search", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": tokens, "method": "tools/call", "params": params})
    });
    let mut input = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    input.extend(calls);
    let lines: String = input.iter().map(|message| format!("{message}\n")).collect();
    let mut answers = env.run_with(&["agent", "mcp", "serve"], lines.as_bytes()).json();
    answers.retain(|answer| answer["id"].as_u64().is_some_and(|id| id > 0));
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let seen: Vec<(Value, bool, bool)> = answers
        .iter()
        .map(|answer| {
            let (text, structured) = (
                answer["result"]["content"][0]["text"].as_str().unwrap(),
                &answer["result"]["structuredContent"],
            );
            let is_told = text.contains("notes/ferry.md:");
            let is_cut = structured["cut"] == true;
            // A cut answer need not have room for a hit.
            assert!(is_cut || structured["hits"][0]["path"] == "notes/ferry.md", "{structured}");
            (answer["id"].clone(), is_told, is_cut)
        })
        .collect();
    let expected = [(50, true, true), (60, true, true), (90, true, true), (2000, true, false)];
    assert_eq!(seen, expected.map(|(id, is_told, is_cut)| (json!(id), is_told, is_cut)));
}
