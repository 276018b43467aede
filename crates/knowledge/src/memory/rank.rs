//! In what order the records that were found answer a question. Pure: no files, no clock, no model.
//!
//! What the figures were chosen on and what they are worth is in
//! `knowledge/system/decisions/0022-lessons-word-by-word.md`.

use elophanto_index::search::{
    Mode, Ranking, Weights,
    rank::{self, Signals as Fusable},
};
use elophanto_models::{Embedder, Pace, Profile};

/// What having worked often and what being new adds, where a cosine means the same for every question.
const SUCCESS: f32 = 0.02;
const RECENCY: f32 = 0.012;
/// Share of the words beside the cosine of the whole texts; what a sentence transformer says is worth
/// more than what static vectors say.
const WORDS: f32 = 0.4;
const WORDS_OF_STATIC: f32 = 0.5;

/// The same, in standard deviations over the records that were found.
const SPREAD_SUCCESS: f32 = 0.2;
const SPREAD_RECENCY: f32 = 0.12;
const SPREAD_WORDS: f32 = 0.3;

/// The same, where keywords stand in for words.
const FUSED_SUCCESS: f32 = 0.05;
const FUSED_RECENCY: f32 = 0.03;
const FUSED_MEANING: f32 = 0.9;
const FUSED_MEANING_OF_STATIC: f32 = 0.6;

/// What is known of one record that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// BM25; 0 if no term occurs.
    pub keyword: f32,
    /// Cosine of question and record.
    pub cosine: f32,
    /// From 0 to 1 for now.
    pub recency: f32,
    /// From 0 to 1 for always.
    pub success: f32,
}

/// What a cosine of the model is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Static vectors, summed.
    Static,
    /// A sentence transformer whose cosines were measured.
    Sentences,
    /// Its cosines may all lie between 0.7 and 0.8: what counts is how one compares with the others.
    Unmeasured,
}

impl Model {
    pub fn of(embedder: &dyn Embedder) -> Self {
        if embedder.pace() == Pace::Instant {
            Self::Static
        } else if embedder.profile() == Profile::UNMEASURED {
            Self::Unmeasured
        } else {
            Self::Sentences
        }
    }
}

/// The score of each record, higher is better; `words` is how well each meets the question's words,
/// if it has any that are known.
pub fn scores(found: &[Signals], words: Option<&[f32]>, model: Model) -> Vec<f32> {
    let (words, share) = match (words, model) {
        (None, _) => return fused(found, model),
        (Some(words), Model::Unmeasured) => return spread(found, words),
        (Some(words), Model::Static) => (words, WORDS_OF_STATIC),
        (Some(words), Model::Sentences) => (words, WORDS),
    };
    let score = |(it, words): (&Signals, &f32)| {
        (1.0 - share) * it.cosine + share * words + SUCCESS * it.success + RECENCY * it.recency
    };
    found.iter().zip(words).map(score).collect()
}

/// Cosine and words in standard deviations from their means.
fn spread(found: &[Signals], words: &[f32]) -> Vec<f32> {
    let cosines: Vec<f32> = found.iter().map(|it| it.cosine).collect();
    let signals = found.iter().zip(standard(&cosines)).zip(standard(words));
    let score = |((it, cosine), words): ((&Signals, f32), f32)| {
        let rest = SPREAD_SUCCESS * it.success + SPREAD_RECENCY * it.recency;
        cosine + SPREAD_WORDS * words + rest
    };
    signals.map(score).collect()
}

/// Values less their mean, in standard deviations; zeros if all are the same.
fn standard(values: &[f32]) -> Vec<f32> {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    // What rounding leaves of a difference is none.
    let inverse = if variance > 1e-12 { variance.sqrt().recip() } else { 0.0 };
    values.iter().map(|value| (value - mean) * inverse).collect()
}

/// Cosine and keywords, each from 0 for the least to 1 for the most of those found.
fn fused(found: &[Signals], model: Model) -> Vec<f32> {
    let meaning = if model == Model::Static { FUSED_MEANING_OF_STATIC } else { FUSED_MEANING };
    let signals: Vec<Fusable> = found
        .iter()
        .map(|it| Fusable { keyword: it.keyword, cosine: it.cosine, age_days: 0.0 })
        .collect();
    let weights = Weights { semantic: meaning, recency: 0.0, recency_half_life_days: 0.0 };
    let ranked = rank::rank(&signals, &[], Mode::Hybrid, Ranking::Weighted, &weights);
    let mut scores = vec![0.0; found.len()];
    for (index, score) in ranked {
        let it = &found[index];
        scores[index] = score.total + FUSED_SUCCESS * it.success + FUSED_RECENCY * it.recency;
    }
    scores
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use elophanto_models::{bert::Bert, builtin::Builtin};

    const NOTHING: Signals = Signals { keyword: 0.0, cosine: 0.0, recency: 0.0, success: 0.0 };

    /// Records by cosine, words, keyword, success and recency, best first.
    fn check(model: Model, has_words: bool, found: &[[f32; 5]], expected: &[usize]) {
        let words: Vec<f32> = found.iter().map(|it| it[1]).collect();
        let signals: Vec<Signals> = found
            .iter()
            .map(|&[cosine, _, keyword, success, recency]| Signals {
                keyword,
                cosine,
                recency,
                success,
            })
            .collect();
        let scores = scores(&signals, has_words.then_some(&words), model);
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        assert_eq!(order, expected, "{model:?}: {scores:?}");
    }

    #[test]
    fn orders() {
        use Model::{Sentences, Static, Unmeasured};
        // The words decide between equals, and more of them with static vectors.
        let words = [[0.5, 0.3, 9.0, 0.3, 0.0], [0.5, 0.6, 0.0, 0.3, 0.0]];
        let close = [[0.60, 0.38, 0.0, 0.3, 0.0], [0.40, 0.62, 0.0, 0.3, 0.0]];
        for model in [Sentences, Static, Unmeasured] {
            check(model, true, &words, &[1, 0]);
            check(model, false, &words, &[0, 1]);
        }
        check(Sentences, true, &close, &[0, 1]);
        check(Static, true, &close, &[1, 0]);
        // What worked or is new breaks ties and no more.
        for model in [Sentences, Static, Unmeasured] {
            let even = [0.5, 0.5, 1.0];
            let [a, b, c] = even;
            check(model, true, &[[a, b, c, 0.3, 0.0], [a, b, c, 0.7, 0.0]], &[1, 0]);
            check(model, true, &[[a, b, c, 0.3, 0.1], [a, b, c, 0.3, 0.9]], &[1, 0]);
            let far = [[0.6, 0.6, 2.0, 0.0, 0.0], [0.3, 0.3, 1.0, 1.0, 1.0]];
            check(model, true, &far, &[0, 1]);
            check(model, false, &far, &[0, 1]);
        }
        // Cosines that lie close together still decide where nobody knows how close they lie.
        let narrow = [[0.74, 0.55, 0.0, 0.3, 0.0], [0.76, 0.45, 0.0, 0.3, 0.0]];
        check(Sentences, true, &narrow, &[0, 1]);
        check(Unmeasured, true, &narrow, &[1, 0]);
        for model in [Sentences, Static, Unmeasured] {
            check(model, true, &[], &[]);
            check(model, false, &[], &[]);
            check(model, true, &[[0.1, 0.1, 0.0, 0.3, 0.0]], &[0]);
        }
    }

    #[test]
    fn models_are_told_apart() {
        assert_eq!(Model::of(&Builtin), Model::Static);
        assert_eq!(Model::of(Bert::minilm()), Model::Sentences);
    }

    proptest! {
        /// Of a model that nobody measured, neither scale nor origin of the cosines matters.
        #[test]
        fn unmeasured_cosines_have_no_scale(
            cosines in proptest::collection::vec(-1.0f32..1.0, 2..20),
            factor in 0.2f32..5.0,
            offset in -1.0f32..1.0,
        ) {
            let found = |of: &dyn Fn(f32) -> f32| -> Vec<Signals> {
                cosines.iter().map(|&cosine| Signals { cosine: of(cosine), ..NOTHING }).collect()
            };
            let words: Vec<f32> = cosines.iter().rev().copied().collect();
            let one = scores(&found(&|it| it), Some(&words), Model::Unmeasured);
            let other = scores(&found(&|it| factor * it + offset), Some(&words), Model::Unmeasured);
            for (one, other) in one.iter().zip(&other) {
                prop_assert!((one - other).abs() < 0.02, "{one} {other}");
            }
        }
    }
}
