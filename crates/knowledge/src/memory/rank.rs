//! How the ranking of search is set for lessons.
//!
//! What the figures were chosen on and what they are worth is in
//! `knowledge/system/decisions/0022-lessons-word-by-word.md`.

use elophanto_index::search::{
    Weights,
    rank::{Blend, Scale},
};
use elophanto_models::{Embedder, Pace, SearchThresholds};

/// Days after which half of the worth of being new is left.
pub const HALF_LIFE_DAYS: f32 = 180.0;

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
        } else if embedder.thresholds() == SearchThresholds::UNMEASURED {
            Self::Unmeasured
        } else {
            Self::Sentences
        }
    }
}

/// What being of the own repository adds to a score, what saying all codes of the question does (of
/// `TS23` the vectors of words know no more than of `TS2322`), and how much two scores may differ for
/// what worked more often to come first, where both records have the same context.
#[derive(Debug, Clone, Copy)]
pub struct Leeway {
    pub own: f32,
    pub codes: f32,
    pub proven: f32,
}

/// Chosen on `tests/labelled/recall`: a larger bonus finds more that was learnt here, and less that
/// was learnt elsewhere.
pub fn leeway(model: Model, has_words: bool) -> Leeway {
    let (own, codes, proven) = match (has_words, model) {
        (true, Model::Static) => (0.03, 0.1, 0.15),
        (true, Model::Sentences) => (0.02, 0.1, 0.15),
        (true, Model::Unmeasured) => (0.2, 1.0, 1.5),
        (false, _) => (0.05, 0.2, 0.3),
    };
    Leeway { own, codes, proven }
}

/// What the signals of a record add to its score. `has_words`: what stands for its keywords is how
/// well it meets the question's words, if the question has any that are known.
pub fn by(model: Model, has_words: bool) -> Blend {
    let shares = |scale, keyword: f32, proven, recency| {
        let (semantic, recency_half_life_days) = (1.0 - keyword, HALF_LIFE_DAYS);
        let others = Weights { semantic, recency, recency_half_life_days };
        Blend { scale, keyword, proven, others }
    };
    match (has_words, model) {
        // A cosine means the same for every question; what a sentence transformer says is worth
        // more than what static vectors say.
        (true, Model::Static) => shares(Scale::Plain, 0.5, 0.02, 0.012),
        (true, Model::Sentences) => shares(Scale::Plain, 0.4, 0.02, 0.012),
        (true, Model::Unmeasured) => {
            let mut by = shares(Scale::Deviations, 0.3, 0.2, 0.12);
            by.others.semantic = 1.0;
            by
        }
        (false, Model::Static) => shares(Scale::Span, 1.0 - 0.6, 0.05, 0.03),
        (false, _) => shares(Scale::Span, 1.0 - 0.9, 0.05, 0.03),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use elophanto_index::search::rank::{Signals, blend};
    use elophanto_models::{bert::Bert, builtin::Builtin};

    fn scores(signals: &[Signals], model: Model, has_words: bool) -> Vec<f32> {
        blend(signals, &by(model, has_words)).into_iter().map(|score| score.total).collect()
    }

    /// Records by cosine, words, keyword, success and recency, best first.
    fn check(model: Model, has_words: bool, found: &[[f32; 5]], expected: &[usize]) {
        let signals: Vec<Signals> = found
            .iter()
            .map(|&[cosine, words, keyword, proven, recency]| Signals {
                keyword: if has_words { words } else { keyword },
                cosine,
                age_days: -HALF_LIFE_DAYS * f32::log2(recency),
                proven,
            })
            .collect();
        let scores = scores(&signals, model, has_words);
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
            let found = |of: &dyn Fn(f32) -> f32| {
                let words = cosines.iter().rev();
                let signals = words.zip(&cosines).map(|(&keyword, &cosine)| Signals {
                    keyword,
                    cosine: of(cosine),
                    age_days: f32::INFINITY,
                    proven: 0.0,
                });
                scores(&signals.collect::<Vec<_>>(), Model::Unmeasured, true)
            };
            let one = found(&|it| it);
            let other = found(&|it| factor * it + offset);
            for (one, other) in one.iter().zip(&other) {
                prop_assert!((one - other).abs() < 0.02, "{one} {other}");
            }
        }
    }
}
