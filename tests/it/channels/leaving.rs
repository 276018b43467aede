//! Who was left out has nothing done any more; what is done at intervals is told where its user is.

use std::fs;

use serde_json::json;

use super::{ADA, Harbour};
use crate::{
    fake::script::{Model, call, text},
    gateway::until,
};

#[test]
fn what_they_began_ends() {
    let shell = || call("shell_execute", json!({ "command": "touch made.txt" }));
    let model = Model::start(json!({}), move |seen, _| {
        let messages = seen.body["messages"].as_array().unwrap();
        let is_done = messages.last().unwrap()["role"] == "tool";
        if is_done { text("It is made.") } else { shell() }
    });
    let harbour = Harbour::with(model, "agent.mode: ask\n");
    let gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.say(ADA, "/schedule every 30d: make it again");
    harbour.hear(ADA, "first in 30d");
    harbour.platform.say(ADA, "Make it");
    harbour.hear(ADA, "touch made.txt");
    harbour.platform.say(ADA, "And again");
    harbour.settle();
    let out = harbour.run(&["channel", "leave-out", "telegram", &ADA.to_string()]);
    assert_eq!(out.code, Some(0), "{out}");
    let folder = harbour.env.outside().join("home/.local/state/elophanto/gateway/conversations");
    let log = || {
        let all = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
        all.map(|path| fs::read_to_string(path).unwrap_or_default()).collect::<String>()
    };
    until("both are over", || log().matches("\"what\":\"ended\"").count() == 2);
    until("the task is out", || log().contains("\"what\":\"unscheduled\""));
    assert!(!harbour.env.path("made.txt").exists());
    gate.end();
}

/// Has all tasks be due since long ago, while no gateway lives.
fn make_due(harbour: &Harbour) {
    let folder = harbour.env.outside().join("home/.local/state/elophanto/gateway/conversations");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(log) = fs::read_to_string(&path) else { continue };
        let due = |line: &str| match line.contains("\"what\":\"scheduled\"") {
            true => {
                let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
                record["at"] = "2026-01-01T00:00:00Z".into();
                format!("{record}\n")
            }
            false => format!("{line}\n"),
        };
        fs::write(&path, log.lines().map(due).collect::<String>()).unwrap();
    }
}

#[test]
fn tasks_at_intervals_are_told() {
    let harbour = Harbour::new(Model::script(vec![text("Two **otters** today.")]));
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.say(ADA, "/schedule every 6h: count the otters");
    harbour.hear(ADA, "first in 6h");
    gate.end();
    make_due(&harbour);
    // Killed before it is said: it is said after the next start, once.
    harbour.platform.limit(1_000);
    let gate = harbour.gate();
    until("it is kept", || harbour.kept()["open"].as_object().is_some_and(|open| open.len() == 1));
    gate.kill();
    harbour.platform.limit(0);
    let _gate = harbour.gate();
    let told = harbour.hear(ADA, "today");
    assert!(told.text.contains("count the otters"), "{told:?}");
    assert_eq!(harbour.count(ADA, "Elsewhere"), 0);
    until("nothing waits", || harbour.kept()["open"] == json!({}));
    assert_eq!(harbour.count(ADA, "today"), 1);
}
