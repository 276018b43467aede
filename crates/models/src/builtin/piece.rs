//! How a word piece is packed, hashed and filed in the vocabulary's hash table.
//!
//! Shared by `build.rs`, which writes the table, and [`super::table`], which reads it. It knows no
//! vocabulary.

/// A word piece: its bytes, zero-padded to 24, as three little-endian words. The top bit is set for
/// a piece that continues a word (`##` in the vocabulary, not part of the bytes). All bytes are
/// ASCII and none is zero, so keys are equal only if pieces are.
pub type Key = [u64; 3];

/// `[PAD]`, no part of any text.
pub const PAD: u32 = 0;
/// `[UNK]`, a word that the vocabulary can't spell.
pub const UNKNOWN: u32 = 1;

/// A word of more characters is `[UNK]`.
pub const MAX_WORD: usize = 64;
/// Bytes of the longest piece that fits a key.
pub const LONGEST: usize = 24;
/// Bytes of the longest piece that continues a word and fits a key.
pub const LONGEST_CONTINUATION: usize = LONGEST - 1;

/// Slots of the hash table.
pub const SLOTS: usize = 1 << SLOT_BITS;
/// A slot that holds nothing.
pub const EMPTY: u32 = 0;
const SLOT_BITS: u32 = 17;

/// Packs the first `length` bytes of `bytes`.
#[inline]
pub fn key(bytes: &[u8; LONGEST], length: usize, continues: bool) -> Key {
    let words = bytes.as_chunks::<8>().0;
    let word = |index: usize| {
        let kept = length.saturating_sub(index * 8).min(8) as u32;
        u64::from_le_bytes(words[index]) & u64::MAX.checked_shr(64 - kept * 8).unwrap_or(0)
    };
    [word(0), word(1), word(2) | u64::from(continues) << 63]
}

/// Mixes all bits of a key.
#[inline]
pub fn hash(key: &Key) -> u64 {
    let sum = key[0]
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(key[1].wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(key[2].wrapping_mul(0x1656_67b1_9e37_79f9));
    (sum ^ sum >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Where to look first.
#[inline]
pub fn slot(hash: u64) -> usize {
    (hash >> (64 - SLOT_BITS)) as usize
}

/// Sixteen other bits of the hash, in the upper half of a slot; the id is in the lower half.
#[inline]
pub fn tag(hash: u64) -> u32 {
    (hash as u32) & 0xffff_0000
}
