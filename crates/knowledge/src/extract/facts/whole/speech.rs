//! Sentences in which whoever wrote a page speaks, or speaks to whoever it holds for: `We meet twice a
//! year.`, `If you leave, you will be paid.`

use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// Verbs of sentences about the text itself.
static TALKING: Words = list!(words "talking_verbs");

/// `we'll` and its like in a sentence, each with the two words that it is short for.
pub(super) fn shortened(text: &str) -> Vec<(String, String)> {
    const VERBS: &[(&str, &str)] = &[("ll", "will"), ("re", "are"), ("ve", "have")];
    let words = tokens(text).into_iter().filter_map(|token| {
        let (person, end) = token.text.split_once(['\'', '’'])?;
        let is_person = matches!(person.to_lowercase().as_str(), "we" | "you");
        let (_, verb) = VERBS.iter().find(|(short, _)| is_person && *short == end)?;
        Some((token.text.to_owned(), format!("{person} {verb}")))
    });
    words.collect()
}

/// Whether whoever wrote the page speaks of themselves.
pub(super) fn speaks(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| matches!(token.text, "we" | "We" | "us" | "our" | "Our" | "ours"))
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
        "can" => next == "be",
        // `Your options expire 10 years after`
        verb => owns && words::is_verb_base(verb),
    });
    let is_told = tokens.iter().take(main).any(is_you) || holds;
    is_told && tokens.get(verb..).is_some_and(|rest| !is_talk(rest))
}
