//! Sentences about a part of a page's thing, kept whole behind its name and the heading that they stand
//! below: `Foo, Limits – The gateway caches tokens for five minutes.` Owns when such a sentence needs no
//! other one.

mod advice;
mod dangling;
mod lead;
mod place;
mod speech;
mod subject;
#[cfg(test)]
mod tests;
mod verb;

use super::form::{begins_elsewhere, statement_of_page};
use super::own::{self, has_subject, is_own_noun};
use super::{pointer, shown};
use std::borrow::Cow;

use crate::extract::fold::fold;
use crate::extract::name::is_year;
use crate::extract::thing::Thing;
use crate::extract::token::{self, Token};
use crate::extract::words;
use advice::{advises, forbids};
use dangling::obliges;
use dangling::{Place, dangles, is_anchored, is_of_name, is_promise, is_such_document, limits};
use dangling::{with_articles, without_also};
use lead::{has_condition, main_clause};
pub(super) use place::{best, named, parts};
use speech::speaks;
pub(super) use speech::tells_what_we_do;
use speech::{addresses, is_reader, is_writers, spelled_out, tells_of_writers, verb_of_person};
use subject::{
    is_acronym_of_part, is_everybody, is_file, is_long_gerund, is_noun, is_shaped_number,
};
use subject::{is_quoted_term, says_there_is, weighs};
use verb::{is_past, is_relative, is_told_before, verb_in_past, verb_of_each, verb_of_several};
use verb::{verb_before_object, verb_in_capitals};

/// What is known of where a sentence stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Setting<'a> {
    /// It is an item of a list.
    pub(super) item: bool,
    /// The heading above it, if that tells which part of the thing it is about.
    pub(super) part: Option<&'a str>,
    /// Whoever wrote the page speaks of themselves as `we`.
    pub(super) is_ours: bool,
    /// The sentence as the page has it.
    pub(super) written: &'a str,
}

/// What those who speak of themselves as `we` call themselves else.
const OURS: &[&str] =
    &["association", "board", "committee", "company", "council", "organization", "team"];

/// Fewest and most tokens of such a sentence.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=45;

/// The sentence, if whoever reads it below the name of the thing understands it: alone, or behind a label
/// of its own, as in `Fees – The council approved them.`
pub(super) fn of(text: &str, thing: &Thing, setting: &Setting<'_>) -> Option<String> {
    let text = of_document(text, thing).map_or_else(|| spelled_out(text), Cow::Owned);
    let Setting { item, part, .. } = *setting;
    let (text, tokens) = (text.as_ref(), &token::tokens(&text));
    if item && let Some(told) = definition(text, tokens, thing) {
        return Some(told);
    }
    // `This policy`, on the page of the Foo policy.
    let own = fold(&format!("{} {}", thing.name, part.unwrap_or_default()));
    let own: Vec<String> = own.split(' ').map(str::to_owned).collect();
    if let Some(from) = behind_label(tokens) {
        let start = tokens.get(from)?.start;
        let body = text.get(start..)?;
        let label: Vec<String> = tokens[..from].iter().map(Token::lower).chain(own).collect();
        let said = sentence(body, &token::tokens(body), thing, &label, setting)?;
        return Some(format!("{}{said}", text.get(..start)?));
    }
    sentence(text, tokens, thing, &own, setting)
}

/// `Foo 66 specifies` for `This document specifies`, where a document says what it is for.
fn of_document(text: &str, thing: &Thing) -> Option<String> {
    let rest = text.strip_prefix("This ")?;
    let (noun, rest) = rest.split_once(' ')?;
    let verb = rest.split(' ').next()?;
    let is_page = ITSELF.contains(&noun);
    let is_it = is_page || DOCUMENTS.contains(&noun) && is_such_document(thing, noun);
    let is_it = is_it && STATING.contains(&verb) && thing.is_sure;
    is_it.then(|| format!("{} {rest}", thing.name))
}

/// What every page may call itself, what one may that is a document of that kind, and what they say that
/// they do.
const ITSELF: &[&str] = &["document", "guide", "page"];
const DOCUMENTS: &[&str] = &["act", "law", "policy", "proposal", "specification", "standard"];
const STATING: &[&str] = &[
    "applies",
    "defines",
    "describes",
    "establishes",
    "governs",
    "introduces",
    "proposes",
    "regulates",
    "requires",
    "specifies",
];

/// `The capture theory—the Moon was captured by Earth.`, an item that says what its term means.
fn definition(text: &str, tokens: &[Token<'_>], thing: &Thing) -> Option<String> {
    const MOST: usize = 6;
    const LEAST: usize = 4;
    let dash = (1..tokens.len().min(MOST)).find(|&at| tokens[at].is_dash())?;
    let (term, body) = (tokens.get(..dash)?, tokens.get(dash + 1..)?);
    let is_term = term.iter().all(|token| {
        let word = token.lower();
        token.joins() && !words::is_finite(&word, false) && !words::is_pronoun(&word)
    });
    let first = body.first()?;
    let plain = term[0].is_capitalised() && is_term && !words::is_verb_base(&term[0].lower());
    let is_told = body.len() >= LEAST
        && first.text.starts_with(char::is_lowercase)
        && words::is_determiner(&first.lower())
        && text.trim_end().ends_with('.')
        && own::verb(body).is_some()
        && !(0..tokens.len())
            .any(|at| dangles(tokens, at, &Place { goes_on: true, ..Place::default() }));
    (plain && is_told)
        .then(|| statement_of_page(text, tokens, dash, |noun| is_own_noun(noun, thing)))?
}

/// The token behind `Cemetery fees –` or `Time windows:`, with which a sentence is labelled.
fn behind_label(tokens: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 18;
    let ends = |at: usize| tokens[at].is_dash() || tokens[at].after == ":";
    let last = (0..tokens.len().min(MOST)).rev().find(|&at| ends(at))?;
    let is_noun = |token: &Token<'_>| {
        let word = token.lower();
        !words::is_auxiliary(&word)
            && !words::is_pronoun(&word)
            && token.before.trim_matches('(').is_empty()
            || token.is_dash()
    };
    let plain = tokens[..=last].iter().all(is_noun) && tokens[0].is_capitalised();
    let begins = tokens.get(last + 1).is_some_and(Token::is_capitalised);
    (plain && begins && last > 0).then_some(last + 1)
}

fn sentence(
    text: &str,
    tokens: &[Token<'_>],
    thing: &Thing,
    label: &[String],
    setting: &Setting<'_>,
) -> Option<String> {
    let Setting { item, is_ours, .. } = *setting;
    let is_own = |noun: &str| is_own_noun(noun, thing) || is_ours && OURS.contains(&noun);
    let thing_of = Some(thing);
    let advice =
        Place { goes_on: true, label, addresses: true, thing: thing_of, ..Place::default() };
    if forbids(tokens) && !(1..tokens.len()).any(|at| dangles(tokens, at, &advice)) {
        return statement_of_page(text, tokens, 1, is_own);
    }
    // `Returns a list`: nobody does.
    let first = tokens.first()?.lower();
    let next = tokens.get(1)?.lower();
    let does = first.ends_with('s')
        && words::is_finite(&first, false)
        && !words::is_auxiliary(&next)
        && !words::ends_phrase(&next);
    if does {
        return None;
    }
    let begins = text.trim_start_matches(['"', '“']).starts_with(char::is_uppercase)
        || tokens.first().is_some_and(|first| is_shaped_number(first) || is_file(first));
    let ends = text.trim_end().ends_with(['.', '"', '”', ')'])
        || item && text.ends_with(char::is_alphanumeric);
    if !LENGTH.contains(&tokens.len()) || !begins || !ends || text.contains('?') {
        return None;
    }
    let speaks = speaks(tokens);
    if speaks && !tells_of_writers(tokens) {
        return None;
    }
    let main = main_clause(tokens, thing, &advice)?;
    let clause = tokens.get(main..)?;
    let goes_on = has_condition(tokens, main);
    if (main == 0 || goes_on) && advises(tokens, main, item, &Place { goes_on, ..advice }) {
        return statement_of_page(text, tokens, main.max(1), is_own);
    }
    let plain = |token: &Token<'_>| !token.is_capitalised();
    let term = (1..clause.len().min(5)).find(|&at| is_quoted_term(clause, at));
    let verb = term
        .or_else(|| verb_in_capitals(clause))
        .or_else(|| own::verb(clause))
        .filter(|&verb| {
            !clause.first().is_some_and(is_file) || clause.iter().take(verb).skip(1).all(plain)
        })
        .filter(|_| verb_of_person(clause).is_none())
        .or_else(|| verb_of_person(clause))
        .or_else(|| verb_of_several(clause))
        .or_else(|| verb_before_object(clause))
        .or_else(|| verb_of_each(clause))
        .or_else(|| verb_in_past(clause))?;
    // `New hires are`: a noun.
    let is_auxiliary =
        |at: usize| clause.get(at).is_some_and(|token| words::is_auxiliary(&token.lower()));
    let is_plural_noun = is_auxiliary(verb + 1) && !is_auxiliary(verb) && clause[verb].joins();
    let verb = main + verb + usize::from(is_plural_noun);
    let addresses = addresses(tokens, main, verb);
    let is_pronoun = |token: &Token<'_>| matches!(token.text, "it" | "they");
    let has_pronoun = goes_on && clause.first().is_some_and(is_pronoun);
    let is_group = is_ours && clause.get(1).is_some_and(|noun| OURS.contains(&noun.text));
    let is_group = is_group && clause[0].lower() == "the" && verb == main + 2;
    let is_thing = main == 0
        && text
            .get(..tokens[verb].start)
            .is_some_and(|said| fold(said.trim()) == fold(&thing.name));
    let is_named = |at: usize| clause.get(at).is_some_and(|noun| is_of_name(noun, thing));
    let has_subject = has_pronoun
        || is_thing
        || is_group
        || term.is_some()
        || says_there_is(clause, verb - main)
        || weighs(clause)
        || is_acronym_of_part(clause, verb - main)
        || is_noun(clause, verb - main)
        || verb == main + 2 && is_named(1)
        || is_everybody(&clause[0])
        || speaks && is_writers(clause, verb - main)
        || (addresses || obliges(tokens, verb) || limits(tokens, verb))
            && is_reader(clause, verb - main)
        || !is_long_gerund(&clause[..verb - main]) && has_subject(clause, verb - main, thing);
    let place = Place { verb, goes_on, label, speaks, addresses, thing: thing_of };
    if !has_subject
        || !is_group && verb == main + 2 && place.is_bare(clause)
        || is_relative(tokens, main, verb)
        || is_promise(tokens)
        || is_past(&tokens[verb])
            && (!is_anchored(tokens, speaks) || is_example(clause, verb - main))
        || !is_group && pointer::begins(clause)
        || begins_elsewhere(clause) && !is_group && !is_named(1)
        || !is_group && is_told_before(clause, verb - main)
        || (0..tokens.len()).any(|at| dangles(tokens, at, &place))
    {
        return None;
    }
    let text = with_articles(&without_also(text, tokens), label, thing);
    let said = token::tokens(&text);
    let verb = verb.min(said.len().saturating_sub(1));
    let told = statement_of_page(&text, &said, verb, is_own)?;
    match speaks {
        // As those who wrote it said it, where not a word was changed.
        true => (!told.contains(['"', '“'])).then(|| {
            let is_as_written = shown(setting.written).contains(told.trim_end_matches('.'));
            if is_as_written { format!("\"{told}\"") } else { told }
        }),
        false => Some(told),
    }
}

/// `A router with the name foo announced`: what only happened in an example.
fn is_example(clause: &[Token<'_>], verb: usize) -> bool {
    let is_one = clause.first().is_some_and(|first| matches!(first.text, "a" | "A" | "an" | "An"));
    let acts = !words::is_auxiliary(&clause[verb].lower());
    is_one && acts && !clause.iter().any(|token| is_year(token.text))
}
