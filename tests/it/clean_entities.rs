//! `elophanto clean` with entities: what is one is proposed, merged when asked, and taken apart again
//! whatever happened since.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    env::{Output, PROGRAM, TestEnv, snapshot},
    facts_in_git::learned_search,
    merges::try_git,
};

const SETTINGS: &str = "knowledge:\n  embedding_provider: builtin\nchangelog:\n  enabled: \
                        false\nindex:\n  commit: never\n";
const ATTRIBUTES: &str = "knowledge/learned/entities/*.md merge=union\n";

/// A repository in which these were learned, one after the other.
fn site(texts: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", SETTINGS),
        (".gitattributes", ATTRIBUTES),
        ("a.txt", "a\n"),
    ]);
    env.ok(&["hook", "install", "--program", PROGRAM]);
    for (name, text) in texts {
        learn(&env, name, text);
    }
    env.commit("learned");
    env
}

/// Learns what is said of something; says which search it was.
fn learn(env: &TestEnv, name: &str, text: &str) -> String {
    let text = format!("# {name}\n\n{text}\n");
    let output = env.run_with(&["learn", name, "--from", "-", "--json"], text.as_bytes());
    assert_eq!(output.code, Some(0), "{output}");
    learned_search(&output)
}

fn merge(env: &TestEnv, from: &str, into: &str) -> String {
    let merged = env.json(&["clean", "merge", from, into, "--json"]);
    merged[0]["id"].as_str().unwrap().to_owned()
}

fn git(env: &TestEnv, args: &[&str]) {
    let output = try_git(env, args);
    assert_eq!(output.code, Some(0), "{args:?}\n{output}");
}

/// Every entity as it is shown, but for the places of lines.
fn shown(env: &TestEnv) -> Vec<String> {
    let entities = env.json(&["entity", "--json"]);
    let mut shown: Vec<String> = entities
        .iter()
        .map(|entity| {
            let slug = entity["entity"].as_str().unwrap();
            let one = env.json(&["entity", slug, "--json"]).remove(0);
            let texts = one["facts"].as_array().unwrap().iter();
            let mut facts: Vec<&str> = texts.map(|fact| fact["text"].as_str().unwrap()).collect();
            facts.sort_unstable();
            let aliases: Vec<&str> =
                one["aliases"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let name = one["name"].as_str().unwrap();
            format!("{name} ({}): {}", aliases.join(", "), facts.join(" "))
        })
        .collect();
    shown.sort();
    shown
}

/// An output without the ids that are new each time.
fn plain(output: &Output) -> String {
    let text = output.to_string();
    let is_id = |word: &str| {
        word.len() == 26 && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'Z'))
    };
    let parts = text.split_inclusive(|char: char| !char.is_ascii_alphanumeric());
    let parts = parts.map(|part| {
        let word = part.trim_end_matches(|char: char| !char.is_ascii_alphanumeric());
        if is_id(word) { part.replace(word, "[ID]") } else { part.to_owned() }
    });
    parts.collect()
}

/// Every file, those of the git directory that are ours as well.
fn everything(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    fn below(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                files.push((format!("{}/", path.display()), Vec::new()));
                below(&path, files);
            } else {
                files.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut files = Vec::new();
    below(env.root(), &mut files);
    files.sort();
    files
}

const META: (&str, &str) = (
    "KEF LS50 Meta",
    "The KEF LS50 Meta is a bookshelf loudspeaker. The KEF LS50 Meta weighs 7.8 kilograms.",
);
const HYPHEN: (&str, &str) =
    ("KEF LS-50 Meta", "The KEF LS-50 Meta uses a metamaterial absorber behind its tweeter.");
const BLADE: (&str, &str) = ("KEF Blade", "The KEF Blade is a floorstanding loudspeaker.");

#[test]
fn learning_points_at_a_review_only_where_it_lists_something() {
    for ((name, text), code) in [(HYPHEN, 0), (BLADE, 1)] {
        let env = site(&[META]);
        let text = format!("# {name}\n\n{text}\n");
        let output = env.run_with(&["learn", name, "--from", "-"], text.as_bytes());
        let points = output.stderr().contains("`elophanto clean review` compares them");
        assert_eq!(points, code == 0, "{output}");
        assert_eq!(env.run(&["clean", "review"]).code, Some(code), "{name}");
    }
}

#[test]
fn proposals_are_listed_and_what_is_certain_is_merged() {
    let env = site(&[META, HYPHEN, BLADE]);
    let before = shown(&env);
    let files = env.files();
    snapshot!(plain(&env.run(&["clean"])), @"
    exit: 0
    --- stdout
    removed 0 responses of searches (0 bytes), closed 0 questions about what is gone
    may merge: KEF LS-50 Meta -> KEF LS50 Meta (the names are equal but for their spelling)
    freed 0 bytes in 0 local files
    --- stderr
    note: `elophanto clean --apply` merges them
    ");
    assert_eq!(env.files(), files);
    snapshot!(plain(&env.run(&["clean", "review"])), @"
    exit: 0
    --- stdout
    surely one: KEF LS-50 Meta -> KEF LS50 Meta (the names are equal but for their spelling)
        elophanto clean merge kef-ls-50-meta kef-ls50-meta
    --- stderr
    ");
    snapshot!(plain(&env.run(&["clean", "--apply"])), @"
    exit: 0
    --- stdout
    removed 0 responses of searches (0 bytes), closed 0 questions about what is gone
    merged: KEF LS-50 Meta -> KEF LS50 Meta (the names are equal but for their spelling) (undo: elophanto clean undo [ID])
    freed 0 bytes in 0 local files
    --- stderr
    ");
    snapshot!(shown(&env).join("\n"), @"
    KEF Blade (): The KEF Blade is a floorstanding loudspeaker.
    KEF LS50 Meta (KEF LS-50 Meta): The KEF LS-50 Meta uses a metamaterial absorber behind its tweeter. The KEF LS50 Meta is a bookshelf loudspeaker. The KEF LS50 Meta weighs 7.8 kilograms.
    ");
    assert_eq!(env.run(&["clean", "review"]).code, Some(1));
    let again = env.ok(&["clean", "--apply", "--json"]).json();
    assert!(again.iter().all(|line| line["id"].is_null()), "{again:?}");
    // The record of the merge says how to take it back.
    let journal = env.files();
    let text: String = journal
        .iter()
        .filter(|(path, _)| path.starts_with(".elophanto/journal"))
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    let mut records = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let merge = records.rfind(|record| record["kind"] == "merge").unwrap();
    let id = merge["id"].as_str().unwrap();
    snapshot!(plain(&env.run(&["clean", "undo", id])), @"
    exit: 0
    --- stdout
    KEF LS-50 Meta and KEF LS50 Meta are two again
    --- stderr
    ");
    assert_eq!(shown(&env), before);
    snapshot!(plain(&env.run(&["clean", "undo", id])), @"
    exit: 1
    --- stdout
    KEF LS-50 Meta and KEF LS50 Meta were taken apart before
    --- stderr
    ");
    // A person has said that they are two.
    let applied = env.ok(&["clean", "--apply", "--json"]).json();
    assert!(applied.iter().all(|line| line["from"].is_null()), "{applied:?}");
    assert_eq!(shown(&env), before);
    snapshot!(plain(&env.run(&["clean", "undo", "nothing"])), @"
    exit: 1
    --- stdout
    --- stderr
    no merge is called `nothing`; its id stood beside it when it was made
    ");
    snapshot!(plain(&env.run(&["clean", "merge", "KEF Blade", "KEF Nothing"])), @"
    exit: 2
    --- stdout
    --- stderr
    error: nothing is known of `KEF Nothing`
    hint: `elophanto entity` lists what is known
    ");
    snapshot!(plain(&env.run(&["clean", "merge", "KEF Blade", "kef-blade"])), @"
    exit: 2
    --- stdout
    --- stderr
    error: `KEF Blade` and `kef-blade` are one already
    hint: `elophanto entity NAME` shows what belongs to it
    ");
}

#[test]
fn a_dry_run_writes_nothing_at_all() {
    let env = site(&[META, HYPHEN]);
    let clone = env.outside().join("clone");
    env.git(&["clone", "--quiet", ".", "../clone"]);
    for folder in [env.root(), &clone] {
        let everything = || {
            let mut files = everything(&env);
            let inside = env.root().to_str().unwrap().to_owned();
            files.retain(|(path, _)| folder == clone || path.starts_with(&inside));
            files
        };
        let (before, of_clone) = (everything(), files_of(&clone));
        for args in [&["clean", "--dry-run"][..], &["clean", "--apply", "--dry-run", "--json"]] {
            let output = env.run_in(folder, args);
            assert_eq!(output.code, Some(0), "{output}");
            assert!(output.stdout().contains("KEF LS-50 Meta"), "{output}");
            assert_eq!(everything(), before, "{args:?}");
            assert_eq!(files_of(&clone), of_clone, "{args:?}");
        }
    }
}

/// Names of all files below a folder.
fn files_of(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            files.push(entry.path().display().to_string());
            if entry.path().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_merge_is_taken_back_after_both_have_learned_more() {
    let env = site(&[META, HYPHEN]);
    let id = merge(&env, "KEF LS-50 Meta", "KEF LS50 Meta");
    assert_eq!(shown(&env).len(), 1);
    // By either name it is the same one now.
    learn(&env, "KEF LS-50 Meta", "The KEF LS-50 Meta costs 1600 dollars.");
    learn(&env, "KEF LS50 Meta", "The KEF LS50 Meta was released in 2020.");
    // Another branch has never heard of the merge.
    env.commit("merged");
    git(&env, &["switch", "--quiet", "-c", "other", "HEAD~1"]);
    learn(&env, "KEF LS-50 Meta", "The KEF LS-50 Meta is sold in 4 colours.");
    env.commit("there");
    git(&env, &["switch", "--quiet", "main"]);
    git(&env, &["merge", "--quiet", "--no-edit", "other"]);
    snapshot!(shown(&env).join("\n"), @"KEF LS50 Meta (KEF LS-50 Meta): The KEF LS-50 Meta costs 1600 dollars. The KEF LS-50 Meta is sold in 4 colours. The KEF LS-50 Meta uses a metamaterial absorber behind its tweeter. The KEF LS50 Meta is a bookshelf loudspeaker. The KEF LS50 Meta was released in 2020. The KEF LS50 Meta weighs 7.8 kilograms.");
    env.ok(&["clean", "undo", &id]);
    snapshot!(shown(&env).join("\n"), @"
    KEF LS-50 Meta (): The KEF LS-50 Meta is sold in 4 colours. The KEF LS-50 Meta uses a metamaterial absorber behind its tweeter.
    KEF LS50 Meta (): The KEF LS-50 Meta costs 1600 dollars. The KEF LS50 Meta is a bookshelf loudspeaker. The KEF LS50 Meta was released in 2020. The KEF LS50 Meta weighs 7.8 kilograms.
    ");
    env.commit("two again");
    let two = shown(&env);
    git(&env, &["merge", "--quiet", "--no-edit", "other"]);
    assert_eq!(shown(&env), two);
}

#[test]
fn merges_of_merges_are_undone_in_any_order() {
    let texts = [
        ("Alder Pump", "The Alder Pump is a water pump. The Alder Pump weighs 5 kilograms."),
        ("Birch Pump", "The Birch Pump is a water pump. The Birch Pump weighs 6 kilograms."),
        ("Cedar Pump", "The Cedar Pump is a water pump. The Cedar Pump weighs 7 kilograms."),
        ("Dogwood Pump", "The Dogwood Pump weighs 8 kilograms."),
    ];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let env = site(&texts);
    let before = shown(&env);
    assert_eq!(before.len(), 4);
    for order in orders {
        let merges = [
            merge(&env, "Cedar Pump", "Birch Pump"),
            merge(&env, "Birch Pump", "Alder Pump"),
            merge(&env, "Alder Pump", "Dogwood Pump"),
        ];
        let one = shown(&env);
        assert_eq!(one.len(), 1);
        // What three of them say of themselves is said once of the one that they are.
        let said = ["is a water pump", "weighs"].map(|what| one[0].matches(what).count());
        assert_eq!(said, [1, 4], "{one:?}");
        for (done, at) in order.into_iter().enumerate() {
            env.ok(&["clean", "undo", &merges[at]]);
            assert_eq!(shown(&env).len(), done + 2, "{order:?}");
            // A commit between does not matter.
            env.commit("undone");
        }
        assert_eq!(shown(&env), before, "{order:?}");
    }
}

/// Two that say the same of themselves, each by its own name, and something else.
const WEIGHING: [(&str, &str); 2] = [
    ("KEF LS50 Meta", "The KEF LS50 Meta weighs 7.8 kilograms."),
    ("KEF LS-50 Meta", "The KEF LS-50 Meta weighs 7.8 kilograms."),
];

fn weights(env: &TestEnv) -> usize {
    shown(env).join("\n").matches("weighs 7.8 kilograms").count()
}

#[test]
fn two_branches_may_merge_the_same_two_into_each_other() {
    let env = site(&WEIGHING);
    let before = shown(&env);
    assert_eq!((before.len(), weights(&env)), (2, 2));
    git(&env, &["switch", "--quiet", "-c", "other"]);
    let there = merge(&env, "KEF LS-50 Meta", "KEF LS50 Meta");
    assert_eq!((shown(&env).len(), weights(&env)), (1, 1));
    env.commit("there");
    git(&env, &["switch", "--quiet", "main"]);
    let here = merge(&env, "KEF LS50 Meta", "KEF LS-50 Meta");
    assert_eq!((shown(&env).len(), weights(&env)), (1, 1));
    env.commit("here");
    git(&env, &["merge", "--quiet", "--no-edit", "other"]);
    let both = shown(&env);
    // Neither has taken out what the other one kept.
    assert_eq!((both.len(), weights(&env)), (1, 1), "{both:?}");
    // The circle can be merged further, and that be taken back.
    learn(&env, BLADE.0, BLADE.1);
    let further = merge(&env, "KEF LS50 Meta", BLADE.0);
    assert_eq!(shown(&env).len(), 1);
    env.ok(&["clean", "undo", &further]);
    assert_eq!(shown(&env).len(), 2);
    env.ok(&["entity", BLADE.0, "--delete"]);
    assert_eq!(shown(&env), both);
    env.ok(&["clean", "undo", &here]);
    assert_eq!(shown(&env).len(), 1);
    env.ok(&["clean", "undo", &there]);
    assert_eq!(shown(&env), before);
}

#[test]
fn the_facts_of_a_search_are_taken_back_whatever_was_merged() {
    // Of two facts that say the same one goes for the other: which one, the clock says.
    for undo_the_one_that_is_shown in [true, false] {
        let env = site(&[("KEF LS50 Meta", "The KEF LS50 Meta is sold in 4 colours.")]);
        let searches = WEIGHING.map(|(name, text)| learn(&env, name, text));
        learn(&env, "KEF LS-50 Meta", "The KEF LS-50 Meta was released in 2020.");
        let before = shown(&env);
        assert_eq!((before.len(), weights(&env)), (2, 2));
        let id = merge(&env, "KEF LS-50 Meta", "KEF LS50 Meta");
        assert_eq!(weights(&env), 1);
        env.commit("merged");
        let first_is_shown = shown(&env)[0].contains(WEIGHING[0].1);
        let undone = usize::from(first_is_shown != undo_the_one_that_is_shown);
        let output = env.ok(&["learn", "undo", &searches[undone]]);
        assert_eq!(output.stdout(), "took back 1 fact\n");
        // The other one stands for itself, or always did.
        assert_eq!(weights(&env), 1, "{output}");
        assert!(shown(&env)[0].contains(WEIGHING[1 - undone].1), "{output}");
        env.commit("undone");
        env.ok(&["clean", "undo", &id]);
        env.commit("apart");
        let gone = WEIGHING[undone].1;
        let left = before.iter().map(|it| it.replace(&format!(" {gone}"), ""));
        assert_eq!(shown(&env), left.collect::<Vec<_>>(), "{undo_the_one_that_is_shown}");
        assert_eq!(weights(&env), 1);
        assert_eq!(env.run(&["learn", "undo", &searches[undone]]).code, Some(1));
    }
}

#[test]
fn what_was_taken_apart_does_not_meet_again_through_a_third() {
    let env = site(&[META, HYPHEN]);
    let id = merge(&env, "KEF LS-50 Meta", "KEF LS50 Meta");
    env.ok(&["clean", "undo", &id]);
    learn(&env, "KEF LS50-Meta", "The KEF LS50-Meta is sold in 4 colours.");
    assert_eq!(shown(&env).len(), 3);
    let applied = env.ok(&["clean", "--apply"]);
    let left = shown(&env);
    assert_eq!(left.len(), 2, "{applied}\n{left:?}");
    assert_eq!(env.run(&["clean", "review"]).code, Some(1));
}

#[test]
fn what_the_user_did_follows_a_merge_and_its_undoing() {
    let env = site(&[META, BLADE]);
    learn(&env, BLADE.0, "The KEF Blade weighs 57 kilograms.");
    let scores = || {
        let mut scores: Vec<(String, f64)> = env
            .json(&["interests", "--json"])
            .iter()
            .map(|one| {
                let score = (one["score"].as_f64().unwrap() * 100.0).round() / 100.0;
                (one["name"].as_str().or(one["entity"].as_str()).unwrap().to_owned(), score)
            })
            .collect();
        scores.sort_by(|a, b| a.0.cmp(&b.0));
        scores
    };
    let before = scores();
    assert_eq!(before.len(), 2, "{before:?}");
    let id = merge(&env, "KEF Blade", "KEF LS50 Meta");
    let merged = scores();
    let sum: f64 = before.iter().map(|(_, score)| score).sum();
    assert_eq!(merged.len(), 1, "{merged:?}");
    assert!((merged[0].1 - sum).abs() < 0.02, "{before:?} {merged:?}");
    env.ok(&["clean", "undo", &id]);
    assert_eq!(scores(), before);
}

#[test]
fn the_index_alone_is_tidied_as_before() {
    let env = site(&[META, HYPHEN]);
    env.write("note.py", "def f():\n    \"\"\"Says hello.\"\"\"\n    return 1\n");
    let asked = env.json(&["scan", "--json"]);
    assert!(asked.len() > 1, "{asked:?}");
    env.remove("note.py");
    let lines = env.json(&["clean", "--index", "--json"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0]["files_removed"].is_u64(), "{lines:?}");
    // Questions about what is gone are closed by the rest of it, once.
    let closed = |args: &[&str]| {
        let lines = env.json(&[&["clean", "--json"], args].concat());
        lines[0]["questions_closed"].as_u64().unwrap()
    };
    assert_eq!(closed(&["--dry-run"]), 1);
    assert_eq!(closed(&[]), 1);
    assert_eq!(closed(&[]), 0);
    assert_eq!(shown(&env).len(), 2);
}
