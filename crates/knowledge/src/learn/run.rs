//! Asking for a topic, and making the searches that were asked for.
//!
//! A prompt and its searches are written down before the first one is made: whoever is stopped, or
//! only wanted them queued, leaves them to the next run.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use ulid::Ulid;

use super::{
    LearnError,
    log::Log,
    record::{PROMPT, Prompt, SEARCH, Search, Status, Trigger},
    responses::{self, Finding},
    sources::Source,
};
use elophanto_base::secrets;
use elophanto_index::store::lock::{self, Lock};
use elophanto_repo::{journal::Place, record_store::RecordStore};

/// The turn of whoever works off what is queued: two at once would make each search twice. Waits
/// as long as another has it.
///
/// # Errors
/// When there can be no lock.
pub fn turn(record_store: &RecordStore) -> Result<Lock, LearnError> {
    let path = turn_file(record_store);
    lock::wait(&path).map_err(|cause| LearnError::Lock { path, source: cause })
}

/// The same for somebody who would rather not wait; `None` if another has it.
pub fn turn_if_free(record_store: &RecordStore) -> Option<Lock> {
    lock::try_for(&turn_file(record_store), Duration::ZERO).ok().flatten()
}

fn turn_file(record_store: &RecordStore) -> PathBuf {
    record_store.repository.local_dir().join("searches.lock")
}

/// A new prompt with its searches, none of which is made yet.
///
/// # Errors
/// When it cannot be written down.
pub fn ask_for(
    record_store: &RecordStore,
    topic: &str,
    queries: &[String],
    trigger: Trigger,
    user: &str,
    now: Timestamp,
) -> Result<(Prompt, Vec<Search>), LearnError> {
    let prompt = prompt(topic, queries.len(), user, now);
    let searches: Vec<Search> = queries
        .iter()
        .enumerate()
        .map(|(place, query)| {
            // One after the other, so that they keep their order.
            let at = now.checked_add(SignedDuration::from_millis(place as i64)).unwrap_or(now);
            let learn_prompt_id = Some(prompt.id.clone());
            Search { learn_prompt_id, ..queued(query, trigger, user, at) }
        })
        .collect();
    let place = record_store.place(false);
    record_store.write(place, &[&prompt])?;
    record_store.write(place, &searches)?;
    Ok((prompt, searches))
}

/// A new prompt with its only search, which brought what the user handed over. Once this returns,
/// none of it is lost.
///
/// # Errors
/// When it cannot be kept or written down.
pub fn given(
    record_store: &RecordStore,
    topic: &str,
    found: Finding,
    trigger: Trigger,
    user: &str,
    now: Timestamp,
) -> Result<(Prompt, Search), LearnError> {
    let prompt = prompt(topic, 0, user, now);
    let search = Search {
        learn_prompt_id: Some(prompt.id.clone()),
        ..queued(prompt.prompt_text.as_str(), trigger, user, now)
    };
    let found = Finding { is_given: true, ..found };
    let search = keep(record_store, record_store.place(false), &search, &[found], 0, now)?;
    record_store.write(record_store.place(false), &[&prompt])?;
    Ok((prompt, search))
}

fn prompt(topic: &str, searches: usize, user: &str, now: Timestamp) -> Prompt {
    Prompt {
        kind: PROMPT.to_owned(),
        id: Ulid::new().to_string(),
        at: now,
        user: user.to_owned(),
        prompt_text: secrets::mask(topic).0.into_owned(),
        status: if searches == 0 { Status::Completed } else { Status::Active },
        searches_remaining: searches,
        created_at: now,
        updated_at: now,
    }
}

/// A search that is yet to be made.
pub fn queued(query: &str, trigger: Trigger, user: &str, now: Timestamp) -> Search {
    Search {
        kind: SEARCH.to_owned(),
        id: Ulid::new().to_string(),
        at: now,
        user: user.to_owned(),
        timestamp: now,
        query: secrets::mask(query).0.into_owned(),
        urls: Vec::new(),
        response_hash: None,
        queued: true,
        duration_ms: 0,
        trigger: trigger.as_str().to_owned(),
        learn_prompt_id: None,
        entity: None,
    }
}

/// What came of a search.
#[derive(Debug)]
pub struct Made {
    pub search: Search,
    /// Sources that failed, and why.
    pub failed: Vec<(String, String)>,
}

/// Makes a search: asks all sources, keeps what they bring and writes that down. If every source
/// fails, or `is_gone` says by then that nobody waits for it any more, the search waits on.
///
/// # Errors
/// When what was found cannot be kept or written down.
pub fn make(
    record_store: &RecordStore,
    place: Place,
    search: &Search,
    sources: &[Box<dyn Source + '_>],
    is_gone: &dyn Fn() -> bool,
    now: &dyn Fn() -> Timestamp,
) -> Result<Made, LearnError> {
    let started = Instant::now();
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for source in sources {
        match source.find(&search.query) {
            Ok(findings) => found.extend(findings),
            Err(cause) => {
                let hint = cause.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                failed.push((source.name().to_owned(), format!("{cause}{hint}")));
            }
        }
    }
    let has_failed = found.is_empty() && !failed.is_empty() && failed.len() == sources.len();
    if has_failed || is_gone() {
        return Ok(Made { search: search.clone(), failed });
    }
    let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let search = keep(record_store, place, search, &found, took, now())?;
    Ok(Made { search, failed })
}

/// Keeps what a search brought and writes that down.
///
/// # Errors
/// When one of the two fails.
pub fn keep(
    record_store: &RecordStore,
    place: Place,
    search: &Search,
    found: &[Finding],
    duration_ms: u64,
    now: Timestamp,
) -> Result<Search, LearnError> {
    let hash = responses::keep(record_store, found).map_err(LearnError::Response)?;
    let mut urls: Vec<String> = Vec::new();
    for url in found.iter().filter_map(|finding| finding.url.as_deref()) {
        let url = secrets::mask(url).0.into_owned();
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    let made = Search {
        at: after(search.at, now),
        urls,
        response_hash: Some(hash),
        queued: false,
        duration_ms,
        ..search.clone()
    };
    record_store.write(place, &[&made])?;
    Ok(made)
}

/// Writes down how many searches of a prompt are left.
///
/// # Errors
/// When it cannot be written down.
pub fn advance(
    record_store: &RecordStore,
    prompt: &Prompt,
    left: usize,
    now: Timestamp,
) -> Result<Prompt, LearnError> {
    if prompt.searches_remaining == left && (left > 0 || prompt.status == Status::Completed) {
        return Ok(prompt.clone());
    }
    let at = after(prompt.at, now);
    let status = if left == 0 { Status::Completed } else { Status::Active };
    let next = Prompt { at, updated_at: at, searches_remaining: left, status, ..prompt.clone() };
    record_store.write(record_store.place(false), &[&next])?;
    Ok(next)
}

/// Makes the searches that wait; says what came of each. Stops where a source failed, for the next
/// would fail as well.
///
/// # Errors
/// When something cannot be written down.
pub fn make_queued(
    record_store: &RecordStore,
    sources: &[Box<dyn Source + '_>],
    now: &dyn Fn() -> Timestamp,
) -> Result<Vec<Made>, LearnError> {
    let log = Log::read(record_store, now());
    let mut all = Vec::new();
    for search in log.queued() {
        let made = make(record_store, log.place(&search.id), search, sources, &|| false, now)?;
        let is_done = !made.search.queued;
        all.push(made);
        if !is_done {
            break;
        }
        settle(record_store, search.learn_prompt_id.as_deref(), now)?;
    }
    Ok(all)
}

/// Brings the record of a prompt in line with its searches.
pub(super) fn settle(
    record_store: &RecordStore,
    prompt: Option<&str>,
    now: &dyn Fn() -> Timestamp,
) -> Result<(), LearnError> {
    let Some(prompt) = prompt else { return Ok(()) };
    let log = Log::read(record_store, now());
    if let Some(known) = log.prompts.get(prompt) {
        let left = log.searches_of(prompt).iter().filter(|search| search.queued).count();
        advance(record_store, known, left, now())?;
    }
    Ok(())
}

/// Later than a record that this one takes the place of, whatever the clock says.
pub(super) fn after(before: Timestamp, now: Timestamp) -> Timestamp {
    // Times are written with milliseconds.
    let next = before.checked_add(SignedDuration::from_millis(1)).unwrap_or(before);
    now.max(next)
}
