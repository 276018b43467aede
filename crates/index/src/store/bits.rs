//! A set of small numbers.

use std::ops::Range;

use super::codec::{Malformed, Reader, Result, Writer};

/// A fixed number of flags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    /// `length` flags, all set or all clear.
    pub fn new(length: usize, value: bool) -> Self {
        let mut words = vec![if value { u64::MAX } else { 0 }; length.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !length.is_multiple_of(64)) {
            *last &= (1 << (length % 64)) - 1;
        }
        Self { words, length }
    }

    /// Number of flags, set or not.
    pub fn capacity(&self) -> usize {
        self.length
    }

    /// Whether the flag is set; `false` beyond the end.
    pub fn get(&self, index: usize) -> bool {
        index < self.length && self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// Sets or clears a flag; beyond the end nothing happens.
    pub fn set(&mut self, index: usize, value: bool) {
        if index >= self.length {
            return;
        }
        let mask = 1u64 << (index % 64);
        if value {
            self.words[index / 64] |= mask;
        } else {
            self.words[index / 64] &= !mask;
        }
    }

    /// Sets the flags of a range; beyond the end nothing happens.
    pub fn set_all(&mut self, range: Range<usize>) {
        let end = range.end.min(self.length);
        let mut index = range.start;
        while index < end {
            let (word, first) = (index / 64, index % 64);
            let count = (64 - first).min(end - index);
            self.words[word] |= (u64::MAX >> (64 - count)) << first;
            index += count;
        }
    }

    /// Number of flags that are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Indexes of the flags that are set, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, &word)| {
            let rest = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
            let set = rest.take_while(|rest| *rest != 0);
            set.map(move |rest| number * 64 + rest.trailing_zeros() as usize)
        })
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.varint(self.length as u64);
        self.words.iter().for_each(|&word| out.u64(word));
    }

    pub(super) fn read(reader: &mut Reader) -> Result<Self> {
        let length = reader.size()?;
        let words: Vec<u64> =
            (0..length.div_ceil(64)).map(|_| reader.u64()).collect::<Result<_, _>>()?;
        let beyond = words.last().is_some_and(|last| {
            let used = length % 64;
            used != 0 && last >> used != 0
        });
        // Written by nobody: flags that are beyond the end.
        if beyond { Err(Malformed) } else { Ok(Self { words, length }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_range_is_set_as_its_flags_are(
            length in 0usize..300,
            before in proptest::collection::btree_set(0usize..300, 0..20),
            from in 0usize..320,
            count in 0usize..320,
        ) {
            let mut one_by_one = Bits::new(length, false);
            before.iter().for_each(|&index| one_by_one.set(index, true));
            let mut at_once = one_by_one.clone();
            (from..from + count).for_each(|index| one_by_one.set(index, true));
            at_once.set_all(from..from + count);
            prop_assert_eq!(at_once, one_by_one);
        }

        #[test]
        fn ones_are_the_flags_that_are_set(
            length in 0usize..200,
            set in proptest::collection::btree_set(0usize..220, 0..60),
        ) {
            let mut bits = Bits::new(length, false);
            set.iter().for_each(|&index| bits.set(index, true));
            let within: Vec<usize> = set.into_iter().filter(|&index| index < length).collect();
            prop_assert_eq!(bits.count(), within.len());
            prop_assert_eq!(bits.ones().collect::<Vec<_>>(), within);
            let all = Bits::new(length, true);
            prop_assert!(all.ones().eq(0..length) && all.count() == length);
        }
    }
}
