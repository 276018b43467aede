//! Keys of vectors as a set: in order and each once, for a million of them take a third of the memory of a
//! hash set so, and two sets are compared in one pass.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{bits::Bits, matrix::Key};

/// Distinct keys in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

impl Keys {
    /// Of the keys that `all` goes through, as it does twice. As they are hashes, little is left to compare
    /// once they are spread by what they begin with.
    pub fn new<I: Iterator<Item = Key>>(all: impl Fn() -> I) -> Self {
        let mut ends = vec![0; 1 << 16];
        all().for_each(|key| ends[usize::from(bucket(&key))] += 1);
        for bucket in 1..ends.len() {
            ends[bucket] += ends[bucket - 1];
        }
        let mut keys = vec![Key::default(); ends[ends.len() - 1]];
        all().for_each(|key| {
            let end = &mut ends[usize::from(bucket(&key))];
            *end = end.wrapping_sub(1);
            if let Some(place) = keys.get_mut(*end) {
                *place = key;
            }
        });
        keys.par_chunk_by_mut(|key, other| bucket(key) == bucket(other))
            .for_each(|alike| alike.sort_unstable_by_key(|key| u128::from_be_bytes(*key)));
        keys.dedup();
        Self(keys)
    }

    /// The same of keys that are in order but for some places, as those of tables one after another are:
    /// what is in order is not sorted again.
    pub fn of_runs(mut keys: Vec<Key>) -> Self {
        keys.sort_by_key(|key| u128::from_be_bytes(*key));
        keys.dedup();
        Self(keys)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where a key stands.
    pub fn place(&self, key: &Key) -> Option<usize> {
        self.0.binary_search(key).ok()
    }

    pub fn contains(&self, key: &Key) -> bool {
        self.place(key).is_some()
    }

    /// Whether any of them is among others.
    pub fn meet(&self, others: &FxHashSet<Key>) -> bool {
        others.iter().any(|key| self.contains(key))
    }

    /// Those that are not among others.
    pub fn without(self, others: &Self) -> Self {
        let mut among = Bits::new(self.len(), false);
        self.places(others).for_each(|place| among.set(place, true));
        self.outside(&among)
    }

    /// Where those stand that are among others, in order.
    pub fn places(&self, others: &Self) -> impl Iterator<Item = usize> {
        let others = &others.0;
        let from = others.first().map_or(0, |first| self.0.partition_point(|key| key < first));
        let to = others.last().map_or(0, |last| self.0.partition_point(|key| key <= last));
        let mut others = others.iter().peekable();
        let between = self.0.iter().enumerate().take(to).skip(from);
        let those = between.filter(move |(_, key)| {
            while others.next_if(|other| other < key).is_some() {}
            others.peek() == Some(key)
        });
        those.map(|(place, _)| place)
    }

    /// Those whose place is not set.
    pub fn outside(mut self, places: &Bits) -> Self {
        let mut place = 0..;
        self.0.retain(|_| place.next().is_some_and(|place| !places.get(place)));
        self
    }

    /// Those of both.
    pub fn with(&self, others: &Self) -> Self {
        Self::of_runs(self.0.iter().chain(&others.0).copied().collect())
    }

    /// The same as sets of so many at most.
    pub fn pieces(&self, most: usize) -> impl Iterator<Item = Self> {
        self.0.chunks(most.max(1)).map(|keys| Self(keys.to_vec()))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Key> {
        self.0.iter()
    }
}

/// What a key begins with.
fn bucket([first, second, ..]: &Key) -> u16 {
    u16::from_be_bytes([*first, *second])
}

/// What some wanted keys begin with: nearly all of a million others are passed over by it without a look at
/// the set.
pub struct Sieve(Bits);

impl Sieve {
    pub fn of(wanted: &FxHashSet<Key>) -> Self {
        let mut buckets = Bits::new(1 << 16, false);
        wanted.iter().for_each(|key| buckets.set(usize::from(bucket(key)), true));
        Self(buckets)
    }

    /// Whether a key may be a wanted one.
    pub fn lets(&self, key: &Key) -> bool {
        self.0.get(usize::from(bucket(key)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn key(number: u8) -> Key {
        let mut key = [0; 16];
        (key[0], key[15]) = (number % 4, number / 4);
        key
    }

    proptest! {
        #[test]
        fn they_are_a_set(
            a in proptest::collection::vec(0u8..40, 0..60),
            b in proptest::collection::vec(0u8..40, 0..60),
        ) {
            let all = |numbers: &[u8]| numbers.iter().map(|number| key(*number)).collect::<Vec<_>>();
            let keys = |numbers: &[u8]| Keys::new(|| numbers.iter().map(|number| key(*number)));
            let (one, other) = (keys(&a), keys(&b));
            let (a, b): (BTreeSet<Key>, BTreeSet<Key>) =
                (all(&a).into_iter().collect(), all(&b).into_iter().collect());
            let is = |keys: &Keys, expected: BTreeSet<Key>| {
                keys.iter().copied().collect::<Vec<_>>() == expected.into_iter().collect::<Vec<_>>()
            };
            prop_assert!(is(&one, a.clone()));
            prop_assert!(is(&one.clone().without(&other), a.difference(&b).copied().collect()));
            prop_assert_eq!(one.places(&other).count(), a.intersection(&b).count());
            let sieve = Sieve::of(&a.iter().copied().collect());
            prop_assert!(a.iter().all(|key| sieve.lets(key)));
            prop_assert!(is(&one.with(&other), a.union(&b).copied().collect()));
            let pieces: Vec<Keys> = one.pieces(7).collect();
            prop_assert!(pieces.iter().all(|piece| (1..=7).contains(&piece.len())));
            prop_assert_eq!(&pieces.iter().fold(Keys::default(), |all, piece| all.with(piece)), &one);
            prop_assert_eq!(one.meet(&b.iter().copied().collect()), !a.is_disjoint(&b));
            for number in 0..40 {
                prop_assert_eq!(one.contains(&key(number)), a.contains(&key(number)));
            }
        }
    }
}
