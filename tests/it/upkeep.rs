//! `clean --index [--compact]` and `index --resolve`: maintenance of the index.

use std::{collections::BTreeSet, fs};

use elophanto_index::store::tables;
use elophanto_tables::Lance;

use crate::{
    env::{TestEnv, snapshot},
    incremental::Bench,
    merges::{
        CONFIG, both_compacted, conflicts, embedded_in_a_clone, equals_a_rebuild, install, sound,
        try_git,
    },
};

const NAMES: [&str; 4] = ["ape", "bee", "cat", "dog"];

/// A repository with hooks and one commit of some notes.
fn repository() -> TestEnv {
    let env = TestEnv::with(&[(".elophanto/config.yaml", CONFIG)]);
    install(&env);
    for name in NAMES {
        env.write(format!("{name}.md"), first(name));
    }
    env.commit("first");
    env
}

fn first(name: &str) -> String {
    format!("# The {name}\n\nWhat the {name} was at first.\n")
}

/// Files with their contents, git's index, and what `git status` says.
type Everything = (Vec<(std::path::PathBuf, Vec<u8>)>, Vec<u8>, String);

/// Every file that matters outside of `.git/elophanto`, git's index included.
fn everything(env: &TestEnv) -> Everything {
    // Git writes its index anew when it is asked for the status.
    let status = env.git(&["--no-optional-locks", "status", "--porcelain"]);
    (env.files(), env.read(".git/index"), status)
}

/// How many vectors all tables hold together.
fn rows(env: &TestEnv) -> usize {
    let folder = env.path(".elophanto/index");
    let rows = |name: &String| tables::read(&Lance, &folder, name, None).unwrap().rows.len();
    env.tables().iter().map(rows).sum()
}

#[test]
fn compaction_keeps_what_a_branch_tip_uses() {
    let env = repository();
    // Each tip still has one of the first notes: a branch, a remote one, a work tree's.
    for (name, reference) in [("ape", "branch"), ("bee", "remote"), ("cat", "tree")] {
        env.git(&["switch", "--quiet", "--create", reference, "main"]);
        for other in NAMES.iter().filter(|other| **other != name) {
            env.remove(format!("{other}.md"));
        }
        env.commit(reference);
    }
    env.git(&["switch", "--quiet", "main"]);
    env.git(&["update-ref", "refs/remotes/origin/remote", "remote"]);
    env.git(&["worktree", "add", "--quiet", "--detach", "../tree", "tree"]);
    env.git(&["branch", "--quiet", "-D", "remote", "tree"]);
    for name in NAMES {
        env.write(format!("{name}.md"), format!("# The {name}\n\nWhat became of the {name}.\n"));
    }
    env.commit("second");
    // Staged, in no commit yet.
    env.write("new.md", "# New\n\nStaged only.\n");
    env.git(&["add", "new.md"]);
    env.ok(&["index", "--stage"]);
    assert_eq!((env.tables().len(), rows(&env)), (3, 9));

    let before = everything(&env);
    let lines = env.json(&["clean", "--index", "--compact", "--dry-run", "--json"]);
    assert_eq!(lines[0]["vectors_kept"], 8, "{lines:?}");
    assert_eq!(lines[0]["dry_run"], true, "{lines:?}");
    assert_eq!(everything(&env), before, "a dry run changes nothing");

    let lines = env.json(&["clean", "--index", "--compact", "--json"]);
    assert_eq!(lines[0]["vectors_kept"], 8, "{lines:?}");
    assert_eq!(lines[0]["vectors_dropped"], 1, "{lines:?}");
    assert_eq!((env.tables().len(), rows(&env)), (1, 8));
    let again = env.ok(&["clean", "--index", "--compact"]);
    assert!(again.stdout().starts_with("nothing to gain: 1 table"), "{again}");
    env.git(&["commit", "--quiet", "-m", "compacted"]);
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    assert_eq!(env.tables().len(), 1, "the hook has nothing to add");
    env.ok(&["index", "--check"]);
    // And a commit after it brings only what is new.
    env.write("newer.md", "# Newer\n\nAfter the compaction.\n");
    env.commit("third");
    assert_eq!((env.tables().len(), rows(&env)), (2, 9));
    for branch in ["branch", "origin/remote"] {
        env.git(&["merge", "--quiet", "--no-edit", "--strategy=ours", branch]);
    }
    assert_eq!(embedded_in_a_clone(&env), 0);
    equals_a_rebuild(&env);
    sound(&env);
}

/// Vectors of what is no note: of a page of facts, of a described file, and of a lesson.
#[test]
fn compaction_keeps_what_stands_beside_the_notes() {
    let env = repository();
    env.write("src/kelp.rs", "//! Counts the kelp.\n\npub fn kelp() {}\n");
    env.commit("source");
    env.run_with(&["learn", "Otter", "--from", "-"], b"# Otter\n\nAn otter sleeps afloat.\n");
    env.ok(&["scan", "--investigate"]);
    let remember = ["agent", "remember", "--type", "error", "--context", "npm failed"];
    env.ok(&[&remember[..], &["--lesson", "own the cache"]].concat());
    env.commit("second");
    let held = rows(&env);
    assert!(env.tables().len() > 1 && held > NAMES.len() + 2, "{held}");

    let lines = env.json(&["clean", "--index", "--compact", "--json"]);
    assert_eq!(
        (&lines[0]["vectors_kept"], &lines[0]["vectors_dropped"]),
        (&held.into(), &0.into())
    );
    env.git(&["commit", "--quiet", "-m", "compacted"]);
    assert_eq!((env.tables().len(), rows(&env)), (1, held));
    env.ok(&["index", "--check"]);
    assert_eq!(embedded_in_a_clone(&env), 0);
}

#[test]
fn compaction_keeps_other_models_in_use_only() {
    use elophanto_index::{note::key, store::matrix::Encoded};
    use elophanto_models::Fingerprint;
    let env = repository();
    // A note without headings is embedded with its title.
    let model = Fingerprint::new("another-2");
    let text = "plain words and nothing else\n";
    env.write("plain.md", text);
    let row = |text: &str| (key(&model, text), Encoded::new(&[0.6, 0.8]));
    let content = tables::TableContent {
        fingerprint: "another-2".to_owned(),
        rows: vec![row("nobody has this text"), row(text.trim_end()), row(text)],
    };
    let folder = env.path(".elophanto/index");
    tables::write(&Lance, &folder, &env.outside().join("staging"), &content).unwrap();
    env.commit("another model");
    let lines = env.json(&["clean", "--index", "--compact", "--json"]);
    assert_eq!(lines[0]["tables_after"], 2, "one table for each model: {lines:?}");
    let kept: BTreeSet<_> = env
        .tables()
        .iter()
        .map(|name| tables::read(&Lance, &folder, name, None).unwrap())
        .filter(|content| content.fingerprint == "another-2")
        .flat_map(|content| content.rows.into_iter().map(|(key, _)| key))
        .collect();
    assert_eq!(kept.len(), 1, "what a text of a branch could ask for stays");
}

#[test]
fn compaction_waits_for_the_end_of_a_merge() {
    let env = repository();
    env.git(&["switch", "--quiet", "--create", "side"]);
    env.write("ape.md", "# The ape\n\nOf the side.\n");
    env.commit("side");
    env.git(&["switch", "--quiet", "main"]);
    env.write("ape.md", "# The ape\n\nOf the trunk.\n");
    env.commit("main");
    for args in [["merge", "side"], ["rebase", "side"], ["cherry-pick", "side"]] {
        assert_eq!(try_git(&env, &args).code, Some(1), "{args:?}");
        let before = everything(&env);
        let output = env.run(&["clean", "--index", "--compact"]);
        assert_eq!(output.code, Some(2), "{args:?}: {output}");
        assert!(output.stderr().contains("under way"), "{output}");
        let output = env.run(&["index", "--commit"]);
        assert_eq!(output.code, Some(2), "{args:?}: {output}");
        assert_eq!(everything(&env), before, "{args:?}");
        env.git(&[args[0], "--abort"]);
    }
    env.ok(&["clean", "--index", "--compact"]);
}

#[test]
fn a_damaged_table_is_not_compacted_away() {
    let env = repository();
    env.write("eel.md", "# Eel\n\nThe eel.\n");
    env.commit("second");
    let table = env.tables().remove(0);
    let data = fs::read_dir(env.path(".elophanto/index").join(&table).join("data")).unwrap();
    let file = data.map(|entry| entry.unwrap().path()).next().unwrap();
    fs::write(&file, b"damaged").unwrap();
    let before = everything(&env);
    snapshot!(env.run(&["clean", "--index", "--compact"]), @r"
    exit: 2
    --- stdout
    --- stderr
    error: `.elophanto/index/[TABLE].lance` cannot be read: its files differ from the digest in its name
    hint: bring it back with `git checkout -- .elophanto/index`; if git holds it damaged, `git rm -r` it
    ");
    assert_eq!(everything(&env), before);
    env.git(&["checkout", "--quiet", "--", ".elophanto/index"]);
    env.ok(&["clean", "--index", "--compact"]);
}

#[test]
fn tidying_alone_is_not_seen() {
    let env = repository();
    env.write("ape.md", "# The ape\n\nEdited.\n");
    env.commit("second");
    env.write("bee.md", "# The bee\n\nNot committed.\n");
    env.ok(&["search", "ape", "--at", "HEAD~1"]);
    let (before, answers) = (everything(&env), Bench::answers_of(&env));
    assert!(env.path(".git/elophanto/past").exists());
    env.ok(&["clean", "--index", "--dry-run"]);
    assert!(env.path(".git/elophanto/past").exists());
    let lines = env.json(&["clean", "--index", "--json"]);
    assert!(lines[0]["bytes_freed"].as_u64().unwrap() > 0, "{lines:?}");
    assert!(!env.path(".git/elophanto/past").exists());
    assert_eq!(everything(&env), before);
    assert_eq!(Bench::answers_of(&env), answers);
    env.remove(env.view());
    assert_eq!(env.index(&[])["embedded"], 0, "what is not committed is still in the cache");
    assert_eq!(Bench::answers_of(&env), answers);
}

#[test]
fn there_is_nothing_to_settle_without_a_conflict() {
    let env = repository();
    env.write("ape.md", "# The ape\n\nStaged.\n");
    env.git(&["add", "ape.md"]);
    let before = everything(&env);
    snapshot!(env.run(&["index", "--resolve"]), @r"
    exit: 0
    --- stdout
    nothing to settle: 1 table is staged
    --- stderr
    ");
    assert_eq!(everything(&env), before);
}

/// `main` and `side` both compacted, with hooks.
fn both() -> TestEnv {
    let env = repository();
    both_compacted(&env, |message| env.commit(message));
    env
}

fn settled(env: &TestEnv) {
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    sound(env);
    assert_eq!(embedded_in_a_clone(env), 0);
    equals_a_rebuild(env);
    env.ok(&["index", "--check"]);
}

#[test]
fn a_table_damaged_in_a_conflict_is_taken_from_its_side() {
    let env = both();
    assert_eq!(try_git(&env, &["merge", "--no-edit", "side"]).code, Some(1));
    for (path, _) in env.files() {
        if path.starts_with(".elophanto/index") {
            env.write(path, b"damaged");
        }
    }
    let resolved = env.json(&["index", "--resolve", "--json"]);
    assert_eq!(resolved[0]["restored"], 2, "{resolved:?}");
    assert_eq!(resolved[0]["unreadable"], serde_json::json!([]));
    env.git(&["commit", "--quiet", "--no-edit"]);
    settled(&env);
}

#[test]
fn a_table_that_is_whole_on_no_side_is_made_again() {
    let env = both();
    // The side committed its table damaged.
    env.git(&["switch", "--quiet", "side"]);
    let table = env.tables().remove(0);
    let data = fs::read_dir(env.path(".elophanto/index").join(&table).join("data")).unwrap();
    let file = data.map(|entry| entry.unwrap().path()).next().unwrap();
    fs::write(&file, b"damaged").unwrap();
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--no-verify", "--amend", "--no-edit"]);
    env.git(&["switch", "--quiet", "main"]);
    assert_eq!(try_git(&env, &["merge", "--no-edit", "side"]).code, Some(1));
    let resolved = env.json(&["index", "--resolve", "--json"]);
    assert_eq!(resolved[0]["unreadable"], serde_json::json!([table]));
    assert_eq!(conflicts(&env), "");
    env.git(&["commit", "--quiet", "--no-edit"]);
    assert!(!env.tables().contains(&table));
    settled(&env);
}

#[test]
fn a_conflict_in_a_rebase_and_in_a_cherry_pick() {
    for command in ["rebase", "cherry-pick"] {
        let env = both();
        let stopped = if command == "rebase" {
            env.git(&["switch", "--quiet", "side"]);
            try_git(&env, &["rebase", "main"])
        } else {
            try_git(&env, &["cherry-pick", "side~1", "side"])
        };
        assert_eq!(stopped.code, Some(1), "{stopped}");
        assert_ne!(conflicts(&env), "", "{command}");
        env.ok(&["index", "--resolve"]);
        assert_eq!(conflicts(&env), "", "{command}");
        let done = try_git(&env, &[command, "--continue"]);
        assert_eq!(done.code, Some(0), "{command}: {done}");
        settled(&env);
    }
}

#[test]
fn a_conflict_in_a_stash() {
    let env = repository();
    both_compacted(&env, |message| env.commit(message));
    // A compaction that was put aside, while another was committed.
    env.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    env.ok(&["clean", "--index", "--compact"]);
    env.git(&["stash", "push", "--quiet"]);
    env.ok(&["clean", "--index", "--compact"]);
    env.git(&["commit", "--quiet", "-m", "another"]);
    let popped = try_git(&env, &["stash", "pop"]);
    assert_eq!(popped.code, Some(1), "{popped}");
    assert_ne!(conflicts(&env), "", "{popped}");
    let output = env.run(&["clean", "--index", "--compact"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("the committed index is in conflict"), "{output}");
    env.ok(&["index", "--resolve"]);
    env.git(&["commit", "--quiet", "-m", "settled"]);
    settled(&env);
}
