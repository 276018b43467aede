//! What git carries of a scan: the journal and the vectors of summaries, through commits, clones
//! and merges.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Scanned, id, indexed, investigate, journal, list, local_journal, path, records, scan, scan_in,
    source, summary_of, waiting,
};
use crate::{
    env::{TestEnv, finish},
    merges::{CONFIG, embedded_in_a_clone, install, sound, try_git},
};

const HERON: &str = "src/heron.rs";

/// One note and one source file in a commit, hooks, nothing described yet.
fn hooked() -> TestEnv {
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", CONFIG),
        ("docs/README.md", "# Otters\n\nOtters hold hands while they sleep.\n"),
    ]);
    env.write(HERON, source("Herons fish at dawn."));
    env.write_attributes();
    env.commit("base");
    install(&env);
    env
}

/// A new file, described.
fn describe(env: &TestEnv, name: &str, says: &str) {
    env.write(format!("src/{name}.rs"), source(says));
    let scanned = investigate(env);
    assert!(scanned.paths().contains(&format!("src/{name}.rs").as_str()), "{:?}", scanned.lines);
}

/// `path blob` of every file of the journal in a commit.
fn carried(env: &TestEnv, revision: &str) -> BTreeMap<String, String> {
    let listed = env.git(&["ls-tree", "-r", revision, "--", ".elophanto/journal"]);
    let entry = |line: &str| {
        let (head, path) = line.split_once('\t').unwrap();
        (path.to_owned(), head.split(' ').nth(2).unwrap().to_owned())
    };
    listed.lines().map(entry).collect()
}

fn status(env: &TestEnv) -> String {
    env.git(&["status", "--porcelain", "--untracked-files=all"])
}

#[test]
fn a_commit_takes_the_journal_and_the_vectors_along() {
    let env = hooked();
    investigate(&env);
    assert_eq!(journal(&env).len(), 1);
    // Only what the user stages is asked for.
    env.write("docs/README.md", "# Otters\n\nOtters sleep.\n");
    env.git(&["add", "docs/README.md"]);
    let output = finish(env.sealed("git").args(["commit", "--quiet", "-m", "one"]));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr().contains("records go along"), "{output}");
    assert_eq!(carried(&env, "HEAD").len(), 1);
    assert_eq!(status(&env), "");
    // Whoever clones it searches at once, by meaning too.
    assert_eq!(embedded_in_a_clone(&env), 0);
    let clone = env.outside().join("clone");
    for mode in ["keyword", "semantic", "hybrid"] {
        let found = env.run_in(&clone, &["search", "--json", "herons fish", "--mode", mode]);
        let paths: Vec<Value> = found.json().iter().map(|hit| hit["path"].clone()).collect();
        assert!(paths.contains(&HERON.into()), "{mode} {found}");
    }
    let there = env.run_in(&clone, &["scan", "--indexed", "--json"]).json();
    assert_eq!((there.len(), &there[0]["state"]), (1, &"fresh".into()));
    let nothing = scan_in(&env, &clone, &["--investigate", "--all"]);
    assert_eq!(nothing.counts(["asked", "answered", "open", "calls"]), [0, 0, 0, 0]);
    let left = finish(env.sealed("git").current_dir(&clone).args(["status", "--porcelain"]));
    assert_eq!(left.stdout(), "");
}

#[test]
fn a_committed_file_of_the_journal_is_never_written_again() {
    let env = hooked();
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    let words = ["Voles dig tunnels.", "Newts swim.", "Owls hunt.", "Wrens sing."];
    for (round, says) in words.iter().enumerate() {
        describe(&env, &format!("file{round}"), says);
        // More records until the commit go to the same file.
        scan(&env, &[]);
        describe(&env, &format!("more{round}"), says.trim_end_matches('.'));
        env.commit(says);
        let now = carried(&env, "HEAD");
        assert_eq!(now.len(), before.len() + 1, "one new file per commit: {now:?}");
        for (path, blob) in &before {
            assert_eq!(now.get(path), Some(blob), "{path}");
        }
        let names: Vec<&String> = now.keys().collect();
        let newest = names.iter().find(|name| !before.contains_key(**name)).unwrap();
        assert_eq!(names.last(), Some(newest), "names are in the order in which they began");
        assert_eq!(status(&env), "");
        before = now;
    }
    // A question that moves on is a record like any other.
    let answered = list(&env, &["--state", "answered"]);
    env.ok(&["scan", "--dismiss", id(&answered[0])]);
    env.commit("dismissed");
    let now = carried(&env, "HEAD");
    assert!(before.iter().all(|(path, blob)| now.get(path) == Some(blob)));
    assert_eq!(now.len(), before.len() + 1);
    // A commit that brings nothing new brings no file.
    env.write("docs/README.md", "# Otters\n\nOtters sleep.\n");
    env.commit("only the note");
    assert_eq!(carried(&env, "HEAD"), now);
}

#[test]
fn a_staged_file_of_the_journal_is_not_written_to_either() {
    let env = hooked();
    investigate(&env);
    env.git(&["add", "--all"]);
    let staged = env.git(&["ls-files", "--stage", "--", ".elophanto/journal"]);
    assert_eq!(staged.lines().count(), 1);
    describe(&env, "vole", "Voles dig tunnels.");
    assert_eq!(env.git(&["ls-files", "--stage", "--", ".elophanto/journal"]), staged);
    assert_eq!(env.git(&["diff", "--name-only", "--", ".elophanto/journal"]), "");
    assert_eq!(journal(&env).len(), 2);
    env.commit("both");
    assert_eq!(carried(&env, "HEAD").len(), 2);
}

#[test]
fn a_commit_of_named_files_takes_nothing_along() {
    let env = hooked();
    investigate(&env);
    env.write("docs/README.md", "# Otters\n\nOtters sleep.\n");
    env.git(&["commit", "--quiet", "-m", "only this", "docs/README.md"]);
    assert_eq!(carried(&env, "HEAD").len(), 0);
    // Nor does the next commit delete anything; it takes along what the one before left.
    env.write("docs/README.md", "# Otters\n\nOtters sleep a lot.\n");
    env.git(&["commit", "--quiet", "-am", "all"]);
    assert_eq!(carried(&env, "HEAD").len(), 1);
    assert_eq!(env.git(&["log", "--format=", "--diff-filter=D", "--name-only"]), "");
    assert_eq!(status(&env), "");
}

#[test]
fn without_hooks_index_takes_the_journal_along() {
    let env = hooked();
    env.ok(&["hook", "uninstall"]);
    investigate(&env);
    env.write("code.txt", "unrelated\n");
    env.ok(&["index", "--stage"]);
    let staged = env.git(&["diff", "--cached", "--name-only"]);
    assert!(staged.lines().all(|path| path.starts_with(".elophanto/")), "{staged}");
    assert!(staged.contains(".elophanto/journal/") && staged.contains(".elophanto/index/"));
    env.git(&["commit", "--quiet", "-m", "staged"]);
    assert_eq!(carried(&env, "HEAD").len(), 1);
    assert_eq!(embedded_in_a_clone(&env), 0);
    describe(&env, "vole", "Voles dig tunnels.");
    let before = env.git(&["rev-parse", "HEAD"]);
    env.ok(&["index", "--commit"]);
    assert_eq!(env.git(&["rev-parse", "HEAD~1"]), before);
    let changed = env.git(&["show", "--format=", "--name-only", "HEAD"]);
    assert!(changed.lines().all(|path| path.starts_with(".elophanto/")), "{changed}");
    assert_eq!(carried(&env, "HEAD").len(), 2);
    assert_eq!(status(&env), "?? code.txt\n?? src/vole.rs\n");
    assert_eq!(embedded_in_a_clone(&env), 0);
    env.ok(&["index", "--commit"]);
    assert_eq!(carried(&env, "HEAD").len(), 2);
}

#[test]
fn nothing_is_shared_if_the_settings_say_so() {
    let env = hooked();
    env.write(".elophanto/config.yaml", format!("{CONFIG}journal:\n  share: false\n"));
    env.commit("settings");
    let files: Vec<_> = env.files().into_iter().map(|(path, _)| path).collect();
    investigate(&env);
    env.write("src/vole.rs", source("Voles dig tunnels."));
    scan(&env, &[]);
    let vole = list(&env, &[]);
    env.ok(&["scan", "--dismiss", id(&vole[0])]);
    assert_eq!(env.hits(&["herons fish", "--kind", "summary"]), [HERON]);
    assert_eq!(journal(&env).len(), 0);
    let kept = records(&local_journal(&env), "summary");
    assert_eq!(kept.iter().map(path).collect::<Vec<_>>(), [HERON]);
    env.remove("src/vole.rs");
    assert_eq!(env.files().into_iter().map(|(path, _)| path).collect::<Vec<_>>(), files);
    assert_eq!(status(&env), "");
    // Neither hooks nor `index` bring it: not the words, not the vectors.
    env.write("docs/README.md", "# Otters\n\nOtters sleep.\n");
    env.commit("a note");
    env.ok(&["index", "--commit"]);
    assert_eq!(carried(&env, "HEAD").len(), 0);
    embedded_in_a_clone(&env);
    let clone = env.outside().join("clone");
    assert_eq!(env.run_in(&clone, &["scan", "--indexed"]).code, Some(1));
    assert_eq!(env.run_in(&clone, &["search", "herons fish", "--kind", "summary"]).code, Some(1));
    // Once it is shared, what is known here is handed on, and nobody is asked.
    env.write(".elophanto/config.yaml", CONFIG);
    assert_eq!(investigate(&env).counts(["asked", "answered", "calls"]), [1, 1, 0]);
    assert_eq!(investigate(&env).counts(["asked", "answered", "calls"]), [0, 0, 0]);
}

#[test]
fn two_branches_that_both_scanned_meet() {
    let env = hooked();
    env.write("src/owl.rs", source("Owls hunt at night."));
    env.commit("owl");
    // Both ask the same; one answers it; each has a file of its own.
    env.git(&["checkout", "--quiet", "-b", "side"]);
    describe(&env, "vole", "Voles dig tunnels.");
    env.commit("side");
    env.git(&["checkout", "--quiet", "main"]);
    env.write("src/newt.rs", source("Newts swim."));
    scan(&env, &[]);
    env.commit("main");
    let merged = try_git(&env, &["merge", "--no-edit", "side"]);
    assert_eq!(merged.code, Some(0), "{merged}");
    sound(&env);
    assert_eq!(status(&env), "");
    let scanned = scan(&env, &[]);
    assert_eq!(scanned.counts(["asked", "open"]), [0, 1]);
    assert_eq!(waiting(&env), ["src/newt.rs"]);
    investigate(&env);
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 0]);
    let states = indexed(&env);
    assert_eq!(states.len(), 4, "{states:?}");
    assert!(states.iter().all(|state| state.ends_with("(fresh)")), "{states:?}");
    env.commit("merged");
    assert_eq!(embedded_in_a_clone(&env), 0);
}

#[test]
fn what_another_branch_asked_and_answered_is_no_question_here() {
    let env = hooked();
    env.git(&["checkout", "--quiet", "-b", "side"]);
    describe(&env, "vole", "Voles dig tunnels.");
    env.commit("side");
    env.git(&["checkout", "--quiet", "main"]);
    // Here the heron is not described, and there is no vole.
    scan(&env, &[]);
    assert_eq!(waiting(&env), [HERON]);
    assert_eq!(investigate(&env).counts(["answered", "failed", "open"]), [1, 0, 0]);
    env.commit("main");
    let merged = try_git(&env, &["merge", "--no-edit", "side"]);
    assert_eq!(merged.code, Some(0), "{merged}");
    assert_eq!(list(&env, &["--state", "failed"]).len(), 0);
    assert_eq!(investigate(&env).counts(["asked", "answered", "open"]), [0, 0, 0]);
}

#[test]
fn two_branches_that_both_answered_meet() {
    // The hook of a merge without conflict is no pre-commit; a rebase is another way to meet.
    for way in [&["merge", "--no-edit", "side"][..], &["rebase", "--quiet", "side"]] {
        let env = hooked();
        env.git(&["checkout", "--quiet", "-b", "side"]);
        investigate(&env);
        env.git(&["commit", "--quiet", "--allow-empty", "-m", "nothing"]);
        env.write("docs/side.md", "# Side\n\nOf [all](README.md).\n");
        env.commit("side");
        env.git(&["checkout", "--quiet", "main"]);
        let here = investigate(&env);
        assert_eq!(here.counts(["answered"]), [1]);
        env.write("docs/main.md", "# Main\n\nOf [all](README.md).\n");
        env.commit("main");
        let met = try_git(&env, way);
        assert_eq!(met.code, Some(0), "{way:?} {met}");
        sound(&env);
        assert_eq!(status(&env), "", "{way:?}");
        let answered = list(&env, &["--state", "answered"]);
        let of_heron: Vec<&Value> = answered.iter().filter(|line| path(line) == HERON).collect();
        assert_eq!(of_heron.len(), 1, "{way:?} {answered:?}");
        assert_eq!(indexed(&env), [format!("{HERON} (fresh)")]);
        assert_eq!(env.hits(&["herons fish", "--kind", "summary"]), [HERON]);
        let Scanned { sum, .. } = scan(&env, &["src", "--investigate"]);
        assert_eq!((&sum["asked"], &sum["calls"]), (&0.into(), &0.into()), "{way:?}");
    }
}

#[test]
fn a_secret_stays_behind() {
    let env = hooked();
    investigate(&env);
    let file = journal(&env).remove(0);
    let mut text = std::fs::read_to_string(&file).unwrap();
    let key = format!("AKIA{}", "QW3RTYU1OP4SDFGH");
    text += &format!(
        "{{\"kind\":\"fact\",\"id\":\"1\",\"at\":\"2026-01-01T00:00:00Z\",\"text\":\"{key}\"}}\n"
    );
    std::fs::write(&file, text).unwrap();
    env.write("docs/README.md", "# Otters\n\nOtters sleep.\n");
    let output = finish(env.sealed("git").args(["commit", "--quiet", "-am", "note"]));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr().contains("stays behind: line "), "{output}");
    assert!(!output.stderr().contains(&key), "{output}");
    assert_eq!(carried(&env, "HEAD").len(), 0);
    assert_eq!(summary_of(&env, HERON)["file_path"], HERON);
}
