//! What to find out next, and how often.
//!
//! Owns which known entity is worth a search, which kind of search it needs by how much is known,
//! the words of the search, and the pace at which searches may follow each other. It is pure: times
//! are arguments, states are values. It refuses to know who searches, where facts lie, and what
//! interest is made of.

mod attributes;
mod pace;
mod priority;
mod queries;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};

use elophanto_repo::journal::is_credible;

pub use pace::{FIRST_PAUSE, LONGEST_PAUSE, MAX_SEARCHES_PER_HOUR, Pace, PaceState, Wait};
pub use priority::{Candidate, pick, priority};
pub use queries::{MAX_QUERIES, MAX_QUERY_CHARS, queries};

/// With fewer facts than this, anything is worth knowing.
pub const FEW_FACTS: usize = 5;
/// With more facts than this, only news is worth knowing.
pub const MANY_FACTS: usize = 15;
/// How far back news reaches for an entity that was never enriched.
const NEWS_REACH: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What kind of search an entity needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Little is known: ask for anything.
    Broad,
    /// Something is known: ask for what no fact mentions.
    Gaps,
    /// Much is known: ask for what has happened since.
    News {
        /// The last enrichment, or a month ago if there was none; not after now.
        since: Timestamp,
    },
}

impl Mode {
    /// Its word for people and programs: `broad`, `gaps` or `news`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Broad => "broad",
            Self::Gaps => "gaps",
            Self::News { .. } => "news",
        }
    }
}

/// The mode for an entity with so many facts, last enriched then.
pub fn mode(facts: usize, last_enriched: Option<Timestamp>, now: Timestamp) -> Mode {
    match facts {
        0..FEW_FACTS => Mode::Broad,
        FEW_FACTS..=MANY_FACTS => Mode::Gaps,
        _ => {
            let reach = || now.checked_sub(NEWS_REACH).unwrap_or(now);
            let since = last_enriched.filter(|&at| is_credible(at, now)).unwrap_or_else(reach);
            Mode::News { since: since.min(now) }
        }
    }
}
