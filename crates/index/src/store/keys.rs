//! Keys of vectors as a set: in order and each once, for a million of them take a third of the memory of a
//! hash set so, and two sets are compared in one pass.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::matrix::Key;

/// Distinct keys in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

impl Keys {
    pub fn new(mut keys: Vec<Key>) -> Self {
        keys.par_sort_unstable_by_key(|key| u128::from_be_bytes(*key));
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
    pub fn without(&self, others: &Self) -> Self {
        let mut others = others.0.iter().peekable();
        let mut is_left = |key: &&Key| {
            while others.next_if(|other| other < key).is_some() {}
            others.peek() != Some(key)
        };
        Self(self.0.iter().filter(|key| is_left(key)).copied().collect())
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
            let (one, other) = (Keys::new(all(&a)), Keys::new(all(&b)));
            let (a, b): (BTreeSet<Key>, BTreeSet<Key>) =
                (all(&a).into_iter().collect(), all(&b).into_iter().collect());
            let is = |keys: &Keys, expected: BTreeSet<Key>| {
                keys.iter().copied().collect::<Vec<_>>() == expected.into_iter().collect::<Vec<_>>()
            };
            prop_assert!(is(&one, a.clone()));
            prop_assert!(is(&one.without(&other), a.difference(&b).copied().collect()));
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
