//! Where vectors come from: the view, the committed tables, the local cache, and only then the
//! embedder, if it costs nothing. What a slower one is to embed waits for [`super::fill`].

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use crate::store::{
    cache::Cache,
    keys::Sieve,
    matrix::{Encoded, Key},
    registry::{BadTable, Registry},
    tables::Format,
    view::{self, Loaded},
};
use elophanto_base::mutex::lock;
use elophanto_models::{Embedded, Embedder, Fingerprint, Pace, Role};
use elophanto_repo::Repository;

/// Finds or makes vectors; shared by the threads that build segments.
pub struct Vectors<'a> {
    embedder: &'a dyn Embedder,
    format: &'a dyn Format,
    segments: &'a [Arc<Loaded>],
    tables: PathBuf,
    registry: Mutex<(Registry, Vec<BadTable>)>,
    cache: Mutex<Cache>,
}

/// What the sources of a run turned out to be.
pub struct Closed {
    pub registry: Registry,
    /// Tables that were passed over.
    pub bad: Vec<BadTable>,
    /// Files of the cache that were passed over.
    pub damaged: Vec<PathBuf>,
}

/// Models of which the committed tables hold vectors, as the tables themselves say, and how many.
pub fn vectors_held(format: &dyn Format, repository: &Repository) -> Vec<(Fingerprint, usize)> {
    let memory = view::registry_folder(&repository.view_dir());
    let tables = Registry::load(format, &memory, &repository.tables_dir());
    let (mut registry, _) = tables.unwrap_or_default();
    registry.save(&memory);
    let models = registry.models().into_iter();
    models.map(|(name, vectors)| (Fingerprint::new(name), vectors)).collect()
}

/// Whether a vector that a view waits for can be had now: made at no cost, or found in a table or
/// in the cache.
pub fn can_complete(context: &Context, missing: &FxHashSet<Key>) -> bool {
    if missing.is_empty() || context.embedder.pace() == Pace::Instant {
        return !missing.is_empty();
    }
    let fingerprint = context.embedder.fingerprint().as_str();
    let memory = view::registry_folder(&context.view_dir());
    let tables = Registry::load(context.tables, &memory, &context.repository.tables_dir());
    let held = tables.map(|(registry, _)| registry.keys(fingerprint, |_| true));
    if held.is_ok_and(|held| held.meet(missing)) {
        return true;
    }
    let folder = context.repository.vectors_dir();
    let mut cache = Cache::new(folder, fingerprint, context.embedder.dimension());
    !cache.vectors(missing).is_empty()
}

/// The vectors of some passages and how many of them had to be embedded.
pub struct Found {
    pub rows: Vec<(Key, Option<Encoded>)>,
    pub embedded: usize,
    /// Why some are missing, if the embedder failed.
    pub failure: Option<String>,
}

impl<'a> Vectors<'a> {
    /// Sources in the order in which they are asked.
    pub fn new(context: &Context<'a>, segments: &'a [Arc<Loaded>], registry: Registry) -> Self {
        let embedder = context.embedder;
        let tables = context.repository.tables_dir();
        let cache = context.repository.vectors_dir();
        let cache = Cache::new(cache, embedder.fingerprint().as_str(), embedder.dimension());
        Self {
            embedder,
            format: context.tables,
            segments,
            tables,
            registry: Mutex::new((registry, Vec::new())),
            cache: Mutex::new(cache),
        }
    }

    /// One vector per passage, in order.
    pub fn find(&self, keys: &[Key], passages: &[&str]) -> Found {
        let fingerprint = self.embedder.fingerprint().as_str();
        let dimension = self.embedder.dimension();
        let mut wanted: FxHashSet<Key> = keys.iter().copied().collect();
        let mut found = self.find_in_view(fingerprint, &mut wanted);
        let mut take = |vectors: FxHashMap<Key, Encoded>, wanted: &mut FxHashSet<Key>| {
            for (key, vector) in vectors.into_iter().filter(|(_, v)| v.is_sane(dimension)) {
                wanted.remove(&key);
                found.insert(key, vector);
            }
        };
        if !wanted.is_empty() {
            let mut guard = lock(&self.registry);
            let (registry, bad) = &mut *guard;
            let (vectors, damaged) =
                registry.vectors(self.format, &self.tables, fingerprint, &wanted);
            bad.extend(damaged);
            take(vectors, &mut wanted);
        }
        if !wanted.is_empty() {
            let mut cache = lock(&self.cache);
            let vectors = cache.vectors(&wanted);
            take(vectors, &mut wanted);
        }
        let mut missing: Vec<(Key, &str)> = Vec::new();
        for (key, passage) in keys.iter().zip(passages) {
            // Taken out, so that equal passages are embedded once.
            if wanted.remove(key) {
                missing.push((*key, passage));
            }
        }
        let texts: Vec<&str> = missing.iter().map(|(_, passage)| *passage).collect();
        let mut embedded = 0;
        let mut failure = None;
        if !texts.is_empty() && self.embedder.pace() == Pace::Instant {
            let made: Embedded = self.embedder.embed(&texts, Role::Document);
            failure = made.failure.map(|cause| cause.to_string());
            let mut cache = lock(&self.cache);
            for ((key, _), vector) in missing.iter().zip(made.vectors) {
                let Some(vector) = vector else { continue };
                let vector = Encoded::new(&vector);
                cache.add(*key, vector.clone());
                found.insert(*key, vector);
                embedded += 1;
            }
        }
        let rows = keys.iter().map(|key| (*key, found.get(key).cloned())).collect();
        Found { rows, embedded, failure }
    }

    /// Writes what was embedded to the cache and tells what was passed over.
    pub fn close(self) -> Closed {
        let (registry, bad) = self.registry.into_inner().unwrap_or_else(PoisonError::into_inner);
        let cache = self.cache.into_inner().unwrap_or_else(PoisonError::into_inner);
        Closed { registry, bad, damaged: cache.close() }
    }

    /// Takes what the view holds out of the wanted keys.
    fn find_in_view(
        &self,
        fingerprint: &str,
        wanted: &mut FxHashSet<Key>,
    ) -> FxHashMap<Key, Encoded> {
        let mut found = FxHashMap::default();
        let sieve = Sieve::of(wanted);
        for matrix in self.segments.iter().map(|loaded| &loaded.matrix) {
            if wanted.is_empty() {
                break;
            }
            // A damaged matrix must not pass its vectors on.
            if matrix.fingerprint() == fingerprint
                && let Ok(rows) = matrix.find(|_, key| sieve.lets(key) && wanted.contains(key))
            {
                for (key, vector) in rows {
                    wanted.remove(&key);
                    found.insert(key, vector);
                }
            }
        }
        found
    }
}
