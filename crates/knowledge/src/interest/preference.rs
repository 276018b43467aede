//! Likes and dislikes of a topic, which count for every entity that resembles it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Interest, Valence,
    follow_up::cosine,
    score::{Clock, Sum},
};

/// How much a new preference counts: as much as the command that states it.
pub const PREFERENCE_STRENGTH: f32 = 0.8;
/// Preferences that count; of more, the newest.
pub const MAX_PREFERENCES: usize = 256;

/// A topic that a user likes or dislikes, for as long as they have not taken it back.
#[derive(Debug, Clone, PartialEq)]
pub struct Preference {
    /// Of several with one id, the newest counts.
    pub id: String,
    /// In the user's words.
    pub topic: String,
    /// Slug of the entity that was made of the topic: covered whatever the vectors say.
    pub entity: Option<String>,
    /// Whether they want it.
    pub kind: PreferenceKind,
    /// When it was stated; it fades like an act.
    pub at: Timestamp,
    /// Of the topic, of unit length; empty if there is none.
    pub vector: Vec<f32>,
}

elophanto_base::named! {
    /// Whether a topic is wanted.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum PreferenceKind, word {
        /// It is wanted.
        Like = "like",
        /// It is not.
        Dislike = "dislike",
    }
}

impl PreferenceKind {
    /// What it rules out.
    pub fn opposite(self) -> Self {
        match self {
            Self::Like => Self::Dislike,
            Self::Dislike => Self::Like,
        }
    }

    /// What it says of the entities it covers.
    pub fn valence(self) -> Valence {
        match self {
            Self::Like => Valence::Positive,
            Self::Dislike => Valence::Negative,
        }
    }
}

/// An entity and its vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntityVector<'a> {
    /// Names the entity.
    pub slug: &'a str,
    /// Of unit length.
    pub vector: &'a [f32],
}

/// Adds what the preferences of a user say to their [`scores`](super::scores).
///
/// A preference covers the entities whose vector has a cosine of at least `threshold` with its own,
/// and the one that was made of it; for each it counts once, like an act of
/// [`PREFERENCE_STRENGTH`]. Hand in those that stand: one that is left out covers nothing any more.
/// Vectors of different lengths resemble nothing. Slugs are canonical, each is there once.
pub fn with_preferences(
    mut interests: BTreeMap<String, Interest>,
    preferences: &[Preference],
    entities: &[EntityVector<'_>],
    threshold: f32,
    now: Timestamp,
) -> BTreeMap<String, Interest> {
    let preferences = that_count(preferences);
    let clock = Clock::new(now);
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut add = |slug, preference: &Preference| {
        let amount = preference.kind.valence().sign() * f64::from(PREFERENCE_STRENGTH);
        sums.entry(slug).or_insert(Sum::EMPTY).add(amount, preference.at, &clock);
    };
    for preference in &preferences {
        if let Some(slug) = preference.entity.as_deref() {
            add(slug, preference);
        }
    }
    // Preferences are few and stay in the processor's cache while the entities pass by.
    for entity in entities {
        for preference in &preferences {
            if preference.entity.as_deref() != Some(entity.slug)
                && cosine(&preference.vector, entity.vector).is_some_and(|like| like >= threshold)
            {
                add(entity.slug, preference);
            }
        }
    }
    for (slug, sum) in sums {
        let more = sum.interest();
        match interests.get_mut(slug) {
            Some(interest) => *interest = interest.plus(more),
            None => {
                interests.insert(slug.to_owned(), more);
            }
        }
    }
    interests
}

/// The newest of more than [`MAX_PREFERENCES`]; of several with one id, one.
fn that_count(preferences: &[Preference]) -> Vec<&Preference> {
    let mut sorted: Vec<&Preference> = preferences.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| b.at.cmp(&a.at)));
    sorted.dedup_by(|a, b| a.id == b.id);
    sorted.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
    sorted.truncate(MAX_PREFERENCES);
    sorted
}
