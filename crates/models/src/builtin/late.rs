//! How well a question's words are met in each of a few passages: late interaction over the table.
//!
//! One vector for a whole text blurs which of its words matter. ColBERT (Khattab and Zaharia, 2020,
//! arXiv:2004.12832) keeps one for each word: every word of the question looks for the word of the
//! passage that is most like it, and the similarities are added (MaxSim). Its vectors come from a
//! transformer that read the whole text; here they are rows of the table, so that nothing has to be
//! kept of a passage beforehand. What its words would lack in context, their weights make up for in
//! part: a word that few of the passages hold says more about which of them is meant.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{
    MAX_TOKENS,
    piece::{PAD, UNKNOWN},
    table::{self, DIMENSION},
    wordpiece,
};

/// Distinct word pieces of a question that count; later ones are ignored.
const MAX_ASKED: usize = 64;
/// Below this many word pieces of passages a thread costs more to wake than it saves.
const PIECES_PER_JOB: usize = 512;

/// For each passage, the mean over the distinct word pieces of the query of the cosine with the most
/// similar word piece of the passage, weighted by how rare the piece is among the passages:
/// `ln(1 + (N - n + 0.5) / (n + 0.5))` if `n` of `N` passages hold it.
///
/// From -1 to 1, and 1 for a passage that holds every piece of the query; 0 for one without known
/// words. Neither order nor repetition of words matters. `None` if no word of the query is known.
pub fn late_interaction<T: AsRef<str> + Sync>(query: &str, passages: &[T]) -> Option<Vec<f32>> {
    let count = passages.len() as f32;
    let passages = passages.par_iter().map(|text| Pieces::of(text.as_ref())).collect();
    interaction(query, passages, |asked, vocabulary| {
        let holders = vocabulary.holders(asked.id) as f32;
        (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
    })
}

/// The same with a weight that needs no other passages: the length of the piece's vector, which the
/// model learnt to be small for words that say little. So a passage has the same value in whatever
/// company.
pub fn words_met(query: &str, passages: Vec<Pieces>) -> Option<Vec<f32>> {
    interaction(query, passages, |asked, _| asked.length)
}

/// The known word pieces of a text, in its order; at most [`MAX_TOKENS`].
#[derive(Debug, Clone, Default)]
pub struct Pieces(pub(super) Vec<u32>);

impl Pieces {
    pub fn of(text: &str) -> Self {
        let mut ids = Vec::new();
        known(text, |id| {
            ids.push(id);
            ControlFlow::Continue(())
        });
        Self(ids)
    }

    /// Those of one text after the other.
    pub fn joined(parts: &[Self]) -> Self {
        Self(parts.iter().flat_map(|part| &part.0).copied().collect())
    }
}

fn interaction(
    query: &str,
    passages: Vec<Pieces>,
    weight: impl Fn(&Asked, &Vocabulary) -> f32,
) -> Option<Vec<f32>> {
    let asked = distinct(query, MAX_ASKED);
    if asked.is_empty() {
        return None;
    }
    let asked: Vec<Asked> = asked.into_iter().map(Asked::of).collect();
    let vocabulary = Vocabulary::of(passages);
    let weights: Vec<f32> = asked.iter().map(|asked| weight(asked, &vocabulary)).collect();
    let whole: f32 = weights.iter().sum();

    // By piece of the passages, then by piece of the query.
    let mut similarities = vec![0.0; vocabulary.pieces.len() * asked.len()];
    let of_pieces = similarities.par_chunks_mut(asked.len()).zip(&vocabulary.pieces);
    of_pieces.with_min_len(PIECES_PER_JOB).for_each(|(similarities, &id)| {
        let (_, codes) = table::row(id);
        let inverse = inverse_length(codes);
        for (similarity, asked) in similarities.iter_mut().zip(&asked) {
            *similarity = dot(codes, &asked.codes) as f32 * inverse * asked.inverse;
        }
    });
    let of_piece = |piece: &u32| &similarities[*piece as usize * asked.len()..][..asked.len()];
    let score = |held: &[u32]| {
        let Some((first, others)) = held.split_first() else { return 0.0 };
        let mut best = of_piece(first).to_vec();
        for piece in others {
            for (best, &similarity) in best.iter_mut().zip(of_piece(piece)) {
                *best = best.max(similarity);
            }
        }
        best.iter().zip(&weights).map(|(best, weight)| best * weight).sum::<f32>() / whole
    };
    Some(vocabulary.passages().map(score).collect())
}

/// The known word pieces of a text, each once, in the order in which they first come.
fn distinct(text: &str, most: usize) -> Vec<u32> {
    let mut found = Vec::new();
    known(text, |id| {
        if !found.contains(&id) {
            found.push(id);
        }
        if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    found
}

/// Hands over the known word pieces of a text, as many as are embedded, until told to stop.
pub(super) fn known(text: &str, mut sink: impl FnMut(u32) -> ControlFlow<()>) {
    let mut left = MAX_TOKENS;
    let _ = wordpiece::scan(text, |ids| {
        for &id in ids.iter().filter(|&&id| id != PAD && id != UNKNOWN) {
            sink(id)?;
            left -= 1;
            if left == 0 {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
}

/// The distinct word pieces of some passages, numbered as they come.
struct Vocabulary {
    /// The id of each.
    pieces: Vec<u32>,
    /// How many passages hold each.
    holders: Vec<u32>,
    /// By id: the number, or [`NEW`].
    numbers: Vec<u32>,
    /// The numbers of what each passage holds, one passage after the other.
    held: Vec<u32>,
    /// Where those of each passage end.
    ends: Vec<usize>,
}

/// Not met yet.
const NEW: u32 = u32::MAX;

impl Vocabulary {
    fn of(passages: Vec<Pieces>) -> Self {
        let mut all = Self {
            pieces: Vec::new(),
            holders: Vec::new(),
            numbers: vec![NEW; table::rows()],
            held: Vec::new(),
            ends: Vec::with_capacity(passages.len()),
        };
        // By number: the last passage, counted from 1, that holds it.
        let mut last: Vec<usize> = Vec::new();
        for (passage, Pieces(ids)) in (1..).zip(passages) {
            for id in ids {
                let number = &mut all.numbers[id as usize];
                if *number == NEW {
                    *number = all.pieces.len() as u32;
                    all.pieces.push(id);
                    all.holders.push(0);
                    last.push(0);
                }
                let at = *number as usize;
                if last[at] != passage {
                    last[at] = passage;
                    all.holders[at] += 1;
                    all.held.push(*number);
                }
            }
            all.ends.push(all.held.len());
        }
        all
    }

    /// How many passages hold a word piece.
    fn holders(&self, id: u32) -> u32 {
        self.holders.get(self.numbers[id as usize] as usize).copied().unwrap_or(0)
    }

    /// The numbers of what each passage holds.
    fn passages(&self) -> impl Iterator<Item = &[u32]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.held[start..end])
    }
}

/// A word piece of the question.
struct Asked {
    id: u32,
    /// Its row of the table, widened: it is multiplied with thousands of others.
    codes: [i16; DIMENSION],
    inverse: f32,
    /// Of its vector.
    length: f32,
}

impl Asked {
    fn of(id: u32) -> Self {
        let (scale, codes) = table::row(id);
        let inverse = inverse_length(codes);
        let length = if inverse > 0.0 { scale / inverse } else { 0.0 };
        Self { id, codes: widened(codes), inverse, length }
    }
}

fn widened(codes: &[u8; DIMENSION]) -> [i16; DIMENSION] {
    codes.map(|code| i16::from(code.cast_signed()))
}

/// One over the length of a row, 0 for one of zeros. Its scale makes no difference to a cosine.
fn inverse_length(codes: &[u8; DIMENSION]) -> f32 {
    let squares = dot(codes, &widened(codes));
    if squares > 0 { (squares as f32).sqrt().recip() } else { 0.0 }
}

/// Integer dot product of two rows.
fn dot(a: &[u8; DIMENSION], b: &[i16; DIMENSION]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that `dot_avx2` asks for.
        return unsafe { dot_avx2(a, b) };
    }
    dot_plain(a, b)
}

/// The same loop as [`dot_plain`], compiled for 32-byte registers (sign-extend, multiply-add).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(a: &[u8; DIMENSION], b: &[i16; DIMENSION]) -> i32 {
    dot_plain(a, b)
}

#[inline(always)]
fn dot_plain(a: &[u8; DIMENSION], b: &[i16; DIMENSION]) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| i32::from(a.cast_signed()) * i32::from(b)).sum()
}

#[cfg(test)]
mod tests;
