//! What becomes of what was found in a text: which entities are created, which facts are added.
//! Pure, but for vectors, which are asked for.
//!
//! Here, and nowhere else, an entity can come to be; and only what the user asked for makes one.

use std::collections::BTreeMap;

use super::{meaning::Meaning, record::Trigger, shelf::Shelf};
use crate::{
    duplicates::same_fact,
    entity::{identity, normalise},
    extract::name::{Rejection, merge_hint, structural},
};

/// Facts that one search may add to one entity.
const MOST_FACTS: usize = 50;

/// Something found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub name: String,
    pub aliases: Vec<String>,
    pub facts: Vec<Stated>,
}

/// A sentence about something, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated {
    pub text: String,
    pub source: Option<String>,
}

/// What is to be written.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Create { name: String, aliases: Vec<String>, facts: Vec<Stated> },
    Add { slug: String, aliases: Vec<String>, facts: Vec<Stated> },
}

/// Why something that was found is no entity.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// It does not look like a name.
    NoName(Rejection),
    /// Nothing is said of it that is not known.
    NoFacts,
    /// It has nothing to do with what was asked.
    NotRelevant,
    /// The user deleted it.
    Deleted,
    /// The search was not the user's.
    NotAsked,
}

/// What is known already.
pub struct Ground<'a> {
    pub shelf: &'a Shelf,
    pub meaning: &'a Meaning<'a>,
}

/// What was decided.
#[derive(Debug, Default, PartialEq)]
pub struct Decision {
    pub changes: Vec<Change>,
    pub refused: Vec<(String, Refusal)>,
    /// New names whose words another name has all and more: they may be one, which is not decided
    /// here.
    pub hints: Vec<(String, String)>,
}

/// Decides on what was found by a search of this trigger for this question. The order of checks is
/// that of the reference design, but that facts come before relevance.
pub fn decide(
    ground: &Ground,
    trigger: Trigger,
    question: &str,
    candidates: Vec<Candidate>,
) -> Decision {
    let mut decision = Decision::default();
    let Ground { shelf, meaning } = ground;
    for mut candidate in together(candidates) {
        candidate.facts.retain(|fact| !shelf.is_removed(&fact.text));
        let known = std::iter::once(&candidate.name)
            .chain(&candidate.aliases)
            .find_map(|name| shelf.entities.find(name));
        if let Some(known) = known {
            let has: Vec<&str> = known.facts.iter().map(|fact| fact.line.text.as_str()).collect();
            let facts = new_facts(meaning, candidate.facts, &has);
            let slug = known.slug.clone();
            match facts.is_empty() {
                true => decision.refused.push((candidate.name, Refusal::NoFacts)),
                false => decision.changes.push(Change::Add { slug, aliases: Vec::new(), facts }),
            }
            continue;
        }
        let refusal = if !trigger.is_users() {
            Some(Refusal::NotAsked)
        } else if let Err(rejection) = structural(&candidate.name) {
            Some(Refusal::NoName(rejection))
        } else {
            candidate.facts = new_facts(meaning, candidate.facts, &[]);
            let facts = candidate.facts.iter().map(|fact| fact.text.as_str());
            let names_it = is_named(&candidate, question);
            if candidate.facts.is_empty() {
                Some(Refusal::NoFacts)
            } else if is_deleted(shelf, &candidate) && !names_it {
                Some(Refusal::Deleted)
            } else {
                // A long list of facts blurs what each of them says.
                let texts = std::iter::once(candidate.name.as_str()).chain(facts);
                let is_near = meaning.answered(question, texts) >= meaning.near.relevant;
                (!is_near && !names_it).then_some(Refusal::NotRelevant)
            }
        };
        match refusal {
            Some(refusal) => decision.refused.push((candidate.name, refusal)),
            None => {
                let Candidate { name, mut aliases, facts } = candidate;
                aliases.retain(|alias| structural(alias).is_ok());
                decision.changes.push(Change::Create { name, aliases, facts });
            }
        }
    }
    decision.hints = hints(&decision.changes, shelf);
    decision
}

/// Names that may be another's, of those that are new.
fn hints(changes: &[Change], shelf: &Shelf) -> Vec<(String, String)> {
    let new: Vec<&str> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Create { name, .. } => Some(name.as_str()),
            Change::Add { .. } => None,
        })
        .collect();
    let known: Vec<&str> = shelf.entities.iter().map(|entity| entity.title.as_str()).collect();
    let hint = |name: &&str| {
        let others: Vec<&str> =
            new.iter().chain(&known).copied().filter(|other| other != name).collect();
        Some(((*name).to_owned(), merge_hint(name, &others)?.to_owned()))
    };
    new.iter().filter_map(hint).collect()
}

/// Whether the user deleted it, under whatever of its names.
fn is_deleted(shelf: &Shelf, candidate: &Candidate) -> bool {
    let mut names = std::iter::once(&candidate.name).chain(&candidate.aliases);
    names.any(|name| shelf.is_deleted(name))
}

/// Whether the question itself names it.
fn is_named(candidate: &Candidate, question: &str) -> bool {
    let asked = format!(" {} ", words(question));
    std::iter::once(&candidate.name)
        .chain(&candidate.aliases)
        .map(|name| words(name))
        .any(|name| !name.is_empty() && asked.contains(&format!(" {name} ")))
}

fn words(text: &str) -> String {
    let text = identity(text);
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// One candidate for each name, in the order in which they were found.
fn together(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        match places.get(&identity(&candidate.name)) {
            Some(&place) => {
                let known = &mut all[place];
                known.facts.extend(candidate.facts);
                for alias in candidate.aliases {
                    if !known.aliases.contains(&alias) {
                        known.aliases.push(alias);
                    }
                }
            }
            None => {
                places.insert(identity(&candidate.name), all.len());
                all.push(candidate);
            }
        }
    }
    all
}

/// Those of the facts that say something new, each once.
fn new_facts(meaning: &Meaning, facts: Vec<Stated>, has: &[&str]) -> Vec<Stated> {
    let mut known: Vec<String> = has.iter().map(|&fact| fact.to_owned()).collect();
    let mut new = Vec::new();
    for fact in facts {
        if new.len() >= MOST_FACTS {
            break;
        }
        if !known.iter().any(|known| is_same(meaning, known, &fact.text)) {
            known.push(fact.text.clone());
            new.push(fact);
        }
    }
    new
}

/// Whether two facts of one entity say the same: in the same words, or in others without another
/// number, date, name or negation.
pub fn is_same(meaning: &Meaning, a: &str, b: &str) -> bool {
    normalise(a) == normalise(b) || same_fact(a, b, meaning.cosine(a, b), meaning.near.same_fact)
}
