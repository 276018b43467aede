//! What a message says of its writer's likes: `I love X`, `I can't stand X`, or X in passing.

mod leaning;
mod topics;

use super::name::tidy;
use super::page;
use super::shape;
use super::token::{Token, tokens};
use super::words;
use crate::words::{Words, list};
use leaning::leaning;
use topics::topics;

/// Most leanings of one message.
pub const MAX_LEANINGS: usize = 20;
/// Bytes of a message that are read.
const MAX_MESSAGE_BYTES: usize = 16 << 10;

/// Which way a message leans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Valence {
    /// `I love`, `I am into`.
    Positive,
    /// `I hate`, `I don't like`.
    Negative,
    /// Mentioned, no more.
    Neutral,
}

/// What a message says of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaning {
    /// As written, tidied: `espresso`, `the LS50s` becomes `LS50s`.
    pub topic: String,
    /// Which way.
    pub valence: Valence,
}

/// What a message says of topics, in its order, each topic once: the strongest of what is said,
/// the later of two that contradict each other.
pub fn statements(message: &str) -> Vec<Leaning> {
    let message = &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)];
    let page = page::read_message(message);
    let mut found: Vec<Leaning> = Vec::new();
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        let leaned = leanings(text, &tokens, &mut found);
        mentions(text, &tokens, &leaned, &mut found);
    }
    found
}

/// Adds what `I ...` says. Returns the tokens it took.
fn leanings(text: &str, tokens: &[Token<'_>], found: &mut Vec<Leaning>) -> Vec<bool> {
    let mut taken = vec![false; tokens.len()];
    let lower: Vec<String> = tokens.iter().map(|token| token.lower().replace('’', "'")).collect();
    if text.trim_end().ends_with('?') {
        return taken;
    }
    if let Some((valence, from, to)) = leaning::favourite(&lower) {
        let to = to.min(tokens.len());
        for (start, end) in topics(tokens.get(..to).unwrap_or_default(), &lower, from) {
            take(text, tokens, (start, end), valence, &mut taken, found);
        }
    }
    for at in 0..tokens.len() {
        let Some((valence, from)) = leaning(&lower, at) else { continue };
        for (start, end) in topics(tokens, &lower, from) {
            take(text, tokens, (start, end), valence, &mut taken, found);
        }
    }
    taken
}

fn take(
    text: &str,
    tokens: &[Token<'_>],
    (start, end): (usize, usize),
    valence: Valence,
    taken: &mut [bool],
    found: &mut Vec<Leaning>,
) {
    let ends = tokens.get(start).zip(end.checked_sub(1).and_then(|last| tokens.get(last)));
    let surface = ends.and_then(|(first, last)| text.get(first.start..last.end));
    taken.iter_mut().take(end).skip(start).for_each(|it| *it = true);
    add(found, surface.unwrap_or_default(), valence);
}

/// Names that a sentence holds without leaning.
fn mentions(text: &str, tokens: &[Token<'_>], taken: &[bool], found: &mut Vec<Leaning>) {
    let mut at = 0;
    while at < tokens.len() {
        let end = shape::run(tokens, at);
        if end == at || taken.get(at..end).is_some_and(|run| run.contains(&true)) {
            at = end.max(at + 1);
            continue;
        }
        let surface =
            tokens.get(at).zip(tokens.get(end - 1)).and_then(|(a, b)| text.get(a.start..b.end));
        let surface = surface.unwrap_or_default();
        let first = tokens.get(at).map(Token::lower).unwrap_or_default();
        let ordinary =
            end == at + 1 && !shape::is_shaped(surface) && (at == 0 || words::is_generic(&first));
        let starts = at == 0 && words::is_starter(&first);
        if !(ordinary || starts || shape::is_calendar(&first)) {
            add(found, surface, Valence::Neutral);
        }
        at = end;
    }
}

/// What stands before a topic and is no part of it.
static TOPIC_LEADS: Words = list!(words "topic_leads");

fn add(found: &mut Vec<Leaning>, surface: &str, valence: Valence) {
    let topic = tidy(surface);
    let topic = match topic.split_once(' ') {
        Some((first, rest))
            if TOPIC_LEADS.contains(first.to_lowercase().as_str()) && rest.len() > 2 =>
        {
            tidy(rest.strip_prefix("to ").unwrap_or(rest))
        }
        _ => topic,
    };
    let lower = topic.to_lowercase();
    let empty = words::is_pronoun(&lower) || words::is_empty_head(&lower) || topic.len() < 2;
    if empty || super::name::structural(&topic).is_err() {
        return;
    }
    let key = super::fold::fold(&topic);
    if let Some(known) = found.iter_mut().find(|known| super::fold::fold(&known.topic) == key) {
        if valence != Valence::Neutral {
            known.valence = valence;
        }
    } else if found.len() < MAX_LEANINGS {
        found.push(Leaning { topic, valence });
    }
}

#[cfg(test)]
mod tests {
    use super::Valence::{Negative, Neutral, Positive};
    use super::*;

    #[test]
    fn messages_lean() {
        let check = |message: &str, expected: &[(&str, Valence)]| {
            let found = statements(message);
            let found: Vec<(&str, Valence)> =
                found.iter().map(|it| (it.topic.as_str(), it.valence)).collect();
            assert_eq!(found, expected, "{message}");
        };
        check("I love espresso.", &[("espresso", Positive)]);
        check("I'm really into the KEF LS50 Meta!", &[("KEF LS50 Meta", Positive)]);
        check("I am interested in mechanical keyboards", &[("mechanical keyboards", Positive)]);
        check("I don't like golf", &[("golf", Negative)]);
        check("I don’t really like golf.", &[("golf", Negative)]);
        check("I can't stand cilantro", &[("cilantro", Negative)]);
        check("I am not a fan of Windows 11", &[("Windows 11", Negative)]);
        check("I don't hate jazz", &[("jazz", Neutral)]);
        check("I like Rust but I hate C++.", &[("Rust", Positive), ("C++", Negative)]);
        check(
            "I love tea, coffee and cocoa",
            &[("tea", Positive), ("coffee", Positive), ("cocoa", Positive)],
        );
        check("I was listening on my LS50s when it rained", &[("LS50s", Neutral)]);
        check("I would like to go home", &[]);
        check("I like it", &[]);
        check("Do I like golf?", &[]);
        check("He loves golf", &[]);
        check("I can not stand golf", &[("golf", Negative)]);
        check("I kind of like golf", &[("golf", Positive)]);
        check("I don't think I like golf", &[("golf", Negative)]);
        check("I no longer like golf", &[("golf", Negative)]);
        check("Not a fan of golf.", &[("golf", Negative)]);
        check("Love the KEF LS50 Meta", &[("KEF LS50 Meta", Positive)]);
        check("My favourite band is Radiohead.", &[("Radiohead", Positive)]);
        check("Radiohead is my favorite", &[("Radiohead", Positive)]);
        check("By the way I love golf", &[("golf", Positive)]);
        check("> I love golf\n\nMe too", &[]);
        check("I love how it works", &[]);
        check("", &[]);
        check("I never liked it. 🎉🎉 \u{202e}", &[]);
    }
}
