//! Conversations that end early and go on later.

use std::time::Duration;

use serde_json::{Value, json};

use super::{bench, obedient, session::Editor};
use crate::{
    env::TestEnv,
    fake::script::{Hold, Model, call, shell, text},
};

/// Kills by default; more when this variable says so.
const KILLS: u32 = 6;
const VARIABLE: &str = "ELOPHANTO_KILLS";

fn load(editor: &mut Editor, session: &str, env: &TestEnv) -> Result<Value, (i64, String)> {
    let params = json!({ "sessionId": session, "cwd": env.root(), "mcpServers": [] });
    editor.ask("session/load", params)
}

#[test]
fn a_run_is_cancelled() {
    let model = Model::script(vec![shell("sleep 60"), text("It slept.")]);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    let id = editor.begin_to_say(&session, "Sleep");
    editor.until(|told| told["sessionUpdate"] == "tool_call");
    editor.tell("session/cancel", json!({ "sessionId": session }));
    assert_eq!(editor.wait_for(id).unwrap()["stopReason"], "cancelled");
    assert_eq!(editor.calls(), [("sleep 60".to_owned(), "failed".to_owned())]);
    // The next prompt is another one, and one that comes when nothing goes on ends nothing.
    editor.tell("session/cancel", json!({ "sessionId": session }));
    assert_eq!(editor.say(&session, "And now?").unwrap(), "end_turn");
    assert_eq!(editor.text(), "It slept.");
}

#[test]
fn one_is_cancelled_before_it_begins() {
    let hold = Hold::default();
    let model = Model::script(vec![hold.turn(shell("touch one")), text("Done.")]);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    let id = editor.begin_to_say(&session, "Touch it");
    editor.tell("session/cancel", json!({ "sessionId": session }));
    assert_eq!(editor.wait_for(id).unwrap()["stopReason"], "cancelled");
    hold.release();
    assert!(!env.path("one").exists());
}

#[test]
fn what_was_said_is_told_again() {
    let turns = vec![
        call("file_read", json!({ "path": "README.md" })),
        text("They swim."),
        text("Yes, otters."),
    ];
    let model = Model::script(turns);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    // One in which nothing was said is nothing to go on with.
    let empty = editor.open(env.root());
    editor.say(&session, "What do they do?").unwrap();
    editor.end();
    let mut editor = Editor::begin(&env, "once");
    assert!(load(&mut editor, &empty, &env).unwrap_err().1.contains("no session"));
    let answer = load(&mut editor, &session, &env).unwrap();
    assert_eq!(answer["modes"]["currentModeId"], "full");
    assert_eq!(editor.all("user_message_chunk")[0]["content"]["text"], "What do they do?");
    assert_eq!(editor.calls(), [("file_read README.md".to_owned(), "completed".to_owned())]);
    assert_eq!(editor.text(), "They swim.");
    editor.say(&session, "Of whom do we speak?").unwrap();
    assert!(model.prompts().last().unwrap().contains("They swim."));
    // The list names it, here and where all are.
    for params in [json!({ "cwd": env.root() }), json!({})] {
        let listed = editor.ask("session/list", params).unwrap();
        let all = listed["sessions"].as_array().unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0]["sessionId"], session.as_str());
        assert_eq!(all[0]["cwd"], env.root().to_str().unwrap());
        assert_eq!(all[0]["title"], "Of whom do we speak?");
    }
    assert!(editor.ask("session/list", json!({ "cursor": "x" })).is_err());
    assert!(editor.ask("session/list", json!({ "cwd": "/nowhere" })).is_err());
    // What was said of one folder goes nowhere else.
    let other = TestEnv::with(&[("README.md", "# Bears\n")]);
    other.commit("First");
    assert!(load(&mut editor, &session, &other).unwrap_err().1.contains("another folder"));
    // It goes on in a terminal too.
    editor.end();
    let output =
        env.run_with(&["agent", "chat", "--session", &session, "--no-gateway"], b"/tasks\n");
    assert!(output.stdout().contains("Of whom do we speak?"), "{output}");
}

#[test]
fn one_that_cannot_be_loaded_is_not_open() {
    let model = Model::script(vec![text("One.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    editor.say(&session, "First").unwrap();
    editor.end();
    let said = format!("home/.local/state/elophanto/agent/sessions/{session}.said.jsonl");
    let said = env.outside().join(said);
    let _ = std::fs::remove_file(&said);
    std::fs::create_dir(&said).unwrap();
    let mut editor = Editor::begin(&env, "once");
    load(&mut editor, &session, &env).unwrap_err();
    // Its thread ends right after it was answered.
    let mode = json!({ "sessionId": session, "modeId": "ask" });
    let is_gone = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        editor.ask("session/set_mode", mode.clone()).is_err()
    });
    assert!(is_gone);
}

#[test]
fn resumed_it_is_not_told_again() {
    let model = Model::script(vec![text("One."), text("Two.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    editor.say(&session, "First").unwrap();
    editor.ask("session/close", json!({ "sessionId": session })).unwrap();
    let error = editor.say(&session, "Second").unwrap_err();
    assert_eq!(error.0, -32002, "{error:?}");
    editor.told.clear();
    let params = json!({ "sessionId": session, "cwd": env.root(), "mcpServers": [] });
    editor.ask("session/resume", params).unwrap();
    assert!(editor.all("user_message_chunk").is_empty());
    editor.say(&session, "Second").unwrap();
    assert_eq!(editor.text(), "Two.");
    assert!(model.prompts()[1].contains("One."));
}

#[test]
fn whoever_goes_in_a_run_ends_it_and_it_is_kept() {
    let model = Model::script(vec![shell("touch begun; sleep 60; touch ended"), text("Done.")]);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    editor.begin_to_say(&session, "Begin");
    editor.until(|told| told["sessionUpdate"] == "tool_call");
    while !env.path("begun").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(editor.end(), (Some(0), String::new()));
    let runs = env.run(&["agent", "runs", "--json"]).json();
    assert_eq!(runs[0]["outcome"], "cancelled", "{runs:?}");
    let mut editor = Editor::begin(&env, "once");
    load(&mut editor, &session, &env).unwrap();
    assert_eq!(editor.all("user_message_chunk")[0]["content"]["text"], "Begin");
    assert_eq!(editor.say(&session, "Go on").unwrap(), "end_turn");
    assert!(!env.path("ended").exists());
}

#[test]
fn what_is_closed_in_a_run_is_kept() {
    let model = Model::script(vec![shell("touch begun; sleep 60"), text("Done.")]);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    editor.begin_to_say(&session, "Begin");
    editor.until(|told| told["sessionUpdate"] == "tool_call");
    while !env.path("begun").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    editor.ask("session/close", json!({ "sessionId": session })).unwrap();
    assert_eq!(editor.end(), (Some(0), String::new()));
    let runs = env.run(&["agent", "runs", "--json"]).json();
    assert_eq!(runs[0]["outcome"], "cancelled", "{runs:?}");
}

#[test]
fn killed_at_random() {
    let kills = std::env::var(VARIABLE).ok().and_then(|it| it.parse().ok()).unwrap_or(KILLS);
    let mut random = fastrand::Rng::with_seed(u64::from(kills));
    let model = obedient(shell("echo more >> log.txt"));
    let env = bench(&model, "agent.mode: full\n");
    let mut session: Option<String> = None;
    let mut done: Vec<String> = Vec::new();
    for number in 0..=kills {
        let mut editor = Editor::begin(&env, "once");
        let id = match &session {
            None => editor.open(env.root()),
            Some(id) => {
                load(&mut editor, id, &env).unwrap();
                // What was answered before is all there.
                let said = editor.all("user_message_chunk");
                let said: Vec<_> =
                    said.iter().map(|it| it["content"]["text"].as_str().unwrap()).collect();
                for goal in &done {
                    assert!(said.contains(&goal.as_str()), "{goal} is lost: {said:?}");
                }
                id.clone()
            }
        };
        let goal = format!("Task number {number}");
        if number == 0 || number == kills {
            assert_eq!(editor.say(&id, &goal).unwrap(), "end_turn");
            done.push(goal);
        } else {
            editor.begin_to_say(&id, &goal);
            std::thread::sleep(Duration::from_millis(random.u64(0..1_500)));
            editor.kill();
        }
        session = Some(id);
    }
    // Nothing is left half done: an undo of the last run finds its state.
    let mut editor = Editor::begin(&env, "once");
    let id = session.unwrap();
    load(&mut editor, &id, &env).unwrap();
    editor.say(&id, "/undo").unwrap();
}
