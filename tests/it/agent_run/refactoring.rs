//! What a refactoring costs: requests, and what they hold, counted. A function gets another name in
//! four files; a check finds the place that was forgotten; then it is committed.

use serde_json::{Value, json};

use super::Bench;
use crate::fake::script::{Model, Turn, call, shell, text, tokens};

/// A module of a few functions that read settings, as projects have them.
fn module(name: &str, calls: &[&str]) -> String {
    let mut text = format!("//! What {name} does with the settings of the project.\n\n");
    text += "use std::{collections::BTreeMap, io, path::Path};\n\n";
    for (number, used) in calls.iter().enumerate() {
        text += &format!(
            "/// Step {number} of {name}: reads the settings and hands on what it needs of them.\n\
             pub fn {name}_{number}(path: &Path, seen: &mut BTreeMap<String, String>) -> io::Result<usize> {{\n    \
             let settings = {used}(path)?;\n    \
             for (key, value) in &settings {{\n        \
             if key.starts_with('#') || value.is_empty() {{\n            continue;\n        }}\n        \
             seen.insert(key.clone(), value.trim().to_owned());\n    }}\n    \
             Ok(seen.len())\n}}\n\n"
        );
    }
    text
}

const CHECK: &str = "#!/bin/sh\nif grep -rn 'load_all(' src; then echo 'still called by its old name'; \
                     exit 1; fi\necho all checks passed\n";

fn files() -> Vec<(&'static str, String)> {
    let old = "load_all";
    let own = "pub fn load_all(path: &Path) -> io::Result<BTreeMap<String, String>> {\n    \
               let text = std::fs::read_to_string(path)?;\n    \
               let pair = |line: &str| line.split_once('=').map(|(key, value)| (key.into(), value.into()));\n    \
               Ok(text.lines().filter_map(pair).collect())\n}\n";
    vec![
        ("src/settings.rs", format!("{}{own}", module("settings", &["open", "open"]))),
        ("src/server.rs", module("server", &[old, "open", "open", "open"])),
        ("src/client.rs", module("client", &["open", old, "open", "open"])),
        ("src/report.rs", module("report", &["open", "open", old, "open", old])),
        ("src/other.rs", module("other", &["open", "open", "open", "open"])),
        ("check.sh", CHECK.to_owned()),
    ]
}

fn edit(path: &str, old: &str, new: &str) -> Turn {
    let edits = json!([{ "old": old, "new": new }]);
    call("file_edit", json!({ "path": path, "edits": edits }))
}

fn read(path: &str) -> Turn {
    call("file_read", json!({ "path": path }))
}

fn turns() -> Vec<Turn> {
    let renamed = "let settings = read_settings(path)?;\n    for (key, value) in &settings {\n        \
                   if key.starts_with('#') || value.is_empty() {\n            continue;";
    let named = renamed.replace("read_settings", "load_all");
    vec![
        call("file_search", json!({ "pattern": "load_all\\(" })),
        read("src/settings.rs"),
        edit("src/settings.rs", "pub fn load_all(", "pub fn read_settings("),
        read("src/server.rs"),
        edit("src/server.rs", &named, renamed),
        edit("src/client.rs", &named, renamed),
        read("src/report.rs"),
        edit(
            "src/report.rs",
            "pub fn report_2(path: &Path, seen: &mut BTreeMap<String, String>) -> io::Result<usize> {\n    \
             let settings = load_all(",
            "pub fn report_2(path: &Path, seen: &mut BTreeMap<String, String>) -> io::Result<usize> {\n    \
             let settings = read_settings(",
        ),
        shell("sh check.sh"),
        edit("src/report.rs", "load_all(", "read_settings("),
        shell("sh check.sh"),
        call(
            "git_commit",
            json!({ "message": "Name what reads the settings",
                "paths": ["src/settings.rs", "src/server.rs", "src/client.rs", "src/report.rs"] }),
        ),
        text(
            "`load_all` is `read_settings` now, in four files; the check passes and it is committed.",
        ),
    ]
}

/// Of a chat: how much its tools take of the estimate.
fn schemas(body: &Value) -> u64 {
    let mut without = body.clone();
    without.as_object_mut().unwrap().remove("tools");
    tokens(body) - tokens(&without)
}

#[test]
fn a_refactoring_is_cheap() {
    let files = files();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let bench = Bench::with(Model::script(turns()), &files);
    let told =
        bench.run("Rename load_all to read_settings and commit it", &["--mode", "full"], "once");
    told.done();
    assert_eq!(told.ran().len(), 12, "{}", told.output);
    assert_eq!(told.all("called").iter().filter(|it| it["failed"] == true).count(), 1);
    assert!(!bench.committed("src/report.rs").contains("load_all"));

    let asked = bench.model.asked();
    let all: u64 = asked.iter().map(tokens).sum();
    let of_schemas: u64 = asked.iter().map(schemas).sum();
    let figures = format!("{} requests, {all} tokens, {of_schemas} of schemas", asked.len());
    assert!(asked.len() <= 16 && all <= 60_000 && of_schemas <= 20_000, "{figures}");

    // Each step begins with all that the one before it began with, so a provider need not read it again.
    let steps: Vec<&Value> = asked.iter().filter(|body| !body["tools"].is_null()).collect();
    assert_eq!(steps.len(), 13);
    for pair in steps.windows(2) {
        assert_eq!(pair[0]["tools"], pair[1]["tools"]);
        let said = |body: &Value| body["messages"].as_array().unwrap().clone();
        assert!(said(pair[1]).starts_with(&said(pair[0])));
    }
}
