//! A run on a branch of its own, and where what became of a task is written down.

use serde_json::json;

use super::Bench;
use crate::{
    env::finish,
    fake::script::{Model, Turn, call, text},
};

fn write(path: &str) -> Turn {
    call("file_write", json!({ "path": path, "text": "x\n" }))
}

fn on(bench: &Bench) -> String {
    bench.env.git(&["symbolic-ref", "--short", "HEAD"]).trim().to_owned()
}

#[test]
fn a_branch_of_its_own_is_committed_to_and_taken_back() {
    let mine = json!({ "path": "mine.md", "edits": [{ "old": "mine", "new": "ours" }] });
    let commit = json!({ "message": "First file", "paths": ["a.md"] });
    let turns = vec![
        write("a.md"),
        call("git_commit", commit),
        write("b.md"),
        call("file_edit", mine),
        text("Both."),
    ];
    let bench = Bench::new(Model::script(turns));
    let (main, head) = (on(&bench), bench.env.git(&["rev-parse", "HEAD"]));
    // What the user has changed and staged is none of the run's.
    bench.env.write("mine.md", "mine\n");
    bench.env.write("staged.md", "staged\n");
    bench.env.git(&["add", "staged.md"]);
    let told = bench.run("Write two files", &["--mode", "full", "--branch", "topic/otters"], "no");
    // What is not on the branch keeps the run from being done.
    let ended = told.all("ended")[0];
    assert_eq!(
        (told.output.code, &ended["outcome"]),
        (Some(1), &json!("partly")),
        "{}",
        told.output
    );
    let reason = ended["reason"].as_str().unwrap();
    assert!(reason.starts_with("`mine.md` had uncommitted changes of yours before"), "{reason}");
    let pull = told.events.last().unwrap();
    assert_eq!(pull["type"], "pull_request", "{}", told.output);
    assert_eq!((&pull["branch"], &pull["title"]), (&json!("topic/otters"), &json!("First file")));
    assert_eq!(pull["base"], main.as_str());
    let body = pull["body"].as_str().unwrap();
    assert!(body.contains("Both.") && body.contains("b.md") && !body.contains("mine.md"), "{body}");
    assert_eq!(on(&bench), "topic/otters");
    assert_eq!(bench.env.git(&["log", "--format=%s"]), "Write two files\nFirst file\nFirst\n");
    let staged = bench.env.git(&["diff", "--cached", "--name-only"]);
    assert_eq!(staged, "staged.md\n");

    let undone = bench.env.ok(&["agent", "undo"]);
    assert!(undone.stderr().contains("still on topic/otters"), "{undone}");
    assert!(undone.stderr().contains("`git switch main` goes back"), "{undone}");
    assert_eq!(bench.env.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(bench.env.read("mine.md"), b"mine\n");
    assert!(!bench.env.path("a.md").exists() && !bench.env.path("b.md").exists());
    assert_eq!(bench.env.git(&["diff", "--cached", "--name-only"]), "staged.md\n");
}

#[test]
fn a_branch_that_nothing_came_of_is_gone() {
    let bench = Bench::new(Model::script(vec![text("Otters swim.")]));
    let main = on(&bench);
    let told = bench.env.ok(&["agent", "run", "What do otters do?", "--branch", "topic"]);
    assert!(told.stderr().contains("nothing was committed"), "{told}");
    assert_eq!(on(&bench), main);
    assert_eq!(bench.env.git(&["branch", "--list", "topic"]), "");
    bench.env.git(&["branch", "topic"]);
    for (name, said) in [("topic", "already"), ("a..b", "cannot be the name"), ("-x", "")] {
        let told = bench.env.run(&["agent", "run", "Go", &format!("--branch={name}")]);
        assert_eq!(told.code, Some(2), "{told}");
        assert!(told.stderr().contains(said), "{told}");
    }
    assert_eq!(on(&bench), main);
}

#[test]
fn where_a_task_is_written_down() {
    for (notes, is_known) in [("journal", true), ("knowledge", true), ("none", false)] {
        let judged = json!({ "title": "Raised the otter limit", "outcome": "The limit is nine." });
        let turns = vec![write("a.md"), text("Yes."), text("Nine.")];
        let bench = Bench::new(Model::judging(judged, turns));
        let bench = bench.set(&format!("agent:\n  notes: {notes}\n"));
        let told = bench.run("Raise the limit of the otters", &["--mode", "full"], "no");
        told.done();
        assert_eq!(bench.learned("tasks").len(), usize::from(notes == "knowledge"), "{notes}");
        let untracked = bench.env.git(&["status", "--porcelain", "--untracked-files=all"]);
        assert_eq!(untracked.contains("learned"), notes == "knowledge", "{untracked}");
        let past = |at: usize| bench.model.prompts()[at].contains("The limit is nine.");
        bench.run("Raise the limit of the otters again", &["--mode", "full"], "no").done();
        assert_eq!(past(2), is_known, "{notes}: {}", bench.model.prompts()[2]);
        // An undo takes it back.
        bench.env.ok(&["agent", "undo", told.run()]);
        assert!(bench.learned("tasks").is_empty(), "{notes}");
        let mut bench = bench;
        bench.model = Model::script(vec![text("Ten.")]);
        bench.env.write_settings(&bench.model.settings_as("two"));
        bench.run("Raise the limit of the otters once more", &["--mode", "full"], "no").done();
        assert!(!past_of(&bench, "The limit is nine."), "{notes}");
    }
}

/// What is taken back is done again, and what is known of it with it.
#[test]
fn a_task_goes_and_comes_with_its_run() {
    let judged = json!({ "title": "Raised the otter limit", "outcome": "The limit is nine." });
    let model = |turns| Model::judging(judged.clone(), turns);
    let look = call("file_read", json!({ "path": "README.md" }));
    for (first, changes) in [(write("a.md"), true), (look, false)] {
        let turns = vec![first, text("Yes.")];
        let bench = Bench::new(model(turns));
        let goal = "Raise the limit of the otters";
        let told = bench.run(goal, &["--mode", "full"], "no");
        let run = told.run().to_owned();
        let knows = |bench: &mut Bench| {
            bench.model = Model::script(vec![text("Ten.")]);
            bench.env.write_settings(&format!("{}agent.notes: none\n", bench.model.settings()));
            bench.run(goal, &["--mode", "full"], "no");
            past_of(bench, "The limit is nine.")
        };
        let mut bench = bench;
        assert!(knows(&mut bench), "{}", told.output);
        let undone = bench.env.json(&["agent", "undo", &run, "--json"]);
        assert_eq!(undone[0]["task"], true, "{undone:?}");
        assert!(!knows(&mut bench));
        let undo = undone[0]["undo"].as_str();
        assert_eq!(undo.is_some(), changes, "{undone:?}");
        let Some(undo) = undo else {
            // There was nothing but that, and it is gone.
            let none = bench.env.run(&["agent", "undo", &run]);
            assert_eq!(none.code, Some(2), "{none}");
            continue;
        };
        let again = bench.env.json(&["agent", "undo", undo, "--json"]);
        assert_eq!(again[0]["task"], true, "{again:?}");
        assert!(knows(&mut bench));
        let once_more = again[0]["undo"].as_str().unwrap();
        bench.env.ok(&["agent", "undo", once_more]);
        assert!(!knows(&mut bench));
    }
}

/// A clone of what a run committed searches without embedding anything, as after a commit of the user's
/// with our hook.
#[test]
fn commits_carry_their_vectors() {
    let note = |path: &str| {
        call("file_write", json!({ "path": path, "text": "# Beavers\n\nThey build dams.\n" }))
    };
    let commit = json!({ "message": "Beavers", "paths": ["knowledge/beavers.md"] });
    for more in [&["--branch", "topic"][..], &["--worktree=topic"], &[]] {
        let mut turns = vec![note("knowledge/beavers.md")];
        if more.is_empty() {
            turns.push(call("git_commit", commit.clone()));
        }
        turns.push(text("Done."));
        let notes = [("knowledge/otters.md", "# Otters\n\nThey swim in rivers.\n")];
        let bench = Bench::with(Model::script(turns), &notes);
        bench.env.ok(&["index"]);
        bench.env.commit("Index");
        let told = bench.run("Write of beavers", &[&["--mode", "full"], more].concat(), "no");
        assert_eq!(told.output.code, Some(0), "{}", told.output);
        let branch = if more.is_empty() { "main" } else { "topic" };
        let clone = bench.env.outside().join("clone");
        let (from, to) = (bench.env.root().to_str().unwrap(), clone.to_str().unwrap());
        bench.env.git(&["clone", "--quiet", "--branch", branch, from, to]);
        let check = finish(bench.env.command(&["index", "--check"]).current_dir(&clone));
        assert_eq!(check.code, Some(0), "{more:?} {check}");
        // What it says of files is about those that the run meant to change.
        assert!(!told.output.stdout().contains(".lance"), "{}", told.output);
        assert_eq!(bench.env.git(&["status", "--porcelain"]), "", "{more:?}");
        if !more.is_empty() {
            continue;
        }
        bench.env.ok(&["agent", "undo"]);
        assert_eq!(bench.env.git(&["status", "--porcelain"]), "");
        assert_eq!(bench.env.tables().len(), 1);
    }
    // Where nobody wants vectors in git, none go along.
    let bench = Bench::new(Model::script(vec![note("knowledge/beavers.md"), text("Done.")]));
    let told = bench.run("Write of beavers", &["--mode", "full", "--branch", "topic"], "no");
    assert_eq!(told.output.code, Some(0), "{}", told.output);
    let files = bench.env.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files, "README.md\nknowledge/beavers.md\n");
}

fn past_of(bench: &Bench, text: &str) -> bool {
    bench.model.prompts()[0].contains(text)
}
