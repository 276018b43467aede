//! The language of a question among notes in several: whose word endings are taken off, what else a word
//! that occurs nowhere may be in, and which notes are in another language.

use rustc_hash::FxHashMap;

use super::scene::ChunkId;
use crate::{
    Kind, Part, Snapshot,
    store::{
        Malformed,
        segment::{OTHER_LETTERS_TERM, language_term},
    },
};
use elophanto_base::lexical::{Analyzer, Language, is_latin};

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

/// What a note is in that is not in the language of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Told by its small words.
    Language(Language),
    /// Told by its letters, which are not the Latin ones of the question, or by a folder named as a language
    /// (`tr`, `pt-BR`) beside that of the question's.
    Other,
}

/// Which chunks of notes among some are not in the language of a question, whose analyzer is given.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn foreign(
    snapshot: &Snapshot,
    question: &str,
    analyzer: &Analyzer,
    places: impl IntoIterator<Item = ChunkId>,
) -> Result<FxHashMap<ChunkId, Foreign>, Malformed> {
    let mut found = FxHashMap::default();
    let Some(own) = analyzer.language() else { return Ok(found) };
    let is_note = |place: &ChunkId| snapshot.parts[place.0].kind == Kind::Note;
    let mut known: FxHashMap<ChunkId, Option<Foreign>> =
        places.into_iter().filter(is_note).map(|place| (place, None)).collect();
    let others = Language::all().filter(|language| *language != own);
    let languages = others.map(|other| (language_term(other), Foreign::Language(other)));
    let letters = (OTHER_LETTERS_TERM.to_owned(), Foreign::Other);
    let in_latin = is_latin(question);
    // What is told of words comes last: it says more.
    for (term, told) in in_latin.then_some(letters).into_iter().chain(languages) {
        for (number, part) in snapshot.parts.iter().enumerate() {
            if let Some(postings) = part.loaded.segment.postings(&term)? {
                postings.for_each(|chunk, _, _| {
                    if let Some(of) = known.get_mut(&(number, chunk as usize)) {
                        *of = Some(told);
                    }
                })?;
            }
        }
    }
    for (place, told) in known {
        let segment = &snapshot.parts[place.0].loaded.segment;
        let path = segment.identity(segment.chunk_document(place.1))?.0;
        let beside = || (in_latin && is_beside(snapshot, path, own)).then_some(Foreign::Other);
        if let Some(told) = told.or_else(beside) {
            found.insert(place, told);
        }
    }
    Ok(found)
}

/// Whether a path is below a folder that is named as a language and has one of the own language beside it.
fn is_beside(snapshot: &Snapshot, path: &[u8], own: Language) -> bool {
    let Ok(path) = std::str::from_utf8(path) else { return false };
    let mut start = 0;
    path.match_indices('/').any(|(end, _)| {
        let (above, folder) = (&path[..start], &path[start..end]);
        start = end + 1;
        names_language(folder) && folder != own.code() && {
            let beside = format!("{above}{}/", own.code());
            let files = &snapshot.files;
            let at = files.partition_point(|file| file.path.as_bytes() < beside.as_bytes());
            files.get(at).is_some_and(|file| file.path.as_bytes().starts_with(beside.as_bytes()))
        }
    })
}

/// `tr`, `pt-BR`, `zh_Hant`.
fn names_language(folder: &str) -> bool {
    let (code, region) = folder.split_once(['-', '_']).unwrap_or((folder, "xx"));
    let is_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    code.len() == 2 && (2..=4).contains(&region.len()) && is_letters(code) && is_letters(region)
}

fn holds_term(parts: &[Part], term: &str) -> Result<bool, Malformed> {
    for part in parts {
        if part.loaded.segment.postings(term)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_languages() {
        for (folder, expected) in [
            ("tr", true),
            ("pt-BR", true),
            ("zh_Hant", true),
            ("docs", false),
            ("v2", false),
            ("a-b", false),
            ("", false),
        ] {
            assert_eq!(names_language(folder), expected, "{folder}");
        }
    }
}
