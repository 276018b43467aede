//! Entities, questions, lessons, answers, runs, graph and status.

use super::{Visitor, main_of};
use crate::{env::TestEnv, gateway::until};

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
        "agent",
        "remember",
        "--type",
        "error",
        "--context",
        "the build failed",
        "--lesson",
        "install protoc first",
        "--success-rate",
        "3/4",
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
    assert!(
        html.contains("1 notes were added in the last year") || html.contains("1 in all"),
        "{html}"
    );
}
