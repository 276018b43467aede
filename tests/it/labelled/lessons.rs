//! How often the lesson that answers a question is among the first that are recalled, wherever it was
//! learnt, and how often nothing is where nothing answers: 2,100 lessons, 200 questions in other words
//! and 130 about other things.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use elophanto_base::lexical::Analyzer;
use elophanto_index::{Context, Options, Snapshot, fill, refresh, store::tables::Plain};
use elophanto_knowledge::memory::{FOLDER, Lessons, Question, RecallContext, Recalled, recall};
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

const FILES: [&str; 5] = ["operations", "others", "python", "systems", "web"];
/// The lessons of four repositories about other things than the rest.
const OTHERS: [&str; 1] = ["others"];
/// What is counted: right among the first so many.
const FIRST: [usize; 4] = [1, 3, 5, 10];
/// How many are asked for: as many as by default, or more where more are looked at.
const LIMITS: [usize; 2] = [5, 10];
/// A change may cost so many answers among the first five before somebody has to look.
const SLACK: usize = 2;

#[test]
fn the_built_in_model() {
    check(&Builtin, &Measured { right: [80, 47], elsewhere: [29, 41], nothing: [93, 94] });
}

/// `cargo test --release labelled -- --ignored`.
#[test]
#[ignore = "takes minutes without optimisation"]
fn the_shipped_transformer() {
    check(Bert::minilm(), &Measured { right: [87, 67], elsewhere: [41, 52], nothing: [118, 119] });
}

/// What was measured of a model.
struct Measured {
    /// Right among the first five of 100 questions about the old lessons, and of 100 about the others.
    right: [usize; 2],
    /// Of 60 questions asked in another repository than the one that learnt the answer: right first,
    /// and among the first five.
    elsewhere: [usize; 2],
    /// Unrelated questions of 130 that get nothing, of all lessons and of [`OTHERS`].
    nothing: [usize; 2],
}

fn check(model: &dyn Embedder, measured: &Measured) {
    let analyzer = Analyzer::new("english");
    let means =
        RecallContext { analyzer: &analyzer, embedder: model, thresholds: model.thresholds() };
    let env = TestEnv::new();
    let all = memory(&env, &FILES, &means);
    let mut found = String::new();
    let mut sound = true;
    for (file, least) in ["queries", "other-queries"].into_iter().zip(measured.right) {
        let mut right = [0; FIRST.len()];
        for asked in lines(&format!("recall/{file}.jsonl")) {
            for (right, first) in right.iter_mut().zip(FIRST) {
                let limit = LIMITS[usize::from(first > LIMITS[0])];
                let at = place_of_answer(&all, &asked, limit, "none of theirs", &means);
                *right += usize::from(at.is_some_and(|at| at < first));
            }
        }
        writeln!(found, "{file}: {right:?} among the first {FIRST:?}, measured {least}").unwrap();
        sound &= right[2] + SLACK >= least;
    }
    let env = TestEnv::new();
    let others = memory(&env, &OTHERS, &means);
    let mut right = [0; 2];
    let repositories = ["field-app", "bench-firmware", "atlas-data", "press-room"];
    let questions = lines("recall/other-queries.jsonl").into_iter().enumerate();
    for (number, asked) in questions.filter(|(number, _)| number % 25 < 15) {
        let own = repositories[(number / 25 + 1) % repositories.len()];
        let at = place_of_answer(&others, &asked, LIMITS[0], own, &means);
        right[0] += usize::from(at == Some(0));
        right[1] += usize::from(at.is_some());
    }
    writeln!(found, "elsewhere: {right:?}, measured {:?}", measured.elsewhere).unwrap();
    sound &= right.iter().zip(measured.elsewhere).all(|(right, least)| right + SLACK >= least);
    let refused = [&all, &others].map(|snapshot| {
        let nothing = |asked: &Value| recalled(snapshot, asked, 5, "field-app", &means).is_empty();
        lines("recall/unrelated.jsonl").iter().filter(|asked| nothing(asked)).count()
    });
    writeln!(found, "nothing: {refused:?} of 130, measured {:?}", measured.nothing).unwrap();
    sound &= refused.iter().zip(measured.nothing).all(|(nothing, least)| nothing + SLACK >= least);
    assert!(sound, "{found}");
}

fn recalled(
    snapshot: &Snapshot,
    asked: &Value,
    limit: usize,
    own: &str,
    means: &RecallContext,
) -> Vec<Recalled> {
    let now = "2026-11-22T00:00:00Z".parse().unwrap();
    let text = text(asked, "query");
    let question =
        Question { text, repo: None, own, event_type: None, archived: false, limit, now };
    recall(snapshot, &question, means).unwrap()
}

/// At which place the first answer is recalled.
fn place_of_answer(
    snapshot: &Snapshot,
    asked: &Value,
    limit: usize,
    own: &str,
    means: &RecallContext,
) -> Option<usize> {
    let wanted: Vec<(PathBuf, usize)> =
        asked["answers"].as_array().unwrap().iter().map(place).collect();
    let found = recalled(snapshot, asked, limit, own, means);
    let is_wanted = |it: &Recalled| {
        wanted.iter().any(|(path, line)| it.path.as_path() == path && it.line == *line)
    };
    found.iter().position(is_wanted)
}

/// Where a record stands that is named by file and line.
fn place(answer: &Value) -> (PathBuf, usize) {
    let file = format!("{}.jsonl", answer[0].as_str().unwrap());
    (Path::new(FOLDER).join(file), answer[1].as_u64().unwrap() as usize)
}

/// All records of some files with their vectors.
fn memory(env: &TestEnv, files: &[&str], means: &RecallContext) -> Snapshot {
    let (model, analyzer) = (means.embedder, means.analyzer);
    for file in files {
        let file = format!("{file}.jsonl");
        let bytes = std::fs::read(folder().join("recall").join(&file)).unwrap();
        env.write(Path::new(FOLDER).join(file), bytes);
    }
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
        tables: &Plain,
        count_tokens: &count_tokens,
        now: &|| 0,
        summaries: None,
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
    assert_eq!(report.waiting, 0, "{:?}", report.notices);
    refreshed.snapshot
}
