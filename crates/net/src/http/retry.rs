//! When to try again, and after how long. Pure.

use std::time::Duration;

const BASE: Duration = Duration::from_millis(250);
const CAP: Duration = Duration::from_secs(20);

/// Statuses that say "not now". 409 is among them because APIs of models use it for a lock that
/// was not free in time; 529 is Anthropic's "overloaded".
pub(super) fn is_worth_retrying(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// How long to wait after attempt number `attempt` (from 1) failed.
///
/// Exponential with full jitter: `share`, from 0 to 1, of 250 ms, 500 ms, ... 20 s. What the server
/// asks for is the least; a server that asks for nothing ("0") is believed once.
pub(super) fn wait(attempt: u32, asked: Option<Duration>, share: f64) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    let backoff = BASE.saturating_mul(1 << doublings).min(CAP).mul_f64(share.clamp(0.0, 1.0));
    match asked {
        Some(asked) if attempt <= 1 => asked,
        Some(asked) => asked.max(backoff),
        None => backoff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_to_its_cap() {
        #[track_caller]
        fn check(attempt: u32, asked: Option<u64>, share: f64, expected: u64) {
            let wait = wait(attempt, asked.map(Duration::from_millis), share);
            assert_eq!(wait, Duration::from_millis(expected));
        }
        check(1, None, 1.0, 250);
        check(1, None, 0.5, 125);
        check(1, None, 0.0, 0);
        check(2, None, 1.0, 500);
        check(5, None, 1.0, 4_000);
        check(7, None, 1.0, 16_000);
        check(8, None, 1.0, 20_000);
        check(u32::MAX, None, 1.0, 20_000);
        check(0, None, 1.0, 250);
        check(1, None, 7.0, 250);
        // What the server asks for.
        check(1, Some(0), 1.0, 0);
        check(2, Some(0), 1.0, 500);
        check(1, Some(90_000), 0.3, 90_000);
        check(2, Some(90_000), 0.3, 90_000);
    }

    #[test]
    fn statuses_worth_retrying() {
        let worth: Vec<u16> = (100..600).filter(|&status| is_worth_retrying(status)).collect();
        assert_eq!(worth, [408, 409, 425, 429, 500, 502, 503, 504, 529]);
    }
}
