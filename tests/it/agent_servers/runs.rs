//! Tools of servers in runs of the agent.

use std::fs;

use serde_json::json;

use super::{Bench, told};
use crate::{
    env::snapshot,
    fake::script::{Model, call, text},
};

#[test]
fn a_run_uses_a_server_and_ends_it() {
    let bench = Bench::new();
    bench.add(&["--level", "add=safe", "--env", "PATH"]);
    fs::remove_file(bench.server.with_file_name("environment")).unwrap();
    let (output, model) = bench.run("", &[("calc_add", json!({ "a": 19, "b": 23 }))]);
    assert_eq!(output.code, Some(0), "{output}");
    snapshot!(told(&output), @r#"
    asked: calc_add (safe) "the mode `ask` asks before every call"
    server `calc` (python3 [TEMP]/server/server.py)
    calls `add` with
    {
      "a": 19,
      "b": 23
    }
    calc_add failed: false
    42
    tainted by calc_add
    --- stderr
    "#);
    assert_eq!(bench.noted("calls"), "add\n");
    // What starts Python may add some of its own.
    let environment = bench.noted("environment");
    let given: Vec<_> = environment.trim().split(',').collect();
    assert!(given.contains(&"PATH"), "{environment}");
    for name in ["HOME", "TZ", "NO_COLOR", "COLUMNS", "GIT_AUTHOR_NAME"] {
        assert!(!given.contains(&name), "{name} was not granted: {environment}");
    }
    // A repository does not lie where it looks for its parts.
    assert!(bench.noted("folder").lines().all(|folder| folder.ends_with("/home")));
    assert!(bench.are_gone());
    let prompt = model.prompts().last().unwrap().clone();
    assert!(prompt.contains("42"), "{prompt}");
}

#[test]
fn full_auto_does_not_reach_outside_of_the_fence() {
    let bench = Bench::new();
    bench.add(&[]);
    let model = Model::script(vec![call("calc_add", json!({ "a": 1, "b": 2 })), text("No.")]);
    bench.env.write_settings(&format!("{}agent.mode: full\n", model.settings()));
    // Nobody answers.
    let output =
        bench.env.run_with(&["agent", "run", "what do the numbers come to", "--json"], b"");
    snapshot!(told(&output), @r#"
    asked: calc_add (destructive) "the server runs outside of the sandbox, as you do"
    server `calc` (python3 [TEMP]/server/server.py)
    calls `add` with
    {
      "a": 1,
      "b": 2
    }
    calc_add unmade: not made: nobody answered. the server runs outside of the sandbox, as you do
    --- stderr
    "#);
    assert_eq!(bench.noted("calls"), "");
}

/// The level that the user gave a tool decides, or a rule of theirs, in the modes that ask less; not
/// once text from outside is in the conversation, which an answer of a server is.
#[test]
fn what_the_user_calls_safe_or_allows_runs_without_asking() {
    let safe: &[&str] = &["--level", "add=safe"];
    for (mode, level, rules) in
        [("smart", safe, ""), ("full", safe, ""), ("smart", &[], "tools: { calc_add: allow }\n")]
    {
        let bench = Bench::new();
        bench.add(level);
        let add = |a: u8| call("calc_add", json!({ "a": a, "b": 2 }));
        let model = Model::script(vec![add(1), add(2), text("No.")]);
        bench.env.write_settings(&format!("{}agent.mode: {mode}\n", model.settings()));
        std::fs::write(bench.env.outside().join("home/.config/elophanto/permissions.yaml"), rules)
            .unwrap();
        let output =
            bench.env.run_with(&["agent", "run", "what do the numbers come to", "--json"], b"");
        assert_eq!(bench.noted("calls"), "add\n", "{mode} {rules} {output}");
        let told = told(&output);
        assert!(told.contains("calc_add failed: false\n3\n"), "{told}");
        assert!(told.contains("asked: calc_add"), "{told}");
        assert!(told.contains("untrusted text is in the conversation"), "{told}");
    }
}

/// Under taint too the user is asked once, where they called the tool safe and say so for the session.
#[test]
fn a_safe_tool_is_asked_about_once_a_session() {
    for (level, asked) in [("safe", 1), ("moderate", 4)] {
        let bench = Bench::new();
        bench.add(&["--level", &format!("add={level}")]);
        let add = |a: u8| call("calc_add", json!({ "a": a, "b": 2 }));
        let model = Model::script(vec![add(1), add(2), add(3), add(4), text("There.")]);
        bench.env.write_settings(&format!("{}agent.mode: smart\n", model.settings()));
        let line = |id| format!("{{\"id\": {id}, \"answer\": \"session\"}}\n");
        let answers: String = (1..9).map(line).collect();
        let output = bench.env.run_with(
            &["agent", "run", "what do the numbers come to", "--json"],
            answers.as_bytes(),
        );
        assert_eq!(output.code, Some(0), "{output}");
        assert_eq!(bench.noted("calls"), "add\n".repeat(4));
        let told = told(&output);
        assert_eq!(told.matches("asked: calc_add").count(), asked, "{told}");
        let tainted = told.matches("untrusted text is in the conversation").count();
        assert_eq!(tainted, if level == "safe" { 1 } else { 3 }, "{told}");
    }
}

#[test]
fn tools_of_servers_are_listed() {
    let bench = Bench::new();
    bench.add(&["--level", "add=safe"]);
    let listed = bench.env.ok(&["agent", "tools"]);
    assert!(!listed.stdout().contains("calc_add"), "{listed}");
    assert!(listed.stderr().contains("and those of 1 server: --servers lists them"), "{listed}");
    let listed = bench.env.ok(&["agent", "tools", "--servers", "--json"]);
    let add = listed.json().into_iter().find(|tool| tool["name"] == "calc_add").unwrap();
    assert_eq!((&add["level"], &add["source"]["name"]), (&"safe".into(), &"calc".into()));
    assert!(bench.are_gone());
}

#[test]
fn one_that_dies_or_hangs_costs_its_call() {
    let bench = Bench::new();
    bench.add(&[]);
    let add = ("calc_add", json!({ "a": 1, "b": 2 }));
    let read = ("file_read", json!({ "path": "README.md" }));
    let wanted = [("calc_exit", json!({})), add.clone(), read.clone()];
    let (output, _) = bench.run("", &wanted);
    snapshot!(told(&output), @r#"
    asked: calc_exit (destructive) "the mode `ask` asks before every call"
    server `calc` (python3 [TEMP]/server/server.py)
    calls `exit` with
    {}
    calc_exit failed: true
    server `calc`: it ended
    tainted by calc_exit
    asked: calc_add (destructive) "untrusted text is in the conversation, and this reaches beyond what an undo of this work tree takes back"
    server `calc` (python3 [TEMP]/server/server.py)
    calls `add` with
    {
      "a": 1,
      "b": 2
    }
    calc_add failed: true
    server `calc`: it ended
    asked: file_read (safe) "the mode `ask` asks before every call"
    read README.md
    file_read failed: false
    README.md: 9 bytes, hash 299f8177ad45c981, lines 1-1 of 1

    # Otters

    --- stderr
    "#);
    assert!(bench.are_gone());
    let bench = Bench::new();
    bench.add(&[]);
    let wanted = [("calc_hang", json!({})), add, read];
    let (output, _) = bench.run("agent.tool_timeout: 1s\n", &wanted);
    snapshot!(told(&output), @r#"
    asked: calc_hang (destructive) "the mode `ask` asks before every call"
    server `calc` (python3 [TEMP]/server/server.py)
    calls `hang` with
    {}
    calc_hang failed: true
    server `calc`: no answer within 1 s
    tainted by calc_hang
    asked: calc_add (destructive) "untrusted text is in the conversation, and this reaches beyond what an undo of this work tree takes back"
    server `calc` (python3 [TEMP]/server/server.py)
    calls `add` with
    {
      "a": 1,
      "b": 2
    }
    calc_add failed: true
    server `calc`: no answer within 1 s
    asked: file_read (safe) "the mode `ask` asks before every call"
    read README.md
    file_read failed: false
    README.md: 9 bytes, hash 299f8177ad45c981, lines 1-1 of 1

    # Otters

    --- stderr
    "#);
    assert!(bench.are_gone());
}

#[test]
fn one_that_does_not_start_costs_nothing_else() {
    let bench = Bench::new();
    bench.add(&[]);
    // It worked when it was looked at.
    let broken = "import sys\nsys.stderr.write('no licence\\x1b[2J\\n')\nsys.exit(3)\n";
    fs::write(&bench.server, broken).unwrap();
    let (output, _) =
        bench.run("", &[("calc_add", json!({})), ("file_read", json!({ "path": "README.md" }))]);
    assert_eq!(output.code, Some(0), "{output}");
    snapshot!(told(&output), @r#"
    calc_add unmade: there is no tool `calc_add`; there are: ask_user, delegate_reading, file_delete, file_edit, file_list, file_move, file_read, file_search, file_write, git_commit, git_diff, git_log, git_status, hub_install, hub_search, knowledge_index, knowledge_search, knowledge_write, learn, llm_call, memory_recall, memory_remember, questions, self_develop, shell_execute, skill_list, skill_read, todo_list, web_fetch, web_search
    asked: file_read (safe) "the mode `ask` asks before every call"
    read README.md
    file_read failed: false
    README.md: 9 bytes, hash 299f8177ad45c981, lines 1-1 of 1

    # Otters

    tainted by file_read
    --- stderr
    note: server `calc`: it ended before it answered (it said: no licence[2J)
    "#);
}
