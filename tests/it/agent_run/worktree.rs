//! A run in a work tree of its own.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{Bench, Running, Told, drive};
use crate::{
    env::{Output, finish},
    fake::script::{Model, Turn, call, text},
};

fn write(path: &str) -> Turn {
    call("file_write", json!({ "path": path, "text": "x\n" }))
}

/// Files with their contents, git's index, HEAD and its log.
type Users = (Vec<(PathBuf, Vec<u8>)>, Vec<u8>, String, String);

/// All of the user's that must stay: files, what is staged, HEAD and its log.
fn users(bench: &Bench) -> Users {
    let git = |args: &[&str]| bench.env.git(args);
    let log = git(&["reflog", "HEAD"]);
    (bench.env.files(), bench.env.read(".git/index"), git(&["symbolic-ref", "HEAD"]), log)
}

fn beside(bench: &Bench, name: &str) -> PathBuf {
    bench.env.outside().join("repo.worktrees").join(name)
}

fn kept(told: &Told) -> &Value {
    told.all("worktree").first().copied().unwrap_or_else(|| panic!("{}", told.output))
}

fn in_tree(bench: &Bench, name: &str, args: &[&str]) -> Output {
    finish(bench.env.command(args).current_dir(beside(bench, name)))
}

#[test]
fn the_users_tree_stays_as_it_is() {
    let commit = json!({ "message": "First file", "paths": ["a.md"] });
    let turns = vec![
        write("a.md"),
        call("git_commit", commit),
        call("shell_execute", json!({ "command": "git status --short && echo y > b.md" })),
        text("Both."),
    ];
    let bench = Bench::new(Model::script(turns));
    bench.env.write("README.md", "# Otters of mine\n");
    bench.env.write("staged.md", "staged\n");
    bench.env.git(&["add", "staged.md"]);
    bench.env.write("untracked.md", "mine\n");
    let before = users(&bench);
    let told = bench.run("Write two files", &["--mode", "full", "--worktree=topic/x"], "no");
    assert_eq!(told.output.code, Some(0), "{}", told.output);
    assert_eq!(users(&bench), before);
    let path = beside(&bench, "topic-x");
    let left = kept(&told);
    assert_eq!(left["path"], path.to_str().unwrap(), "{}", told.output);
    let figures = (&left["branch"], &left["base"], &left["commits"], &left["uncommitted"]);
    assert_eq!(figures, (&json!("topic/x"), &json!("main"), &json!(2), &json!(0)));
    assert_eq!(told.events.last().unwrap()["type"], "pull_request");
    assert!(told.output.stderr().contains("git merge topic/x"), "{}", told.output);
    let log = bench.env.git(&["log", "--format=%s", "topic/x"]);
    assert_eq!(log, "Write two files\nFirst file\nFirst\n");
    let files = bench.env.git(&["ls-tree", "--name-only", "topic/x"]);
    assert_eq!(files, "README.md\na.md\nb.md\n");

    // The next command tells of it; the run is told and undone there, and not from here.
    let runs = bench.env.run(&["agent", "runs"]);
    let left = "repo.worktrees/topic-x has 2 commits and 0 files not committed on topic/x";
    assert!(runs.stderr().contains(left), "{runs}");
    let none = bench.env.run(&["agent", "undo"]);
    assert_eq!(none.code, Some(1), "{none}");
    let there = in_tree(&bench, "topic-x", &["agent", "undo"]);
    assert_eq!(there.code, Some(0), "{there}");
    assert_eq!(users(&bench), before);
    assert!(!path.join("a.md").exists() && !path.join("b.md").exists());
    assert_eq!(bench.env.git(&["rev-parse", "topic/x"]), bench.env.git(&["rev-parse", "main"]));
    let again = there.stdout().len();
    assert!(again > 0, "{there}");

    bench.env.git(&["worktree", "remove", path.to_str().unwrap()]);
    bench.env.git(&["branch", "-d", "topic/x"]);
    assert!(!path.exists());
    assert_eq!(users(&bench).0, before.0);
}

#[test]
fn a_work_tree_that_nothing_came_of_is_gone() {
    let bench = Bench::new(Model::script(vec![text("Otters swim.")]));
    let before = users(&bench);
    let told = bench.env.ok(&["agent", "run", "What do otters do?", "--worktree"]);
    assert!(told.stderr().contains("what-do-otters-do"), "{told}");
    assert!(told.stderr().contains("nothing came of it"), "{told}");
    assert_eq!(users(&bench), before);
    assert_eq!(bench.env.git(&["branch", "--list"]), "* main\n");
    assert!(!bench.env.outside().join("repo.worktrees").exists());

    bench.env.git(&["branch", "topic"]);
    fs::create_dir_all(beside(&bench, "taken")).unwrap();
    for (name, said) in [
        ("topic", "already"),
        ("taken", "is there already"),
        ("a..b", "cannot be the name"),
        ("-x", "cannot be the name"),
        ("../out", "cannot be the name"),
    ] {
        let told = bench.env.run(&["agent", "run", "Go", &format!("--worktree={name}")]);
        assert_eq!(told.code, Some(2), "{told}");
        assert!(told.stderr().contains(said), "{name}: {told}");
    }
    // A run that does not begin leaves none behind.
    let told = bench.env.run(&["agent", "run", "Go", "--worktree=none", "--session", "nope"]);
    assert_eq!(told.code, Some(2), "{told}");
    assert!(!beside(&bench, "none").exists(), "{told}");
    assert_eq!(bench.env.git(&["branch", "--list", "none"]), "");
    assert_eq!(users(&bench).0, before.0);
}

/// HEAD is elsewhere at the end: its commits would be lost with the work tree.
#[test]
fn commits_beside_the_branch_stay() {
    let bench = Bench::new(Model::script(vec![write("a.md"), text("Done.")]));
    // The user does it meanwhile.
    let mut run =
        Running::start(&mut bench.command("Write", &["--mode", "ask", "--worktree=topic"]));
    let asked = run.until("approval_request");
    let path = beside(&bench, "topic");
    let git = |args: &[&str]| {
        let done = finish(bench.env.sealed("git").args(args).current_dir(&path));
        assert_eq!(done.code, Some(0), "{done}");
    };
    git(&["checkout", "--quiet", "--detach"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "Loose"]);
    run.answer(&asked, Some("no"));
    let told = run.finish(|_| Some("no".to_owned()));
    assert!(path.exists(), "{}", told.output);
    assert!(!told.output.stderr().contains("nothing came of it"), "{}", told.output);
    let log = finish(bench.env.sealed("git").args(["log", "--format=%s"]).current_dir(&path));
    assert_eq!(log.stdout(), "Loose\nFirst\n");
}

#[test]
fn one_that_cannot_be_opened_is_gone() {
    let bench = Bench::with(
        Model::script(vec![text("Nothing.")]),
        &[("README.md", "# Otters\n"), (".elophanto/config.yaml", "agent: [\n")],
    );
    // Mended here, not at HEAD.
    bench.env.write(".elophanto/config.yaml", "{}\n");
    let told = bench.env.run(&["agent", "run", "Go", "--worktree"]);
    assert_eq!(told.code, Some(2), "{told}");
    assert!(!bench.env.outside().join("repo.worktrees").exists(), "{told}");
    assert_eq!(bench.env.git(&["branch", "--list"]), "* main\n");
    assert_eq!(bench.env.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_name_that_no_branch_can_have_is_passed_over() {
    let bench = Bench::new(Model::script(vec![write("a.md"), text("Done.")]));
    bench.env.git(&["branch", "write-a-file/x"]);
    let told = bench.run("Write a file", &["--mode", "full", "--worktree"], "no");
    assert_eq!(kept(&told)["branch"], "write-a-file-2", "{}", told.output);
}

#[test]
fn two_at_once() {
    let bench = Bench::new(Model::script(vec![write("a.md"), write("c.md"), text("One.")]));
    let other = Model::script(vec![write("b.md"), text("Two.")]);
    let goal = "Write a file";
    // The first one waits to be allowed, with its work tree and its checkpoint begun.
    let mut first = Running::start(&mut bench.command(goal, &["--mode", "ask", "--worktree"]));
    let asked = first.until("approval_request");
    first.answer(&asked, Some("once"));
    let asked = first.until("approval_request");
    bench.env.write_settings(&other.settings());
    let second = drive(&mut bench.command(goal, &["--mode", "full", "--worktree"]), |_| None);
    assert_eq!(second.output.code, Some(0), "{}", second.output);
    let runs = bench.env.run(&["agent", "runs"]);
    assert!(
        runs.stderr().contains("repo.worktrees/write-a-file, where a run is at work"),
        "{runs}"
    );
    first.answer(&asked, Some("once"));
    let first = first.finish(|_| Some("once".to_owned()));
    assert_eq!(first.output.code, Some(0), "{}", first.output);
    assert_eq!(kept(&first)["branch"], "write-a-file");
    assert_eq!(kept(&second)["branch"], "write-a-file-2");
    let names = |branch: &str| bench.env.git(&["ls-tree", "--name-only", branch]);
    assert_eq!(names("write-a-file"), "README.md\na.md\nc.md\n");
    assert_eq!(names("write-a-file-2"), "README.md\nb.md\n");
}

/// What a killed run has not committed is found, told, and taken back or kept by its user.
#[test]
fn a_kill_loses_nothing() {
    let bench = Bench::new(Model::script(vec![write("a.md"), write("b.md"), text("Both.")]));
    let before = users(&bench);
    let goal = "Write two files";
    let mut run = Running::start(&mut bench.command(goal, &["--mode", "ask", "--worktree=cut"]));
    let asked = run.until("approval_request");
    run.answer(&asked, Some("once"));
    run.until("approval_request");
    run.signal(libc::SIGKILL);
    let told = run.finish(|_| None);
    assert_eq!(told.output.code, None, "{}", told.output);
    assert_eq!(users(&bench), before);
    let path = beside(&bench, "cut");
    assert_eq!(fs::read(path.join("a.md")).unwrap(), b"x\n");

    let left = "repo.worktrees/cut has 0 commits and 1 file not committed on cut";
    let doctor = bench.env.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor}");
    assert!(doctor.stdout().contains(left), "{doctor}");
    let runs = bench.env.run(&["agent", "runs"]);
    assert!(runs.stderr().contains(left), "{runs}");
    // Git itself does not remove what is not committed.
    let remove = ["worktree", "remove", path.to_str().unwrap()];
    assert_ne!(finish(bench.env.sealed("git").args(remove)).code, Some(0));
    assert!(path.join("a.md").exists());
    // As a version before this one left it: in the folder that all work trees share.
    let own = bench.env.path(".git/worktrees/cut/elophanto/runs");
    let common = bench.env.path(".git/elophanto/runs");
    fs::create_dir_all(&common).unwrap();
    let folders = fs::read_dir(own).unwrap().map(Result::unwrap);
    for folder in folders.filter(|entry| entry.path().is_dir()) {
        fs::rename(folder.path(), common.join(folder.file_name())).unwrap();
    }
    let undone = in_tree(&bench, "cut", &["agent", "undo", "--interrupted"]);
    assert_eq!(undone.code, Some(0), "{undone}");
    bench.env.git(&remove);
    bench.env.git(&["branch", "-D", "cut"]);
    let runs = bench.env.run(&["agent", "runs"]);
    assert!(!runs.stderr().contains("repo.worktrees"), "{runs}");
}
