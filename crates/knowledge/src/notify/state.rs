//! When something may be told.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Message, Queue, Quiet};
use elophanto_repo::journal::is_credible;

/// How long a user is left in peace after the first messages they did not answer.
pub const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(60);
/// However many messages they left unanswered.
pub const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// Messages that are sent at once, each about another entity.
pub const MAX_BATCH: usize = 10;

/// What is remembered of one user between two messages. The empty state sends at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// How often something was sent since the user last did anything.
    unanswered: u32,
    sent_at: Option<Timestamp>,
    /// The latest act that was counted.
    acted_at: Option<Timestamp>,
}

/// What is to be done now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// To be sent now, the one that waited longest first. At most [`MAX_BATCH`].
    pub messages: Vec<Message>,
    /// What is to be kept once they are sent; until then, what was there before.
    pub queue: Queue,
    pub state: State,
    /// When to ask again, later than now; `None` when nothing waits.
    pub next: Option<Timestamp>,
}

/// What may be told now of what waits, and when the rest may.
///
/// What is sent at once counts as one disturbance. The first goes out at once; each that the user
/// lets pass without doing anything doubles the pause until the next, from a minute to an hour.
/// Nothing goes out in quiet hours. What may not go out stays in the queue and goes out with the
/// next, together with what is found out about the same entity until then.
pub fn due(mut queue: Queue, state: State, now: Timestamp, quiet: &Quiet) -> Due {
    let mut state = state.settled(now);
    let mut messages = Vec::new();
    if !queue.is_empty() && state.opens(now) <= now && quiet.until(now).is_none() {
        messages = queue.take(MAX_BATCH);
        state.unanswered = state.unanswered.saturating_add(1);
        state.sent_at = Some(now);
    }
    let next = (!queue.is_empty()).then(|| {
        let opens = state.opens(now).max(now);
        quiet.until(opens).unwrap_or(opens)
    });
    Due { messages, queue, state, next }
}

impl State {
    /// The user did something: a message, a command, a reaction. The pause is over then.
    ///
    /// May be told of old acts, and again of the same: one that happened before what was sent last
    /// is no answer to it, and each counts once. One that no clock can have told counts for
    /// nothing.
    pub fn acted(&mut self, at: Timestamp, now: Timestamp) {
        *self = self.settled(now);
        if is_credible(at, now) && Some(at) > self.acted_at {
            self.acted_at = Some(at);
            if Some(at.min(now)) > self.sent_at {
                self.unanswered = 0;
            }
        }
    }

    /// Without times too far ahead of the clock: they were told by one that has been put back since.
    fn settled(mut self, now: Timestamp) -> Self {
        self.sent_at = self.sent_at.map(|at| at.min(now));
        self.acted_at = self.acted_at.filter(|&at| is_credible(at, now));
        self
    }

    /// From when on something may be sent.
    fn opens(&self, now: Timestamp) -> Timestamp {
        let Some(sent_at) = self.sent_at else { return now };
        sent_at.checked_add(pause(self.unanswered)).unwrap_or(Timestamp::MAX)
    }
}

fn pause(unanswered: u32) -> SignedDuration {
    let Some(doublings) = unanswered.checked_sub(1) else { return SignedDuration::ZERO };
    // A minute doubled six times is more than an hour.
    let pause = FIRST_PAUSE.checked_mul(1 << doublings.min(6)).unwrap_or(LONGEST_PAUSE);
    pause.min(LONGEST_PAUSE)
}
