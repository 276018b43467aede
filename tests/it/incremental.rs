//! Indexing step by step gives what indexing from nothing gives.

use std::{collections::BTreeSet, fs, path::Path, time::SystemTime};

use elophanto_base::lexical::Analyzer;
use elophanto_index::{
    Context, Options, Snapshot,
    commit::update_pending,
    refresh,
    refresh::last_view,
    search::{
        Filter, Listing, Mode, Query, Ranking, Request, Weights, lexical::Bm25, run::SearchContext,
        search,
    },
    source::Notes,
    store::tables::{Format, Plain},
};
use elophanto_models::builtin::{Builtin, count_tokens};
use elophanto_repo::{Repository, Selection, locate};
use elophanto_text::chunk::Limits;
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::env::TestEnv;

/// Paths that steps speak of; two of them in a folder that is moved as a whole.
const PATHS: &[&str] = &["a.md", "b.md", "docs/c.md", "docs/d.md", "knowledge/learned/e.md"];
const FOLDERS: &[&str] = &["docs", "pages", "docs/deep"];
pub const WORDS: &[&str] = &[
    "otter", "kelp", "winter", "honey", "stone", "river", "retry", "merge", "index", "vector",
    "pause", "salmon", "forest", "branch",
];
const QUERIES: &[&str] = &[
    "otter", "kelp river", "how does a merge work", "\"stone river\"", "honey -winter", "wintre",
    "vector index", "salmon in the forest",
];

#[derive(Debug, Clone)]
enum Step {
    /// Writes a note, new or not.
    Write(usize, Vec<u8>),
    /// Replaces one section of a note.
    Edit(usize, Vec<u8>),
    Delete(usize),
    Rename(usize, usize),
    MoveFolder(usize, usize),
    /// A file that cannot be read as text.
    Break(usize),
    /// What a reading command does.
    Refresh,
    /// What `index` does.
    Index,
    /// What `index --full` does.
    Full,
}

fn step() -> impl Strategy<Value = Step> {
    let path = 0..PATHS.len();
    let body = || prop::collection::vec(0..WORDS.len() as u8, 1..40);
    prop_oneof![
        4 => (path.clone(), body()).prop_map(|(path, body)| Step::Write(path, body)),
        3 => (path.clone(), body()).prop_map(|(path, body)| Step::Edit(path, body)),
        2 => path.clone().prop_map(Step::Delete),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (0..FOLDERS.len(), 0..FOLDERS.len()).prop_map(|(from, to)| Step::MoveFolder(from, to)),
        1 => path.prop_map(Step::Break),
        5 => Just(Step::Refresh),
        1 => Just(Step::Index),
        1 => Just(Step::Full),
    ]
}

pub fn text(body: &[u8]) -> String {
    let words: Vec<&str> = body.iter().map(|&word| WORDS[word as usize]).collect();
    words.chunks(7).map(|line| format!("{}.\n", line.join(" "))).collect()
}

pub fn note(body: &[u8]) -> String {
    let (first, rest) = body.split_at(body.len() / 2);
    format!("# {}\n\n{}\n## Second\n\n{}", WORDS[body[0] as usize], text(first), text(rest))
}

fn play(root: &Path, step: &Step) {
    let path = |number: &usize| root.join(PATHS[*number]);
    let write = |path: &Path, bytes: &[u8]| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    match step {
        Step::Write(number, body) => write(&path(number), note(body).as_bytes()),
        Step::Edit(number, body) => {
            if let Ok(old) = fs::read(path(number)) {
                let old = String::from_utf8_lossy(&old).into_owned();
                let kept = old.split_once("## Second").map_or(&*old, |(kept, _)| kept);
                write(&path(number), format!("{kept}## Second\n\n{}", text(body)).as_bytes());
            }
        }
        Step::Delete(number) => {
            let _ = fs::remove_file(path(number));
        }
        Step::Rename(from, to) => {
            if path(from).exists() {
                fs::create_dir_all(path(to).parent().unwrap()).unwrap();
                fs::rename(path(from), path(to)).unwrap();
            }
        }
        // Fails where there is nothing to move, or something in the way.
        Step::MoveFolder(from, to) => {
            let _ = fs::rename(root.join(FOLDERS[*from]), root.join(FOLDERS[*to]));
        }
        Step::Break(number) => write(&path(number), &[0; 100]),
        Step::Refresh | Step::Index | Step::Full => {}
    }
}

/// Path, lines and text of chunks.
pub type Chunks = BTreeSet<(String, (usize, usize), String)>;
/// Path, lines and total score of a hit.
pub type Top = (String, (usize, usize), f32);

/// What the library needs to index and search.
pub struct Bench {
    selection: Selection,
    limits: Limits,
    analyzer: Analyzer,
    builtin: Builtin,
    tables: &'static dyn Format,
}

impl Bench {
    /// What reads the tables of the program.
    pub fn new(limits: Limits) -> Self {
        Self {
            selection: Selection {
                roots: vec![".".into()],
                extensions: vec!["md".to_owned()],
                apart: "".into(),
                is_key: |_| false,
            },
            limits,
            analyzer: Analyzer::new("english"),
            builtin: Builtin::new(),
            tables: &elophanto_tables::Lance,
        }
    }

    /// The chunks that a reading command sees, with the program's own limits.
    pub fn chunks_of(env: &TestEnv) -> Chunks {
        let repository = locate(env.root()).unwrap();
        let bench = Self::new(Limits::default());
        let view = bench.with_context(&repository, |context| last_view(context, &Notes));
        assert!(view.is_some(), "the program's settings are others than the test's");
        chunks(&bench.refresh(&repository, &Step::Refresh))
    }

    /// The chunks that a reading command sees, and the best hits of some queries, with the
    /// program's own limits.
    pub fn answers_of(env: &TestEnv) -> (Chunks, Vec<Vec<Top>>) {
        let repository = locate(env.root()).unwrap();
        let bench = Self::new(Limits::default());
        let snapshot = bench.refresh(&repository, &Step::Refresh);
        let tops = QUERIES.iter().map(|query| bench.top(&snapshot, query)).collect();
        (chunks(&snapshot), tops)
    }

    fn refresh(&self, repository: &Repository, step: &Step) -> Snapshot {
        self.with_context(repository, |context| {
            let patience =
                matches!(step, Step::Refresh).then_some(std::time::Duration::from_secs(60));
            let options =
                Options { full: matches!(step, Step::Full), patience, progress: &|_, _| {} };
            let refreshed = refresh(context, &Notes, options).unwrap();
            assert_eq!(refreshed.report.notices, [""; 0]);
            if matches!(step, Step::Index | Step::Full) {
                update_pending(context, &refreshed.snapshot).unwrap();
            }
            refreshed.snapshot
        })
    }

    fn with_context<T>(&self, repository: &Repository, act: impl FnOnce(&Context) -> T) -> T {
        let now = || {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
            i64::try_from(since.as_nanos()).unwrap()
        };
        act(&Context {
            repository,
            selection: &self.selection,
            write_root: Path::new("knowledge"),
            limits: &self.limits,
            max_file_bytes: 1 << 20,
            analyzer: &self.analyzer,
            embedder: &self.builtin,
            tables: self.tables,
            count_tokens: &count_tokens,
            now: &now,
            summaries: None,
            lessons: None,
            unwritten: |_, _| Vec::new(),
        })
    }

    /// Path, lines and total score of the ten best.
    fn top(&self, snapshot: &Snapshot, query: &str) -> Vec<Top> {
        let query = Query::parse(query, &self.analyzer);
        let request = Request {
            query: &query,
            like: None,
            limit: 10,
            listing: Listing::Passages,
            mode: Mode::Hybrid,
            ranking: Ranking::Weighted,
            weights: Weights { semantic: 0.4, recency: 0.0, recency_half_life_days: 90.0 },
            bm25: Bm25::default(),
            fuzzy: true,
            filter: Filter::default(),
            min_score: None,
            least_cosine: 0.2,
            collapse_similarity: 0.97,
            second_look: None,
            belief: None,
            now: 0,
        };
        let tools = SearchContext {
            analyzer: &self.analyzer,
            embedder: &self.builtin,
            sentence_embedder: &self.builtin,
        };
        let answer = search(snapshot, &request, &tools).unwrap();
        let hits = answer.hits.into_iter();
        hits.map(|hit| (hit.path.to_text(), hit.lines, hit.score.total)).collect()
    }
}

/// Path, lines and text of every current chunk. A chunk that is there twice fails the test.
fn chunks(snapshot: &Snapshot) -> Chunks {
    let mut all = BTreeSet::new();
    for part in &snapshot.parts {
        let segment = &part.loaded.segment;
        for number in 0..segment.chunks() {
            let chunk = segment.chunk(number).unwrap();
            if !part.live.get(chunk.document) {
                continue;
            }
            assert!(!part.loaded.matrix.is_missing(number), "a chunk without its vector");
            let document = segment.document(chunk.document).unwrap();
            let text = segment.chunk_text(&chunk).unwrap().to_owned();
            let lines = (chunk.lines.0, chunk.lines.1);
            assert!(all.insert((document.path.to_text(), lines, text)), "a chunk is there twice");
        }
    }
    all
}

fn check(bench: &Bench, steps: &[Step]) -> Result<(), TestCaseError> {
    let env = TestEnv::new();
    let repository = locate(env.root()).unwrap();
    for step in steps {
        play(env.root(), step);
        if matches!(step, Step::Refresh | Step::Index | Step::Full) {
            bench.refresh(&repository, step);
        }
    }
    let grown = bench.refresh(&repository, &Step::Refresh);
    // The same files with another git folder: no view, and no table since those lie in git's
    // work tree and are taken away.
    let _ = fs::remove_dir_all(env.path(".elophanto"));
    let elsewhere = env.outside().join("elsewhere");
    let fresh = Repository {
        root: repository.root.clone(),
        git_dir: Some(elsewhere.clone()),
        common_dir: Some(elsewhere),
    };
    let built = bench.refresh(&fresh, &Step::Refresh);
    prop_assert_eq!(chunks(&grown), chunks(&built));
    for query in QUERIES {
        prop_assert_eq!(bench.top(&grown, query), bench.top(&built, query), "{}", query);
    }
    Ok(())
}

#[test]
fn equals_a_rebuild() {
    // Small, so that a short note has more than one chunk.
    let limits = Limits { max_tokens: 40, min_tokens: 5, min_split_tokens: 10 };
    let bench = Bench { tables: &Plain, ..Bench::new(limits) };
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    proptest!(config, |(steps in prop::collection::vec(step(), 1..16))| check(&bench, &steps)?);
}
