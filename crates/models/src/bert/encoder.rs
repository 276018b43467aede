//! Ids -> vectors: the transformer of BERT (Vaswani et al. 2017, "Attention Is All You Need";
//! Devlin et al. 2018, "BERT"), for many texts at once.
//!
//! The tokens of all texts of a batch lie one after the other, without padding: every layer is one
//! product over all of them, and only attention looks at one text at a time (`attention`). Weights
//! of eight bits are multiplied with activations rounded per token (dynamic quantisation, Dettmers
//! et al. 2022, "LLM.int8()"): to eight bits, and to sixteen where queries, keys and values are
//! made, which is where rounding costs most.
//!
//! It knows no text and no file, only tables.

use super::{
    attention,
    format::{Int8Plan, LinearPlan, NormPlan, Plan, Weights},
    kernels::{self, Isa, Room, Tile},
    math::{self, Activation, Scale},
    shape::{Pooling, Shape},
};

/// Rows that go through both halves of a feed-forward layer together, so that what is between
/// them stays in the cache.
const FEED_ROWS: usize = 96;

/// A model's tables where they lie.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    pub shape: &'a Shape,
    pub plan: &'a Plan,
    pub file: &'a [u8],
    pub isa: Isa,
}

/// Memory that is used again from batch to batch.
#[derive(Default)]
pub struct Scratch {
    x: Room<f32>,
    projected: Room<f32>,
    mixed: Room<f32>,
    inner: Room<f32>,
    bytes: Room<[u8; 4]>,
    scales: Room<Scale>,
    attention: attention::Scratch,
}

/// The vectors of texts given as ids, `[CLS]` and `[SEP]` included: unit length, in order. Ids
/// that the model lacks count as unknown; of a text that is too long the beginning counts.
pub fn encode(model: Model<'_>, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    let Model { shape, plan, file, isa } = model;
    let hidden = shape.hidden;
    let lengths: Vec<usize> = texts.iter().map(|ids| ids.len().min(shape.tokens)).collect();
    let rows = lengths.iter().sum::<usize>();
    let Scratch { x, projected, mixed, inner, bytes, scales, attention } = scratch;
    let x = x.of(rows * hidden);
    let projected = projected.of(rows * 3 * hidden);
    let mixed = mixed.of(rows * hidden);
    let inner = inner.of(rows.min(FEED_ROWS) * shape.inner);
    let mut quantised = Quantised { bytes, scales };

    let ids =
        texts.iter().zip(&lengths).flat_map(|(ids, length)| ids[..*length].iter().enumerate());
    for (x, (position, id)) in x.chunks_exact_mut(hidden).zip(ids) {
        look_up(model, *id, position, x);
    }
    norm(model, &plan.norm, x, None);

    for layer in &plan.layers {
        linear(model, &layer.projection, x, rows, projected, None, &mut quantised);
        let mut row = 0;
        for length in &lengths {
            let projected = &projected[row * 3 * hidden..][..length * 3 * hidden];
            let mixed = &mut mixed[row * hidden..][..length * hidden];
            attention::attend(isa, shape, projected, mixed, attention);
            row += length;
        }
        // The projections have been used: their place takes what attention adds.
        let added = &mut projected[..rows * hidden];
        linear(model, &layer.output, mixed, rows, added, None, &mut quantised);
        norm(model, &layer.attention_norm, x, Some(added));

        for x in x.chunks_mut(FEED_ROWS * hidden) {
            let rows = x.len() / hidden;
            let inner = &mut inner[..rows * shape.inner];
            linear(model, &layer.up, x, rows, inner, Some(shape.activation), &mut quantised);
            let added = &mut mixed[..rows * hidden];
            linear(model, &layer.down, inner, rows, added, None, &mut quantised);
            norm(model, &layer.norm, x, Some(added));
        }
    }
    debug_assert!(file.len() == plan.bytes);

    let mut rest = &*x;
    let mut vectors = Vec::with_capacity(texts.len());
    for length in lengths {
        let (rows, others) = rest.split_at(length * hidden);
        vectors.push(pool(rows, hidden, shape.pooling));
        rest = others;
    }
    vectors
}

/// Word and position of a token, added.
fn look_up(model: Model<'_>, id: u32, position: usize, x: &mut [f32]) {
    let Model { shape, plan, file, .. } = model;
    let hidden = shape.hidden;
    let id = if (id as usize) < shape.pieces { id } else { shape.options.unknown } as usize;
    let positions = &plan.positions.of(file)[position * hidden..][..hidden];
    match &plan.words {
        Weights::Int8((rows, steps)) => {
            let (row, step) = (&rows.of(file)[id * hidden..][..hidden], steps.of(file)[id]);
            for ((x, byte), position) in x.iter_mut().zip(row).zip(positions) {
                *x = f32::from(*byte) * step + *position;
            }
        }
        Weights::F32(rows) => {
            let row = &rows.of(file)[id * hidden..][..hidden];
            for ((x, word), position) in x.iter_mut().zip(row).zip(positions) {
                *x = *word + *position;
            }
        }
    }
}

fn norm(model: Model<'_>, plan: &NormPlan, x: &mut [f32], added: Option<&[f32]>) {
    let (gain, bias) = (plan.gain.of(model.file), plan.bias.of(model.file));
    let epsilon = model.shape.epsilon;
    match added {
        Some(added) => kernels::add_and_norm(model.isa, x, added, gain, bias, epsilon),
        None => kernels::norm(model.isa, x, gain, bias, epsilon),
    }
}

/// Rows of activations in eight bits.
struct Quantised<'a> {
    bytes: &'a mut Room<[u8; 4]>,
    scales: &'a mut Room<Scale>,
}

/// `out = x * weights + bias`, activated if asked for.
fn linear(
    model: Model<'_>,
    plan: &LinearPlan,
    x: &[f32],
    rows: usize,
    out: &mut [f32],
    activation: Option<Activation>,
    quantised: &mut Quantised<'_>,
) {
    let Model { file, isa, .. } = model;
    let LinearPlan { outputs, words, .. } = *plan;
    let bias = plan.bias.of(file);
    match &plan.weights {
        Weights::Int8(Int8Plan { panels, steps, totals, finely }) => {
            let (steps, totals) = (steps.of(file), totals.of(file));
            let Quantised { bytes, scales } = quantised;
            // A row of sixteen bits is two rows of eight, one below the other.
            let planes = if *finely { 2 } else { 1 };
            // What fills up a row is multiplied with zero, whatever it is.
            let (bytes, scales) = (bytes.of(rows * planes * words), scales.of(rows));
            let width = x.len() / rows.max(1);
            let quantise = if *finely { kernels::quantise_finely } else { kernels::quantise };
            quantise(isa, x, width, bytes, words, scales);
            let panels = (panels.of(file), words);
            let sink = |row, rows, block, blocks, tile: &Tile<i32>| {
                let (first, count) = columns(block, blocks, outputs);
                let (steps, totals, bias) = (&steps[first..], &totals[first..], &bias[first..]);
                for (at, sums) in tile[..rows].chunks_exact(planes).enumerate() {
                    let row = row / planes + at;
                    let (scale, out) = (scales[row], &mut out[row * outputs + first..][..count]);
                    match sums {
                        [upper, lower] => kernels::scale_fine_row(
                            isa, out, upper, lower, scale, steps, totals, bias,
                        ),
                        [sums, ..] => {
                            kernels::scale_row(isa, out, sums, scale, steps, totals, bias)
                        }
                        [] => {}
                    }
                    if let Some(activation) = activation {
                        kernels::activate(isa, out, activation);
                    }
                }
            };
            // A tile's rows are even in number, so it never parts the two.
            kernels::product(isa, (bytes, words, rows * planes), panels, sink);
        }
        Weights::F32(panels) => {
            let sink = |row, rows, block, blocks, tile: &Tile<f32>| {
                let (first, count) = columns(block, blocks, outputs);
                for (at, sums) in tile.iter().enumerate().take(rows) {
                    let out = &mut out[(row + at) * outputs + first..][..count];
                    for ((out, sum), bias) in out.iter_mut().zip(sums).zip(&bias[first..]) {
                        *out = *sum + *bias;
                    }
                    if let Some(activation) = activation {
                        kernels::activate(isa, out, activation);
                    }
                }
            };
            kernels::product(isa, (x, words, rows), (panels.of(file), words), sink);
        }
    }
}

/// The first column of some panels and how many there are, those that fill up left out.
fn columns(block: usize, blocks: usize, outputs: usize) -> (usize, usize) {
    let first = block * kernels::BLOCK;
    (first, (blocks * kernels::BLOCK).min(outputs - first))
}

fn pool(rows: &[f32], hidden: usize, pooling: Pooling) -> Vec<f32> {
    let mut rows = rows.chunks_exact(hidden);
    let mut vector = rows.next().map_or_else(|| vec![0.0; hidden], <[f32]>::to_vec);
    match pooling {
        Pooling::Cls => {}
        // The sum points where the mean does.
        Pooling::Mean => rows.for_each(|row| {
            vector.iter_mut().zip(row).for_each(|(sum, x)| *sum += *x);
        }),
        Pooling::Max => rows.for_each(|row| {
            vector
                .iter_mut()
                .zip(row)
                .for_each(|(most, x)| *most = if *x > *most { *x } else { *most });
        }),
    }
    math::normalise(&mut vector);
    vector
}
