//! How long a server asks to wait, read from its headers. Pure: the clock is an argument.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};
use reqwest::header::HeaderMap;

/// Longer waits are as good as for ever.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// Limits with a time at which they are full again: what is left of them, and when.
const LIMITS: &[(&str, &str)] = &[
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
];

/// How long to wait before asking again. `Retry-After` counts with every status; the resets of
/// limits only with 429, because they come with every answer.
pub(super) fn asked_wait(headers: &HeaderMap, status: u16, now: Timestamp) -> Option<Duration> {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let exact = value("retry-after-ms").and_then(milliseconds);
    let wait = exact
        .or_else(|| value("retry-after").and_then(|value| seconds_or_date(value, now)))
        .or_else(|| (status == 429).then(|| until_reset(value, now)).flatten());
    wait.map(|wait| wait.min(LONGEST))
}

/// A limit that is used up must be full again; if none admits to being used up, the one that is
/// full first decides.
fn until_reset<'a>(value: impl Fn(&str) -> Option<&'a str>, now: Timestamp) -> Option<Duration> {
    let mut used_up = None;
    let mut first = None;
    for (remaining, reset) in LIMITS {
        let Some(wait) = value(reset).and_then(|reset| reset_wait(reset, now)) else { continue };
        if value(remaining).and_then(|left| left.trim().parse().ok()) == Some(0.0) {
            used_up = used_up.max(Some(wait));
        }
        first = Some(first.map_or(wait, |first: Duration| first.min(wait)));
    }
    used_up.or(first)
}

fn milliseconds(value: &str) -> Option<Duration> {
    seconds(value).map(|duration| duration / 1000)
}

fn seconds(value: &str) -> Option<Duration> {
    let value: f64 = value.trim().parse().ok()?;
    Duration::try_from_secs_f64(value.max(0.0)).ok()
}

fn seconds_or_date(value: &str, now: Timestamp) -> Option<Duration> {
    seconds(value).or_else(|| Some(until(rfc2822::parse(value.trim()).ok()?.timestamp(), now)))
}

/// `1s`, `6m0s`, `120ms`; a time as RFC 3339; seconds, or seconds or milliseconds since 1970.
fn reset_wait(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(number) = value.parse::<f64>() {
        return match number {
            1e12.. => until(Timestamp::from_millisecond(number as i64).ok()?, now).into(),
            1e9.. => until(Timestamp::from_second(number as i64).ok()?, now).into(),
            _ => seconds(value),
        };
    }
    units(value).or_else(|| Some(until(value.parse().ok()?, now)))
}

/// A sum of numbers with units: `1h2m3.5s`.
fn units(value: &str) -> Option<Duration> {
    let mut rest = value;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let number: f64 = rest.get(..end)?.parse().ok()?;
        rest = rest.get(end..)?;
        let end = rest.find(|character: char| !character.is_alphabetic()).unwrap_or(rest.len());
        let (unit, after) = rest.split_at_checked(end)?;
        rest = after;
        sum += number
            * match unit {
                "ns" => 1e-9,
                "us" | "µs" => 1e-6,
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return None,
            };
    }
    if value.is_empty() { None } else { Duration::try_from_secs_f64(sum).ok() }
}

fn until(time: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(time.duration_since(now)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    /// Status and headers, one per line, against milliseconds.
    #[track_caller]
    fn check(status: u16, headers: &[(&'static str, &str)], expected: Option<u64>) {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect();
        let found = asked_wait(&headers, status, now).map(|wait| wait.as_millis());
        assert_eq!(found, expected.map(u128::from), "{headers:?}");
    }

    #[test]
    fn retry_after() {
        check(429, &[], None);
        check(503, &[("retry-after", "0")], Some(0));
        check(503, &[("retry-after", "7")], Some(7_000));
        check(503, &[("retry-after", " 1.5 ")], Some(1_500));
        check(503, &[("retry-after", "-3")], Some(0));
        check(503, &[("retry-after", "soon")], None);
        check(503, &[("retry-after", "NaN")], Some(0));
        check(503, &[("retry-after", "inf")], None);
        check(503, &[("retry-after", "1e300")], None);
        check(503, &[("retry-after", "99999999999")], Some(2_592_000_000));
        check(503, &[("retry-after", "Sun, 01 Mar 2026 12:00:09 GMT")], Some(9_000));
        check(503, &[("retry-after", "Sun, 01 Mar 2026 11:00:00 GMT")], Some(0));
        check(503, &[("retry-after-ms", "20"), ("retry-after", "7")], Some(20));
        check(503, &[("retry-after-ms", "x"), ("retry-after", "7")], Some(7_000));
        // It outranks the resets.
        check(429, &[("retry-after", "2"), ("x-ratelimit-reset-tokens", "6m0s")], Some(2_000));
    }

    proptest! {
        #[test]
        fn anything_may_stand_there(
            value in r"[0-9.eE+\-]{0,25}|([0-9.]{0,20}(ms|s|m|h|d|µs|x)){0,4}|\PC{0,20}",
            which in 0_usize..LIMITS.len() + 2,
        ) {
            let names = LIMITS.iter().map(|(_, reset)| *reset);
            let name = names.chain(["retry-after", "retry-after-ms"]).nth(which).unwrap();
            let mut headers = HeaderMap::new();
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
            let wait = asked_wait(&headers, 429, Timestamp::UNIX_EPOCH);
            prop_assert!(wait.is_none_or(|wait| wait <= LONGEST));
        }
    }

    #[test]
    fn resets_of_limits() {
        check(429, &[("x-ratelimit-reset-requests", "1s")], Some(1_000));
        check(429, &[("x-ratelimit-reset-requests", "6m0s")], Some(360_000));
        check(429, &[("x-ratelimit-reset-tokens", "120ms")], Some(120));
        check(429, &[("x-ratelimit-reset-tokens", "1h2m3.5s")], Some(3_723_500));
        check(429, &[("x-ratelimit-reset-tokens", "")], None);
        check(429, &[("x-ratelimit-reset-tokens", "5x")], None);
        check(429, &[("x-ratelimit-reset-tokens", "s")], None);
        check(429, &[("x-ratelimit-reset-tokens", "m1")], None);
        check(429, &[("x-ratelimit-reset", "1772366410")], Some(10_000));
        check(429, &[("x-ratelimit-reset", "1772366410500")], Some(10_500));
        check(429, &[("x-ratelimit-reset", "12")], Some(12_000));
        let anthropic = "anthropic-ratelimit-tokens-reset";
        check(429, &[(anthropic, "2026-03-01T12:00:30Z")], Some(30_000));
        check(429, &[(anthropic, "2026-03-01T13:00:30+01:00")], Some(30_000));
        check(429, &[(anthropic, "2026-02-01T12:00:30Z")], Some(0));
        check(429, &[(anthropic, "9999-12-30T00:00:00Z")], Some(2_592_000_000));
        check(429, &[(anthropic, "later")], None);
        // They come with every answer and mean nothing there.
        check(500, &[(anthropic, "2026-03-01T12:00:30Z")], None);
        // The limit that is used up decides, else the one that is full first.
        let both = [("x-ratelimit-reset-requests", "1s"), ("x-ratelimit-reset-tokens", "6m0s")];
        check(429, &both, Some(1_000));
        let left = [("x-ratelimit-remaining-tokens", "0")];
        check(429, &[&both[..], &left].concat(), Some(360_000));
    }
}
