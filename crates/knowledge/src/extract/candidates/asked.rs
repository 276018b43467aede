//! What was asked for, where the page states something of it.

use super::evidence::Found;
use crate::extract::clause;
use crate::extract::facts::{is_plural, possessed, rows};
use crate::extract::fold::fold;
use crate::extract::minutes;
use crate::extract::name::tidy;
use crate::extract::page::Page;
use crate::extract::shape;
use crate::extract::thing;
use crate::extract::token::tokens;
use crate::extract::words;

/// Words of a topic that may be a name.
const MAX_WORDS: usize = 8;

/// Notes what a page is about that lists its properties, and what else it lists those of below headings.
pub(super) fn from_properties(page: &Page, title: Option<&str>, topic: &str, found: &mut Found) {
    let asked = thing::spaced(topic);
    // Of what else is listed there, only what is named after it is asked for as well.
    let longer = rows::others(page, &tidy(topic)).into_iter();
    for name in longer.filter(|name| thing::spaced(name).contains(&asked)) {
        if let Some(evidence) = found.entry(&name) {
            evidence.itself = true;
            evidence.defined = true;
            evidence.subject += 1;
        }
    }
    let Some(name) = thing::of_properties(page, topic, title) else { return };
    if let Some(evidence) = found.entry(&name) {
        evidence.itself = true;
        evidence.subject += 1;
    }
}

/// Notes what was asked for where the page's title is that, so that what the page says of it has a place.
pub(super) fn from_title(page: &Page, title: Option<&str>, topic: &str, found: &mut Found) {
    let Some(name) = thing::of_topic(page, topic, title) else { return };
    if let Some(evidence) = found.entry(&name) {
        evidence.itself = true;
        evidence.titled = true;
        evidence.subject += 1;
    }
}

/// Notes the meeting of which a page has the minutes, and who speaks in them.
pub(super) fn from_minutes(page: &Page, title: Option<&str>, topic: &str, found: &mut Found) {
    let Some(minutes) = minutes::read(page) else { return };
    let meeting = thing::called(page, topic, title).into_iter().next();
    let people = minutes.people();
    for name in meeting.iter().map(String::as_str).chain(people) {
        if let Some(evidence) = found.entry(name) {
            evidence.itself = true;
            evidence.subject += 1;
        }
    }
}

/// Notes where the topic, in any case, is the subject of a statement.
pub(super) fn from_topic(page: &Page, topic: &str, found: &mut Found) {
    let topic = fold(&tidy(topic));
    let length = topic.split(' ').count();
    if topic.is_empty() || length > MAX_WORDS {
        return;
    }
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        for opening in clause::openings(&tokens) {
            let start = clause::behind_article(&tokens, opening);
            let end = start + length;
            let (Some(first), Some(last)) = (tokens.get(start), tokens.get(end - 1)) else {
                continue;
            };
            let Some(surface) = text.get(first.start..last.end) else { continue };
            let bare = surface.strip_suffix("'s").or(surface.strip_suffix("’s"));
            let name = bare.unwrap_or(surface);
            // `It` is not what `IT` asks for.
            let is_pronoun = words::is_pronoun(&topic) && !shape::is_acronym(name);
            if fold(name) != topic || is_pronoun {
                continue;
            }
            let states = match bare {
                Some(_) => possessed(&tokens, end).is_some(),
                None => {
                    clause::predicate(&tokens, end, is_plural(last.text)).is_some()
                        || clause::predicate_of_phrase(&tokens, end).is_some()
                }
            };
            if states && let Some(evidence) = found.entry(name) {
                if words::is_pronoun(&topic) {
                    evidence.name = tidy(name);
                }
                evidence.itself = true;
                evidence.subject += 1;
            }
        }
    }
}
