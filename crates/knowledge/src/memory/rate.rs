//! How often something worked. Pure.

use std::{fmt, str::FromStr};

/// Successes of attempts, written `9/10`. One that was read has at least one attempt, and no more
/// successes than attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate {
    /// At most as many as there were attempts.
    pub successes: u32,
    /// At least one, of a rate that was read.
    pub attempts: u32,
}

impl Rate {
    /// The lower end of the 95 % Wilson score interval (Wilson 1927), from 0 to 1: what the rate is
    /// worth, so that 9 of 10 count for more than 1 of 1.
    pub fn wilson_lower_bound(self) -> f64 {
        /// Quantile of the normal distribution for 95 % on both sides.
        const Z: f64 = 1.96;
        if self.attempts == 0 {
            return 0.0;
        }
        let attempts = f64::from(self.attempts);
        let share = f64::from(self.successes.min(self.attempts)) / attempts;
        let square = Z * Z / attempts;
        let spread = Z * (share * (1.0 - share) / attempts + square / (4.0 * attempts)).sqrt();
        ((share + square / 2.0 - spread) / (1.0 + square)).max(0.0)
    }

    /// Whether it failed more often than it worked, and how it is told then.
    pub fn warning(self) -> Option<String> {
        let failed = self.attempts.saturating_sub(self.successes);
        let times =
            |count: u32| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        (failed > self.successes).then(|| match self.successes {
            0 => format!("failed {}", times(failed)),
            worked => format!("failed {}, worked {}", times(failed), times(worked)),
        })
    }

    /// Both together. What is beyond 32 bits is not counted.
    pub fn plus(self, other: Self) -> Self {
        Self {
            successes: self.successes.saturating_add(other.successes),
            attempts: self.attempts.saturating_add(other.attempts),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.successes, self.attempts)
    }
}

/// The text is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not successes/attempts, like `9/10`")]
pub struct NotARate;

impl FromStr for Rate {
    type Err = NotARate;

    fn from_str(text: &str) -> Result<Self, NotARate> {
        let (successes, attempts) = text.split_once('/').ok_or(NotARate)?;
        let rate = Self { successes: number(successes)?, attempts: number(attempts)? };
        let is_one = rate.attempts > 0 && rate.successes <= rate.attempts;
        is_one.then_some(rate).ok_or(NotARate)
    }
}

/// Digits alone: a number's own reader would take a sign.
fn number(text: &str) -> Result<u32, NotARate> {
    let digits = text.trim();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten().ok_or(NotARate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = text.parse::<Rate>().ok().map(|rate| rate.to_string());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn rates() {
        check("9/10", Some("9/10"));
        check(" 9 / 10 ", Some("9/10"));
        check("0/1", Some("0/1"));
        check("007/010", Some("7/10"));
        check("4294967295/4294967295", Some("4294967295/4294967295"));
        for text in ["", "/", "9", "9/", "/9", "9/0", "0/0", "11/10", "+1/2", "-1/2", "1/2/3"] {
            check(text, None);
        }
        for text in ["90%", "0.9", "often", "1 1/2", "١/٢", "4294967296/4294967296", "9/10 runs"]
        {
            check(text, None);
        }
    }

    #[test]
    fn what_a_rate_is_worth() {
        for (successes, attempts, expected) in
            [(9, 10, 0.596), (1, 1, 0.207), (0, 10, 0.0), (0, 0, 0.0), (100, 100, 0.963)]
        {
            let found = Rate { successes, attempts }.wilson_lower_bound();
            assert!((found - expected).abs() < 0.001, "{successes}/{attempts}: {found}");
        }
    }

    #[test]
    fn what_failed_is_a_warning() {
        for (rate, expected) in [
            ("0/1", Some("failed once")),
            ("0/10", Some("failed 10 times")),
            ("3/10", Some("failed 7 times, worked 3 times")),
            ("1/3", Some("failed 2 times, worked once")),
            ("5/10", None),
            ("1/1", None),
        ] {
            let rate: Rate = rate.parse().unwrap();
            assert_eq!(rate.warning().as_deref(), expected, "{rate}");
        }
    }

    proptest! {
        #[test]
        fn sums_and_bounds_hold(one in (0_u32.., 1_u32..), other in (0_u32.., 1_u32..)) {
            let rate = |(successes, attempts): (u32, u32)| Rate {
                successes: successes.min(attempts),
                attempts,
            };
            let sum = rate(one).plus(rate(other));
            prop_assert_eq!(sum, rate(other).plus(rate(one)));
            prop_assert_eq!(sum.to_string().parse(), Ok(sum));
            let worth = sum.wilson_lower_bound();
            let share = f64::from(sum.successes) / f64::from(sum.attempts);
            prop_assert!((0.0..=1.0).contains(&worth) && worth <= share + 1e-9);
        }

        #[test]
        fn reading_never_fails_badly(text: String) {
            if let Ok(rate) = text.parse::<Rate>() {
                prop_assert!(rate.successes <= rate.attempts && rate.attempts > 0);
            }
        }
    }
}
