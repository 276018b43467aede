//! A knowledge base in a temporary folder, and what is tried on it in the files below.

use std::{collections::BTreeMap, fs, path::Path};

use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use super::{
    entity_store::{EntitySnapshot, EntityStore, NewFact},
    log::Log,
    meaning::Meaning,
    responses::Finding,
    sources::{Source, SourceError},
};
use elophanto_base::process::ProcessError;
use elophanto_repo::{Repository, record_store::RecordStore};

mod asking;
mod keeping;
mod liking;
mod looking;
mod merging;
mod pipeline;

const USER: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// A time of these tests, in seconds.
fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-11-01T12:00:00Z".parse().unwrap();
    start.checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

struct Rig {
    _folder: TempDir,
    repository: Repository,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".elophanto/cache")).unwrap();
        let repository = Repository { root, git_dir: None, common_dir: None };
        fs::create_dir_all(repository.local_dir()).unwrap();
        fs::write(repository.local_dir().join("writer"), USER).unwrap();
        Self { _folder: folder, repository }
    }

    fn record_store(&self) -> RecordStore<'_> {
        RecordStore::new(&self.repository, true)
    }

    fn root(&self) -> &Path {
        &self.repository.root
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn store<'a>(record_store: &'a RecordStore<'a>) -> EntityStore<'a> {
    EntityStore { record_store, write_root: Path::new("knowledge") }
}

fn log_of(record_store: &RecordStore, seconds: i64) -> Log {
    Log::read(record_store, at(seconds))
}

/// A fact that a search found.
fn fact(text: &str, search: &str) -> NewFact {
    let search = Some(search.to_owned());
    NewFact {
        text: text.to_owned(),
        source: None,
        search,
        message: None,
        against: None,
        published: None,
        is_known: false,
    }
}

/// An entity with facts that a search found; its slug.
fn entity(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    name: &str,
    facts: &[(&str, &str)],
) -> String {
    let slug = store.create(snapshot, name, at(0)).unwrap();
    let facts: Vec<NewFact> = facts.iter().map(|(text, search)| fact(text, search)).collect();
    assert_eq!(store.add(snapshot, &slug, &[], &facts, at(0)).unwrap().len(), facts.len());
    slug
}

/// Entities with their facts, as they are on disk.
fn on_disk(store: &EntityStore, seconds: i64) -> BTreeMap<String, Vec<String>> {
    let snapshot = store.read(at(seconds));
    let facts = |entity: &elophanto_text::entity::Entity| {
        entity.facts.iter().map(|fact| fact.line.text.clone()).collect()
    };
    snapshot.entities.iter().map(|entity| (entity.title.clone(), facts(entity))).collect()
}

/// What brings the same for every query, or fails.
struct Fixed {
    name: &'static str,
    texts: Option<&'static [&'static str]>,
}

impl Source for Fixed {
    fn name(&self) -> &str {
        self.name
    }

    fn find(&self, _: &str) -> Result<Vec<Finding>, SourceError> {
        let Some(texts) = self.texts else { return Err(ProcessError::Empty.into()) };
        let finding = |text: &&str| Finding {
            url: Some(format!("https://example.org/{}", self.name)),
            text: (*text).to_owned(),
            ..Finding::default()
        };
        Ok(texts.iter().map(finding).collect())
    }
}

fn fixed(name: &'static str, texts: Option<&'static [&'static str]>) -> Box<dyn Source + 'static> {
    Box::new(Fixed { name, texts })
}
