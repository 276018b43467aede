//! What files are called, and how they are ordered. Pure.

use jiff::Timestamp;
use ulid::Ulid;

pub(super) const SUFFIX: &str = ".jsonl";

/// The end of the year 9999: a later name is none of ours.
const LAST_MS: u64 = 253_402_300_799_999;

/// How far ahead of the clock a file may be made by a clock that is a little off.
const AHEAD_MS: u64 = 24 * 60 * 60 * 1_000;

/// `<ulid>.jsonl`, in small letters.
pub(super) fn file_name(id: Ulid) -> String {
    format!("{}{SUFFIX}", id.to_string().to_lowercase())
}

/// The id in a file's name; `None` for a file that is not called as [`file_name`] says.
pub(super) fn file_id(name: &str) -> Option<Ulid> {
    let id = Ulid::from_string(name.strip_suffix(SUFFIX)?).ok()?;
    (file_name(id) == name && id.timestamp_ms() <= LAST_MS).then_some(id)
}

/// The file that comes last. If no name is left after it, only those count that a clock of today
/// can have made: one such file must not end all writing.
pub(super) fn newest(ids: &[Ulid], now: Timestamp) -> Option<Ulid> {
    let last = ids.iter().copied().max()?;
    if next(last).is_some() {
        return Some(last);
    }
    let today = millis(now).saturating_add(AHEAD_MS);
    ids.iter().copied().filter(|id| id.timestamp_ms() <= today).max()
}

/// The id of a new file. It comes after the newest one even if the clock has gone back since.
pub(super) fn after(newest: Option<Ulid>, now: Timestamp) -> Ulid {
    let fresh = new_id(now);
    match newest {
        Some(newest) if fresh <= newest => next(newest).unwrap_or(fresh),
        _ => fresh,
    }
}

/// A new id of this time. A clock before 1970 counts as 1970.
pub(super) fn new_id(now: Timestamp) -> Ulid {
    Ulid::from_parts(millis(now), Ulid::new().random())
}

fn next(id: Ulid) -> Option<Ulid> {
    let later = || Ulid::from_parts(id.timestamp_ms() + 1, 0);
    Some(id.increment().unwrap_or_else(later)).filter(|next| next.timestamp_ms() <= LAST_MS)
}

fn millis(now: Timestamp) -> u64 {
    u64::try_from(now.as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: u128 = (1 << Ulid::RAND_BITS) - 1;
    const END: Ulid = Ulid::from_parts(LAST_MS, RANDOM);

    fn now() -> Timestamp {
        "2026-11-21T22:00:00Z".parse().unwrap()
    }

    #[test]
    fn file_names() {
        let id = Ulid::from_parts(1, 2);
        assert_eq!(file_name(id), "00000000010000000000000002.jsonl");
        assert_eq!(file_id("00000000010000000000000002.jsonl"), Some(id));
        assert_eq!(file_id(&file_name(END)), Some(END));
        for name in ["", ".jsonl", "notes.jsonl", "00000000010000000000000002", ".x.jsonl"] {
            assert_eq!(file_id(name), None, "{name}");
        }
        assert_eq!(file_id(&file_name(Ulid::from_parts(LAST_MS + 1, 0))), None);
        assert_eq!(file_id(&file_name(Ulid::from_parts(1 << 40, 0)).to_uppercase()), None);
    }

    #[test]
    fn a_new_file_comes_last() {
        let old = Ulid::from_parts(5, 5);
        let early: Timestamp = "1960-01-01T00:00:00Z".parse().unwrap();
        assert!(after(None, now()).timestamp_ms() == millis(now()));
        assert!(after(Some(old), now()) > old);
        assert!(after(Some(old), early) > old);
        let full = Ulid::from_parts(millis(now()), RANDOM);
        assert_eq!(after(Some(full), now()), Ulid::from_parts(millis(now()) + 1, 0));
        assert_eq!(newest(&[END, old], now()), Some(old));
        assert_eq!(newest(&[END], now()), None);
        assert_eq!(newest(&[], now()), None);
        let ahead = Ulid::from_parts(LAST_MS - 1, 0);
        assert_eq!(newest(&[ahead, old], now()), Some(ahead));
    }
}
