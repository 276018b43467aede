//! Words that one writes apart and another together: `start up` and `startup`, `phonehome`.

use super::{
    lexical::{Field, holding_phrase},
    query::Phrase,
};
use crate::store::{Malformed, bits::Bits};
use elophanto_base::lexical::{Analyzer, fold, words};

/// Letters that a part has at least, where the whole is taken apart and where parts are joined.
const LEAST_APART: usize = 3;
const LEAST_JOINED: usize = 2;
/// Words of a question that are looked at.
const MOST_WORDS: usize = 64;

/// The terms of neighbouring words of a question written as one, each once, with nothing said of
/// whether they occur.
pub fn joined(text: &str, analyzer: &Analyzer) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut buffer = String::new();
    let all: Vec<_> = words(text).take(MOST_WORDS).map(|word| word.range).collect();
    for pair in all.windows(2) {
        let (first, second) = (&text[pair[0].clone()], &text[pair[1].clone()]);
        // The parts of a compound lie inside of it.
        let between = text.get(pair[0].end..pair[1].start).unwrap_or(".");
        let is_apart = matches!(between, " " | "-");
        let is_part = |part: &str| {
            part.chars().count() >= LEAST_JOINED && part.chars().all(char::is_alphabetic)
        };
        if !is_apart || !is_part(first) || !is_part(second) {
            continue;
        }
        fold(&format!("{first}{second}"), &mut buffer);
        if let Some(term) = analyzer.term(&buffer).filter(|term| !found.iter().any(|it| it == term))
        {
            found.push(term.into_owned());
        }
    }
    found
}

/// The two terms that a word that occurs nowhere is made of, if documents write them one after the
/// other; of several the ones that most do. `folded` is the word.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn apart(
    field: &Field,
    folded: &str,
    analyzer: &Analyzer,
) -> Result<Option<[String; 2]>, Malformed> {
    let mut best: Option<(usize, [String; 2])> = None;
    if !folded.chars().all(char::is_alphabetic) {
        return Ok(None);
    }
    let letters = folded.chars().count();
    for (number, (at, _)) in folded.char_indices().enumerate() {
        if number < LEAST_APART || letters - number < LEAST_JOINED {
            continue;
        }
        let (first, second) = folded.split_at(at);
        let (Some(first), Some(second)) = (analyzer.term(first), analyzer.term(second)) else {
            continue;
        };
        let parts = [first.into_owned(), second.into_owned()];
        let chunks = chunks_with(field, &parts)?;
        if chunks > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((chunks, parts));
        }
    }
    Ok(best.map(|(_, parts)| parts))
}

/// How many current chunks hold two terms one after the other.
fn chunks_with(field: &Field, [first, second]: &[String; 2]) -> Result<usize, Malformed> {
    let is_known = |term: &str| -> Result<bool, Malformed> {
        for part in field.parts {
            if part.loaded.segment.postings(term)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if !is_known(first)? || !is_known(second)? {
        return Ok(0);
    }
    let phrase =
        Phrase { terms: vec![(0, first.clone()), (1, second.clone())], common: Vec::new() };
    let holding = holding_phrase(field, &phrase)?;
    let live = |(holding, live): (&Bits, &Bits)| holding.ones().filter(|&at| live.get(at)).count();
    Ok(holding.iter().zip(field.live).map(live).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(joined(text, &Analyzer::new("english")), expected, "{text}");
        };
        check("start up", &["startup"]);
        check("how to start-up the Server", &["howto", "tostart", "startup", "upth", "theserv"]);
        check("start. up, then", &[]);
        check("version 2 of a thing", &[]);
        check("start_up", &[]);
        check("back up back up", &["backup", "upback"]);
        check("", &[]);
    }
}
