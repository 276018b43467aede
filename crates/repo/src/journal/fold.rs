//! Which of several records with one id counts. Pure.
//!
//! Branches bring the same record twice, and different records under one id, in any order. So the
//! winner is the greatest by a total order of records: merging is commutative, associative and
//! idempotent by construction.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, btree_map::Entry},
};

use jiff::Timestamp;

use super::{Record, record::is_credible};

/// The record that counts of each kind and id. One that is not retired beats one that is; then the
/// later one counts, where times that cannot be true (see below) are earlier than all others; then
/// the greater text. A time cannot be true before 1990 and more than a day after `now`.
///
/// The result is the same for any order, any grouping and any repetition of the records, as long
/// as `now` is.
pub fn fold(
    records: impl IntoIterator<Item = Record>,
    now: Timestamp,
) -> BTreeMap<(String, String), Record> {
    let key = |record: &Record| (record.kind.clone(), record.id.clone());
    greatest(records, key, |one, other| order(one, other, now))
}

/// The greatest record of each key.
pub fn greatest<K: Ord, R>(
    records: impl IntoIterator<Item = R>,
    key: impl Fn(&R) -> K,
    order: impl Fn(&R, &R) -> Ordering,
) -> BTreeMap<K, R> {
    let mut winners = BTreeMap::new();
    for record in records {
        match winners.entry(key(&record)) {
            Entry::Vacant(free) => {
                free.insert(record);
            }
            Entry::Occupied(mut taken) => {
                if order(&record, taken.get()).is_gt() {
                    taken.insert(record);
                }
            }
        }
    }
    winners
}

/// Equal only for the same text.
fn order(one: &Record, other: &Record, now: Timestamp) -> Ordering {
    let rank = |record: &Record| (!record.retired, is_credible(record.at, now), record.at);
    rank(one).cmp(&rank(other)).then_with(|| one.body.get().cmp(other.body.get()))
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};
    use serde_json::json;

    use super::*;

    const NOW: &str = "2026-11-21T22:00:00Z";

    fn now() -> Timestamp {
        NOW.parse().unwrap()
    }

    fn record(text: &str) -> Record {
        serde_json::from_str(text).unwrap()
    }

    /// `[id, at, word]`, retired if the word begins with `!`.
    fn brief([id, at, word]: [&str; 3]) -> Record {
        let retired = word.starts_with('!');
        let object = json!({ "kind": "k", "id": id, "at": at, "retired": retired, "word": word });
        record(&object.to_string())
    }

    fn bodies(winners: BTreeMap<(String, String), Record>) -> Vec<String> {
        winners.into_values().map(|record| record.body.get().to_owned()).collect()
    }

    /// The first record wins, whichever comes first.
    fn check(winner: [&str; 2], loser: [&str; 2]) {
        let [winner, loser] = [winner, loser].map(|[at, word]| brief(["1", at, word]));
        for records in [[&winner, &loser], [&loser, &winner]] {
            let found = fold(records.into_iter().cloned(), now());
            assert_eq!(bodies(found), [winner.body.get()], "{records:?}");
        }
    }

    #[test]
    fn one_record_counts() {
        let (old, new) = ("2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z");
        check([new, "a"], [old, "b"]);
        check([old, "a"], [new, "!b"]);
        check([new, "!a"], [old, "!b"]);
        check([old, "b"], [old, "a"]);
        check([old, "a"], ["9999-12-31T23:59:59Z", "b"]);
        check([old, "a"], ["2026-11-22T22:00:00.001Z", "b"]);
        check(["2026-11-22T22:00:00Z", "a"], [new, "b"]);
        check([old, "a"], ["-000001-01-01T00:00:00Z", "b"]);
        check(["1990-01-01T00:00:00Z", "a"], ["9999-01-01T00:00:00Z", "b"]);
        check(["9999-01-01T00:00:00Z", "a"], ["1989-01-01T00:00:00Z", "b"]);
        check(["-000001-01-01T00:00:00Z", "a"], [new, "!b"]);
    }

    #[test]
    fn kinds_and_ids_do_not_mix() {
        let one = record(&format!(r#"{{"kind":"k","id":"1","at":"{NOW}"}}"#));
        let kind = record(&format!(r#"{{"kind":"l","id":"1","at":"{NOW}"}}"#));
        let id = record(&format!(r#"{{"kind":"k","id":"2","at":"{NOW}"}}"#));
        let found = fold([one, kind, id], now());
        let keys: Vec<_> = found.keys().map(|(kind, id)| format!("{kind}{id}")).collect();
        assert_eq!(keys, ["k1", "k2", "l1"]);
    }

    fn records() -> impl Strategy<Value = Vec<Record>> {
        let at = prop::sample::select(vec![
            "2026-11-20T00:00:00Z",
            "2026-11-20T01:00:00+01:00",
            "2026-11-21T23:00:00Z",
            "2026-12-24T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "+012345-01-01T00:00:00Z",
            "-000001-01-01T00:00:00Z",
            "-1-01-01T00:00:00Z",
        ]);
        let id = prop::sample::select(vec!["1", "2", "3"]);
        let word = prop::sample::select(vec!["a", "b", "!a", "!b"]);
        // The same record as another program writes it: fields in another order, spaces.
        let one = (id, at, word, any::<bool>()).prop_map(|(id, at, word, again)| {
            let brief = brief([id, at, word]);
            if !again {
                return brief;
            }
            let value: serde_json::Value = brief.parse().unwrap();
            record(&serde_json::to_string_pretty(&value).unwrap().replace('\n', " "))
        });
        prop::collection::vec(one, 0..20)
    }

    proptest! {
        #[test]
        fn order_grouping_and_repetition_make_no_difference(
            records in records(),
            shuffle in prop::collection::vec(any::<Index>(), 20),
            cuts in prop::collection::vec(any::<Index>(), 3),
            repeats in prop::collection::vec(any::<Index>(), 0..5),
        ) {
            let expected = bodies(fold(records.clone(), now()));

            let mut mixed = records.clone();
            if !records.is_empty() {
                mixed.extend(repeats.iter().map(|index| index.get(&records).clone()));
                for (at, index) in shuffle.iter().enumerate() {
                    let (one, other) = (at % mixed.len(), index.index(mixed.len()));
                    mixed.swap(one, other);
                }
            }
            prop_assert_eq!(&bodies(fold(mixed.clone(), now())), &expected);

            // Any tree of merges: fold parts, then fold what they left, nested both ways.
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(mixed.len() + 1)).collect();
            cuts.sort_unstable();
            let part = |range: std::ops::Range<usize>| {
                fold(mixed[range].iter().cloned(), now()).into_values().collect::<Vec<_>>()
            };
            let (a, b) = (part(0..cuts[0]), part(cuts[0]..cuts[1]));
            let (c, d) = (part(cuts[1]..cuts[2]), part(cuts[2]..mixed.len()));
            let join = |parts: [&Vec<Record>; 2]| {
                fold(parts.into_iter().flatten().cloned(), now()).into_values().collect::<Vec<_>>()
            };
            let left = join([&join([&join([&a, &b]), &c]), &d]);
            let right = join([&a, &join([&b, &join([&d, &c])])]);
            prop_assert_eq!(&bodies(fold(left, now())), &expected);
            prop_assert_eq!(&bodies(fold(right, now())), &expected);
        }
    }
}
