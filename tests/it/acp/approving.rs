//! What is asked, what may be answered, and that nothing else is a yes.

use serde_json::{Value, json};

use super::{
    bench, obedient,
    session::{Editor, choose},
};
use crate::fake::script::{Model, call, shell, text};

fn write(path: &str) -> crate::fake::script::Turn {
    call("file_write", json!({ "path": path, "text": "new\n" }))
}

#[test]
fn a_no_is_a_no() {
    let model = obedient(write("one.txt"));
    let env = bench(&model, "agent.mode: ask\n");
    // A word that was not offered is none, and nor is a dialog that was closed.
    let closed = json!({ "outcome": { "outcome": "cancelled" } });
    for answer in [choose("no"), closed, choose("rule"), choose("yes"), json!({ "odd": true })] {
        let mut editor = Editor::begin(&env, "no");
        let given = answer.clone();
        editor.answers = Box::new(move |_| Some(given.clone()));
        let session = editor.open(env.root());
        assert_eq!(editor.say(&session, "Write it").unwrap(), "end_turn", "{answer}");
        assert!(!env.path("one.txt").exists(), "{answer}");
        let calls = editor.calls();
        assert_eq!(calls, [("file_write one.txt".to_owned(), "failed".to_owned())], "{answer}");
        assert_eq!(editor.end(), (Some(0), String::new()));
    }
}

#[test]
fn for_the_session_is_asked_once() {
    let turns = [shell("touch one"), shell("touch one"), shell("touch two"), text("Done.")];
    let model = Model::script([&turns[..], &turns[2..]].concat());
    let env = bench(&model, "agent.mode: ask\n");
    let mut editor = Editor::begin(&env, "session");
    let session = editor.open(env.root());
    assert_eq!(editor.say(&session, "Touch them").unwrap(), "end_turn");
    let titles: Vec<_> =
        editor.asked.iter().map(|it| it["toolCall"]["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["touch one", "touch two"]);
    let kinds = |request: &Value| -> Vec<String> {
        let options = request["options"].as_array().unwrap().iter();
        options.map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&editor.asked[0]), ["allow_once", "allow_always", "reject_once"]);
    // Another conversation knows nothing of it.
    let other = editor.open(env.root());
    editor.say(&other, "Touch it").unwrap();
    assert_eq!(editor.asked.len(), 3);
}

#[test]
fn edits_are_allowed_together() {
    let model = Model::script(vec![write("one.txt"), write("two.txt"), text("Written.")]);
    let env = bench(&model, "agent.mode: ask\n");
    let mut editor = Editor::begin(&env, "edits");
    let session = editor.open(env.root());
    editor.say(&session, "Write them").unwrap();
    assert_eq!(editor.asked.len(), 1);
    assert_eq!(editor.offered(0), ["once", "session", "edits", "no"]);
    assert!(env.path("one.txt").exists() && env.path("two.txt").exists());
}

#[test]
fn what_is_asked_each_time_is_never_allowed_for_good() {
    let model = Model::script(vec![write(".vscode/tasks.json"), text("Not written.")]);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "session");
    let session = editor.open(env.root());
    editor.say(&session, "Write it").unwrap();
    assert_eq!(editor.offered(0), ["once", "no"]);
    let why = editor.asked[0]["toolCall"]["content"].to_string();
    assert!(why.contains("outside of the sandbox"), "{why}");
    // It answered what it was not asked.
    assert!(!env.path(".vscode/tasks.json").exists());
}

#[test]
fn whoever_goes_has_not_agreed() {
    let model = Model::script(vec![write("one.txt"), text("Written.")]);
    let env = bench(&model, "agent.mode: ask\n");
    let mut editor = Editor::begin(&env, "once");
    editor.answers = Box::new(|_| None);
    let session = editor.open(env.root());
    editor.begin_to_say(&session, "Write it");
    editor.until_asked(1);
    assert_eq!(editor.end(), (Some(0), String::new()));
    assert!(!env.path("one.txt").exists());
    // What was said is kept.
    let mut editor = Editor::begin(&env, "once");
    let params = json!({ "sessionId": session, "cwd": env.root(), "mcpServers": [] });
    editor.ask("session/load", params).unwrap();
    assert_eq!(editor.all("user_message_chunk")[0]["content"]["text"], "Write it");
}

#[test]
fn questions_of_the_agent() {
    let question =
        json!({ "question": "Which otter?", "options": ["the sea otter", "the river otter"] });
    let free = json!({ "question": "How many?" });
    let turns = vec![call("ask_user", question), call("ask_user", free), text("Thanks.")];
    // An editor without forms shows options, and a question without any reaches nobody.
    let model = Model::script(turns.clone());
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "2");
    let session = editor.open(env.root());
    editor.say(&session, "Ask me").unwrap();
    assert_eq!(editor.asked.len(), 1);
    assert_eq!(editor.asked[0]["toolCall"]["title"], "Which otter?");
    assert_eq!(editor.offered(0), ["1", "2", "none"]);
    assert!(model.prompts().last().unwrap().contains("the river otter"));
    // One with forms has both.
    let model = Model::script(turns);
    env.write_settings(&format!("{}agent.mode: full\n", model.settings_as("two")));
    let mut editor = Editor::spawn(&mut super::session::command(&env));
    editor.hello(json!({ "elicitation": { "form": {} } }));
    editor.answers =
        Box::new(|_| Some(json!({ "action": "accept", "content": { "answer": "seventeen" } })));
    let session = editor.open(env.root());
    editor.say(&session, "Ask me").unwrap();
    assert_eq!(editor.asked.len(), 2);
    assert_eq!(editor.asked[1]["message"], "How many?");
    assert!(model.prompts().last().unwrap().contains("seventeen"));
}
