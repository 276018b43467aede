//! What a question means and whether it is answered: dashes, words of other languages, confidence.

use std::fs;

use serde_json::Value;

use crate::env::{TestEnv, snapshot};

/// Notes about git and a few other things.
fn handbook() -> TestEnv {
    TestEnv::with(&[
        (
            "docs/rebase.md",
            "# Rebase\n\n## Options\n\n`git rebase -r` keeps merges as they are. `-s` chooses the \
             strategy, `-b` the branch that is moved. With `--no-verify` no hook runs.\n",
        ),
        (
            "docs/strategies.md",
            "# Strategies\n\nA strategy says how two sides of a merge are put together in a rebase.\n",
        ),
        ("docs/clean.md", "# Cleaning up\n\n`rm -rf build` takes away what a build has left.\n"),
        ("docs/radio.md", "# Radio\n\nAn RF module sends what it measures to the base station.\n"),
        ("docs/sea.md", "# Sea\n\nThe deep-sea eel crosses an ocean to breed.\n"),
        ("docs/shell.md", "# Shells\n\nThe shell is still what we sell. A timeout ends it.\n"),
    ])
}

#[test]
fn a_dash_may_be_part_of_an_option() {
    let env = handbook();
    let question = "difference between -r -s and -b in rebase";
    let asked = env.ok(&["search", "--json", question]);
    assert_eq!(asked.json()[0]["path"], "docs/rebase.md");
    assert_eq!(asked.json()[0].get("excluded"), None);
    assert_eq!(asked.stderr(), "");
    // As the notes write it.
    for (question, first) in [
        ("what does rm -rf take away", "docs/clean.md"),
        ("rebase -no-verify", "docs/rebase.md"),
        ("commit without --no-verify", "docs/rebase.md"),
        ("what is rm -rf?", "docs/clean.md"),
        ("-rf build", "docs/clean.md"),
    ] {
        let asked = env.ok(&["search", "--json", "--", question]);
        assert_eq!(asked.json()[0]["path"], first, "{question}");
        assert_eq!(asked.stderr(), "", "{question}");
    }
    // In quotes it excludes all the same.
    assert!(!env.hits(&["rebase -\"r\"", "-n", "9"]).contains(&"docs/rebase.md".to_owned()));
    assert!(!env.hits(&["take away -\"rf\"", "-n", "9"]).contains(&"docs/clean.md".to_owned()));
}

#[test]
fn what_is_left_out_is_said() {
    let env = handbook();
    // `deep-sea` is no word with a dash before it.
    snapshot!(env.run(&["search", "--mode", "keyword", "rebase strategy -options -\"deep sea\""]), @r#"
    exit: 0
    --- stdout
    docs/strategies.md:3  Strategies
        A strategy says how two sides of a merge are put together in a rebase.
    --- stderr
    note: `-options` leaves out whatever holds `options`; to look for it instead: "options"
    note: `-"deep sea"` leaves out whatever holds `deep sea`; to look for it instead: "deep sea"
    "#);
    let hits = env.json(&["search", "--json", "ocean eel -shell"]);
    assert_eq!(hits[0]["excluded"], serde_json::json!(["-shell"]));
    snapshot!(env.run(&["search", "eel -sea"]), @r#"
    exit: 1
    --- stdout
    --- stderr
    note: `-sea` leaves out whatever holds `sea`; to look for it instead: "sea"
    nothing found for `eel -sea` in 6 notes (6 chunks)
    hint: try without what is left out
    "#);
    snapshot!(env.run(&["search", "--", "-sea"]), @r#"
    exit: 2
    --- stdout
    --- stderr
    error: there is nothing to look for
    hint: give a few words, such as `elophanto search "how are notes merged"`
    "#);
}

#[test]
fn words_of_other_languages_are_not_corrected() {
    let env = handbook();
    for question in ["wie stelle ich den Timeout ein", "stelle", "Stellen wechseln"] {
        let said = env.run(&["search", question]).stderr();
        assert!(!said.contains("occurs nowhere"), "{question}: {said}");
    }
    // A slip of the fingers still is.
    let said = env.run(&["search", "what is a strateyg"]).stderr();
    // In the form that is nearest to what was typed.
    assert!(said.contains("`strateyg` occurs nowhere; looked for strategy\n"), "{said}");
}

fn level(env: &TestEnv, question: &str) -> String {
    let hits = env.json(&["search", "--json", question]);
    hits[0]["confidence"]["level"].as_str().unwrap().to_owned()
}

#[test]
fn how_sure_an_answer_is() {
    let env = handbook();
    let answered = "which option of git rebase keeps merges as they are and chooses the strategy";
    let not_answered =
        "how much does a ticket for the opera in Vienna cost on a weekday, and who may sell it";
    assert_eq!(level(&env, answered), "sure");
    assert_eq!(level(&env, not_answered), "probably nothing");
    let hits = env.json(&["search", "--json", answered]);
    let all: Vec<&Value> = hits.iter().map(|hit| &hit["confidence"]).collect();
    assert!(all.iter().all(|found| *found == all[0]), "{all:?}");
    let probability = all[0]["probability"].as_f64().unwrap();
    assert!((0.7..=1.0).contains(&probability), "{probability}");
    // Words alone are enough to be judged by; what resembles a note was no question.
    let by_words = env.json(&["search", "--json", "--mode", "keyword", answered]);
    assert_eq!(by_words[0]["confidence"]["level"], "sure");
    let alike = env.json(&["search", "--json", "--like", "docs/rebase.md"]);
    assert_eq!(alike[0].get("confidence"), None);
    // A low one is said in words, to whoever reads words.
    let doubt = "Probably nothing here answers this. The nearest:";
    for (format, says) in [("text", true), ("markdown", true), ("files", false), ("vimgrep", false)]
    {
        let said = env.ok(&["search", "--format", format, not_answered]).stdout();
        assert_eq!(said.starts_with(&format!("{doubt}\n\n")), says, "{format}: {said}");
        assert!(!env.ok(&["search", "--format", format, answered]).stdout().contains(doubt));
    }
    let brief = env.ok(&["search", "--max-tokens", "60", not_answered]).stdout();
    assert!(brief.starts_with(doubt), "{brief}");
}

#[test]
fn a_least_confidence_can_be_asked_for() {
    let env = handbook();
    let answered = "which option of git rebase keeps merges as they are and chooses the strategy";
    let not_answered =
        "how much does a ticket for the opera in Vienna cost on a weekday, and who may sell it";
    for least in ["sure", "perhaps"] {
        let flags = ["search", "--min-confidence", least];
        env.ok(&[&flags[..], &[answered]].concat());
        for format in ["text", "json"] {
            let format = ["--format", format, not_answered];
            let refused = env.run(&[&flags[..], &format].concat());
            assert_eq!((refused.code, refused.stdout().as_str()), (Some(1), ""), "{least}");
        }
    }
    snapshot!(env.run(&["search", "--min-confidence", "sure", not_answered]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing found that surely answers `how much does a ticket for the opera in Vienna cost on a weekday, and who may sell it`: what is nearest probably does not
    hint: see what is nearest without --min-confidence
    ");
    for wrong in [
        &["--min-confidence", "certain", "x"][..],
        &["--min-confidence", "sure", "--like", "docs/sea.md"],
    ] {
        assert_eq!(env.run(&[&["search"], wrong].concat()).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn sets_against_each_other_measure_confidence() {
    let env = TestEnv::new();
    for (set, subject) in [("sea", "otter"), ("git", "branch")] {
        let lines = |line: &dyn Fn(usize) -> String| (0..8).map(line).collect::<String>();
        let word =
            |n: usize| ["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "theta"][n];
        let corpus = lines(&|n| {
            let text = format!(
                "The {subject} named {} rests on the {} shore at noon.",
                word(n),
                word(7 - n)
            );
            format!("{}\n", serde_json::json!({"id": n.to_string(), "text": text}))
        });
        let queries = lines(&|n| {
            let text = format!("where does the {subject} named {} rest at noon", word(n));
            format!("{}\n", serde_json::json!({"id": n.to_string(), "text": text}))
        });
        env.write(format!("{set}/corpus.jsonl"), corpus);
        env.write(format!("{set}/queries.jsonl"), queries);
        env.write(format!("{set}/qrels.tsv"), lines(&|n| format!("{n}\t{n}\t1\n")));
    }
    fs::remove_file(env.path("git/corpus.jsonl")).unwrap();
    env.write("git/corpus.jsonl", "{\"id\":\"0\",\"text\":\"Branches.\"}\n");
    let measured = env.json(&["eval", "--json", "--model", "builtin", "sea", "--against", "git"]);
    let (questions, sum) = measured.split_at(measured.len() - 1);
    assert_eq!(questions.iter().filter(|it| it["own"] == true).count(), 8);
    assert!(sum[0]["auc"].as_f64().unwrap() > 0.9, "{sum:?}");
    let levels: Vec<&str> = sum[0]["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["sure", "perhaps", "probably nothing"]);
    let said = env.ok(&["eval", "--model", "builtin", "sea", "--against", "git"]).stdout();
    assert!(said.starts_with("8 questions of the set, "), "{said}");
    // Thresholds of a model say where sure begins.
    let found =
        &env.json(&["eval", "--json", "--model", "builtin", "sea", "--thresholds", "git"])[0];
    let (sure, no_answer) = (found["sure"].as_f64().unwrap(), found["no_answer"].as_f64().unwrap());
    assert!(no_answer <= sure, "{found}");
    assert_eq!(env.run(&["eval", "sea", "--against", "git", "--thresholds", "git"]).code, Some(2));
}

#[test]
fn source_files_that_nobody_described_are_told_of() {
    let env = handbook();
    env.write("src/lib.rs", "//! Carries parcels over the river.\npub fn carry() {}\n");
    env.commit("code");
    let hint =
        "hint: 1 source file is not searched: `elophanto scan --investigate --all` describes them";
    let asked = |args: &[&str]| {
        let said = env.run(&[&["search"], args].concat()).stderr();
        said.lines().any(|line| line == hint)
    };
    assert!(asked(&["zebra crossing walrus", "--mode", "keyword"]), "nothing found");
    let doubtful = "what is an ocean of parcels in the river";
    assert!(asked(&[doubtful]), "hardly an answer");
    // Not where programs read hits, and not where only notes are wanted.
    assert!(!env.hits(&[doubtful]).is_empty() && !asked(&[doubtful, "--json"]));
    assert!(!asked(&["zebra crossing walrus", "--mode", "keyword", "--kind", "note"]));
    env.ok(&["scan", "--investigate", "--all"]);
    assert!(!asked(&["zebra crossing walrus", "--mode", "keyword"]));
    assert_eq!(env.hits(&["parcels over the river"])[0], "src/lib.rs");
}
