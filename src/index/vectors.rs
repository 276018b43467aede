//! Where vectors come from: the view, the committed tables, the local cache, and only then the
//! embedder.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    embed::Embedder,
    store::{
        cache::Cache,
        matrix::{Encoded, Key},
        registry::{BadTable, Registry},
        view::Loaded,
    },
};

/// Finds or makes vectors; shared by the threads that build segments.
pub struct Vectors<'a> {
    embedder: &'a dyn Embedder,
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

/// The vectors of some passages and how many of them had to be embedded.
pub struct Found {
    pub rows: Vec<(Key, Option<Encoded>)>,
    pub embedded: usize,
    /// Why some are missing, if the embedder failed.
    pub failure: Option<String>,
}

impl<'a> Vectors<'a> {
    /// Sources in the order in which they are asked.
    pub fn new(
        embedder: &'a dyn Embedder,
        segments: &'a [Arc<Loaded>],
        tables: PathBuf,
        registry: Registry,
        cache: PathBuf,
    ) -> Self {
        let cache = Cache::new(cache, embedder.fingerprint().as_str(), embedder.dimension());
        Self {
            embedder,
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
            let mut guard = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            let (registry, bad) = &mut *guard;
            let (vectors, damaged) = registry.vectors(&self.tables, fingerprint, &wanted);
            bad.extend(damaged);
            take(vectors, &mut wanted);
        }
        if !wanted.is_empty() {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
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
        if !texts.is_empty() {
            match self.embedder.embed(&texts) {
                Ok(vectors) => {
                    embedded = vectors.len();
                    let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
                    for ((key, _), vector) in missing.iter().zip(vectors) {
                        let vector = Encoded::new(&vector);
                        cache.add(*key, vector.clone());
                        found.insert(*key, vector);
                    }
                }
                Err(cause) => failure = Some(cause.to_string()),
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
        for matrix in self.segments.iter().map(|loaded| &loaded.matrix) {
            if wanted.is_empty() {
                break;
            }
            // A damaged matrix must not pass its vectors on.
            if matrix.fingerprint() == fingerprint
                && let Ok(rows) = matrix.find(wanted)
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
