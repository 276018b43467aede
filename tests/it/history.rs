//! When a note changed: by its commits, not by its file's time.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::Path, time::Duration};

use elophanto_index::history::current;
use elophanto_repo::{Repository, Selection, locate};

use crate::env::{TestEnv, finish};

/// Commits everything on a day of January 2026.
fn commit_on(env: &TestEnv, day: u8) {
    env.git(&["add", "--all"]);
    on_day(env, day, &["commit", "--quiet", "--allow-empty", "-m", "one"]);
}

fn on_day(env: &TestEnv, day: u8, args: &[&str]) {
    let mut git = env.sealed("git");
    git.args(args).env("GIT_COMMITTER_DATE", format!("2026-01-{day:02}T12:00:00Z"));
    let output = finish(&mut git);
    assert_eq!(output.code, Some(0), "git {args:?}\n{output}");
}

/// The history of all notes: `a.md@3` was made on the third, `a.md@?` is not known.
fn told(root: &Path) -> String {
    let repository = locate(root).unwrap();
    let step_by_step = ask(&repository);
    // What is known from earlier must make no difference.
    let file = repository.git_dir.as_ref().unwrap().join("elophanto/history");
    assert!(file.exists() || step_by_step.is_empty());
    let _ = fs::remove_file(file);
    let from_nothing = ask(&repository);
    assert_eq!(step_by_step, from_nothing);
    from_nothing
}

fn ask(repository: &Repository) -> String {
    let selection = Selection {
        roots: vec![".".into()],
        extensions: vec!["md".to_owned()],
        apart: "".into(),
        is_key: |_| false,
    };
    let (history, notice) = current(repository, &selection);
    assert_eq!(notice, None);
    let shown = history.changes.iter().map(|change| {
        let day = change.made.map_or("?".to_owned(), |made| {
            let time = jiff::Timestamp::from_second(made.time).unwrap();
            time.to_string()[8..10].trim_start_matches('0').to_owned()
        });
        format!("{}@{day}", change.path.to_text())
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_last_commit_counts() {
    let env = TestEnv::new();
    assert_eq!(told(env.root()), "", "no commit yet");
    env.write("a.md", "a");
    env.write("docs/b.md", "b");
    env.write("main.c", "c");
    commit_on(&env, 1);
    assert_eq!(told(env.root()), "a.md@1 docs/b.md@1");
    env.write("a.md", "a2");
    env.write("c.md", "c");
    commit_on(&env, 2);
    assert_eq!(told(env.root()), "a.md@2 c.md@2 docs/b.md@1");
    // Only the name changed.
    env.rename("docs", "pages/deep");
    env.rename("c.md", "d.md");
    commit_on(&env, 3);
    assert_eq!(told(env.root()), "a.md@2 d.md@2 pages/deep/b.md@1");
    env.rename("a.md", "e.md");
    env.write("e.md", "a3");
    env.remove("d.md");
    commit_on(&env, 4);
    assert_eq!(told(env.root()), "e.md@4 pages/deep/b.md@1");
    env.write("d.md", "c");
    commit_on(&env, 5);
    assert_eq!(told(env.root()), "d.md@5 e.md@4 pages/deep/b.md@1");
    env.git(&["update-index", "--chmod=+x", "d.md"]);
    on_day(&env, 6, &["commit", "--quiet", "-m", "mode"]);
    assert_eq!(told(env.root()), "d.md@5 e.md@4 pages/deep/b.md@1");
    // Something that was no note becomes one.
    env.rename("main.c", "main.md");
    commit_on(&env, 7);
    assert_eq!(told(env.root()), "d.md@5 e.md@4 main.md@1 pages/deep/b.md@1");
}

#[test]
fn merges() {
    let env = TestEnv::new();
    for name in ["a.md", "b.md", "c.md", "d.md"] {
        env.write(name, format!("{name}\n"));
    }
    commit_on(&env, 1);
    env.git(&["checkout", "--quiet", "-b", "side"]);
    env.write("a.md", "side\n");
    env.write("b.md", "side\n");
    env.rename("d.md", "e.md");
    commit_on(&env, 4);
    env.git(&["checkout", "--quiet", "main"]);
    assert_eq!(told(env.root()), "a.md@1 b.md@1 c.md@1 d.md@1");
    env.write("b.md", "main\n");
    env.write("c.md", "main\n");
    commit_on(&env, 3);
    assert_eq!(told(env.root()), "a.md@1 b.md@3 c.md@3 d.md@1");
    let mut merge = env.sealed("git");
    assert_eq!(finish(merge.args(["merge", "--quiet", "side"])).code, Some(1), "a conflict");
    env.write("b.md", "both\n");
    commit_on(&env, 5);
    assert_eq!(told(env.root()), "a.md@4 b.md@5 c.md@3 e.md@1");
    // A merge that takes one side as it is goes back behind the other side's later changes.
    env.git(&["checkout", "--quiet", "-b", "other"]);
    env.write("a.md", "other\n");
    commit_on(&env, 7);
    env.git(&["checkout", "--quiet", "main"]);
    on_day(&env, 8, &["commit", "--quiet", "--allow-empty", "-m", "empty"]);
    on_day(&env, 9, &["merge", "--quiet", "-s", "ours", "-m", "ours", "other"]);
    assert_eq!(told(env.root()), "a.md@4 b.md@5 c.md@3 e.md@1");
    on_day(&env, 10, &["checkout", "--quiet", "other"]);
    assert_eq!(told(env.root()), "a.md@7 b.md@5 c.md@3 e.md@1");
    on_day(&env, 11, &["merge", "--quiet", "--ff-only", "main"]);
    assert_eq!(told(env.root()), "a.md@4 b.md@5 c.md@3 e.md@1");
}

#[test]
fn history_that_was_rewritten() {
    let env = TestEnv::new();
    env.write("a.md", "a");
    commit_on(&env, 1);
    env.write("b.md", "b");
    commit_on(&env, 2);
    assert_eq!(told(env.root()), "a.md@1 b.md@2");
    env.write("b.md", "b2");
    env.git(&["add", "--all"]);
    on_day(&env, 3, &["commit", "--quiet", "--amend", "-m", "amended"]);
    assert_eq!(told(env.root()), "a.md@1 b.md@3");
    env.git(&["checkout", "--quiet", "-b", "side", "HEAD~"]);
    env.write("c.md", "c");
    commit_on(&env, 4);
    assert_eq!(told(env.root()), "a.md@1 c.md@4");
    on_day(&env, 5, &["rebase", "--quiet", "main"]);
    assert_eq!(told(env.root()), "a.md@1 b.md@3 c.md@5");
    // The commits that are remembered are no more.
    env.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    env.git(&["reflog", "expire", "--expire=now", "--all"]);
    env.git(&["branch", "--quiet", "-D", "main"]);
    env.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(told(env.root()), "a.md@1");
}

#[test]
fn every_place_of_head() {
    let env = TestEnv::new();
    env.write("a.md", "a");
    commit_on(&env, 1);
    env.write("a.md", "a2");
    commit_on(&env, 2);
    let linked = env.outside().join("linked");
    env.git(&["worktree", "add", "--quiet", "-b", "old", linked.to_str().unwrap(), "HEAD~"]);
    assert_eq!(told(&linked), "a.md@1");
    assert_eq!(told(env.root()), "a.md@2");
    env.git(&["checkout", "--quiet", "--detach", "HEAD~"]);
    assert_eq!(told(env.root()), "a.md@1");
    env.git(&["checkout", "--quiet", "main"]);
    env.git(&["pack-refs", "--all", "--prune"]);
    assert_eq!(told(env.root()), "a.md@2");
    assert_eq!(told(&linked), "a.md@1");
    env.git(&["checkout", "--quiet", "--orphan", "empty"]);
    assert_eq!(told(env.root()), "");
}

#[test]
fn other_formats_of_repositories() {
    for format in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let env = TestEnv::plain();
        env.git(&[&["init", "--quiet", "--initial-branch=main"], format].concat());
        env.write("a.md", "A heron waits in the snow.\n");
        env.write("b.md", "Eels are what a heron eats.\n");
        commit_on(&env, 1);
        assert_eq!(told(env.root()), "a.md@1 b.md@1", "{format:?}");
        env.write("a.md", "A heron waits in the rain.\n");
        commit_on(&env, 2);
        assert_eq!(told(env.root()), "a.md@2 b.md@1", "{format:?}");
        assert_eq!(days(&env), "a.md@2026-01-02 b.md@2026-01-01", "{format:?}");
        env.write("a.md", "A heron waits in the sun.\n");
        set_mtime(&env, "a.md", 10);
        assert_eq!(days(&env), "a.md@1970-01-01 b.md@2026-01-01", "{format:?}");
    }
}

#[test]
fn where_a_shallow_clone_ends_nothing_is_known() {
    let env = TestEnv::new();
    for (day, name, text) in [
        (1, "a.md", "A heron waits in the snow.\n"),
        (2, "b.md", "Eels are what a heron eats.\n"),
        (3, "c.md", "The heron's nest is a heap of sticks.\n"),
        (4, "d.md", "In flight, a heron folds its neck.\n"),
    ] {
        env.write(name, text);
        commit_on(&env, day);
    }
    let origin = format!("file://{}", env.root().display());
    let clone = env.outside().join("clone");
    let clone_text = clone.to_str().unwrap();
    env.git(&["clone", "--quiet", "--depth=2", &origin, clone_text]);
    assert_eq!(told(&clone), "a.md@? b.md@? c.md@? d.md@4");
    let mut search = env.command(&["search", "--json", "heron", "--explain"]);
    let hits = finish(search.current_dir(&clone)).json();
    let hit = hits.iter().find(|hit| hit["path"] == "a.md").unwrap();
    assert!(hit["changed"].is_null(), "{hit}");
    assert_eq!(hit["explain"]["recency_part"], 0.0);
    let found = |filter: &[&str]| {
        let mut search = env.command(&[&["search", "heron", "--format=files"], filter].concat());
        let stdout = finish(search.current_dir(&clone)).stdout();
        let mut paths: Vec<&str> = stdout.lines().collect();
        paths.sort_unstable();
        paths.join(" ")
    };
    assert_eq!(found(&[]), "a.md b.md c.md d.md");
    assert_eq!(found(&["--since", "1900-01-01"]), "d.md");
    assert_eq!(found(&["--until", "2026-01-03"]), "a.md b.md c.md");
    assert_eq!(found(&["--since", "1900-01-01", "--until", "2100-01-01"]), "d.md");
    // What comes later is known as ever.
    env.write("a.md", "A heron waits in the rain.\n");
    commit_on(&env, 5);
    env.git(&["-C", clone_text, "pull", "--quiet"]);
    assert_eq!(told(&clone), "a.md@5 b.md@? c.md@? d.md@4");
    // HEAD stays where it is, but now there is more to see.
    env.git(&["-C", clone_text, "fetch", "--quiet", "--unshallow"]);
    assert_eq!(ask(&locate(&clone).unwrap()), "a.md@5 b.md@2 c.md@3 d.md@4");
}

#[test]
fn only_the_roots_are_looked_at() {
    let env = TestEnv::new();
    env.write("docs/a.md", "a\n");
    env.write("other/b.md", "b\n");
    env.write("c.md", "c\n");
    commit_on(&env, 1);
    env.rename("docs/a.md", "docs/deep/a.md");
    env.rename("c.md", "docs/c.md");
    commit_on(&env, 2);
    let repository = locate(env.root()).unwrap();
    let told = |roots: &[&str]| {
        let roots = roots.iter().map(Into::into).collect();
        let selection = Selection {
            roots,
            extensions: vec!["md".to_owned()],
            apart: "".into(),
            is_key: |_| false,
        };
        let changes = current(&repository, &selection).0.changes.clone();
        let day = |time: i64| (time - 1_767_225_600) / 86_400 + 1;
        let shown = changes
            .iter()
            .map(|change| format!("{}@{}", change.path.to_text(), day(change.made.unwrap().time)));
        shown.collect::<Vec<_>>().join(" ")
    };
    // What came from elsewhere is new there.
    assert_eq!(told(&["docs"]), "docs/c.md@2 docs/deep/a.md@1");
    assert_eq!(told(&["./docs/", "other"]), "docs/c.md@2 docs/deep/a.md@1 other/b.md@1");
    assert_eq!(told(&["docs", "."]), "docs/c.md@1 docs/deep/a.md@1 other/b.md@1");
}

#[test]
fn settings_of_the_repository_make_no_difference() {
    let env = TestEnv::new();
    for (key, value) in [
        ("log.showRoot", "false"),
        ("log.follow", "true"),
        ("log.diffMerges", "off"),
        ("log.showSignature", "true"),
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("diff.noPrefix", "true"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("core.abbrev", "5"),
        ("core.quotePath", "true"),
        ("format.pretty", "raw"),
    ] {
        env.git(&["config", key, value]);
    }
    env.write("a/ä.md", "a\n");
    env.write("b.md", "b\n");
    commit_on(&env, 1);
    env.rename("b.md", "c.md");
    env.write("a/ä.md", "a2\n");
    commit_on(&env, 2);
    assert_eq!(told(env.root()), "a/ä.md@2 c.md@1");
}

#[test]
fn names_are_bytes() {
    let env = TestEnv::new();
    for name in [&b"\xff\xfe.md"[..], b"-rf.md", b":(glob).md", b"new\nline\t.md", b"\" .md"] {
        env.write(Path::new(OsStr::from_bytes(name)), "x\n");
        env.git(&["add", "--all"]);
    }
    commit_on(&env, 1);
    let all = "\" .md@1 -rf.md@1 :(glob).md@1 new\nline\t.md@1 \\xff\\xfe.md@1";
    assert_eq!(told(env.root()), all);
    env.rename(Path::new(OsStr::from_bytes(b"\xff\xfe.md")), OsStr::from_bytes(b"\xff.md"));
    commit_on(&env, 2);
    assert_eq!(told(env.root()), all.replace("\\xfe", ""));
}

/// Path and day of each note, as a search tells them.
fn days(env: &TestEnv) -> String {
    let mut hits = env.json(&["search", "--json", "heron"]);
    hits.sort_by_key(|hit| hit["path"].to_string());
    let shown = hits.iter().map(|hit| {
        let changed = hit["changed"].as_str().unwrap_or("?");
        format!("{}@{}", hit["path"].as_str().unwrap(), changed.split('T').next().unwrap())
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn set_mtime(env: &TestEnv, path: &str, seconds: u64) {
    let file = fs::File::options().write(true).open(env.path(path)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn a_search_tells_when_a_note_changed() {
    let env = TestEnv::with(&[
        ("a.md", "A heron waits in the snow.\n"),
        ("b.md", "---\nupdated: 2020-02-02\n---\nEels are what a heron eats.\n"),
        ("c.md", "The heron's nest is a heap of sticks.\n"),
    ]);
    commit_on(&env, 1);
    // A clone resets the times of files.
    for path in ["a.md", "b.md", "c.md"] {
        set_mtime(&env, path, 1_000_000_000);
    }
    env.write("new.md", "In flight, a heron folds its neck.\n");
    set_mtime(&env, "new.md", 1_100_000_000);
    assert_eq!(days(&env), "a.md@2026-01-01 b.md@2020-02-02 c.md@2026-01-01 new.md@2004-11-09");
    env.write("c.md", "The nest of a heron is a heap of twigs.\n");
    set_mtime(&env, "c.md", 1_200_000_000);
    assert_eq!(days(&env), "a.md@2026-01-01 b.md@2020-02-02 c.md@2008-01-10 new.md@2004-11-09");
    commit_on(&env, 2);
    assert_eq!(days(&env), "a.md@2026-01-01 b.md@2020-02-02 c.md@2026-01-02 new.md@2026-01-02");
    // Without looking at the files it tells what it told before.
    assert_eq!(env.hits(&["heron", "--no-refresh", "--since", "2026-01-02"]).len(), 2);
}

#[test]
fn damage_and_missing_programs_stop_no_search() {
    let env = TestEnv::with(&[("a.md", "A heron waits in the snow.\n")]);
    commit_on(&env, 1);
    set_mtime(&env, "a.md", 1_000_000_000);
    assert_eq!(days(&env), "a.md@2026-01-01");
    // A damaged memory is made anew.
    let memory = env.path(".git/elophanto/history");
    let whole = fs::read(&memory).unwrap();
    // It holds for every program that looks for the same notes, wherever that lies when it runs.
    let covers = String::from_utf8_lossy(&whole);
    assert!(covers.contains("[\".\"]") && !covers.contains("0x"), "{covers}");
    for bytes in [&whole[..whole.len() / 2], b"", &[0xff; 4096]] {
        fs::write(&memory, bytes).unwrap();
        assert_eq!(days(&env), "a.md@2026-01-01");
        assert_eq!(fs::read(&memory).unwrap(), whole);
    }
    // Without the program, file times do, and nobody is bothered.
    let mut search = env.command(&["search", "heron", "--json"]);
    fs::remove_file(&memory).unwrap();
    let output = finish(search.env("PATH", "/nonexistent"));
    assert_eq!((output.code, output.stderr()), (Some(0), String::new()));
    assert!(output.json()[0]["changed"].as_str().unwrap().starts_with("2001-"), "{output}");
    // A repository that git cannot read is told of once.
    env.write("b.md", "Eels are what a heron eats.\n");
    commit_on(&env, 2);
    let tree = env.git(&["rev-parse", "HEAD~^{tree}"]);
    let (folder, name) = tree.trim().split_at(2);
    let object = env.path(format!(".git/objects/{folder}/{name}"));
    fs::remove_file(object).unwrap();
    let first = env.ok(&["search", "heron"]);
    assert_eq!(
        first.stderr().matches("when some notes changed is not known").count(),
        1,
        "{first}"
    );
    let second = env.ok(&["search", "heron"]);
    assert_eq!(second.stderr(), "");
    fs::write(env.path(".git/refs/heads/main"), "junk").unwrap();
    env.ok(&["search", "heron"]);
}
