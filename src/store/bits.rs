//! A set of small numbers.

use super::codec::{Malformed, Reader, Writer};

/// A fixed number of flags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    /// `length` flags, all set or all clear.
    pub fn new(length: usize, value: bool) -> Self {
        let mut bits = Self { words: vec![0; length.div_ceil(64)], length };
        if value {
            (0..length).for_each(|index| bits.set(index, true));
        }
        bits
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

    /// Number of flags that are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Indexes of the flags that are set, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.length).filter(|&index| self.get(index))
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.varint(self.length as u64);
        self.words.iter().for_each(|&word| out.u64(word));
    }

    pub(super) fn read(reader: &mut Reader) -> Result<Self, Malformed> {
        let length = reader.size()?;
        let words = (0..length.div_ceil(64)).map(|_| reader.u64()).collect::<Result<_, _>>()?;
        Ok(Self { words, length })
    }
}
