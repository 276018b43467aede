//! What counts as near for the vectors of one model.
//!
//! Cosines of different models are no measure for each other: unrelated texts have 0.1 with one
//! and 0.6 with another. So these figures live with the model and are measured for each, by
//! `elophanto eval --thresholds`.

use schemars::JsonSchema;
use serde::Serialize;

/// Known-good thresholds of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchThresholds {
    /// Share of meaning in a weighted hybrid score; words have the rest.
    pub semantic_weight: f32,
    /// A cosine below this, with no word in common, is chance: nothing was found.
    pub nothing: f32,
    /// From this cosine on a text is about what was asked.
    pub relevant: f32,
    /// Texts at least this much alike say the same.
    pub near_duplicate: f32,
    /// How far a list of hits is believed to answer.
    pub belief: Belief,
    /// The same of lessons: two sentences in other words than the question's, of which nearly all
    /// are about something else. Below `nothing` none of a hundred lessons is close.
    pub lessons: Belief,
}

impl SearchThresholds {
    /// For a model that nobody has measured: takes little for chance and nothing but the same
    /// words for a duplicate.
    pub const UNMEASURED: Self = Self {
        semantic_weight: 0.5,
        nothing: 0.0,
        relevant: 0.5,
        near_duplicate: 0.97,
        belief: Belief::STATIC,
        lessons: Belief::STATIC_LESSONS,
    };
}

/// What a question and the best hits of its search have in common, each from 0 to 1; or what each
/// of it weighs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct Features {
    /// Rare words of the question in one passage.
    pub coverage: f32,
    /// The same within a few words.
    pub proximity: f32,
    /// Cosine of question and passage by the model of the index.
    pub cosine: f32,
    /// The same by the static vectors of the built-in model.
    pub static_cosine: f32,
    /// How well each word of the question is met by one of the passage, by static vectors.
    pub words: f32,
    /// Cosine of the question with the best few sentences, by static vectors.
    pub window: f32,
    /// Number of words in the question.
    pub length: f32,
}

impl Features {
    fn each(&self) -> [f32; 7] {
        let Self { coverage, proximity, cosine, static_cosine, words, window, length } = *self;
        [coverage, proximity, cosine, static_cosine, words, window, length]
    }

    /// The larger of each.
    pub fn max(self, other: Self) -> Self {
        let (ours, theirs) = (self.each(), other.each());
        let [coverage, proximity, cosine, static_cosine, words, window, length] =
            std::array::from_fn(|at| ours[at].max(theirs[at]));
        Self { coverage, proximity, cosine, static_cosine, words, window, length }
    }
}

/// Whether what a search found answers the question: a logistic regression over [`Features`], which
/// `search::belief` computes, and where its outcome is high or low enough to be said. Fitted and
/// measured by `eval --against`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    pub bias: f32,
    pub weights: Features,
    /// From this outcome on a list is sure to answer.
    pub sure: f32,
    /// Below, it probably does not.
    pub nothing: f32,
}

impl Belief {
    /// With static vectors alone, which are there whatever the model of the index is.
    pub const STATIC: Self = Self {
        bias: -7.5,
        weights: Features {
            coverage: 1.7,
            proximity: 1.8,
            cosine: 0.0,
            static_cosine: 4.1,
            words: 1.8,
            window: 3.3,
            length: 1.8,
        },
        sure: 1.0,
        nothing: -1.5,
    };

    /// The same for lessons, see [`SearchThresholds::lessons`]. Fitted and measured on
    /// `tests/labelled/recall`.
    pub const STATIC_LESSONS: Self = Self {
        bias: -11.3,
        weights: Features {
            coverage: 1.6,
            proximity: 0.0,
            cosine: 0.0,
            static_cosine: 11.4,
            words: 8.2,
            window: 0.0,
            length: 6.4,
        },
        sure: 1.0,
        nothing: -2.6,
    };

    /// Logarithm of the odds that the list answers.
    pub fn log_odds(&self, features: &Features) -> f32 {
        let weighed = self.weights.each().into_iter().zip(features.each());
        weighed.fold(self.bias, |sum, (weight, value)| sum + weight * value)
    }
}

/// From which cosine on texts are near enough to learn by, for each purpose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnThresholds {
    /// An entity with its facts bears on what was asked.
    pub relevant: f32,
    /// Two facts of one entity say the same.
    pub same_fact: f32,
    /// A like of a topic covers an entity.
    pub covers: f32,
    /// A search goes on with the one before.
    pub follow_up: f32,
    /// Two lessons are offered as perhaps one.
    pub same_lesson: f32,
}

impl LearnThresholds {
    /// For a model that nobody has measured: where the reference design (knowledge system v2)
    /// starts, and only nearly the same words for the same fact.
    pub const UNMEASURED: Self =
        Self { relevant: 0.35, same_fact: 0.95, covers: 0.5, follow_up: 0.5, same_lesson: 0.9 };
}
