//! Entities that are one: finding them, merging them, and taking a merge back.
//!
//! A merge is one line on the page of the entity that goes. Its facts stay where they are and are
//! read as those of the entity that stays, so what another branch adds to the page still arrives,
//! and a merge is taken back by taking out the line, whatever happened since.

use std::collections::BTreeSet;

use jiff::Timestamp;
use ulid::Ulid;

use super::{
    LearnError,
    entity_store::{EntitySnapshot, EntityStore},
    log::Log,
    meaning::{Meaning, text_of},
    novel::is_same,
    record::{MERGE, Merge, RetiredLine},
    run::after,
};
use crate::duplicates::{Candidate, Thresholds, Verdict, pairs};
use elophanto_models::Role;
use elophanto_text::entity::{Entity, Fact, Kind, Line, NewLine, Reason, normalise};

/// Two entities that may be one.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Slug and name of the one that would go, and of the one that would stay.
    pub from: (String, String),
    pub into: (String, String),
    /// Whether it may be done unasked.
    pub is_certain: bool,
    pub reason: String,
    pub similarity: f32,
}

/// Pages that a person has taken apart.
pub struct Apart(BTreeSet<(String, String)>);

impl Apart {
    pub fn of(log: &Log) -> Self {
        let undone = log.merges.values().filter(|merge| merge.undone);
        let both = undone.flat_map(|Merge { from, into, .. }| {
            [(from.clone(), into.clone()), (into.clone(), from.clone())]
        });
        Self(both.collect())
    }

    /// Whether a page of one entity and a page of another are among them.
    pub fn holds(&self, snapshot: &EntitySnapshot, one: &str, other: &str) -> bool {
        let pages = |slug| snapshot.entities.by_slug(slug).map(|it| it.pages.as_slice());
        let (one, other) = (pages(one).unwrap_or_default(), pages(other).unwrap_or_default());
        !self.0.is_empty()
            && one.iter().any(|a| other.iter().any(|b| self.0.contains(&(a.clone(), b.clone()))))
    }
}

/// Entities that may be one, the surest first; without pairs that a person has taken apart.
pub fn proposals(snapshot: &EntitySnapshot, log: &Log, meaning: &Meaning) -> Vec<Proposal> {
    let entities: Vec<&Entity> = snapshot.entities.iter().collect();
    let facts: Vec<Vec<&str>> = entities
        .iter()
        .map(|entity| entity.facts.iter().map(|fact| fact.line.text.as_str()).collect())
        .collect();
    let vectors: Vec<Option<Vec<f32>>> = entities
        .iter()
        .zip(&facts)
        .map(|(entity, facts)| {
            meaning.vector(&text_of(&entity.title, facts.iter().copied()), Role::Document)
        })
        .collect();
    let candidates: Vec<Candidate> = entities
        .iter()
        .zip(&facts)
        .zip(&vectors)
        .map(|((entity, facts), vector)| Candidate {
            slug: &entity.slug,
            name: &entity.title,
            aliases: &entity.aliases,
            facts,
            vector: vector.as_deref(),
        })
        .collect();
    let apart = Apart::of(log);
    let named = |entity: &Entity| (entity.slug.clone(), entity.title.clone());
    pairs(&candidates, &Thresholds::default())
        .into_iter()
        .filter_map(|proposal| {
            let (from, into) = (entities.get(proposal.a)?, entities.get(proposal.b)?);
            let is_apart = apart.holds(snapshot, &from.slug, &into.slug);
            (!is_apart).then(|| Proposal {
                from: named(from),
                into: named(into),
                is_certain: proposal.verdict == Verdict::Certain,
                reason: proposal.reason.to_string(),
                similarity: proposal.similarity,
            })
        })
        .collect()
}

/// Merges one entity into another, and takes out facts of the first that say what the second has;
/// `None` if they are one already, or one of them is no longer there.
///
/// # Errors
/// When it cannot be written down.
pub fn merge(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    from: &str,
    into: &str,
    reason: &str,
    meaning: &Meaning,
    now: Timestamp,
) -> Result<Option<Merge>, LearnError> {
    let (Some(one), Some(other)) =
        (snapshot.entities.by_slug(from), snapshot.entities.by_slug(into))
    else {
        return Ok(None);
    };
    if one.slug == other.slug {
        return Ok(None);
    }
    let (one, other) = (one.clone(), other.clone());
    let record = Merge {
        kind: MERGE.to_owned(),
        id: Ulid::new().to_string(),
        at: now,
        from: one.slug.clone(),
        from_name: one.title.clone(),
        into: other.slug.clone(),
        into_name: other.title.clone(),
        reason: reason.to_owned(),
        undone: false,
    };
    let mut needless = said_twice(meaning, &one, &other);
    // A page in a circle of merges leads somewhere already, and its oldest line would count.
    let parsed = snapshot.pages.get(&one.slug);
    let leads = parsed
        .into_iter()
        .flat_map(|parsed| &parsed.page.lines)
        .filter(|line| line.kind == Kind::MergedInto && !snapshot.retired.holds(&line.hash));
    needless.extend(leads.map(|line| (one.slug.clone(), line.clone())));
    store.record_store.write(store.record_store.place(false), &[&record])?;
    let line = NewLine::merged_into(&other.slug, &record.id, now);
    store.put(snapshot, &one.slug, &line.into_iter().collect::<Vec<_>>())?;
    store.retire(snapshot, &needless, &Reason::Merged(record.id.clone()), now)?;
    Ok(Some(record))
}

/// Lines of facts that the other entity has in other words. What both say in the same words is
/// read as one, and stays for the source that each has.
///
/// The younger one goes, whichever entity it belongs to: of two branches that merge the same two
/// into each other, both take out the same.
fn said_twice(meaning: &Meaning, one: &Entity, other: &Entity) -> Vec<(String, Line)> {
    let side = |is_one: bool, entity: &'_ Entity| {
        entity.facts.iter().map(move |fact| (is_one, fact.clone())).collect::<Vec<_>>()
    };
    let mut facts = [side(true, one), side(false, other)].concat();
    facts.sort_by(|(_, a), (_, b)| a.line.age().cmp(&b.line.age()));
    let names = Names::of([one, other]);
    let mut kept: Vec<(bool, Fact)> = Vec::new();
    let mut twice = Vec::new();
    for (is_one, fact) in facts {
        let text = &fact.line.text;
        let is_said = kept.iter().any(|(side, known)| {
            let known = &known.line.text;
            let is_word_for_word = normalise(known) == normalise(text);
            *side != is_one && !is_word_for_word && names.is_same(meaning, known, text)
        });
        if is_said {
            twice.push((fact.slug, fact.line));
            twice.extend(fact.also);
        } else {
            kept.push((is_one, fact));
        }
    }
    twice
}

/// All names of what is one entity, so that it makes no difference which of them a fact uses.
struct Names(Vec<String>);

impl Names {
    fn of<'e>(entities: impl IntoIterator<Item = &'e Entity>) -> Self {
        let names =
            |entity: &Entity| [std::slice::from_ref(&entity.title), &entity.aliases].concat();
        let mut names: Vec<String> = entities.into_iter().flat_map(names).collect();
        // `KEF LS50 Meta` before `LS50`.
        names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        names.dedup();
        Self(names)
    }

    fn is_same(&self, meaning: &Meaning, a: &str, b: &str) -> bool {
        is_same(meaning, a, b) || is_same(meaning, &self.one(a), &self.one(b))
    }

    /// The text with one name for all.
    fn one(&self, text: &str) -> String {
        let Some(shown) = self.0.first() else { return text.to_owned() };
        // A mark first, as a name may be part of another.
        let marked = self.0.iter().fold(text.to_owned(), |text, name| text.replace(name, "\0"));
        marked.replace('\0', shown)
    }
}

/// Puts facts back that merges took out because another said the same, where that other is gone:
/// with its search, or with the merge of its entity. What a person took out stays away.
///
/// # Errors
/// When it cannot be written down.
pub fn give_back(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    meaning: &Meaning,
    now: Timestamp,
) -> Result<(), LearnError> {
    let is_merged = |reason: &Reason| matches!(reason, Reason::Merged(_));
    let is_lost = |line: &&RetiredLine| {
        let Some(fact) = line.again().filter(|fact| fact.kind() == Kind::Fact) else {
            return false;
        };
        let Some(entity) = snapshot.entities.by_slug(&line.line.slug) else { return false };
        let names = Names::of([entity]);
        let says = |text: &str| names.is_same(meaning, text, fact.text());
        let by_hand = |other: &RetiredLine| {
            let by_hand = matches!(
                other.line.reason,
                Reason::Removed | Reason::Edited | Reason::Masked | Reason::Deleted
            );
            by_hand
                && entity.pages.contains(&other.line.slug)
                && other.says().is_some_and(|it| says(&it))
        };
        let standing = snapshot.retired.standing(&line.line.hash);
        standing.iter().all(|one| is_merged(&one.reason))
            && !entity.facts.iter().any(|known| says(&known.line.text))
            && !snapshot.retirements.iter().any(by_hand)
    };
    let merged = snapshot.retirements.iter().filter(|line| is_merged(&line.line.reason));
    let lost: Vec<RetiredLine> = merged.filter(is_lost).cloned().collect();
    store.restore(snapshot, &lost, now)
}

/// What came of taking a merge back.
#[derive(Debug, PartialEq)]
pub enum Unmerged {
    Done(Merge),
    /// It was taken back before.
    Already(Merge),
}

/// Takes a merge back: both entities are there again, with all facts that it took out. `None` if
/// there is no such merge.
///
/// # Errors
/// When it cannot be written down.
pub fn unmerge(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    log: &Log,
    id: &str,
    meaning: &Meaning,
    now: Timestamp,
) -> Result<Option<Unmerged>, LearnError> {
    let Some(merge) = log.merges.get(id) else { return Ok(None) };
    if merge.undone {
        return Ok(Some(Unmerged::Already(merge.clone())));
    }
    let record = Merge { at: after(merge.at, now), undone: true, ..merge.clone() };
    store.record_store.write(store.record_store.place(false), &[&record])?;
    let lines: Vec<(String, Line)> = snapshot
        .pages
        .iter()
        .flat_map(|(slug, parsed)| parsed.page.lines.iter().map(move |line| (slug, line)))
        .filter(|(_, line)| line.kind == Kind::MergedInto && line.id == merge.id)
        .map(|(slug, line)| (slug.clone(), line.clone()))
        .collect();
    store.retire(snapshot, &lines, &Reason::Undone(merge.id.clone()), now)?;
    let taken = Reason::Merged(merge.id.clone());
    let is_undone = |line: &RetiredLine| {
        let merge = line.line.line.strip_prefix("m:").and_then(|id| log.merges.get(id));
        merge.is_some_and(|merge| merge.undone)
    };
    let taken: Vec<RetiredLine> = snapshot
        .retirements
        .iter()
        .filter(|line| line.line.reason == taken && !is_undone(line))
        .cloned()
        .collect();
    store.restore(snapshot, &taken, now)?;
    give_back(store, snapshot, meaning, now)?;
    Ok(Some(Unmerged::Done(record)))
}
