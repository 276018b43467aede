//! Facts of an entity that say otherwise than each other, newest first. Pure.

use crate::duplicates::{Said, otherwise, reader};
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
    let voices: Vec<Vec<Voice>> = facts.iter().map(voices).collect();
    let is_one_voice = |one: usize, other: usize| {
        let both = voices.get(one).zip(voices.get(other));
        both.is_some_and(|(one, other)| one.iter().any(|voice| other.contains(voice)))
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

/// Reads what facts of an entity say, to compare them.
pub fn reader_of(entity: &Entity) -> impl Fn(&str) -> Said + use<> {
    reader(&names(entity))
}

fn names(entity: &Entity) -> Vec<&str> {
    let aliases = entity.aliases.iter().map(String::as_str);
    std::iter::once(entity.title.as_str()).chain(aliases).collect()
}

/// A source, and the search or message that it was said in.
type Voice<'f> = (Option<&'f str>, Option<&'f str>, Option<&'f str>);

/// Who said a fact, each at one time: what one source says at once is a list, and no change of mind.
fn voices(fact: &Fact) -> Vec<Voice<'_>> {
    let lines = fact.lines().filter(|line| !line.is_edited);
    let of =
        lines.map(|line| (line.source.as_deref(), line.search.as_deref(), line.message.as_deref()));
    of.filter(|(_, search, message)| search.is_some() || message.is_some()).collect()
}
