//! What a page calls its own thing with `this`: `This crate provides`, `the design of this library`. Owns
//! when that is nobody else, so that the name of the thing can stand there.

use super::home::Home;
use super::{bare, pointer};
use crate::extract::fold::fold;
use crate::extract::thing::Thing;
use crate::extract::token::Token;

/// What software calls itself on a page of its own.
pub(super) const KINDS: &[&str] = &[
    "app",
    "crate",
    "extension",
    "framework",
    "gem",
    "library",
    "module",
    "package",
    "plugin",
    "software",
    "tool",
    "toolkit",
    "utility",
];

/// The sentence with the name of the thing for `this crate`; none where that may be another one: a
/// crate that the text before it in its paragraph speaks of, or that the page told of.
pub(super) fn named(
    text: &str,
    tokens: &[Token<'_>],
    before: &str,
    thing: &Thing,
    home: &Home,
) -> Option<String> {
    if !thing.is_sure
        || !thing.is_written
        || thing.is_document
        || fold(text).contains(&fold(&thing.name))
    {
        return None;
    }
    let at = tokens.iter().position(|token| token.lower() == "this" && token.joins())?;
    let noun = tokens.get(at + 1)?;
    let word = bare(noun.text);
    let is_it = KINDS.contains(&word)
        && noun.before.is_empty()
        && !pointer::goes_on(tokens, at + 1)
        && !home.tells_of_another(word)
        && is_only(before, word);
    let range = tokens[at].start..noun.start + word.len();
    is_it.then(|| format!("{}{}{}", &text[..range.start], thing.name, &text[range.end..]))
}

/// Whether a text has a noun nowhere but behind `this`.
fn is_only(text: &str, noun: &str) -> bool {
    let lower = text.to_lowercase();
    lower.matches(noun).count() == lower.matches(&format!("this {noun}")).count()
}
