//! The built-in model's tables, as `build.rs` laid them out: word pieces by spelling, rows by id.
//!
//! All of it is read-only data of the executable; nothing is parsed or copied at start-up, and the
//! system pages in only what a text touches.

use super::piece::{self, EMPTY, Key, LONGEST, SLOTS};

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// Components of a vector.
pub const DIMENSION: usize = 256;

/// Keeps rows on cache-line borders.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static ROW_BYTES: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/rows.bin")));
static SCALE_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/scales.bin"));
static PIECE_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pieces.bin"));
static SLOT_BYTES: &Aligned<[u8; SLOTS * 4]> =
    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin")));

/// The id of a word piece, or `None` if the vocabulary lacks it.
#[inline]
pub fn find(key: &Key) -> Option<u32> {
    let slots = SLOT_BYTES.0.as_chunks::<4>().0;
    let hash = piece::hash(key);
    let tag = piece::tag(hash);
    let mut at = piece::slot(hash);
    loop {
        let slot = u32::from_le_bytes(slots[at % SLOTS]);
        if slot == EMPTY {
            return None;
        }
        if slot & 0xffff_0000 == tag && spelling(slot & 0xffff) == *key {
            return Some(slot & 0xffff);
        }
        at += 1;
    }
}

/// How many word pieces there are: ids are below it.
pub fn rows() -> usize {
    SCALE_BYTES.len() / 4
}

/// The embedding of a word piece: what to multiply it with, and its int8 components.
#[inline]
pub fn row(id: u32) -> (f32, &'static [u8; DIMENSION]) {
    let scale = f32::from_le_bytes(SCALE_BYTES.as_chunks::<4>().0[id as usize]);
    (scale, &ROW_BYTES.0.as_chunks::<DIMENSION>().0[id as usize])
}

#[inline]
fn spelling(id: u32) -> Key {
    let words = &PIECE_BYTES.as_chunks::<LONGEST>().0[id as usize].as_chunks::<8>().0;
    [u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]), u64::from_le_bytes(words[2])]
}
