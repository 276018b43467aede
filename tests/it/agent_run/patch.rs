//! What a run changed, as a patch.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{Bench, drive};
use crate::{
    env::{TestEnv, finish},
    fake::script::{Model, Turn, call, text},
};

/// Binary data, a mode, a link, a rename, a file and a folder in each other's place, text that is no
/// UTF-8, a last line without an end.
const SCRIPT: &str = "printf 'a\\0b\\377' > data.bin; chmod +x tool.sh; mv long.txt moved/long.txt; rm \
                      gone.md; printf 'no end' > 'with space.md'; ln -s README.md link; printf \
                      'caf\\351\\n' > latin.txt; mkdir new; echo x > new/x; rm was-file; mkdir \
                      was-file; echo y > was-file/y; printf 'one\\r\\ntwo\\r\\n' > crlf.txt";

fn bench(turns: Vec<Turn>) -> Bench {
    let long: String = (0..50).map(|line| format!("line {line}\n")).collect();
    let files = [
        ("README.md", "# Otters\n"),
        ("tool.sh", "#!/bin/sh\n"),
        ("long.txt", &long),
        ("moved/here.md", "x\n"),
        ("gone.md", "gone\n"),
        ("was-file", "file\n"),
        ("crlf.txt", "one\n"),
    ];
    Bench::with(Model::script(turns), &files)
}

fn shell(line: &str) -> Turn {
    call("shell_execute", json!({ "command": line }))
}

/// Files with what git knows of them: whether they can be run, what links lead to.
fn tree(root: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let kind = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap().to_owned();
            if name == Path::new(".git") || name.extension().is_some_and(|it| it == "patch") {
                continue;
            }
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                found.push((name, 0, target));
            } else {
                found.push((name, kind.permissions().mode() & 0o111, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// A clone of HEAD with more files, to which a patch is applied.
fn applied(env: &TestEnv, patch: &Path, more: &[(&str, &str)]) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let folder = tempfile::tempdir_in(env.outside()).unwrap();
    let clone = folder.path().join("clone");
    let clone_to = clone.to_str().unwrap();
    env.git(&["clone", "--quiet", env.root().to_str().unwrap(), clone_to]);
    for (path, text) in more {
        fs::write(clone.join(path), text).unwrap();
    }
    let applied = finish(env.sealed("git").arg("apply").arg(patch).current_dir(&clone));
    assert_eq!(applied.code, Some(0), "{applied}");
    tree(&clone)
}

#[test]
fn git_applies_it() {
    let bench = bench(vec![shell(SCRIPT), text("Done.")]);
    // A change of the user's, which is none of the run's.
    bench.env.write("moved/here.md", "mine\n");
    let file = bench.env.outside().join("run.patch");
    let name = file.to_str().unwrap();
    let told = bench.run("Change much", &["--mode", "full", "--patch", name], "once");
    assert_eq!(told.output.code, Some(0), "{}", told.output);
    assert!(told.output.stderr().contains("a patch of 12 files"), "{}", told.output);
    let patch = fs::read(&file).unwrap();
    let shown = String::from_utf8_lossy(&patch);
    assert!(shown.contains("rename to moved/long.txt"), "{shown}");
    assert!(shown.contains("GIT binary patch") && !shown.contains("mine"), "{shown}");
    // The work tree stays as the run left it.
    let left = tree(bench.env.root());
    assert_eq!(applied(&bench.env, &file, &[("moved/here.md", "mine\n")]), left);

    // Later too: while it stands, after somebody changed what it left, and after it was taken back.
    let show = |expected: Option<i32>| {
        let shown = bench.env.run(&["agent", "runs", "show", told.run(), "--patch"]);
        assert_eq!(shown.code, expected, "{shown}");
        shown
    };
    assert_eq!(show(Some(0)).stdout, patch);
    let was = bench.env.read("latin.txt");
    bench.env.write("latin.txt", "somebody else\n");
    let partly = show(Some(0));
    assert!(partly.stderr().contains("`latin.txt` is not in the patch"), "{partly}");
    bench.env.write("latin.txt", was);
    bench.env.ok(&["agent", "undo"]);
    assert_eq!(show(Some(0)).stdout, patch);
    let undone = tree(bench.env.root());
    bench.env.git(&["apply", name]);
    assert_eq!(tree(bench.env.root()), left);
    bench.env.git(&["apply", "--reverse", name]);
    assert_eq!(tree(bench.env.root()), undone);
}

#[test]
fn what_the_run_committed_is_in_it() {
    let commit = json!({ "message": "One", "paths": ["a.md"] });
    let write = |text: &str| call("file_write", json!({ "path": "a.md", "text": text }));
    for more in [&["--branch", "topic"][..], &["--worktree=topic"], &[]] {
        let turns = vec![write("one\n"), call("git_commit", commit.clone()), text("Done.")];
        let bench = bench(turns);
        let args = [&["--mode", "full", "--patch", "run.patch"][..], more].concat();
        let told = bench.run("Write", &args, "no");
        assert_eq!(told.output.code, Some(0), "{more:?} {}", told.output);
        let patch = bench.env.read("run.patch");
        assert!(patch.starts_with(b"diff --git a/a.md b/a.md\nnew file"), "{}", told.output);
        // It is there as long as git has the commit, whatever became of the file.
        let name = match more.first() {
            Some(&"--worktree=topic") => bench.env.outside().join("repo.worktrees/topic/a.md"),
            _ => bench.env.path("a.md"),
        };
        fs::write(name, "another\n").unwrap();
        let run = told.all("ended")[0]["run"].as_str().unwrap();
        let shown = bench.env.ok(&["agent", "runs", "show", run, "--patch"]);
        assert_eq!(shown.stdout, patch, "{more:?} {shown}");
        bench.env.git(&["checkout", "--quiet", "--force", "main"]);
    }
}

#[test]
fn standard_output_holds_nothing_else() {
    let write = call("file_write", json!({ "path": "a.md", "text": "x\n" }));
    let answer = "```diff\ndiff --git a/z b/z\n--- a/z\n+++ b/z\n```";
    let bench = bench(vec![write, text(answer)]);
    let told = bench.env.ok(&["agent", "run", "Write", "--mode", "full", "--patch", "-"]);
    assert!(told.stdout().starts_with("diff --git a/a.md b/a.md\n"), "{told}");
    assert!(!told.stdout().contains("a/z") && told.stderr().contains("a/z"), "{told}");
    bench.env.git(&["checkout", "--quiet", "."]);
    bench.env.remove("a.md");
    fs::write(bench.env.path("out.patch"), &told.stdout).unwrap();
    bench.env.git(&["apply", "out.patch"]);
    assert_eq!(bench.env.read("a.md"), b"x\n");
    let both = bench.env.run(&["agent", "run", "Write", "--patch", "-", "--json"]);
    assert_eq!(both.code, Some(2), "{both}");
}

#[test]
fn what_is_there_is_not_written_over_and_keys_stay_out() {
    let key = call("file_write", json!({ "path": "server.pem", "text": "secret-key\n" }));
    let write = call("file_write", json!({ "path": "a.md", "text": "x\n" }));
    let turns = vec![shell("echo k > id_rsa; echo y > b.md"), write, key, text("Done.")];
    let bench = bench([turns, vec![text("Nothing."); 2]].concat());
    bench.env.write("there.patch", "mine\n");
    symlink("nowhere", bench.env.path("link.patch")).unwrap();
    for name in ["there.patch", "link.patch", "no/folder/x.patch", ".", "/"] {
        let told = bench.env.run(&["agent", "run", "Go", "--patch", name]);
        assert_eq!(told.code, Some(2), "{name} {told}");
        assert!(told.stderr().contains("cannot be written"), "{name} {told}");
    }
    assert_eq!(bench.env.read("there.patch"), b"mine\n");
    assert!(bench.model.prompts().is_empty());
    let mut command = bench.command("Go", &["--mode", "full", "--patch", "x.patch"]);
    let told = drive(&mut command, |_| Some("no".to_owned()));
    let patch = String::from_utf8(bench.env.read("x.patch")).unwrap();
    assert!(patch.contains("b/a.md") && !patch.contains("id_rsa"), "{patch}\n{}", told.output);

    // A run that changed nothing has none.
    for more in [&[][..], &["--worktree=none"]] {
        let args = [&["agent", "run", "What is it?", "--patch", "none.patch"][..], more].concat();
        let told = bench.env.ok(&args);
        assert!(told.stderr().contains("nothing that a patch could say"), "{more:?} {told}");
        assert_eq!(told.stdout().matches("Nothing.").count(), 1, "{more:?} {told}");
        assert!(!bench.env.path("none.patch").exists(), "{told}");
    }
}

#[test]
fn a_patch_overwrites_nothing() {
    let bench = Bench::new(Model::script(vec![text("Nothing.")]));
    bench.env.write("a.patch", "mine\n");
    let told = bench.env.run(&["agent", "run", "Go", "--patch", "a.patch"]);
    assert_eq!(told.code, Some(2), "{told}");
    assert!(told.stderr().contains("there is a file of that name already"), "{told}");
    assert!(bench.model.asked().is_empty());
}
