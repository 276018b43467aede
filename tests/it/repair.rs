//! A model that cannot be reached costs vectors, never notes; they are made up for later.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use elophanto_base::lexical::Analyzer;
use elophanto_index::{Context, Options, Refreshed, refresh, source::Notes, store::tables::Plain};
use elophanto_models::{
    EmbedError, Embedded, Embedder, Fingerprint, Pace, Role,
    builtin::{Builtin, count_tokens},
};
use elophanto_repo::{Selection, locate};
use elophanto_text::chunk::Limits;

use crate::env::TestEnv;

/// The built-in model under another name, with a switch.
struct Flaky {
    fingerprint: Fingerprint,
    reachable: AtomicBool,
    embedded: AtomicUsize,
}

impl Embedder for Flaky {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn dimension(&self) -> usize {
        Builtin::new().dimension()
    }

    fn pace(&self) -> Pace {
        Pace::Instant
    }

    fn embed(&self, texts: &[&str], role: Role) -> Embedded {
        if !self.reachable.load(Ordering::SeqCst) {
            let failure = EmbedError::new(&self.fingerprint, "nobody answers");
            return Embedded { vectors: vec![None; texts.len()], failure: Some(failure) };
        }
        self.embedded.fetch_add(texts.len(), Ordering::SeqCst);
        Builtin::new().embed(texts, role)
    }
}

fn index(root: &Path, model: &Flaky) -> Refreshed {
    let repository = locate(root).unwrap();
    let context = Context {
        repository: &repository,
        selection: &Selection {
            roots: vec![".".into()],
            extensions: vec!["md".to_owned()],
            apart: "".into(),
            is_key: |_| false,
        },
        write_root: Path::new("knowledge"),
        limits: &Limits::default(),
        max_file_bytes: 1 << 20,
        analyzer: &Analyzer::new("english"),
        embedder: model,
        tables: &Plain,
        count_tokens: &count_tokens,
        now: &|| 0,
        summaries: None,
        lessons: None,
        unwritten: |_, _| Vec::new(),
    };
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    refresh(&context, &Notes, options).unwrap()
}

fn missing(refreshed: &Refreshed) -> usize {
    let parts = refreshed.snapshot.parts.iter();
    parts
        .map(|part| {
            let matrix = &part.loaded.matrix;
            (0..matrix.rows()).filter(|&row| matrix.is_missing(row)).count()
        })
        .sum()
}

#[test]
fn missing_vectors_are_noticed_and_made() {
    let env = TestEnv::new();
    env.write("a.md", "# Otters\n\nThey hold hands.\n");
    env.write("b.md", "# Bears\n\nThey sleep all winter.\n");
    let model = Flaky {
        fingerprint: Fingerprint::new("flaky"),
        reachable: AtomicBool::new(false),
        embedded: AtomicUsize::new(0),
    };

    let first = index(env.root(), &model);
    assert_eq!((first.report.files, missing(&first)), (2, 2));
    assert!(first.report.notices.iter().any(|notice| notice.contains("nobody answers")));

    model.reachable.store(true, Ordering::SeqCst);
    let second = index(env.root(), &model);
    assert_eq!((second.report.files, missing(&second)), (2, 0));
    assert!(second.report.notices.is_empty(), "{:?}", second.report.notices);
    assert_eq!(model.embedded.load(Ordering::SeqCst), 2);

    index(env.root(), &model);
    assert_eq!(model.embedded.load(Ordering::SeqCst), 2, "nothing is embedded twice");
}
