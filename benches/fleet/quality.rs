//! Whether a fleet answers as well as one repository with the same notes.
//!
//! The documents of each test set are published as a repository of its own, and the program folds them;
//! against that stand the documents of all sets in one index, as `elophanto eval` measures it. Both are
//! asked all questions with the same settings, and judged by the same code. A document is a chunk.

use std::{collections::HashMap, fs, path::Path};

use elophanto_app::{
    fleet::Reader,
    reporter::Silent,
    search::{SearchRequest, request, search},
};
use elophanto_index::{
    Kind,
    apart::Row,
    eval::{Corpus, DEPTH, Quality, TestSet},
    search::Request,
};
use elophanto_models::builtin::Builtin;
use elophanto_tables::fleet::{Model, Publication};
use elophanto_text::markdown::Scope;

use crate::{
    Options,
    corpus::{embed, head, model},
    place::Place,
};

/// How far the two may be apart.
const AIM: f64 = 0.005;
/// As `eval` has it: each document is judged for itself, none is younger than another, and nobody
/// looks again at what was found.
const FLAGS: [(&str, &str); 4] = [
    ("search.limit", "20"),
    ("search.recency_weight", "0"),
    ("search.collapse_similarity", "1"),
    ("search.second_look", "never"),
];
const _: () = assert!(DEPTH == 20);

pub fn run(dir: &Path, options: &Options) {
    let sets = read(dir, options);
    let place = Place::in_folder(&options.program);
    place.declare();
    let workspace = place.program.workspace(&FLAGS);
    let mut all = TestSet::default();
    for (name, set) in &sets {
        let publication = publication(name, set, &workspace.analyzer);
        place.fleet().deposit(&publication.head, publication.encode().unwrap()).unwrap();
        all.documents.extend(set.documents.iter().cloned());
    }
    place.program.run(&["publish", "--fold", "--tend", &place.address]);
    println!("\nquality: {} documents of {} repositories", all.documents.len(), sets.len());

    let (analyzer, thresholds) = (&workspace.analyzer, workspace.models.thresholds());
    let one = Corpus::build(&all, analyzer, &Builtin).unwrap();
    let reader = Reader::new(place.fleet());
    let mut most = 0.0f64;
    for (name, set) in &sets {
        let measured = one.measure(set, analyzer, &Builtin, |query| Request {
            limit: DEPTH,
            ..request::of(&workspace.config, &thresholds, query)
        });
        let measured = measured.unwrap();
        let mut quality = Quality::default();
        let (mut same, mut found_by_one) = (0, 0);
        for (question, alone) in set.questions.iter().zip(&measured.answers) {
            let (text, within) = (question.text.clone(), Some(reader.clone()));
            let wanted = SearchRequest { text, within, ..SearchRequest::default() };
            let answer = search(&workspace, &wanted, &Silent).unwrap().answer;
            let found: Vec<String> = answer.hits.iter().map(|hit| hit.path.to_text()).collect();
            let grade = |id: &String| question.relevant.get(id).copied().unwrap_or_default();
            let grades: Vec<f64> = found.iter().map(grade).collect();
            quality.add(&grades, question.relevant.values().copied());
            let best = &alone.found[..alone.found.len().min(10)];
            found_by_one += best.len();
            same += best.iter().filter(|(id, _)| found.iter().take(10).any(|it| it == id)).count();
        }
        let quality = quality.mean();
        let apart = quality.ndcg_at_10 - measured.quality.ndcg_at_10;
        most = most.max(apart.abs());
        println!(
            "{name:<16} nDCG@10 alone {:.4}, in the fleet {:.4}, apart {apart:+.4}; Recall@20 {:.4}, \
             {:.4}; {:.1} % of the best ten the same",
            measured.quality.ndcg_at_10,
            quality.ndcg_at_10,
            measured.quality.recall_at_20,
            quality.recall_at_20,
            100.0 * same as f64 / found_by_one.max(1) as f64
        );
    }
    let held = if most <= AIM { "held" } else { "MISSED" };
    println!("at most {most:.4} apart; aim {AIM}: {held}");
}

/// The sets, by the names of their folders; documents are named as hits of the fleet are.
fn read(dir: &Path, options: &Options) -> Vec<(String, TestSet)> {
    let mut sets = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        if !entry.path().join("corpus.jsonl").is_file() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let mut set = TestSet::read(&entry.path()).unwrap();
        set.documents.iter_mut().for_each(|document| document.id = place_of(&name, &document.id));
        let count = options.sized(set.questions.len(), 10).min(set.questions.len());
        set.questions.truncate(count);
        for question in &mut set.questions {
            let relevant = question.relevant.drain();
            let relevant: HashMap<String, f64> =
                relevant.map(|(id, grade)| (place_of(&name, &id), grade)).collect();
            question.relevant = relevant;
            question.text = plain(&question.text);
        }
        sets.push((name, set));
    }
    sets.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(!sets.is_empty(), "no test sets in `{}`", dir.display());
    sets
}

fn place_of(repository: &str, id: &str) -> String {
    format!("{repository}/{id}")
}

/// A question in which nothing is quoted or excluded.
fn plain(question: &str) -> String {
    let words = question.split(|char: char| char.is_whitespace() || "\"“”„«»".contains(char));
    let words = words.map(|word| word.trim_start_matches(['-', '–', '—']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn publication(
    name: &str,
    set: &TestSet,
    analyzer: &elophanto_base::lexical::Analyzer,
) -> Publication {
    let row = |place: &str, title: &str, text: &str| Row {
        repository: name.to_owned(),
        path: place.strip_prefix(&place_of(name, "")).unwrap_or(place).to_owned(),
        kind: Kind::Note,
        title: title.to_owned(),
        titled: !title.is_empty(),
        headings: Vec::new(),
        scope: Scope::User,
        tags: Vec::new(),
        lines: (1, 1),
        text: text.to_owned(),
        changed: None,
        made_from: None,
        lesson: None,
        vector: None,
    };
    let documents = set.documents.iter();
    let mut rows: Vec<Row> =
        documents.map(|document| row(&document.id, &document.title, &document.text)).collect();
    embed(&mut rows);
    let rows = rows.into_iter().map(|row| {
        let terms = row.terms(analyzer);
        (row, terms)
    });
    let Model { name: model, dimension } = model();
    Publication { head: head(name, 1), model, dimension, rows: rows.collect() }
}
