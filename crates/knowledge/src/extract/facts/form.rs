//! Which sentences have the form of a fact: declarative, whole, neither about the text nor to the
//! reader.

use crate::extract::token::{Token, tokens};
use crate::extract::words::{self, ORDERS};
use crate::words::{Words, list};
use elophanto_base::visible::is_deceptive;
use elophanto_text::markdown::on_one_line;

/// Fewest and most words of a fact.
pub const FACT_WORDS: std::ops::RangeInclusive<usize> = 4..=60;
/// Most bytes of a fact.
const MAX_FACT_BYTES: usize = 600;

/// Phrases, in lower case, of sentences that speak of the text or to the reader.
static ASIDE_PHRASES: Words = list!(phrases "asides");

/// The sentence as a fact, if it states something.
pub(super) fn statement(text: &str, tokens: &[Token<'_>], verb: usize) -> Option<String> {
    let said = tokens.len().saturating_sub(verb + 1);
    let ends = !text.trim_end().ends_with(['?', ':', ';', '…', ',']);
    let fits = said > 0 && ends && is_self_contained(text, tokens);
    fits.then(|| shown(text))
}

/// Whether a sentence can be understood alone and is neither too short nor too long.
pub(super) fn is_self_contained(text: &str, tokens: &[Token<'_>]) -> bool {
    let count = tokens.iter().filter(|token| !token.text.is_empty()).count();
    let lower = text.to_lowercase();
    FACT_WORDS.contains(&count)
        && text.len() <= MAX_FACT_BYTES
        && !text.ends_with('?')
        && !ASIDE_PHRASES.iter().chain(&*ORDERS).any(|phrase| lower.contains(phrase))
        && balanced(text)
}

/// A cut through a bracket leaves half a sentence.
fn balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// Whether a word is an address.
pub(super) fn is_address(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.")
}

/// Whether a word looks like a plural.
pub(in crate::extract) fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && word.chars().any(char::is_lowercase)
}

/// Whether a sentence from elsewhere has the form of a fact.
pub(in crate::extract) fn is_statement(text: &str) -> bool {
    let tokens = tokens(text);
    let commands = tokens.first().is_some_and(|first| words::is_verb_base(&first.lower()));
    !commands && !text.ends_with([':', ';', ',']) && is_self_contained(text, &tokens)
}

/// On one line, without what is not seen.
pub(in crate::extract) fn shown(text: &str) -> String {
    on_one_line(text, usize::MAX, |char| !char.is_control() && !is_deceptive(char))
}
