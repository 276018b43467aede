//! Finding out more about what the user cares about, unasked: one entity at a time, within a pace.
//!
//! It only makes searches, marked as the program's own; what comes of them is the pipeline's, which
//! adds facts to what is known and nothing else.

use std::{cmp::Reverse, collections::BTreeMap, path::PathBuf};

use jiff::Timestamp;

use super::{
    LearnError,
    entity_store::EntitySnapshot,
    interests::Interests,
    log::Log,
    record::{EngagementRecord, Search, Trigger},
    run::{Made, make, queued},
    sources::Source,
};
use crate::{
    enrich::{Candidate, Mode, Pace, PaceState, Wait, mode, pick, queries},
    interest::{EngagementKind, Interest},
};
use elophanto_base::regular;
use elophanto_index::store::{lock, write_whole};
use elophanto_repo::record_store::RecordStore;
use elophanto_text::entity::Entity;

/// Largest file of the pace, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// What was done.
#[derive(Debug)]
pub enum Deepened {
    /// Searches were made about an entity.
    Searched { name: String, mode: Mode, made: Vec<Made> },
    /// Nothing is worth a search.
    Nothing,
    /// Not now.
    Later(Wait),
}

/// Entities that may be enriched, as they stand.
pub fn candidates(
    snapshot: &EntitySnapshot,
    log: &Log,
    interests: &Interests,
    scores: &BTreeMap<String, Interest>,
    user: &str,
) -> Vec<Candidate> {
    let mut made: BTreeMap<&str, Vec<&Search>> = BTreeMap::new();
    for search in log.searches.values().filter(|search| search.trigger() == Trigger::Enrichment) {
        if let Some(slug) = search.entity.as_deref().filter(|_| !search.queued) {
            made.entry(snapshot.entities.canonical(slug)).or_default().push(search);
        }
    }
    made.values_mut().for_each(|made| made.sort_by_key(|search| Reverse(search.timestamp)));
    // What another machine has yet to read says nothing.
    let is_fruitless =
        |search: &Search| log.extractions.get(&search.id).is_none_or(|read| read.facts_added == 0);
    scores
        .iter()
        .filter(|(slug, _)| !is_stopped(interests, snapshot, slug, user))
        .filter_map(|(slug, interest)| {
            let entity = snapshot.entities.by_slug(slug)?;
            let made = made.get(entity.slug.as_str()).map(Vec::as_slice).unwrap_or_default();
            // Whoever shows interest anew has it searched for anew.
            let cared = acts(interests, snapshot, slug, user).map(|act| act.created_at).max();
            let since = made.iter().filter(|search| cared.is_none_or(|at| search.timestamp > at));
            let read = since.take_while(|search| is_fruitless(search));
            Some(Candidate {
                slug: entity.slug.clone(),
                interest: interest.score,
                facts: entity.facts.len(),
                last_enriched: made.first().map(|search| search.timestamp),
                fruitless: read.filter(|search| log.extractions.contains_key(&search.id)).count(),
            })
        })
        .collect()
}

/// Whether the user said of a message about it that they want no more of that, and has shown no
/// interest in it since.
fn is_stopped(interests: &Interests, snapshot: &EntitySnapshot, slug: &str, user: &str) -> bool {
    let newest = acts(interests, snapshot, slug, user).max_by_key(|act| act.created_at);
    newest.is_some_and(|act| act.engagement_type == EngagementKind::ReactionNotificationNegative)
}

/// What the user did that speaks for an entity, or against it.
fn acts<'i>(
    interests: &'i Interests,
    snapshot: &'i EntitySnapshot,
    slug: &'i str,
    user: &'i str,
) -> impl Iterator<Item = &'i EngagementRecord> {
    interests.engagements.iter().filter(move |act| {
        let of = act.entity_id.as_deref();
        act.user == user
            && act.valence.sign() != 0.0
            && of.is_some_and(|of| snapshot.entities.canonical(of) == slug)
    })
}

/// Makes the searches for the entity that is most worth them.
///
/// # Errors
/// When something cannot be written down.
pub fn deepen(
    record_store: &RecordStore,
    snapshot: &EntitySnapshot,
    candidates: &[Candidate],
    sources: &[Box<dyn Source + '_>],
    searches_per_hour: u32,
    user: &str,
    now: &dyn Fn() -> Timestamp,
) -> Result<Deepened, LearnError> {
    let Some(chosen) = pick(candidates, now()) else { return Ok(Deepened::Nothing) };
    let Some(entity) = snapshot.entities.by_slug(&chosen.slug) else {
        return Ok(Deepened::Nothing);
    };
    let path = record_store.repository.local_dir().join("enrich.lock");
    let _lock = lock::wait(&path).map_err(|cause| LearnError::Lock { path, source: cause })?;
    let mut pace = Pace { searches_per_hour, state: read(record_store) };
    let mode = mode(entity.facts.len(), chosen.last_enriched, now());
    let mut all = Vec::new();
    for query in plan(entity, mode, now()) {
        if let Err(wait) = pace.allow(now()) {
            if all.is_empty() {
                return Ok(Deepened::Later(wait));
            }
            break;
        }
        // Counted before it is made: whoever is stopped has searched all the same.
        write(record_store, &pace.state)?;
        let search = Search {
            entity: Some(entity.slug.clone()),
            queued: false,
            ..queued(&query, Trigger::Enrichment, user, now())
        };
        let made = make(record_store, record_store.place(false), &search, sources, &|| false, now)?;
        let failed = made.search.response_hash.is_none();
        if failed {
            pace.failed(now())
        } else {
            pace.succeeded()
        }
        write(record_store, &pace.state)?;
        all.push(made);
        if failed {
            break;
        }
    }
    Ok(Deepened::Searched { name: entity.title.clone(), mode, made: all })
}

fn plan(entity: &Entity, mode: Mode, now: Timestamp) -> Vec<String> {
    let facts: Vec<String> = entity.facts.iter().map(|fact| fact.line.text.clone()).collect();
    queries(&entity.title, &entity.aliases, &facts, mode, now)
}

fn file(record_store: &RecordStore) -> PathBuf {
    record_store.repository.local_dir().join("enrich.json")
}

/// What cannot be read is begun anew.
fn read(record_store: &RecordStore) -> PaceState {
    let bytes = regular::read(&file(record_store), MAX_BYTES).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write(record_store: &RecordStore, state: &PaceState) -> Result<(), LearnError> {
    let bytes = serde_json::to_vec(state).unwrap_or_default();
    write_whole(&file(record_store), &bytes).map_err(LearnError::Waiting)
}
