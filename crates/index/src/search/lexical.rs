//! Keyword scores: BM25 over weighted fields, phrases, exclusions.
//!
//! Statistics (number of chunks, their mean length, how many hold a term) are taken over exactly
//! the chunks that are current, so that deleted or foreign documents never count.
//! Sources: Robertson & Zaragoza 2009 (BM25, simple BM25F: weighted term frequencies before
//! saturation); the inverse document frequency is Lucene's, which is never negative.

use rayon::prelude::*;

use super::{
    query::{Phrase, Query},
    spelling::{Correction, Spelling},
};
use crate::{
    Part,
    apart::Whole,
    store::{
        Malformed,
        bits::Bits,
        segment::{FIELD_BREADCRUMB, FIELD_PATH, FIELD_TAGS, FIELD_TITLE, Posting},
    },
};

/// Parameters of BM25 and of its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Bm25 {
    pub k1: f32,
    pub b: f32,
    /// What an occurrence in this field counts, in occurrences in the text.
    pub title: f32,
    pub breadcrumb: f32,
    pub tags: f32,
    pub path: f32,
    /// What two neighbouring words of the query count when they stand close to each other.
    pub pair: f32,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75, title: 1.0, breadcrumb: 1.0, tags: 1.0, path: 0.5, pair: 0.2 }
    }
}

/// A term found by correction counts this much of an exact one, per edit.
pub const EDIT_PENALTY: f32 = 0.6;

/// What a word counts that the query writes as two.
const JOINED: f32 = 0.5;

/// From so many chunks on it pays to look into the parts side by side.
const MANY: usize = 20_000;

/// Words of a query that are looked for at a time, side by side where there are as many.
const MANY_TERMS: usize = 8;

/// Two words of a query are close if no more than this many words apart.
const PAIR_WINDOW: u32 = 4;

/// The chunks in play: current ones, and among them those that pass the filter.
pub struct Field<'a> {
    pub parts: &'a [Part],
    /// Per part, per chunk: is it current?
    pub live: &'a [Bits],
    /// Per part, per chunk: may it be a hit?
    pub allowed: &'a [Bits],
    /// What the chunks were chosen from, if that is more than there is here.
    pub whole: Option<&'a Whole>,
}

/// Keyword scores of all chunks.
pub struct Scores {
    /// Per part, per chunk; 0 where no term occurs.
    pub scores: Vec<Vec<f32>>,
    /// Per part, per chunk: must not be a hit (excluded, or lacks a phrase).
    pub barred: Vec<Bits>,
    /// Terms that were looked up in place of ones that occur nowhere.
    pub corrections: Vec<Correction>,
    /// Terms with their inverse document frequency, corrections included.
    pub weights: Vec<(String, f32)>,
    /// The inverse document frequency of a term that occurs nowhere.
    pub unknown: f32,
}

/// Scores every chunk that is allowed. With `spelling`, that of the query, words that occur nowhere are
/// taken for misspelt ones.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn score(
    field: &Field,
    query: &Query,
    parameters: &Bm25,
    spelling: Option<&Spelling>,
) -> Result<Scores, Malformed> {
    let (count, mean) = statistics(field);
    let scorer = Scorer { field, parameters, count, mean };
    let mut result = Scores {
        scores: field.allowed.iter().map(|bits| vec![0.0; bits.capacity()]).collect(),
        barred: field.allowed.iter().map(|bits| Bits::new(bits.capacity(), false)).collect(),
        corrections: Vec::new(),
        weights: Vec::new(),
        unknown: scorer.idf(0),
    };
    // Some at a time: what is found of each is held until its turn comes.
    for terms in query.terms.chunks(MANY_TERMS) {
        let found = side_by_side(field, terms, |term| hits_of(&scorer, term))?;
        for (term, found) in terms.iter().zip(found) {
            scorer.add_found(term, &found, 1.0, &mut result);
        }
    }
    if let Some(Spelling { corrections, joined, .. }) = spelling {
        let found = |term: &String| corrections.iter().find(|(known, _)| known == term);
        // One that was typed twice counts twice.
        for (_, found) in query.terms.iter().filter_map(found) {
            for (candidate, edits) in found {
                add_term(&scorer, candidate, EDIT_PENALTY.powi(*edits as i32), &mut result)?;
            }
        }
        for term in joined {
            add_term(&scorer, term, JOINED, &mut result)?;
        }
        result.corrections.clone_from(corrections);
    }
    add_pairs(&scorer, query, &mut result)?;
    for phrase in &query.phrases {
        let holding = holding_phrase(field, phrase)?;
        for (barred, holding) in result.barred.iter_mut().zip(&holding) {
            (0..barred.capacity())
                .filter(|&chunk| !holding.get(chunk))
                .for_each(|chunk| barred.set(chunk, true));
        }
    }
    for excluded in &query.excluded {
        let holding = holding_phrase(field, &excluded.phrase)?;
        for (barred, holding) in result.barred.iter_mut().zip(holding) {
            holding.ones().for_each(|chunk| barred.set(chunk, true));
        }
    }
    Ok(result)
}

/// Live chunks and their mean length in words.
fn statistics(field: &Field) -> (usize, f32) {
    if let Some(whole) = field.whole.filter(|whole| whole.chunks > 0) {
        return (whole.chunks, whole.mean_words.max(1.0));
    }
    let mut count = 0usize;
    let mut words = 0u64;
    for (part, live) in field.parts.iter().zip(field.live) {
        for chunk in live.ones() {
            count += 1;
            words += u64::from(part.loaded.segment.chunk_words(chunk));
        }
    }
    (count, if count == 0 { 1.0 } else { (words as f32 / count as f32).max(1.0) })
}

/// What turns frequencies into scores.
struct Scorer<'a> {
    field: &'a Field<'a>,
    parameters: &'a Bm25,
    /// Live chunks.
    count: usize,
    /// Their mean length in words.
    mean: f32,
}

/// Chunks and weighted frequencies.
type Hits = Vec<(u32, f32)>;

/// Looks into each part with the flags of its live chunks, into large ones side by side.
fn by_part(
    field: &Field,
    look: impl Fn(&Part, &Bits) -> Result<Hits, Malformed> + Sync,
) -> Result<Vec<Hits>, Malformed> {
    let parts = || field.parts.iter().zip(field.live);
    let chunks: usize = field.live.iter().map(Bits::capacity).sum();
    if chunks < MANY {
        return parts().map(|(part, live)| look(part, live)).collect();
    }
    let parts: Vec<_> = parts().collect();
    parts.into_par_iter().map(|(part, live)| look(part, live)).collect()
}

/// Does the same for each of many things, side by side where it pays.
fn side_by_side<T: Sync, R: Send>(
    field: &Field,
    all: &[T],
    work: impl Fn(&T) -> Result<R, Malformed> + Sync + Send,
) -> Result<Vec<R>, Malformed> {
    let chunks: usize = field.live.iter().map(Bits::capacity).sum();
    if chunks < MANY || all.len() < MANY_TERMS {
        return all.iter().map(work).collect();
    }
    all.par_iter().map(work).collect()
}

/// Live chunks of each part that hold a term, with its weighted frequency.
fn hits_of(scorer: &Scorer, term: &str) -> Result<Vec<Hits>, Malformed> {
    let Scorer { field, parameters, .. } = scorer;
    by_part(field, |part, live| {
        let mut hits = Vec::new();
        if let Some(postings) = part.loaded.segment.postings(term)? {
            postings.for_each(|chunk, fields, occurrences| {
                if live.get(chunk as usize) {
                    let weight = |bit, weight: f32| if fields & bit > 0 { weight } else { 0.0 };
                    let frequency = occurrences as f32
                        + weight(FIELD_TITLE, parameters.title)
                        + weight(FIELD_BREADCRUMB, parameters.breadcrumb)
                        + weight(FIELD_TAGS, parameters.tags)
                        + weight(FIELD_PATH, parameters.path);
                    hits.push((chunk, frequency));
                }
            })?;
        }
        Ok(hits)
    })
}

fn add_term(
    scorer: &Scorer,
    term: &str,
    factor: f32,
    result: &mut Scores,
) -> Result<(), Malformed> {
    scorer.add_found(term, &hits_of(scorer, term)?, factor, result);
    Ok(())
}

impl Scorer<'_> {
    /// Adds the scores of one term in all chunks that were found to hold it.
    fn add_found(&self, term: &str, found: &[Hits], factor: f32, result: &mut Scores) {
        let holding = self.holding(term, found.iter().map(Vec::len).sum());
        if holding > 0 {
            let idf = self.add(found, holding, factor, &mut result.scores);
            result.weights.push((term.to_owned(), idf * factor));
        }
    }

    /// Inverse document frequency of what so many live chunks hold.
    fn idf(&self, holding: usize) -> f32 {
        // What is counted elsewhere may be some chunks behind.
        let (count, holding) = (self.count.max(holding) as f32, holding as f32);
        (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln()
    }

    /// How many of all chunks hold a term, where so many of those at hand do: of one that nobody counted
    /// as large a part.
    fn holding(&self, term: &str, at_hand: usize) -> usize {
        let Some(whole) = self.field.whole else { return at_hand };
        match whole.holding.get(term) {
            Some(all) => at_hand.max(*all),
            None => {
                let chunks: usize = self.field.live.iter().map(Bits::count).sum();
                at_hand * self.count.max(chunks) / chunks.max(1)
            }
        }
    }

    /// How many of all chunks hold two words close to each other, where so many of those at hand do: as
    /// large a part of those that hold the rarer one, which were chosen for what they hold.
    fn holding_both(&self, pair: &[String], at_hand: usize) -> Result<usize, Malformed> {
        if self.field.whole.is_none() {
            return Ok(at_hand);
        }
        let mut least = usize::MAX;
        for term in pair {
            let mut holding = 0;
            for part in self.field.parts {
                if let Some(postings) = part.loaded.segment.postings(term)? {
                    postings.for_each(|_, _, _| holding += 1)?;
                }
            }
            let all = self.holding(term, holding);
            least = least.min((at_hand * all).div_ceil(holding.max(1)));
        }
        Ok(least.max(at_hand))
    }

    /// Adds the BM25 score of one term (or pair) to every allowed chunk that holds it, and returns
    /// its inverse document frequency.
    fn add(&self, found: &[Hits], holding: usize, factor: f32, scores: &mut [Vec<f32>]) -> f32 {
        let Bm25 { k1, b, .. } = *self.parameters;
        let idf = self.idf(holding);
        for (number, hits) in found.iter().enumerate() {
            let segment = &self.field.parts[number].loaded.segment;
            for &(chunk, frequency) in hits {
                let chunk = chunk as usize;
                if self.field.allowed[number].get(chunk) {
                    let length = segment.chunk_words(chunk) as f32 / self.mean;
                    let saturated = frequency / (frequency + k1 * (1.0 - b + b * length));
                    scores[number][chunk] += idf * factor * saturated;
                }
            }
        }
        idf
    }
}

/// Adds to chunks in which neighbouring words of the query stand close to each other (the ordered
/// and unordered pairs of Metzler & Croft 2005), scored like a term of its own.
fn add_pairs(scorer: &Scorer, query: &Query, result: &mut Scores) -> Result<(), Malformed> {
    let pairs: Vec<&[String]> = query.terms.windows(2).filter(|pair| pair[0] != pair[1]).collect();
    let found = side_by_side(scorer.field, &pairs, |pair| {
        by_part(scorer.field, |part, live| near_in(part, live, &pair[0], &pair[1]))
    })?;
    for (pair, found) in pairs.into_iter().zip(found) {
        let holding = scorer.holding_both(pair, found.iter().map(Vec::len).sum())?;
        if holding > 0 {
            scorer.add(&found, holding, scorer.parameters.pair, &mut result.scores);
        }
    }
    Ok(())
}

/// Live chunks of a part in which two terms stand close to each other, and how often.
fn near_in(part: &Part, live: &Bits, one: &str, other: &str) -> Result<Hits, Malformed> {
    let segment = &part.loaded.segment;
    let mut hits = Vec::new();
    let (Some(mut first), Some(mut second)) = (segment.postings(one)?, segment.postings(other)?)
    else {
        return Ok(hits);
    };
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    let mut there = second.head()?;
    while let Some((chunk, ..)) = first.head()? {
        while there.is_some_and(|(other, ..)| other < chunk) {
            there = second.head()?;
        }
        let Some((other, ..)) = there else { break };
        if other == chunk && live.get(chunk as usize) {
            first.positions(&mut of_first)?;
            second.positions(&mut of_second)?;
            let near = close_pairs(&of_first, &of_second);
            if near > 0 {
                hits.push((chunk, near as f32));
            }
        }
    }
    Ok(hits)
}

/// How many positions of the first list have one of the second within [`PAIR_WINDOW`] words.
fn close_pairs(first: &[u32], second: &[u32]) -> usize {
    let near = |&position: &u32| {
        let from = second.partition_point(|&other| other + PAIR_WINDOW < position);
        second.get(from).is_some_and(|&other| other <= position + PAIR_WINDOW)
    };
    first.iter().filter(|position| near(position)).count()
}

/// Chunks whose text holds the words one after the other; a single term may be anywhere.
pub(super) fn holding_phrase(field: &Field, phrase: &Phrase) -> Result<Vec<Bits>, Malformed> {
    let mut all = Vec::with_capacity(field.parts.len());
    for part in field.parts {
        let segment = &part.loaded.segment;
        let mut bits = Bits::new(segment.chunks(), false);
        let mut lists: Vec<(u32, Vec<Posting>)> = Vec::with_capacity(phrase.terms.len());
        for (offset, term) in &phrase.terms {
            match segment.postings(term)? {
                Some(postings) => lists.push((*offset, postings.collect::<Result<_, _>>()?)),
                None => lists.push((*offset, Vec::new())),
            }
        }
        let Some(((_, first), others)) = lists.split_first() else {
            all.push(bits);
            continue;
        };
        for posting in first {
            let rest: Option<Vec<(u32, &Posting)>> = others
                .iter()
                .map(|(offset, list)| {
                    let at = list.binary_search_by_key(&posting.chunk, |other| other.chunk).ok()?;
                    Some((*offset, list.get(at)?))
                })
                .collect();
            let Some(rest) = rest else { continue };
            let starts: Vec<u32> =
                posting.positions.iter().copied().filter(|&at| follows(at, &rest)).collect();
            let chunk = posting.chunk as usize;
            let holds = if phrase.common.is_empty() {
                others.is_empty() || !starts.is_empty()
            } else {
                !starts.is_empty()
                    && phrase.common_follow(&starts, segment.chunk_text(&segment.chunk(chunk)?)?)
            };
            bits.set(chunk, holds);
        }
        all.push(bits);
    }
    Ok(all)
}

/// Whether each is so far behind the first as in the phrase.
fn follows(start: u32, rest: &[(u32, &Posting)]) -> bool {
    let is_there = |(offset, posting): &(u32, &Posting)| {
        start.checked_add(*offset).is_some_and(|at| posting.positions.binary_search(&at).is_ok())
    };
    rest.iter().all(is_there)
}
