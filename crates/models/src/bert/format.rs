//! The packed file: one header, then tables at multiples of 64 bytes, used where they lie.
//!
//! Owns where everything is. Opening reads the header and nothing else, so a mapped file costs
//! page faults only; whoever wants to know whether each byte is right asks [`digest`]. All numbers
//! are little-endian.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | `ELOBERT` and the version of this format, 1 |
//! | 8..40 | BLAKE3 of all other bytes |
//! | 40..256 | [`Shape`], one `u32` per field, rest zero |
//! | from 256 | the tables of [`Plan`], in its order, each at the next multiple of 64 |
//!
//! Weights of a layer lie as the products read them (see `kernels`): panels of sixteen outputs, in
//! a panel one 32-bit word (four int8 or one f32) per output and step. Outputs are filled up to
//! sixteen and inputs to four with zeros.

use std::{marker::PhantomData, slice};

use super::{
    kernels::BLOCK,
    math::Activation,
    shape::{Pooling, Precision, Shape},
    vocabulary,
};
use crate::tokenizer::Options;

/// The last byte is the version: raise it also when the same file and text would give another vector.
const MAGIC: &[u8; 8] = b"ELOBERT\x01";
/// Bytes of the header.
pub const HEADER: usize = 256;
const FIELDS: usize = 40;
const ALIGNMENT: usize = 64;

/// Numbers of any bit pattern, without padding.
///
/// # Safety
/// All bit patterns are values, and no byte of a value is padding.
pub unsafe trait Plain: Copy + 'static {}
// SAFETY: numbers and arrays of numbers.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for f32 {}
// SAFETY: as above.
unsafe impl Plain for [i8; 4] {}

/// Where a table is.
#[derive(Debug, Clone, Copy)]
pub struct Span<T> {
    start: usize,
    count: usize,
    of: PhantomData<T>,
}

impl<T: Plain> Span<T> {
    /// The table. Panics if `file` is shorter than the plan or begins at no multiple of four.
    pub fn of<'a>(&self, file: &'a [u8]) -> &'a [T] {
        let bytes = &file[self.start..][..self.count * size_of::<T>()];
        let first = bytes.as_ptr().cast::<T>();
        assert!(first.is_aligned());
        // SAFETY: in bounds, aligned, and any bytes are values of `T`.
        unsafe { slice::from_raw_parts(first, self.count) }
    }

    /// Puts the table into `file`, as far as `values` reach.
    pub fn put(&self, file: &mut [u8], values: &[T]) {
        let values = &values[..self.count.min(values.len())];
        // SAFETY: `T` has no padding.
        let bytes =
            unsafe { slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        file[self.start..][..bytes.len()].copy_from_slice(bytes);
    }

    pub fn count(&self) -> usize {
        self.count
    }
}

/// A table of weights in one of two precisions.
#[derive(Debug, Clone, Copy)]
pub enum Weights<A, B> {
    Int8(A),
    F32(B),
}

/// A linear layer.
#[derive(Debug, Clone, Copy)]
pub struct LinearPlan {
    pub outputs: usize,
    /// 32-bit words of a row.
    pub words: usize,
    pub weights: Weights<Int8Plan, Span<f32>>,
    pub bias: Span<f32>,
}

/// Weights of eight bits.
#[derive(Debug, Clone, Copy)]
pub struct Int8Plan {
    pub panels: Span<[i8; 4]>,
    /// For each output what a step is worth, and the sum of its weights.
    pub steps: Span<f32>,
    pub totals: Span<f32>,
    /// Whether inputs are rounded to sixteen bits instead of eight. Not part of the file: the
    /// form of a layer follows from what it is for.
    pub finely: bool,
}

impl LinearPlan {
    fn finely(mut self) -> Self {
        if let Weights::Int8(plan) = &mut self.weights {
            plan.finely = true;
        }
        self
    }
}

#[derive(Debug, Clone, Copy)]
pub struct NormPlan {
    pub gain: Span<f32>,
    pub bias: Span<f32>,
}

#[derive(Debug, Clone, Copy)]
pub struct LayerPlan {
    /// Queries, keys and values.
    pub projection: LinearPlan,
    pub output: LinearPlan,
    pub attention_norm: NormPlan,
    pub up: LinearPlan,
    pub down: LinearPlan,
    pub norm: NormPlan,
}

/// Where everything is, in this order.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where each word piece ends, all spellings, the hash table.
    pub ends: Span<u32>,
    pub spellings: Span<u8>,
    pub slots: Span<u32>,
    /// For each special token its id and length (`u32`) and its spelling.
    pub specials: Span<u8>,
    /// Rows of the table of words; for int8 also what a step of each row is worth.
    pub words: Weights<(Span<i8>, Span<f32>), Span<f32>>,
    /// Position vectors, with that of the one token type added.
    pub positions: Span<f32>,
    pub norm: NormPlan,
    pub layers: Vec<LayerPlan>,
    /// Bytes of the file.
    pub bytes: usize,
}

impl Plan {
    /// The plan of a shape that is within bounds.
    pub fn new(shape: &Shape) -> Self {
        let mut end = HEADER;
        let hidden = shape.hidden;
        let at = &mut end;
        let norm = |at: &mut usize| NormPlan { gain: place(at, hidden), bias: place(at, hidden) };
        let linear = |at: &mut usize, inputs, outputs| linear(at, shape.precision, inputs, outputs);
        let mut plan = Self {
            ends: place(at, shape.pieces),
            spellings: place(at, shape.spelling_bytes),
            slots: place(at, vocabulary::slot_count(shape.pieces)),
            specials: place(at, shape.special_bytes),
            words: match shape.precision {
                Precision::Int8 => {
                    Weights::Int8((place(at, shape.pieces * hidden), place(at, shape.pieces)))
                }
                Precision::F32 => Weights::F32(place(at, shape.pieces * hidden)),
            },
            positions: place(at, shape.tokens * hidden),
            norm: norm(at),
            layers: Vec::new(),
            bytes: 0,
        };
        plan.layers.extend((0..shape.layers).map(|_| LayerPlan {
            projection: linear(at, hidden, 3 * hidden).finely(),
            output: linear(at, hidden, hidden),
            attention_norm: norm(at),
            up: linear(at, hidden, shape.inner),
            down: linear(at, shape.inner, hidden),
            norm: norm(at),
        }));
        plan.bytes = end;
        plan
    }
}

fn place<T>(end: &mut usize, count: usize) -> Span<T> {
    let start = end.next_multiple_of(ALIGNMENT);
    *end = start + count * size_of::<T>();
    Span { start, count, of: PhantomData }
}

fn linear(at: &mut usize, precision: Precision, inputs: usize, outputs: usize) -> LinearPlan {
    let columns = outputs.next_multiple_of(BLOCK);
    let words = match precision {
        Precision::Int8 => inputs.div_ceil(4),
        Precision::F32 => inputs,
    };
    let weights = match precision {
        Precision::Int8 => Weights::Int8(Int8Plan {
            panels: place(at, columns * words),
            steps: place(at, outputs),
            totals: place(at, outputs),
            finely: false,
        }),
        Precision::F32 => Weights::F32(place(at, columns * words)),
    };
    LinearPlan { outputs, words, weights, bias: place(at, outputs) }
}

/// BLAKE3 of all bytes but the digest itself.
pub fn digest(file: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    if let (Some(magic), Some(rest)) = (file.get(..8), file.get(40..)) {
        hasher.update(magic).update(rest);
    }
    hasher.finalize().into()
}

/// The digest that the header states.
pub fn stated_digest(file: &[u8]) -> Option<[u8; 32]> {
    file.get(8..40)?.try_into().ok()
}

/// Completes a file: everything behind the header is in place.
pub fn write_header(file: &mut [u8], shape: &Shape) {
    let Shape { options, .. } = shape;
    let flags = [
        options.clean_text,
        options.handle_chinese_chars,
        options.strip_accents,
        options.lowercase,
    ];
    let flags = flags.iter().enumerate().map(|(bit, flag)| u32::from(*flag) << bit).sum();
    let fields = [
        match shape.precision {
            Precision::Int8 => 0,
            Precision::F32 => 1,
        },
        shape.hidden as u32,
        shape.layers as u32,
        shape.heads as u32,
        shape.inner as u32,
        shape.pieces as u32,
        shape.tokens as u32,
        shape.windows as u32,
        match shape.activation {
            Activation::Gelu => 0,
            Activation::GeluTanh => 1,
            Activation::Relu => 2,
        },
        match shape.pooling {
            Pooling::Mean => 0,
            Pooling::Cls => 1,
            Pooling::Max => 2,
        },
        shape.epsilon.to_bits(),
        flags,
        options.longest_word as u32,
        options.unknown,
        shape.cls,
        shape.sep,
        shape.longest_piece as u32,
        shape.spelling_bytes as u32,
        shape.special_bytes as u32,
    ];
    file[..8].copy_from_slice(MAGIC);
    for (bytes, field) in file[40..HEADER].as_chunks_mut::<4>().0.iter_mut().zip(fields) {
        *bytes = field.to_le_bytes();
    }
    let digest = digest(file);
    file[8..40].copy_from_slice(&digest);
}

/// The shape of a packed file, if the header is whole and the file as long as it says.
///
/// # Errors
/// What is wrong with it.
pub fn read_header(file: &[u8]) -> Result<(Shape, Plan), String> {
    if cfg!(target_endian = "big") {
        return Err("packed models are read on little-endian machines only".to_owned());
    }
    let header = file.get(..HEADER).ok_or("it ends inside its header")?;
    if header[..7] != MAGIC[..7] {
        return Err("it is no packed model".to_owned());
    }
    if header[7] != MAGIC[7] {
        return Err(format!("it is of version {}, this program reads {}", header[7], MAGIC[7]));
    }
    let mut fields = [0u32; FIELDS];
    for (field, bytes) in fields.iter_mut().zip(header[40..].as_chunks::<4>().0) {
        *field = u32::from_le_bytes(*bytes);
    }
    let bad = |name: &str, value: u32| format!("its header says {value} for {name}");
    let size = |field: usize| fields[field] as usize;
    let flag = |bit: u32| fields[11] & 1 << bit != 0;
    let shape = Shape {
        precision: match fields[0] {
            0 => Precision::Int8,
            1 => Precision::F32,
            other => return Err(bad("the precision", other)),
        },
        hidden: size(1),
        layers: size(2),
        heads: size(3),
        inner: size(4),
        pieces: size(5),
        tokens: size(6),
        windows: size(7),
        activation: match fields[8] {
            0 => Activation::Gelu,
            1 => Activation::GeluTanh,
            2 => Activation::Relu,
            other => return Err(bad("the activation", other)),
        },
        pooling: match fields[9] {
            0 => Pooling::Mean,
            1 => Pooling::Cls,
            2 => Pooling::Max,
            other => return Err(bad("the pooling", other)),
        },
        epsilon: f32::from_bits(fields[10]),
        options: Options {
            clean_text: flag(0),
            handle_chinese_chars: flag(1),
            strip_accents: flag(2),
            lowercase: flag(3),
            longest_word: size(12),
            unknown: fields[13],
        },
        cls: fields[14],
        sep: fields[15],
        longest_piece: size(16),
        spelling_bytes: size(17),
        special_bytes: size(18),
    };
    if let Some((name, value, expected)) = shape.out_of_bounds() {
        return Err(format!("its header says {value} for {name}, expected {expected}"));
    }
    let plan = Plan::new(&shape);
    if plan.bytes != file.len() {
        return Err(format!("it is {} bytes, its header asks for {}", file.len(), plan.bytes));
    }
    Ok((shape, plan))
}

/// The list of special tokens as bytes.
pub fn write_specials(specials: &[(String, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (spelling, id) in specials {
        bytes.extend_from_slice(&id.to_le_bytes());
        bytes.extend_from_slice(&(spelling.len() as u32).to_le_bytes());
        bytes.extend_from_slice(spelling.as_bytes());
    }
    bytes
}

/// The list of special tokens, `None` if it is damaged.
pub fn read_specials(mut bytes: &[u8], pieces: usize) -> Option<Vec<(String, u32)>> {
    let mut specials = Vec::new();
    while !bytes.is_empty() {
        let (id, rest) = bytes.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (spelling, rest) = rest.split_at_checked(length)?;
        let (id, spelling) = (u32::from_le_bytes(*id), str::from_utf8(spelling).ok()?);
        if spelling.is_empty() || id as usize >= pieces {
            return None;
        }
        specials.push((spelling.to_owned(), id));
        bytes = rest;
    }
    Some(specials)
}
