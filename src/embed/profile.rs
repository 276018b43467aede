//! What counts as near for the vectors of one model.
//!
//! Cosines of different models are no measure for each other: unrelated texts have 0.1 with one
//! and 0.6 with another. So these figures live with the model and are measured for each, by
//! `elophanto eval --thresholds`.

/// Known-good thresholds of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Share of meaning in a weighted hybrid score; words have the rest.
    pub semantic_weight: f32,
    /// A cosine below this, with no word in common, is chance: nothing was found.
    pub nothing: f32,
    /// From this cosine on a text is about what was asked.
    pub relevant: f32,
    /// Texts at least this much alike say the same.
    pub near_duplicate: f32,
}

impl Profile {
    /// For a model that nobody has measured: takes little for chance and nothing but the same
    /// words for a duplicate.
    pub const UNMEASURED: Self =
        Self { semantic_weight: 0.5, nothing: 0.0, relevant: 0.5, near_duplicate: 0.97 };
}

/// From which cosine on texts are near enough to learn by, for each purpose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// An entity with its facts bears on what was asked.
    pub relevant: f32,
    /// Two facts of one entity say the same.
    pub same_fact: f32,
    /// A fact is about the same matter as what a person wrote.
    pub same_matter: f32,
    /// A like of a topic covers an entity.
    pub covers: f32,
    /// A search goes on with the one before.
    pub follow_up: f32,
}

impl Near {
    /// For a model that nobody has measured: where the reference design (knowledge system v2)
    /// starts, and only nearly the same words for the same fact.
    pub const UNMEASURED: Self =
        Self { relevant: 0.35, same_fact: 0.95, same_matter: 0.8, covers: 0.5, follow_up: 0.5 };
}
