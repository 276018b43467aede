//! Matrix products and the passes between them, for the instruction set of this machine.
//!
//! Owns the choice of the instruction set and the one shape that all products have: a row of
//! 32-bit words (four bytes, two 16-bit numbers or one float) against panels of sixteen columns,
//! panel after panel, word after word, column after column. Knows no model.
//!
//! What it gives is bitwise the same on every instruction set: whole numbers are exact, and floats
//! are multiplied and added in the same order, with one rounding (`mul_add`) everywhere.

use super::math::{self, Activation, Scale};

#[cfg(target_arch = "x86_64")]
mod amx;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Columns of a panel.
pub const BLOCK: usize = 16;
/// Rows of the largest tile.
pub const TILE_ROWS: usize = 16;
/// Rows of the largest tile that fits into vector registers.
pub const VECTOR_ROWS: usize = 6;
// Rows that belong together in pairs are never parted.
const _: () = assert!(VECTOR_ROWS <= TILE_ROWS && VECTOR_ROWS.is_multiple_of(2));
/// Panels of the largest tile.
pub const TILE_BLOCKS: usize = 4;

/// Bytes of a line of the processor's caches.
const LINE: usize = 64;

/// Memory that begins with a line of the caches, and is used again: what is read has to be written first.
#[derive(Default)]
pub struct Room<T>(Vec<T>);

impl<T: Copy + Default> Room<T> {
    /// Room for `count` values, left over from before.
    pub fn of(&mut self, count: usize) -> &mut [T] {
        let line = LINE / size_of::<T>();
        self.0.resize(self.0.len().max(count + line), T::default());
        // Where no offset fits, any place does: it is slower, and nothing else.
        let skip = self.0.as_ptr().align_offset(LINE).min(line);
        &mut self.0[skip..][..count]
    }
}

/// What a tile computes: rows by columns.
pub type Tile<S> = [[S; TILE_BLOCKS * BLOCK]; TILE_ROWS];

/// An instruction set. All variants exist everywhere; [`Isa::supported`] names those that run here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// Whatever the compiler makes of plain code.
    Scalar,
    /// AVX2 and FMA.
    Avx2,
    /// AVX2, FMA and byte products of 256 bits.
    AvxVnni,
    /// AVX-512 with byte products.
    Avx512Vnni,
    /// The same, and tiles of byte products.
    Amx,
}

impl Isa {
    /// The fastest that runs here.
    pub fn best() -> Self {
        static BEST: std::sync::OnceLock<Isa> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| Self::supported().next().unwrap_or(Self::Scalar))
    }

    /// All that run here, the fastest first.
    pub fn supported() -> impl Iterator<Item = Self> {
        [Self::Amx, Self::Avx512Vnni, Self::AvxVnni, Self::Avx2, Self::Scalar]
            .into_iter()
            .filter(|isa| isa.runs_here())
    }

    #[cfg(target_arch = "x86_64")]
    fn runs_here(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        match self {
            Self::Scalar => true,
            Self::Avx2 => avx2,
            Self::AvxVnni => avx2 && is_x86_feature_detected!("avxvnni"),
            Self::Avx512Vnni => {
                avx2 && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
            Self::Amx => Self::Avx512Vnni.runs_here() && amx::runs_here(),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn runs_here(self) -> bool {
        self == Self::Scalar
    }
}

/// A 32-bit word of a row, and what a product makes of it.
pub trait Word: Copy + Default + 'static {
    /// The word of a panel that it is multiplied with: 32 bits as well.
    type Weight: Copy + 'static;
    /// What is summed up.
    type Sum: Copy + Default + 'static;

    /// `sum + word * weight`.
    fn step(sum: Self::Sum, word: Self, weight: Self::Weight) -> Self::Sum;

    /// What computes tiles of so many steps.
    #[doc(hidden)]
    fn kernel(isa: Isa, steps: usize) -> Kernel<Self>;
}

/// What computes tiles.
#[doc(hidden)]
pub struct Kernel<W: Word> {
    compute: TileFn<W>,
    /// The most rows of a tile.
    rows: usize,
    /// Tiles of the processor have to be set up for it, of as many rows.
    in_tiles: bool,
}

impl<W: Word> Kernel<W> {
    fn in_vectors(compute: TileFn<W>) -> Self {
        Self { compute, rows: VECTOR_ROWS, in_tiles: false }
    }
}

/// Computes a tile of `rows` rows, `stride` words apart, and `blocks` panels of `steps` words.
///
/// # Safety
/// The processor has the instruction set, and its tiles are set up where the kernel says so; `rows` rows of
/// `steps` words and `blocks` panels of `steps * BLOCK` words can be read; at most [`TILE_ROWS`] rows and
/// [`TILE_BLOCKS`] panels.
pub type TileFn<W> = unsafe fn(
    row: *const W,
    stride: usize,
    rows: usize,
    panel: *const <W as Word>::Weight,
    blocks: usize,
    steps: usize,
    tile: &mut Tile<<W as Word>::Sum>,
);

macro_rules! word {
    ($word:ty, $weight:ty, $sum:ty, $step:expr, $avx2:ident, $vnni:ident, $avx512:ident, $amx:expr) => {
        impl Word for $word {
            type Weight = $weight;
            type Sum = $sum;

            #[inline(always)]
            fn step(sum: $sum, word: $word, weight: $weight) -> $sum {
                $step(sum, word, weight)
            }

            #[cfg(target_arch = "x86_64")]
            fn kernel(isa: Isa, steps: usize) -> Kernel<Self> {
                Kernel::in_vectors(match isa {
                    Isa::Scalar => scalar::tile::<Self>,
                    Isa::Avx2 => x86::$avx2,
                    Isa::AvxVnni => x86::$vnni,
                    Isa::Avx512Vnni => x86::$avx512,
                    Isa::Amx => return $amx(steps),
                })
            }

            #[cfg(not(target_arch = "x86_64"))]
            fn kernel(_: Isa, _: usize) -> Kernel<Self> {
                Kernel::in_vectors(scalar::tile::<Self>)
            }
        }
    };
}

word!(
    [u8; 4],
    [i8; 4],
    i32,
    |sum: i32, [a, b, c, d]: [u8; 4], [p, q, r, s]: [i8; 4]| {
        let of = |a: u8, p: i8| i32::from(a) * i32::from(p);
        sum.wrapping_add(of(a, p) + of(b, q) + of(c, r) + of(d, s))
    },
    bytes_avx2,
    bytes_avx_vnni,
    bytes_avx512_vnni,
    amx::kernel
);
word!(
    [i16; 2],
    [i16; 2],
    i32,
    |sum: i32, [a, b]: [i16; 2], [p, q]: [i16; 2]| {
        let of = |a: i16, p: i16| i32::from(a) * i32::from(p);
        sum.wrapping_add(of(a, p).wrapping_add(of(b, q)))
    },
    pairs_avx2,
    pairs_avx_vnni,
    pairs_avx512_vnni,
    |_| Kernel::in_vectors(x86::pairs_avx512_vnni)
);
word!(
    f32,
    f32,
    f32,
    |sum: f32, a: f32, p: f32| a.mul_add(p, sum),
    floats_avx2,
    floats_avx2,
    floats_avx512,
    |_| Kernel::in_vectors(x86::floats_avx512)
);

/// Begins with a line of the caches.
#[repr(align(64))]
struct Aligned<T>(T);

/// Multiplies `rows` rows, `stride` words apart, with all panels, and hands each finished tile to
/// `sink` with its first row, its rows, its first panel and its panels. `sink` multiplies nothing itself.
///
/// # Panics
/// When a row or the panels are shorter than they should be.
pub fn product<W: Word>(
    isa: Isa,
    (words, stride, rows): (&[W], usize, usize),
    (panels, steps): (&[W::Weight], usize),
    mut sink: impl FnMut(usize, usize, usize, usize, &Tile<W::Sum>),
) {
    assert!(isa.runs_here_checked());
    assert!(rows == 0 || steps <= stride && words.len() >= (rows - 1) * stride + steps);
    let blocks = panels.len() / (steps * BLOCK).max(1);
    let Kernel { compute, rows: most_rows, in_tiles } = W::kernel(isa, steps);
    let Aligned(tile) = &mut Aligned([[W::Sum::default(); TILE_BLOCKS * BLOCK]; TILE_ROWS]);
    // All tiles that are full, then those of the rows that are left, which are set up in another way.
    let full = rows - rows % most_rows;
    for (first, end) in [(0, full), (full, rows)] {
        let some_rows = most_rows.min(end - first);
        if some_rows == 0 {
            continue;
        }
        // SAFETY: only a kernel of an instruction set that has them wants tiles, and that was asked for above.
        let _tiles = unsafe { set_up(in_tiles, some_rows) };
        for block in (0..blocks).step_by(TILE_BLOCKS) {
            let some_blocks = TILE_BLOCKS.min(blocks - block);
            let panel = &panels[block * steps * BLOCK..][..some_blocks * steps * BLOCK];
            for row in (first..end).step_by(some_rows) {
                let words = &words[row * stride..][..(some_rows - 1) * stride + steps];
                // SAFETY: the slices hold what is read, the instruction set was asked for above, and what
                // it needs for these rows is set up.
                unsafe {
                    let (words, panel) = (words.as_ptr(), panel.as_ptr());
                    compute(words, stride, some_rows, panel, some_blocks, steps, tile);
                }
                sink(row, some_rows, block, some_blocks, tile);
            }
        }
    }
}

/// Sets up tiles of `rows` rows until what is returned is dropped, if tiles are wanted.
///
/// # Safety
/// If tiles are wanted, the processor has them, and [`amx::runs_here`] was true.
#[cfg(target_arch = "x86_64")]
unsafe fn set_up(in_tiles: bool, rows: usize) -> Option<amx::Tiles> {
    // SAFETY: as the caller says.
    in_tiles.then(|| unsafe { amx::Tiles::new(rows) })
}

/// No other processor has tiles that are known here.
///
/// # Safety
/// Nothing is done.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn set_up(_: bool, _: usize) -> Option<std::convert::Infallible> {
    None
}

impl Isa {
    /// As [`Isa::runs_here`], for the price of a comparison if it is the best one.
    #[inline]
    fn runs_here_checked(self) -> bool {
        self == Self::best() || self.runs_here()
    }
}

/// Compiles the body once for each instruction set.
macro_rules! compiled {
    ($($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $back:ty)? $body:block)*) => {
        $($(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        pub fn $name(isa: Isa, $($arg: $type),*) $(-> $back)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn plain($($arg: $type),*) $(-> $back)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $type),*) $(-> $back)? { plain($($arg),*) }

                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx512($($arg: $type),*) $(-> $back)? { plain($($arg),*) }

                assert!(isa.runs_here_checked());
                match isa {
                    Isa::Scalar => plain($($arg),*),
                    // SAFETY: the processor has the instruction set.
                    Isa::Avx2 | Isa::AvxVnni => unsafe { avx2($($arg),*) },
                    // SAFETY: as above.
                    Isa::Avx512Vnni | Isa::Amx => unsafe { avx512($($arg),*) },
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                let _ = isa;
                plain($($arg),*)
            }
        })*
    };
}

compiled! {
    /// See [`math::activate`].
    pub fn activate(values: &mut [f32], activation: Activation) {
        math::activate(values, activation);
    }

    /// [`math::add_and_norm`] of each row of `gain.len()` components.
    pub fn add_and_norm(x: &mut [f32], added: &[f32], gain: &[f32], bias: &[f32], epsilon: f32) {
        let width = gain.len();
        for (x, added) in x.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
            math::add_and_norm(x, added, gain, bias, epsilon);
        }
    }

    /// [`math::norm`] of each row of `gain.len()` components.
    pub fn norm(x: &mut [f32], gain: &[f32], bias: &[f32], epsilon: f32) {
        for x in x.chunks_exact_mut(gain.len()) {
            math::norm(x, gain, bias, epsilon);
        }
    }

    /// [`math::quantise`] of each row of `width` components; a row of `words` is `stride` words.
    pub fn quantise(
        values: &[f32], width: usize, words: &mut [[u8; 4]], stride: usize, scales: &mut [Scale],
    ) {
        let rows = values.chunks_exact(width).zip(words.chunks_exact_mut(stride));
        for ((values, words), scale) in rows.zip(scales) {
            *scale = math::quantise(values, words.as_flattened_mut());
        }
    }

    /// [`math::quantise_finely`] of each row: of each pair of rows of `words` the first takes the
    /// upper bytes.
    pub fn quantise_finely(
        values: &[f32], width: usize, words: &mut [[u8; 4]], stride: usize, scales: &mut [Scale],
    ) {
        let rows = values.chunks_exact(width).zip(words.chunks_exact_mut(2 * stride));
        for ((values, words), scale) in rows.zip(scales) {
            let (upper, lower) = words.split_at_mut(stride);
            let (upper, lower) = (upper.as_flattened_mut(), lower.as_flattened_mut());
            *scale = math::quantise_finely(values, upper, lower);
        }
    }

    /// A finished row of whole numbers in floats, see `encoder::linear`.
    pub fn scale_row(
        out: &mut [f32], sums: &[i32], row: Scale, steps: &[f32], totals: &[f32], bias: &[f32],
    ) {
        let count = out.len().min(sums.len());
        let (out, sums) = (&mut out[..count], &sums[..count]);
        let (steps, totals, bias) = (&steps[..count], &totals[..count], &bias[..count]);
        for at in 0..count {
            let sum = row.step * sums[at] as f32 + row.low * totals[at];
            out[at] = steps[at] * sum + bias[at];
        }
    }

    /// As [`scale_row`], with the sums of upper and of lower bytes.
    pub fn scale_fine_row(
        out: &mut [f32], upper: &[i32], lower: &[i32], row: Scale, steps: &[f32], totals: &[f32],
        bias: &[f32],
    ) {
        let count = out.len().min(upper.len()).min(lower.len());
        let (out, upper, lower) = (&mut out[..count], &upper[..count], &lower[..count]);
        let (steps, totals, bias) = (&steps[..count], &totals[..count], &bias[..count]);
        for at in 0..count {
            let sum = upper[at] as f32 * 256.0 + lower[at] as f32;
            let sum = row.step * sum + row.low * totals[at];
            out[at] = steps[at] * sum + bias[at];
        }
    }

    /// For each column of a table the size of its largest component.
    pub fn largest(table: &[f32], most: &mut [f32]) {
        most.fill(0.0);
        for row in table.chunks_exact(most.len()) {
            for (most, value) in most.iter_mut().zip(row) {
                *most = math::larger(*most, value.abs());
            }
        }
    }

    /// [`math::to_i16`] of each component.
    pub fn to_i16(values: &[f32], factor: f32, limit: f32, out: &mut [i16]) {
        for (out, value) in out.iter_mut().zip(values) {
            *out = math::to_i16(*value, factor, limit);
        }
    }

    /// See [`math::softmax`].
    pub fn softmax(scores: &[i32], step: f32, weights: &mut [i16], room: &mut [f32]) -> i32 {
        math::softmax(scores, step, weights, room)
    }

    /// Two rows made one row of pairs.
    pub fn interleave(pairs: &mut [[i16; 2]], first: &[i16], second: &[i16]) {
        for ((pair, first), second) in pairs.iter_mut().zip(first).zip(second) {
            *pair = [*first, *second];
        }
    }
}

#[cfg(test)]
mod tests;
