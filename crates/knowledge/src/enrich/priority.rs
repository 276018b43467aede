//! Which entity is worth a search.

use jiff::{SignedDuration, Timestamp};

use super::queries::MAX_QUERIES;
use elophanto_repo::journal::is_credible;

/// Nothing is known of it yet.
const STALENESS_WITHOUT_FACTS: f64 = 2.0;
/// It has been searched for within a day.
const STALENESS_FRESH: f64 = 0.1;
/// However long ago it was.
const STALENESS_CAP: f64 = 3.0;
const SECONDS_PER_DAY: i64 = 86_400;
/// Days that an entity waits at most of which nothing can be found; a power of two.
const LONGEST_WAIT: u32 = 64;

/// An entity that may be enriched.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Names the entity.
    pub slug: String,
    /// The user's score for it.
    pub interest: f64,
    /// How many are known.
    pub facts: usize,
    /// When it was last searched for without being asked.
    pub last_enriched: Option<Timestamp>,
    /// How many searches of late, one after the other, brought nothing new.
    pub fruitless: usize,
}

impl Candidate {
    /// Until when it waits, as nothing was found of late: a day after the first round of searches
    /// that brought nothing, and twice as long after each further one.
    pub fn waits_until(&self, now: Timestamp) -> Option<Timestamp> {
        let last = self.last_enriched.filter(|&at| is_credible(at, now))?.min(now);
        let rounds = u32::try_from(self.fruitless / MAX_QUERIES).unwrap_or(u32::MAX);
        let doublings = rounds.checked_sub(1)?.min(LONGEST_WAIT.ilog2());
        let days = 1_i64 << doublings;
        last.checked_add(SignedDuration::from_hours(24 * days)).ok()
    }
}

/// Interest x 1 / facts x staleness; `None` for what nobody is interested in.
///
/// Staleness is 0.1 within a day after the last enrichment, 2 without facts, and else a week's
/// share of the time since, 3 at most and for what was never enriched. The first of these counts
/// that applies: of what nothing can be found is not asked again and again. A last enrichment that
/// no clock can have told counts as none.
pub fn priority(
    interest: f64,
    facts: usize,
    last_enriched: Option<Timestamp>,
    now: Timestamp,
) -> Option<f64> {
    if !interest.is_finite() || interest <= 0.0 {
        return None;
    }
    let age = last_enriched
        .filter(|&at| is_credible(at, now))
        .map(|at| now.as_second().saturating_sub(at.as_second()).max(0));
    let staleness = match age {
        Some(seconds) if seconds < SECONDS_PER_DAY => STALENESS_FRESH,
        _ if facts == 0 => STALENESS_WITHOUT_FACTS,
        Some(seconds) => (seconds as f64 / (7 * SECONDS_PER_DAY) as f64).min(STALENESS_CAP),
        None => STALENESS_CAP,
    };
    Some(interest / facts.max(1) as f64 * staleness)
}

/// The candidate of the highest [`priority`] of those that do not wait. Of equals the one of more interest, then the one that
/// was enriched longer ago, then the first by slug.
pub fn pick(candidates: &[Candidate], now: Timestamp) -> Option<&Candidate> {
    let valued = |candidate: &Candidate| {
        let waits = candidate.waits_until(now).is_some_and(|until| until > now);
        if waits {
            return None;
        }
        priority(candidate.interest, candidate.facts, candidate.last_enriched, now)
    };
    let valued = candidates.iter().filter_map(|it| Some((valued(it)?, it)));
    let best = valued.min_by(|(a_value, a), (b_value, b)| {
        b_value
            .total_cmp(a_value)
            .then_with(|| b.interest.total_cmp(&a.interest))
            .then_with(|| a.last_enriched.cmp(&b.last_enriched))
            .then_with(|| a.slug.cmp(&b.slug))
    });
    best.map(|(_, candidate)| candidate)
}
