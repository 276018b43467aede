//! Rows 9 and 10: files that change under us, and every kind of place that is or is no repository.

use std::{
    fs,
    os::unix::fs::chown,
    process::Child,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{bounded, done, found};
use crate::env::{Output, PROGRAM, TestEnv};

/// Two branches that share no text, of 150 notes each.
fn two_branches() -> TestEnv {
    let env = TestEnv::new();
    env.write("shared.md", "# Shared\n\nThe lynx is on both branches.\n");
    env.commit("base");
    for branch in ["left", "right"] {
        env.git(&["checkout", "--quiet", "-b", branch, "main"]);
        for n in 0..150 {
            let folder = if n % 3 == 0 { branch } else { "both" };
            let text = format!("# {branch} {n}\n\nA lynx of the {branch} side, number {n}.\n");
            env.write(format!("{folder}/n{n}.md"), text);
        }
        env.commit(branch);
    }
    env
}

#[test]
fn files_switched_while_index_runs() {
    let env = two_branches();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut branch = ["left", "right"].iter().cycle();
            while !stop.load(Ordering::Relaxed) {
                env.git(&["checkout", "--quiet", branch.next().unwrap()]);
            }
        });
        for run in 0..8 {
            let args: &[&str] = match run % 4 {
                0 => &["index", "--full"],
                1 => &["index"],
                2 => &["search", "lynx", "--json"],
                _ => &["index", "--json"],
            };
            let output = bounded(&mut env.command(args));
            if output.code != Some(0) {
                stop.store(true, Ordering::Relaxed);
                panic!("{args:?}\n{output}");
            }
            assert!(!output.stderr().contains("damaged"), "{output}");
        }
        stop.store(true, Ordering::Relaxed);
    });
    for branch in ["left", "right", "left"] {
        env.git(&["checkout", "--quiet", branch]);
        let summary = env.index(&[]);
        assert_eq!((&summary["files"], &summary["skipped"]), (&151.into(), &0.into()));
        let hits = found(&env, &["lynx side", "-n", "400", "--mode", "keyword"]);
        let other = if branch == "left" { "right/" } else { "left/" };
        assert!(hits.iter().all(|hit| !hit.starts_with(other)), "{branch}");
        // What was built under fire is what is built in peace.
        let ask = ["search", "number 77", "--json", "--mode", "keyword", "-n", "1"];
        let fast = done(&env, &ask);
        assert_eq!(fast.json()[0]["path"], "both/n77.md");
        assert!(fast.stdout().contains(&format!("of the {branch} side")), "{fast}");
    }
    done(&env, &["index", "--check"]);
}

#[test]
fn files_that_vanish_grow_and_shrink_while_index_runs() {
    let env = TestEnv::with(&[("still.md", "A lynx sits still.\n")]);
    for n in 0..200 {
        env.write(format!("n{n}.md"), format!("A lynx, number {n}.\n"));
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !stop.load(Ordering::Relaxed) {
                round += 1;
                for n in 0..200 {
                    let path = format!("n{n}.md");
                    match (n + round) % 4 {
                        0 => drop(fs::remove_file(env.path(&path))),
                        1 => env.write(&path, ""),
                        2 => env.write(&path, "A lynx grows. ".repeat(n)),
                        _ => env.write(&path, [0xff, 0, 1]),
                    }
                }
            }
        });
        for _ in 0..6 {
            let output = bounded(&mut env.command(&["index", "--full"]));
            let hits = bounded(&mut env.command(&["search", "still", "--json"]));
            if output.code != Some(0) || hits.code != Some(0) {
                stop.store(true, Ordering::Relaxed);
                panic!("{output}{hits}");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    for n in 0..200 {
        env.write(format!("n{n}.md"), format!("A lynx, number {n}.\n"));
    }
    let summary = env.index(&[]);
    assert_eq!((&summary["files"], &summary["skipped"]), (&201.into(), &0.into()));
    assert_eq!(found(&env, &["still"])[0], "still.md");
}

#[test]
fn the_view_removed_while_everybody_works() {
    let env = TestEnv::new();
    for n in 0..50 {
        env.write(format!("n{n}.md"), format!("# Lynx {n}\n\nA lynx, number {n}.\n"));
    }
    let start = |args: &[&str]| -> Child { env.spawn(args) };
    for _ in 0..6 {
        let mut children =
            vec![start(&["index"]), start(&["search", "lynx"]), start(&["index", "--full"])];
        let _ = fs::remove_dir_all(env.view());
        children.push(start(&["search", "lynx"]));
        let _ = fs::remove_dir_all(env.path(".git/elophanto"));
        for child in children {
            let output = Output::from(child.wait_with_output().unwrap());
            assert!(!output.stderr().contains("panicked"), "{output}");
            assert!(matches!(output.code, Some(0 | 2)), "{output}");
        }
    }
    done(&env, &["index"]);
    done(&env, &["index", "--check"]);
    assert_eq!(found(&env, &["lynx", "-n", "3"]).len(), 3);
}

const NOTE: &str = "# Lynx\n\nThe lynx hunts at dusk.\n";

/// Runs in a folder relative to the repository.
fn within(env: &TestEnv, folder: &str, args: &[&str]) -> Output {
    bounded(env.command(args).current_dir(env.path(folder)))
}

fn check_works(env: &TestEnv, folder: &str) {
    for args in [&["index"][..], &["search", "lynx", "--json"], &["index", "--check"]] {
        let output = within(env, folder, args);
        assert_eq!(output.code, Some(0), "{folder} {args:?}\n{output}");
    }
}

#[test]
fn no_commit_yet_and_detached_head() {
    let env = TestEnv::with(&[("a.md", NOTE)]);
    check_works(&env, ".");
    env.commit("one");
    env.git(&["checkout", "--quiet", "--detach"]);
    check_works(&env, ".");
    env.write("sub/deeper/b.md", NOTE);
    check_works(&env, "sub/deeper");
    env.git(&["checkout", "--quiet", "--orphan", "nothing"]);
    check_works(&env, ".");
}

#[test]
fn a_linked_work_tree_has_a_view_of_its_own() {
    let env = TestEnv::with(&[("a.md", NOTE)]);
    done(&env, &["index"]);
    env.commit("one");
    env.git(&["worktree", "add", "--quiet", "../linked"]);
    assert!(env.path("../linked/.git").is_file());
    fs::write(env.path("../linked/b.md"), "# Lynx\n\nOnly in the linked lynx tree.\n").unwrap();
    check_works(&env, "../linked");
    let view = env.view();
    let view = env.path(".git/worktrees/linked/elophanto").join(view.file_name().unwrap());
    assert!(view.join("manifest").is_file());
    assert_eq!(found(&env, &["lynx"]), ["a.md"]);
    let hits = within(&env, "../linked", &["search", "only linked", "--json"]).json();
    assert_eq!(hits[0]["path"], "b.md");
    // A work tree whose repository went away says so.
    fs::write(env.path("../linked/.git"), "gitdir: /nowhere/at/all\n").unwrap();
    let lost = within(&env, "../linked", &["search", "lynx"]);
    assert_eq!(lost.code, Some(2), "{lost}");
    assert!(lost.stderr().contains("git directory"), "{lost}");
    assert!(lost.stderr().contains("hint: "), "{lost}");
}

#[test]
fn a_submodule_is_its_own_knowledge_base() {
    let env = TestEnv::with(&[("a.md", NOTE)]);
    env.commit("one");
    env.git(&["clone", "--quiet", ".", "../origin"]);
    env.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../origin",
        "module",
    ]);
    assert!(env.path("module/.git").is_file());
    check_works(&env, "module");
    // The outer repository neither reads nor writes the inner one.
    assert_eq!(found(&env, &["lynx"]), ["a.md"]);
    check_works(&env, ".");
}

#[test]
fn a_broken_git_file_is_named() {
    for content in
        ["", "gitdir:", "gitdir: ../nowhere", "\0\u{1}", "gitdir: .", "gitdir: /dev/zero"]
    {
        let env = TestEnv::plain();
        env.write("a.md", NOTE);
        env.write(".git", content);
        for args in [&["search", "lynx"][..], &["index"], &["doctor"], &["init"]] {
            let output = bounded(&mut env.command(args));
            assert_eq!(output.code, Some(2), "{content:?} {args:?}\n{output}");
            assert!(output.stderr().contains("error: "), "{output}");
        }
    }
}

#[test]
fn a_bare_repository_and_no_repository_say_what_is_missing() {
    let env = TestEnv::with(&[("a.md", NOTE)]);
    env.commit("one");
    env.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let none = env.outside().join("none");
    fs::create_dir(&none).unwrap();
    for args in [&["search", "lynx"][..], &["index"], &["doctor"]] {
        let bare = within(&env, "../bare.git", args);
        assert_eq!(bare.code, Some(2), "{args:?}\n{bare}");
        assert!(bare.stderr().contains("is a bare repository"), "{bare}");
        let none = within(&env, "../none", args);
        assert_eq!(none.code, Some(2), "{args:?}\n{none}");
        assert!(none.stderr().contains("hint: run `elophanto init`"), "{none}");
    }
    assert!(fs::read_dir(none).unwrap().next().is_none());
}

#[test]
fn a_folder_without_git_works_after_init() {
    let env = TestEnv::plain();
    env.write("a.md", NOTE);
    done(&env, &["init"]);
    for args in [&["index"][..], &["search", "lynx"], &["index", "--check"], &["doctor"]] {
        let output = bounded(&mut env.command(args));
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
    }
    assert_eq!(found(&env, &["lynx dusk"])[0], "a.md");
}

/// Git uses no repository of somebody else above a folder unless that was allowed, and no more do we: a
/// stranger may have put it there.
#[test]
fn a_repository_of_somebody_else_is_used_where_git_uses_it() {
    let env = TestEnv::with(&[("a.md", NOTE), ("sub/b.md", NOTE)]);
    env.commit("one");
    env.git(&["worktree", "add", "--quiet", "../linked"]);
    let (root, above) = (env.root().to_str().unwrap(), env.outside().to_str().unwrap());
    // What git says goes first, and has to be what is expected.
    let check = |folder: &str, variables: &[(&str, &str)], expected: bool| {
        let run = |program: &str, args: &[&str]| {
            let mut command = env.sealed(program);
            command.args(args).current_dir(env.path(folder)).env_remove("GIT_CONFIG_GLOBAL");
            bounded(command.envs(variables.iter().copied()))
        };
        let git = run("git", &["status", "--short"]);
        assert_eq!(git.code == Some(0), expected, "{folder} {variables:?}\n{git}");
        let output = run(PROGRAM, &["search", "lynx"]);
        assert_eq!(output.code == Some(0), expected, "{folder} {variables:?}\n{output}");
        let said = "hint: if you trust its owner: `git config --global --add safe.directory /";
        assert_eq!(output.stderr().contains(said), !expected, "{folder} {variables:?}\n{output}");
    };
    let give = |path: &str, owner: u32| chown(env.path(path), Some(owner), None).is_ok();
    // Only root may give a folder away.
    if !give(".git", 12_345) {
        return;
    }
    check(".", &[], false);
    check("sub", &[], false);
    check("../linked", &[], true);
    check(".", &[("GIT_DIR", ".git")], true);
    check(".", &[("SUDO_UID", "12345")], true);
    check(".", &[("SUDO_UID", "54321")], false);
    assert!(give(".git", 0) && give(".", 12_345) && give("../linked/.git", 12_345));
    check("sub", &[], false);
    check("../linked", &[], false);
    let settings = env.outside().join("home/.gitconfig");
    for (directories, expected) in [
        (&["*"][..], true),
        (&[root], true),
        (&[format!("{root}/").as_str()], true),
        (&[format!("{above}/*").as_str()], true),
        (&[above], false),
        (&["~/../repo"], true),
        (&["*", ""], false),
        (&["*", "", root], true),
    ] {
        let lines = directories.iter().map(|it| format!("directory = {it}\n"));
        fs::write(&settings, format!("[safe]\n{}", lines.collect::<String>())).unwrap();
        check("sub", &[], expected);
    }
    // What the settings name beyond doubt costs no git.
    fs::write(&settings, "[safe]\ndirectory = *\n").unwrap();
    let mut command = env.command(&["search", "lynx"]);
    command.env_remove("GIT_CONFIG_GLOBAL").env_remove("GIT_CONFIG_SYSTEM");
    let output = bounded(command.env("PATH", above));
    assert_eq!(output.code, Some(0), "{output}");
    // Other files of settings than the usual ones are git's to read.
    check("sub", &[("GIT_CONFIG_GLOBAL", "/dev/null")], false);
}

#[test]
fn inside_the_git_directory() {
    let env = TestEnv::with(&[("a.md", NOTE)]);
    for folder in [".git", ".git/objects"] {
        let output = within(&env, folder, &["search", "lynx"]);
        assert!(matches!(output.code, Some(0 | 2)), "{output}");
    }
}

#[test]
fn a_folder_that_was_removed_under_us() {
    let env = TestEnv::new();
    let output = bounded(env.sealed("bash").args([
        "-c",
        "mkdir gone && cd gone && rmdir ../gone && \"$0\" search lynx; code=$?; \
         \"$0\" index; exit $((code + $?))",
        PROGRAM,
    ]));
    assert_eq!(output.code, Some(4), "{output}");
}

#[test]
fn repositories_that_libgit2_cannot_open() {
    let env = TestEnv::plain();
    let sha256 = bounded(env.sealed("git").args(["init", "-q", "--object-format=sha256"]));
    if sha256.code == Some(0) {
        env.write("a.md", NOTE);
        check_works(&env, ".");
        env.commit("one");
        check_works(&env, ".");
        assert_eq!(env.tables().len(), 1);
    }
    let env = TestEnv::plain();
    let reftable = bounded(env.sealed("git").args(["init", "-q", "--ref-format=reftable"]));
    if reftable.code == Some(0) {
        env.write("a.md", NOTE);
        check_works(&env, ".");
        env.commit("one");
        check_works(&env, ".");
    }
}

#[test]
fn a_damaged_git_index_is_told_and_search_goes_on() {
    let env = TestEnv::with(&[("a.md", NOTE)]);
    env.commit("one");
    for content in [&b""[..], b"DIRC", &[0xff; 500]] {
        env.write(".git/index", content);
        assert_eq!(found(&env, &["lynx"]), ["a.md"]);
        let output = bounded(&mut env.command(&["index"]));
        assert!(matches!(output.code, Some(0 | 2)), "{output}");
    }
}
