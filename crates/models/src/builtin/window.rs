//! How near a question is to a passage as a whole, and to the few sentences of it that are nearest.
//!
//! The vector of a long passage is that of everything it speaks of. As vectors are sums over words,
//! those of all runs of sentences come from sums over sentences.

use super::{Pieces, add_row, table::DIMENSION};

/// Sentences of the longest run.
const MOST_SENTENCES: usize = 3;
/// A shorter sentence is joined with what follows, in words.
const LEAST_WORDS: usize = 8;

/// Cosines of a question with a passage.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Nearness {
    /// With all of it.
    pub whole: f32,
    /// With the nearest run of one to three sentences.
    pub window: f32,
}

/// Compares a question, by its vector as [`super::Builtin`] makes it, with a passage given sentence
/// by sentence, each with its number of words.
pub fn nearness<'p>(
    query: &[f32],
    sentences: impl Iterator<Item = (&'p Pieces, usize)>,
) -> Nearness {
    let mut units: Vec<[f32; DIMENSION]> = Vec::new();
    let mut words = 0;
    let mut open = [0.0; DIMENSION];
    for (Pieces(ids), count) in sentences {
        ids.iter().for_each(|&id| add_row(&mut open, id));
        words += count;
        if words >= LEAST_WORDS {
            units.push(std::mem::replace(&mut open, [0.0; DIMENSION]));
            words = 0;
        }
    }
    if words > 0 {
        units.push(open);
    }
    let mut near = Nearness::default();
    let mut whole = [0.0; DIMENSION];
    for (start, unit) in units.iter().enumerate() {
        add(&mut whole, unit);
        let mut run = [0.0; DIMENSION];
        for unit in units.iter().skip(start).take(MOST_SENTENCES) {
            add(&mut run, unit);
            near.window = near.window.max(cosine(query, &run));
        }
    }
    near.whole = cosine(query, &whole);
    near
}

/// The cosine of a question, as in [`nearness`], with each run of so many neighbouring parts of a
/// text; of all parts together if there are no more.
pub fn run_cosines(query: &[f32], parts: &[Pieces], length: usize) -> Vec<f32> {
    let vector = |Pieces(ids): &Pieces| {
        let mut sum = [0.0; DIMENSION];
        ids.iter().for_each(|&id| add_row(&mut sum, id));
        sum
    };
    let vectors: Vec<[f32; DIMENSION]> = parts.iter().map(vector).collect();
    let length = length.clamp(1, parts.len().max(1));
    let of_run = |run: &[[f32; DIMENSION]]| {
        let mut sum = [0.0; DIMENSION];
        run.iter().for_each(|vector| add(&mut sum, vector));
        cosine(query, &sum)
    };
    vectors.windows(length).map(of_run).collect()
}

fn add(sum: &mut [f32; DIMENSION], other: &[f32; DIMENSION]) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
}

/// Cosine with a vector of unit length; 0 for one of zeros.
fn cosine(unit: &[f32], other: &[f32; DIMENSION]) -> f32 {
    let mut dots = [0.0f32; 16];
    let mut squares = [0.0f32; 16];
    for (a, b) in unit.as_chunks::<16>().0.iter().zip(other.as_chunks::<16>().0) {
        for lane in 0..16 {
            dots[lane] += a[lane] * b[lane];
            squares[lane] += b[lane] * b[lane];
        }
    }
    let norm = squares.iter().sum::<f32>().sqrt();
    if norm > 0.0 { dots.iter().sum::<f32>() / norm } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::Builtin;

    fn check(query: &str, sentences: &[&str]) -> Nearness {
        let pieces: Vec<Pieces> = sentences.iter().map(|text| Pieces::of(text)).collect();
        let count = |text: &str| text.split_whitespace().count();
        let sentences = pieces.iter().zip(sentences.iter().map(|text| count(text)));
        nearness(&Builtin.embed_one(query), sentences)
    }

    #[test]
    fn the_nearest_sentences_count() {
        let about = "Otters hold hands while they sleep, so that nobody drifts away.";
        let other = "The parser reads one line after the other and stops at the first error.";
        let query = "why do otters hold hands";
        let alone = check(query, &[about]);
        assert!((alone.whole - alone.window).abs() < 1e-6, "{alone:?}");
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let cosine = dot(&Builtin.embed_one(query), &Builtin.embed_one(about));
        assert!((alone.whole - cosine).abs() < 1e-5, "{alone:?} {cosine}");
        let hidden = check(query, &[other, other, other, about, other, other, other]);
        assert!((hidden.window - alone.window).abs() < 1e-6, "{hidden:?}");
        assert!(hidden.whole < alone.whole, "{hidden:?}");
    }

    #[test]
    fn runs_are_as_near_as_their_texts() {
        let parts = ["Otters hold hands", "while they sleep", "The parser stops", "at an error"];
        let query = Builtin.embed_one("why do otters hold hands");
        let pieces = parts.map(Pieces::of);
        for length in [1, 2, 4, 9] {
            let found = run_cosines(&query, &pieces, length);
            let runs: Vec<String> = parts.windows(length.min(4)).map(|run| run.join(" ")).collect();
            assert_eq!(found.len(), runs.len(), "{length}");
            for (found, run) in found.iter().zip(&runs) {
                let vector = Builtin.embed_one(run);
                let expected: f32 = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() < 1e-5, "{run}: {found}, {expected}");
            }
        }
        assert!(run_cosines(&query, &[], 4).is_empty());
    }

    #[test]
    fn short_sentences_are_joined() {
        let parts = check("otters hold hands asleep", &["Otters.", "Hands.", "Asleep."]);
        let whole = check("otters hold hands asleep", &["Otters. Hands. Asleep."]);
        assert!((parts.window - whole.window).abs() < 1e-5, "{parts:?} {whole:?}");
        assert_eq!(check("otters", &[]), Nearness::default());
        assert_eq!(check("", &["Otters."]), Nearness::default());
    }
}
