//! Summaries among the hits of a search, and whether they still hold.

use std::{thread, time::Duration};

use serde_json::{Value, json};

use super::{
    indexed, investigate, investigate::rounded, journal, records, scan, source, summary_of,
};
use crate::{
    env::{TestEnv, snapshot},
    merges::CONFIG,
};

/// A note and two files that are described, all of herons; everything is committed.
fn pond() -> TestEnv {
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", CONFIG),
        ("docs/README.md", "# Herons\n\nThe heron of the pond is grey.\n"),
        ("deploy/heron.yaml", "# The heron is fed here.\nfood: fish\n"),
    ]);
    env.write("src/heron.rs", source("Makes the heron fish at dawn."));
    investigate(&env);
    env.commit("all");
    env
}

/// Described files that all speak of herons, and are not alike.
fn birds() -> TestEnv {
    let says = [
        "Rents rowing boats to every heron.",
        "Paints the roof where a heron nests.",
        "Counts feathers of the grey heron.",
        "Heron soup is forbidden by law.",
        "Teaches chess to a patient heron.",
        "Repairs clocks that the heron broke.",
        "Sells maps of the heron country.",
        "Forecasts snow for the winter heron.",
    ];
    let env = TestEnv::new();
    for (number, says) in says.iter().enumerate() {
        env.write(
            format!("src/bird{number}.rs"),
            format!("//! {says}\n\nfn bird{number}() {{}}\n"),
        );
    }
    assert_eq!(investigate(&env).counts(["answered"]), [8]);
    assert_eq!(env.hits(&["heron", "-n", "8"]).len(), 8, "they are told apart");
    env
}

fn clean(env: &TestEnv) {
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

#[test]
fn summaries_are_found_beside_notes() {
    let env = pond();
    let mut all = env.hits(&["heron"]);
    all.sort();
    assert_eq!(all, ["deploy/heron.yaml", "docs/README.md", "src/heron.rs"]);
    let check = |args: &[&str], expected: &[&str]| {
        let mut found = env.hits(&[&["heron"], args].concat());
        found.sort();
        assert_eq!(found, expected, "{args:?}");
    };
    check(&["--kind", "note"], &["docs/README.md"]);
    check(&["--kind", "summary"], &["deploy/heron.yaml", "src/heron.rs"]);
    check(
        &["--kind", "summary", "--kind", "note"],
        &all.iter().map(|path| &**path).collect::<Vec<_>>(),
    );
    check(&["--type", "rust_file"], &["src/heron.rs"]);
    check(&["--type", "markdown_doc"], &["docs/README.md"]);
    check(
        &["--type", "rust_file", "--type", "yaml_config"],
        &["deploy/heron.yaml", "src/heron.rs"],
    );
    check(&["--type", "python_file"], &[]);
    check(&["--path", "src"], &["src/heron.rs"]);
    check(&["--kind", "note", "--type", "rust_file"], &[]);
    let wrong = env.run(&["search", "heron", "--kind", "wish"]);
    assert!(
        wrong.code == Some(2) && wrong.stderr().contains("expected note, summary or fact"),
        "{wrong}"
    );
    let wrong = env.run(&["search", "heron", "--type", "heron_file"]);
    assert!(wrong.code == Some(2) && wrong.stderr().contains("rust_file"), "{wrong}");
    let fields = |path: &str| -> Value {
        let hits = env.json(&["search", "heron", "--json"]);
        let hit = hits.into_iter().find(|hit| hit["path"] == path).unwrap();
        json!([hit["kind"], hit["type"], hit["state"], hit["blob"]])
    };
    let blob = env.git(&["hash-object", "src/heron.rs"]).trim().to_owned();
    assert_eq!(fields("src/heron.rs"), json!(["summary", "rust_file", null, blob]));
    assert_eq!(fields("docs/README.md")[0], "note");
    assert_eq!(fields("docs/README.md")[1], "markdown_doc");
    snapshot!(env.run(&["search", "dawn", "--kind", "summary", "-n", "1"]), @"
    exit: 0
    --- stdout
    src/heron.rs:1  description (Rust source file)
        Rust source file `src/heron.rs`: makes the heron fish at dawn.
    --- stderr
    ");
    clean(&env);
}

/// What a description says in the words of its file stands there, and the words that it lists to be found by
/// are nothing to show.
#[test]
fn a_description_is_cited_where_its_words_stand() {
    let env = TestEnv::with(&[(".elophanto/config.yaml", CONFIG)]);
    let text = "# Settings of the pond.\nlimit: 5\n\nferry:\n  # Wakes all herons at dawn\n  # in parallel.\n  \
                parallel: true\n  pemmican: { walnuts: 3, walnut: 4 }\n";
    env.write("deploy/pond.yml", text);
    investigate(&env);
    let question = "wakes all herons at dawn in parallel";
    let line = |args: &[&str]| env.ok(&[&["search"], args].concat()).stdout();
    let found = line(&["--format", "vimgrep", question]);
    assert!(
        found.starts_with("deploy/pond.yml:5:1:") && found.contains("akes all herons"),
        "{found}"
    );
    let found = line(&[question]);
    assert!(found.starts_with("deploy/pond.yml:5  description (YAML configuration)\n"), "{found}");
    let hit = env.json(&["search", "--json", question]).remove(0);
    assert_eq!((&hit["line"], &hit["lines"]), (&5.into(), &json!([5, 5])), "{hit}");
    for question in ["pemmican walnuts", "walnut", "pond"] {
        let found = line(&["--mode", "keyword", question]);
        assert!(found.contains("pond.yml") && !found.contains("Words:"), "{found}");
    }
    // Where the file is another one meanwhile, nobody knows where.
    env.write("deploy/pond.yml", format!("# New.\n\n{text}"));
    let never = ["search", "--refresh-stale", "never", "--format", "vimgrep", question];
    let found = env.ok(&never);
    assert!(found.stdout().starts_with("deploy/pond.yml:1:1:"), "{found}");
    let found = line(&["--format", "vimgrep", question]);
    assert!(found.starts_with("deploy/pond.yml:7:1:"), "{found}");
}

#[test]
fn what_changed_is_described_again_before_it_is_shown() {
    let env = pond();
    env.write("src/heron.rs", source("Makes the heron fish at noon."));
    env.git(&["commit", "--quiet", "-am", "noon"]);
    let before = journal(&env);
    let hits = env.json(&["search", "--json", "heron fish", "--type", "rust_file"]);
    assert_eq!(hits.len(), 1);
    assert!(hits[0]["snippet"].as_str().unwrap().contains("noon"), "{hits:?}");
    assert_eq!(hits[0]["state"], Value::Null);
    let blob = env.git(&["hash-object", "src/heron.rs"]);
    assert_eq!(hits[0]["blob"], blob.trim());
    // A search changes nothing that git carries.
    clean(&env);
    assert_eq!(journal(&env), before);
    assert_eq!(env.hits(&["dawn", "--mode", "keyword"]), [""; 0]);
    // It is known now, and not described once more.
    let known = records(&super::local_journal(&env), "summary").len();
    assert_eq!(env.hits(&["noon"]), ["src/heron.rs"]);
    assert_eq!(records(&super::local_journal(&env), "summary").len(), known);
}

#[test]
fn what_a_search_found_out_is_handed_on_by_the_next_scan() {
    let env = pond();
    env.write("src/heron.rs", source("Makes the heron fish at noon."));
    assert_eq!(env.hits(&["noon heron", "--type", "rust_file"]), ["src/heron.rs"]);
    investigate(&env);
    env.commit("noon");
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let there = env.run_in("../clone", &["search", "--json", "noon", "--refresh-stale", "never"]);
    assert_eq!(there.code, Some(0), "{there}");
    assert_eq!(there.json()[0]["path"], "src/heron.rs");
}

#[test]
fn or_it_is_marked_as_stale() {
    for never in [&["--refresh-stale", "never"][..], &["--no-refresh"]] {
        let env = pond();
        assert_eq!(env.hits(&["heron fish dawn", "-n", "1"]), ["src/heron.rs"]);
        env.write("src/heron.rs", source("Makes the heron fish at noon."));
        let args = [&["search", "heron fish dawn", "--type", "rust_file"], never].concat();
        let hits = env.json(&[&args[..], &["--json"]].concat());
        assert_eq!(hits.len(), 1, "{never:?}");
        assert_eq!(hits[0]["state"], "stale");
        assert!(hits[0]["snippet"].as_str().unwrap().contains("dawn"), "{hits:?}");
        assert!(env.ok(&args).stdout().contains("(stale, "), "{}", env.ok(&args));
        assert_eq!(super::local_journal(&env).len(), 1, "only the claims of the investigation");
        assert_eq!(records(&super::local_journal(&env), "summary").len(), 0);
    }
    let env = pond();
    env.write("src/heron.rs", source("Makes the heron fish at noon."));
    env.write_settings("search: {refresh_stale: never}\n");
    assert_eq!(env.json(&["search", "--json", "heron dawn", "-n", "1"])[0]["state"], "stale");
    // A note is a note: it is read as it is.
    env.write("docs/README.md", "# Herons\n\nThe heron of the pond is white.\n");
    let hits = env.json(&["search", "--json", "white heron", "--kind", "note"]);
    assert_eq!(hits[0]["state"], "modified");
}

#[test]
fn a_deleted_file_never_appears() {
    let env = pond();
    env.remove("src/heron.rs");
    for args in [&[][..], &["--no-refresh"], &["--refresh-stale", "never"], &["--mode", "keyword"]]
    {
        let hits = env.hits(&[&["heron fish dawn"], args].concat());
        assert!(
            !hits.is_empty() && !hits.contains(&"src/heron.rs".to_owned()),
            "{args:?} {hits:?}"
        );
    }
    let evidence = env.json(&["search", "--evidence", "heron fish dawn"]).remove(0);
    assert!(!evidence.to_string().contains("src/heron.rs"), "{evidence}");
    assert_eq!(env.hits(&["heron", "--type", "rust_file"]), [""; 0]);
    // In its place comes the next best.
    let many = birds();
    let best = many.hits(&["heron", "-n", "5"]);
    for path in &best[..3] {
        many.remove(path);
    }
    let next = many.hits(&["heron", "-n", "5"]);
    assert_eq!(next.len(), 5, "{next:?}");
    assert!(next.iter().all(|path| !best[..3].contains(path)), "{next:?}");
}

#[test]
fn a_file_that_is_there_again_is_found_again() {
    let env = pond();
    let before = env.read("src/heron.rs");
    env.remove("src/heron.rs");
    env.write("src/vole.rs", source("Voles dig tunnels."));
    investigate(&env);
    // The clock of the file system is coarse: only now can the journal be known not to change.
    thread::sleep(Duration::from_millis(2_100));
    assert_eq!(env.hits(&["voles dig", "--type", "rust_file", "-n", "1"]), ["src/vole.rs"]);
    // As after `git checkout` of another branch.
    env.write("src/heron.rs", before);
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 0]);
    assert!(indexed(&env).contains(&"src/heron.rs (fresh)".to_owned()));
    assert_eq!(env.hits(&["heron fish dawn", "--type", "rust_file", "-n", "1"]), ["src/heron.rs"]);
}

#[test]
fn evidence_for_other_programs() {
    let env = pond();
    let lines = env.json(&["search", "--evidence", "fish at dawn", "--kind", "summary"]);
    let [found] = &lines[..] else { panic!("{lines:?}") };
    let paths = found["content"]["file_paths"].as_array().unwrap().clone();
    assert_eq!(paths[0], "src/heron.rs");
    let mut summaries = found["content"]["summaries"].as_array().unwrap().clone();
    assert_eq!(summaries[0], summary_of(&env, "src/heron.rs")["summary"]);
    summaries.truncate(paths.len());
    let expected = json!({
        "source": "documentation",
        "type": "indexed_knowledge",
        "content": { "summaries": summaries, "file_paths": paths },
        "metadata": { "query": "fish at dawn", "result_count": paths.len() },
        "confidence": 0.8,
    });
    assert_eq!(rounded(found.clone()), expected);
    let nothing = env.run(&["search", "--evidence", "zebra"]);
    assert_eq!(nothing.code, Some(1), "{nothing}");
    assert_eq!(nothing.json()[0]["metadata"], json!({ "query": "zebra", "result_count": 0 }));
    // Five at most.
    let many = birds();
    for limit in [&[][..], &["-n", "7"]] {
        let args = [&["search", "--evidence", "heron"], limit].concat();
        let found = many.json(&args).remove(0);
        assert_eq!(found["metadata"]["result_count"], 5, "{found}");
        assert_eq!(found["content"]["file_paths"].as_array().unwrap().len(), 5);
        assert_eq!(found["content"]["summaries"].as_array().unwrap().len(), 5);
    }
    let fewer = many.json(&["search", "--evidence", "heron", "-n", "2"]).remove(0);
    assert_eq!(fewer["metadata"]["result_count"], 2);
}

#[test]
fn as_it_was_at_a_commit() {
    let env = pond();
    env.write("src/heron.rs", source("Makes the heron fish at noon."));
    investigate(&env);
    env.commit("noon");
    let said = |args: &[&str]| -> Vec<String> {
        let args = [&["search", "--json", "heron fish", "--type", "rust_file"], args].concat();
        let hits = env.json(&args);
        hits.iter().map(|hit| hit["snippet"].as_str().unwrap().to_owned()).collect()
    };
    let contains = |said: Vec<String>, word: &str| {
        assert!(said.len() == 1 && said[0].contains(word), "{word}: {said:?}");
    };
    contains(said(&["--at", "HEAD~1"]), "dawn");
    contains(said(&["--at", "HEAD"]), "noon");
    // Not even what lies in the work tree now.
    env.write("src/heron.rs", source("Makes the heron fish at night."));
    contains(said(&["--at", "HEAD"]), "noon");
}

#[test]
fn a_file_that_was_deleted_then_does_not_appear_at_that_commit() {
    let env = pond();
    env.git(&["rm", "--quiet", "src/heron.rs"]);
    env.write("src/vole.rs", source("Voles dig tunnels."));
    investigate(&env);
    env.commit("no heron");
    let at = |revision: &str| env.hits(&["fish at dawn", "--at", revision, "--kind", "summary"]);
    assert_eq!(at("HEAD~1")[0], "src/heron.rs");
    assert!(!at("HEAD").contains(&"src/heron.rs".to_owned()), "{:?}", at("HEAD"));
}
