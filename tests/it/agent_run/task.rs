//! A task of ten steps: done in one go, written down, found again, used by the next.

use serde_json::json;

use super::Bench;
use crate::fake::script::{Model, Turn, call, shell, text};

const PLACES: &str = "# Places\n\nThe otters of the Spree sleep in reeds.\n";
const SCRIPT: &str = "count() { wc -l < \"$1\"; }\nlimit=7\n";
const TEST: &str = "#!/bin/sh\n. ./lib.sh\n[ \"$limit\" = 9 ] && echo all tests passed\n";
const GOAL: &str = "Raise the otter limit to 9 and commit it";

fn steps() -> Vec<Turn> {
    vec![
        call("git_status", json!({})),
        call("file_list", json!({})),
        call("knowledge_search", json!({ "query": "otters" })),
        call("file_search", json!({ "pattern": "limit=" })),
        call("file_read", json!({ "path": "lib.sh" })),
        call(
            "file_edit",
            json!({ "path": "lib.sh",
            "edits": [{ "old": "limit=7", "new": "limit=9" }] }),
        ),
        shell("sh test.sh"),
        call("file_write", json!({ "path": "docs/limit.md", "text": "# Limit\n\nIt is 9 now.\n" })),
        call("git_diff", json!({})),
        call(
            "git_commit",
            json!({ "message": "Raise the limit of otters", "paths":
            ["lib.sh", "docs/limit.md"] }),
        ),
        text("The otter limit is **9** now; the tests pass and it is committed."),
    ]
}

fn judgement() -> serde_json::Value {
    json!({ "title": "Raised the otter limit", "outcome": "The limit is 9 and the tests pass.",
        "lesson": "Run test.sh after changing the otter limit." })
}

fn bench(mut more: Vec<Turn>) -> Bench {
    let mut turns = steps();
    turns.append(&mut more);
    let model = Model::judging(judgement(), turns);
    let files = [("docs/places.md", PLACES), ("lib.sh", SCRIPT), ("test.sh", TEST)];
    Bench::with(model, &files).noting()
}

#[test]
fn ten_steps_in_one_go() {
    let bench = bench(Vec::new());
    let told = bench.run(GOAL, &[], "once");
    told.done();
    let tools = [
        "git_status", "file_list", "knowledge_search", "file_search", "file_read", "file_edit",
        "shell_execute", "file_write", "git_diff", "git_commit",
    ];
    assert_eq!(told.ran(), tools, "{}", told.output);
    // In the mode `ask` each of them asked, once, before it ran.
    assert_eq!(told.asked(), tools);
    assert!(told.all("called").iter().all(|event| event["failed"] == false), "{}", told.output);
    let shown = |at: usize| told.all("approval_request")[at]["shown"].as_str().unwrap().to_owned();
    assert!(shown(5).contains("-limit=7") && shown(5).contains("+limit=9"), "{}", shown(5));
    assert!(shown(6).ends_with("sh test.sh"), "{}", shown(6));
    assert!(told.results()[6].contains("all tests passed"));
    assert_eq!(bench.env.git(&["log", "--format=%s"]), "Raise the limit of otters\nFirst\n");
    assert_eq!(bench.committed("lib.sh"), SCRIPT.replace('7', "9"));
    assert_eq!(bench.committed("docs/limit.md"), "# Limit\n\nIt is 9 now.\n");

    let ended = told.ended();
    assert_eq!(ended["files"], json!(["docs/limit.md", "lib.sh"]));
    let commit = bench.env.git(&["rev-parse", "HEAD"]);
    assert_eq!(ended["commits"], json!([commit.trim()]));
    assert!(ended["answer"].as_str().unwrap().contains("limit is **9**"));
    assert_eq!(ended["steps"], 11);

    let notes = bench.learned("tasks");
    let [note] = &notes[..] else { panic!("{notes:?}") };
    for part in [
        "# Task: Raised the otter limit",
        GOAL,
        "The limit is 9 and the tests pass.",
        "`lib.sh`",
        "`docs/limit.md`",
        commit.trim(),
        told.run(),
    ] {
        assert!(note.contains(part), "{part}\n{note}");
    }
    assert_eq!(ended["notes"].as_array().unwrap().len(), 1);
    assert!(ended["notes"][0].as_str().unwrap().starts_with("knowledge/learned/tasks/"));
    assert!(bench.learned("failures").is_empty());
}

#[test]
fn what_was_learned_is_found_and_used() {
    let bench = bench(vec![text("It is 9 already.")]);
    let first = bench.run(GOAL, &[], "once");
    first.done();
    let prompts = bench.model.prompts();
    assert!(!prompts[0].contains("Past tasks and failures"), "{}", prompts[0]);

    let lessons = bench.env.json(&["agent", "recall", "otter limit", "--json"]);
    assert_eq!(lessons[0]["lesson"], "Run test.sh after changing the otter limit.");
    let note = first.ended()["notes"][0].as_str().unwrap();
    assert_eq!(bench.env.hits(&["raised the otter limit"])[0], note);

    let second = bench.run("Raise the otter limit again", &["--mode", "smart"], "no");
    second.done();
    let prompts = bench.model.prompts();
    let prompt = prompts.last().unwrap();
    let past =
        prompt.split("# Past tasks and failures").nth(1).unwrap_or_else(|| panic!("{prompt}"));
    assert!(past.contains("The limit is 9 and the tests pass."), "{past}");
    assert!(past.contains("Run test.sh after changing the otter limit."), "{past}");
    assert!(past.contains(note), "{past}");
    // A question that is answered at once is no task.
    assert_eq!(bench.learned("tasks").len(), 1);
    assert_ne!(first.session(), second.session());
}

#[test]
fn a_session_goes_on_and_others_know_nothing_of_it() {
    let bench = bench(vec![text("As I said."), text("Who are you?")]);
    let first = bench.run(GOAL, &[], "once");
    let second = bench.run("And what is it now?", &["--session", first.session()], "once");
    assert_eq!(second.session(), first.session());
    let prompts = bench.model.prompts();
    assert!(prompts.last().unwrap().contains("The otter limit is **9** now"), "{}", prompts[11]);
    bench.run("zebra", &[], "once").done();
    assert!(!bench.model.prompts().last().unwrap().contains("The otter limit is **9** now"));
    let unknown =
        bench.env.run(&["agent", "run", "x", "--session", "00000000-0000-4000-8000-000000000000"]);
    assert_eq!(unknown.code, Some(2), "{unknown}");
    assert!(unknown.stderr().contains("there is no session"), "{unknown}");
}

#[test]
fn answers_come_out_on_standard_output_for_people_too() {
    let model = Model::script(vec![text("Otters **swim**.")]);
    let bench = Bench::new(model);
    let output = bench.env.run(&["agent", "run", "What do otters do?"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.stdout(), "Otters **swim**.\n");
    assert!(output.stderr().contains("nobody can be asked here"), "{output}");
}

/// Which facts are found is the search's to say; which come first, the user's interests.
#[test]
fn facts_of_what_the_user_likes_come_first() {
    let model = Model::script(vec![text("The other one.")]);
    let bench = Bench::with(model, &[("README.md", "# Notes\n")]);
    let learn = |topic: &str, text: &str| {
        let file = bench.env.outside().join("source.txt");
        std::fs::write(&file, text).unwrap();
        bench.env.ok(&["learn", topic, "--from", file.to_str().unwrap()]);
    };
    learn("KEF LS50 Meta", "The KEF LS50 Meta is a speaker made by KEF. It costs 1200 euros.\n");
    learn("Genelec 8030C", "The Genelec 8030C is a speaker made by Genelec. It costs 600 euros.\n");
    let places = || {
        let before = bench.model.prompts().len();
        bench
            .run("What speaker costs how much, KEF LS50 Meta or Genelec 8030C", &[], "once")
            .done();
        let prompt = bench.model.prompts()[before].clone();
        let facts = prompt.split("Facts near the goal").nth(1).unwrap().to_owned();
        let place = |name: &str| facts.find(name).unwrap();
        (place("entities/kef-ls50-meta.md"), place("entities/genelec-8030c.md"))
    };
    let (kef, genelec) = places();
    let other = if kef < genelec { "Genelec 8030C" } else { "KEF LS50 Meta" };
    bench.env.ok(&["like", other]);
    let (kef_now, genelec_now) = places();
    assert_ne!(kef < genelec, kef_now < genelec_now, "{other}");
    bench.env.ok(&["unlike", other]);
    let (kef_now, genelec_now) = places();
    assert_eq!(kef < genelec, kef_now < genelec_now, "{other}");
}
