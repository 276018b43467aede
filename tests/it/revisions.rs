//! Searching what git holds: commits, dates, authors, what changed.

use std::fs;

use serde_json::Value;

use crate::env::{TestEnv, finish, snapshot};

/// A repository with a history: three commits by two people, days apart.
fn history() -> TestEnv {
    let env = TestEnv::new();
    env.write("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n");
    env.write("bears.md", "# Bears\n\nBears sleep in winter.\n");
    commit_as(&env, "Ann", "2026-01-02T00:00:00Z", "Otters and bears");
    env.git(&["tag", "v1"]);
    env.write(
        "otters.md",
        "# Otters\n\nOtters hold hands while they sleep.\n\nThey eat urchins.\n",
    );
    env.git(&["rm", "--quiet", "bears.md"]);
    env.write("seals.md", "# Seals\n\nSeals sleep under water.\n");
    commit_as(&env, "Ben", "2026-02-02T00:00:00Z", "Seals, no bears");
    env.write("crabs.md", "# Crabs\n\nCrabs walk sideways.\n");
    commit_as(&env, "Ann", "2026-03-02T00:00:00Z", "Crabs");
    env
}

fn commit_as(env: &TestEnv, name: &str, date: &str, message: &str) {
    env.git(&["add", "--all"]);
    let mut git = env.sealed("git");
    git.args(["commit", "--quiet", "-m", message])
        .env("GIT_AUTHOR_NAME", name)
        .env("GIT_AUTHOR_EMAIL", format!("{}@example.org", name.to_lowercase()))
        .env("GIT_AUTHOR_DATE", date)
        .env("GIT_COMMITTER_DATE", date);
    let output = finish(&mut git);
    assert_eq!(output.code, Some(0), "{output}");
}

fn paths(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|hit| hit["path"].as_str().unwrap()).collect()
}

#[test]
fn a_commit_is_searched_as_it_was() {
    let env = history();
    assert_eq!(env.hits(&["winter", "--mode", "keyword"]), [""; 0]);
    for revision in ["v1", "HEAD~2", "main~2", "2026-01-15", "2026-01-02T12:00:00Z"] {
        let found =
            env.json(&["search", "--json", "winter", "--mode", "keyword", "--at", revision]);
        assert_eq!(paths(&found), ["bears.md"], "{revision}");
        let commit = env.git(&["rev-parse", "v1"]);
        assert_eq!(found[0]["at"], commit.trim(), "{revision}");
    }
    let urchins = ["search", "--json", "urchins", "--mode", "keyword", "--at", "v1"];
    assert_eq!(env.json(&urchins), [] as [Value; 0]);
    snapshot!(env.run(&["search", "sleep", "--mode", "keyword", "--at", "v1"]), @"
    exit: 0
    --- stdout
    bears.md:3  Bears
        Bears sleep in winter.

    otters.md:3  Otters
        Otters hold hands while they sleep.
    --- stderr
    note: 2 notes as of [COMMIT] (2026-01-02), 0 chunks embedded
    ");
}

#[test]
fn a_commit_is_searched_without_touching_anything() {
    let env = history();
    env.ok(&["search", "otters"]);
    env.write("otters.md", "# Otters\n\nEdited.\n");
    env.write("new.md", "# New\n\nNot staged.\n");
    let state = || (env.files(), env.git(&["status", "--porcelain"]), env.git(&["stash", "list"]));
    let before = state();
    let found = env.json(&["search", "--json", "what do otters eat, urchins?", "--at", "HEAD"]);
    assert_eq!(found[0]["path"], "otters.md");
    assert!(found[0]["snippet"].as_str().unwrap().contains("urchins"), "{found:?}");
    assert!(env.run(&["search", "edited", "--mode", "keyword", "--at", "HEAD"]).code == Some(1));
    assert_eq!(state(), before);
}

#[test]
fn only_contents_never_seen_are_parsed_and_embedded() {
    let env = history();
    env.ok(&["index"]);
    let said = |args: &[&str]| env.run(args).stderr();
    let first = said(&["search", "winter", "--at", "v1"]);
    // `bears.md` and the first `otters.md` are not in the work tree.
    assert!(first.contains("2 notes as of") && first.contains("2 chunks embedded"), "{first}");
    let again = said(&["search", "winter", "--at", "v1"]);
    assert!(again.contains("0 chunks embedded"), "{again}");
    let now = said(&["search", "winter", "--at", "HEAD"]);
    assert!(now.contains("3 notes as of") && now.contains("0 chunks embedded"), "{now}");
}

#[test]
fn tables_of_the_commit_serve_it() {
    // What is checked out now has no settings: the model must be the one of before all the same.
    let env = history().builtin();
    env.git(&["switch", "--quiet", "--detach", "v1"]);
    env.ok(&["index"]);
    env.commit("index of the first version");
    env.git(&["tag", "indexed"]);
    env.git(&["switch", "--quiet", "main"]);
    // Nothing local knows the old texts any more.
    fs::remove_dir_all(env.path(".git/elophanto")).unwrap();
    let said = env.run(&["search", "winter", "--at", "indexed"]).stderr();
    assert!(said.contains("0 chunks embedded"), "{said}");
}

#[test]
fn keyword_statistics_are_those_of_the_commit() {
    let env = TestEnv::new();
    for number in 0..20 {
        env.write(format!("{number}.md"), format!("# Note {number}\n\nkelp forest {number}\n"));
    }
    env.commit("one");
    let score = |env: &TestEnv, args: &[&str]| {
        let args = [&["search", "--json", "kelp", "--explain", "-n", "1"], args].concat();
        env.json(&args)[0]["explain"]["keyword"].as_f64().unwrap()
    };
    let then = score(&env, &[]);
    for number in 20..60 {
        env.write(format!("{number}.md"), format!("# Note {number}\n\nsomething else {number}\n"));
    }
    env.commit("two");
    assert!((score(&env, &["--at", "HEAD~1"]) - then).abs() < 1e-4);
    assert!(score(&env, &[]) > then + 0.1);
}

#[test]
fn what_names_no_commit_is_said_plainly() {
    let env = history();
    snapshot!(env.run(&["search", "otters", "--at", "nowhere"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `nowhere` names no commit and no date
    hint: give a branch, a tag, a commit, HEAD~3, 2026-05-01 or '3 weeks ago'
    ");
    snapshot!(env.run(&["search", "otters", "--at", "2001-01-01"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: there is no commit as old as `2001-01-01`
    hint: `git log --reverse` shows the first one
    ");
    snapshot!(env.run(&["search", "otters", "--at=--upload-pack=touch x"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `--upload-pack=touch x` names no commit and no date
    hint: give a branch, a tag, a commit, HEAD~3, 2026-05-01 or '3 weeks ago'
    ");
    let plain = TestEnv::plain();
    plain.ok(&["init"]);
    snapshot!(plain.run(&["search", "otters", "--at", "HEAD"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: there is no git repository here
    hint: run this in a git repository, or `git init` first
    ");
    let empty = TestEnv::with(&[("a.md", "# A\n\ntext\n")]);
    snapshot!(empty.run(&["search", "text", "--at", "HEAD"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `HEAD` names no commit and no date
    hint: give a branch, a tag, a commit, HEAD~3, 2026-05-01 or '3 weeks ago'
    ");
}

#[test]
fn changed_since_limits_to_other_texts() {
    let env = history();
    env.git(&["mv", "crabs.md", "sideways.md"]);
    env.write("draft.md", "# Draft\n\nOtters, once more.\n");
    let mut changed = env.hits(&["otters seals crabs", "--changed-since", "v1"]);
    changed.sort();
    assert_eq!(changed, ["draft.md", "otters.md", "seals.md", "sideways.md"]);
    // A note that only moved has not changed.
    assert_eq!(env.hits(&["otters seals crabs", "--changed-since", "HEAD"]), ["draft.md"]);
    let between = ["otters seals crabs", "--at", "HEAD~1", "--changed-since", "v1"];
    let mut between = env.hits(&between);
    between.sort();
    assert_eq!(between, ["otters.md", "seals.md"]);
}

#[test]
fn a_hit_says_who_wrote_it() {
    let env = history();
    let blame = |query: &str| {
        let found = env.json(&["search", "--json", "--blame", query, "--mode", "keyword"]);
        found[0]["blame"].clone()
    };
    assert_eq!(blame("hands")["author"], "Ann");
    assert_eq!(blame("hands")["commit"], env.git(&["rev-parse", "v1"]).trim());
    assert_eq!(blame("urchins")["author"], "Ben");
    assert_eq!(blame("urchins")["date"], "2026-02-02T00:00:00Z");
    assert_eq!(blame("urchins")["subject"], "Seals, no bears");
    // Lines above are added and not committed: the others keep their author.
    env.write(
        "otters.md",
        "# Otters\n\nNew first line on paws.\n\nOtters hold hands while they sleep.\n\nThey eat urchins.\n",
    );
    snapshot!(env.run(&["search", "--blame", "paws", "--mode", "keyword"]), @"
    exit: 0
    --- stdout
    otters.md:3  Otters  (modified, [COMMIT])
        New first line on paws.
        not committed yet
    --- stderr
    ");
    let then = ["search", "--json", "--blame", "hands", "--mode", "keyword", "--at", "v1"];
    assert_eq!(env.json(&then)[0]["blame"]["author"], "Ann");
}

#[test]
fn hits_of_one_author() {
    let env = history();
    let by = |name: &str| {
        let mut hits = env.hits(&["seals crabs urchins", "--author", name]);
        hits.sort();
        hits
    };
    // Ann began the note on otters; Ben wrote of what they eat.
    assert_eq!(by("ben"), ["otters.md", "seals.md"]);
    assert!(by("ANN@example").contains(&"crabs.md".to_owned()));
    assert_eq!(by("nobody"), [""; 0]);
    assert_eq!(by("b.n"), [""; 0]);
}

#[test]
fn text_that_is_not_committed_says_so() {
    let env = history();
    env.write("otters.md", "# Otters\n\nOtters juggle stones.\n");
    env.write("new.md", "# New\n\nWhales juggle too.\n");
    snapshot!(env.run(&["search", "juggle", "--mode", "keyword"]), @"
    exit: 0
    --- stdout
    new.md:3  New  (uncommitted, [COMMIT])
        Whales juggle too.

    otters.md:3  Otters  (modified, [COMMIT])
        Otters juggle stones.
    --- stderr
    ");
    let found = env.json(&["search", "--json", "juggle", "--mode", "keyword"]);
    let states: Vec<_> = found.iter().map(|hit| (&hit["path"], &hit["state"])).collect();
    assert!(states.contains(&(&"otters.md".into(), &"modified".into())), "{states:?}");
    assert!(states.contains(&(&"new.md".into(), &"uncommitted".into())), "{states:?}");
    assert!(found[0]["blob"].as_str().unwrap().len() == 40);
    let calm = env.json(&["search", "--json", "crabs", "--mode", "keyword"]);
    assert_eq!(calm[0].get("state"), None);
}

#[test]
fn ignored_and_hidden_notes_of_a_commit_are_left_out() {
    let env = TestEnv::with(&[
        ("a.md", "# A\n\nkelp\n"),
        ("drafts/b.md", "# B\n\nkelp\n"),
        (".hidden/c.md", "# C\n\nkelp\n"),
        (".elophantoignore", "drafts\n"),
    ]);
    env.commit("all");
    assert_eq!(env.hits(&["kelp", "--at", "HEAD"]), ["a.md"]);
    assert_eq!(env.hits(&["kelp"]), ["a.md"]);
}

#[test]
fn what_a_project_keeps_for_its_forge_is_notes() {
    let env = TestEnv::with(&[
        (".github/CONTRIBUTING.md", "# Kelp\n\nkelp\n"),
        (".github/ISSUE_TEMPLATE/bug.md", "# Bug\n\nkelp, said again\n"),
        (".github/.cache/a.md", "# Other\n\nkelp in a cache\n"),
        (".github/old/a.md", "# Old\n\nkelp of old\n"),
        (".github/left/b.md", "# Left\n\nkelp left out\n"),
        (".gitlab/merge_request_templates/a.md", "# Merge\n\nkelp to merge\n"),
        ("docs/.github/a.md", "# Docs\n\nkelp in docs\n"),
        (".claude/commands/a.md", "# Command\n\nkelp for a program\n"),
        (".cursor/rules/a.md", "# Rule\n\nkelp for another\n"),
        (".gitignore", ".github/old/\n"),
        (".github/.elophantoignore", "left\n"),
    ]);
    let notes = [
        ".github/CONTRIBUTING.md",
        ".github/ISSUE_TEMPLATE/bug.md",
        ".gitlab/merge_request_templates/a.md",
    ];
    let found = |args: &[&str]| {
        let mut found = env.hits(args);
        found.sort();
        found
    };
    assert_eq!(found(&["kelp"]), notes);
    env.commit("all");
    assert_eq!(found(&["kelp", "--at", "HEAD"]), notes);
    // Only where all of the repository is read.
    env.write_settings("knowledge:\n  roots: [docs]\n");
    assert_eq!(found(&["kelp"]), [""; 0]);
    env.write_settings("knowledge:\n  roots: [.]\n");
    env.write(".elophantoignore", ".github\n");
    assert_eq!(found(&["kelp"]), [notes[2]]);
}

#[test]
fn damage_of_what_is_kept_of_a_commit_is_mended() {
    let env = history();
    env.ok(&["search", "winter", "--at", "v1"]);
    let past = env.path(".git/elophanto/past");
    for entry in fs::read_dir(&past).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_some() {
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
            fs::write(&path, bytes).unwrap();
        }
    }
    let found = env.json(&["search", "--json", "winter", "--mode", "keyword", "--at", "v1"]);
    assert_eq!(paths(&found), ["bears.md"]);
}

#[test]
fn what_a_partial_clone_lacks_is_said() {
    let env = history();
    env.git(&["config", "uploadpack.allowFilter", "true"]);
    let origin = format!("file://{}", env.root().display());
    env.git(&["clone", "--quiet", "--filter=blob:none", &origin, "../partial"]);
    // The checkout brought what HEAD holds; `bears.md` and the first `otters.md` were never asked
    // for, and are not fetched now.
    let missing = || {
        let mut git = env.sealed("git");
        let listed = git
            .current_dir(env.outside().join("partial"))
            .args(["rev-list", "--objects", "--missing=print", "--all"]);
        finish(listed).stdout().lines().filter(|line| line.starts_with('?')).count()
    };
    assert_eq!(missing(), 2);
    snapshot!(env.run_in("../partial", &["search", "winter", "--at", "v1"]), @"
    exit: 1
    --- stdout
    --- stderr
    note: 0 notes as of [COMMIT] (2026-01-02), 0 chunks embedded
    note: 2 notes of it are left out, `bears.md` for one: git does not hold its content here (a partial clone or a damaged repository)
    nothing found for `winter` in 0 notes (0 chunks)
    hint: no note is indexed: write one below `knowledge/`, or check `knowledge.roots` in `.elophanto/config.yaml`
    ");
    let now = env.run_in("../partial", &["search", "crabs", "--at", "HEAD", "--format", "files"]);
    assert!(now.stdout().starts_with("crabs.md\n"), "{now}");
    assert_eq!(missing(), 2);
}
