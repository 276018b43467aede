//! Sentences about a part of a page's thing, kept whole behind its name and the heading that they stand
//! below: `Foo, Limits – The gateway caches tokens for five minutes.` Owns when such a sentence needs no
//! other one.

mod dangling;
mod lead;
mod place;
mod subject;
#[cfg(test)]
mod tests;
mod verb;

use super::form::{begins_elsewhere, statement_of_page};
use super::own::{self, has_subject, is_own_noun};
use super::pointer;
use crate::extract::fold::fold;
use crate::extract::thing::Thing;
use crate::extract::token::{self, Token};
use crate::extract::words;
use dangling::{dangles, is_anchored, is_of_name, is_promise, limits, obliges};
use dangling::{with_articles, without_also};
use lead::{is_condition, main_clause};
pub(super) use place::{best, named, parts};
use subject::{
    is_acronym_of_part, is_everybody, is_file, is_long_gerund, is_noun, is_reader, is_shaped_number,
};
use verb::{is_past, is_relative, is_told_before, verb_in_past, verb_of_each, verb_of_several};

/// Fewest and most tokens of such a sentence.
const LENGTH: std::ops::RangeInclusive<usize> = 5..=45;

/// The sentence, if whoever reads it below the name of the thing understands it: alone, or behind a label
/// of its own, as in `Fees – The council approved them.`
pub(super) fn of(text: &str, tokens: &[Token<'_>], item: bool, thing: &Thing) -> Option<String> {
    if item && let Some(told) = definition(text, tokens, thing) {
        return Some(told);
    }
    // `This policy`, on the page of the Foo policy.
    let own: Vec<String> = fold(&thing.name).split(' ').map(str::to_owned).collect();
    if let Some(from) = behind_label(tokens) {
        let start = tokens.get(from)?.start;
        let body = text.get(start..)?;
        let label: Vec<String> = tokens[..from].iter().map(Token::lower).chain(own).collect();
        let said = sentence(body, &token::tokens(body), item, thing, &label)?;
        return Some(format!("{}{said}", text.get(..start)?));
    }
    sentence(text, tokens, item, thing, &own)
}

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
        && !(0..tokens.len()).any(|at| dangles(tokens, at, 0, true, &[]));
    (plain && is_told)
        .then(|| statement_of_page(text, tokens, dash, |noun| is_own_noun(noun, thing)))?
}

/// The token behind `Cemetery fees –` or `Time windows:`, with which a sentence is labelled.
fn behind_label(tokens: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 12;
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
    item: bool,
    thing: &Thing,
    label: &[String],
) -> Option<String> {
    if forbids(tokens) && !(1..tokens.len()).any(|at| dangles(tokens, at, 0, true, label)) {
        return statement_of_page(text, tokens, 1, |noun| is_own_noun(noun, thing));
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
    let begins = text.starts_with(char::is_uppercase)
        || tokens.first().is_some_and(|first| is_shaped_number(first) || is_file(first));
    let ends = text.trim_end().ends_with(['.', '"', '”', ')'])
        || item && text.ends_with(char::is_alphanumeric);
    if !LENGTH.contains(&tokens.len()) || !begins || !ends || text.contains('?') {
        return None;
    }
    let main = main_clause(tokens, thing)?;
    let clause = tokens.get(main..)?;
    let plain = |token: &Token<'_>| !token.is_capitalised();
    let verb = own::verb(clause)
        .filter(|&verb| !clause.first().is_some_and(is_file) || clause[1..verb].iter().all(plain))
        .or_else(|| verb_of_several(clause))
        .or_else(|| verb_of_each(clause))
        .or_else(|| verb_in_past(clause))?;
    // `New hires are`: a noun.
    let is_auxiliary =
        |at: usize| clause.get(at).is_some_and(|token| words::is_auxiliary(&token.lower()));
    let is_plural_noun = is_auxiliary(verb + 1) && !is_auxiliary(verb) && clause[verb].joins();
    let verb = main + verb + usize::from(is_plural_noun);
    let goes_on = main > 0 && is_condition(tokens);
    let is_pronoun = |token: &Token<'_>| matches!(token.text, "it" | "they");
    let has_pronoun = goes_on && clause.first().is_some_and(is_pronoun);
    let has_subject = has_pronoun
        || is_acronym_of_part(clause, verb - main)
        || is_noun(clause, verb - main)
        || verb == main + 2 && is_of_name(&clause[1], thing)
        || is_everybody(&clause[0])
        || (obliges(tokens, verb) || limits(tokens, verb)) && is_reader(clause, verb - main)
        || !is_long_gerund(&clause[..verb - main]) && has_subject(clause, verb - main, thing);
    if !has_subject
        || is_relative(tokens, main, verb)
        || is_promise(tokens)
        || is_past(&tokens[verb]) && !is_anchored(tokens)
        || pointer::begins(clause)
        || begins_elsewhere(clause) && !is_of_name(&clause[1], thing)
        || is_told_before(clause, verb - main)
        || (0..tokens.len()).any(|at| dangles(tokens, at, verb, goes_on, label))
    {
        return None;
    }
    let text = with_articles(&without_also(text, tokens), label);
    let said = token::tokens(&text);
    let verb = verb.min(said.len().saturating_sub(1));
    statement_of_page(&text, &said, verb, |noun| is_own_noun(noun, thing))
}

/// `Do not request a token twice.`: what holds for whoever uses the thing, and no step of anything.
fn forbids(tokens: &[Token<'_>]) -> bool {
    const LEAST: usize = 8;
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let never = word(0) == "never" && words::is_verb_base(&word(1));
    (LEAST..=*LENGTH.end()).contains(&tokens.len())
        && (never
            || word(0) == "do" && word(1) == "not"
            || matches!(word(0).as_str(), "don't" | "don’t"))
        && tokens.last().is_some_and(|last| last.after.ends_with('.'))
        && tokens.iter().all(|token| token.after != ":")
}
