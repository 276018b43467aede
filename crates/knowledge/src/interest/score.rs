//! From acts to scores that fade.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::Engagement;

/// After so many days an act counts half.
pub const HALF_LIFE_DAYS: f64 = 30.0;
/// Weeks of which the score is told.
pub const WEEKS: usize = 8;

const SECONDS_PER_DAY: f64 = 86_400.0;
const SECONDS_PER_WEEK: i64 = 7 * 86_400;
/// Contributions are added in steps of this size, because sums of whole numbers are the same in
/// every order. Eight million acts of full strength fit.
const STEPS: f64 = (1_u64 << 40) as f64;

/// How much a user cares about one entity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interest {
    /// Negative for what they do not want to hear about.
    pub score: f64,
    /// When they last had to do with it, never after the time of asking.
    pub last: Timestamp,
    /// The score as it was at the end of each of the last eight weeks, the oldest first. The last
    /// week ends at the time of asking, so the last one is `score`.
    pub trend: [f64; WEEKS],
}

/// The interests of one user by slug: the sum of sign x strength x 2^(-age / 30 days) over their
/// acts. Acts without an entity are left out, as are those of other users.
///
/// `canonical` names the entity that a slug has been merged into, or gives it back. An act from the
/// future counts like one from now: a wrong clock must not make it grow.
pub fn scores<'a>(
    engagements: &'a [Engagement],
    user: &str,
    now: Timestamp,
    canonical: &dyn Fn(&'a str) -> &'a str,
) -> BTreeMap<String, Interest> {
    let clock = Clock::new(now);
    let mut of_name: FxHashMap<&str, usize> = FxHashMap::default();
    let mut of_slug: FxHashMap<&str, usize> = FxHashMap::default();
    let mut sums: Vec<(&str, Sum)> = Vec::new();
    for engagement in engagements.iter().filter(|engagement| engagement.user == user) {
        let Some(name) = engagement.entity.as_deref() else { continue };
        let index = *of_name.entry(name).or_insert_with(|| {
            let slug = canonical(name);
            *of_slug.entry(slug).or_insert_with(|| {
                sums.push((slug, Sum::EMPTY));
                sums.len() - 1
            })
        });
        if let Some((_, sum)) = sums.get_mut(index) {
            sum.add(amount(engagement), engagement.at, &clock);
        }
    }
    sums.into_iter().map(|(slug, sum)| (slug.to_owned(), sum.interest())).collect()
}

/// What an act adds when it is new, with its sign.
fn amount(engagement: &Engagement) -> f64 {
    if engagement.preference.is_some() {
        return 0.0;
    }
    let full = engagement.kind.strength();
    let given = engagement.strength;
    let strength = if given.is_nan() { full } else { given.clamp(0.0, full) };
    engagement.kind.valence().unwrap_or(engagement.valence).sign() * f64::from(strength)
}

/// The ends of the weeks that are told.
pub(super) struct Clock {
    now: Timestamp,
    /// How much more than now an act counted at the end of each week.
    growth: [f64; WEEKS],
}

impl Clock {
    pub(super) fn new(now: Timestamp) -> Self {
        let mut growth = [1.0; WEEKS];
        for (ago, growth) in growth.iter_mut().rev().enumerate() {
            *growth = (7.0 * ago as f64 / HALF_LIFE_DAYS).exp2();
        }
        Self { now, growth }
    }
}

/// The sum of one entity, in [`STEPS`], at the end of each week.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    weeks: [i64; WEEKS],
    last: Timestamp,
}

impl Sum {
    pub(super) const EMPTY: Self = Self { weeks: [0; WEEKS], last: Timestamp::MIN };

    /// Adds an act that is worth `amount` when it is new.
    pub(super) fn add(&mut self, amount: f64, at: Timestamp, clock: &Clock) {
        let at = at.min(clock.now);
        self.last = self.last.max(at);
        if amount == 0.0 {
            return;
        }
        let seconds = clock.now.as_second().saturating_sub(at.as_second()).max(0);
        let weight = (-(seconds as f64) / (HALF_LIFE_DAYS * SECONDS_PER_DAY)).exp2();
        // Weeks that had ended before it happened know nothing of it.
        let since = usize::try_from(seconds / SECONDS_PER_WEEK).unwrap_or(WEEKS);
        let first = WEEKS.saturating_sub(1).saturating_sub(since);
        for (sum, growth) in self.weeks.iter_mut().zip(&clock.growth).skip(first) {
            *sum = sum.saturating_add((amount * weight * growth * STEPS).round() as i64);
        }
    }

    pub(super) fn interest(self) -> Interest {
        let trend = self.weeks.map(|sum| sum as f64 / STEPS);
        let [.., score] = trend;
        Interest { score, last: self.last, trend }
    }
}

impl Interest {
    /// Both together: scores add up, the later activity counts.
    pub(super) fn plus(mut self, other: Self) -> Self {
        self.score += other.score;
        self.last = self.last.max(other.last);
        for (sum, more) in self.trend.iter_mut().zip(other.trend) {
            *sum += more;
        }
        self
    }
}
