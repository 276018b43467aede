//! Forgetting all about something, and wiping a secret: what goes, what stays, what git still holds.

use std::{fs, path::Path};

use serde_json::json;

use super::{Desk, told};
use crate::env::TestEnv;

const SECRET: &str = "hunter-swordfish-42";

#[test]
fn what_is_shown_as_one_is_forgotten_as_one() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    for _ in 0..2 {
        desk.remember("building docs", "Use mkdocs serve with --strict", &[]);
    }
    desk.remember("building docs", "The theme lies in a repository of its own", &[]);
    let found = desk.json(&["agent", "recall", "how to build the docs with mkdocs"]);
    assert_eq!(found[0]["count"], 2, "{found:?}");
    told!(desk.run(&["agent", "memory", "forget", found[0]["id"].as_str().unwrap()]), @"
    exit: 0
    --- stdout
    forgotten: Use mkdocs serve with --strict
    forgotten: Use mkdocs serve with --strict
    --- stderr
    ");
    assert_eq!(desk.sorted(), ["The theme lies in a repository of its own"]);
}

#[test]
fn all_about_something_is_forgotten_after_a_question() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    desk.remember("npm install failed", "The cache of npm belongs to root", &[]);
    desk.remember(
        "Caches fill the disk",
        "Empty the caches of npm and of cargo",
        &["--repo", "web"],
    );
    desk.remember("Slow registry", "Use the mirror", &["--tags", "npm,cache"]);
    desk.remember("cargo is slow", "Share the target folder", &[]);
    let about = ["agent", "memory", "forget", "--about", "npm cache"];
    // Nobody is there to be asked.
    told!(desk.run(&about), @"
    exit: 1
    --- stdout
    [ID]  [DAY]  repo  error  Use the mirror
    [ID]  [DAY]  web  error  Empty the caches of npm and of cargo
    [ID]  [DAY]  repo  error  The cache of npm belongs to root
    --- stderr
    3 lessons would be forgotten; nobody agreed (`--yes` agrees)
    ");
    let asked = desk.json(&about);
    assert!(asked.len() == 3 && asked.iter().all(|it| it["forgotten"] == false), "{asked:?}");
    assert_eq!(desk.sorted().len(), 4);
    told!(desk.run(&[&about[..], &["--repo", "web", "--yes"]].concat()), @"
    exit: 0
    --- stdout
    [ID]  [DAY]  web  error  Empty the caches of npm and of cargo
    forgotten: Empty the caches of npm and of cargo
    --- stderr
    ");
    let before = desk.records().len();
    told!(desk.run(&[&about[..], &["-y", "--json"]].concat()), @r#"
    exit: 0
    --- stdout
    {"id":"[ID]","lesson":"Use the mirror","forgotten":true,"removed":false}
    {"id":"[ID]","lesson":"The cache of npm belongs to root","forgotten":true,"removed":false}
    --- stderr
    "#);
    // As with one: that they are taken back is written down, and they stay.
    assert_eq!((desk.sorted().len(), desk.records().len()), (1, before + 2));
    told!(desk.run(&about), @"
    exit: 1
    --- stdout
    --- stderr
    no lesson holds every word of `npm cache`
    ");
    let nothing = desk.run(&["agent", "memory", "forget", "--about", "...", "--yes"]);
    assert!(nothing.code == Some(2) && nothing.stderr().contains("holds no word"), "{nothing}");
    for args in [&["--yes"][..], &["x", "--about", "y"], &["x", "--yes"], &[]] {
        assert_eq!(desk.run(&[&["agent", "memory", "forget"], args].concat()).code, Some(2));
    }
}

/// Every file below a folder that holds a text, compressed objects of git apart.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten();
    let holds = |path: &Path| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    let found = files.filter(|entry| entry.file_type().is_file() && holds(entry.path()));
    found.map(|entry| entry.path().display().to_string()).collect()
}

#[test]
fn a_wiped_secret_is_in_no_file_and_git_says_where_it_still_is() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    env.commit("begin");
    let (a, b) = (Desk::clone_of(&env, "a"), Desk::clone_of(&env, "b"));
    a.remember("before", "A lesson that stays", &[]);
    let first = a.remember("deploy", &format!("The token is {SECRET}"), &[]);
    a.commit("learnt");
    let kept = a.files();
    a.remember("after", "Another one that stays", &[]);
    let edited = ["--lesson", "The token is in the vault", "--context", SECRET];
    a.ok(&[&["agent", "memory", "edit", &first][..], &edited].concat());
    a.recall(&["token vault"]);
    assert!(!holding(&a.root, SECRET).is_empty());
    let wipe = ["agent", "memory", "wipe", &first[..22]];
    let refused = a.run(&wipe);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stdout().contains("2 records in 2 files would be wiped; nobody agreed"));
    assert!(!refused.to_string().contains(SECRET), "{refused}");
    assert_eq!(a.files().len(), 2);
    let wiped = a.ok(&[&wipe[..], &["--yes"]].concat());
    told!(wiped.stdout().replace(env.outside().to_str().unwrap(), ""), @"
    wiped: 2 records out of 2 files, the search index and the cache of vectors
    git's history holds it still, from 1 commit on:
      [COMMIT]  [DAY]  .elophanto/memory/hub/[FILE].jsonl  on main
    ");
    assert!(wiped.stderr().contains("no branch of a remote that this clone knows of"), "{wiped}");
    assert_eq!(holding(&a.root, SECRET), [""; 0]);
    assert_eq!(a.sorted(), ["A lesson that stays", "Another one that stays"]);
    // All other bytes are as they were.
    let line = kept[0].1.lines().next().unwrap();
    assert_eq!(fs::read_to_string(&kept[0].0).unwrap(), format!("{line}\n"));
    assert_eq!(a.recall(&["lesson that stays"]).len(), 2);
    let told = &a.json(&wipe)[0];
    assert_eq!(
        (&told["wiped"], &told["records"], &told["staged"]),
        (&json!(false), &json!(0), &json!(true))
    );
    let (held, purge) = (&told["history"][0], told["purge"][0].as_str().unwrap());
    assert_eq!((&held["pushed"], &held["refs"]), (&json!(false), &json!(["refs/heads/main"])));
    assert!(purge.starts_with("git filter-repo ") && purge.contains(&first), "{purge}");
    a.commit("wiped");
    a.exchange();
    let told = &a.json(&wipe)[0];
    assert_eq!((&told["staged"], &told["history"][0]["pushed"]), (&json!(false), &json!(true)));
    b.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(b.sorted(), ["A lesson that stays", "Another one that stays"]);
    assert_eq!(holding(&b.root, SECRET), [""; 0]);
    // Who takes the lesson from another branch still forgets it.
    b.git(&["checkout", "--quiet", "-b", "side", "main~1"]);
    assert_eq!(b.sorted().len(), 2);
    b.git(&["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(b.sorted(), ["A lesson that stays", "Another one that stays"]);
}

#[test]
fn a_wipe_leaves_what_is_not_ours_and_says_what_there_is_not() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let missing = desk.run(&["agent", "memory", "wipe", "01M8", "--yes"]);
    assert!(missing.code == Some(2) && missing.stderr().contains("there is no lesson `01M8`"));
    let record = format!(
        r#"{{"id":"x1","timestamp":"2025-01-01T00:00:00Z","event_type":"error","context":"c","lesson":"{SECRET}"}}"#
    );
    desk.write(".elophanto/memory/legacy.jsonl", record + "\n");
    desk.remember("own", "The own lesson", &[]);
    told!(desk.run(&["agent", "memory", "wipe", "x1", "--yes"]), @"
    exit: 0
    --- stdout
    forgotten: no file of ours holds it
    --- stderr
    warning: .elophanto/memory/legacy.jsonl:1 is in another program's file, and left alone: take it out there
    ");
    assert_eq!(desk.sorted(), ["The own lesson"]);
    // A lesson that was forgotten with its line, and that no commit ever held: the index may.
    let id = desk.remember("gone", "The lesson that goes", &[]);
    desk.recall(&["lesson that goes"]);
    desk.ok(&["agent", "memory", "forget", &id, "--remove"]);
    told!(desk.run(&["agent", "memory", "wipe", &id]), @"
    exit: 0
    --- stdout
    no file here holds it any more; the search index and the cache of vectors were made anew
    --- stderr
    ");
    assert_eq!(holding(&desk.root, "The lesson that goes"), [""; 0]);
}
