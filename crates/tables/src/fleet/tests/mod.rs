use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

use elophanto_index::{
    Kind,
    apart::{Row, Whole},
    store::{segment::LessonRecord, tables::Encoded},
};
use elophanto_net::fake_store::{FakeStore, Fault};
use elophanto_text::markdown::Scope;
use lance::index::{DatasetIndexExt as _, DatasetIndexInternalExt as _};

use super::*;

mod finding;
mod lies;
mod together;

const MODEL: &str = "test-model@1:8:v1";
const DIMENSION: usize = 8;

fn models() -> Vec<Model> {
    let model = |name: &str| Model { name: name.to_owned(), dimension: DIMENSION };
    vec![model(MODEL), model("other")]
}

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

fn keys(store: &FakeStore) -> Keys {
    let variables = store.variables();
    Keys::of(|name| variables.get(name).cloned())
}

fn on_store(store: &FakeStore) -> Fleet {
    Fleet::open(address("s3://bucket/kb"), keys(store), None).unwrap()
}

fn declared_on(store: &FakeStore) -> Fleet {
    let fleet = on_store(store);
    fleet.declare(models()).unwrap();
    fleet
}

fn commit(count: u64) -> String {
    format!("{count:040x}")
}

fn head(repository: &str, count: u64) -> Head {
    Head {
        repository: repository.to_owned(),
        epoch: 0,
        count,
        commit: commit(count),
        time: 1_000 + count as i64,
        published: 2_000,
        retired: false,
        chunks: 0,
    }
}

fn unit(seed: u64) -> Encoded {
    let mut random = fastrand::Rng::with_seed(seed);
    let values: Vec<f32> = (0..DIMENSION).map(|_| random.f32() - 0.5).collect();
    let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    Encoded::new(&values.iter().map(|value| value / norm).collect::<Vec<_>>())
}

fn row(repository: &str, path: &str, text: &str) -> (Row, String) {
    let row = Row {
        repository: repository.to_owned(),
        path: path.to_owned(),
        kind: Kind::Note,
        title: "T".to_owned(),
        titled: true,
        headings: vec!["One \"two\"".to_owned()],
        scope: Scope::User,
        tags: Vec::new(),
        lines: (1, 2),
        text: text.to_owned(),
        changed: Some(7),
        made_from: None,
        lesson: None,
        vector: Some(unit(blake3::hash(text.as_bytes()).as_bytes()[0].into())),
    };
    let terms = text.to_lowercase();
    (row, terms)
}

fn publication(repository: &str, count: u64, texts: &[&str]) -> Publication {
    let rows = texts.iter().enumerate();
    let rows = rows.map(|(index, text)| row(repository, &format!("n{index}.md"), text)).collect();
    Publication {
        head: head(repository, count),
        model: MODEL.to_owned(),
        dimension: DIMENSION,
        rows,
    }
}

fn deposit(fleet: &Fleet, publication: &Publication) {
    fleet.deposit(&publication.head, publication.encode().unwrap()).unwrap();
}

/// Texts of each repository, sorted, and its count of commits.
fn held(fleet: &Fleet) -> BTreeMap<String, (u64, Vec<String>)> {
    let view = fleet.view(None).unwrap();
    let mut held: BTreeMap<String, (u64, Vec<String>)> = view
        .heads()
        .iter()
        .map(|head| (head.repository.clone(), (head.count, Vec::new())))
        .collect();
    for table in view.tables() {
        let (sender, receiver) = std::sync::mpsc::channel();
        table.each(Only::default(), move |rows| sender.send(rows).is_ok()).unwrap();
        for row in receiver.into_iter().flatten() {
            held.get_mut(&row.repository).expect("a head of each row").1.push(row.text);
        }
    }
    held.values_mut().for_each(|(_, texts)| texts.sort());
    held
}

/// A question that says nothing yet, for so many chunks by words and as many by meaning.
fn asked(most: usize) -> Asked {
    Asked { most, read: 2 * most, meaning: 0.4, ..Asked::default() }
}

fn ask(fleet: &Fleet, terms: &[&str], only: Only) -> Vec<String> {
    let view = fleet.view(None).unwrap();
    let mut found = Vec::new();
    for table in view.tables() {
        let terms = terms.iter().map(|term| (*term).to_owned()).collect();
        let asked = Asked { terms, only: only.clone(), ..asked(10) };
        found.extend(table.ask(asked).unwrap().rows.into_iter().map(|row| row.text));
    }
    found.sort();
    found
}

fn lesson(text: &str) -> LessonRecord {
    LessonRecord {
        id: "01JAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".parse().unwrap(),
        agent_id: "a".to_owned(),
        repo: "sea".to_owned(),
        event_type: "error".to_owned(),
        success_rate: "9/10".to_owned(),
        replaces: String::new(),
        fields: [(0, 0), (0, 0), (0, text.len()), (0, 0)],
    }
}

/// A publication with one lesson.
fn with_lesson(repository: &str, lesson: Option<LessonRecord>) -> Publication {
    let mut made = publication(repository, 1, &["otters sleep"]);
    let (mut row, terms) = row(repository, ".elophanto/memory/sea/a.jsonl", "otters bite");
    (row.kind, row.lesson) = (Kind::Memory, lesson);
    made.rows.push((row, terms));
    made
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let below = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => walk(&path),
        path => vec![path],
    });
    below.collect()
}
