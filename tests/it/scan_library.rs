//! The library's own door to described files, without the program.

use std::cell::Cell;

use elophanto::{
    Environment, Silent, Workspace,
    library::{Asked, Library, NotePath},
};

use crate::env::TestEnv;

const HERON: &str = "//! Herons fish at dawn.\npub fn fish() {}\n";

fn with_library(env: &TestEnv, work: impl FnOnce(Library)) {
    let offline = Environment::offline();
    let workspace = Workspace::around(env.root(), offline, Vec::new(), &Silent).unwrap();
    work(Library::open(&workspace));
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
    with_library(&env, |mut library| {
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
    with_library(&env, |library| {
        assert!(library.is_indexed(&path));
        let found = |file_type: &str| {
            let question = "when do herons fish";
            library.search_knowledge(question, 3, Some(file_type), &Silent).unwrap()
        };
        let found = (found("rust_file"), found("python_file"));
        assert!(found.1.is_empty(), "{found:?}");
        assert_eq!(found.0.len(), 1, "{found:?}");
        assert_eq!((&found.0[0].file_path, &*found.0[0].file_type), (&path, "rust_file"));
        assert!(found.0[0].summary.contains("dusk"), "{found:?}");
    });
}
