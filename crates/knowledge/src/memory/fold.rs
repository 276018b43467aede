//! Which records count. Pure.
//!
//! Branches bring the same record twice, different records under one id, corrections of corrections
//! and two corrections of one record, in any order. The result is the same for any order and any
//! repetition.

use std::{cmp::Ordering, collections::BTreeMap};

use rustc_hash::FxHashSet;

use super::{Entry, Memory, Retired, lessons::as_indexed, lineage::Lineage};
use elophanto_repo::journal::greatest;

/// What is left of many records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folded {
    /// What counts, by time and id: of each lesson one record.
    pub memories: Vec<Memory>,
    /// Ids that were taken back, whether or not such a record was there, and by whom first.
    pub retired: BTreeMap<String, Retired>,
    /// Ids that were corrected, each with what took its place. Following it always ends.
    pub replaced: BTreeMap<String, String>,
    /// Corrections without effect: of something that was forgotten where nobody knew of them.
    pub in_vain: BTreeMap<String, Memory>,
    /// Which records are one lesson.
    pub lineage: Lineage,
}

impl Folded {
    /// The lesson that stands for one that was joined with it, however often that was joined in turn.
    pub fn joined_into<'a>(&'a self, retired: &'a Retired) -> Option<&'a str> {
        let (mut seen, mut record) = (FxHashSet::default(), retired);
        while seen.insert(record.retired.as_str()) {
            let lesson = self.lineage.lesson(record.joined.as_deref()?);
            if lesson.counts.is_some() {
                return lesson.counts;
            }
            let joined = |id: &&str| self.retired.get(*id).filter(|it| it.joined.is_some());
            record = lesson.records.iter().find_map(joined)?;
        }
        None
    }

    /// By the id of a lesson that counts, where those were learnt that were joined with it: one
    /// repository for each.
    pub fn joined_from(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut from: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for record in self.retired.values().filter(|it| it.joined.is_some()) {
            let Some(into) = self.joined_into(record) else { continue };
            // Its records are one lesson.
            let first = self.lineage.lesson(&record.retired).records[0];
            from.entry(into).or_default().insert(first, &record.repo);
        }
        from.into_iter().map(|(into, repos)| (into, repos.into_values().collect())).collect()
    }
}

/// Which of two records with one id counts, the greater: the later, then the one with the greater
/// line, as the index keeps them. Whoever reads the files and whoever asks the index are told the same.
pub fn by_age(one: &Memory, other: &Memory) -> Ordering {
    let line = |memory: &Memory| serde_json::to_string(memory).unwrap_or_default();
    let by_line = || {
        let indexed = line(&as_indexed(one)).cmp(&line(&as_indexed(other)));
        indexed.then_with(|| line(one).cmp(&line(other)))
    };
    one.timestamp.cmp(&other.timestamp).then_with(by_line)
}

/// Of records with one id the one that [`by_age`] says counts; of the records of a lesson the one that
/// [`Lineage::lesson`] says.
pub fn fold(entries: impl IntoIterator<Item = Entry>) -> Folded {
    let mut lineage = Lineage::default();
    let mut taken_back = Vec::new();
    let memories = entries.into_iter().filter_map(|entry| match entry {
        Entry::Memory(memory) => Some(memory),
        Entry::Retired(record) => {
            taken_back.push(record);
            None
        }
    });
    let winners = greatest(memories, |memory| memory.id.clone(), by_age);
    for Retired { retired, joined, timestamp, .. } in &taken_back {
        match joined {
            Some(kept) => lineage.join(retired, kept, *timestamp),
            None => lineage.retire(retired),
        }
    }
    let key = |it: &Retired| (it.timestamp, it.id.clone(), it.agent_id.clone(), it.repo.clone());
    let retired =
        greatest(taken_back, |it| it.retired.clone(), |one, other| key(other).cmp(&key(one)));
    for memory in winners.values() {
        if let Some(older) = &memory.replaces {
            lineage.correct(older, &memory.id, memory.timestamp);
        }
    }
    lineage.settle();
    let retired = retired.into_iter().filter(|(id, _)| lineage.is_retired(id)).collect();
    let mut folded = Folded { retired, ..Folded::default() };
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for id in winners.keys() {
        if seen.contains(id.as_str()) {
            continue;
        }
        let lesson = lineage.lesson(id);
        let known = |id: &str| winners.get(id).cloned();
        folded.memories.extend(lesson.counts.and_then(known));
        let in_vain = lesson.in_vain.and_then(known);
        folded.in_vain.extend(in_vain.map(|memory| (memory.id.clone(), memory)));
        let replaced = lesson.replaced.iter();
        folded.replaced.extend(replaced.map(|(old, new)| ((*old).to_owned(), (*new).to_owned())));
        seen.extend(lesson.records);
    }
    folded
        .memories
        .sort_by(|one, other| (one.timestamp, &one.id).cmp(&(other.timestamp, &other.id)));
    Folded { lineage, ..folded }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::EventType;

    /// `id@time`, `id@time>replaced`, `-forgotten` or `-joined+with`.
    fn entry(text: &str) -> Entry {
        let (agent_id, repo) = (String::new(), String::new());
        if let Some(retired) = text.strip_prefix('-') {
            let (id, retired) = (format!("r{retired}"), retired.to_owned());
            let timestamp = jiff::Timestamp::UNIX_EPOCH;
            let (retired, joined) = match retired.split_once('+') {
                Some((retired, joined)) => (retired.to_owned(), Some(joined.to_owned())),
                None => (retired, None),
            };
            return Entry::Retired(Retired { id, timestamp, agent_id, repo, retired, joined });
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
        // Branches correct one record: it is one lesson still.
        check("a@1 b@2>a c@3>a", "c a<c b<c");
        check("a@1 b@2>a c@2>a", "c a<c b<c");
        check("a@1 b@4>a c@3>a", "b a<b c<b");
        check("b@2>gone c@3>gone", "c b<c gone<c");
        // The newest record decides, wherever it stands; what corrects what was chosen stays chosen.
        check("a@1 b@2>a d@5>b c@3>a e@4>c", "d a<b b<d c<e e<d");
        check("a@1 b@2>a c@3>a d@1>c", "d a<c b<d c<d");
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
        check("a@1 b@2>a d@4>b c@3>a -d", "c a<c b<d");
        let folded = fold(["a@1", "-a", "-x"].map(entry));
        assert_eq!(folded.retired.keys().collect::<Vec<_>>(), ["a", "x"]);
    }

    #[test]
    fn corrections_of_what_was_taken_back_are_told() {
        for (entries, expected) in [
            ("a@1 -a", ""),
            ("a@1 b@2>a -a", "b"),
            ("a@1 b@2>a -a -b", ""),
            ("a@1 b@2>a c@3>a d@4>b -a -b", "d"),
            ("a@1 b@2>a c@3>a -b", ""),
            ("b@2>gone -gone", "b"),
            ("a@1 b@2 c@3>a d@4>b -a -b", "c d"),
        ] {
            let folded = fold(entries.split_whitespace().map(entry));
            let found: Vec<&str> = folded.in_vain.keys().map(String::as_str).collect();
            assert_eq!(found.join(" "), expected, "{entries}");
        }
    }

    #[test]
    fn what_is_joined_is_one_lesson() {
        for (entries, expected) in [
            ("a@1 b@2 c@3>a -b+c", "b<c c:1"),
            // What stands for it was corrected since, or joined in turn.
            ("a@1 b@2 c@3>a d@4>c -b+c", "b<d d:1"),
            ("a@1 b@2 x@3 c@4>a d@5>x -b+c -c+d -a+d", "a<d b<d c<d d:2"),
            // A correction of it is the same lesson.
            ("a@1 b@2 e@3>b c@4>a -b+c -e+c", "b<c e<c c:1"),
            // Forgotten with all that it stood for.
            ("a@1 b@2 c@3>a -b+c -c", ""),
            ("a@1 b@2 -b+a -a+b", "a<b b:1"),
        ] {
            let folded = fold(entries.split_whitespace().map(entry));
            let into = folded
                .retired
                .iter()
                .filter_map(|(id, record)| Some(format!("{id}<{}", folded.joined_into(record)?)));
            let from = folded.joined_from();
            let from = from.iter().map(|(id, from)| format!("{id}:{}", from.len()));
            assert_eq!(into.chain(from).collect::<Vec<_>>().join(" "), expected, "{entries}");
        }
    }

    #[test]
    fn circles() {
        check("a@1>b b@2>a", "b a<b");
        check("a@2>b b@2>a", "b a<b");
        check("a@3>c b@1>a c@2>b", "a b<c c<a");
        check("a@1>b b@2>a c@3>a", "c a<c b<c");
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

    /// What somebody does in a clone: a new lesson, another text or rate of the one at an index, or
    /// forgetting it.
    #[derive(Debug, Clone)]
    enum Act {
        Remember,
        Edit(prop::sample::Index, bool),
        Forget(prop::sample::Index),
        /// Takes over what the other clone has.
        Pull,
    }

    fn any_act() -> impl Strategy<Value = Act> {
        let index = any::<prop::sample::Index>;
        prop_oneof![
            2 => Just(Act::Remember),
            4 => (index(), any::<bool>()).prop_map(|(it, again)| Act::Edit(it, again)),
            1 => index().prop_map(Act::Forget),
            1 => Just(Act::Pull),
        ]
    }

    proptest! {
        #[test]
        fn a_lesson_counts_once_whatever_clones_do_to_it(
            acts in prop::collection::vec((any::<bool>(), any_act()), 0..30),
            behind in 0..9_i64,
        ) {
            let mut clones: [Vec<Entry>; 2] = Default::default();
            // The first record of each lesson, and how often it was tried at most.
            let (mut tried, mut forgotten) = (BTreeMap::<String, u32>::new(), Vec::new());
            let mut first: BTreeMap<String, String> = BTreeMap::new();
            for (step, (side, act)) in (10..).zip(acts) {
                let side = usize::from(side);
                let known = fold(clones[side].clone());
                let at = |index: prop::sample::Index| known.memories.get(index.index(known.memories.len()));
                let time = step - behind * side as i64;
                let chosen = match act {
                    Act::Edit(index, _) | Act::Forget(index) if !known.memories.is_empty() => at(index),
                    _ => None,
                };
                match (act, chosen) {
                    (Act::Remember, _) => {
                        let Entry::Memory(memory) = entry(&format!("m{step}@{time}")) else { continue };
                        first.insert(memory.id.clone(), memory.id.clone());
                        tried.insert(memory.id.clone(), 1);
                        let success_rate = "1/1".parse().ok();
                        clones[side].push(Entry::Memory(Memory { success_rate, ..memory }));
                    }
                    (Act::Edit(_, again), Some(old)) => {
                        let id = format!("m{step}");
                        let success_rate = old.success_rate.map(|mut rate| {
                            rate.attempts += u32::from(again);
                            rate
                        });
                        let of = first[&old.id].clone();
                        let most = tried.get_mut(&of).unwrap();
                        *most = success_rate.map_or(0, |rate| rate.attempts).max(*most);
                        first.insert(id.clone(), of);
                        let timestamp = jiff::Timestamp::from_second(time).unwrap();
                        let replaces = Some(old.id.clone());
                        let new = Memory { id, timestamp, success_rate, replaces, ..old.clone() };
                        clones[side].push(Entry::Memory(new));
                    }
                    (Act::Forget(_), Some(old)) => {
                        let ids = known.lineage.lesson(&old.id).records;
                        clones[side].extend(ids.into_iter().map(|id| entry(&format!("-{id}"))));
                        forgotten.push(first[&old.id].clone());
                    }
                    (Act::Pull, _) => {
                        let theirs = clones[1 - side].clone();
                        clones[side].extend(theirs);
                    }
                    _ => {}
                }
            }
            let [ours, theirs] = clones;
            let merged = fold([ours.clone(), theirs.clone()].concat());
            prop_assert_eq!(&merged, &fold([theirs, ours].concat()));
            let mut lessons: Vec<&String> = tried.keys().filter(|id| !forgotten.contains(id)).collect();
            for memory in &merged.memories {
                let of = &first[&memory.id];
                // Once each, and none that anybody forgot.
                let place = lessons.iter().position(|id| *id == of);
                prop_assert!(place.is_some(), "{of} of {:?}", &merged.memories);
                lessons.remove(place.unwrap());
                prop_assert!(memory.success_rate.unwrap().attempts <= tried[of]);
            }
            prop_assert!(lessons.is_empty(), "lost: {lessons:?}");
            // What an edit said, and nobody sees, is told.
            for id in merged.in_vain.keys() {
                prop_assert!(forgotten.contains(&first[id]));
            }
            // As recalling tells it.
            for id in first.keys() {
                let counts = merged.memories.iter().any(|memory| memory.id == *id);
                prop_assert_eq!(merged.lineage.hides(id), !counts);
            }
        }

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
