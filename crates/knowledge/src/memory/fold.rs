//! Which records count. Pure.
//!
//! Branches bring the same record twice, different records under one id, corrections of corrections
//! and two corrections of one record, in any order. The result is the same for any order and any
//! repetition.

use std::collections::{BTreeMap, BTreeSet};

use super::{Entry, Memory, record};
use elophanto_repo::journal::greatest;

/// What is left of many records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folded {
    /// What counts, by time and id.
    pub memories: Vec<Memory>,
    /// Ids that were taken back, whether or not such a record was there.
    pub retired: BTreeSet<String>,
    /// Ids that were corrected, each with its newest correction: one that was not taken back if
    /// there is such a one. Following it always ends.
    pub replaced: BTreeMap<String, String>,
}

/// Of records with one id the later one counts, then the one with the greater line. An id that is
/// taken back hides that record and all that correct it, directly or not. A record that is corrected
/// is hidden, and stays so if its correction is taken back. Of records that correct each other in a
/// circle the newest is left.
pub fn fold(entries: impl IntoIterator<Item = Entry>) -> Folded {
    let mut retired = BTreeSet::new();
    let memories = entries.into_iter().filter_map(|entry| match entry {
        Entry::Memory(memory) => Some(memory),
        Entry::Retired(record) => {
            retired.insert(record.retired);
            None
        }
    });
    let line = |memory: &Memory| record::json(memory).unwrap_or_default();
    let winners = greatest(
        memories,
        |memory| memory.id.clone(),
        |one, other| one.timestamp.cmp(&other.timestamp).then_with(|| line(one).cmp(&line(other))),
    );
    let hidden = hidden(&winners, &retired);
    let replaced = replaced(&winners, &hidden);
    let counts = |id: &str| !hidden.contains(id) && !replaced.contains_key(id);
    let mut memories: Vec<_> =
        winners.values().filter(|memory| counts(&memory.id)).cloned().collect();
    memories.sort_by(|one, other| (one.timestamp, &one.id).cmp(&(other.timestamp, &other.id)));
    let replaced =
        replaced.into_iter().map(|(old, new)| (old.to_owned(), new.to_owned())).collect();
    Folded { memories, retired, replaced }
}

/// Ids of the records that were taken back, or correct one that was.
fn hidden<'a>(
    winners: &'a BTreeMap<String, Memory>,
    retired: &BTreeSet<String>,
) -> BTreeSet<&'a str> {
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    for start in winners.keys() {
        let (mut path, mut next, mut is_hidden) = (Vec::new(), Some(start), false);
        while let Some(id) = next {
            if let Some(known) = known.get(id.as_str()) {
                is_hidden = *known;
                break;
            }
            if retired.contains(id) {
                is_hidden = true;
            }
            let Some((id, memory)) = winners.get_key_value(id) else { break };
            path.push(id.as_str());
            if is_hidden {
                break;
            }
            // In a circle this is met again: nothing in it was taken back.
            known.insert(id, false);
            next = memory.replaces.as_ref();
        }
        known.extend(path.into_iter().map(|id| (id, is_hidden)));
    }
    known.into_iter().filter(|(_, is_hidden)| *is_hidden).map(|(id, _)| id).collect()
}

/// What was corrected, and by what.
fn replaced<'a>(
    winners: &'a BTreeMap<String, Memory>,
    hidden: &BTreeSet<&str>,
) -> BTreeMap<&'a str, &'a str> {
    let mut newest: BTreeMap<&str, &Memory> = BTreeMap::new();
    let rank = |memory: &Memory| (!hidden.contains(memory.id.as_str()), memory.timestamp);
    for memory in winners.values() {
        let Some(old) = memory.replaces.as_deref().filter(|old| *old != memory.id) else {
            continue;
        };
        let best = newest.entry(old).or_insert(memory);
        // Ids come in their order: among equals the last one stays.
        if rank(memory) >= rank(best) {
            *best = memory;
        }
    }
    for id in newest_of_circles(&newest) {
        newest.remove(id);
    }
    newest.into_iter().map(|(old, memory)| (old, memory.id.as_str())).collect()
}

/// One id of every circle: that of its newest record.
fn newest_of_circles<'a>(newest: &BTreeMap<&'a str, &'a Memory>) -> Vec<&'a str> {
    // The round in which an id was first met.
    let (mut met, mut found): (BTreeMap<&str, usize>, Vec<&str>) = (BTreeMap::new(), Vec::new());
    for (round, start) in newest.keys().enumerate() {
        let mut id: &str = start;
        while !met.contains_key(id) {
            met.insert(id, round);
            let Some(next) = newest.get(id) else { break };
            id = &next.id;
        }
        // An end was met in this round as well, but leads nowhere.
        if met.get(id) == Some(&round)
            && let Some(first) = newest.get(id)
        {
            let (mut last, mut current) = (*first, *first);
            while let Some(next) =
                newest.get(current.id.as_str()).filter(|next| next.id != first.id)
            {
                current = next;
                if (current.timestamp, &current.id) > (last.timestamp, &last.id) {
                    last = current;
                }
            }
            found.push(last.id.as_str());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::{EventType, Retired};

    /// `id@time`, `id@time>replaced` or `-forgotten`.
    fn entry(text: &str) -> Entry {
        let (agent_id, repo) = (String::new(), String::new());
        if let Some(retired) = text.strip_prefix('-') {
            let (id, retired) = (format!("r{retired}"), retired.to_owned());
            let timestamp = jiff::Timestamp::UNIX_EPOCH;
            return Entry::Retired(Retired { id, timestamp, agent_id, repo, retired });
        }
        let (text, lesson) = text.split_once('=').unwrap_or((text, "l"));
        let (head, replaces) = text.split_once('>').map_or((text, None), |(a, b)| (a, Some(b)));
        let (id, time) = head.split_once('@').unwrap();
        Entry::Memory(Memory {
            id: id.to_owned(),
            timestamp: jiff::Timestamp::from_second(time.parse().unwrap()).unwrap(),
            agent_id,
            repo,
            event_type: EventType::Error,
            context: String::new(),
            command: String::new(),
            lesson: lesson.to_owned(),
            success_rate: None,
            tags: vec![],
            replaces: replaces.map(str::to_owned),
        })
    }

    /// `expected`: the ids that count, then each id that was replaced and by what.
    #[track_caller]
    fn check(entries: &str, expected: &str) {
        let mut entries: Vec<_> = entries.split_whitespace().map(entry).collect();
        let told = |folded: Folded| {
            let ids = folded.memories.into_iter().map(|memory| memory.id);
            let replaced = folded.replaced.into_iter().map(|(old, new)| format!("{old}<{new}"));
            ids.chain(replaced).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told(fold(entries.clone())), expected);
        entries.reverse();
        assert_eq!(told(fold(entries)), expected);
    }

    #[test]
    fn what_counts() {
        check("", "");
        check("b@2 a@2 c@1", "c a b");
        check("a@1 a@1", "a");
        check("a@1 b@2>a", "b a<b");
        check("a@1 b@2>a c@3>b", "c a<b b<c");
        check("a@1 b@2>a c@3>a", "b c a<c");
        check("a@1 b@2>a c@2>a", "b c a<c");
        check("b@2>gone", "b gone<b");
        // A clock that was behind makes no difference.
        check("a@9 b@2>a", "b a<b");
        check("a@1>a", "a");
    }

    #[test]
    fn what_is_taken_back() {
        check("a@1 b@2 -a", "b");
        check("-a", "");
        check("a@1 b@2>a -a", "a<b");
        check("a@1 b@2>a c@3>b d@4 -a", "d a<b b<c");
        check("b@2>gone -gone", "gone<b");
        // What was wrong does not come back because its correction was.
        check("a@1 b@2>a -b", "a<b");
        // Another correction of it stays.
        check("a@1 b@2>a c@3>a -c", "b a<b");
        let folded = fold(["a@1", "-a", "-x"].map(entry));
        assert_eq!(folded.retired, BTreeSet::from(["a".to_owned(), "x".to_owned()]));
    }

    #[test]
    fn circles() {
        check("a@1>b b@2>a", "b a<b");
        check("a@2>b b@2>a", "b a<b");
        check("a@3>c b@1>a c@2>b", "a b<c c<a");
        check("a@1>b b@2>a c@3>a", "c a<c b<a");
        check("a@1>b b@2>a -a", "b<a".replace("b<a", "a<b").as_str());
    }

    #[test]
    fn the_later_of_one_id_counts() {
        let lesson = |entries: [&str; 2]| fold(entries.map(entry)).memories.remove(0).lesson;
        for [winner, loser] in [["a@2=x", "a@1=y"], ["a@1=y", "a@1=x"]] {
            let expected = winner.split_once('=').unwrap().1;
            assert_eq!(lesson([winner, loser]), expected);
            assert_eq!(lesson([loser, winner]), expected);
        }
    }

    #[test]
    fn long_chains_take_no_stack() {
        let link = |number: usize| entry(&format!("{number}@{number}>{}", number + 1));
        let folded = fold((0..50_000).map(link).chain([entry("-50000")]));
        assert_eq!((folded.memories.len(), folded.replaced.len()), (0, 50_000));
        let folded = fold((0..50_000).map(link).chain([entry("50000@0>0")]));
        assert_eq!((folded.memories.len(), folded.replaced.len()), (1, 50_000));
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let memory = (0..6_u8, 0..4_u8, prop::option::of(0..6_u8), 0..2_u8);
        let memory = memory.prop_map(|(id, time, replaces, lesson)| {
            let replaces = replaces.map(|id| format!(">{id}")).unwrap_or_default();
            entry(&format!("{id}@{time}{replaces}={lesson}"))
        });
        prop_oneof![6 => memory, 1 => (0..7_u8).prop_map(|id| entry(&format!("-{id}")))]
    }

    proptest! {
        #[test]
        fn order_and_repetition_never_matter(
            entries in prop::collection::vec(any_entry(), 0..12),
            shuffled in any::<prop::sample::Index>(),
            again in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let expected = fold(entries.clone());
            let mut other = entries.clone();
            if !entries.is_empty() {
                other.extend(again.iter().map(|index| index.get(&entries).clone()));
                other.rotate_left(shuffled.index(entries.len()));
                let middle = other.len() / 2;
                other[middle..].reverse();
            }
            prop_assert_eq!(&fold(other), &expected);
            let (mut pairs, len) = (entries.clone(), entries.len());
            for index in &again {
                if len > 0 {
                    pairs.swap(0, index.index(len));
                }
            }
            prop_assert_eq!(&fold(pairs), &expected);
            // Only what was replaced or taken back is missing, and following a replacement ends.
            for entry in &entries {
                let Entry::Memory(memory) = entry else { continue };
                let mut id = &memory.id;
                let mut steps = 0;
                while let Some(next) = expected.replaced.get(id) {
                    (id, steps) = (next, steps + 1);
                    prop_assert!(steps <= entries.len());
                }
                let counts = expected.memories.iter().any(|memory| memory.id == *id);
                prop_assert!(counts || !expected.retired.is_empty());
            }
        }
    }
}
