//! Where a fleet is: an object store in this process, or a folder.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use elophanto_app::{Environment, fleet::open, keys::Asking};
use elophanto_net::fake_store::FakeStore;
use elophanto_tables::fleet::Fleet;
use tempfile::TempDir;

use crate::{
    REQUEST,
    corpus::{Corpus, model},
    program::Program,
};

const ADDRESS: &str = "s3://bucket/kb";
const OBJECTS: &str = "bucket/kb/";

/// What was asked of a store.
#[derive(Default)]
pub struct Moved {
    pub requests: usize,
    /// The longest chain of requests that did not overlap: each waits for one before it.
    pub rounds: usize,
    pub bytes: u64,
}

impl std::ops::AddAssign for Moved {
    fn add_assign(&mut self, more: Self) {
        self.requests += more.requests;
        self.rounds += more.rounds;
        self.bytes += more.bytes;
    }
}

pub struct Place {
    pub address: String,
    pub program: Program,
    kind: Kind,
}

enum Kind {
    Store(FakeStore),
    Folder(TempDir),
}

impl Place {
    pub fn in_store(program: &Path) -> Self {
        let store = FakeStore::new();
        let program = Program::new(program, store.variables());
        Self { address: ADDRESS.to_owned(), program, kind: Kind::Store(store) }
    }

    pub fn in_folder(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("file://{}/kb", folder.path().display());
        let program = Program::new(program, [].into());
        Self { address, program, kind: Kind::Folder(folder) }
    }

    /// A folder that holds what this place holds: tables do not know where they are.
    pub fn copy_to_folder(&self, program: &Path) -> Self {
        let copy = Self::in_folder(program);
        if let (Kind::Store(store), Kind::Folder(folder)) = (&self.kind, &copy.kind) {
            for name in store.names() {
                let Some(below) = name.strip_prefix(OBJECTS) else { continue };
                let path = folder.path().join("kb").join(below);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, store.get(&name).unwrap()).unwrap();
            }
        }
        copy
    }

    pub fn is_store(&self) -> bool {
        matches!(self.kind, Kind::Store(_))
    }

    /// What each request takes from now on; reading a file takes what it takes.
    pub fn delay(&self, delay: Duration) {
        if let Kind::Store(store) = &self.kind {
            store.delay(delay);
        }
    }

    /// What was asked of the store since this was called last; nothing of a folder.
    pub fn moved(&self) -> Moved {
        match &self.kind {
            Kind::Store(store) => {
                let (taken, given) = store.moved();
                let asked = store.asked();
                let mut rounds = 0;
                let mut last: Option<Instant> = None;
                for one in &asked {
                    if last.is_none_or(|last| one.at >= last + REQUEST) {
                        rounds += 1;
                        last = Some(one.at);
                    }
                }
                Moved { requests: asked.len(), rounds, bytes: taken + given }
            }
            Kind::Folder(_) => Moved::default(),
        }
    }

    /// Bytes of all that lies there.
    pub fn bytes(&self) -> u64 {
        match &self.kind {
            Kind::Store(store) => {
                let names = store.names().into_iter();
                names.filter_map(|name| store.get(&name)).map(|bytes| bytes.len() as u64).sum()
            }
            Kind::Folder(folder) => {
                let entries = walkdir::WalkDir::new(folder.path()).into_iter().flatten();
                let files = entries.filter(|entry| entry.file_type().is_file());
                files.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
            }
        }
    }

    pub fn fleet(&self) -> Fleet {
        let environment: Environment = self.program.workspace(&[]).environment;
        open(&self.address, &environment, Asking::Never, false).unwrap()
    }

    /// Makes the place a knowledge base that takes vectors of the built-in model.
    pub fn declare(&self) {
        self.fleet().declare(vec![model()]).unwrap();
    }

    /// Publishes these repositories, as they are in one of their editions.
    pub fn publish(&self, corpus: &Corpus, repositories: &[usize], edition: usize) {
        let (fleet, next) = (self.fleet(), AtomicUsize::new(0));
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(repository) =
                        repositories.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let publication = corpus.publication(*repository, edition);
                        let bytes = publication.encode().unwrap();
                        fleet.deposit(&publication.head, bytes).unwrap();
                    }
                });
            }
        });
    }
}
