//! Tiles for x86-64: AVX-512 VNNI, AVX-VNNI and AVX2.
//!
//! All of them keep a tile's sums in registers, load the words of a panel once for all rows, and
//! repeat each word of a row in all lanes. Bytes are multiplied unsigned by signed; the sums are
//! exact (no saturating instruction is used).

use std::arch::x86_64::*;

use super::{BLOCK, Tile};

/// Defines `$name`, a [`super::TileFn`], out of sub-tiles of `$rows` by `$vectors`.
macro_rules! tile {
    (
        $name:ident, $features:literal, $word:ty, $weight:ty, $sum:ty, $vector:ty,
        lanes $lanes:literal of $lane:ty, rows [$($rows:literal)+], vectors [$($vectors:literal)+],
        $zero:expr,
        $load:expr, |$panel:ident| $prepare_panel:expr,
        $splat:expr, |$row:ident| $prepare_row:expr,
        |$acc:ident, $x:ident, $w:ident| $step:expr,
        $store:expr
    ) => {
        /// See [`super::TileFn`].
        ///
        /// # Safety
        /// As there.
        #[target_feature(enable = $features)]
        pub unsafe fn $name(
            row: *const $word,
            stride: usize,
            rows: usize,
            panel: *const $weight,
            blocks: usize,
            steps: usize,
            tile: &mut Tile<$sum>,
        ) {
            /// Sums `M` rows from `row` on with `V` vectors of columns from `first` on.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn part<const M: usize, const V: usize>(
                row: *const $word,
                stride: usize,
                panel: *const $weight,
                first: usize,
                steps: usize,
                tile: &mut [[$sum; super::TILE_BLOCKS * BLOCK]],
            ) {
                let mut sums = [[$zero; V]; M];
                for step in 0..steps {
                    let mut weights = [{ let $panel = $zero; $prepare_panel }; V];
                    for (v, weights) in weights.iter_mut().enumerate() {
                        let column = (first + v) * $lanes;
                        let at = (column / BLOCK * steps + step) * BLOCK + column % BLOCK;
                        // SAFETY: the caller has all vectors of `steps` words in the panels.
                        let $panel: $vector = unsafe { $load(panel.add(at).cast()) };
                        *weights = $prepare_panel;
                    }
                    for (m, sums) in sums.iter_mut().enumerate() {
                        // SAFETY: the caller has `M` rows of `steps` words.
                        let word = unsafe {
                            row.add(m * stride + step).cast::<$lane>().read_unaligned()
                        };
                        let $row: $vector = $splat(word);
                        let $x = $prepare_row;
                        for (sum, $w) in sums.iter_mut().zip(weights) {
                            let $acc = *sum;
                            *sum = $step;
                        }
                    }
                }
                for (sums, out) in sums.iter().zip(tile) {
                    for (v, sum) in sums.iter().enumerate() {
                        let out = &mut out[(first + v) * $lanes..][..$lanes];
                        // SAFETY: `out` has as many components as the vector has lanes.
                        unsafe { $store(out.as_mut_ptr().cast(), *sum) };
                    }
                }
            }

            /// Sums `M` rows from `row` on with all columns.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn strip<const M: usize>(
                row: *const $word,
                stride: usize,
                panel: *const $weight,
                vectors: usize,
                steps: usize,
                tile: &mut [[$sum; super::TILE_BLOCKS * BLOCK]],
            ) {
                let mut first = 0;
                $(while vectors - first >= $vectors {
                    // SAFETY: the columns stay below those that the caller has.
                    unsafe { part::<M, $vectors>(row, stride, panel, first, steps, tile) };
                    first += $vectors;
                })+
                debug_assert_eq!(first, vectors);
            }

            let vectors = blocks * (BLOCK / $lanes);
            let mut at = 0;
            $(while rows - at >= $rows {
                // SAFETY: the rows stay below those that the caller has.
                unsafe {
                    let row = row.add(at * stride);
                    strip::<$rows>(row, stride, panel, vectors, steps, &mut tile[at..]);
                }
                at += $rows;
            })+
            debug_assert_eq!(at, rows);
        }
    };
}

tile!(
    bytes_avx512_vnni, "avx512f,avx512bw,avx512vl,avx512vnni", [u8; 4], [i8; 4], i32, __m512i,
    lanes 16 of i32, rows [6 4 2 1], vectors [4 2 1],
    _mm512_setzero_si512(),
    _mm512_loadu_si512, |panel| panel,
    _mm512_set1_epi32, |row| row,
    |acc, x, w| _mm512_dpbusd_epi32(acc, x, w),
    _mm512_storeu_si512
);
tile!(
    pairs_avx512_vnni, "avx512f,avx512bw,avx512vl,avx512vnni", [i16; 2], [i16; 2], i32, __m512i,
    lanes 16 of i32, rows [6 4 2 1], vectors [4 2 1],
    _mm512_setzero_si512(),
    _mm512_loadu_si512, |panel| panel,
    _mm512_set1_epi32, |row| row,
    |acc, x, w| _mm512_dpwssd_epi32(acc, x, w),
    _mm512_storeu_si512
);
tile!(
    floats_avx512, "avx512f", f32, f32, f32, __m512,
    lanes 16 of f32, rows [6 4 2 1], vectors [4 2 1],
    _mm512_setzero_ps(),
    _mm512_loadu_ps, |panel| panel,
    _mm512_set1_ps, |row| row,
    |acc, x, w| _mm512_fmadd_ps(x, w, acc),
    _mm512_storeu_ps
);
tile!(
    bytes_avx_vnni, "avx2,avxvnni", [u8; 4], [i8; 4], i32, __m256i,
    lanes 8 of i32, rows [3 2 1], vectors [4 2],
    _mm256_setzero_si256(),
    _mm256_loadu_si256, |panel| panel,
    _mm256_set1_epi32, |row| row,
    |acc, x, w| _mm256_dpbusd_avx_epi32(acc, x, w),
    _mm256_storeu_si256
);
tile!(
    pairs_avx_vnni, "avx2,avxvnni", [i16; 2], [i16; 2], i32, __m256i,
    lanes 8 of i32, rows [3 2 1], vectors [4 2],
    _mm256_setzero_si256(),
    _mm256_loadu_si256, |panel| panel,
    _mm256_set1_epi32, |row| row,
    |acc, x, w| _mm256_dpwssd_avx_epi32(acc, x, w),
    _mm256_storeu_si256
);
// No exact byte product here: even and odd bytes are widened to 16 bits, two products each.
tile!(
    bytes_avx2, "avx2", [u8; 4], [i8; 4], i32, __m256i,
    lanes 8 of i32, rows [4 2 1], vectors [2],
    _mm256_setzero_si256(),
    _mm256_loadu_si256,
    |panel| (
        _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(panel)),
        _mm256_srai_epi16::<8>(panel),
    ),
    _mm256_set1_epi32,
    |row| (_mm256_and_si256(row, _mm256_set1_epi16(0xff)), _mm256_srli_epi16::<8>(row)),
    |acc, x, w| _mm256_add_epi32(
        _mm256_add_epi32(acc, _mm256_madd_epi16(x.0, w.0)),
        _mm256_madd_epi16(x.1, w.1)
    ),
    _mm256_storeu_si256
);
tile!(
    pairs_avx2, "avx2", [i16; 2], [i16; 2], i32, __m256i,
    lanes 8 of i32, rows [3 2 1], vectors [4 2],
    _mm256_setzero_si256(),
    _mm256_loadu_si256, |panel| panel,
    _mm256_set1_epi32, |row| row,
    |acc, x, w| _mm256_add_epi32(acc, _mm256_madd_epi16(x, w)),
    _mm256_storeu_si256
);
tile!(
    floats_avx2, "avx2,fma", f32, f32, f32, __m256,
    lanes 8 of f32, rows [3 2 1], vectors [4 2],
    _mm256_setzero_ps(),
    _mm256_loadu_ps, |panel| panel,
    _mm256_set1_ps, |row| row,
    |acc, x, w| _mm256_fmadd_ps(x, w, acc),
    _mm256_storeu_ps
);
