//! Tiles in plain code: what every machine can do, and what the others are tested against.

use super::{BLOCK, Tile, Word};

/// See [`super::TileFn`].
///
/// # Safety
/// As [`super::TileFn`], without the instruction set.
pub unsafe fn tile<W: Word>(
    row: *const W,
    stride: usize,
    rows: usize,
    panel: *const W::Weight,
    blocks: usize,
    steps: usize,
    tile: &mut Tile<W::Sum>,
) {
    for (at, out) in tile.iter_mut().enumerate().take(rows) {
        // SAFETY: the caller promises `rows` rows of `steps` words, `stride` words apart.
        let row = unsafe { std::slice::from_raw_parts(row.add(at * stride), steps) };
        for block in 0..blocks {
            // SAFETY: the caller promises `blocks` panels of `steps * BLOCK` words.
            let panel = unsafe {
                std::slice::from_raw_parts(panel.add(block * steps * BLOCK), steps * BLOCK)
            };
            let mut sums = [W::Sum::default(); BLOCK];
            for (word, weights) in row.iter().zip(panel.as_chunks::<BLOCK>().0) {
                for column in 0..BLOCK {
                    sums[column] = W::step(sums[column], *word, weights[column]);
                }
            }
            out[block * BLOCK..][..BLOCK].copy_from_slice(&sums);
        }
    }
}
