//! Answers of the MCP server that may be only a few tokens long.

use serde_json::{Value, json};

use elophanto_models::builtin::count_tokens;

use crate::env::{TestEnv, snapshot};

#[test]
fn what_was_found_is_not_called_nothing_however_short_the_answer_may_be() {
    let long =
        "The ferry leaves at dawn with the mail, the milk and whoever slept in the harbour. ";
    let env = TestEnv::with(&[("notes/ferry.md", &format!("# The ferry\n\n{}\n", long.repeat(9)))]);
    let calls = [50, 60, 90, 2000].map(|tokens| {
        let arguments = json!({"query": "ferry", "max_tokens": tokens});
        let params = json!({"name": "search", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": tokens, "method": "tools/call", "params": params})
    });
    let answers = answers(&env, calls.into());
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

/// Where a name is too long for the data, the words have the place and the title all the same.
#[test]
fn the_best_hit_is_told_in_the_fewest_tokens_there_may_be() {
    let path = "versioned-documents/version-11.x/command-line/install-and-test.md";
    let said = "# Ferries\n\nThe ferry leaves at dawn with the mail and the milk.\n";
    let env = TestEnv::with(&[(path, said), ("b.md", "# Pier\n\nThe ferry lies at the pier.\n")]);
    let arguments = json!({"query": "when does the ferry leave", "max_tokens": 50});
    let params = json!({"name": "search", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answer = &answers(&env, vec![call])[0]["result"];
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("{path}:3  Ferries")), "{answer}");
    assert!(count_tokens(text) <= 50 && answer["structuredContent"]["cut"] == true, "{answer}");
}

/// Of eight notes the best one is told whatever the budget is, the others in their order, and more room
/// never tells fewer.
#[test]
fn more_room_never_tells_fewer_hits() {
    let env = harbours();
    let query = "when does the ferry to the island leave";
    let calls = (0..=40).map(|step| {
        let tokens = 60 + step * 60;
        let arguments = json!({"query": query, "limit": 8, "max_tokens": tokens});
        let params = json!({"name": "search", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": tokens, "method": "tools/call", "params": params})
    });
    let all = answers(&env, calls.collect());
    let paths = |answer: &Value| -> Vec<String> {
        let hits = answer["result"]["structuredContent"]["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
    };
    let whole = paths(all.last().unwrap());
    assert_eq!(whole.len(), 8);
    let (mut before, mut before_in_words) = (1, 1);
    for answer in &all {
        let (tokens, result) = (answer["id"].as_u64().unwrap(), &answer["result"]);
        let (text, data) =
            (result["content"][0]["text"].as_str().unwrap(), &result["structuredContent"]);
        assert!(count_tokens(text) as u64 <= tokens, "{answer}");
        assert!(count_tokens(&data.to_string()) as u64 <= tokens, "{answer}");
        let shown = paths(answer);
        assert_eq!(shown, whole[..shown.len()], "{answer}");
        let in_words = whole.iter().filter(|path| text.contains(&format!("{path}:"))).count();
        assert!(shown.len() >= before, "{tokens}: {answer}");
        assert!(in_words >= before_in_words && in_words <= shown.len(), "{tokens}: {answer}");
        (before, before_in_words) = (shown.len(), in_words);
        let left = 8 - shown.len() as u64;
        assert_eq!(data["more"].as_u64().unwrap_or(0), left, "{answer}");
        assert!(left == 0 || data["cut"] == true, "{answer}");
    }
    assert_eq!(before_in_words, 8);
    // The same at a terminal.
    for format in ["json", "text", "markdown"] {
        let mut before = 1;
        for tokens in (60..2_400).step_by(90) {
            let max = tokens.to_string();
            let output =
                env.ok(&["search", "-n", "8", "--format", format, "--max-tokens", &max, query]);
            let text = output.stdout();
            assert!(count_tokens(&text) <= tokens, "{output}");
            let found = |path: &&String| text.contains(path.as_str());
            let shown = whole.iter().take_while(found).count();
            assert_eq!(shown, whole.iter().filter(found).count(), "{output}");
            assert!(shown >= before, "{format} {tokens}: {output}");
            before = shown;
            let is_told = output.stderr().contains("no room in");
            assert_eq!(is_told, shown < 8, "{output}");
            if format == "json" {
                let last = output.json().pop().unwrap();
                assert_eq!(last["more"].as_u64().unwrap_or(0), 8 - shown as u64, "{output}");
            }
        }
        assert_eq!(before, 8, "{format}");
    }
}

/// Eight notes about ferries, each with much to say.
fn harbours() -> TestEnv {
    let note = |at: usize| {
        let more = |what: &str| {
            format!("The {what} of pier {at} is told on a board, which people read at noon. ")
                .repeat(4)
        };
        format!(
            "# Pier {at}\n\nThe ferry to the island leaves from pier {at} at {at} o'clock. {}\n\n\
             ## Tickets\n\n{}\n\n- Bring a coat.\n- Bring {at} coins.\n",
            more("wind"),
            more("price"),
        )
    };
    let notes: Vec<(String, String)> =
        (1..=8).map(|at| (format!("notes/pier-{at}.md"), note(at))).collect();
    let mut files: Vec<(&str, &str)> =
        notes.iter().map(|(path, text)| (&**path, &**text)).collect();
    // Their order depends on no clock.
    let settings = "search:\n  recency_weight: 0\n  second_look: never\n";
    files.push((".elophanto/config.yaml", settings));
    TestEnv::with(&files)
}

/// Five lessons of a few sentences are more than 500 tokens as JSON: what else is known of them goes
/// first, then whole lessons from the end.
#[test]
fn lessons_lose_details_before_they_are_left_out() {
    let env = TestEnv::new();
    let towns = ["Husum", "Emden", "Kiel", "Stade", "Wismar"];
    for (at, town) in towns.iter().enumerate() {
        let lesson = format!(
            "In {town} the ferry leaves from pier {at}, not from where the map of the harbour \
             shows it; ask the {town} harbour master by radio and wait for the second horn."
        );
        let context = format!("the ferry of {town} was missed twice in one week");
        let command = format!("radio --channel {at} --call {town}-harbour --wait-for horn");
        let rate = format!("{}/9", at + 4);
        env.ok(&[
            "agent", "remember", "--type", "error", "--lesson", &lesson, "--context", &context,
            "--command", &command, "--success-rate", &rate, "--tags", "ferry,harbour,radio",
        ]);
    }
    let calls = [150, 250, 500, 1_000, 4_000].map(|tokens| {
        let arguments = json!({"text": "missed the ferry", "max_tokens": tokens});
        let params = json!({"name": "recall", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": tokens, "method": "tools/call", "params": params})
    });
    let mut said = String::new();
    for answer in answers(&env, calls.into()) {
        let (tokens, result) = (answer["id"].as_u64().unwrap(), &answer["result"]);
        let (text, structured) =
            (result["content"][0]["text"].as_str().unwrap(), &result["structuredContent"]);
        let cost = |text: &str| count_tokens(text) as u64;
        assert!(cost(text) <= tokens && cost(&structured.to_string()) <= tokens, "{answer}");
        let memories = structured["memories"].as_array().unwrap();
        let names: Vec<&String> = memories[0].as_object().unwrap().keys().collect();
        let in_text = towns.iter().filter(|town| text.contains(**town)).count();
        said += &format!("{tokens}: {in_text} in words; {} as {names:?}\n", memories.len());
        for memory in memories {
            let is_whole = memory["lesson"].as_str().unwrap().ends_with("second horn.");
            // The command mends it: where a lesson is from goes first, and that is told.
            let has_command = memory["command"].as_str().is_some_and(|it| it.ends_with("horn"));
            let has_origin = memory["origin"]["agent"].is_string() && memory["id"].is_string();
            let is_all = is_whole && has_command && has_origin;
            assert!(is_all || memory["truncated"] == true, "{memory}");
            assert!(!is_whole || has_command, "{memory}");
        }
        assert_eq!(structured["more"].as_u64().unwrap_or(0), 5 - memories.len() as u64);
        let is_cut = memories.len() < 5 || memories[0]["truncated"] == true;
        assert_eq!(structured["cut"] == true, is_cut);
    }
    snapshot!(said, @r#"
    150: 1 in words; 1 as ["lesson", "context", "command", "success_rate", "truncated"]
    250: 2 in words; 2 as ["lesson", "context", "command", "success_rate", "truncated"]
    500: 4 in words; 4 as ["lesson", "context", "command", "success_rate", "truncated"]
    1000: 5 in words; 5 as ["id", "repo", "lesson", "context", "command", "timestamp", "success_rate", "origin"]
    4000: 5 in words; 5 as ["id", "repo", "type", "lesson", "context", "command", "timestamp", "success_rate", "tags", "agent_id", "count", "path", "line", "score", "origin"]
    "#);
    // The same as lines of JSON.
    let lines = env.json(&["agent", "recall", "missed the ferry", "--json"]);
    let cost: usize = lines.iter().map(|line| count_tokens(&line.to_string())).sum();
    assert!(lines.len() >= 3 && cost <= 500, "{lines:?}");
}

/// What cannot be seen is marked, which takes room: text and data tell the same lessons all the same.
#[test]
fn both_tell_the_same_lessons_where_something_hides() {
    let env = TestEnv::new();
    for at in 0..12 {
        let lesson =
            format!("Way {at}: wait for the horn\u{200b}\u{200b} of the ferry at pier {at}");
        let context = format!("the ferry was missed for the {at}. time\u{202e} this year");
        let args = ["agent", "remember", "--type", "error", "--context", &context];
        env.ok(&[&args[..], &["--lesson", &lesson]].concat());
    }
    let calls = (4..28).map(|step| {
        let arguments = json!({"text": "missed the ferry", "limit": 12, "max_tokens": step * 25});
        let params = json!({"name": "recall", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": step, "method": "tools/call", "params": params})
    });
    let mut most = 0;
    for answer in answers(&env, calls.collect()) {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap();
        let listed = text.lines().filter(|line| line.contains(". [20")).count();
        let memories = result["structuredContent"]["memories"].as_array().unwrap();
        assert_eq!(listed, memories.len(), "{answer}");
        most = most.max(listed);
    }
    assert!(most > 2);
}

/// Answers to calls of tools, in the order of their ids.
fn answers(env: &TestEnv, calls: Vec<Value>) -> Vec<Value> {
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
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
    answers
}
