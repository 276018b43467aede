//! Self attention of one text: each head mixes the values of all tokens.
//!
//! Owns its arithmetic: queries, keys, values and weights are rounded to 16 bits and multiplied as
//! whole numbers, so sums are exact on every machine; the error is far below that of weights of
//! eight bits. It knows no weights of a model.

use super::{
    kernels::{self, BLOCK, Isa, Room, VECTOR_ROWS},
    math,
    shape::Shape,
};

/// Values of a head reach from minus this to this. Weights add up to 2^15 and a little, so their
/// sum stays below 2^30.
const LARGEST_VALUE: f32 = 32_767.0;

/// Memory that is used again from head to head.
#[derive(Default)]
pub struct Scratch {
    /// The largest size of each column of the projections.
    largest: Room<f32>,
    /// The values of two tokens.
    row: Room<i16>,
    next: Room<i16>,
    queries: Room<[i16; 2]>,
    keys: Room<[i16; 2]>,
    values: Room<[i16; 2]>,
    scores: Room<i32>,
    weights: Room<[i16; 2]>,
    room: Room<f32>,
    sums: [i32; VECTOR_ROWS],
}

/// Queries and keys of a head reach from minus this to this, so that a score stays within 2^29 and
/// a difference of scores within 2^30.
fn largest_factor(head: usize) -> f32 {
    (536_870_912.0 / head as f32).sqrt().floor().min(8_191.0)
}

/// Attention over the tokens of one text. A row of `projected` holds a token's queries, keys and
/// values, a row of `mixed` receives what all heads make of them.
pub fn attend(
    isa: Isa,
    shape: &Shape,
    projected: &[f32],
    mixed: &mut [f32],
    scratch: &mut Scratch,
) {
    let (hidden, head) = (shape.hidden, shape.head());
    let tokens = mixed.len() / hidden;
    let (steps, blocks) = (head.div_ceil(2), tokens.div_ceil(BLOCK));
    let value_blocks = head.div_ceil(BLOCK);
    let pairs = tokens.div_ceil(2);
    let Scratch { largest, row, next, queries, keys, values, scores, weights, room, sums } =
        scratch;
    let largest = largest.of(3 * hidden);
    kernels::largest(isa, projected, largest);
    // The odd half of a word of keys, and what fills up values, is zero, whatever it is multiplied with; scores
    // past the last token are not read.
    let (row, next) = (row.of(value_blocks * BLOCK), next.of(value_blocks * BLOCK));
    row.fill(0);
    next.fill(0);
    let queries = queries.of(tokens * steps);
    let keys = keys.of(blocks * BLOCK * steps);
    let values = values.of(value_blocks * BLOCK * pairs);
    let scores = scores.of(VECTOR_ROWS * blocks * BLOCK);
    let weights = weights.of(VECTOR_ROWS * pairs);
    let room = room.of(tokens);

    let limit = largest_factor(head);
    for first in (0..hidden).step_by(head) {
        let part = |which: usize, token: usize| {
            &projected[token * 3 * hidden + which * hidden + first..][..head]
        };
        let factors = [(0, limit), (1, limit), (2, LARGEST_VALUE)].map(|(which, limit)| {
            let sizes = &largest[which * hidden + first..][..head];
            math::factor(sizes.iter().copied().fold(0.0, math::larger), limit)
        });

        for (token, query) in queries.chunks_exact_mut(steps).enumerate() {
            kernels::to_i16(isa, part(0, token), factors[0], limit, query.as_flattened_mut());
        }
        for token in 0..tokens {
            kernels::to_i16(isa, part(1, token), factors[1], limit, row);
            let panel = &mut keys[token / BLOCK * BLOCK * steps..][..BLOCK * steps];
            let pairs = row.as_chunks::<2>().0;
            for (column, pair) in panel[token % BLOCK..].iter_mut().step_by(BLOCK).zip(pairs) {
                *column = *pair;
            }
        }
        for pair in 0..pairs {
            kernels::to_i16(isa, part(2, pair * 2), factors[2], LARGEST_VALUE, row);
            if pair * 2 + 1 < tokens {
                kernels::to_i16(isa, part(2, pair * 2 + 1), factors[2], LARGEST_VALUE, next);
            } else {
                next.fill(0);
            }
            let rows = row.chunks_exact(BLOCK).zip(next.chunks_exact(BLOCK));
            for (block, (row, next)) in rows.enumerate() {
                let place = &mut values[(block * pairs + pair) * BLOCK..][..BLOCK];
                kernels::interleave(isa, place, row, next);
            }
        }

        // What a whole-numbered score and a whole-numbered value are worth.
        let worth = |factor: f32| if factor > 0.0 { 1.0 / factor } else { 0.0 };
        let score_step = worth(factors[0]) * worth(factors[1]) / (head as f32).sqrt();
        let value_step = worth(factors[2]);

        let width = blocks * BLOCK;
        for start in (0..tokens).step_by(VECTOR_ROWS) {
            let rows = VECTOR_ROWS.min(tokens - start);
            let some_queries = (&queries[start * steps..][..rows * steps], steps, rows);
            kernels::product(
                isa,
                some_queries,
                (keys, steps),
                |first, rows, block, blocks, tile| {
                    debug_assert_eq!(first, 0);
                    for (at, tile) in tile.iter().enumerate().take(rows) {
                        scores[at * width + block * BLOCK..][..blocks * BLOCK]
                            .copy_from_slice(&tile[..blocks * BLOCK]);
                    }
                },
            );
            for at in 0..rows {
                let scores = &scores[at * width..][..tokens];
                let place = weights[at * pairs..][..pairs].as_flattened_mut();
                place[tokens..].fill(0);
                sums[at] = kernels::softmax(isa, scores, score_step, &mut place[..tokens], room);
            }
            let some_weights = (&weights[..rows * pairs], pairs, rows);
            kernels::product(
                isa,
                some_weights,
                (values, pairs),
                |row, rows, block, blocks, tile| {
                    debug_assert_eq!(row, 0);
                    let count = (blocks * BLOCK).min(head - block * BLOCK);
                    for (at, tile) in tile.iter().enumerate().take(rows) {
                        let step = value_step / sums[at].max(1) as f32;
                        let place = (start + at) * hidden + first + block * BLOCK;
                        for (mixed, sum) in mixed[place..][..count].iter_mut().zip(tile) {
                            *mixed = *sum as f32 * step;
                        }
                    }
                },
            );
        }
    }
}
