//! How fast searches may follow each other.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The most that can be set.
pub const MAX_SEARCHES_PER_HOUR: u32 = 1_000;
/// How long the first failure keeps searches back.
pub const FIRST_PAUSE: SignedDuration = SignedDuration::from_mins(1);
/// However many searches have failed in a row.
pub const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(6);

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// A limit on searches and what it has seen so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// At most [`MAX_SEARCHES_PER_HOUR`]; 0 forbids searches.
    pub searches_per_hour: u32,
    /// What has happened lately.
    pub state: PaceState,
}

/// What is kept between two searches. The empty state allows one at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaceState {
    /// When the searches of the last hour began, in their order.
    searches: Vec<Timestamp>,
    /// Failures since the last success.
    failures: u32,
    /// When the last of them happened.
    failed_at: Option<Timestamp>,
}

/// Why a search has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Wait {
    /// No search is allowed at all.
    #[error("searches are switched off")]
    Off,
    /// The oldest search of the last hour is an hour old at that time.
    #[error("the searches of this hour are used up until {until:.0}")]
    UsedUp { until: Timestamp },
    /// The last search failed.
    #[error("searches failed and rest until {until:.0}")]
    Failing { until: Timestamp },
}

impl Pace {
    /// Takes one search, which counts from then on whether it is made or not.
    ///
    /// # Errors
    /// When it may not be made yet; then nothing changes but that what is old is forgotten.
    pub fn allow(&mut self, now: Timestamp) -> Result<(), Wait> {
        let most = self.searches_per_hour.min(MAX_SEARCHES_PER_HOUR) as usize;
        if most == 0 {
            return Err(Wait::Off);
        }
        let state = &mut self.state;
        if let Some(until) = state.resting_until(now) {
            return Err(Wait::Failing { until });
        }
        // A time ahead of the clock was told by one that has been put back since.
        for at in &mut state.searches {
            *at = (*at).min(now);
        }
        state.searches.retain(|at| now.duration_since(*at) < HOUR);
        state.searches.sort();
        let surplus = state.searches.len().saturating_sub(most);
        state.searches.drain(..surplus);
        if let Some(first) = state.searches.first().filter(|_| state.searches.len() >= most) {
            return Err(Wait::UsedUp { until: first.checked_add(HOUR).unwrap_or(Timestamp::MAX) });
        }
        state.searches.push(now);
        Ok(())
    }

    /// The last search failed: the next waits a minute, and twice as long after each further one,
    /// six hours at most.
    pub fn failed(&mut self, now: Timestamp) {
        self.state.failures = self.state.failures.saturating_add(1);
        self.state.failed_at = Some(now);
    }

    /// The last search was answered, so the next need not rest.
    pub fn succeeded(&mut self) {
        self.state.failures = 0;
        self.state.failed_at = None;
    }
}

impl PaceState {
    /// Until when searches rest after failures. A failure ahead of the clock does not count.
    fn resting_until(&self, now: Timestamp) -> Option<Timestamp> {
        let failed_at = self.failed_at.filter(|&at| at <= now)?;
        let until = failed_at.checked_add(pause(self.failures)).unwrap_or(Timestamp::MAX);
        (until > now).then_some(until)
    }
}

fn pause(failures: u32) -> SignedDuration {
    let Some(doublings) = failures.checked_sub(1) else { return SignedDuration::ZERO };
    // A minute doubled nine times is more than six hours.
    let pause = FIRST_PAUSE.checked_mul(1 << doublings.min(9)).unwrap_or(LONGEST_PAUSE);
    pause.min(LONGEST_PAUSE)
}
