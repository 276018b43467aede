//! What a dash means: it excludes a word, unless the documents write the word with its dash.
//!
//! `-rf` in a question about a command is an option, and nothing in the question tells it from an
//! exclusion. Where a document that is searched holds the word with a dash before it, the dash is
//! part of the word.

use std::borrow::Cow;

use super::{
    lexical::{Field, holding_phrase},
    query::{Excluded, Query},
};
use crate::store::Malformed;
use elophanto_base::lexical::Analyzer;

/// Chunks that are looked through for one word.
const MOST_CHUNKS: usize = 2_000;

/// The query with options for words instead of exclusions.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn settle<'q>(
    query: &'q Query,
    field: &Field,
    analyzer: &Analyzer,
) -> Result<Cow<'q, Query>, Malformed> {
    let mut options = Vec::new();
    for excluded in &query.excluded {
        if is_option(excluded, field)? {
            options.push(excluded);
        }
    }
    Ok(match options.is_empty() {
        true => Cow::Borrowed(query),
        false => Cow::Owned(query.with_words(&options, analyzer)),
    })
}

fn is_option(excluded: &Excluded, field: &Field) -> Result<bool, Malformed> {
    let Some(word) = excluded.as_option() else { return Ok(false) };
    let mut looked = 0;
    for ((part, live), holding) in
        field.parts.iter().zip(field.live).zip(holding_phrase(field, &excluded.phrase)?)
    {
        let segment = &part.loaded.segment;
        for chunk in holding.ones().filter(|&chunk| live.get(chunk)) {
            if writes(segment.chunk_text(&segment.chunk(chunk)?)?, word) {
                return Ok(true);
            }
            looked += 1;
            if looked == MOST_CHUNKS {
                return Ok(false);
            }
        }
    }
    Ok(false)
}

/// Whether a text holds a word with its dash, or with two, and not as part of a longer one.
fn writes(text: &str, word: &str) -> bool {
    let (bytes, word) = (text.as_bytes(), word.as_bytes());
    memchr::memchr_iter(b'-', bytes).any(|at| {
        let ends = at + word.len();
        let is_it = bytes.get(at..ends).is_some_and(|found| found.eq_ignore_ascii_case(word));
        let before = text[..at].trim_end_matches('-').chars().next_back();
        let continues = |char: char| char.is_alphanumeric() || char == '_';
        is_it
            && !before.is_some_and(continues)
            && !text.get(ends..).is_some_and(|rest| rest.starts_with(continues))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_their_dash() {
        for (text, word, expected) in [
            ("Use `rm -rf` here", "-rf", true),
            ("-rf", "-rf", true),
            ("rm -RF x", "-rf", true),
            ("commit --no-verify.", "-no-verify", true),
            ("(-sea)", "-sea", true),
            ("the deep-sea eel", "-sea", false),
            ("deep--sea", "-sea", false),
            ("a -rfx", "-rf", false),
            ("a -rf_x", "-rf", false),
            ("- rf", "-rf", false),
            ("é-rf", "-rf", false),
            ("-rfé", "-rf", false),
            ("", "-rf", false),
        ] {
            assert_eq!(writes(text, word), expected, "{text}");
        }
    }
}
