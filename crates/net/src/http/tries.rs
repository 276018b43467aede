//! The state of one call over its attempts: what has been tried, waited, and what is left.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{HttpError, Patience, gate::Gate, retry};

/// One attempt failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trouble {
    pub error: HttpError,
    /// Whether another attempt may help.
    pub again: bool,
    /// The wait the server asks for.
    pub asked: Option<Duration>,
}

impl Trouble {
    pub fn again(error: HttpError) -> Self {
        Self { error, again: true, asked: None }
    }

    pub fn last(error: HttpError) -> Self {
        Self { error, again: false, asked: None }
    }
}

#[derive(Debug)]
pub(super) struct Tries<'a> {
    gate: &'a Gate,
    host: &'a str,
    patience: Patience,
    end: Instant,
    pub attempts: u32,
    pub waited: Duration,
}

impl<'a> Tries<'a> {
    pub fn new(gate: &'a Gate, host: &'a str, patience: Patience) -> Self {
        let now = Instant::now();
        // More than a human life is no deadline at all.
        let end = now.checked_add(patience.total.min(Duration::from_secs(1 << 32)));
        let end = end.unwrap_or(now);
        Self { gate, host, patience, end, attempts: 0, waited: Duration::ZERO }
    }

    /// Waits until the gate is open, and says how long the next attempt may take.
    pub async fn start(&mut self) -> Result<Duration, HttpError> {
        while let Some(left) = self.gate.left() {
            if left >= self.left() {
                return Err(HttpError::RateLimited {
                    host: self.host.to_owned(),
                    wait: Some(left),
                    message: "another request was told to wait".to_owned(),
                });
            }
            // Those who waited together do not start together.
            let spread = left.mul_f64(0.1).min(Duration::from_millis(250));
            self.pause(left + spread.mul_f64(fastrand::f64())).await;
        }
        if self.left().is_zero() {
            return Err(self.deadline());
        }
        self.attempts += 1;
        Ok(self.patience.request.min(self.left()))
    }

    /// Waits as long as is due before the next attempt, or says why there is none.
    pub async fn after(&mut self, trouble: Trouble) -> Result<(), HttpError> {
        let Trouble { error, again, asked } = trouble;
        if !again {
            return Err(error);
        }
        let asked = asked.filter(|asked| !asked.is_zero());
        if let Some(asked) = asked {
            self.gate.close_for(asked);
        }
        let wait = retry::wait(self.attempts, trouble.asked, fastrand::f64());
        if self.attempts >= self.patience.attempts || wait >= self.left() {
            return Err(error);
        }
        // A wait that the server asked for is kept at the gate.
        if asked.is_none_or(|asked| wait > asked) {
            self.pause(wait).await;
        }
        Ok(())
    }

    /// Time until the deadline.
    pub fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// The error for an attempt that was cut off after `limit`.
    pub fn cut_off(&self, limit: Duration) -> Trouble {
        if self.left().is_zero() {
            return Trouble::last(self.deadline());
        }
        Trouble::again(HttpError::Timeout { host: self.host.to_owned(), limit })
    }

    fn deadline(&self) -> HttpError {
        HttpError::Deadline {
            host: self.host.to_owned(),
            total: self.patience.total,
            attempts: self.attempts,
        }
    }

    async fn pause(&mut self, wait: Duration) {
        let wait = wait.min(self.left());
        sleep(wait).await;
        self.waited += wait;
    }
}
