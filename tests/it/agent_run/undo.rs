//! What a run did, taken back.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use serde_json::json;

use super::{Bench, Told};
use crate::{
    env::Output,
    fake::script::{Model, Turn, call, shell, text},
};

/// Changes of all kinds.
fn work() -> Vec<Turn> {
    vec![
        call("file_write", json!({ "path": "new/deep/file.txt", "text": "new\n" })),
        call("file_edit", json!({ "path": "a.txt", "edits": [{ "old": "alpha", "new": "beta" }] })),
        call("file_move", json!({ "from": "b.bin", "to": "moved.bin" })),
        call("file_delete", json!({ "path": "docs", "recursive": true })),
        shell(
            "chmod 755 c.sh; echo more >> ignored.log; ln -s a.txt to-a; mkdir empty; rm d.txt; \
               printf 'x\\0y' > e.txt; mkfifo pipe; rm pipe",
        ),
        call("git_commit", json!({ "message": "Work", "paths": ["a.txt", "new/deep/file.txt"] })),
        shell("echo later >> a.txt"),
        text("All is changed."),
    ]
}

fn bench(turns: Vec<Turn>) -> Bench {
    let bench = Bench::with(
        Model::script(turns),
        &[
            ("a.txt", "alpha\n"),
            ("c.sh", "echo c\n"),
            ("d.txt", "d"),
            ("docs/one.md", "# One\n"),
            ("docs/two/three.md", "# Three\n"),
            (".gitignore", "*.log\n"),
            ("mine.txt", "before\n"),
        ],
    );
    bench.env.write("b.bin", [0_u8, 159, 146, 150, 13, 10]);
    bench.env.write("ignored.log", "one\n");
    fs::set_permissions(bench.env.path("d.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    bench
}

type Tree = Vec<(PathBuf, u32, Vec<u8>)>;

/// Everything but what the program writes of its own: path, rights, content or target.
fn tree(bench: &Bench) -> Tree {
    let walk = walkdir::WalkDir::new(bench.env.root()).sort_by_file_name();
    let walk = walk.into_iter().filter_entry(|entry| entry.file_name() != ".git");
    let mut found = Vec::new();
    for entry in walk.flatten() {
        let path = entry.path().strip_prefix(bench.env.root()).unwrap().to_owned();
        if ["knowledge", ".elophanto"].iter().any(|own| path.starts_with(own)) {
            continue;
        }
        let kind = entry.path().symlink_metadata().unwrap();
        let content = match () {
            () if kind.is_symlink() => {
                fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes()
            }
            () if kind.is_file() => fs::read(entry.path()).unwrap(),
            () => Vec::new(),
        };
        let mode = if kind.is_symlink() { 0 } else { kind.permissions().mode() };
        found.push((path, mode, content));
    }
    found
}

fn status(bench: &Bench) -> String {
    let status =
        bench.env.git(&["status", "--porcelain=v1", "--", ".", ":!knowledge", ":!.elophanto"]);
    format!("{}{status}", bench.env.git(&["log", "--format=%H %s"]))
}

fn run(bench: &Bench) -> Told {
    let told = bench.run("Change everything", &["--mode", "full"], "once");
    told.done();
    assert!(told.all("called").iter().all(|it| it["failed"] == false), "{}", told.output);
    assert_eq!(told.ran().len(), 7, "{}", told.output);
    // All of it can be taken back, the commit too.
    assert!(!told.output.stderr().contains("would not restore"), "{}", told.output);
    told
}

fn undo(bench: &Bench, args: &[&str]) -> Output {
    bench.env.run(&[&["agent", "undo"], args].concat())
}

#[test]
fn byte_for_byte_there_and_back_again() {
    let bench = bench(work());
    let (before, status_before) = (tree(&bench), status(&bench));
    let told = run(&bench);
    let after = tree(&bench);
    assert_ne!(after, before);
    let files = told.ended()["files"].as_array().unwrap().clone();
    for path in [
        "a.txt", "b.bin", "moved.bin", "docs/one.md", "new/deep/file.txt", "to-a", "c.sh", "d.txt",
        "e.txt",
    ] {
        assert!(files.contains(&json!(path)), "{path} {}", told.output);
    }

    let lines = bench.env.json(&["agent", "undo", "--json"]);
    assert_eq!(lines[0]["run"], told.run());
    assert_eq!(
        (lines[0]["commits"].as_u64(), lines[0]["left"].as_array().unwrap().len()),
        (Some(1), 0)
    );
    assert_eq!(tree(&bench), before);
    assert_eq!(status(&bench), status_before);

    // Its id can be looked up.
    let listed = bench.env.json(&["agent", "runs", "--json"]);
    assert_eq!((&listed[0]["run"], &listed[0]["undoes"]), (&lines[0]["undo"], &json!(told.run())));
    // The undo of the undo does the work again, and can be undone.
    let undone = undo(&bench, &[lines[0]["undo"].as_str().unwrap()]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert_eq!(tree(&bench), after);
    let again = undo(&bench, &[]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(tree(&bench), before);
    assert_eq!(status(&bench), status_before);
    // There is nothing left to undo.
    let nothing = undo(&bench, &[]);
    assert_eq!(nothing.code, Some(1), "{nothing}");
}

#[test]
fn edits_of_the_user_stay() {
    let bench = bench(work());
    bench.env.write("mine.txt", "changed before the run\n");
    bench.env.write("staged.txt", "staged\n");
    bench.env.git(&["add", "staged.txt"]);
    let told = run(&bench);
    bench.env.write("mine.txt", "changed after the run\n");
    bench.env.write("mine-too.txt", "new\n");
    let undone = undo(&bench, &[&told.run()[..20]]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert_eq!(bench.env.read("mine.txt"), b"changed after the run\n");
    assert_eq!(bench.env.read("mine-too.txt"), b"new\n");
    assert_eq!(bench.env.read("a.txt"), b"alpha\n");
    assert!(status(&bench).contains("A  staged.txt"), "{}", status(&bench));
}

#[test]
fn what_was_changed_since_is_left() {
    let bench = bench(work());
    let before = tree(&bench);
    run(&bench);
    bench.env.write("a.txt", "the user's\n");
    let after = tree(&bench);
    let refused = undo(&bench, &[]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr().contains("`a.txt` was changed after the run"), "{refused}");
    assert!(refused.stderr().contains("--partly"), "{refused}");
    assert_eq!(tree(&bench), after);
    let partly = undo(&bench, &["--partly"]);
    assert_eq!(partly.code, Some(0), "{partly}");
    assert_eq!(bench.env.read("a.txt"), b"the user's\n");
    let mut now = tree(&bench);
    now.retain(|(path, ..)| path.as_os_str() != "a.txt");
    assert_eq!(
        now,
        before.into_iter().filter(|(path, ..)| path.as_os_str() != "a.txt").collect::<Tree>()
    );
}

#[test]
fn runs_that_are_not_there() {
    let bench = bench(vec![text("x")]);
    for args in [&["01ZZZZZZZZZZZZZZZZZZZZZZZZ"][..], &["../x"], &["x\u{1b}[2J"]] {
        let output = undo(&bench, args);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(!output.stderr().contains('\u{1b}'));
    }
    // A run that only read leaves nothing to undo.
    bench.run("Hello", &[], "once").done();
    assert_eq!(undo(&bench, &[]).code, Some(1));
}

#[test]
fn the_last_of_several_runs_goes_first() {
    let edit = |old: &str, new: &str| {
        call("file_edit", json!({ "path": "a.txt", "edits": [{ "old": old, "new": new }] }))
    };
    let bench = bench(vec![edit("alpha", "1"), text("1"), edit("1", "2"), text("2")]);
    let first = bench.run("One", &["--mode", "full"], "once");
    first.done();
    bench.run("Two", &["--mode", "full"], "once").done();
    // The second run changed the file since.
    let refused = undo(&bench, &[first.run()]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert_eq!(undo(&bench, &[]).code, Some(0));
    assert_eq!(bench.env.read("a.txt"), b"1\n");
    assert_eq!(undo(&bench, &["--yes"]).code, Some(0));
    assert_eq!(bench.env.read("a.txt"), b"alpha\n");
}

fn change(bench: &Bench) -> Told {
    bench.run("Change everything", &["--mode", "full"], "once")
}

/// A file that grows over what is covered was small before.
#[test]
fn what_became_too_large_comes_back() {
    let bench = bench(vec![
        shell("truncate -s 70M docs/one.md"),
        shell("chmod 600 docs/one.md"),
        text("Done."),
    ]);
    let before = tree(&bench);
    change(&bench).done();
    assert_eq!(fs::metadata(bench.env.path("docs/one.md")).unwrap().len(), 70 << 20);
    let undone = undo(&bench, &[]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert_eq!(tree(&bench), before);
}

/// A large file that was moved over a small one is all there is of it.
#[test]
fn what_is_too_large_is_never_written_over() {
    for line in ["mv big.iso docs/one.md", "mv big.iso elsewhere", "rm d.txt; mv big.iso d.txt"] {
        let bench = bench(vec![shell(line), shell("echo x > new"), text("Done.")]);
        fs::File::create(bench.env.path("big.iso")).unwrap().set_len(70 << 20).unwrap();
        change(&bench).done();
        for args in [&[][..], &["--partly"]] {
            undo(&bench, args);
            let sizes = tree(&bench).into_iter().map(|(_, _, content)| content.len());
            assert_eq!(sizes.filter(|size| *size == 70 << 20).count(), 1, "{line} {args:?}");
        }
    }
}

/// What cannot be taken back is told: with the run, and with its undo.
#[test]
fn what_is_not_covered_is_told() {
    let bench = bench(vec![shell("truncate -s 1M big.iso"), text("Done.")]);
    fs::File::create(bench.env.path("big.iso")).unwrap().set_len(70 << 20).unwrap();
    let told = change(&bench);
    let warnings = told.ended()["warnings"].to_string();
    assert!(warnings.contains("an undo would not restore `big.iso`: too large"), "{warnings}");
    let undone = undo(&bench, &[]);
    assert!(undone.stderr().contains("`big.iso` is as the run left it: too large"), "{undone}");
}

/// An undo does not reach into other repositories, so commands do not either.
#[test]
fn other_repositories_are_not_written() {
    let bench = bench(vec![
        shell("rm -rf sub; mv sub sub2; echo x >> sub/file; cat sub/file; mkdir sub/new"),
        shell("echo x > beside; rm -rf docs"),
        text("Done."),
    ]);
    bench.env.write("sub/file", "theirs\n");
    bench.env.git(&["init", "-q", "sub"]);
    let before = tree(&bench);
    let told = change(&bench);
    assert!(told.results()[0].contains("theirs"), "{}", told.output);
    assert_eq!(bench.env.read("sub/file"), b"theirs\n");
    assert!(!bench.env.path("sub2").exists() && !bench.env.path("docs").exists());
    let undone = undo(&bench, &[]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert_eq!(tree(&bench), before);
}

#[test]
fn the_first_note_of_a_knowledge_base_goes_again() {
    let note = json!({ "kind": "pattern", "title": "How we deploy", "text": "By train." });
    let bench = Bench::new(Model::script(vec![call("knowledge_write", note), text("Done.")]));
    bench.run("Write it down", &["--mode", "full"], "once").done();
    assert_eq!((bench.learned("patterns").len(), bench.learned("tasks").len()), (1, 0));
    let undone = undo(&bench, &[]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert!(!undone.stderr().contains("stays:"), "{undone}");
    assert!(!bench.env.path("knowledge").exists(), "{undone}");
}

/// What the user keeps of the output in the work tree is not the run's.
#[test]
fn output_kept_in_the_work_tree_stays() {
    let bench = Bench::new(Model::script(vec![
        shell("echo x > b.txt"),
        call("git_commit", json!({ "message": "B", "paths": ["b.txt"] })),
        text("Done."),
    ]));
    let log = fs::File::create(bench.env.path("run.jsonl")).unwrap();
    let mut command = bench.command("Go", &["--mode", "full"]);
    let answers = std::process::Stdio::piped();
    let mut child = command.stdin(answers).stdout(log).spawn().unwrap();
    let once: String =
        (1..9).map(|id| format!("{{\"id\": {id}, \"answer\": \"once\"}}\n")).collect();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), once.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(bench.env.path("b.txt").exists());
    let undone = undo(&bench, &[]);
    assert_eq!(undone.code, Some(0), "{undone}");
    assert!(!bench.env.path("b.txt").exists());
    let kept = String::from_utf8(bench.env.read("run.jsonl")).unwrap();
    assert!(kept.contains("\"ended\"") && !kept.contains("\"run.jsonl\""), "{kept}");
}

/// The last run is taken back at once; once more, and an older one is meant, or it is not.
#[test]
fn an_older_run_is_taken_back_after_a_question() {
    let write = |path: &str| call("file_write", json!({ "path": path, "text": "x\n" }));
    let turns = ["a", "b", "c"].into_iter().flat_map(|path| [write(path), text("It is there.")]);
    let bench = Bench::new(Model::script(turns.collect()));
    let runs = ["Write a", "Write b", "Write c"]
        .map(|goal| bench.run(goal, &["--mode", "full"], "no").run().to_owned());
    let there = || ["a", "b", "c"].map(|path| bench.env.path(path).exists());
    let undone = undo(&bench, &["--json"]);
    assert_eq!((undone.code, there()), (Some(0), [true, true, false]), "{undone}");
    let refused = undo(&bench, &[]);
    assert_eq!((refused.code, there()), (Some(2), [true, true, false]), "{refused}");
    let said = refused.stderr();
    assert!(said.contains("(\"Write b\")"), "{refused}");
    assert!(said.contains(&format!("`elophanto agent undo {}` takes it back", runs[1])), "{said}");
    // What was undone and done again is the last one as before.
    let redo = undone.json()[0]["undo"].as_str().unwrap().to_owned();
    assert_eq!(undo(&bench, &[&redo]).code, Some(0));
    assert_eq!(there(), [true; 3]);
    assert_eq!(undo(&bench, &[]).code, Some(0));
    assert_eq!(undo(&bench, &["--yes"]).code, Some(0));
    assert_eq!(there(), [true, false, false]);
    assert_eq!(undo(&bench, &[&runs[0]]).code, Some(0));
    assert_eq!(there(), [false; 3]);
}
