//! Moments and revisions as people type them.

use crate::{Error, Result, config};
use elophanto_repo::{CommitId, Git, GitError};

/// A time as JSON has it; `None` beyond what a calendar knows.
pub fn time(seconds: i64) -> Option<String> {
    jiff::Timestamp::from_second(seconds).ok().map(|time| time.to_string())
}

/// The day of a time, for people.
pub fn day(seconds: i64) -> String {
    time(seconds).map_or_else(
        || "an unknown day".to_owned(),
        |time| time.split('T').next().unwrap_or_default().to_owned(),
    )
}

/// A date, a time, or a time span before now; in seconds since 1970.
///
/// # Errors
/// When the text is none of these.
pub fn moment(text: &str, now: i64) -> Result<i64> {
    if let Ok(span) = config::parse_duration(text) {
        return Ok(now.saturating_sub_unsigned(span.as_secs()));
    }
    if let Some(time) = in_words(text, now) {
        return Ok(time);
    }
    if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
        return Ok(timestamp.as_second());
    }
    text.parse::<jiff::civil::DateTime>()
        .or_else(|_| {
            text.parse::<jiff::civil::Date>()
                .map(|date| date.to_datetime(jiff::civil::Time::midnight()))
        })
        .and_then(|time| time.to_zoned(jiff::tz::TimeZone::system()))
        .map(|time| time.timestamp().as_second())
        .map_err(|_| {
            Error::new(format_args!("`{text}` is no date and no time span"))
                .hint("give 2026-05-01, 2026-05-01T12:00, a span such as 3d, or '2 weeks ago'")
        })
}

/// `3 weeks ago`, `yesterday`, `now`.
fn in_words(text: &str, now: i64) -> Option<i64> {
    const UNITS: [(&str, u64); 7] = [
        ("second", 1),
        ("minute", 60),
        ("hour", 3_600),
        ("day", 86_400),
        ("week", 7 * 86_400),
        ("month", 30 * 86_400),
        ("year", 365 * 86_400),
    ];
    let text = text.trim().to_lowercase();
    match text.as_str() {
        "now" => return Some(now),
        "yesterday" => return Some(now - 86_400),
        _ => {}
    }
    let rest = text.strip_suffix("ago")?.trim_end_matches([' ', '.', '-']);
    let (count, unit) = rest.split_once([' ', '.', '-'])?;
    let count: u64 = match count {
        "a" | "an" | "one" => 1,
        number => number.parse().ok()?,
    };
    let unit = unit.trim().trim_end_matches('s');
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(now.saturating_sub_unsigned(count.saturating_mul(*seconds)))
}

/// The commit that a revision names, or that was HEAD's newest at a date.
///
/// # Errors
/// When the text is neither, or there was no commit yet.
pub fn commit(git: &Git, text: &str, now: i64) -> Result<CommitId> {
    match git.resolve(text) {
        Ok(commit) => return Ok(commit),
        Err(GitError::UnknownRevision(_)) => {}
        Err(cause) => return Err(cause.into()),
    }
    let Ok(mut seconds) = moment(text, now) else {
        return Err(Error::new(format_args!("`{text}` names no commit and no date"))
            .hint("give a branch, a tag, a commit, HEAD~3, 2026-05-01 or '3 weeks ago'"));
    };
    // What was committed on a day was there on that day.
    if let Some(end) = end_of_day(text) {
        seconds = end;
    }
    git.commit_before(seconds)?.ok_or_else(|| {
        Error::new(format_args!("there is no commit as old as `{text}`"))
            .hint("`git log --reverse` shows the first one")
    })
}

/// The last second of a day that is named by its date alone.
fn end_of_day(text: &str) -> Option<i64> {
    const DATE: usize = "2026-05-01".len();
    let date: jiff::civil::Date = text.parse().ok().filter(|_| text.len() == DATE)?;
    let next = date.tomorrow().ok()?.to_zoned(jiff::tz::TimeZone::system()).ok()?;
    Some(next.timestamp().as_second() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read() {
        const NOW: i64 = 1_800_000_000;
        for (text, expected) in [
            ("3d", Some(NOW - 3 * 86_400)),
            ("3 weeks ago", Some(NOW - 21 * 86_400)),
            ("a month ago", Some(NOW - 30 * 86_400)),
            ("1 hour ago", Some(NOW - 3_600)),
            ("2.days.ago", Some(NOW - 2 * 86_400)),
            ("Yesterday", Some(NOW - 86_400)),
            ("now", Some(NOW)),
            ("1970-01-02T00:00:00Z", Some(86_400)),
            ("some time ago", None),
            ("3 parsecs ago", None),
            ("ago", None),
            ("", None),
        ] {
            assert_eq!(moment(text, NOW).ok(), expected, "{text}");
        }
    }
}
