//! Names that a page may be about: what is defined, headed, emphasised, linked, or written as only
//! names are.

mod asked;
mod entry;
mod evidence;
mod forms;
mod subjects;
mod term;
mod writing;

use std::collections::HashSet;

use super::fold::fold;
use super::name::tidy;
use super::page::{Kind, Page};
use super::shape;
use super::subject::Class;
use super::words;
use crate::words::{Words, list};
use evidence::{Evidence, Found, accepts};

/// Candidates that are looked at.
const MAX_CANDIDATES: usize = 5_000;
/// Most words of a term in lower case.
const MAX_TERM_WORDS: usize = 4;

/// Nouns that, alone, name one of many: `the Court`, `the diagnosis`.
static HEADS: Words = list!(words "single_heads");

/// A name that may become an entity if something is stated of it.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// What it is called for short in this text, where that is clear. Elsewhere it may be another.
    pub(super) short: Vec<String>,
    pub(super) class: Class,
    /// The text says what it is.
    pub(super) is_defined: bool,
}

/// The candidates of a page, in the order in which they first appear.
pub(super) fn candidates(page: &Page, title: Option<&str>, topic: &str) -> Vec<Candidate> {
    let writing = writing::writing(page);
    let mut found = Found::default();
    subjects::from_sentences(page, &mut found);
    asked::from_topic(page, topic, &mut found);
    asked::from_title(page, title, topic, &mut found);
    asked::from_properties(page, title, topic, &mut found);
    asked::from_minutes(page, title, topic, &mut found);
    from_headings(page, title, topic, &mut found);
    let Found { order, mut all } = found;
    let mut taken: Vec<Candidate> = Vec::new();
    let asked = fold(&tidy(topic));
    // What is short for another, or the plural of one, is no further entity.
    let mut called: HashSet<String> = HashSet::new();
    for evidence in all.values() {
        for alias in &evidence.aliases {
            let alias = fold(alias);
            called.insert(alias.strip_suffix('s').unwrap_or(&alias).to_owned());
        }
    }
    for key in order {
        let Some(evidence) = all.remove(&key) else { continue };
        // `HTTPS` is no more of `HTTP`: that would be `HTTPs`.
        let is_acronym = shape::is_acronym(&evidence.name);
        let singular = key.strip_suffix('s').filter(|_| !is_acronym);
        let one = singular.unwrap_or(&key).to_owned();
        if called.contains(&one) {
            continue;
        }
        // `Gecko's UTF-16`, where the page speaks of Gecko as well, is something that it has.
        let owner = key.split_once("'s ").map(|(owner, _)| owner);
        let owner = owner.filter(|_| key != asked);
        if owner.is_some_and(|owner| writing.runs.contains_key(owner) || all.contains_key(owner)) {
            continue;
        }
        if let Some(class) = accepts(&key, &evidence, &writing) {
            called.insert(one);
            let Evidence { name, aliases, defined, .. } = evidence;
            taken.push(Candidate { name, aliases, short: Vec::new(), class, is_defined: defined });
        }
    }
    let mut all = forms::joined(page, title, topic, taken);
    let topic = asked;
    all.retain(|it| {
        let key = fold(&it.name);
        // `Clark` of `Clark's Nutcracker`, which is asked for.
        if topic.strip_prefix(&key).is_some_and(|rest| rest.starts_with("'s ")) {
            return false;
        }
        // `The PEP`, where `PEP 12` was asked for, is that one.
        let number = topic.strip_prefix(&key).unwrap_or_default().trim();
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let is_label = is_label(&key) || key.chars().count() == 1;
        !(HEADS.contains(key.as_str()) || is_label) || key == topic
    });
    all
}

/// `Uses Public Relays`, `No Metadata Leak`: what is said of something, not a name of it.
fn is_label(key: &str) -> bool {
    let Some((first, _)) = key.split_once(' ') else { return false };
    let does =
        first.ends_with('s') && words::is_finite(first, false) && !words::is_noun_verb(first);
    matches!(first, "no" | "supports" | "uses") || does
}

fn from_headings(page: &Page, title: Option<&str>, topic: &str, found: &mut Found) {
    for block in &page.blocks {
        if matches!(block.kind, Kind::Heading(_)) && !block.is_furniture {
            heading(&block.text, found);
        }
    }
    for title in title.into_iter().chain(page.title.as_deref()) {
        for part in title.split(['|', '–', '—', ':', '·']).chain([title]) {
            heading(part, found);
        }
    }
    let topic = format!(" {} ", fold(topic));
    for (key, evidence) in &mut found.all {
        evidence.asked |= topic.contains(&format!(" {key} "));
    }
}

/// Marks the candidate that a heading names. Only what is also the subject of a statement counts.
fn heading(text: &str, found: &mut Found) {
    let name = tidy(text);
    let bare = fold(&name);
    for key in
        [bare.clone(), format!("{bare}s"), bare.strip_suffix('s').unwrap_or_default().to_owned()]
    {
        if let Some(evidence) = found.all.get_mut(&key) {
            evidence.heading = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_no_name() {
        for (key, expected) in [
            ("uses public relays", true),
            ("no metadata leak", true),
            ("nostr relay", false),
            ("james brown", false),
        ] {
            assert_eq!(is_label(key), expected, "{key}");
        }
    }
}
