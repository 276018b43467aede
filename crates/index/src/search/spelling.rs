//! Words that occur nowhere, and what they may be misspelt for.
//!
//! Most words that no document holds are no slips of the fingers: they are words of another
//! language, or of something that nobody wrote about, and taken for the nearest word they find what
//! was not asked for. So a correction must be likely three times over: the question is one in the
//! language of the documents, the slip is one that people make (Damerau 1964: a letter left out,
//! added, swapped with its neighbour, or a wrong one next to it on the keyboard), and not only the
//! stems are alike but the words as they are written.

use std::{cmp::Reverse, collections::hash_map::Entry, ops::Range};

use rustc_hash::FxHashMap;

use super::{compounds, families, language, lexical::Field, query::Query};
use crate::{
    Part,
    store::{Malformed, bits::Bits},
};
use elophanto_base::lexical::{Analyzer, Word, fold, words};
use elophanto_models::builtin::is_ordinary;

/// Words of a query that are looked at: a longer one is a text, and what is misspelt in it matters
/// little.
const MOST_WORDS: usize = 64;
/// The most terms that stand in for one misspelt word.
const MOST_TERMS: usize = 5;
/// Chunks that are read to see how a term is written.
const CHUNKS_READ: usize = 40;
/// Letters that a stemmer takes off a word.
const LONGEST_ENDING: usize = 9;
/// Shorter stems are those of too many words, unless the word is hardly longer.
const LEAST_STEM: usize = 3;

/// A term that occurs nowhere, and the terms to look for instead, each with its edits.
pub type Correction = (String, Vec<(String, usize)>);

/// What is made of the spelling of a query.
#[derive(Debug, Default)]
pub struct Spelling {
    /// How many of the terms occur nowhere.
    pub unknown: usize,
    /// Those of them that are likely misspelt, in their order.
    pub corrections: Vec<Correction>,
    /// The same for who asks: words as they were typed, and what is looked for instead as documents
    /// write it. Without the same word with the endings of another language: that is no other word.
    pub words: Vec<(String, Vec<String>)>,
    /// The question with these in the place of misspelt words, where a document writes them nearly so;
    /// `None` where there is no such word.
    pub text: Option<String>,
    /// Terms of neighbouring words written as one.
    pub joined: Vec<String>,
}

impl Spelling {
    /// Looks for words of a query that occur nowhere among the live chunks.
    ///
    /// # Errors
    /// [`Malformed`] if a segment is damaged.
    pub fn of(field: &Field, query: &Query, analyzer: &Analyzer) -> Result<Self, Malformed> {
        let mut joined = compounds::joined(&query.text, analyzer);
        joined.retain(|term| !query.terms.contains(term));
        let mut unknown: Vec<&String> = Vec::new();
        for term in &query.terms {
            if !occurs(field, term)? {
                unknown.push(term);
            }
        }
        let mut spelling = Self { unknown: unknown.len(), joined, ..Self::default() };
        if unknown.is_empty() {
            return Ok(spelling);
        }
        let typed = Typed::of(&query.text, &unknown, analyzer);
        let mut written = Written::of_words(&typed);
        spelling.corrections = correct(field, &typed, analyzer, &mut written)?;
        spelling.write(field, &query.text, &typed, analyzer, &mut written)?;
        Ok(spelling)
    }

    /// Fills in words and text.
    fn write(
        &mut self,
        field: &Field,
        text: &str,
        typed: &[Typed],
        analyzer: &Analyzer,
        written: &mut Written,
    ) -> Result<(), Malformed> {
        let mut respelt: Vec<(&str, String)> = Vec::new();
        let mut told: Vec<Range<usize>> = Vec::new();
        for (term, found) in &self.corrections {
            let of_term = |(word, _): &(&Typed, Word)| word.term == *term;
            let Some((word, place)) = typed.iter().zip(words(text)).find(of_term) else { continue };
            // `gave` is no slip for `giving`.
            if families::is_known(term, analyzer) {
                continue;
            }
            let letters: Vec<char> = word.folded.chars().collect();
            let is_elsewhere = |found: &str| language::is_elsewhere(&word.folded, found);
            let mut forms = Vec::new();
            for (number, (found, _)) in found.iter().enumerate() {
                let near = nearest_form(field, found, &letters, analyzer, written)?;
                let near = near.filter(|(edits, _)| *edits <= reach(letters.len()));
                if let Some((_, form)) =
                    near.as_ref().filter(|_| number == 0 && !is_elsewhere(found))
                {
                    respelt.push((term, form.to_string()));
                }
                let form = match near {
                    Some((_, form)) => Some(form.to_string()),
                    None => any_form(field, found, analyzer)?,
                };
                forms.push(form.unwrap_or_else(|| found.clone()));
            }
            // A part of a compound was told with it.
            let is_told = told.iter().any(|whole: &Range<usize>| {
                whole.start <= place.range.start && place.range.end <= whole.end
            });
            if !is_told && !found.iter().all(|(found, _)| is_elsewhere(found)) {
                told.push(place.range.clone());
                self.words.push((text[place.range].to_owned(), forms));
            }
        }
        let (mut whole, mut end) = (String::new(), 0);
        for (word, place) in typed.iter().zip(words(text)) {
            // The parts of a compound lie inside of it: `label_fromat` is replaced once.
            if place.range.start >= end
                && let Some((_, form)) = respelt.iter().find(|(term, _)| *term == word.term)
            {
                whole.push_str(&text[end..place.range.start]);
                whole.push_str(form);
                end = place.range.end;
            }
        }
        self.text = (end > 0).then(|| whole + &text[end..]);
        Ok(())
    }
}

/// Corrections of those unknown words that are likely misspelt, in their order.
fn correct(
    field: &Field,
    typed: &[Typed],
    analyzer: &Analyzer,
    written: &mut Written,
) -> Result<Vec<Correction>, Malformed> {
    if is_foreign(typed, analyzer) {
        return Ok(Vec::new());
    }
    let mut corrections: Vec<Correction> = Vec::new();
    for word in typed.iter().filter(|word| !word.is_known) {
        let is_done = corrections.iter().any(|(term, _)| *term == word.term);
        // `many` is no slip for `man`, and `1840s` none for `1850s`.
        let is_english = analyzer.language().is_some_and(|it| it.name() == "english");
        let is_meant = is_english && is_ordinary(&word.folded)
            || word.folded.starts_with(|char: char| char.is_ascii_digit());
        if !is_done && analyzer.common_elsewhere(&word.lower).is_empty() {
            let elsewhere = language::elsewhere(field.parts, &word.folded, analyzer)?;
            let found = match compounds::apart(field, &word.folded, analyzer)? {
                Some(parts) if elsewhere.is_empty() => parts.map(|term| (term, 0)).into(),
                _ => {
                    let near = match is_meant {
                        true => Vec::new(),
                        false => nearest(field, word, analyzer, written)?,
                    };
                    // A word with the endings of another language is written otherwise, not misspelt,
                    // unless hardly anything makes it one of this language: `dataase` is no `datos`.
                    match near.first() {
                        Some((_, 1)) => near,
                        _ if elsewhere.is_empty() => near,
                        _ => elsewhere.into_iter().map(|term| (term, 0)).collect(),
                    }
                }
            };
            if !found.is_empty() {
                corrections.push((word.term.clone(), found));
            }
        }
    }
    // Where most of a question means nothing here, neither does what is near the rest of it.
    let can_be_corrected = |word: &Typed| corrections.iter().any(|(term, _)| *term == word.term);
    let understood = typed.iter().filter(|word| word.is_known || can_be_corrected(word)).count();
    let keep = |(term, _): &Correction| {
        let of_term = typed.iter().filter(|word| word.term == *term).count();
        (understood - of_term) * 2 >= typed.len() - of_term
    };
    let kept = corrections.iter().map(keep).collect::<Vec<_>>();
    let mut kept = kept.into_iter();
    corrections.retain(|_| kept.next().unwrap_or_default());
    Ok(corrections)
}

/// A word of the query.
struct Typed {
    /// In lower case.
    lower: String,
    folded: String,
    /// Empty for a stop word.
    term: String,
    /// It occurs in the documents, or is too common to be looked for.
    is_known: bool,
}

impl Typed {
    fn of(text: &str, unknown: &[&String], analyzer: &Analyzer) -> Vec<Self> {
        let mut folded = String::new();
        let word = |found: &str| {
            fold(found, &mut folded);
            let term = analyzer.term(&folded).unwrap_or_default().into_owned();
            let is_known = !unknown.contains(&&term);
            Self { lower: found.to_lowercase(), folded: folded.clone(), term, is_known }
        };
        words(text).take(MOST_WORDS).map(|word| &text[word.range]).map(word).collect()
    }
}

/// Whether a question is asked in another language than that of the documents: more of its words
/// are the small words of that language than of this one. A single one that occurs in the documents
/// says nothing (`die`).
fn is_foreign(typed: &[Typed], analyzer: &Analyzer) -> bool {
    let own = typed.iter().filter(|word| analyzer.is_common(&word.folded)).count();
    let mut languages: Vec<(&str, usize, bool)> = Vec::new();
    for word in typed.iter().filter(|word| !analyzer.is_common(&word.folded)) {
        for code in analyzer.common_elsewhere(&word.lower) {
            match languages.iter_mut().find(|(known, _, _)| *known == code) {
                Some((_, count, is_unknown)) => {
                    *count += 1;
                    *is_unknown |= !word.is_known;
                }
                None => languages.push((code, 1, !word.is_known)),
            }
        }
    }
    languages.iter().any(|&(_, count, is_unknown)| count > own && (is_unknown || count > 1))
}

/// Terms of the index that a word may be misspelt for: the nearest, most frequent ones first.
fn nearest(
    field: &Field,
    word: &Typed,
    analyzer: &Analyzer,
    written: &mut Written,
) -> Result<Vec<(String, usize)>, Malformed> {
    let term: Vec<char> = word.term.chars().collect();
    let typed: Vec<char> = word.folded.chars().collect();
    let most = reach(typed.len());
    let [first, second, ..] = typed[..] else { return Ok(Vec::new()) };
    if most == 0 {
        return Ok(Vec::new());
    }
    let mut near: Vec<(String, usize, u32)> = Vec::new();
    for (part, live) in field.parts.iter().zip(field.live) {
        for entry in part.loaded.segment.terms() {
            let candidate = entry?;
            // Hardly anybody gets the first letter wrong, except for swapping it with the next.
            if !candidate.starts_with([first, second]) {
                continue;
            }
            let stem: Vec<char> = candidate.chars().collect();
            let is_swapped = stem[0] != first;
            if (is_swapped && stem.get(1) != Some(&first))
                || stem.len() > typed.len() + most
                || stem.len() + LONGEST_ENDING < typed.len()
                || (stem.len() < LEAST_STEM && stem.len() + 2 < typed.len())
                || slips_of_stem(&stem, &typed) > most
            {
                continue;
            }
            let chunks = holding(part, live, candidate)?;
            if chunks == 0 {
                continue;
            }
            match near.iter_mut().find(|(known, _, _)| known == candidate) {
                Some((_, _, sum)) => *sum += chunks,
                None => {
                    let edits = slips(&stem, &term);
                    let is_near = edits <= reach(term.len());
                    // What the stemmer took off the typed word was typed too.
                    let edits = edits + usize::from(typed.len() > term.len());
                    near.push((
                        candidate.to_owned(),
                        if is_near { edits } else { usize::MAX },
                        chunks,
                    ));
                }
            }
        }
    }
    let mut likely = Vec::new();
    for (candidate, edits, chunks) in near {
        let edits = match edits {
            1 => 1,
            _ => {
                let form = nearest_form(field, &candidate, &typed, analyzer, written)?;
                form.map_or(edits, |(slips, _)| edits.min(slips))
            }
        };
        if edits <= most {
            likely.push((candidate, edits, chunks));
        }
    }
    likely.sort_by(|a, b| (a.1, Reverse(a.2), &a.0).cmp(&(b.1, Reverse(b.2), &b.0)));
    // Farther ones only matter where there is no nearer one.
    let fewest = likely.first().map_or(0, |(_, edits, _)| *edits);
    let nearest = likely.into_iter().filter(|(_, edits, _)| *edits == fewest);
    Ok(nearest.take(MOST_TERMS).map(|(term, edits, _)| (term, edits)).collect())
}

/// The words of chunks that were read, folded, each once: by part and chunk.
struct Written {
    /// Letters that a word has to begin with: those of the misspelt ones.
    initials: Vec<char>,
    words: FxHashMap<(usize, usize), Vec<Box<str>>>,
}

impl Written {
    /// Nothing is read yet of what the unknown of these words may be.
    fn of_words(typed: &[Typed]) -> Self {
        let unknown = typed.iter().filter(|word| !word.is_known);
        // Its first letter, or the second one where they are swapped.
        let initials = unknown.flat_map(|word| word.folded.chars().take(2)).collect();
        Self { initials, words: FxHashMap::default() }
    }

    /// The words of a chunk that begin as a misspelt one may.
    fn of(&mut self, field: &Field, part: usize, chunk: usize) -> Result<&[Box<str>], Malformed> {
        let initials = &self.initials;
        match self.words.entry((part, chunk)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => {
                let segment = &field.parts[part].loaded.segment;
                let text = segment.chunk_text(&segment.chunk(chunk)?)?;
                let mut buffer = String::new();
                let folded = |word: Word| {
                    let word = &text[word.range];
                    let first = word.chars().next()?;
                    // Folding makes other letters of those that are none of ASCII alone.
                    if first.is_ascii() && !initials.contains(&first.to_ascii_lowercase()) {
                        return None;
                    }
                    fold(word, &mut buffer);
                    Some(Box::from(buffer.as_str()))
                };
                let mut all: Vec<Box<str>> = words(text).filter_map(folded).collect();
                all.sort_unstable();
                all.dedup();
                Ok(free.insert(all))
            }
        }
    }
}

/// The form in which documents write a term that is the fewest slips from a word, with these, as far as
/// the first of them that hold it tell; `None` if none is near.
fn nearest_form(
    field: &Field,
    term: &str,
    typed: &[char],
    analyzer: &Analyzer,
    written: &mut Written,
) -> Result<Option<(usize, Box<str>)>, Malformed> {
    let most = reach(typed.len());
    let mut nearest: Option<(usize, Box<str>)> = None;
    let mut read = 0;
    for (number, (part, live)) in field.parts.iter().zip(field.live).enumerate() {
        let segment = &part.loaded.segment;
        let Some(postings) = segment.postings(term)? else { continue };
        for posting in postings {
            let chunk = posting?.chunk as usize;
            let fewest = nearest.as_ref().map_or(usize::MAX, |(edits, _)| *edits);
            if read == CHUNKS_READ || fewest <= 1 {
                return Ok(nearest);
            }
            if !live.get(chunk) {
                continue;
            }
            read += 1;
            for word in written.of(field, number, chunk)? {
                // A stem begins as its words do.
                if word.chars().next() != term.chars().next() {
                    continue;
                }
                let form: Vec<char> = word.chars().collect();
                if form.len().abs_diff(typed.len()) > most {
                    continue;
                }
                let edits = slips(&form, typed).max(1);
                let fewest = nearest.as_ref().map_or(usize::MAX, |(edits, _)| *edits);
                if edits < fewest && analyzer.term(word).is_some_and(|found| found == term) {
                    nearest = Some((edits, word.clone()));
                }
            }
        }
    }
    Ok(nearest)
}

/// A form in which documents write a term; `None` if the text of the first of them does not hold it.
fn any_form(field: &Field, term: &str, analyzer: &Analyzer) -> Result<Option<String>, Malformed> {
    let mut folded = String::new();
    for (part, live) in field.parts.iter().zip(field.live) {
        let segment = &part.loaded.segment;
        let Some(postings) = segment.postings(term)? else { continue };
        for posting in postings {
            let chunk = posting?.chunk as usize;
            if live.get(chunk) {
                let text = segment.chunk_text(&segment.chunk(chunk)?)?;
                let form = words(text).map(|word| &text[word.range]).find(|word| {
                    fold(word, &mut folded);
                    analyzer.term(&folded).is_some_and(|found| found == term)
                });
                return Ok(form.map(str::to_lowercase));
            }
        }
    }
    Ok(None)
}

/// Whether a term is in any current chunk, of all that those at hand were chosen from.
fn occurs(field: &Field, term: &str) -> Result<bool, Malformed> {
    if field.whole.is_some_and(|whole| whole.holding.get(term).is_some_and(|all| *all > 0)) {
        return Ok(true);
    }
    for (part, live) in field.parts.iter().zip(field.live) {
        let Some(postings) = part.loaded.segment.postings(term)? else { continue };
        for posting in postings {
            if live.get(posting?.chunk as usize) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Current chunks that hold a term.
fn holding(part: &Part, live: &Bits, term: &str) -> Result<u32, Malformed> {
    let mut chunks = 0;
    if let Some(postings) = part.loaded.segment.postings(term)? {
        postings.for_each(|chunk, _, _| chunks += u32::from(live.get(chunk as usize)))?;
    }
    Ok(chunks)
}

/// Slips that a word of so many letters may hold.
fn reach(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The fewest slips that make one word of the other (optimal string alignment): a letter left out
/// or added, two neighbours swapped, a letter in place of one that is likely taken for it. Any other
/// letter in place of one counts as two.
fn slips(a: &[char], b: &[char]) -> usize {
    alignment(a, b).last().copied().unwrap_or_default()
}

/// The same between a stem and whatever beginning of a word is nearest to it; the last letter of a
/// stem may be another one than in its words (`registri`).
fn slips_of_stem(stem: &[char], word: &[char]) -> usize {
    let kept = stem.split_last().map_or(stem, |(_, kept)| kept);
    alignment(kept, word).into_iter().min().unwrap_or_default()
}

/// The fewest slips between all of `a` and each beginning of `b`, the empty one first.
fn alignment(a: &[char], b: &[char]) -> Vec<usize> {
    let width = b.len() + 1;
    let mut rows = vec![0usize; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i * width + j] = match (i, j) {
                (0, only) | (only, 0) => only,
                _ => {
                    let at = |i: usize, j: usize| rows[i * width + j];
                    let (x, y) = (a[i - 1], b[j - 1]);
                    let instead = match x == y {
                        true => 0,
                        false if is_taken_for(x, y) => 1,
                        false => 2,
                    };
                    let mut least = at(i - 1, j - 1) + instead;
                    least = least.min(at(i - 1, j) + 1).min(at(i, j - 1) + 1);
                    if i > 1 && j > 1 && x == b[j - 2] && y == a[i - 2] {
                        least = least.min(at(i - 2, j - 2) + 1);
                    }
                    least
                }
            };
        }
    }
    rows.split_off(a.len() * width)
}

/// Whether one letter is easily typed for the other: keys side by side, vowels, and the same sound.
fn is_taken_for(a: char, b: char) -> bool {
    /// Rows of the keyboard; a key lies between those of the same number and the next one above.
    const KEYS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
    const VOWELS: &str = "aeiouy";
    const SOUNDS: [(char, char); 5] = [('c', 's'), ('s', 'z'), ('g', 'j'), ('y', 'z'), ('b', 'v')];
    let place = |char: char| {
        let row = KEYS.iter().position(|row| row.contains(char))?;
        Some((row, KEYS[row].find(char)?))
    };
    let are_neighbours = match (place(a), place(b)) {
        (Some((row, column)), Some((other, at))) if row == other => column.abs_diff(at) == 1,
        (Some(one), Some(other)) if one.0.abs_diff(other.0) == 1 => {
            let (upper, lower) = if one.0 < other.0 { (one, other) } else { (other, one) };
            upper.1 == lower.1 || upper.1 == lower.1 + 1
        }
        _ => false,
    };
    are_neighbours
        || (VOWELS.contains(a) && VOWELS.contains(b))
        || SOUNDS.iter().any(|&pair| pair == (a, b) || pair == (b, a))
}

#[cfg(test)]
mod tests;
