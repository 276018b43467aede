//! What may be the name of an entity, by its form alone.
//!
//! Owns the structural rules and the tidying of a name found in text. It refuses to know what a name
//! stands for: a rule that would turn away one real name is no rule.

mod calendar;
mod listing;
mod markup;
mod navigation;
mod quantity;
mod tidy;

#[cfg(test)]
mod tests;

pub(super) use calendar::{is_month_or_day, is_year};
pub use tidy::tidy;

use crate::words::{Words, list};
use elophanto_base::visible::is_deceptive;
use listing::is_list_number;
use markup::{is_address, is_markup, is_template};
use navigation::is_navigation;

/// Most words of a name.
pub const MAX_NAME_WORDS: usize = 8;
/// Most characters of a name.
pub const MAX_NAME_CHARACTERS: usize = 120;
/// Words in lower case that make a text with a final full stop a sentence.
const SENTENCE_WORDS: usize = 3;

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Rejection {
    /// Punctuation, emoji or nothing.
    #[error("no letter or digit in it")]
    NoLetters,
    /// [`MAX_NAME_CHARACTERS`] is the cap.
    #[error("over the cap of {MAX_NAME_CHARACTERS} characters")]
    TooLong,
    /// [`MAX_NAME_WORDS`] is the cap.
    #[error("over the cap of {MAX_NAME_WORDS} words")]
    TooManyWords,
    /// What would break a line or deceive the eye.
    #[error("line breaks, control characters or marks that hide or turn text")]
    Hidden,
    /// `{topic}`, `confidence score: 0.8`.
    #[error("what is left of a template")]
    Template,
    /// `**bold**`, `<br>`, a table row.
    #[error("Markdown or HTML markup")]
    Markup,
    /// A URL, mail address or path.
    #[error("an address")]
    Address,
    /// `1. Foo`.
    #[error("the number of a list item")]
    ListNumber,
    /// `12 March 2024`, `March`, `10:30`.
    #[error("a date or time")]
    Date,
    /// `42`, `3.5 GB`, `v1.2.3`.
    #[error("a number")]
    Number,
    /// `This is what it does.`
    #[error("a sentence")]
    Sentence,
    /// `Skip to content`, `Next →`.
    #[error("what leads around a site")]
    Navigation,
}

/// Whether a name, given with its words, breaks a rule.
type Rule = fn(&str, &[&str]) -> bool;

/// Whether a text has the form of a name. Takes names as they are; [`tidy`] comes first where they
/// were cut out of text.
///
/// # Errors
/// [`Rejection`] with the first rule that turns it away.
pub fn structural(name: &str) -> Result<(), Rejection> {
    // The caps come first, so that nothing below reads more than a line.
    if name.chars().nth(MAX_NAME_CHARACTERS).is_some() {
        return Err(Rejection::TooLong);
    }
    if is_hidden(name) {
        return Err(Rejection::Hidden);
    }
    let name = name.trim();
    if !name.chars().any(char::is_alphanumeric) {
        return Err(Rejection::NoLetters);
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    let rules: [(Rejection, Rule); 9] = [
        (Rejection::Template, is_template),
        (Rejection::Markup, is_markup),
        (Rejection::Address, is_address),
        (Rejection::ListNumber, is_list_number),
        (Rejection::Date, |_, words| calendar::is_date(words)),
        (Rejection::Number, |name, words| quantity::is_quantity(name, words)),
        (Rejection::Navigation, is_navigation),
        (Rejection::TooManyWords, |_, words| words.len() > MAX_NAME_WORDS),
        (Rejection::Sentence, is_sentence),
    ];
    let broken = rules.into_iter().find(|(_, breaks)| breaks(name, &words));
    broken.map_or(Ok(()), |(why, _)| Err(why))
}

/// A heading without the number before it: `3.2. Builds`. `6.x elections` has none.
pub(super) fn without_number(heading: &str) -> &str {
    let rest =
        heading.trim_start_matches(|char: char| char.is_ascii_digit() || ".)".contains(char));
    let number = &heading[..heading.len() - rest.len()];
    // `2013 season`, `10 Mb of text`
    let is_number = number.contains(['.', ')']) && rest.starts_with(char::is_whitespace);
    if is_number { rest.trim_start() } else { heading }
}

/// Joiners stand inside words of Persian, Hindi and others, and only there are no tricks.
fn is_hidden(name: &str) -> bool {
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let joins = matches!(char, '\u{200c}' | '\u{200d}')
            && !before.is_ascii()
            && chars.peek().is_some_and(|next| !next.is_ascii());
        if char.is_control() || (is_deceptive(char) && !joins) {
            return true;
        }
        before = char;
    }
    false
}

/// First and second words of questions.
static ASKING: Words = list!(words "asking");
static ASKED: Words = list!(words "asked");

/// A final mark after words in lower case. Titles of works keep their marks.
fn is_sentence(name: &str, words: &[&str]) -> bool {
    let bare = name.trim_end_matches(['"', '\'', '”', '’', ')']);
    if bare.ends_with(['。', '！', '？']) {
        return bare.chars().count() > 12;
    }
    let last = words.last().map(|word| word.trim_end_matches(['.', '!', '?'])).unwrap_or_default();
    // `e.V.` and `et al.` end in a full stop of their own.
    let dotted = last.contains('.') && last.split('.').all(|part| part.chars().count() <= 2);
    let abbreviated = dotted || matches!(last, "al" | "etc" | "vs" | "inc" | "ltd");
    let lower = words.iter().filter(|word| word.starts_with(char::is_lowercase)).count();
    // A colon promises what follows, and a question begins with its word.
    let promises = bare.ends_with(':') && lower >= SENTENCE_WORDS - 1;
    let asks = bare.ends_with('?')
        && words.len() > 2
        && words.first().is_some_and(|first| ASKING.contains(*first))
        && words.get(1).is_some_and(|second| ASKED.contains(*second));
    if promises || asks {
        return true;
    }
    bare.ends_with(['.', '!', '?', '…']) && !abbreviated && lower >= SENTENCE_WORDS
}
