//! Taking back what was learnt: all that a search or a prompt brought, or a whole entity.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    LearnError,
    entity_store::{EntitySnapshot, EntityStore, ParsedPage},
    interests::Interests,
    log::{Log, Work},
    meaning::Meaning,
    merge::give_back,
    record::{Extraction, RetiredLine, Search},
    run::{after, settle},
};
use elophanto_repo::journal::Place;
use elophanto_text::entity::{Kind, Line, Reason, normalise};

/// What was taken back.
#[derive(Debug, Default, PartialEq)]
pub struct Undone {
    pub facts: usize,
    /// Facts that stay, as other sources say so too.
    pub confirmed: usize,
    /// Names of entities of which nothing is left.
    pub entities: Vec<String>,
    /// Searches and messages of which nothing will come any more.
    pub called_off: usize,
}

/// Takes back every fact that a search, or the searches of a prompt, brought; whatever has been
/// merged since. Entities that they made and of which nothing else is known go too, and what waits
/// to be searched or read is called off. `None` if there is no such search, prompt or message.
///
/// # Errors
/// When it cannot be written down.
pub fn undo(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    log: &Log,
    id: &str,
    meaning: &Meaning,
    now: Timestamp,
) -> Result<Option<Undone>, LearnError> {
    // Of searches and messages.
    let ids: BTreeSet<String> = match log.prompts.get(id) {
        Some(prompt) => {
            log.searches_of(&prompt.id).iter().map(|search| search.id.clone()).collect()
        }
        None => BTreeSet::from([id.to_owned()]),
    };
    let is_known = log.prompts.contains_key(id)
        || log.searches.contains_key(id)
        || log.messages.contains_key(id);
    let is_its = |line: &Line| {
        let named = |given: &Option<String>| given.as_ref().is_some_and(|id| ids.contains(id));
        line.kind == Kind::Fact && (named(&line.search) || named(&line.message))
    };
    let lines: Vec<(String, Line)> =
        counting(snapshot).chain(merged(snapshot)).filter(|(_, line)| is_its(line)).collect();
    if lines.is_empty() && !is_known {
        return Ok(None);
    }
    let reason = Reason::Undone(id.to_owned());
    let mut touched: Vec<String> = lines.iter().map(|(slug, _)| slug.clone()).collect();
    touched.sort();
    touched.dedup();
    let done = store.retire(snapshot, &lines, &reason, now)?;
    give_back(store, snapshot, meaning, now)?;
    let called_off = call_off(store, log, &ids, now)?;
    // What other sources say too is known still.
    let stays = |(slug, line): &&(String, Line)| {
        let said = normalise(&line.text);
        let entity = snapshot.entities.by_slug(slug);
        let mut facts = entity.into_iter().flat_map(|entity| &entity.facts);
        facts.any(|fact| normalise(&fact.line.text) == said)
    };
    let confirmed = lines.iter().filter(stays).count();
    let facts = done.len().saturating_sub(confirmed);
    let mut undone = Undone { facts, confirmed, entities: Vec::new(), called_off };
    let interests = Interests::read(store.record_store, now);
    // What is taken out below has no facts any more.
    let undone_facts: BTreeSet<String> = snapshot
        .retired
        .all()
        .filter(|line| matches!(line.reason, Reason::Undone(_)))
        .filter_map(|line| Some(line.line.strip_prefix("f:")?.to_owned()))
        .collect();
    for slug in touched {
        let Some(entity) = snapshot.entities.by_slug(&slug) else { continue };
        let is_merged = |line: &Line| line.kind == Kind::MergedInto;
        let is_alone = entity.pages.len() == 1
            && entity.facts.is_empty()
            && entity.notes.is_empty()
            && !counting_of(snapshot, &slug).any(|line| is_merged(&line));
        let is_liked = interests.preferences.values().any(|preference| {
            let of = preference.entity_id.as_deref();
            !preference.retracted && of.is_some_and(|of| snapshot.entities.canonical(of) == slug)
        });
        // One that another search made stays, unless that was undone too.
        let is_all_undone = log
            .facts
            .values()
            .filter(|fact| fact.entity == slug)
            .all(|fact| undone_facts.contains(&fact.id));
        if is_alone && is_all_undone && !is_liked {
            undone.entities.push(entity.title.clone());
            let lines: Vec<(String, Line)> =
                counting_of(snapshot, &slug).map(|line| (slug.clone(), line)).collect();
            store.retire(snapshot, &lines, &reason, now)?;
        }
    }
    Ok(Some(undone))
}

/// What was put back.
#[derive(Debug, Default, PartialEq)]
pub struct PutBack {
    pub facts: usize,
    /// Names of entities that are there again.
    pub entities: Vec<String>,
}

/// Puts back what [`undo`] took out for a search, a prompt or a message; `None` if nothing was.
///
/// # Errors
/// When it cannot be written down.
pub fn put_back(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    id: &str,
    now: Timestamp,
) -> Result<Option<PutBack>, LearnError> {
    let is_its = |line: &&RetiredLine| matches!(&line.line.reason, Reason::Undone(of) if of == id);
    let lines: Vec<RetiredLine> = snapshot.retirements.iter().filter(is_its).cloned().collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let gone: BTreeSet<&str> = lines
        .iter()
        .map(|line| line.line.slug.as_str())
        .filter(|slug| snapshot.entities.by_slug(slug).is_none())
        .collect();
    let gone: Vec<String> = gone.into_iter().map(str::to_owned).collect();
    store.restore(snapshot, &lines, now)?;
    let is_fact = |line: &&RetiredLine| line.line.line.starts_with(Kind::Fact.letter());
    let there = gone.iter().filter_map(|slug| snapshot.entities.by_slug(slug));
    let entities = there.map(|entity| entity.title.clone()).collect();
    Ok(Some(PutBack { facts: lines.iter().filter(is_fact).count(), entities }))
}

/// Nothing comes any more of what waits to be searched or read; says how much that was.
fn call_off(
    store: &EntityStore,
    log: &Log,
    ids: &BTreeSet<String>,
    now: Timestamp,
) -> Result<usize, LearnError> {
    let record_store = store.record_store;
    let queued = log.queued().into_iter().filter(|search| ids.contains(&search.id));
    let mut count = 0;
    for search in queued {
        let off = Search { at: after(search.at, now), queued: false, ..search.clone() };
        record_store.write(log.place(&search.id), &[&off])?;
        settle(record_store, search.learn_prompt_id.as_deref(), &|| now)?;
        count += 1;
    }
    for work in log.unprocessed().iter().filter(|work| ids.contains(work.id())) {
        let place = match work {
            Work::Search(search) => log.place(&search.id),
            Work::Message(_) => Place::Local,
        };
        record_store.write(place, &[&Extraction::of_nothing(work.id(), now)])?;
        count += 1;
    }
    Ok(count)
}

/// Deletes an entity with all that is known of it; the lines that people wrote stay on their pages.
/// It does not come back by itself.
///
/// # Errors
/// When it cannot be written down.
pub fn delete(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    slug: &str,
    now: Timestamp,
) -> Result<Vec<RetiredLine>, LearnError> {
    let pages = snapshot.entities.by_slug(slug).map(|entity| entity.pages.clone());
    let lines: Vec<(String, Line)> = pages
        .unwrap_or_default()
        .into_iter()
        .flat_map(|page| {
            let taken = merged(snapshot).filter(|(slug, _)| *slug == page).map(|(_, line)| line);
            let lines: Vec<Line> = counting_of(snapshot, &page).chain(taken).collect();
            lines.into_iter().map(move |line| (page.clone(), line))
        })
        .collect();
    store.retire(snapshot, &lines, &Reason::Deleted, now)
}

/// All lines that count, with the slugs of their pages.
fn counting(snapshot: &EntitySnapshot) -> impl Iterator<Item = (String, Line)> + '_ {
    snapshot
        .pages
        .keys()
        .flat_map(move |slug| counting_of(snapshot, slug).map(move |line| (slug.clone(), line)))
}

/// Lines that only a merge took out, which would put them back when it is undone.
fn merged(snapshot: &EntitySnapshot) -> impl Iterator<Item = (String, Line)> + '_ {
    let is_merged = |line: &&RetiredLine| {
        let standing = snapshot.retired.standing(&line.line.hash);
        snapshot.pages.contains_key(&line.line.slug)
            && standing.iter().all(|one| matches!(one.reason, Reason::Merged(_)))
            && standing.first().is_some_and(|first| first.id == line.id)
    };
    snapshot.retirements.iter().filter(is_merged).filter_map(|line| {
        let raw = line.raw.clone()?;
        let line_of = |parsed: ParsedPage| parsed.page.lines.into_iter().next();
        Some((line.line.slug.clone(), line_of(ParsedPage::of(raw))?))
    })
}

fn counting_of<'a>(snapshot: &'a EntitySnapshot, slug: &str) -> impl Iterator<Item = Line> + 'a {
    let parsed = snapshot.pages.get(slug);
    let lines = parsed.into_iter().flat_map(|parsed| &parsed.page.lines);
    lines.filter(|line| !snapshot.retired.holds(&line.hash)).cloned()
}
