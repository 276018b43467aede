//! Facts of an entity that say otherwise than each other, newest first. Pure.

use crate::duplicates::otherwise;
use elophanto_text::entity::{Entity, Fact};

/// Facts of an entity that are compared; the newest count.
const MOST_FACTS: usize = 1_000;

/// Facts, by their places in the entity's, that give other values for the same; in each group the
/// newest first.
pub fn disagreements(entity: &Entity) -> Vec<Vec<usize>> {
    let facts = &entity.facts;
    let skipped = facts.len().saturating_sub(MOST_FACTS);
    let facts = facts.get(skipped..).unwrap_or_default();
    let texts: Vec<&str> = facts.iter().map(|fact| fact.line.text.as_str()).collect();
    let is_one_voice = |one: usize, other: usize| {
        facts.get(one).zip(facts.get(other)).is_some_and(|(one, other)| have_one_voice(one, other))
    };
    let mut groups = otherwise(&texts, &names(entity), &is_one_voice);
    for group in &mut groups {
        let newest = |place: &usize| facts.get(*place).and_then(Fact::newest);
        // Of one second, as they stand: the newer one was put above.
        let line = |place: &usize| facts.get(*place).map(|fact| (&fact.slug, fact.line.number));
        group.sort_by(|a, b| newest(b).cmp(&newest(a)).then_with(|| line(a).cmp(&line(b))));
        group.iter_mut().for_each(|place| *place += skipped);
    }
    groups
}

/// Whether two texts give other values for the same of an entity.
pub fn is_otherwise(entity: &Entity, one: &str, other: &str) -> bool {
    !otherwise(&[one, other], &names(entity), &|_, _| false).is_empty()
}

fn names(entity: &Entity) -> Vec<&str> {
    let aliases = entity.aliases.iter().map(String::as_str);
    std::iter::once(entity.title.as_str()).chain(aliases).collect()
}

/// Whether one source said both at one time: a list, and no change of mind.
fn have_one_voice(one: &Fact, other: &Fact) -> bool {
    let origin = |fact: &Fact| {
        let lines = fact.lines().filter(|line| !line.is_edited);
        let of = lines.map(|line| (line.source.clone(), line.search.clone(), line.message.clone()));
        of.collect::<Vec<_>>()
    };
    let others = origin(other);
    let said = origin(one);
    let is_named = |(_, search, message): &(_, Option<String>, Option<String>)| {
        search.is_some() || message.is_some()
    };
    said.iter().any(|origin| is_named(origin) && others.contains(origin))
}
