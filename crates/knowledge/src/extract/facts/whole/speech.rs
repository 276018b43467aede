//! Sentences in which whoever wrote a page speaks, or speaks to whoever it holds for: `We meet twice a
//! year.`, `If you leave, you will be paid.`

use super::verb::is_past;
use crate::extract::page::Page;
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// Verbs of sentences about the text itself.
static TALKING: Words = list!(words "talking_verbs");

/// `we'll` and its like in a sentence, each with the two words that it is short for.
pub(super) fn shortened(text: &str) -> Vec<(String, String)> {
    const VERBS: &[(&str, &str)] = &[("d", "would"), ("ll", "will"), ("re", "are"), ("ve", "have")];
    let words = tokens(text).into_iter().filter_map(|token| {
        let (person, end) = token.text.split_once(['\'', '’'])?;
        let is_person = matches!(person.to_lowercase().as_str(), "we" | "you");
        // `You'd` is not told.
        let is_person = is_person && !(end == "d" && person.to_lowercase() == "you");
        let (_, verb) = VERBS.iter().find(|(short, _)| is_person && *short == end)?;
        Some((token.text.to_owned(), format!("{person} {verb}")))
    });
    words.collect()
}

/// Whether whoever wrote the page speaks of themselves.
pub(super) fn speaks(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| matches!(token.text, "we" | "We" | "us" | "our" | "Our" | "ours"))
}

/// Whether those whose thing a page is speak on it to whoever it is for, of what they do and not of what they
/// did: `We charge`, `If you leave, we keep`. Who speaks of the thing by its name is somebody else.
pub(in crate::extract::facts) fn is_of_writers(page: &Page, thing: &Thing) -> bool {
    const LEAST: usize = 2;
    let is_name = thing.name.split(' ').any(|word| word.starts_with(char::is_uppercase));
    let (mut now, mut then, mut is_told) = (0, 0, false);
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let text = &shortened(text)
            .iter()
            .fold(text.to_owned(), |text, (short, whole)| text.replacen(short, whole, 1));
        let all = tokens(text);
        is_told |= all.iter().any(|token| matches!(token.lower().as_str(), "you" | "your"));
        let is_one =
            |two: &[Token<'_>]| two[0].text == "I" && words::is_finite(&two[1].lower(), true);
        let is_answer = text.contains('?');
        let speaks = speaks(&all);
        let is_of_other = speaks
            && text.match_indices(thing.name.as_str()).any(|(at, _)| {
                let before = text[..at].trim_end();
                !["at", "of", "to", "with"].iter().any(|lead| before.ends_with(lead))
            });
        if is_of_other || !is_answer && all.windows(2).any(is_one) {
            return false;
        }
        for at in (0..all.len()).filter(|&at| all[at].lower() == "we") {
            let Some(verb) = verb_of_person(&all[at..]).map(|verb| at + verb) else { continue };
            let is_past = is_past(&all[verb]);
            then += usize::from(is_past);
            now += usize::from(!is_past && !is_talk(&all[verb..]));
        }
    }
    is_name && is_told && now >= LEAST && now > then * 2
}

/// Whether a sentence says what they do, and not what they think or what the text goes on with.
pub(super) fn tells_of_writers(tokens: &[Token<'_>]) -> bool {
    let is_plain = |at: usize| {
        let verb = verb_of_person(&tokens[at..]);
        verb.is_none_or(|verb| !is_talk(&tokens[at + verb..]))
    };
    let mut persons = (0..tokens.len()).filter(|&at| tokens[at].lower() == "we");
    persons.all(is_plain) && !tokens.iter().any(|token| matches!(token.text, "I" | "Let" | "let"))
}

/// Whether a verb and what follows it talk: `see`, `will see`, `like to`.
fn is_talk(tokens: &[Token<'_>]) -> bool {
    const MOST: usize = 4;
    let mut verbs = tokens.iter().take(MOST).map(Token::lower).skip_while(|word| {
        words::is_auxiliary(word)
            || words::is_adverb(word)
            || matches!(word.as_str(), "be" | "been" | "not" | "to")
    });
    verbs.next().is_some_and(|word| TALKING.contains(word.as_str()))
}

/// The verb behind `we` and `you`, base forms too.
pub(super) fn verb_of_person(clause: &[Token<'_>]) -> Option<usize> {
    let first = clause.first().filter(|first| first.joins())?.lower();
    if !matches!(first.as_str(), "we" | "you") {
        return None;
    }
    let at = 1 + usize::from(clause.get(1).is_some_and(|next| words::is_adverb(&next.lower())));
    let verb = clause.get(at)?.lower();
    words::is_finite(&verb, true).then_some(at)
}

/// `We`, `Our support team`: whoever wrote the page, or what is theirs.
pub(super) fn is_writers(clause: &[Token<'_>], verb: usize) -> bool {
    is_person(clause, verb, "we", "our")
}

/// `You`, `Your Foo client`
pub(super) fn is_reader(clause: &[Token<'_>], verb: usize) -> bool {
    is_person(clause, verb, "you", "your")
}

fn is_person(clause: &[Token<'_>], verb: usize, person: &str, owner: &str) -> bool {
    const MOST: usize = 6;
    let first = clause.first().map(Token::lower).unwrap_or_default();
    (first == person && verb <= 2 || first == owner && verb > 1)
        && verb <= MOST
        && clause.iter().take(verb).all(Token::joins)
}

/// `If you leave, you will be paid`, `You will be asked for`: said to everybody for whom it holds.
pub(super) fn addresses(tokens: &[Token<'_>], main: usize, verb: usize) -> bool {
    let is_you = |token: &Token<'_>| matches!(token.lower().as_str(), "you" | "your");
    let owns = tokens.get(main).is_some_and(|first| first.lower() == "your");
    let next = tokens.get(verb + 1).map_or("", |next| next.text);
    let holds = tokens.get(verb).map(Token::lower).is_some_and(|verb| match verb.as_str() {
        "will" | "must" | "need" | "get" | "receive" => true,
        // `You are paranoid`
        "are" => words::looks_past(next) || words::is_participle(next) || owns,
        // `Your coverage is limited`, and no `Your ticket is for`.
        "is" => owns && words::looks_past(next),
        "may" => true,
        "can" => next == "be" || is_limited(tokens),
        // `Your options expire 10 years after`
        verb => owns && words::is_verb_base(verb),
    });
    let is_told = tokens.iter().take(main).any(is_you) || holds;
    is_told && tokens.get(verb..).is_some_and(|rest| !is_talk(rest))
}

/// Whether a sentence says how much or how often: `up to 15 books`, `twice`, `only`.
fn is_limited(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| {
        token.text.bytes().any(|byte| byte.is_ascii_digit())
            || matches!(token.text, "once" | "only" | "twice" | "without")
    })
}
