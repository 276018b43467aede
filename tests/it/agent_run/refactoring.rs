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
        ("src/settings.rs", format!("{}{own}", module("settings", &["open", "open", "open"]))),
        ("src/server.rs", module("server", &[old, "open", "open", "open", "open"])),
        ("src/client.rs", module("client", &["open", old, "open", "open", "open"])),
        ("src/report.rs", module("report", &["open", "open", old, "open", old])),
        ("src/other.rs", module("other", &["open", "open", "open", "open"])),
        ("check.sh", CHECK.to_owned()),
    ]
}

fn edit(path: &str, old: &str, new: &str) -> Turn {
    let edits = json!([{ "old": old, "new": new }]);
    call("file_edit", json!({ "path": path, "edits": edits }))
}

const PATHS: [&str; 4] = ["src/settings.rs", "src/server.rs", "src/client.rs", "src/report.rs"];

/// Fifteen calls, each of its own reply, or with those together that only read.
fn turns(together: bool) -> Vec<Turn> {
    let renamed = "let settings = read_settings(path)?;";
    let named = "let settings = load_all(path)?;";
    let report = "pub fn report_2(path: &Path, seen: &mut BTreeMap<String, String>) -> io::Result<usize> {\n    \
                  let settings = ";
    let reads = |paths: &[&str]| -> Vec<Turn> {
        let one = |path: &&str| ("file_read".to_owned(), json!({ "path": path }).to_string());
        match together {
            true => vec![Turn::Calls(paths.iter().map(one).collect())],
            false => paths.iter().map(|path| Turn::Calls(vec![one(path)])).collect(),
        }
    };
    let commit = json!({ "message": "Name what reads the settings", "paths": PATHS });
    let mut turns = vec![call("file_search", json!({ "pattern": "load_all\\(" }))];
    turns.extend(reads(&[&PATHS[..], &["check.sh"]].concat()));
    turns.extend([
        edit(PATHS[0], "pub fn load_all(", "pub fn read_settings("),
        edit(PATHS[1], named, renamed),
        edit(PATHS[2], named, renamed),
        edit(PATHS[3], &format!("{report}load_all("), &format!("{report}read_settings(")),
        shell("sh check.sh"),
        edit(PATHS[3], "load_all(", "read_settings("),
        shell("sh check.sh"),
        call("git_diff", json!({})),
        call("git_commit", commit),
        text("`load_all` is `read_settings` now, in four files; it is checked and committed."),
    ]);
    turns
}

/// Of a chat: how much its tools take of the estimate.
fn schemas(body: &Value) -> u64 {
    let mut without = body.clone();
    without.as_object_mut().unwrap().remove("tools");
    tokens(body) - tokens(&without)
}

struct Cost {
    requests: usize,
    /// Estimated, of all that was sent.
    tokens: u64,
    schemas: u64,
}

/// Works on the task to its end.
fn cost(together: bool) -> Cost {
    let files = files();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let bench = Bench::with(Model::script(turns(together)), &files);
    let told =
        bench.run("Rename load_all to read_settings and commit it", &["--mode", "full"], "once");
    told.done();
    assert_eq!(told.ran().len(), 15, "{}", told.output);
    assert_eq!(told.all("called").iter().filter(|it| it["failed"] == true).count(), 1);
    assert!(PATHS.iter().all(|path| !bench.committed(path).contains("load_all")));

    // Each step begins with all that the one before began with: a provider need not read it again.
    let asked = bench.model.asked();
    let steps: Vec<&Value> = asked.iter().filter(|body| !body["tools"].is_null()).collect();
    for pair in steps.windows(2) {
        assert_eq!(pair[0]["tools"], pair[1]["tools"]);
        let said = |body: &Value| body["messages"].as_array().unwrap().clone();
        assert!(said(pair[1]).starts_with(&said(pair[0])));
    }
    Cost {
        requests: asked.len(),
        tokens: asked.iter().map(tokens).sum(),
        schemas: asked.iter().map(schemas).sum(),
    }
}

#[test]
fn a_refactoring_is_cheap() {
    // A plan, a request for each reply, one at the end. Less than that it cannot be.
    for (together, most) in [(false, (18, 75_000, 23_000)), (true, (14, 60_000, 17_000))] {
        let Cost { requests, tokens, schemas } = cost(together);
        let figures = format!("{requests} requests, {tokens} tokens, {schemas} of schemas");
        let (most_requests, most_tokens, most_schemas) = most;
        assert_eq!(requests, most_requests, "{figures}");
        assert!(tokens <= most_tokens && schemas <= most_schemas, "{figures}");
    }
}
