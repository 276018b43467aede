//! How much a user cares about what the knowledge base knows, from what they did.
//!
//! Owns which acts count how much, how they fade, how likes and dislikes spread to what resembles
//! them, and how a course of scores is drawn. It is pure: the time is an argument, and the same
//! records give the same scores in whatever order they are read. It refuses to know where records
//! lie, how vectors are made, and what is done with a score.

mod follow_up;
mod kind;
mod preference;
mod score;
mod spark;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

pub use follow_up::{Asked, FOLLOW_UP_WITHIN, is_follow_up};
pub use kind::{Answered, EngagementKind, Valence, react};
pub use preference::{
    EntityVector, MAX_PREFERENCES, PREFERENCE_STRENGTH, Preference, PreferenceKind,
    with_preferences,
};
pub use score::{HALF_LIFE_DAYS, Interest, WEEKS, scores};
pub use spark::{MAX_SPARK, Signs, spark};

/// One act of a user that shows what they care about.
#[derive(Debug, Clone, PartialEq)]
pub struct Engagement {
    /// Who did it.
    pub user: String,
    /// Slug of what it is about, as it was named at that time.
    pub entity: Option<String>,
    /// Id of the preference that was stated by it. Such an act counts for as long as the preference
    /// stands, through [`with_preferences`]; by itself it adds nothing.
    pub preference: Option<String>,
    /// What they did.
    pub kind: EngagementKind,
    /// Asked only where the kind leaves it open: see [`EngagementKind::valence`].
    pub valence: Valence,
    /// From 0 to [`EngagementKind::strength`]; what exceeds it counts as that, and so does NaN.
    pub strength: f32,
    /// When. A time ahead of the clock counts as now.
    pub at: Timestamp,
}
