//! Times as other programs write them. Pure.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

const MAX_BYTES: usize = 64;

/// A time with its offset, or one without, or a day, which are taken as UTC. A year that a
/// [`Timestamp`] cannot hold becomes the first or the last moment that it can: a clock that was
/// that wrong must not cost the record.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    let local = || Some(text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    text.parse().ok().or_else(local).or_else(|| beyond(text))
}

fn beyond(text: &str) -> Option<Timestamp> {
    let (is_early, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (year, rest) = rest.split_once('-')?;
    let is_year = !year.is_empty() && year.bytes().all(|byte| byte.is_ascii_digit());
    let is_rest = rest.len() >= 5
        && rest.bytes().all(|byte| byte.is_ascii_digit() || b"-:., TtZz+".contains(&byte));
    let is_late = year == "9999" || year.trim_start_matches('0').len() > 4;
    match (is_year && is_rest, is_early, is_late) {
        (true, true, _) => Some(Timestamp::MIN),
        (true, false, true) => Some(Timestamp::MAX),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), expected, "{text}");
    }

    #[test]
    fn times_of_any_form_and_year() {
        let (first, last) = (Timestamp::MIN.to_string(), Timestamp::MAX.to_string());
        check("2025-10-31T04:58:01Z", Some("2025-10-31T04:58:01Z"));
        check(" 2025-10-31T04:58:01.123+02:00 ", Some("2025-10-31T02:58:01.123Z"));
        check("2025-10-31T04:58:01.5", Some("2025-10-31T04:58:01.5Z"));
        check("2025-10-31 04:58", Some("2025-10-31T04:58:00Z"));
        check("2025-10-31", Some("2025-10-31T00:00:00Z"));
        check("9999-12-31T23:59:59Z", Some(&last));
        check("+012026-01-01T00:00:00Z", Some(&last));
        check("-000001-01-01T00:00:00Z", Some("-000001-01-01T00:00:00Z"));
        check("-0001-12-31T00:00:00Z", Some(&first));
        check("-1-12-31T00:00:00Z", Some(&first));
        for text in ["", "-", "9999", "-1", "é-1", "yesterday", "2025-13-45T00:00:00Z", "1730000"]
        {
            check(text, None);
        }
        check("9999-what", None);
        check(&format!("1{}-01-01T00:00:00Z", "0".repeat(64)), None);
    }
}
