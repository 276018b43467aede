//! Plugins of the agent: looked at, tested, deployed, run with secrets, made inside a run.

mod commands;
mod developed;
mod model;
mod runs;

use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::env::{Output, TestEnv};

/// Puts a word into capitals.
const PROGRAM: &str = r#"#!/bin/sh
word=$(sed -n 's/.*"word":"\([a-z]*\)".*/\1/p' | tr a-z A-Z)
printf '{"text":"%s"}\n' "$word"
"#;
const TESTS: &str = r#"#!/bin/sh
said=$(printf '{"arguments":{"word":"ab"},"secrets":{}}' | ./plugin.sh)
[ "$said" = '{"text":"AB"}' ] || { echo "said $said"; exit 1; }
echo '1 passed'
"#;
const SCHEMA: &str = r#"{"description": "Puts a word into capitals",
"input": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}"#;
const README: &str = "# Shout\n\nPuts a word into capitals.\n";

/// Writes `plugins/<name>` with some files changed.
fn plugin(env: &TestEnv, name: &str, changed: &[(&str, &str)]) {
    let usual = [
        ("plugin.sh", PROGRAM),
        ("test_plugin.sh", TESTS),
        ("schema.json", SCHEMA),
        ("README.md", README),
    ];
    for (path, text) in usual.iter().chain(changed) {
        env.write(format!("plugins/{name}/{path}"), text);
    }
    let program = env.path(format!("plugins/{name}/plugin.sh"));
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository with a commit.
fn begun() -> TestEnv {
    let env = TestEnv::with(&[("knowledge/system/capabilities.md", "# Capabilities\n\nMine.\n")]);
    env.commit("start");
    env
}

fn text(env: &TestEnv, path: &str) -> String {
    String::from_utf8(env.read(path)).unwrap()
}

/// Runs it; whatever is asked is answered with yes.
fn agreeing(command: &mut Command) -> Output {
    let line = |id| format!("{{\"id\": {id}, \"answer\": \"once\", \"text\": \"deploy\"}}\n");
    answered(command, (1..60).map(line).collect())
}

/// Runs it with these answers on its standard input.
fn answered(command: &mut Command, answers: String) -> Output {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // It may end without reading all of them.
    let _ = child.stdin.take().unwrap().write_all(answers.as_bytes());
    child.wait_with_output().unwrap().into()
}

/// Lines of one type.
fn of_type<'o>(lines: &'o [Value], kind: &str) -> Vec<&'o Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

/// The one line about a call of a tool that was made.
fn called<'o>(lines: &'o [Value], tool: &str) -> &'o Value {
    let found = of_type(lines, "called").into_iter().find(|line| line["tool"] == tool);
    found.unwrap_or_else(|| panic!("no call of {tool}: {lines:#?}"))
}
