//! Word pieces by spelling, as tables that are used where they lie.
//!
//! Owns how the tables are laid out, built and read. Three of them: where each spelling ends
//! (`u32` by id), all spellings one after the other (UTF-8, `##` included), and an open-addressing
//! hash table whose slots hold an id and twelve bits of its hash.

use crate::tokenizer::Pieces;

/// Ids fit twenty bits, and one value marks an empty slot.
pub const MOST_PIECES: usize = (1 << 20) - 1;

const EMPTY: u32 = u32::MAX;
const ID_BITS: u32 = 20;

/// The tables. A damaged one gives wrong answers, never a panic or an endless search.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    ends: &'a [u32],
    spellings: &'a [u8],
    slots: &'a [u32],
    longest: usize,
}

impl<'a> Vocabulary<'a> {
    /// `slots` must be a power of two; no piece has more than `longest` bytes.
    pub fn new(
        ends: &'a [u32],
        spellings: &'a [u8],
        slots: &'a [u32],
        longest: usize,
    ) -> Option<Self> {
        slots.len().is_power_of_two().then_some(Self { ends, spellings, slots, longest })
    }

    /// The id of a word piece. `first` and `rest` are its spelling in two parts.
    #[inline]
    pub fn find(&self, first: &[u8], rest: &[u8]) -> Option<u32> {
        let hash = hash(first, rest);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        for _ in 0..self.slots.len() {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            }
            let id = slot & ((1 << ID_BITS) - 1);
            if slot >> ID_BITS == tag(hash)
                && let Some(spelling) = self.spelling(id)
                && spelling.len() == first.len() + rest.len()
                && spelling.starts_with(first)
                && spelling.ends_with(rest)
            {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn spelling(&self, id: u32) -> Option<&'a [u8]> {
        let id = id as usize;
        let end = *self.ends.get(id)? as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        self.spellings.get(start..end)
    }
}

impl Pieces for Vocabulary<'_> {
    fn longest(&self, continues: bool) -> usize {
        self.longest.saturating_sub(prefix(continues).len())
    }

    #[inline]
    fn id(&self, from: &[u8], length: usize, continues: bool) -> Option<u32> {
        self.find(prefix(continues), from.get(..length)?)
    }
}

fn prefix(continues: bool) -> &'static [u8] {
    if continues { b"##" } else { b"" }
}

/// Slots for that many pieces: at most half of them are taken.
pub fn slot_count(pieces: usize) -> usize {
    (pieces.max(1) * 2).next_power_of_two()
}

/// `ends`, `spellings` and `slots` of the pieces, which are in the order of their ids.
pub fn build(pieces: &[&str]) -> (Vec<u32>, Vec<u8>, Vec<u32>) {
    let mut ends = Vec::with_capacity(pieces.len());
    let mut spellings = Vec::new();
    let mut slots = vec![EMPTY; slot_count(pieces.len())];
    let mask = slots.len() - 1;
    for (id, piece) in pieces.iter().enumerate() {
        spellings.extend_from_slice(piece.as_bytes());
        ends.push(spellings.len() as u32);
        let hash = hash(piece.as_bytes(), &[]);
        let mut at = hash as usize & mask;
        while slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        slots[at] = tag(hash) << ID_BITS | id as u32;
    }
    (ends, spellings, slots)
}

/// FNV-1a with a final mix, over both parts as if they were one.
#[inline]
fn hash(first: &[u8], rest: &[u8]) -> u64 {
    let hash = first.iter().chain(rest).fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ hash >> 29).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 7
}

#[inline]
fn tag(hash: u64) -> u32 {
    // All bits set would read as empty together with the last id, which MOST_PIECES rules out.
    (hash >> 40) as u32 & 0xfff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_put_in_and_nothing_else() {
        let pieces: Vec<String> = (0..5_000).map(|id| format!("##piece{}", id * 7)).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let (ends, spellings, slots) = build(&pieces);
        let vocabulary = Vocabulary::new(&ends, &spellings, &slots, 13).unwrap();
        for (id, piece) in pieces.iter().enumerate() {
            assert_eq!(vocabulary.find(b"##", &piece.as_bytes()[2..]), Some(id as u32));
            assert_eq!(vocabulary.find(b"", piece.as_bytes()), Some(id as u32));
            assert_eq!(vocabulary.find(b"", &piece.as_bytes()[2..]), None);
        }
        assert_eq!(vocabulary.find(b"", b""), None);
    }

    #[test]
    fn damaged_tables_end_every_search() {
        let full = vec![0u32; 8];
        let vocabulary = Vocabulary::new(&[9, 3], b"abc", &full, 3).unwrap();
        assert_eq!(vocabulary.find(b"", b"abc"), None);
        assert!(Vocabulary::new(&[], b"", &full[..7], 0).is_none());
    }
}
