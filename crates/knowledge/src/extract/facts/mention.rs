//! What the sentences of a page say of its own thing where something else is their subject: `In 2011 a
//! plaque was unveiled commemorating Allan Dwan.`

use super::elsewhere::begins_elsewhere;
use super::form::statement;
use super::pointer;
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// Words that, where they begin it, set a sentence against the one before.
static CONTRASTS: Words = list!(words "contrasts");

/// Tokens in which the subject and its verb begin.
const MAX_SUBJECT: usize = 16;

/// The sentence as a fact about the page's thing, if it names it, has a subject of its own and points
/// to nothing outside of it.
pub(super) fn of(
    text: &str,
    tokens: &[Token<'_>],
    item: bool,
    thing: &Thing,
    names: &Names,
) -> Option<String> {
    let first = tokens.first()?.lower();
    let commands = words::is_verb_base(&first) || !text.starts_with(char::is_uppercase);
    let whole = text.trim_end().ends_with(['.', '"', '”', ')']);
    if item
        || commands
        || !whole
        // Whose, the sentence before tells.
        || matches!(first.as_str(), "its" | "their")
        // `Many are headquartered in X`
        || matches!(first.as_str(), "all" | "both" | "few" | "many" | "most" | "others" | "several" | "some")
            && tokens.get(1).is_some_and(|next| words::is_auxiliary(&next.lower()))
        || CONTRASTS.contains(first.as_str())
        || begins_elsewhere(tokens)
        || pointer::begins(tokens)
        || (0..tokens.len()).any(|at| points(tokens, at))
    {
        return None;
    }
    let named = (0..tokens.len()).any(|at| {
        names.at(text, tokens, at).is_some_and(|hit| hit.entity == thing.entity && hit.proper)
    });
    let verb = (1..tokens.len().min(MAX_SUBJECT)).find(|&at| is_verb(tokens, at))?;
    named.then(|| statement(text, tokens, verb)).flatten()
}

/// A verb that is surely one: `was`, or one in the past or third person behind a noun.
fn is_verb(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let word = token.lower();
    token.before.is_empty()
        && token.text.starts_with(char::is_lowercase)
        && words::is_finite(&word, false)
        && !words::is_noun_verb(&word)
        && tokens.get(at + 1).is_some()
}

/// Words that stand for what other sentences name, or for whoever writes or reads.
fn points(tokens: &[Token<'_>], at: usize) -> bool {
    is_pointer(&tokens[at].lower()) && !exists(tokens, at) && !goes_on(tokens, at)
}

/// Whether a pronoun is the subject of a further clause, and so stands for what the sentence names
/// before it: `the pleas vary, but they include`.
pub(super) fn goes_on(tokens: &[Token<'_>], at: usize) -> bool {
    static JOINING: Words = list!(words "joining");
    let pronoun = tokens.get(at).is_some_and(|token| matches!(token.text, "it" | "they"));
    let noun = tokens.iter().take(at).skip(1).any(|token| words::is_finite(&token.lower(), true));
    pronoun
        && noun
        && at
            .checked_sub(1)
            .is_some_and(|before| JOINING.contains(tokens[before].text) && tokens[before].joins())
}

/// Whether `there` only says that something is: `there has been debate`.
pub(super) fn exists(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let next = word(at + 1);
    // `The first one built there was`: where, another sentence tells.
    let is_place =
        at > 0 && tokens[at - 1].joins() && words::is_participle(&tokens[at - 1].lower());
    at > 0
        && !is_place
        && word(at) == "there"
        && (matches!(next.as_str(), "is" | "are" | "was" | "were")
            || matches!(next.as_str(), "has" | "have" | "had") && word(at + 2) == "been")
}

/// What stands for what another sentence names, or for whoever writes or reads.
static POINTERS: Words = list!(words "pointers");

/// The same, of a word in lower case.
pub(super) fn is_pointer(word: &str) -> bool {
    POINTERS.contains(word)
}
