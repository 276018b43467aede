//! Lengths of time as people write them: `300ms`, `30s`, `10m`, `6h`, `2d`, `1w`.
//!
//! Knows no calendar: a day is 24 hours, a week is seven days, and there are no months.

use std::time::Duration;

use super::kind::shown;

/// What a length of time looks like; for error messages and help texts.
pub const DURATION_FORM: &str = "a duration such as 300ms, 30s, 10m, 6h, 2d or 1w";

/// The text is no length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {DURATION_FORM}, found {found:?}")]
pub struct DurationError {
    found: String,
}

/// Units and their milliseconds, largest first.
const UNITS: &[(&str, u64)] = &[
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// Reads a whole number followed by its unit.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    read(text).ok_or_else(|| DurationError { found: shown(text) })
}

/// Writes a duration with the largest unit that leaves no rest; parts of a millisecond are cut.
pub fn format_duration(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let fitting = UNITS.iter().find(|(_, size)| millis != 0 && millis % size == 0);
    let (unit, size) = fitting.unwrap_or(&("s", 1_000));
    format!("{}{unit}", millis / size)
}

fn read(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let (_, size) = UNITS.iter().find(|(name, _)| *name == unit.trim_start())?;
    Some(Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(*size)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        for (text, millis, back) in [
            ("300ms", 300, "300ms"),
            ("30s", 30_000, "30s"),
            ("10m", 600_000, "10m"),
            ("6h", 21_600_000, "6h"),
            (" 2 d ", 172_800_000, "2d"),
            ("1w", 604_800_000, "1w"),
            ("7d", 604_800_000, "1w"),
            ("90s", 90_000, "90s"),
            ("0s", 0, "0s"),
        ] {
            let read = parse_duration(text).unwrap();
            assert_eq!(read, Duration::from_millis(millis), "{text}");
            assert_eq!(format_duration(read), back);
        }
    }

    #[test]
    fn refuses() {
        for text in ["", "5", "h", "-1h", "1.5h", "1h30m", "6 hours", "99999999999999999999w"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        assert!(parse_duration("18446744073709551615w").is_err());
    }
}
