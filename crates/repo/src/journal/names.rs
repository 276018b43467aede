//! What folders and files of the journal are called, and how files are ordered. Pure.

use jiff::Timestamp;
use ulid::Ulid;

const SUFFIX: &str = ".jsonl";

/// The end of the year 9999: a later name is none of ours.
const LAST_MS: u64 = 253_402_300_799_999;

/// How far ahead of the clock a file may be made by a clock that is a little off.
const AHEAD_MS: u64 = 24 * 60 * 60 * 1_000;

/// The folder of files made at this time, `<YYYY-MM>` in UTC. A clock before 1970 counts as 1970,
/// as in an id.
pub(super) fn month(now: Timestamp) -> String {
    now.max(Timestamp::UNIX_EPOCH).strftime("%Y-%m").to_string()
}

/// Whether a folder holds files of a month.
pub(super) fn is_month(name: &str) -> bool {
    let digits =
        |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('-').is_some_and(|(year, month)| {
        digits(year, 4) && digits(month, 2) && ("01"..="12").contains(&month)
    })
}

/// `<ulid>.jsonl`, in small letters.
pub(super) fn file_name(id: Ulid) -> String {
    format!("{}{SUFFIX}", id.to_string().to_lowercase())
}

/// The id in a file's name; `None` for a file that is not written the way [`file_name`] does.
pub(super) fn file_id(name: &str) -> Option<Ulid> {
    let id = Ulid::from_string(name.strip_suffix(SUFFIX)?).ok()?;
    (file_name(id) == name && id.timestamp_ms() <= LAST_MS).then_some(id)
}

/// Whether somebody may take a file of this name, which has no id, for one of records.
pub(super) fn is_misnamed(name: &str) -> bool {
    name.ends_with(SUFFIX) && !name.starts_with('.') && file_id(name).is_none()
}

/// The file that comes last. One at the very end of time, with no name left after it, would keep
/// all others from being last for ever: then only those that a clock of today can have made count.
pub(super) fn newest(ids: impl Iterator<Item = Ulid> + Clone, now: Timestamp) -> Option<Ulid> {
    let last = ids.clone().max()?;
    if next(last).is_some() {
        return Some(last);
    }
    let today = millis(now).saturating_add(AHEAD_MS);
    ids.filter(|id| id.timestamp_ms() <= today).max()
}

/// An id for a new file. It sorts after the newest one, even if the clock has gone back since that
/// a fresh one comes from.
pub(super) fn after(newest: Option<Ulid>, fresh: Ulid) -> Ulid {
    match newest {
        Some(newest) if fresh <= newest => next(newest).unwrap_or(fresh),
        _ => fresh,
    }
}

/// A new id of this time. A clock before 1970 counts as 1970.
pub fn new_id(now: Timestamp) -> Ulid {
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
    use proptest::prelude::*;

    use super::*;

    const RANDOM: u128 = (1 << Ulid::RAND_BITS) - 1;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn months() {
        for (now, expected) in [
            ("2026-11-21T22:00:00Z", "2026-11"),
            ("2026-12-31T23:59:59.999Z", "2026-12"),
            ("2027-01-01T00:30:00+01:00", "2026-12"),
            ("1970-01-01T00:00:00Z", "1970-01"),
            ("1969-12-31T23:59:59Z", "1970-01"),
            ("-000001-06-01T00:00:00Z", "1970-01"),
            ("9999-12-30T22:00:00Z", "9999-12"),
        ] {
            assert_eq!(month(at(now)), expected, "{now}");
            assert!(is_month(expected));
        }
        for name in ["", "2026", "2026-", "2026-00", "2026-13", "2026-1", "02026-11", "2026-11-21"]
        {
            assert!(!is_month(name), "{name}");
        }
        for name in ["20é-11", "-026-11", "2026-1\u{661}", "../2026-11", "2026_11", "2026-1a"] {
            assert!(!is_month(name), "{name}");
        }
    }

    #[test]
    fn file_names() {
        let id = Ulid::from_parts(1, 2);
        assert_eq!(file_name(id), "00000000010000000000000002.jsonl");
        assert_eq!(file_id("00000000010000000000000002.jsonl"), Some(id));
        let last = file_name(Ulid::from_parts(LAST_MS, RANDOM));
        assert_eq!(file_id(&last), Some(Ulid::from_parts(LAST_MS, RANDOM)));
        for name in [
            "",
            ".jsonl",
            "notes.jsonl",
            "00000000010000000000000002",
            "00000000010000000000000002.json",
            "00000000010000000000000002.jsonl~",
            ".00000000010000000000000002.jsonl",
            "0000000001000000000000000.jsonl",
            "000000000100000000000000002.jsonl",
            "0000000001000000000000000O.jsonl",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl",
            "8zzzzzzzzzzzzzzzzzzzzzzzzz.jsonl",
            "7zzzzzzzzzzzzzzzzzzzzzzzzz.jsonl",
        ] {
            assert_eq!(file_id(name), None, "{name}");
        }
        assert_eq!(file_id(&file_name(Ulid::from_parts(LAST_MS + 1, 0))), None);
    }

    /// Ids as (time, random).
    fn check(newest: Option<(u64, u128)>, now: i64, expected: (u64, u128)) {
        let newest = newest.map(|(time, random)| Ulid::from_parts(time, random));
        let now = Timestamp::from_millisecond(now).unwrap();
        let (time, random) = expected;
        let fresh = Ulid::from_parts(millis(now), 7);
        assert_eq!(after(newest, fresh), Ulid::from_parts(time, random));
    }

    #[test]
    fn a_new_id_sorts_after_the_newest() {
        check(None, 1_000, (1_000, 7));
        check(None, -1, (0, 7));
        check(Some((999, RANDOM)), 1_000, (1_000, 7));
        check(Some((1_000, 6)), 1_000, (1_000, 7));
        check(Some((1_000, 7)), 1_000, (1_000, 8));
        check(Some((1_000, 9)), 1_000, (1_000, 10));
        check(Some((5_000, 9)), 1_000, (5_000, 10));
        check(Some((5_000, RANDOM)), 1_000, (5_001, 0));
        check(Some((5_000, 9)), -5_000, (5_000, 10));
        check(Some((LAST_MS, RANDOM - 1)), 1_000, (LAST_MS, RANDOM));
        check(Some((LAST_MS, RANDOM)), 1_000, (1_000, 7));
    }

    #[test]
    fn the_end_of_time_keeps_nothing_from_being_last() {
        let now = Timestamp::from_millisecond(1_000).unwrap();
        let (today, ahead) = (Ulid::from_parts(1_000, 1), Ulid::from_parts(1_000 + AHEAD_MS, 1));
        let future = Ulid::from_parts(LAST_MS, 1);
        let end = Ulid::from_parts(LAST_MS, RANDOM);
        let newest = |ids: &[Ulid]| newest(ids.iter().copied(), now);
        assert_eq!(newest(&[]), None);
        assert_eq!(newest(&[future, today]), Some(future));
        assert_eq!(newest(&[today, future, ahead, end]), Some(ahead));
        assert_eq!(newest(&[future, end]), None);
    }

    proptest! {
        #[test]
        fn names_are_read_back_and_sort_like_their_ids(
            ids in prop::collection::vec((0..=LAST_MS, any::<u128>()), 2),
        ) {
            let ids: Vec<_> =
                ids.iter().map(|&(time, random)| Ulid::from_parts(time, random)).collect();
            let names: Vec<_> = ids.iter().map(|&id| file_name(id)).collect();
            prop_assert_eq!(names.iter().map(|name| file_id(name)).collect::<Option<Vec<_>>>(), Some(ids.clone()));
            prop_assert_eq!(names[0].cmp(&names[1]), ids[0].cmp(&ids[1]));
        }

        #[test]
        fn ids_only_grow(clock in prop::collection::vec((-9_i64..9, 0..=RANDOM), 1..40)) {
            let mut made: Vec<Ulid> = Vec::new();
            for (now, random) in clock {
                let now = Timestamp::from_millisecond(now).unwrap();
                let fresh = Ulid::from_parts(millis(now), random);
                made.push(after(newest(made.iter().copied(), now), fresh));
            }
            prop_assert!(made.is_sorted_by(|one, other| one < other));
        }
    }
}
