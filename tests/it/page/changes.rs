//! Whatever is done from a page is taken back from there too; an edit is seen before it is saved.

use serde_json::{Value, json};

use super::Visitor;
use crate::env::TestEnv;

#[test]
fn an_edit_is_seen_as_it_would_read() {
    let env = TestEnv::with(&[
        ("a/ferry.md", "# The ferry\n\nIt leaves.\n"),
        ("a/pier.md", "# The pier\n"),
    ]);
    let visitor = Visitor::open(&env);
    let preview = |path: &str, text: &str| {
        visitor.act_with(&json!({ "act": "preview", "path": path, "text": text }), &[])
    };
    let text = "# The boat\n\n- [the pier](pier.md)\n\n<script>alert(1)</script> \
                [x](javascript:alert(2)) <img src=x onerror=alert(3)>\n";
    let shown = preview("a/ferry.md", text);
    assert_eq!(
        (shown.status, shown.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let link = format!("href=\"{}{}/note/a/pier.md\"", visitor.gate.below(""), visitor.name);
    assert!(shown.body.contains(&link) && shown.body.contains("The boat"), "{}", shown.body);
    for harm in ["<script", "<img", "href=\"javascript"] {
        assert!(!shown.body.contains(harm), "{harm}: {}", shown.body);
    }
    assert_eq!(env.read("a/ferry.md"), b"# The ferry\n\nIt leaves.\n");
    // The whole of it, and what is no note or too much not at all.
    assert!(preview("a/ferry.md", &"many words\n\n".repeat(20_000)).body.len() > 200_000);
    assert_eq!(preview("a/gone.md", "x").status, 422);
    assert_eq!(preview("../ferry.md", "x").status, 422);
    assert_eq!(preview("a/ferry.md", &"x".repeat(300 * 1024)).status, 422);
    let page = visitor.html("edit/a/ferry.md");
    assert!(page.contains("data-preview") && page.contains("As it would read"), "{page}");
    // Nobody but our own page.
    let wanted = json!({ "act": "preview", "path": "a/ferry.md", "text": "x" });
    assert_eq!(visitor.act_with(&wanted, &[("Origin", "-")]).status, 403);
}

fn questions(visitor: &Visitor, state: &str) -> Vec<Value> {
    let state = if state.is_empty() { String::new() } else { format!("?state={state}") };
    let all = visitor.json(&format!("questions.json{state}"));
    all["questions"].as_array().unwrap().clone()
}

#[test]
fn a_question_is_answered_and_asked_again() {
    let env = TestEnv::with(&[
        ("ferry.md", "# The ferry\n\n[gone](gone.md)\n"),
        ("run.sh", "#!/bin/sh\n# Starts the walrus.\necho go\n"),
    ]);
    env.write_attributes();
    env.commit("First");
    env.ok(&["scan"]);
    let visitor = Visitor::open(&env);
    let about = |path: &str, state: &str| {
        let all = questions(&visitor, state);
        let found = all.iter().find(|it| it["evidence"]["file_path"] == path).cloned();
        found.map(|it| it["id"].as_str().unwrap().to_owned())
    };
    let described = |text: &str| env.ok(&["scan", "--indexed"]).stdout().contains(text);
    for path in ["run.sh", "ferry.md"] {
        let id = about(path, "").unwrap();
        let done = visitor.act(&json!({ "act": "answer", "id": id }));
        assert!(done["said"].as_str().unwrap().starts_with("Answered: "), "{done}");
        assert!(about(path, "").is_none() && about(path, "answered").is_some());
        // Once is enough.
        let again = visitor.act_with(&json!({ "act": "answer", "id": id }), &[]);
        assert_eq!(again.status, 422, "{}", again.body);
        if path == "run.sh" {
            assert!(described("run.sh") && visitor.html("search?q=walrus").contains("walrus"));
        }
        visitor.act(&done["undo"]);
        assert_eq!(about(path, "").as_deref(), Some(id.as_str()));
        let twice = visitor.act_with(&done["undo"], &[]);
        assert_eq!(twice.status, 422, "{}", twice.body);
    }
    // What was said of the file is gone, from the search too, and a scan asks about it still.
    assert!(env.run(&["scan", "--indexed"]).stdout().is_empty());
    assert!(!visitor.html("search?q=walrus&mode=keyword").contains("Starts the walrus"));
    env.ok(&["scan"]);
    let id = about("run.sh", "").unwrap();
    // It can be answered again.
    visitor.act(&json!({ "act": "answer", "id": id }));
    assert!(described("run.sh"));
    assert_eq!(visitor.act_with(&json!({ "act": "answer", "id": "none" }), &[]).status, 422);
}

#[test]
fn a_question_is_put_aside_and_taken_up_again() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n"), ("run.sh", "#!/bin/sh\necho go\n")]);
    env.write_attributes();
    env.commit("First");
    env.ok(&["scan"]);
    let visitor = Visitor::open(&env);
    // Whatever is said of it is said anew.
    let asked = |state: &str| {
        let mut all = questions(&visitor, state);
        all.iter_mut().for_each(|it| drop(it.as_object_mut().unwrap().remove("at")));
        all
    };
    let before = asked("");
    let id = before[0]["id"].clone();
    let done = visitor.act(&json!({ "act": "dismiss", "id": id }));
    assert!(questions(&visitor, "").iter().all(|it| it["id"] != id));
    assert!(visitor.html("questions?state=dismissed").contains("Ask it again"));
    visitor.act(&done["undo"]);
    assert_eq!(asked(""), before);
    assert_eq!(visitor.act_with(&done["undo"], &[]).status, 422);
    // As often as one likes, and a scan in between changes nothing.
    visitor.act(&json!({ "act": "dismiss", "id": id }));
    env.ok(&["scan"]);
    assert!(questions(&visitor, "").iter().all(|it| it["id"] != id));
}

#[test]
fn what_was_forgotten_is_remembered_again() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    let lesson =
        ["--context", "the build failed", "--lesson", "install protoc", "--success-rate", "3/4"];
    env.ok(&[&["agent", "remember", "--type", "error"][..], &lesson].concat());
    let visitor = Visitor::open(&env);
    let all = || visitor.json("memory.json");
    let before = all()["lessons"][0].clone();
    let done = visitor.act(&json!({ "act": "forget", "id": before["id"] }));
    assert_eq!(all()["total"], 0);
    let done = visitor.act(&done["undo"]);
    let after = all()["lessons"][0].clone();
    for field in
        ["type", "context", "lesson", "command", "success_rate", "tags", "repo", "agent_id"]
    {
        assert_eq!(after[field], before[field], "{field}");
    }
    visitor.act(&done["undo"]);
    assert_eq!(all()["total"], 0);
}

#[test]
fn merges_and_reactions_are_taken_back_both_ways() {
    let env = TestEnv::with(&[(
        "ports.md",
        "# Ports\n\n| Service | Port |\n| --- | --- |\n| beacon | 8471 |\n",
    )]);
    env.write_attributes();
    env.ok(&["like", "KEF LS50 Meta"]);
    env.ok(&["like", "KEF LS50"]);
    let visitor = Visitor::open(&env);
    let all = || visitor.json("entities.json").as_array().unwrap().clone();
    let merge = json!({ "act": "merge", "from": all()[0]["entity"], "into": all()[1]["entity"] });
    let mut undo = visitor.act(&merge)["undo"].clone();
    for count in [2, 1, 2] {
        undo = visitor.act(&undo)["undo"].clone();
        assert_eq!(all().len(), count);
    }
    let answer = visitor.html("answer?q=which+port+does+the+beacon+service+use");
    let act = answer.split("data-act=\"").find(|it| it.contains("react")).unwrap();
    let act = act.split('"').next().unwrap().replace("&quot;", "\"");
    let act: Value = serde_json::from_str(&act).unwrap();
    let done = visitor.act(&act);
    assert_eq!(visitor.act(&done["undo"])["said"], "Taken back.");
}
