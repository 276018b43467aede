//! The agent at work in each hostile repository: its tools, the checkpoint around them, the undo.
//!
//! Lines of a shell that ask git for something are not among them: what they start runs in the
//! sandbox, as `tests/it/fence` has it.

use std::{fs, process::Stdio};

use serde_json::json;

use super::{
    arena as built,
    arena::Arena,
    check,
    kinds::{Kind, OURS, PLACES, REMOTES, SETTINGS},
};
use crate::{
    agent_skills::yes,
    bad_inputs::bounded_from,
    env::Output,
    fake::script::{Model, Turn, call, shell, text},
};

/// Most questions of one run.
const QUESTIONS: usize = 20;

fn turns() -> Vec<Turn> {
    vec![
        call("git_status", json!({})),
        call("git_diff", json!({})),
        call("git_log", json!({ "files": true })),
        call("file_list", json!({})),
        call("file_search", json!({ "pattern": "hands" })),
        call("knowledge_search", json!({ "query": "otters" })),
        call("file_read", json!({ "path": "otters.md" })),
        shell("echo paws > paws.txt"),
        call("file_write", json!({ "path": "made.md", "text": "# Made\n" })),
        call("git_commit", json!({ "message": "Made", "paths": ["made.md"] })),
        call("skill_list", json!({})),
        call("knowledge_index", json!({})),
        text("Done."),
    ]
}

/// A run that makes all the calls, each approved. Roads lead to the model and nowhere else.
fn work(arena: &Arena, folder: &str, variables: &[(&str, String)]) -> Output {
    let model = Model::script(turns());
    arena.env.write_settings(&model.settings());
    let answers = arena.outside("home/answers");
    fs::write(&answers, yes(QUESTIONS)).unwrap();
    let stdin = Stdio::from(fs::File::open(answers).unwrap());
    let args = ["agent", "run", "count the otters", "--mode", "smart", "--json"];
    let output = bounded_from(stdin, &mut arena.command(folder, &args, variables));
    arena.env.write_settings("");
    output
}

fn hold(kind: &Kind) {
    let arena = built(kind);
    let variables = (kind.variables)(&arena);
    let before = arena.surroundings();
    for folder in kind.folders {
        work(&arena, folder, &variables);
        check(kind, &arena, &before, &format!("a run in {folder:?}"));
        arena.run(folder, &["agent", "undo"], &variables);
        check(kind, &arena, &before, &format!("an undo in {folder:?}"));
    }
}

#[test]
fn a_harmless_one_is_worked_in() {
    let arena = Arena::new();
    arena.settle();
    let output = work(&arena, "", &[]);
    assert_eq!(output.code, Some(0), "{output}");
    let events = output.json();
    let called: Vec<_> = events.iter().filter(|event| event["type"] == "called").collect();
    assert_eq!(called.len(), turns().len() - 1, "{output}");
    assert!(called.iter().all(|event| event["failed"] == false), "{output}");
    assert!(arena.env.path("paws.txt").exists() && arena.env.path("made.md").exists());
    assert_eq!(arena.env.git(&["log", "-1", "--format=%s"]), "Made\n");
    let undone = arena.run("", &["agent", "undo"], &[]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert!(!arena.env.path("paws.txt").exists() && !arena.env.path("made.md").exists());
    assert_eq!(arena.env.git(&["log", "-1", "--format=%s"]), "first\n");
}

#[test]
fn hostile_settings_and_remotes_meet_the_agent() {
    SETTINGS.iter().chain(REMOTES).for_each(hold);
}

#[test]
fn hostile_places_and_files_of_ours_meet_the_agent() {
    PLACES.iter().chain(OURS).for_each(hold);
}
