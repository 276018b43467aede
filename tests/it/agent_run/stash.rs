//! Changes of the user, put aside for a run and brought back.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
};

use serde_json::json;

use super::{Bench, Running, Told, drive};
use crate::fake::script::{Model, Turn, call, text};

const STASH: &[&str] = &["--mode", "full", "--stash"];

fn write(path: &str) -> Turn {
    call("file_write", json!({ "path": path, "text": "x\n" }))
}

/// A repository with a change of every kind.
fn bench(turns: Vec<Turn>) -> Bench {
    let files = [
        ("README.md", "# Otters\n"),
        ("staged.md", "one\n"),
        ("both.md", "one\n"),
        ("gone.md", "one\n"),
        ("tool.sh", "one\n"),
    ];
    let bench = Bench::with(Model::script(turns), &files);
    let env = &bench.env;
    env.write("README.md", "# Otters of mine\n");
    env.write("staged.md", "two\n");
    env.write("new.md", "staged and new\n");
    env.write("both.md", "two\n");
    env.git(&["add", "staged.md", "new.md", "both.md"]);
    env.write("both.md", "three\n");
    env.remove("gone.md");
    env.write("untracked/a.bin", b"a\0b\xff");
    std::os::unix::fs::symlink("README.md", env.path("untracked/link")).unwrap();
    bench
}

/// What the user has: files, and what is staged.
fn users(bench: &Bench) -> (Vec<(PathBuf, Vec<u8>)>, String) {
    (bench.env.files(), bench.env.git(&["ls-files", "--stage"]))
}

fn stashes(bench: &Bench) -> String {
    bench.env.git(&["stash", "list"])
}

fn with(
    mut users: (Vec<(PathBuf, Vec<u8>)>, String),
    path: &str,
) -> (Vec<(PathBuf, Vec<u8>)>, String) {
    users.0.push((path.into(), b"x\n".to_vec()));
    users.0.sort();
    users
}

#[test]
fn changes_come_back_after_the_run() {
    let look = || call("shell_execute", json!({ "command": "git status --porcelain" }));
    let bench = bench(vec![look(), write("a.md"), text("Done.")]);
    let before = users(&bench);
    let told = bench.run("Write", STASH, "no");
    told.done();
    assert!(!told.results()[0].contains("README"), "{}", told.output);
    assert!(told.output.stderr().contains("your uncommitted changes are back"), "{}", told.output);
    assert_eq!(users(&bench), with(before.clone(), "a.md"));
    assert_eq!(stashes(&bench), "");
    bench.env.ok(&["agent", "undo"]);
    assert_eq!(users(&bench), before);

    // Another stash of the user's stays; so do changes where there is no run at all.
    bench.env.git(&["stash", "push", "--include-untracked", "-m", "mine"]);
    bench.env.write("README.md", "# Otters again\n");
    let before = users(&bench);
    bench.env.write_settings("llm.providers.ollama.base_url: http://127.0.0.1:2\n");
    let told = bench.env.run(&["agent", "run", "Go", "--stash"]);
    assert_eq!(told.code, Some(2), "{told}");
    assert_eq!(users(&bench), before);
    assert_eq!(stashes(&bench), "stash@{0}: On main: mine\n");
}

#[test]
fn with_a_branch_all_of_the_run_is_committed() {
    let bench = bench(vec![write("a.md"), text("Done.")]);
    let before = users(&bench);
    let told = bench.run("Write", &["--mode", "full", "--stash", "--branch", "topic"], "no");
    assert_eq!(told.output.code, Some(0), "{}", told.output);
    assert_eq!(bench.env.git(&["log", "--format=%s"]), "Write\nFirst\n");
    assert_eq!(users(&bench).0, with(before, "a.md").0);
    let staged = bench.env.git(&["diff", "--cached", "--name-only"]);
    assert_eq!(staged, "both.md\nnew.md\nstaged.md\n");
    assert_eq!(stashes(&bench), "");
    // A branch that cannot be begun leaves them where they were.
    let before = users(&bench);
    let told = bench.env.run(&["agent", "run", "Go", "--stash", "--branch", "topic"]);
    assert_eq!(told.code, Some(2), "{told}");
    assert_eq!(users(&bench), before);
    assert_eq!(stashes(&bench), "");
}

#[test]
fn what_is_in_the_way_loses_nothing() {
    let edit = |path: &str| call("file_write", json!({ "path": path, "text": "x\n" }));
    let commit = json!({ "message": "Readme", "paths": ["README.md"] });
    let shell = |line: &str| call("shell_execute", json!({ "command": line }));
    let cases: [(&str, Vec<Turn>); 6] = [
        // Not committed, where the user has changes; an untracked name that is taken; a conflict.
        ("was changed meanwhile", vec![shell("echo x > README.md")]),
        ("is there by now", vec![shell("mkdir untracked; echo x > untracked/a.bin")]),
        // A folder in the place of a file, and a file in that of a folder.
        ("`untracked/a.bin` is there by now", vec![shell("mkdir -p untracked/a.bin/x")]),
        ("is there by now", vec![shell("echo x > untracked")]),
        ("`new.md` is there by now", vec![shell("mkdir new.md; echo x > new.md/x")]),
        (
            "conflicts with what the run committed",
            vec![shell("echo x > README.md"), call("git_commit", commit)],
        ),
    ];
    for (why, mut turns) in cases {
        turns.push(edit("a.md"));
        turns.push(text("Done."));
        let bench = bench(turns);
        let before = users(&bench);
        let told = bench.run("Write", STASH, "no");
        let said = told.output.stderr();
        assert!(said.contains("stay in the stash") && said.contains(why), "{why}: {}", told.output);
        assert_eq!(stashes(&bench).lines().count(), 1, "{}", told.output);
        assert_eq!(bench.env.git(&["diff", "--name-only", "--diff-filter=U"]), "");
        // What the run did is whole, and so is the stash.
        assert_eq!(bench.env.read("a.md"), b"x\n");
        // It is not forgotten: once the run is taken back it fits.
        let undone = bench.env.ok(&["agent", "undo"]);
        assert!(undone.stderr().contains("your uncommitted changes are back"), "{why} {undone}");
        assert_eq!(users(&bench), before, "{why}");
        assert_eq!(stashes(&bench), "");
    }
}

#[test]
fn what_must_not_be_put_aside_is_refused() {
    let files = ["README.md", "x"].map(|name| (name, "x\n"));
    let bench = Bench::with(Model::script(vec![]), &files);
    let refused = |said: &str| {
        let before = bench.env.files();
        let told = bench.env.run(&["agent", "run", "Go", "--stash"]);
        assert_eq!(told.code, Some(2), "{told}");
        assert!(told.stderr().contains(said), "{said}: {told}");
        assert_eq!(bench.env.files(), before, "{said}");
    };
    for (path, said) in [
        (".elophanto/permissions.yaml", "is to obey"),
        (".elophantoignore", "is to obey"),
        ("AGENTS.md", "is to obey"),
        ("sub/CLAUDE.md", "is to obey"),
        ("server.pem", "holds keys"),
    ] {
        bench.env.write(path, "{}\n");
        refused(said);
        bench.env.remove(path);
    }
    // What git would not give back as it is.
    bench.env.git(&["config", "core.autocrlf", "input"]);
    bench.env.write("crlf.txt", "one\r\n");
    refused("git converts it");
    bench.env.write("crlf.txt", "one\n");
    fs::set_permissions(bench.env.path("crlf.txt"), Permissions::from_mode(0o600)).unwrap();
    refused("its rights (600)");
    bench.env.remove("crlf.txt");
    // Deleted for git and there all the same.
    bench.env.git(&["rm", "--quiet", "--cached", "x"]);
    refused("deleted for git");
    bench.env.git(&["reset", "--quiet"]);
    // A folder in a file's place may hold what git ignores, and no stash does.
    bench.env.write(".git/info/exclude", "*.log\n");
    let x = fs::read(bench.env.path("x")).unwrap();
    bench.env.remove("x");
    bench.env.write("x/keep.log", "mine\n");
    refused("is a file for git and a folder here");
    bench.env.remove("x/keep.log");
    fs::remove_dir(bench.env.path("x")).unwrap();
    bench.env.write("x", &x);
    // Git would write over it unasked.
    bench.env.git(&["update-index", "--assume-unchanged", "x"]);
    bench.env.write("x", "mine\n");
    bench.env.write("y", "mine\n");
    refused("take `x` for unchanged");
    assert_eq!(fs::read_to_string(bench.env.path("x")).unwrap(), "mine\n");
    bench.env.remove("y");
    assert_eq!(stashes(&bench), "");
    assert!(bench.model.prompts().is_empty());
}

#[test]
fn nothing_to_put_aside_is_no_fault() {
    let bench = Bench::new(Model::script(vec![write("a.md"), text("Done.")]));
    let told = bench.run("Write", STASH, "no");
    told.done();
    assert!(!told.output.stderr().contains("uncommitted changes"), "{}", told.output);
    assert_eq!(stashes(&bench), "");
    assert!(!bench.env.path(".git/elophanto/stash.json").exists());
}

/// What a run at work has not committed is not put aside, and its HEAD stays.
#[test]
fn not_while_another_run_is_at_work() {
    let bench = Bench::new(Model::script(vec![write("a.md"), write("b.md"), text("Done.")]));
    let mut run = Running::start(&mut bench.command("Write", &["--mode", "ask"]));
    let asked = run.until("approval_request");
    run.answer(&asked, Some("once"));
    let asked = run.until("approval_request");
    let other = Model::script(vec![text("Nothing.")]);
    bench.env.write_settings(&other.settings());
    for more in ["--stash", "--branch=topic"] {
        let told = bench.env.run(&["agent", "run", "Go", more]);
        assert_eq!(told.code, Some(2), "{told}");
        assert!(told.stderr().contains("is at work"), "{told}");
        assert_eq!(bench.env.read("a.md"), b"x\n", "{told}");
        assert_eq!(bench.env.git(&["symbolic-ref", "--short", "HEAD"]), "main\n");
    }
    assert_eq!(stashes(&bench), "");
    run.answer(&asked, Some("once"));
    assert_eq!(run.finish(|_| Some("once".to_owned())).output.code, Some(0));
    assert_eq!(bench.env.read("b.md"), b"x\n");
}

/// A kill while git puts changes aside: nobody takes them for gone as long as that git is at work.
#[test]
fn a_git_that_outlives_a_kill_is_waited_for() {
    let bench = bench(vec![text("Nothing."), text("Nothing.")]);
    let before = users(&bench);
    let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    bench.env.write(".git/elophanto/stash.json", format!("{{\"id\":\"{id}\"}}"));
    let lock = fs::File::create(bench.env.path(".git/elophanto/stash.lock")).unwrap();
    lock.lock().unwrap();
    let mut git = bench.env.sealed("sleep").arg("60").stdin(lock).spawn().unwrap();
    drive(&mut bench.command("Go", &[]), |_| None);
    assert!(bench.env.path(".git/elophanto/stash.json").exists());
    let message = format!("elophanto: before a run {id}");
    bench.env.git(&["stash", "push", "--quiet", "--include-untracked", "-m", &message]);
    git.kill().unwrap();
    git.wait().unwrap();
    let told = drive(&mut bench.command("Go", &[]), |_| None).output;
    assert_eq!(users(&bench), before, "{told}");
    assert_eq!(stashes(&bench), "");
}

/// A run that waits for an answer, with the user's changes aside.
fn waiting(bench: &Bench) -> Running {
    let mut run = Running::start(&mut bench.command("Write", &["--mode", "ask", "--stash"]));
    let asked = run.until("approval_request");
    run.answer(&asked, Some("once"));
    run.until("approval_request");
    run
}

fn killed(run: Running) -> Told {
    run.signal(libc::SIGKILL);
    run.finish(|_| None)
}

#[test]
fn after_a_kill_the_next_command_brings_them_back() {
    for command in ["undo", "run"] {
        let bench = bench(vec![write("a.md"), write("b.md"), text("Done.")]);
        let before = users(&bench);
        let run = waiting(&bench);
        assert_eq!(stashes(&bench).lines().count(), 1);
        // It is at work: nobody else touches it, and a second one is refused.
        let other = bench.env.run(&["agent", "run", "Go", "--stash"]);
        assert_ne!(other.code, Some(0), "{other}");
        killed(run);
        let doctor = bench.env.run(&["doctor"]);
        assert!(
            doctor.stdout().contains("left uncommitted changes of yours in the stash"),
            "{doctor}"
        );
        let runs = bench.env.run(&["agent", "runs"]);
        assert!(runs.stderr().contains("in the stash"), "{runs}");
        assert_eq!(stashes(&bench).lines().count(), 1);
        let told = match command {
            "undo" => bench.env.ok(&["agent", "undo", "--interrupted"]),
            _ => {
                let model = Model::script(vec![text("Nothing.")]);
                bench.env.write_settings(&model.settings());
                drive(&mut bench.command("Go", &[]), |_| None).output
            }
        };
        assert!(told.stderr().contains("your uncommitted changes are back"), "{command} {told}");
        let expected = if command == "undo" { before } else { with(before, "a.md") };
        assert_eq!(users(&bench), expected, "{command} {told}");
        assert_eq!(stashes(&bench), "");
    }
}

/// As if the program was killed at each step of putting them aside and bringing them back: what was
/// written down, with work tree and stash as they were then.
#[test]
fn a_kill_at_each_step() {
    let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let message = format!("elophanto: before a run {id}");
    let push = ["stash", "push", "--quiet", "--include-untracked", "-m", &message];
    for step in ["before", "stored", "aside", "back", "dropped"] {
        let bench = bench(vec![text("Nothing.")]);
        let before = users(&bench);
        fs::create_dir_all(bench.env.path(".git/elophanto")).unwrap();
        bench.env.write(".git/elophanto/stash.json", format!("{{\"id\":\"{id}\"}}"));
        if step != "before" {
            bench.env.git(&push);
        }
        match step {
            // Stored, and not yet cleaned up; or all back, and not yet dropped.
            "stored" | "back" => {
                drop(bench.env.git(&["stash", "apply", "--quiet", "--index"]));
            }
            "dropped" => drop(bench.env.git(&["stash", "pop", "--quiet", "--index"])),
            _ => {}
        }
        let told = drive(&mut bench.command("Go", &[]), |_| None).output;
        assert_eq!(users(&bench), before, "{step} {told}");
        assert_eq!(stashes(&bench), "", "{step} {told}");
        assert!(!bench.env.path(".git/elophanto/stash.json").exists(), "{step}");
    }
    // Half of it is there: nothing is lost, and it is said.
    let bench = bench(vec![text("Nothing.")]);
    bench.env.write(".git/elophanto/stash.json", format!("{{\"id\":\"{id}\"}}"));
    bench.env.git(&push);
    bench.env.write("untracked/a.bin", b"a\0b\xff");
    let told = drive(&mut bench.command("Go", &[]), |_| None).output;
    assert!(told.stderr().contains("stay in the stash"), "{told}");
    assert_eq!(stashes(&bench).lines().count(), 1);
}
