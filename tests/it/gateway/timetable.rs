//! Tasks of a conversation that are done at intervals.

use std::fs;

use serde_json::json;

use super::{Gate, bench, state, until};
use crate::{env::TestEnv, gateway::runs::obedient};

/// Has all tasks be due since long ago, while no gateway lives.
fn make_due(env: &TestEnv) {
    for entry in fs::read_dir(state(env, "conversations")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let due = |line: &str| {
            let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
            if record["what"] == "scheduled" {
                record["at"] = "2026-01-01T00:00:00Z".into();
            }
            format!("{record}\n")
        };
        fs::write(&path, text.lines().map(due).collect::<String>()).unwrap();
    }
}

#[test]
fn each_time_once_and_told() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let mut answer = |args: &str| {
        let id = talk.say("command", json!({ "name": "schedule", "args": args }));
        let told = talk.find(|it| it["data"]["reply_to"] == id);
        let data = &told["data"];
        data["content"].as_str().or(data["detail"].as_str()).unwrap().to_owned()
    };
    assert_eq!(answer(""), "nothing is scheduled here");
    assert!(answer("every 30d: task saya").starts_with("every 30d, first in 30d"));
    assert!(answer("every 10s: task sayb").contains("at most every 1m"));
    assert!(answer("every never: task sayb").contains("never"));
    assert!(answer("remove 2").contains("no task here has the number 2"));
    let listed = answer("list");
    assert!(listed.starts_with("1. every 30d: task saya (next 20"), "{listed}");
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert_eq!(model.asked().len(), 0);
    gate.end();
    // It was due more than once while no gateway lived: it is done once, and told to who comes in.
    make_due(&env);
    let gate = Gate::open(&env);
    until("it is done", || {
        let logs = fs::read_dir(state(&env, "conversations")).unwrap();
        let mut texts = logs.map(|it| fs::read_to_string(it.unwrap().path()).unwrap_or_default());
        texts.any(|text| text.contains("\"what\":\"ended\""))
    });
    let mut talk = gate.greet();
    let told = talk.find(|it| it["data"]["scheduled"] == "task saya");
    assert!(!told["data"]["content"].as_str().unwrap().is_empty(), "{told}");
    assert_eq!(talk.event("task_complete")["goal"], "task saya");
    let asked = model.asked().len();
    gate.end();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", json!({ "content": "task sayb" }));
    assert_eq!(talk.event("task_complete")["goal"], "task sayb");
    assert!(talk.heard.iter().all(|it| it["data"]["scheduled"].is_null()), "{:#?}", talk.heard);
    assert!(model.asked().len() > asked);
    let id = talk.say("command", json!({ "name": "schedule", "args": "remove 1" }));
    talk.find(|it| it["data"]["reply_to"] == id);
    let id = talk.say("command", json!({ "name": "schedule" }));
    let told = talk.find(|it| it["data"]["reply_to"] == id);
    assert_eq!(told["data"]["content"], "nothing is scheduled here");
}

/// Nobody is there: what would need an approval is not asked, and not done.
#[test]
fn nobody_is_asked() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let id = talk.say("command", json!({ "name": "schedule", "args": "every 1h: task alone" }));
    talk.find(|it| it["data"]["reply_to"] == id);
    gate.end();
    make_due(&env);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    assert_eq!(talk.event("task_complete")["goal"], "task alone");
    assert!(talk.heard.iter().all(|it| it["type"] != "approval_request"), "{:#?}", talk.heard);
    assert!(!env.path("ran.txt").exists());
}
