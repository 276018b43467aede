//! Runs as an editor sees them.

use serde_json::json;

use super::{bench, session::Editor};
use crate::{
    env::TestEnv,
    fake::script::{Model, call, says, shell, text, words},
};

#[test]
fn a_change_is_planned_asked_about_shown_and_made() {
    let edit = json!({ "path": "README.md", "edits": [{ "old": "swim", "new": "dive" }] });
    let model = Model::planning(
        &["Edit the file"],
        &["file_edit"],
        json!({}),
        vec![says("I edit it.", "file_edit", edit), text("They dive now.")],
    );
    let env = bench(&model, "agent.mode: ask\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    assert_eq!(editor.say(&session, "Let them dive").unwrap(), "end_turn");
    assert_eq!(env.read("README.md"), b"# Otters\n\nThey dive.\n");
    assert_eq!(editor.text(), "I edit it.They dive now.");
    let plans: Vec<_> = editor.all("plan").iter().map(|plan| plan["entries"][0].clone()).collect();
    assert_eq!(plans[0]["content"], "Edit the file");
    assert_eq!(
        (&plans[0]["status"], &plans[1]["status"]),
        (&json!("pending"), &json!("completed"))
    );
    // Once, with the change itself, where it is.
    let asked = editor.asked.iter().find(|it| it["toolCall"]["kind"] == "edit").unwrap();
    let path = env.path("README.md");
    let diff = json!({ "type": "diff", "path": path, "oldText": "# Otters\n\nThey swim.\n",
        "newText": "# Otters\n\nThey dive.\n" });
    assert_eq!(asked["toolCall"]["content"][0], diff);
    assert_eq!(asked["toolCall"]["locations"], json!([{ "path": path, "line": 3 }]));
    assert_eq!(asked["toolCall"]["title"], "file_edit README.md");
    let call = editor.all("tool_call").into_iter().find(|it| it["kind"] == "edit").unwrap();
    assert_eq!(call["toolCallId"], asked["toolCall"]["toolCallId"]);
    assert_eq!(call["name"], "file_edit");
    let last = editor.told.iter().rfind(|it| it["toolCallId"] == call["toolCallId"]).unwrap();
    assert_eq!((&last["status"], &last["content"][0]), (&json!("completed"), &diff));
    // What it cost, and what it is called now.
    let usage = editor.until(|told| told["sessionUpdate"] == "usage_update");
    assert!(usage["used"].as_u64().unwrap() > 0 && usage["size"].as_u64().unwrap() > 0);
    let info = editor.until(|told| told["sessionUpdate"] == "session_info_update");
    assert_eq!(info["title"], "Let them dive");
    assert_eq!(editor.end(), (Some(0), String::new()));
}

#[test]
fn commands_are_heard_while_they_run() {
    let turns = vec![shell("echo one; sleep 1; echo two >&2; false"), text("It failed.")];
    let model = Model::script(turns);
    let env = bench(&model, "agent.mode: full\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    assert_eq!(editor.say(&session, "Run it").unwrap(), "end_turn");
    let call = editor.all("tool_call")[0].clone();
    assert_eq!((&call["kind"], &call["status"]), (&json!("execute"), &json!("in_progress")));
    let updates = editor.all("tool_call_update");
    let said = |at: usize| updates[at]["content"].to_string();
    assert!(said(0).contains("one") && !said(0).contains("two"), "{}", said(0));
    let last = updates.last().unwrap();
    assert_eq!(last["status"], "failed");
    assert!(last["content"].to_string().contains("exit code 1"), "{last}");
}

#[test]
fn a_list_of_what_is_to_be_done_is_the_plan() {
    let items = json!({ "items": [
        { "text": "Look", "state": "done" },
        { "text": "Write", "state": "doing" },
        { "text": "Check", "state": "open" },
    ] });
    let model = Model::script(vec![call("todo_list", items), text("Done.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    editor.say(&session, "Go").unwrap();
    let last = editor.all("plan").pop().unwrap()["entries"].as_array().unwrap().clone();
    let shown: Vec<_> = last.iter().map(|it| it["status"].as_str().unwrap()).collect();
    assert_eq!(shown, ["completed", "in_progress", "pending"]);
    assert!(editor.calls().is_empty(), "{:?}", editor.calls());
}

#[test]
fn several_repositories_at_once() {
    let model = Model::start(json!({}), |seen, _| {
        let is_one = words(&seen.body).contains("In the first");
        text(if is_one { "First." } else { "Second." })
    });
    let env = bench(&model, "");
    let other = TestEnv::with(&[("README.md", "# Bears\n")]);
    other.commit("First");
    let mut editor = Editor::begin(&env, "once");
    let (one, two) = (editor.open(env.root()), editor.open(other.root()));
    let asked =
        [editor.begin_to_say(&one, "In the first"), editor.begin_to_say(&two, "In the other")];
    for id in asked {
        assert_eq!(editor.wait_for(id).unwrap()["stopReason"], "end_turn");
    }
    for (session, expected) in [(&one, "First."), (&two, "Second.")] {
        let of_it = |told: &&serde_json::Value| told["session"] == **session;
        let chunks = editor.all("agent_message_chunk").into_iter().filter(of_it);
        let text: String = chunks.map(|it| it["content"]["text"].as_str().unwrap()).collect();
        assert_eq!(text, expected);
    }
}

#[test]
fn what_goes_with_a_prompt_is_quoted() {
    let model = Model::script(vec![text("Read.")]);
    let env = bench(&model, "llm.images: always\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    let picture = super::super::agent_run::images::png(&[7; 100]);
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let root = env.root().display();
    let prompt = json!([
        { "type": "text", "text": "compare " },
        { "type": "resource_link", "name": "a b", "uri": format!("file://{root}/a%20b.md") },
        { "type": "text", "text": " with " },
        { "type": "resource", "resource": {
            "uri": format!("file://{root}/unsaved.md"), "text": "# Nobody saved this", "mimeType": "text/markdown" } },
        { "type": "image", "data": STANDARD.encode(&picture), "mimeType": "image/png" },
    ]);
    let params = json!({ "sessionId": session, "prompt": prompt });
    assert_eq!(editor.ask("session/prompt", params).unwrap()["stopReason"], "end_turn");
    let prompt = model.prompts().remove(0);
    assert!(prompt.contains("compare `a b.md` with `unsaved.md`"), "{prompt}");
    assert!(prompt.contains("# A b") && prompt.contains("# Nobody saved this"), "{prompt}");
    assert!(
        prompt.contains("origin=\"the file 'a b.md'\"") || prompt.contains("a b.md"),
        "{prompt}"
    );
    let body = model.asked().into_iter().find(|body| !body["tools"].is_null()).unwrap();
    assert!(body.to_string().contains("data:image/png;base64,"), "no picture");
    // What comes from outside taints.
    assert!(editor.notes().contains("text from outside is in the conversation"));
    // Nothing of another kind is taken.
    let audio = json!([{ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" }]);
    let params = json!({ "sessionId": session, "prompt": audio });
    let error = editor.ask("session/prompt", params).unwrap_err();
    assert!(error.1.contains("audio is not taken"), "{error:?}");
}

#[test]
fn files_are_known_by_what_the_editor_calls_them() {
    let model = Model::script(vec![text("Read.")]);
    let env = bench(&model, "");
    let link = env.outside().join("link");
    std::os::unix::fs::symlink(env.root(), &link).unwrap();
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(&link);
    let uri = format!("file://{}/README.md", link.display());
    let prompt = json!([{ "type": "resource_link", "name": "it", "uri": uri }]);
    editor.ask("session/prompt", json!({ "sessionId": session, "prompt": prompt })).unwrap();
    let prompt = model.prompts().remove(0);
    assert!(prompt.contains("`README.md`") && !prompt.contains("file://"), "{prompt}");
}

#[test]
fn used_up_steps_are_no_answer() {
    let model = Model::start(json!({}), |_, number| shell(&format!("echo {number}")));
    let env = bench(&model, "agent:\n  mode: full\n  max_steps: 2\n");
    let mut editor = Editor::begin(&env, "once");
    let session = editor.open(env.root());
    assert_eq!(editor.say(&session, "Go on and on").unwrap(), "max_turn_requests");
    assert!(editor.notes().contains("all 2 steps are used up"), "{}", editor.notes());
}

#[test]
fn servers_of_the_editor_are_not_started() {
    let model = Model::script(vec![text("Yes.")]);
    let env = bench(&model, "");
    let mut editor = Editor::begin(&env, "once");
    let canary = env.outside().join("canary");
    let server = json!({ "name": "theirs", "command": "/usr/bin/touch",
        "args": [canary.to_str().unwrap()], "env": [] });
    let params = json!({ "cwd": env.root(), "mcpServers": [server] });
    let session = editor.ask("session/new", params).unwrap();
    editor.say(session["sessionId"].as_str().unwrap(), "Are there otters?").unwrap();
    assert!(editor.notes().contains("`theirs`"), "{}", editor.notes());
    assert!(!canary.exists());
}
