//! What the journal says was asked, searched, said and processed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::{
    record::{
        EXTRACTION, Extraction, FACT, Fact, MERGE, MESSAGE, Merge, Message, PROMPT, Prompt, SEARCH,
        SOURCE, Search, SourceRecord, Status,
    },
    writer::known_writer,
};
use elophanto_repo::{
    journal::{Place, fold},
    record_store::RecordStore,
};

/// What was asked and what came of it, by id.
#[derive(Debug, Default)]
pub struct Log {
    pub prompts: BTreeMap<String, Prompt>,
    pub searches: BTreeMap<String, Search>,
    pub messages: BTreeMap<String, Message>,
    /// By the id of the search or message.
    pub extractions: FxHashMap<String, Extraction>,
    pub facts: BTreeMap<String, Fact>,
    pub merges: BTreeMap<String, Merge>,
    pub sources: BTreeMap<String, SourceRecord>,
    /// Where the record of a search or a message that counts is.
    places: FxHashMap<String, Place>,
    /// The id of this clone.
    own: Option<String>,
    /// Lines and files that cannot be read, for people.
    pub problems: Vec<String>,
}

/// Something that has not been processed yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    Search(Search),
    Message(Message),
}

impl Work {
    pub fn id(&self) -> &str {
        match self {
            Self::Search(search) => &search.id,
            Self::Message(message) => &message.id,
        }
    }
}

impl Log {
    /// Reads the journal.
    pub fn read(record_store: &RecordStore, now: Timestamp) -> Self {
        let kinds = [PROMPT, SEARCH, MESSAGE, EXTRACTION, FACT, MERGE, SOURCE];
        let reading = record_store.journal.read(&kinds);
        let mut log = Self {
            own: known_writer(record_store),
            problems: reading.problems(),
            ..Self::default()
        };
        for record in fold(reading.records, now).into_values().filter(|record| !record.retired) {
            let id = record.id.clone();
            // A record of another shape is of a newer version: it stays as it is.
            match record.kind.as_str() {
                PROMPT => log.prompts.extend(record.parse().ok().map(|prompt| (id, prompt))),
                SEARCH => {
                    log.places.insert(id.clone(), record.place);
                    log.searches.extend(record.parse().ok().map(|search| (id, search)));
                }
                MESSAGE => {
                    log.places.insert(id.clone(), record.place);
                    log.messages.extend(record.parse().ok().map(|message| (id, message)));
                }
                EXTRACTION => log.extractions.extend(record.parse().ok().map(|done| (id, done))),
                FACT => log.facts.extend(record.parse().ok().map(|fact| (id, fact))),
                SOURCE => log.sources.extend(record.parse().ok().map(|source| (id, source))),
                MERGE => log.merges.extend(record.parse().ok().map(|merge| (id, merge))),
                _ => {}
            }
        }
        log
    }

    /// Whether this clone's own user wanted or said it: what a cloned journal brings along is nobody's wish
    /// here.
    fn is_own(&self, id: &str, user: &str) -> bool {
        self.place(id) == Place::Local || self.own.as_deref() == Some(user)
    }

    /// Searches and messages of this clone that wait to be processed, oldest first. A search that is yet
    /// to be made is not among them.
    pub fn unprocessed(&self) -> Vec<Work> {
        let is_open = |id: &String| !self.extractions.contains_key(id);
        let searches = self.searches.values().filter(|search| {
            is_open(&search.id)
                && !search.queued
                && search.response_hash.is_some()
                && self.is_own(&search.id, &search.user)
        });
        let messages = self
            .messages
            .values()
            .filter(|message| is_open(&message.id) && self.is_own(&message.id, &message.user));
        let mut work: Vec<(Timestamp, Work)> = searches
            .map(|search| (search.timestamp, Work::Search(search.clone())))
            .chain(messages.map(|message| (message.at, Work::Message(message.clone()))))
            .collect();
        work.sort_by(|(at, a), (bt, b)| at.cmp(bt).then_with(|| a.id().cmp(b.id())));
        work.into_iter().map(|(_, work)| work).collect()
    }

    /// Searches of this clone that wait to be made, oldest first.
    pub fn queued(&self) -> Vec<&Search> {
        let is_waiting = |search: &&Search| search.queued && self.is_own(&search.id, &search.user);
        let mut queued: Vec<&Search> = self.searches.values().filter(is_waiting).collect();
        queued.sort_by(|a, b| a.timestamp.cmp(&b.timestamp).then_with(|| a.id.cmp(&b.id)));
        queued
    }

    /// Where the record of a search is, to write the next one about it beside it.
    pub fn place(&self, search: &str) -> Place {
        self.places.get(search).copied().unwrap_or(Place::Local)
    }

    /// Prompts in the order in which they were asked.
    pub fn in_order(&self) -> Vec<&Prompt> {
        let mut prompts: Vec<&Prompt> = self.prompts.values().collect();
        prompts.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.id.cmp(&b.id)));
        prompts
    }

    /// Searches made for a prompt, in their order.
    pub fn searches_of(&self, prompt: &str) -> Vec<&Search> {
        let is_its = |search: &&Search| search.learn_prompt_id.as_deref() == Some(prompt);
        let mut searches: Vec<&Search> = self.searches.values().filter(is_its).collect();
        searches.sort_by(|a, b| a.timestamp.cmp(&b.timestamp).then_with(|| a.id.cmp(&b.id)));
        searches
    }

    /// Whether everything that a prompt asked for is done: found and extracted.
    pub fn is_done(&self, prompt: &Prompt) -> bool {
        let open = |search: &&Search| {
            search.queued
                || search.response_hash.is_some() && !self.extractions.contains_key(&search.id)
        };
        prompt.status == Status::Completed && !self.searches_of(&prompt.id).iter().any(open)
    }
}
