//! Entities, questions, lessons, answers, runs, graph and status.

use std::fs;

use elophanto_channels::fake::telegram::{TOKEN, Telegram};
use serde_json::{Value, json};

use super::{Visitor, main_of};
use crate::{
    env::{TestEnv, finish},
    gateway::until,
    merges::CONFIG,
};

#[test]
fn an_entity_and_where_its_facts_come_from() {
    let env = TestEnv::with(&[(
        "docs/speaker.md",
        "# KEF LS50 Meta\n\nThe KEF LS50 Meta is a bookshelf speaker made by KEF. The KEF LS50 Meta weighs \
         7.8 kg.\n",
    )]);
    env.write_attributes();
    env.ok(&["learn", "kef ls50 meta", "--from", "docs/speaker.md"]);
    env.ok(&["like", "KEF LS50 Meta"]);
    let visitor = Visitor::open(&env);
    let entities = visitor.json("entities.json");
    let slug = entities[0]["entity"].as_str().unwrap().to_owned();
    let html = visitor.html(&format!("entity/{slug}"));
    let main = main_of(&html);
    assert!(main.contains("7.8 kg") && main.contains("docs/speaker.md"), "{main}");
    assert!(main.contains("like command") && main.contains("Score +"), "{main}");
    let twin = visitor.json(&format!("entity/{slug}.json"));
    assert!(twin["facts"][0]["source"].is_string());
    assert!(visitor.html("entities").contains("What you care about"));
    let page = twin["path"].as_str().unwrap();
    assert!(visitor.html(&format!("note/{page}")).contains(">Entity</a>"));
}

#[test]
fn questions_lessons_and_answers() {
    let env = TestEnv::with(&[
        (
            "ports.md",
            "# Ports\n\n| Service | Port |\n| --- | --- |\n| beacon | 8471 |\n| lantern | 9000 |\n",
        ),
        ("run.sh", "#!/bin/sh\n# Starts the ferry.\necho go\n"),
    ]);
    env.commit("First");
    env.ok(&["scan"]);
    env.ok(&[
        "agent", "remember", "--type", "error", "--context", "the build failed", "--lesson",
        "install protoc first", "--success-rate", "3/4",
    ]);
    let visitor = Visitor::open(&env);
    let questions = visitor.json("questions.json");
    assert!(!questions["questions"].as_array().unwrap().is_empty(), "{questions}");
    assert!(visitor.html("questions").contains("run.sh"));
    let lessons = visitor.json("memory.json");
    let id = lessons["lessons"][0]["id"].as_str().unwrap().to_owned();
    assert!(visitor.html("memory?q=protoc").contains("install protoc first"));
    assert!(visitor.html("memory").contains("3/4"));
    assert!(visitor.html(&format!("memory/{id}")).contains("the build failed"));
    let answer = visitor.json("answer.json?q=which+port+does+the+beacon+service+use");
    assert_eq!(answer["sufficient"], true, "{answer}");
    let html = visitor.html("answer?q=which+port+does+the+beacon+service+use");
    assert!(html.contains("8471") && html.contains("href=\"#source-1\""), "{html}");
    assert!(visitor.html("answer?q=who+won+the+lottery").contains("does not suffice"));
}

#[test]
fn a_graph_has_a_table_as_its_twin() {
    let env = TestEnv::with(&[
        ("a.md", "# A\n\n[b](b.md)\n"),
        ("b.md", "# B\n\n[a](a.md) [c](c.md)\n"),
        ("c.md", "# C\n"),
        ("alone.md", "# Alone\n"),
    ]);
    let visitor = Visitor::open(&env);
    let whole = visitor.json("graph.json");
    assert_eq!((&whole["nodes"][0]["notes"], &whole["more"]), (&3.into(), &1.into()));
    let around = visitor.html("graph?note=b.md");
    let main = main_of(&around);
    assert!(
        main.contains("<svg") && main.contains("both ways") && main.contains("from it"),
        "{main}"
    );
    assert_eq!(visitor.json("graph.json?note=b.md")["nodes"][0]["path"], "b.md");
    assert!(visitor.html("graph?note=alone.md").contains("Nothing is linked with it"));
}

#[test]
fn what_is_wrong_and_how_to_mend_it() {
    let env = TestEnv::with(&[("a.md", "# A\n\n[gone](gone.md)\n")]);
    env.commit("First");
    let visitor = Visitor::open(&env);
    until("it is looked at", || !visitor.json("status.json")["facts"].is_null());
    let html = visitor.html("status");
    assert!(html.contains("leads nowhere") && html.contains("correct the link"), "{html}");
    assert!(html.contains("What models cost") && html.contains("Changelog"));
    assert!(!html.contains("The index in git grew"));
    drop(visitor);
    env.write(".elophanto/config.yaml", CONFIG);
    env.ok(&["index", "--commit"]);
    let visitor = Visitor::open(&env);
    until("it is looked at", || {
        visitor.html("status").contains("The index in git grew from 0 bytes to")
    });
    assert!(html.contains("Committed notes: 1; a year ago: 0."), "{html}");
}

/// A glance at where a link leads: title and first words.
#[test]
fn a_glance_from_a_link() {
    let env = TestEnv::with(&[
        ("a/ferry.md", "---\ntags: [x]\n---\n# The ferry\n\nIt leaves\nat dawn.\n\n## Tickets\n"),
        ("a/odd %23 name.md", "# Odd\n\nOdd words.\n"),
    ]);
    env.write_attributes();
    env.ok(&["like", "ferries"]);
    let visitor = Visitor::open(&env);
    let seen = visitor.json("peek/note/a/ferry.md.json");
    assert_eq!(
        (&seen["title"], &seen["words"]),
        (&"The ferry".into(), &"It leaves at dawn.".into())
    );
    assert_eq!(visitor.json("peek/note/a/odd%20%2523%20name.md.json")["words"], "Odd words.");
    assert_eq!(visitor.json("peek/entity/ferries.json")["title"], "ferries");
}

/// What waits for trust is shown with the command that gives it; no page gives it.
#[test]
fn trust_is_told_and_given_in_a_terminal() {
    let env = TestEnv::with(&[("knowledge/system/rules.md", "# Rules\n\nAlways ask.\n")]);
    env.write(".elophanto/config.yaml", "llm:\n  local_only: false\n");
    env.commit("First");
    let visitor = Visitor::open(&env);
    let told = visitor.json("status.json");
    assert_eq!(told["trust"]["settings"][0]["key"], "llm.local_only", "{told}");
    assert_eq!(told["trust"]["pages"][0]["page"], "knowledge/system/rules.md");
    let html = visitor.html("status");
    for command in ["elophanto trust<", "elophanto trust --pages<"] {
        assert!(html.contains(command), "{command}: {html}");
    }
    env.ok(&["trust", "--yes"]);
    env.ok(&["trust", "--pages", "--yes"]);
    let told = visitor.json("status.json");
    assert!(told["trust"]["settings"].as_array().unwrap().is_empty(), "{told}");
    assert!(told["trust"]["pages"].as_array().unwrap().is_empty(), "{told}");
}

/// Who may write to a bot, and who would like to; nobody is let in here, and no code is shown.
#[test]
fn channels_are_told() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    let telegram = Telegram::start(0);
    env.write_settings(&format!("gateway.telegram_url: \"{}\"\n", telegram.url));
    let visitor = Visitor::open(&env);
    assert!(visitor.html("status").contains("elophanto channel add telegram"));
    let mut add = env.command(&["channel", "add", "telegram"]);
    let added = finish(add.env("TELEGRAM_BOT_TOKEN", TOKEN));
    assert_eq!(added.code, Some(0), "{added}");
    assert!(visitor.html("status").contains("Nobody may write to it"));
    let path = env.outside().join("home/.local/state/elophanto/gateway/channels/telegram.json");
    let mut known: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let now = jiff::Timestamp::now();
    known["people"] = json!([{
        "id": "11", "name": "Ada <b>", "home": { "chat": "11" }, "approves": true, "since": now,
    }]);
    known["knocked"] = json!([{
        "code": "ABCDEFGH", "id": "66", "name": "Eve", "home": { "chat": "66" }, "at": now,
    }]);
    fs::write(&path, known.to_string()).unwrap();
    let html = visitor.html("status");
    let told = visitor.json("status.json")["channels"][0].clone();
    assert_eq!(
        (&told["channel"], &told["people"][0]["approves"], &told["waiting"][0]["name"]),
        (&"telegram".into(), &true.into(), &"Eve".into())
    );
    for text in ["Ada &lt;b&gt;", "answers approvals", "would like to", "channel pair CODE"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("ABCDEFGH") && !told.to_string().contains("ABCDEFGH"));
    fs::write(&path, "{").unwrap();
    let html = visitor.html("status");
    assert!(html.contains("telegram.json") && !html.contains("channel add telegram"), "{html}");
    assert_eq!(visitor.json("status.json")["channels"], json!([]));
}

/// What three repositories learnt.
#[test]
fn lessons_of_several_repositories() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    let visitor = Visitor::open(&env);
    assert!(visitor.html("patterns").contains("No lesson was learnt in three repositories"));
    for repo in ["harbour", "island", "pier"] {
        let lesson = [
            "--lesson", "install protoc first", "--context", "the build failed", "--success-rate",
            "3/4",
        ];
        env.ok(&[&["agent", "remember", "--type", "error", "--repo", repo][..], &lesson].concat());
    }
    let found = visitor.json("patterns.json");
    assert_eq!(
        found["shared"][0]["repositories"],
        serde_json::json!(["harbour", "island", "pier"])
    );
    assert_eq!(found["shared"][0]["success_rate"], "9/12");
    let html = visitor.html("patterns");
    assert!(html.contains("harbour, island, pier") && html.contains("worked 9/12"), "{html}");
}

/// Links that open the editor come from the user's own settings alone.
#[test]
fn a_place_is_opened_in_the_editor() {
    let env = TestEnv::with(&[("a/the ferry.md", "# The ferry\n\nIt leaves at dawn.\n")]);
    env.write(".elophanto/config.yaml", "page:\n  editor: evil://{path}\n");
    let visitor = Visitor::open(&env);
    assert!(!visitor.html("note/a/the%20ferry.md").contains("Open in your editor"));
    drop(visitor);
    env.write_settings("page:\n  editor: \"vscode://file/{path}:{line}\"\n");
    let visitor = Visitor::open(&env);
    let root = env.root().display().to_string();
    let address = |line: usize| format!("href=\"vscode://file{root}/a/the%20ferry.md:{line}\"");
    let html = visitor.html("note/a/the%20ferry.md?mark=3");
    assert!(html.contains(&address(3)), "{html}");
    let html = visitor.html("search?q=when+does+the+ferry+leave");
    assert!(html.contains(&address(3)), "{html}");
    // As one types as well.
    let hits = visitor.json("search.json?q=when+does+the+ferry+leave&live=1");
    let editor = hits["files"][0]["places"][0]["editor"].as_str().unwrap();
    assert_eq!(format!("href=\"{editor}\""), address(3));
}
