//! Beginning and ending.

use serde_json::json;

use super::{
    bench,
    session::{Editor, command},
};
use crate::{
    env::TestEnv,
    fake::script::{Model, text},
};

#[test]
fn it_says_what_it_can_do_and_no_more() {
    let env = TestEnv::with(&[]);
    let mut editor = Editor::spawn(&mut command(&env));
    // A version of the future: it speaks its own.
    let params = json!({ "protocolVersion": 99, "clientCapabilities": {} });
    let answer = editor.ask("initialize", params).unwrap();
    assert_eq!(answer["protocolVersion"], 1);
    assert_eq!(answer["agentInfo"]["name"], "elophanto");
    assert_eq!(answer["authMethods"], json!([]));
    let able = &answer["agentCapabilities"];
    assert_eq!(able["loadSession"], true);
    let prompts = &able["promptCapabilities"];
    assert_eq!((&prompts["image"], &prompts["embeddedContext"]), (&json!(true), &json!(true)));
    assert_ne!(prompts["audio"], true);
    assert_ne!(able["mcpCapabilities"]["http"], true);
    for known in ["list", "resume", "close"] {
        assert!(able["sessionCapabilities"][known].is_object(), "{able}");
    }
    assert!(able["sessionCapabilities"]["delete"].is_null());
    // What was not offered is not there.
    for method in ["authenticate", "session/delete", "session/fork", "nothing/known"] {
        let params = json!({ "sessionId": "x", "methodId": "x" });
        let error = editor.ask(method, params).unwrap_err();
        assert_eq!(error.0, -32601, "{method} {error:?}");
    }
    assert_eq!(editor.end(), (Some(0), String::new()));
}

#[test]
fn sessions_are_about_repositories() {
    let model = Model::script(vec![text("Yes.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "no");
    for (cwd, code, expected) in [
        ("relative/folder", -32602, "no absolute path"),
        (env.outside().to_str().unwrap(), -32602, "git"),
        ("/nowhere/at/all", -32602, "/nowhere/at/all"),
    ] {
        let error = editor.ask("session/new", json!({ "cwd": cwd, "mcpServers": [] })).unwrap_err();
        assert_eq!(error.0, code, "{error:?}");
        assert!(error.1.contains(expected), "{cwd}: {error:?}");
    }
    // In a folder of one it is about all of it.
    env.write("deep/er/note.md", "# Deep\n");
    let session = editor.open(&env.path("deep/er"));
    assert_eq!(editor.say(&session, "Are there otters?").unwrap(), "end_turn");
    assert_eq!(editor.text(), "Yes.");
    assert_eq!(editor.end(), (Some(0), String::new()));
}

#[test]
fn what_is_no_protocol_is_told_so() {
    let env = TestEnv::with(&[]);
    for (program, input, expected) in [
        ("acp", "hello there\n", "Agent Client Protocol"),
        ("acp", "", "Agent Client Protocol"),
        ("lsp", "hello there\n\n", "Language Server Protocol"),
        ("lsp", "", "Language Server Protocol"),
    ] {
        let output = env.run_with(&[program], input.as_bytes());
        assert_eq!(output.code, Some(2), "{program} {input:?} {output}");
        assert!(output.stderr().contains(expected), "{output}");
        assert!(output.stderr().contains("hint:"), "{output}");
    }
}

#[test]
fn without_a_model_it_says_how_to_have_one() {
    let env = TestEnv::with(&[("README.md", "# Otters\n")]);
    env.commit("First");
    let mut editor = Editor::begin(&env, "no");
    let session = editor.open(env.root());
    let (code, text) = editor.say(&session, "Count the otters").unwrap_err();
    assert_eq!(code, -32603);
    assert!(text.contains("model") && text.contains("llm."), "{text}");
    // What needs none goes on.
    assert_eq!(editor.say(&session, "/search otters").unwrap(), "end_turn");
    assert!(editor.text().contains("README.md"), "{}", editor.text());
}
