//! How often the lesson that answers a question is among the first that are recalled: 2,000 lessons,
//! 100 questions in other words.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use elophanto_base::lexical::Analyzer;
use elophanto_index::{Context, Options, Snapshot, fill, refresh};
use elophanto_knowledge::memory::{FOLDER, Lessons, Question, RecallContext, recall};
use elophanto_models::{
    Embedder,
    bert::Bert,
    builtin::{Builtin, count_tokens},
};
use elophanto_repo::{Selection, locate};
use elophanto_text::chunk::Limits;
use serde_json::Value;

use super::{folder, lines, text};
use crate::env::TestEnv;

const FILES: [&str; 4] = ["operations", "python", "systems", "web"];
/// What is counted: right among the first so many.
const FIRST: [usize; 4] = [1, 3, 5, 10];
/// How many are asked for: as many as by default, or more where more are looked at.
const LIMITS: [usize; 2] = [5, 10];
/// A change may cost so many answers among the first five before somebody has to look.
const SLACK: usize = 2;

#[test]
fn the_built_in_model() {
    check(&Builtin, 82);
}

/// `cargo test --release labelled -- --ignored`.
#[test]
#[ignore = "takes minutes without optimisation"]
fn the_shipped_transformer() {
    check(Bert::minilm(), 87);
}

/// Among the first five there must be about as many right ones as were measured.
fn check(model: &dyn Embedder, measured: usize) {
    let env = TestEnv::new();
    for file in FILES {
        let file = format!("{file}.jsonl");
        let bytes = std::fs::read(folder().join("recall").join(&file)).unwrap();
        env.write(Path::new(FOLDER).join(file), bytes);
    }
    let analyzer = Analyzer::new("english");
    let snapshot = index(&env, model, &analyzer);
    let means =
        RecallContext { analyzer: &analyzer, embedder: model, thresholds: model.thresholds() };

    let mut right = [0; FIRST.len()];
    let mut missed = String::new();
    for asked in lines("recall/queries.jsonl") {
        let text = text(&asked, "query");
        let wanted: Vec<(PathBuf, usize)> =
            asked["answers"].as_array().unwrap().iter().map(place).collect();
        let at = LIMITS.map(|limit| {
            let question = Question {
                text,
                repo: None,
                own: "none of theirs",
                event_type: None,
                archived: false,
                limit,
                now: "2026-11-22T00:00:00Z".parse().unwrap(),
            };
            let found = recall(&snapshot, &question, &means).unwrap();
            found.iter().position(|it| {
                wanted.iter().any(|(path, line)| it.path.as_path() == path && it.line == *line)
            })
        });
        for (right, first) in right.iter_mut().zip(FIRST) {
            let at = at[usize::from(first > LIMITS[0])];
            *right += usize::from(at.is_some_and(|at| at < first));
        }
        if at[0].is_none() {
            writeln!(missed, "{text}").unwrap();
        }
    }
    assert!(right[2] + SLACK >= measured, "{right:?} among the first {FIRST:?}\n{missed}");
}

/// Where a record stands that is named by file and line.
fn place(answer: &Value) -> (PathBuf, usize) {
    let file = format!("{}.jsonl", answer[0].as_str().unwrap());
    (Path::new(FOLDER).join(file), answer[1].as_u64().unwrap() as usize)
}

/// All records with their vectors.
fn index(env: &TestEnv, model: &dyn Embedder, analyzer: &Analyzer) -> Snapshot {
    let repository = locate(env.root()).unwrap();
    let lessons = Lessons::new(&repository, None);
    let context = Context {
        repository: &repository,
        selection: &Selection {
            roots: Vec::new(),
            extensions: Vec::new(),
            apart: "".into(),
            is_key: |_| false,
        },
        write_root: Path::new("knowledge"),
        limits: &Limits::default(),
        max_file_bytes: 1 << 20,
        analyzer,
        embedder: model,
        tables: &elophanto_tables::Lance,
        count_tokens: &count_tokens,
        now: &|| 0,
        lessons: None,
        unwritten: |_, _| Vec::new(),
    };
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let mut refreshed = refresh(&context, &lessons, options).unwrap();
    if refreshed.report.waiting > 0 {
        let passages = fill::waiting(&context, &refreshed.snapshot).unwrap();
        fill::fill(&context, &passages, &|_, _| true);
        refreshed = refresh(&context, &lessons, options).unwrap();
    }
    let report = &refreshed.report;
    assert_eq!((report.chunks, report.waiting), (2_000, 0), "{:?}", report.notices);
    refreshed.snapshot
}
