//! What hooks are told and answer, and how a change is shown.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

#[test]
fn reads_hook_input() {
    let told = r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/p","stop_hook_active":true,"source":"resume","hook_event_name":"Stop"}"#;
    let expected = HookInput {
        session_id: Some("s".to_owned()),
        transcript_path: Some("/t.jsonl".into()),
        cwd: Some("/p".into()),
        stop_hook_active: true,
        source: Some("resume".to_owned()),
    };
    assert_eq!(hook_input(told), expected);
    assert_eq!(hook_input(&format!("\u{feff}{told}\r\n")), expected);
    let large = format!("{{\"cwd\":\"{}\"}}", "x".repeat(2_000_000));
    let wrong = r#"{"session_id":1,"stop_hook_active":"yes","cwd":"","source":null}"#;
    for told in ["", "{", "[]", "null", &"[".repeat(10_000), wrong, &large] {
        assert_eq!(hook_input(told), HookInput::default());
    }
}

#[test]
fn answers() {
    let context = |text: &str| -> String {
        let output: Value = serde_json::from_str(&start_output(text)).unwrap();
        let output = &output["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "SessionStart");
        output["additionalContext"].as_str().unwrap().to_owned()
    };
    assert_eq!(context("a\n\"b\" \u{1b}"), "a\n\"b\" \u{1b}");
    assert_eq!(context(&"é".repeat(20_000)).chars().count(), 9_000);
    assert_eq!(context(&format!("a\n{}", "é".repeat(9_000))), "a");
    let output: Value = serde_json::from_str(&stop_output()).unwrap();
    assert_eq!(output["decision"], "block");
}

fn tool(name: &str, input: Value) -> String {
    json!({"type": "assistant", "message": {"content": [
        {"type": "text", "text": "I try."}, {"type": "tool_use", "id": "t", "name": name, "input": input}
    ]}})
    .to_string()
}

fn result(is_error: bool, text: &str) -> String {
    json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t", "is_error": is_error, "content": text}
    ]}})
    .to_string()
}

fn user(text: &str) -> String {
    json!({"type": "user", "isMeta": true, "message": {"content": text}}).to_string()
}

fn reminded() -> String {
    let output: Value = serde_json::from_str(&stop_output()).unwrap();
    user(&format!("Stop hook feedback:\n- {}", output["reason"].as_str().unwrap()))
}

fn check(lines: &[String], expected: bool) {
    let input = HookInput::default();
    for end in ["", "\n", "\r\n\n"] {
        let text = format!("{}{end}", lines.join("\n"));
        assert_eq!(wants_reminder(&input, text.as_bytes()), expected, "{text}");
    }
    let active = HookInput { stop_hook_active: true, ..input };
    assert!(!wants_reminder(&active, lines.join("\n").as_bytes()));
}

#[test]
fn reminds_of_errors_that_nobody_wrote_down() {
    let bash = |command: &str| tool("Bash", json!({ "command": command }));
    let (failed, fine) = (result(true, "EACCES"), result(false, "ok"));
    let by_tool = tool("mcp__elophanto__remember", json!({"type": "error"}));
    let by_shell = bash("cd x && elophanto agent remember --type error");
    let damaged = "{\"type\": \"user\", \"is_error\": true".to_owned();
    let nul = "\0".repeat(4096);
    for (lines, expected) in [
        (vec![], false),
        (vec![bash("npm ci"), fine.clone()], false),
        (vec![bash("npm ci"), failed.clone(), bash("npm ci"), fine.clone()], true),
        (vec![failed.clone(), by_tool.clone(), fine.clone()], false),
        (vec![failed.clone(), by_shell.clone(), fine.clone()], false),
        (vec![failed.clone(), by_tool.clone(), fine.clone(), failed.clone()], true),
        (vec![failed.clone(), by_tool.clone(), result(true, "busy")], true),
        (vec![by_tool.clone(), failed.clone()], true),
        (vec![failed.clone(), reminded()], false),
        (vec![reminded(), fine.clone(), failed.clone()], false),
        // Only quoted: by the agent, by a tool.
        (
            vec![
                failed.clone(),
                bash("grep '[elophanto reminder]'"),
                result(false, "[elophanto reminder]"),
            ],
            true,
        ),
        (vec![failed.clone(), tool("Read", json!({"command": "agent remember"}))], true),
        (vec![failed.clone(), user("please remember: \"is_error\" agent remember")], true),
        (vec![damaged.clone(), nul.clone(), failed.clone(), damaged.clone(), nul.clone()], true),
        (vec![damaged, nul], false),
    ] {
        check(&lines, expected);
    }
    let both = json!({"message": {"content": [
        {"type": "tool_result", "is_error": true},
        {"type": "tool_use", "name": "x_remember"},
    ]}});
    check(&[both.to_string()], false);
}

#[test]
fn looks_at_the_newest_bytes() {
    let mut text = format!("{}\n", result(true, "early"));
    text.push_str(&format!("{}\n", "x".repeat(MAX_TRANSCRIPT_BYTES)));
    let input = HookInput::default();
    assert!(!wants_reminder(&input, text.as_bytes()));
    text.push_str(&result(true, "late"));
    assert!(wants_reminder(&input, text.as_bytes()));
}

#[test]
fn diffs() {
    let check = |before: Option<&str>, after: Option<&str>, expected: &str| {
        let [before, after] = [before, after].map(|text| text.map(str::to_owned));
        let change = Change { path: "/a\u{1b}".into(), before, after, purpose: "" };
        assert_eq!(diff(&change), expected);
    };
    let name = "/a\u{241b}";
    check(None, Some("x\n"), &format!("--- /dev/null\n+++ {name}\n@@ -0,0 +1,1 @@\n+x\n"));
    check(
        Some("x"),
        None,
        &format!("--- {name}\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\\ no line end\n"),
    );
    check(
        Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n"),
        Some("1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\nnew\n15\n"),
        &format!(
            "--- {name}\n+++ {name}\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
             @@ -12,4 +12,5 @@\n 12\n 13\n 14\n+new\n 15\n"
        ),
    );
    // What changes is shown whole, what stays is not.
    let long = "x".repeat(300);
    check(
        Some(&format!("\u{202e}{long}\r\n\tb\n{long}")),
        Some(&format!("\tb{long}\n{long}")),
        &format!(
            "--- {name}\n+++ {name}\n@@ -1,3 +1,2 @@\n-<U+202E>{long}\n-\tb\n+\tb{long}\n {} ...\n\\ no line end\n",
            "x".repeat(240)
        ),
    );
    check(Some("a\n"), Some("a\n"), &format!("--- {name}\n+++ {name}\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// With all lines as context, the lines of each side are those of its text.
    #[test]
    fn diffs_hold_both_sides(before in "([abc]\n){0,7}", after in "([abc]\n){0,7}") {
        let change = Change {
            path: "/a".into(),
            before: Some(before.clone()),
            after: Some(after.clone()),
            purpose: "",
        };
        let shown = diff(&change);
        let count = |sign: char| shown.lines().skip(2).filter(|line| line.starts_with(sign)).count();
        let lines = |text: &str| text.lines().count();
        prop_assert_eq!(lines(&before) + count('+'), lines(&after) + count('-'));
        prop_assert_eq!(before == after, shown.lines().count() == 2);
    }

    #[test]
    fn no_transcript_panics(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        let text = [b"\"is_error\"remember".as_slice(), &text].concat();
        prop_assert!(!wants_reminder(&HookInput::default(), &text));
    }
}
