//! Where vectors come from: the view, the committed tables, and only then the embedder.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    embed::Embedder,
    store::{
        matrix::{Encoded, Key},
        registry::{BadTable, Registry},
        view::Loaded,
    },
};

/// Finds or makes vectors; shared by the threads that build segments.
pub struct Vectors<'a> {
    embedder: &'a dyn Embedder,
    segments: &'a [Arc<Loaded>],
    in_view: OnceLock<FxHashMap<Key, (usize, usize)>>,
    tables: PathBuf,
    registry: Mutex<(Registry, Vec<BadTable>)>,
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
    ) -> Self {
        Self {
            embedder,
            segments,
            in_view: OnceLock::new(),
            tables,
            registry: Mutex::new((registry, Vec::new())),
        }
    }

    /// One vector per passage, in order.
    pub fn find(&self, keys: &[Key], passages: &[&str]) -> Found {
        let mut found: FxHashMap<Key, Encoded> = FxHashMap::default();
        let in_view = self.in_view.get_or_init(|| self.list_view());
        let mut wanted = FxHashSet::default();
        for key in keys {
            let vector = in_view
                .get(key)
                .and_then(|&(segment, row)| self.segments[segment].matrix.vector(row));
            match vector {
                Some(vector) => {
                    found.insert(*key, vector);
                }
                None => {
                    wanted.insert(*key);
                }
            }
        }
        if !wanted.is_empty() {
            let mut guard = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            let (registry, bad) = &mut *guard;
            let fingerprint = self.embedder.fingerprint().as_str();
            let (vectors, damaged) = registry.vectors(&self.tables, fingerprint, &wanted);
            bad.extend(damaged);
            let dimension = self.embedder.dimension();
            found.extend(vectors.into_iter().filter(|(_, vector)| vector.is_sane(dimension)));
        }
        let mut missing: Vec<(Key, &str)> = Vec::new();
        let mut seen = FxHashSet::default();
        for (key, passage) in keys.iter().zip(passages) {
            if !found.contains_key(key) && seen.insert(*key) {
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
                    let pairs = missing.iter().zip(vectors);
                    found.extend(pairs.map(|((key, _), vector)| (*key, Encoded::new(&vector))));
                }
                Err(cause) => failure = Some(cause.to_string()),
            }
        }
        let rows = keys.iter().map(|key| (*key, found.get(key).cloned())).collect();
        Found { rows, embedded, failure }
    }

    /// Gives the registry back, with the tables that turned out to be damaged.
    pub fn into_registry(self) -> (Registry, Vec<BadTable>) {
        self.registry.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn list_view(&self) -> FxHashMap<Key, (usize, usize)> {
        let mut rows = FxHashMap::default();
        for (number, loaded) in self.segments.iter().enumerate() {
            let matrix = &loaded.matrix;
            // A damaged matrix must not pass its vectors on.
            if matrix.fingerprint() == self.embedder.fingerprint().as_str() && matrix.is_intact() {
                rows.extend(
                    (0..matrix.rows())
                        .filter(|&row| !matrix.is_missing(row))
                        .map(|row| (matrix.key(row), (number, row))),
                );
            }
        }
        rows
    }
}
