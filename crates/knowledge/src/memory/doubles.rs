//! Ids that several records have: which of them counts, as [`super::fold()`] decides it.
//!
//! A copied file brings a record twice; a program, or somebody's editor, brings two records under one
//! id. A question may find any of them, so it is known beforehand which one is meant.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use super::{
    Memory,
    fold::by_age,
    lessons::{is_archived, record_of},
};
use elophanto_index::{Snapshot, search::scene::ChunkId, store::Malformed};

/// The ids that several records have.
#[derive(Debug, Default)]
pub(super) struct Doubles {
    /// Records that do not count because another one with their id does.
    beaten: FxHashSet<ChunkId>,
    /// What the one that counts corrects, by the id that several have.
    corrects: FxHashMap<String, Option<String>>,
}

impl Doubles {
    /// Looks at the id of every record there is.
    ///
    /// # Errors
    /// [`Malformed`] when the view is damaged.
    pub fn of(snapshot: &Snapshot) -> Result<Self, Malformed> {
        let mut first: FxHashMap<u64, ChunkId> = FxHashMap::default();
        // By the hash of an id: other ids may have it too.
        let mut several: FxHashMap<u64, Vec<ChunkId>> = FxHashMap::default();
        for (number, part) in snapshot.parts.iter().enumerate() {
            let segment = &part.loaded.segment;
            for document in part.live.ones() {
                for chunk in segment.document(document)?.chunks {
                    let id = segment.lesson(&segment.chunk(chunk)?)?.ok_or(Malformed)?.id;
                    match first.entry(hash(id)) {
                        Entry::Vacant(free) => drop(free.insert((number, chunk))),
                        Entry::Occupied(taken) => {
                            let all = several.entry(*taken.key());
                            all.or_insert_with(|| vec![*taken.get()]).push((number, chunk));
                        }
                    }
                }
            }
        }
        let mut doubles = Self::default();
        for places in several.into_values() {
            doubles.decide(snapshot, &places)?;
        }
        Ok(doubles)
    }

    fn decide(&mut self, snapshot: &Snapshot, places: &[ChunkId]) -> Result<(), Malformed> {
        let mut best: FxHashMap<String, (Memory, bool, ChunkId)> = FxHashMap::default();
        for &place in places {
            let segment = &snapshot.parts[place.0].loaded.segment;
            let chunk = segment.chunk(place.1)?;
            let document = segment.document(chunk.document)?;
            let memory = record_of(segment, &document, &chunk)?;
            // Of two that are the same, the one that is not put away.
            let own = (memory, !is_archived(&document.path), place);
            match best.entry(own.0.id.clone()) {
                Entry::Vacant(free) => drop(free.insert(own)),
                Entry::Occupied(mut taken) => {
                    let known = taken.get();
                    let order = by_age(&own.0, &known.0).then_with(|| own.1.cmp(&known.1));
                    let beaten = match order.is_gt() {
                        true => taken.insert(own),
                        false => own,
                    };
                    self.beaten.insert(beaten.2);
                }
            }
        }
        self.corrects.extend(best.into_iter().map(|(id, (memory, ..))| (id, memory.replaces)));
        Ok(())
    }

    /// Whether another record with the same id counts.
    pub fn beats(&self, place: ChunkId) -> bool {
        self.beaten.contains(&place)
    }

    /// Whether the record of an id that counts corrects another one, if any record of it does.
    pub fn corrects(&self, id: &str, old: &str) -> bool {
        self.corrects.get(id).is_none_or(|replaces| replaces.as_deref() == Some(old))
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = FxHasher::default();
    id.hash(&mut hasher);
    hasher.finish()
}
