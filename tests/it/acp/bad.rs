//! Editors that misbehave.

use std::time::Duration;

use serde_json::{Value, json};

use super::{bench, session::Editor};
use crate::fake::script::{Hold, Model, text};

/// The next message that is an answer.
fn answer(editor: &mut Editor) -> Value {
    loop {
        let message = editor.next().expect("it ended");
        if message["method"].is_null() {
            return message;
        }
    }
}

#[test]
fn junk_is_answered_and_ends_nothing() {
    let model = Model::script(vec![text("Still here.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    for (line, code) in [
        ("this is no JSON", -32700),
        ("{\"jsonrpc\":\"2.0\"", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\"}]", -32600),
        ("17", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":90,\"method\":\"session/list\"}", -32600),
    ] {
        editor.send(line);
        let answer = answer(&mut editor);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // An answer to nothing, notifications that nobody knows, bytes that are no text.
    editor.send("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}");
    editor.tell("$/unknown", json!({}));
    editor.tell("session/cancel", json!({ "sessionId": "no session" }));
    editor.tell("session/cancel", json!({ "odd": true }));
    for (method, params, code) in [
        ("session/prompt", json!({ "sessionId": "no id", "prompt": [] }), -32002),
        ("session/prompt", json!({ "sessionId": uuid::Uuid::new_v4(), "prompt": [] }), -32002),
        ("session/prompt", json!({ "sessionId": session, "prompt": "no blocks" }), -32602),
        ("session/prompt", json!({ "sessionId": session }), -32602),
        ("session/prompt", json!({ "sessionId": session, "prompt": [] }), -32603),
        ("session/new", json!({}), -32602),
        ("session/load", json!({ "sessionId": "../x", "cwd": "/", "mcpServers": [] }), -32002),
        ("session/set_mode", json!({ "sessionId": "x", "modeId": "ask" }), -32002),
        ("session/close", json!({ "sessionId": uuid::Uuid::new_v4() }), -32002),
    ] {
        let error = editor.ask(method, params.clone()).unwrap_err();
        assert_eq!(error.0, code, "{method} {params}: {error:?}");
    }
    // Half of a character, as editors written in JavaScript send it.
    let prompt = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"session/prompt\",\"params\":{{\"sessionId\":\"{session}\",\
         \"prompt\":[{{\"type\":\"text\",\"text\":\"half \\ud83d of it\"}}]}}}}"
    );
    editor.send(&prompt);
    assert_eq!(editor.wait_for(99).unwrap()["stopReason"], "end_turn");
    assert!(model.prompts()[0].contains("half \u{fffd} of it"));
    assert_eq!(editor.end(), (Some(0), String::new()));
}

#[test]
fn nothing_is_done_before_hello() {
    let model = Model::script(vec![text("Hello.")]);
    let env = bench(&model, "");
    let mut editor = Editor::spawn(&mut super::session::command(&env));
    let error = editor.ask("session/new", json!({ "cwd": env.root(), "mcpServers": [] }));
    assert!(error.is_err());
    editor.hello(json!({}));
    editor.open(env.root());
}

#[test]
fn one_prompt_at_a_time() {
    let hold = Hold::default();
    let model = Model::script(vec![hold.turn(text("First.")), text("Third.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    let first = editor.begin_to_say(&session, "First");
    let second = editor.begin_to_say(&session, "Second");
    let load = json!({ "sessionId": session, "cwd": env.root(), "mcpServers": [] });
    let third = editor.begin_to_ask("session/load", load);
    for id in [second, third] {
        let error = editor.wait_for(id).unwrap_err();
        assert!(error.0 == -32600 && error.1.contains("session/cancel"), "{error:?}");
    }
    hold.release();
    assert_eq!(editor.wait_for(first).unwrap()["stopReason"], "end_turn");
    assert_eq!(editor.say(&session, "Third").unwrap(), "end_turn");
    assert_eq!(editor.text(), "First.Third.");
}

#[test]
fn a_repository_that_goes_away_is_an_error() {
    let model = Model::script(vec![text("Yes.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    editor.say(&session, "Are there otters?").unwrap();
    std::fs::rename(env.path(".git"), env.outside().join("gone")).unwrap();
    // What was opened is let go of after a while; until then it fails or answers, and never hangs.
    std::thread::sleep(Duration::from_secs(11));
    let (code, text) = editor.say(&session, "And now?").unwrap_err();
    assert!(code == -32603 && text.contains("git"), "{text}");
    std::fs::rename(env.outside().join("gone"), env.path(".git")).unwrap();
    assert_eq!(editor.say(&session, "And again?").unwrap(), "end_turn");
    assert_eq!(editor.end(), (Some(0), String::new()));
}
