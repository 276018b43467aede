//! The library's own door to described files, without the program.

use std::{cell::Cell, path::Path};

use elophanto_agent::permissions::is_key;
use elophanto_index::Snapshot;
use elophanto_knowledge::scan::{
    AnswerNotes, Reach, Wanted, investigate::InvestigationContext, library::Library,
};
use elophanto_models::{builtin::count_tokens, llm::Asked};
use elophanto_repo::{NotePath, Selection, locate, record_store::RecordStore};

use crate::env::TestEnv;

const HERON: &str = "//! Herons fish at dawn.\npub fn fish() {}\n";

/// Nanoseconds since 1970, one second later each time.
fn clock() -> i64 {
    use std::sync::atomic::{AtomicI64, Ordering};
    static NOW: AtomicI64 = AtomicI64::new(1_700_000_000_000_000_000);
    NOW.fetch_add(1_000_000_000, Ordering::Relaxed)
}

fn with_library(root: &Path, work: impl FnOnce(Library)) {
    let repository = locate(root).unwrap();
    let record_store = RecordStore::new(&repository, true);
    let notes = Snapshot::default();
    let wanted = Wanted {
        paths: vec![".".into()],
        named: Vec::new(),
        patterns: [&["*.md"], &["*.toml"], &["*.service"], &["*.rs"]]
            .map(|patterns| patterns.map(str::to_owned).to_vec()),
        skip: Vec::new(),
        notes: Selection {
            roots: vec![".".into()],
            extensions: vec!["md".to_owned()],
            apart: "".into(),
            is_key,
        },
    };
    let bench = InvestigationContext {
        record_store: &record_store,
        reach: &Reach::new(&repository.root, &wanted),
        max_file_bytes: 1 << 20,
        count_tokens: &count_tokens,
        notes: AnswerNotes { snapshot: &notes, git: None },
        now: &clock,
    };
    work(Library::open(&bench));
}

#[test]
fn a_file_is_described_once_and_known_from_then_on() {
    let env = TestEnv::new();
    env.write("src/heron.rs", HERON);
    let path = NotePath::from("src/heron.rs");
    let asked = Cell::new(0);
    let mut ask = |_: &str| {
        asked.set(asked.get() + 1);
        Asked::NoModel
    };
    with_library(env.root(), |mut library| {
        assert!(library.indexed_files().is_empty());
        assert!(!library.is_indexed(&path) && !library.is_stale(&path));
        let made = library.summarize_and_index(&path, Some(&mut ask)).unwrap();
        assert!(made.success && made.summary.contains("herons fish at dawn"), "{made:?}");
        assert_eq!(made.file_path, path);
        let again = library.summarize_and_index(&path, Some(&mut ask)).unwrap();
        assert_eq!(again, made);
        assert_eq!(asked.get(), 1, "an unchanged file is not asked about twice");
        assert!(library.is_indexed(&path) && !library.is_stale(&path));
        assert_eq!(library.indexed_files(), [&path]);
        env.write("src/heron.rs", HERON.replace("dawn", "dusk"));
        assert!(library.is_stale(&path));
        let made = library.summarize_and_index(&path, Some(&mut ask)).unwrap();
        assert!(made.summary.contains("dusk"), "{made:?}");
        let gone = library.summarize_and_index(&"src/gone.rs".into(), None).unwrap();
        assert_eq!((gone.success, gone.summary.as_str()), (false, "vanished"));
    });
    // Another process finds it.
    with_library(env.root(), |library| assert!(library.is_indexed(&path)));
}
