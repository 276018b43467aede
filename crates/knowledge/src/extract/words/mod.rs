//! Words of English that the rules ask about: function words, verbs, words that name no thing.

mod verbs;

use crate::words::{Words, list};
pub(super) use verbs::{
    is_auxiliary, is_finite, is_gerund, is_noun_verb, is_participle, is_verb_base, looks_gerund,
    looks_past,
};

/// What is said to whoever reads, and to programs above all.
pub(super) static ORDERS: Words = list!(phrases "orders");

static PRONOUNS: Words = list!(words "pronouns");

/// Words that begin sentences and are part of no name there.
static STARTERS: Words = list!(words "starters");

/// What leads a clause in before its subject.
static LEADS: Words = list!(words "leads");

static ADVERBS: Words = list!(words "adverbs");

/// Words that name no thing by themselves: headings, parts of pages, talk about the text.
static GENERIC: Words = list!(words "generic");

/// Nouns that make a phrase talk about the text or about nothing in particular.
static EMPTY_HEADS: Words = list!(words "empty_heads");

/// Adjectives that say what to think of something, not what it is.
static WEIGHING: Words = list!(words "weighing");

/// Nouns that say what kind of thing the name before them is: `the Alias directive`.
static KINDS: Words = list!(words "kinds");

/// What ends a noun phrase.
static PHRASE_ENDS: Words = list!(words "phrase_ends");

/// What begins the apposition or relative clause behind a name and a comma.
static ASIDE_OPENINGS: Words = list!(words "aside_openings");

fn has(words: &Words, word: &str) -> bool {
    words.contains(word) || (word.contains('’') && words.contains(word.replace('’', "'").as_str()))
}

/// An article.
pub(super) fn is_determiner(word: &str) -> bool {
    matches!(word, "the" | "a" | "an")
}

/// Stands for a name, or asks for one.
pub(super) fn is_pronoun(word: &str) -> bool {
    has(&PRONOUNS, word)
}

/// Begins sentences; no name begins with it there.
pub(super) fn is_starter(word: &str) -> bool {
    has(&STARTERS, word) || is_pronoun(word) || is_determiner(word)
}

/// Leads in what stands before the subject.
pub(super) fn is_lead(word: &str) -> bool {
    has(&LEADS, word) || (word.len() > 4 && word.ends_with("ly"))
}

/// May stand between a subject and its verb.
pub(super) fn is_adverb(word: &str) -> bool {
    has(&ADVERBS, word) || (word.len() > 4 && word.ends_with("ly"))
}

/// Names no thing by itself.
pub(super) fn is_generic(word: &str) -> bool {
    has(&GENERIC, word)
}

/// A noun that says nothing of what something is: `way`, `example`.
pub(super) fn is_empty_head(word: &str) -> bool {
    has(&EMPTY_HEADS, word)
}

/// Weighs something instead of defining it.
pub(super) fn is_weighing(word: &str) -> bool {
    has(&WEIGHING, word)
}

/// A noun that may stand behind a name and say what it is.
pub(super) fn is_kind(word: &str) -> bool {
    has(&KINDS, word)
}

/// Ends the noun phrase before it.
pub(super) fn ends_phrase(word: &str) -> bool {
    PHRASE_ENDS.contains(word)
}

/// Begins what is said of a name between commas.
pub(super) fn opens_aside(word: &str) -> bool {
    ASIDE_OPENINGS.contains(word)
}
