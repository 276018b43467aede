//! Modes and commands.

use serde_json::{Value, json};

use super::{bench, session::Editor};
use crate::fake::script::{Hold, Model, call, shell, text};

fn set_mode(editor: &mut Editor, session: &str, mode: &str) -> Result<Value, (i64, String)> {
    editor.ask("session/set_mode", json!({ "sessionId": session, "modeId": mode }))
}

#[test]
fn a_mode_goes_as_far_as_the_settings() {
    let model =
        Model::script(vec![shell("touch one"), text("Done."), shell("touch two"), text("Done.")]);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let params = json!({ "cwd": env.root(), "mcpServers": [] });
    let answer = editor.ask("session/new", params.clone()).unwrap();
    let session = answer["sessionId"].as_str().unwrap().to_owned();
    let modes = &answer["modes"];
    assert_eq!(modes["currentModeId"], "full");
    let ids = |modes: &Value| -> Vec<String> {
        let all = modes["availableModes"].as_array().unwrap().iter();
        all.map(|mode| mode["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(modes), ["ask", "smart", "full"]);
    editor.say(&session, "Touch it").unwrap();
    assert!(editor.asked.is_empty(), "full asks nothing of that");
    set_mode(&mut editor, &session, "ask").unwrap();
    let told = editor.until(|told| told["sessionUpdate"] == "current_mode_update");
    assert_eq!(told["currentModeId"], "ask");
    editor.say(&session, "Touch another").unwrap();
    assert_eq!(editor.asked.len(), 1);
    assert_eq!(set_mode(&mut editor, &session, "wild").unwrap_err().0, -32602);
    // Where the settings say less, less is to be had.
    env.write_settings(&format!("{}agent.mode: smart\n", model.settings()));
    let answer = editor.ask("session/new", params).unwrap();
    assert_eq!(ids(&answer["modes"]), ["ask", "smart"]);
    let session = answer["sessionId"].as_str().unwrap().to_owned();
    let error = set_mode(&mut editor, &session, "full").unwrap_err();
    assert!(error.1.contains("the settings say smart at most"), "{error:?}");
    let error = editor.say(&session, "/mode full").unwrap_err();
    assert!(error.1.contains("the settings say smart at most"), "{error:?}");
}

#[test]
fn a_clone_widens_nothing() {
    let model = Model::script(vec![shell("touch one"), text("Done.")]);
    let env = bench(&model, "agent.mode: ask\n");
    env.write(".elophanto/config.yaml", "agent.mode: full\n");
    env.write(".elophanto/permissions.yaml", "tools: {shell_execute: allow}\n");
    env.commit("Wide");
    let mut editor = Editor::begin(&env, "no");
    let session =
        editor.ask("session/new", json!({ "cwd": env.root(), "mcpServers": [] })).unwrap();
    assert_eq!(session["modes"]["currentModeId"], "ask");
    let id = session["sessionId"].as_str().unwrap().to_owned();
    editor.say(&id, "Touch it").unwrap();
    assert_eq!(editor.asked.len(), 1);
    assert!(!env.path("one").exists());
    let notes = editor.notes();
    assert!(notes.contains("agent.mode") && notes.contains("shell_execute is ignored"), "{notes}");
}

#[test]
fn a_mode_that_is_chosen_in_a_run_holds_at_once() {
    let turns = vec![shell("touch one"), shell("touch two"), text("Done.")];
    let model = Model::script(turns);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    set_mode(&mut editor, &session, "ask").unwrap();
    // The first is asked about, and while it waits the user has enough of that.
    editor.answers = Box::new(|_| None);
    let id = editor.begin_to_say(&session, "Touch them");
    editor.until_asked(1);
    set_mode(&mut editor, &session, "full").unwrap();
    let request = editor.asked.len();
    editor.tell("session/cancel", json!({ "sessionId": session }));
    assert_eq!(editor.wait_for(id).unwrap()["stopReason"], "cancelled");
    assert_eq!(editor.asked.len(), request);
}

#[test]
fn a_narrower_mode_holds_for_the_very_next_call() {
    // Nothing is told between the mode and the call.
    let hold = Hold::default();
    let turns = vec![shell("touch one"), hold.turn(shell("touch two")), text("Done.")];
    let model = Model::script(turns);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "no");
    let session = editor.open(env.root());
    let id = editor.begin_to_say(&session, "Touch them");
    editor.until(|told| told["status"] == "completed");
    set_mode(&mut editor, &session, "ask").unwrap();
    hold.release();
    assert_eq!(editor.wait_for(id).unwrap()["stopReason"], "end_turn");
    assert_eq!(editor.asked.len(), 1);
    let content = editor.asked[0]["toolCall"]["content"].to_string();
    assert!(content.contains("no network") && content.contains("touch two"), "{content}");
    assert!(env.path("one").exists() && !env.path("two").exists());
}

#[test]
fn commands_that_make_sense_are_offered_and_obeyed() {
    let turns =
        vec![call("file_write", json!({ "path": "new.txt", "text": "new\n" })), text("Written.")];
    let model = Model::script(turns);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    let offered = editor.until(|told| told["sessionUpdate"] == "available_commands_update");
    let names: Vec<_> = offered["availableCommands"].as_array().unwrap().iter().collect();
    let of = |name: &str| names.iter().find(|it| it["name"] == name);
    assert!(of("undo").is_some() && of("clear").is_none() && of("quit").is_none());
    assert_eq!(of("search").unwrap()["input"]["hint"], "WORDS");
    assert!(of("status").unwrap()["input"].is_null());
    let answer = |editor: &mut Editor, line: &str| {
        editor.told.clear();
        editor.say(&session, line).map(|reason| {
            assert_eq!(reason, "end_turn");
            editor.text()
        })
    };
    assert_eq!(answer(&mut editor, "Write it").unwrap(), "Written.");
    assert!(answer(&mut editor, "/status").unwrap().contains("mode full"));
    let diff = answer(&mut editor, "/diff").unwrap();
    assert!(diff.starts_with("```diff\n") && diff.contains("+new"), "{diff}");
    assert!(answer(&mut editor, "/export").unwrap().contains("Write it"));
    answer(&mut editor, "/undo").unwrap();
    assert!(!env.path("new.txt").exists());
    assert_eq!(answer(&mut editor, "/mode ask").unwrap(), "mode ask");
    assert_eq!(editor.all("current_mode_update")[0]["currentModeId"], "ask");
    assert!(answer(&mut editor, "/clear").unwrap_err().1.contains("not for an editor"));
    assert!(answer(&mut editor, "/status now").unwrap_err().1.contains("takes nothing"));
    answer(&mut editor, "/rename The otters").unwrap();
    assert_eq!(editor.all("session_info_update")[0]["title"], "The otters");
    // What only looks like one is said to the agent, and so is a line for a shell.
    let count = model.prompts().len();
    answer(&mut editor, "/usr/bin is what?").unwrap();
    answer(&mut editor, "!touch shell").unwrap();
    assert!(model.prompts().len() > count && !env.path("shell").exists());
}
