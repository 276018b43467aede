//! Telling the user what was discovered, when it may be told, and remembering that.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::{
    LearnError,
    pipeline::Discovered,
    record::{NOTIFICATION, NotificationRecord},
};
use crate::notify::{Discovery, Due, Fact, Message, Outlet, Queue, Quiet, State, due};
use elophanto_base::regular;
use elophanto_index::store::{lock, write_whole};
use elophanto_repo::{journal::Place, record_store::RecordStore};

/// Largest file of what waits, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What waits to be told, and when something was.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Waiting {
    queue: Queue,
    state: State,
}

/// What was told.
#[derive(Debug, Default)]
pub struct Told {
    /// To print, with the ids to react to.
    pub printed: Vec<(String, String)>,
    pub sent: usize,
    /// Sinks that failed, and why.
    pub failed: Vec<String>,
    /// How many entities wait to be told of, and until when.
    pub waiting: usize,
    pub next: Option<Timestamp>,
}

fn file(record_store: &RecordStore) -> PathBuf {
    record_store.repository.local_dir().join("notify.json")
}

fn lock_of(record_store: &RecordStore) -> Result<lock::Lock, LearnError> {
    let path = record_store.repository.local_dir().join("notify.lock");
    lock::wait(&path).map_err(|cause| LearnError::Lock { path, source: cause })
}

/// What cannot be read is begun anew: only when to tell depends on it.
fn read(record_store: &RecordStore) -> Waiting {
    let bytes = regular::read(&file(record_store), MAX_BYTES).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write(record_store: &RecordStore, waiting: &Waiting) -> Result<(), LearnError> {
    let bytes = serde_json::to_vec(waiting).unwrap_or_default();
    write_whole(&file(record_store), &bytes).map_err(LearnError::Waiting)
}

/// The user did something: they may be told things at once again.
///
/// # Errors
/// When it cannot be kept.
pub fn acted(record_store: &RecordStore, now: Timestamp) -> Result<(), LearnError> {
    let _lock = lock_of(record_store)?;
    let mut waiting = read(record_store);
    waiting.state.acted(now, now);
    write(record_store, &waiting)
}

/// Adds what was discovered to what waits, and sends what may be sent now.
///
/// # Errors
/// When what waits, or what was told, cannot be written down.
pub fn tell(
    record_store: &RecordStore,
    discovered: &[Discovered],
    outlets: &[Outlet],
    quiet: &Quiet,
    user: &str,
    now: Timestamp,
) -> Result<Told, LearnError> {
    let mut told = Told::default();
    let _lock = lock_of(record_store)?;
    let mut waiting = read(record_store);
    for found in discovered {
        if let Err(full) = waiting.queue.push(&discovery(found)) {
            told.failed.push(full.to_string());
            break;
        }
    }
    // Before anything is sent: whoever is stopped tells it the next time.
    write(record_store, &waiting)?;
    let Due { mut messages, queue, state, next } = due(waiting.queue, waiting.state, now, quiet);
    told.waiting = queue.len();
    told.next = next;
    if messages.is_empty() {
        return Ok(told);
    }
    let mut records = Vec::new();
    for message in &mut messages {
        message.id = Ulid::new().to_string();
        send(message, outlets, &mut told);
        records.push(NotificationRecord {
            kind: NOTIFICATION.to_owned(),
            id: message.id.clone(),
            at: now,
            user: user.to_owned(),
            entity_id: message.entity.clone(),
            headline: message.headline(),
            facts: message.facts.len() + message.more,
        });
    }
    record_store.write(Place::Local, &records)?;
    write(record_store, &Waiting { queue, state })?;
    Ok(told)
}

fn send(message: &Message, outlets: &[Outlet], told: &mut Told) {
    told.sent += 1;
    for outlet in outlets {
        match outlet.send(message) {
            Ok(Some(text)) => told.printed.push((message.id.clone(), text)),
            Ok(None) => {}
            // The others are told all the same.
            Err(cause) => told.failed.push(cause.to_string()),
        }
    }
}

fn discovery(found: &Discovered) -> Discovery {
    let fact =
        |told: &super::pipeline::Told| Fact { text: told.written.text.clone(), novel: told.novel };
    Discovery {
        entity: found.slug.clone(),
        name: found.name.clone(),
        is_new: found.is_new,
        facts: found.facts.iter().map(fact).collect(),
        known_facts: found.known,
        image: found.image.clone(),
    }
}
