//! The hours in which nobody wants to be disturbed.

use jiff::{
    SignedDuration, Timestamp,
    civil::Time,
    tz::{Disambiguation, TimeZone},
};

/// Quiet hours of every day, in local time.
#[derive(Debug, Clone, PartialEq)]
pub struct Quiet {
    /// First moment, and the first that is not quiet any more. May lie across midnight.
    hours: Option<(Time, Time)>,
    zone: TimeZone,
}

/// Why a text names no quiet hours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuietError {
    /// The text, cut to 40 characters.
    #[error("`{0}` is no span of hours such as 22:00-07:00")]
    Form(String),
    /// Both times are the same.
    #[error("quiet hours that begin when they end would never end")]
    Whole,
}

impl Quiet {
    /// None at all.
    pub fn none() -> Self {
        Self { hours: None, zone: TimeZone::UTC }
    }

    /// Reads `22:00-07:00`, times of the zone. An empty text means none.
    ///
    /// # Errors
    /// When the text is anything else, or both times are the same.
    pub fn parse(text: &str, zone: TimeZone) -> Result<Self, QuietError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self { hours: None, zone });
        }
        let wrong = || QuietError::Form(text.chars().take(40).collect());
        let (from, to) = text.split_once(['-', '–']).ok_or_else(wrong)?;
        let (from, to) = (time(from).ok_or_else(wrong)?, time(to).ok_or_else(wrong)?);
        if from == to {
            return Err(QuietError::Whole);
        }
        Ok(Self { hours: Some((from, to)), zone })
    }

    /// When the quiet hours end in which a moment lies; `None` outside of them. Always later than
    /// the moment.
    pub fn until(&self, at: Timestamp) -> Option<Timestamp> {
        let (from, to) = self.hours?;
        let local = self.zone.to_datetime(at);
        let time = local.time();
        let across = from > to;
        let is_quiet = if across { time >= from || time < to } else { (from..to).contains(&time) };
        if !is_quiet {
            return None;
        }
        let day = local.date();
        let day = if time < to { Some(day) } else { day.tomorrow().ok() };
        // Where clocks are put back, a time comes twice: the first may be over already.
        let end =
            [Disambiguation::Compatible, Disambiguation::Later].into_iter().find_map(|which| {
                let local = day?.to_datetime(to);
                let end = self.zone.to_ambiguous_zoned(local).disambiguate(which).ok()?.timestamp();
                (end > at).then_some(end)
            });
        let in_an_hour = || at.checked_add(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MAX);
        Some(end.unwrap_or_else(in_an_hour))
    }
}

/// A time of day: `7:05`, `07:05`, and `24:00` for midnight.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.trim().split_once(':')?;
    let number = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        let plain = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse::<i8>().ok()).flatten()
    };
    let (hour, minute) = (number(hour, 1..=2)?, number(minute, 2..=2)?);
    if (hour, minute) == (24, 0) {
        return Some(Time::midnight());
    }
    Time::new(hour, minute, 0, 0).ok()
}
