//! Entities that are one: finding them, merging them, and taking a merge back.
//!
//! A merge is one line on the page of the entity that goes. Its facts stay where they are and are
//! read as those of the entity that stays, so what another branch adds to the page still arrives,
//! and a merge is taken back by taking out the line, whatever happened since.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use ulid::Ulid;

use super::{
    LearnError,
    decide::is_same,
    log::Log,
    meaning::{Meaning, text_of},
    record::{MERGE, Merge, RetiredLine},
    shelf::{Shelf, Shelves},
};
use crate::{
    duplicates::{Candidate, Thresholds, Verdict, pairs},
    embed::Role,
    entity::{Entity, Kind, Line, NewLine, Reason},
};

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

/// Entities that may be one, the surest first; without pairs that a person has taken apart.
pub fn proposals(shelf: &Shelf, log: &Log, meaning: &Meaning) -> Vec<Proposal> {
    let entities: Vec<&Entity> = shelf.entities.iter().collect();
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
    let apart: BTreeSet<(&str, &str)> = log
        .merges
        .values()
        .filter(|merge| merge.undone)
        .flat_map(|merge| {
            let (from, into) = (merge.from.as_str(), merge.into.as_str());
            [(from, into), (into, from)]
        })
        .collect();
    let named = |entity: &Entity| (entity.slug.clone(), entity.title.clone());
    pairs(&candidates, &Thresholds::default())
        .into_iter()
        .filter_map(|proposal| {
            let (from, into) = (entities.get(proposal.a)?, entities.get(proposal.b)?);
            let is_apart = apart.contains(&(from.slug.as_str(), into.slug.as_str()));
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
    shelves: &Shelves,
    shelf: &mut Shelf,
    from: &str,
    into: &str,
    reason: &str,
    meaning: &Meaning,
    now: Timestamp,
) -> Result<Option<Merge>, LearnError> {
    let (Some(one), Some(other)) = (shelf.entities.by_slug(from), shelf.entities.by_slug(into))
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
    let said: Vec<(String, Line)> = one
        .facts
        .iter()
        .filter(|fact| {
            other.facts.iter().any(|known| is_same(meaning, &known.line.text, &fact.line.text))
        })
        .flat_map(|fact| {
            let own = (fact.slug.clone(), fact.line.clone());
            std::iter::once(own).chain(fact.also.iter().cloned())
        })
        .collect();
    shelves.desk.write(shelves.desk.place(false), &[&record])?;
    let line = NewLine::merged_into(&other.slug, &record.id, now);
    shelves.put(shelf, &one.slug, &line.into_iter().collect::<Vec<_>>())?;
    shelves.retire(shelf, &said, &Reason::Merged(record.id.clone()), now)?;
    Ok(Some(record))
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
    shelves: &Shelves,
    shelf: &mut Shelf,
    log: &Log,
    id: &str,
    now: Timestamp,
) -> Result<Option<Unmerged>, LearnError> {
    let Some(merge) = log.merges.get(id) else { return Ok(None) };
    if merge.undone {
        return Ok(Some(Unmerged::Already(merge.clone())));
    }
    // Later than the record that it takes the place of, whatever the clock says.
    let next = merge.at.checked_add(SignedDuration::from_millis(1)).unwrap_or(merge.at);
    let record = Merge { at: now.max(next), undone: true, ..merge.clone() };
    shelves.desk.write(shelves.desk.place(false), &[&record])?;
    let lines: Vec<(String, Line)> = shelf
        .sheets
        .iter()
        .flat_map(|(slug, sheet)| sheet.page.lines.iter().map(move |line| (slug, line)))
        .filter(|(_, line)| line.kind == Kind::MergedInto && line.id == merge.id)
        .map(|(slug, line)| (slug.clone(), line.clone()))
        .collect();
    shelves.retire(shelf, &lines, &Reason::Undone(merge.id.clone()), now)?;
    let taken = Reason::Merged(merge.id.clone());
    let taken: Vec<RetiredLine> =
        shelf.retirements.iter().filter(|line| line.line.reason == taken).cloned().collect();
    shelves.restore(shelf, &taken, now)?;
    Ok(Some(Unmerged::Done(record)))
}

/// Merges that stand, by id.
pub fn standing(log: &Log) -> BTreeMap<&str, &Merge> {
    let merges = log.merges.iter().filter(|(_, merge)| !merge.undone);
    merges.map(|(id, merge)| (id.as_str(), merge)).collect()
}
