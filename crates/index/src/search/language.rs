//! The language of a question among notes in several: whose word endings are taken off, and what else
//! a word that occurs nowhere may be in.

use crate::{
    Part,
    store::{Malformed, segment::language_term},
};
use elophanto_base::lexical::{Analyzer, Language};

/// The language that a question is in, if it is another than that of the settings, whose analyzer is
/// given, and notes are in it too.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn of_question(
    parts: &[Part],
    question: &str,
    analyzer: &Analyzer,
) -> Result<Option<Language>, Malformed> {
    for language in analyzer.languages_of_question(question) {
        if holds_term(parts, &language_term(language))? {
            return Ok(Some(language));
        }
    }
    Ok(None)
}

/// The terms that a folded word has in other languages than the analyzer's, as far as they occur.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn elsewhere(
    parts: &[Part],
    folded: &str,
    analyzer: &Analyzer,
) -> Result<Vec<String>, Malformed> {
    let mut found: Vec<String> = Vec::new();
    for language in Language::all().filter(|language| analyzer.language() != Some(*language)) {
        if !holds_term(parts, &language_term(language))? {
            continue;
        }
        let Some(term) = language.analyzer().term(folded) else { continue };
        let is_new = analyzer.term(folded).as_ref() != Some(&term)
            && !found.iter().any(|known| *known == term);
        if is_new && holds_term(parts, &term)? {
            found.push(term.into_owned());
        }
    }
    Ok(found)
}

/// Whether a term is that of a folded word in another language.
pub fn is_elsewhere(folded: &str, term: &str) -> bool {
    Language::all().any(|language| language.analyzer().term(folded).as_deref() == Some(term))
}

fn holds_term(parts: &[Part], term: &str) -> Result<bool, Malformed> {
    for part in parts {
        if part.loaded.segment.postings(term)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
