//! From what searches brought and the user said to entities, facts and engagements.
//!
//! One pipeline processes everything, whoever asked for it. It may be stopped at any moment: what
//! was written stays, and what was not is processed the next time, for the same text gives the same
//! ids.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use rustc_hash::FxHashSet;

use super::{
    LearnError,
    decide::{Change, Decision, DecisionContext, Refusal, Stated, decide},
    entity_store::{EntitySnapshot, EntityStore, NewFact, Written},
    kept::{self, Keep},
    log::{Log, Work},
    meaning::Meaning,
    otherwise::reader_of,
    read::{Reader, Remarks, read},
    record::{EXTRACTION, EngagementRecord, Extraction, Trigger},
    responses::{self, Finding},
    users::Said,
};
use crate::{
    duplicates,
    extract::{Leaning, Valence as Leans, statements},
    interest::{EngagementKind, Valence},
};
use elophanto_base::secrets;
use elophanto_models::llm::Ask;
use elophanto_repo::journal::Place;
use elophanto_text::entity::{Entity, identity};

/// What the pipeline works with.
pub struct Pipeline<'a> {
    pub store: &'a EntityStore<'a>,
    pub meaning: &'a Meaning<'a>,
    /// What the user's own notes say, to tell what contradicts them.
    pub users: &'a [Said],
    /// The id of this clone.
    pub user: &'a str,
    pub now: &'a dyn Fn() -> Timestamp,
    /// Told how many of how many searches and messages are processed.
    pub progress: &'a dyn Fn(usize, usize),
    /// How long the texts of sources are kept.
    pub keep: Keep,
    /// Whether nobody waits for it any more: nothing more is written then.
    pub is_gone: &'a dyn Fn() -> bool,
}

/// What was found out about one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    pub slug: String,
    pub name: String,
    pub is_new: bool,
    pub facts: Vec<Told>,
    /// Facts known of it by now.
    pub known: usize,
    pub image: Option<String>,
    /// The prompt that it was found for.
    pub prompt: Option<String>,
    /// It is neither what was asked for nor what a text is about.
    pub is_aside: bool,
}

/// A fact that was found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub written: Written,
    /// It resembles nothing that was known.
    pub novel: bool,
    /// The user's note that says otherwise.
    pub against: Option<String>,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    pub discovered: Vec<Discovered>,
    pub processed: usize,
    /// Searches whose response is on another machine.
    pub elsewhere: usize,
    /// Names of things of which nothing is kept, as all that is said of them was written once, on a page
    /// that is not here.
    pub away: Vec<String>,
    pub refused: Vec<(String, Refusal)>,
    /// Calls of the model.
    pub calls: usize,
    /// Why what was found about some pages is not kept, each with its path.
    pub unreadable: Vec<String>,
    pub remarks: Remarks,
    /// Why the rest was left for the next time.
    pub stopped: Option<String>,
}

/// Facts at least this much less alike than the same fact are new in kind.
const NOVEL: f32 = 0.9;

/// Facts of an entity, the newest, that a new one is compared with to tell whether it is new in kind.
const MOST_COMPARED: usize = 300;

/// What notes of the user say of one thing, each with its path, and what reads the same of a fact.
struct SaidOf<'s> {
    notes: Vec<(&'s str, duplicates::Said)>,
    read: Box<dyn Fn(&str) -> duplicates::Said>,
}

impl SaidOf<'_> {
    /// The note that gives another value for what a fact says, and nowhere the same. A note is not against
    /// what was read from it.
    fn against(&self, fact: &str, source: Option<&str>) -> Option<String> {
        let fact = (self.read)(fact);
        let agrees =
            |path: &str| self.notes.iter().any(|(it, said)| *it == path && said.agrees(&fact));
        let mut others = self.notes.iter().filter(|(path, _)| source != Some(*path));
        let found = others.find(|(path, said)| said.is_otherwise(&fact) && !agrees(path));
        found.map(|(path, _)| (*path).to_owned())
    }
}

impl Pipeline<'_> {
    /// Processes searches and messages in their order.
    ///
    /// # Errors
    /// When something cannot be written down. What was written before stays.
    pub fn run(
        &self,
        work: &[Work],
        log: &Log,
        snapshot: &mut EntitySnapshot,
        ask: Ask,
    ) -> Result<Outcome, LearnError> {
        let mut outcome = Outcome::default();
        let mut reader = Reader::new(ask);
        self.store.tidy()?;
        let gone = "nobody waits for it any more";
        for (done_so_far, item) in work.iter().enumerate() {
            (self.progress)(done_so_far, work.len());
            let (texts, question, trigger) = match item {
                Work::Search(search) => {
                    let hash = search.response_hash.as_deref().unwrap_or_default();
                    let Some(found) = responses::load(self.store.record_store, hash) else {
                        outcome.elsewhere += 1;
                        continue;
                    };
                    let question = match search.learn_prompt_id.as_ref() {
                        Some(prompt) => log.prompts.get(prompt).map(|it| it.prompt_text.clone()),
                        None => None,
                    };
                    (found, question.unwrap_or_else(|| search.query.clone()), search.trigger())
                }
                Work::Message(message) => {
                    let text = message.text.clone();
                    let found = Finding { text: text.clone(), ..Finding::default() };
                    (vec![found], text, Trigger::UserMessage)
                }
            };
            let candidates = match read(&texts, &question, &snapshot.entities, trigger, &mut reader)
            {
                Ok(candidates) => candidates,
                Err(reason) => {
                    outcome.stopped = Some(reason);
                    break;
                }
            };
            let context = DecisionContext { snapshot, meaning: self.meaning };
            let Decision { changes, refused } = decide(&context, trigger, &question, candidates);
            let before = outcome.discovered.len();
            for change in changes {
                if (self.is_gone)() {
                    break;
                }
                if let Change::Create { name, facts, .. } = &change
                    && self.store.is_page_elsewhere(snapshot, name, facts, (self.now)())
                {
                    outcome.away.push(name.clone());
                    continue;
                }
                match self.apply(change, item, snapshot, &texts) {
                    Ok(found) => outcome.discovered.extend(found),
                    // One bad page must not keep the others from being written.
                    Err(cause @ (LearnError::Unreadable(_) | LearnError::Encoding(_))) => {
                        outcome.unreadable.push(cause.to_string());
                    }
                    Err(cause) => return Err(cause),
                }
            }
            if (self.is_gone)() {
                outcome.stopped = Some(gone.to_owned());
                break;
            }
            let found = &outcome.discovered[before..];
            self.store.catch_up(snapshot, item.id(), (self.now)())?;
            self.engage(item, trigger, found, snapshot)?;
            let done = Extraction {
                kind: EXTRACTION.to_owned(),
                id: item.id().to_owned(),
                at: (self.now)(),
                model: reader.model(),
                entities_created: found.iter().filter(|found| found.is_new).count(),
                facts_added: found.iter().map(|found| found.facts.len()).sum(),
            };
            let place = match item {
                Work::Search(search) => log.place(&search.id),
                Work::Message(_) => Place::Local,
            };
            self.store.record_store.write(place, &[&done])?;
            if let Work::Search(search) = item {
                let found = snapshot.pages.values().flat_map(|parsed| &parsed.page.lines);
                let its = found.filter(|line| line.search.as_deref() == Some(search.id.as_str()));
                let used: FxHashSet<&str> = its.filter_map(|line| line.source.as_deref()).collect();
                let is_used = |url: &str| used.contains(url);
                let store = self.store.record_store;
                // Searches that were answered alike have one response.
                let hash = &search.response_hash;
                let later = work.iter().skip(done_so_far + 1);
                let is_later =
                    |it: &Work| matches!(it, Work::Search(it) if it.response_hash == *hash);
                let is_open = log
                    .unprocessed()
                    .iter()
                    .any(|it| is_later(it) && !work.iter().any(|own| own.id() == it.id()));
                let keep = match self.keep {
                    Keep::None if is_open || later.clone().any(is_later) => Keep::Local,
                    keep => keep,
                };
                kept::settle(store, keep, place, search, &texts, &is_used, (self.now)())?;
            }
            outcome.processed += 1;
            outcome.refused.extend(refused);
        }
        outcome.calls = reader.calls();
        outcome.remarks = reader.remarks();
        Ok(outcome)
    }

    /// Writes a change down; `None` if nothing of it was new.
    fn apply(
        &self,
        change: Change,
        item: &Work,
        snapshot: &mut EntitySnapshot,
        texts: &[Finding],
    ) -> Result<Option<Discovered>, LearnError> {
        let now = (self.now)();
        let (Change::Create { is_aside, .. } | Change::Add { is_aside, .. }) = change;
        let (slug, is_new, aliases, facts, agreed) = match change {
            Change::Create { name, aliases, facts, agreed, .. } => {
                (self.store.create(snapshot, &name, now)?, true, aliases, facts, agreed)
            }
            Change::Add { slug, aliases, facts, agreed, .. } => {
                (slug, false, aliases, facts, agreed)
            }
        };
        let Some(entity) = snapshot.entities.by_slug(&slug) else { return Ok(None) };
        let name = entity.title.clone();
        let lately = entity.facts.iter().rev().take(MOST_COMPARED);
        let had: Vec<String> = lately.map(|fact| fact.line.text.clone()).collect();
        let own: Vec<Said> = entity
            .notes
            .iter()
            .map(|note| Said {
                path: self.store.path(&note.slug).to_text(),
                text: note.text.clone(),
            })
            .collect();
        let said = self.said_of(entity, &own);
        let image = facts.iter().find_map(|fact| {
            of_source(texts, fact.source.as_deref()).find_map(|text| text.image.clone())
        });
        let (search, message) = match item {
            Work::Search(search) => (Some(search.id.clone()), None),
            Work::Message(message) => (None, Some(message.id.clone())),
        };
        let told = facts.into_iter().map(|fact| (fact, false));
        let new: Vec<NewFact> = told
            .chain(agreed.into_iter().map(|fact| (fact, true)))
            .map(|(Stated { text, source }, is_known)| {
                let day = of_source(texts, source.as_deref()).find_map(|it| published(it, now));
                NewFact {
                    is_known,
                    against: said.against(&text, source.as_deref()),
                    published: day,
                    source: source.map(|source| secrets::mask(&source).0.into_owned()),
                    search: search.clone(),
                    message: message.clone(),
                    text,
                }
            })
            .collect();
        let written = self.store.add(snapshot, &slug, &aliases, &new, now)?;
        if written.is_empty() && !is_new {
            return Ok(None);
        }
        let known = snapshot.entities.by_slug(&slug).map_or(0, |entity| entity.facts.len());
        let is_novel = |text: &str| {
            let nearest = self.meaning.nearest(text, had.iter().map(String::as_str));
            nearest.is_none_or(|cosine| cosine < self.meaning.near.same_fact * NOVEL)
        };
        let told = written.into_iter().map(|written| Told {
            novel: is_novel(&written.text),
            against: new
                .iter()
                .find(|fact| fact.text == written.text)
                .and_then(|fact| fact.against.clone()),
            written,
        });
        let prompt = match item {
            Work::Search(search) => search.learn_prompt_id.clone(),
            Work::Message(_) => None,
        };
        let facts = told.collect();
        Ok(Some(Discovered { slug, name, is_new, facts, known, image, prompt, is_aside }))
    }

    /// What the user's notes say of something: those on its page, and sentences that name it.
    fn said_of<'s>(&'s self, entity: &Entity, own: &'s [Said]) -> SaidOf<'s> {
        let names = std::iter::once(&entity.title).chain(&entity.aliases);
        let names: Vec<String> = names.map(|name| identity(name)).collect();
        let is_named = |said: &&Said| {
            let text = identity(&said.text);
            names.iter().any(|name| text.contains(name.as_str()))
        };
        let read = reader_of(entity);
        let said = own.iter().chain(self.users.iter().filter(is_named));
        let notes = said.map(|said| (said.path.as_str(), read(&said.text))).collect();
        SaidOf { notes, read: Box::new(read) }
    }

    /// Writes down what the user showed interest in by this. What is not theirs shows nothing.
    fn engage(
        &self,
        item: &Work,
        trigger: Trigger,
        found: &[Discovered],
        snapshot: &mut EntitySnapshot,
    ) -> Result<(), LearnError> {
        if !trigger.is_users() {
            return Ok(());
        }
        let now = (self.now)();
        let mut acts: Vec<EngagementRecord> = Vec::new();
        let mut act = |slug: &str, kind, valence, source: &str| {
            acts.push(EngagementRecord::new(self.user, slug, kind, valence, source, now));
        };
        match item {
            Work::Search(search) => {
                let (kind, source) = match trigger {
                    // Once for the prompt, however many of its searches found it.
                    Trigger::LearnCommand => (
                        EngagementKind::LearnCommand,
                        search.learn_prompt_id.as_deref().unwrap_or(&search.id),
                    ),
                    _ => (EngagementKind::Search, search.id.as_str()),
                };
                // What a text speaks of in passing, nobody asked for.
                for discovered in found.iter().filter(|found| !found.is_aside) {
                    act(&discovered.slug, kind, Valence::Positive, source);
                }
            }
            Work::Message(message) => {
                let mut stated: FxHashSet<String> = FxHashSet::default();
                for Leaning { topic, valence } in statements(&message.text) {
                    let (kind, valence) = match valence {
                        Leans::Positive => (EngagementKind::Statement, Valence::Positive),
                        Leans::Negative => (EngagementKind::Statement, Valence::Negative),
                        Leans::Neutral => (EngagementKind::Mention, Valence::Neutral),
                    };
                    // Of what is not known, what is said stays on this machine: a page is for everybody.
                    let known = snapshot.entities.find(&topic).map(|entity| entity.slug.clone());
                    let Some(slug) = known else { continue };
                    if stated.insert(slug.clone()) {
                        act(&slug, kind, valence, &message.id);
                    }
                }
                for discovered in found.iter().filter(|found| !stated.contains(&found.slug)) {
                    act(&discovered.slug, EngagementKind::Mention, Valence::Neutral, &message.id);
                }
            }
        }
        if let Work::Message(message) = item {
            for act in &mut acts {
                act.source_message_id = Some(message.id.clone());
            }
        }
        Ok(self.store.record_store.write(Place::Local, &acts)?)
    }
}

/// The texts of a source.
fn of_source<'t>(
    texts: &'t [Finding],
    source: Option<&'t str>,
) -> impl Iterator<Item = &'t Finding> {
    texts.iter().filter(move |text| text.url.as_deref() == source)
}

/// The day that a text gives itself, unless it is still to come.
fn published(text: &Finding, now: Timestamp) -> Option<Date> {
    let day = text.byline.published.as_deref()?.get(..10)?.parse().ok()?;
    (day <= now.to_zoned(TimeZone::UTC).date()).then_some(day)
}
