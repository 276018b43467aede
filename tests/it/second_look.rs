//! The second look: a slower model reads the best hits of the built-in one.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::env::{Output, TestEnv, finish, snapshot};
use elophanto_index::store::matrix::Matrix;
use elophanto_models::{Embedder, bert::Bert};

/// Notes of which all answer to `animal`, two of them at length.
pub fn notes() -> TestEnv {
    let env = TestEnv::new().builtin();
    env.write(".elophanto/config.yaml", "search:\n  collapse_similarity: 1\n  recency_weight: 0\n");
    let filler = "The parser reads one line after the other and names an error by its line. ";
    for number in 0..6 {
        let long = if number < 2 { filler.repeat(12) } else { String::new() };
        let text = format!("# Animal {number}\n\n{long}Animal {number} went home with honey.\n");
        env.write(format!("notes/n{number}.md"), text);
    }
    env.write("notes/keeper.md", "# Keeper\n\nWhoever tends the animal house sleeps beside it.\n");
    env.commit("notes");
    env.index(&[]);
    env
}

fn asked(env: &TestEnv, second_look: &str, args: &[&str]) -> Output {
    finish(env.command(args).env("ELOPHANTO_SEARCH_SECOND_LOOK", second_look))
}

fn cached(env: &TestEnv) -> BTreeSet<String> {
    let entries = fs::read_dir(env.path(".git/elophanto/vectors")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".vec")).collect()
}

/// How many whole passages of [`notes`] a second look has read so far: what it reads it keeps.
pub fn looked_at(env: &TestEnv) -> usize {
    let minilm = Bert::minilm().fingerprint().as_str();
    let matrices = cached(env).into_iter().map(|name| {
        let path = env.path(".git/elophanto/vectors").join(name);
        Matrix::open(&path).unwrap()
    });
    matrices.filter(|matrix| matrix.fingerprint() == minilm).map(|matrix| matrix.rows()).sum()
}

/// Asks until all seven [`notes`] were looked at. A machine that is busy may have time for a few of
/// them only, and on the next question for the next ones.
pub fn until_all_are_looked_at(env: &TestEnv, mut ask: impl FnMut()) {
    let before = looked_at(env);
    assert_eq!(before, 0);
    // Each look has its time, in which a machine at work may come to nothing.
    let begun = std::time::Instant::now();
    while begun.elapsed().as_secs() < 240 {
        ask();
        if looked_at(env) == 7 {
            return;
        }
    }
    panic!("{} of 7 were looked at", looked_at(env));
}

pub const WORDS: &str = "animal that went home";

const QUESTION: &[&str] = &["search", "--json", "--explain", WORDS];

#[test]
fn what_it_adds_is_told() {
    let env = notes();
    let hits = asked(&env, "always", QUESTION).json();
    assert_eq!(hits.len(), 7);
    let part = |hit: &Value, name: &str| hit["explain"].get(name).and_then(Value::as_f64);
    for hit in &hits {
        let parts = [
            "keyword_part", "semantic_part", "recency_part", "words_part", "window_part",
            "whole_part", "excerpt_part",
        ];
        let sum: f64 = parts.iter().filter_map(|name| part(hit, name)).sum();
        assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-5, "{hit}");
    }
    // What is nearest to the question has all of it, what is farthest nothing.
    let most = |name: &str| hits.iter().filter_map(|hit| part(hit, name)).fold(0.0, f64::max);
    assert!(most("whole_part") > 0.1 && most("excerpt_part") > 0.1, "{hits:?}");
    let text = asked(&env, "always", &["search", "--explain", WORDS]).stdout();
    assert!(text.contains(" + read again: whole 0."), "{text}");
    // It is the same at each run, with the vectors kept as without.
    assert_eq!(asked(&env, "always", QUESTION).json(), hits);
    assert_eq!(asked(&env, "never", QUESTION).json().len(), 7);
}

#[test]
fn a_pipe_waits_for_none() {
    let env = notes();
    let before = cached(&env);
    for setting in ["auto", "never"] {
        let hits = asked(&env, setting, QUESTION).json();
        let parts = hits.iter().map(|hit| hit["explain"].get("whole_part"));
        assert!(parts.flatten().next().is_none(), "{hits:?}");
        assert_eq!(cached(&env), before, "{setting}");
    }
    // Nor is there one where only words, or only meaning, are wanted, or a place is given.
    for args in [
        &["search", "--json", "--mode", "keyword", "animal home"][..],
        &["search", "--json", "--mode", "semantic", "animal home"],
        &["search", "--json", "--ranking", "additive", "animal home"],
        &["search", "--json", "--like", "notes/n1.md"],
    ] {
        let hits = asked(&env, "always", args).json();
        assert!(!hits.is_empty());
        assert_eq!(cached(&env), before, "{args:?}");
    }
}

#[test]
fn the_least_score_means_the_same_with_and_without_it() {
    let env = notes();
    let scores = |hits: &[Value]| -> Vec<(String, f64)> {
        let one = |hit: &Value| {
            (hit["path"].as_str().unwrap().to_owned(), hit["score"].as_f64().unwrap())
        };
        hits.iter().map(one).collect()
    };
    let all = scores(&asked(&env, "never", QUESTION).json());
    let again = scores(&asked(&env, "always", QUESTION).json());
    assert_ne!(all, again, "they are other numbers");
    let paths = |hits: Vec<(String, f64)>| -> BTreeSet<String> {
        hits.into_iter().map(|(path, _)| path).collect()
    };
    for kept in 1..all.len() {
        // Between the score of this one and that of the next.
        let least = format!("{}", f64::midpoint(all[kept - 1].1, all[kept].1));
        let args = [QUESTION, &["--min-score", &least]].concat();
        for second_look in ["never", "always"] {
            let hits = scores(&asked(&env, second_look, &args).json());
            assert_eq!(paths(hits), paths(all[..kept].to_vec()), "{second_look}, {least}");
        }
    }
}

#[test]
fn what_was_read_is_there_for_another_model() {
    let env = notes();
    asked(&env, "always", QUESTION);
    let embedded = |env: &TestEnv| {
        let mut index = env.command(&["index", "--json"]);
        let index = finish(index.env("ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER", "minilm"));
        index.json().last().unwrap()["embedded"].as_u64().unwrap()
    };
    assert_eq!(embedded(&env), 0, "all seven were asked about");
    // Without it all of them are to be made.
    assert_eq!(embedded(&notes()), 7);
}

#[test]
fn two_settings_are_compared() {
    let env = TestEnv::new();
    env.write(
        "set/corpus.jsonl",
        "{\"id\": \"a\", \"title\": \"Otters\", \"text\": \"Otters hold hands while they sleep.\"}\n\
         {\"id\": \"b\", \"title\": \"Bears\", \"text\": \"Bears sleep through the winter.\"}\n",
    );
    env.write(
        "set/queries.jsonl",
        "{\"id\": \"1\", \"text\": \"otters asleep\"}\n{\"id\": \"2\", \"text\": \"winter rest of bears\"}\n",
    );
    env.write("set/qrels.tsv", "1\ta\t1\n2\tb\t1\n2\tgone\t1\n3\ta\t1\n");
    let compared =
        env.ok(&["eval", "set", "--compare", "search.second_look=always", "--per-query", "--json"]);
    assert_eq!(
        compared.stderr(),
        "note: 1 document that qrels.tsv says are relevant is not in corpus.jsonl: they count as \
         not found\nnote: 1 question of qrels.tsv is not in queries.jsonl, and left out\n"
    );
    let [first, second, paired, one, other] = &compared.json()[..] else { panic!("{compared:?}") };
    for row in [first, second] {
        let of = |name: &str| row[name].as_f64().unwrap();
        assert!(of("ndcg_low") <= of("ndcg_at_10") && of("ndcg_at_10") <= of("ndcg_high"), "{row}");
    }
    assert_eq!((&paired["better"], &paired["worse"]), (&0.into(), &0.into()), "{paired}");
    assert_eq!(paired["p"], 1.0);
    assert_eq!((&one["id"], &other["id"]), (&"1".into(), &"2".into()));
    assert_eq!(one["rankings"][1]["by"], "compared");
    assert_eq!(one["rankings"][0]["found"][0]["id"], "a");
    assert_eq!(other["rankings"][0]["found"][0]["grade"], 1.0);
    let wrong = env.run(&["eval", "set", "--compare", "second_look"]);
    assert!(wrong.stderr().contains("as KEY=VALUE"), "{wrong:?}");
}

#[test]
fn history_asks_questions() {
    let env = TestEnv::new().builtin();
    env.write("docs/otters.md", "# Otters\n\nThey hold hands while they sleep.\n");
    env.commit("Explain how otters sleep");
    env.write("docs/bears.md", "# Bears\n\nBears rest through the winter in a den.\n");
    env.write("CHANGELOG.md", "# Changes\n\nHow otters sleep and bears rest in winter.\n");
    env.commit("docs: where bears rest in winter");
    env.write("docs/bears.md", "# Bears\n\nBears rest through the whole winter in a den.\n");
    env.commit("typo");
    let asked = env.ok(&["eval", "--from-git", "--per-query", "--json"]);
    let lines = asked.json();
    let texts: Vec<&Value> = lines.iter().filter_map(|line| line.get("text")).collect();
    assert_eq!(texts, ["where bears rest in winter", "Explain how otters sleep"], "{asked:?}");
    let hybrid = lines.iter().find(|line| line["mode"] == "hybrid").unwrap();
    assert_eq!((&hybrid["questions"], &hybrid["recall_at_20"]), (&2.into(), &1.0.into()));
    let short = TestEnv::with(&[("a.md", "# A\n\nText.\n")]);
    short.commit("typo");
    snapshot!(short.run(&["eval", "--from-git"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: no commit says what it did to a note that is still here
    hint: subjects of three words or more count, of commits that touch up to five notes
    ");
}
