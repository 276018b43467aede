//! Vectors as int8 codes with a scale per row, in a file that a search maps and scans.
//!
//! Owns the file and the scan; the encoding of a vector is that of the committed tables, so that it
//! is the same bytes everywhere. It knows no texts. Rows are checked in blocks the first time they are
//! read: a flipped bit is an error, never a silently worse ranking or a vector that is passed on. A process
//! that is asked again and again checks them once, for the file never changes.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    codec::{Malformed, Reader, Result, Writer, checksum},
    container::{Container, OpenError, Section, assemble},
};

pub use super::tables::{Encoded, Key};

const MAGIC: &[u8; 8] = b"ELOVEC01";
/// Rows that share a checksum.
const BLOCK_ROWS: usize = 64;
/// Blocks that are not worth a second thread: a quarter of a megabyte of 256 components.
const FEW_BLOCKS: usize = 16;
/// How far ahead of what is read the processor fetches, in bytes.
const AHEAD: usize = 2048;

/// A query vector prepared for the scan: 12-bit integers and their scale.
pub struct Probe {
    values: Vec<i16>,
    scale: f32,
}

impl Probe {
    /// Prepares a vector. 12 bits keep the products of 4,096 dimensions within an `i32`.
    pub fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return Self { values: vec![0; vector.len()], scale: 0.0 };
        }
        let scale = largest / 2047.0;
        let values = vector.iter().map(|value| (value / scale).round() as i16).collect();
        Self { values, scale }
    }
}

/// The vectors of one segment, row by row; a row may be missing until it is embedded.
pub struct Matrix {
    container: Container,
    fingerprint: String,
    dimension: usize,
    rows: usize,
    /// Which blocks were found to be what was written.
    checked: Box<[AtomicBool]>,
}

const META: usize = 0;
const KEYS: usize = 1;
const SCALES: usize = 2;
const SUMS: usize = 3;
const CODES: usize = 4;

/// The file's bytes for these rows. A missing vector is written as a NaN scale.
pub fn encode_matrix(
    fingerprint: &str,
    dimension: usize,
    rows: &[(Key, Option<Encoded>)],
) -> Vec<u8> {
    let mut meta = Writer::default();
    meta.block(fingerprint.as_bytes());
    meta.u32(dimension as u32);
    meta.u32(rows.len() as u32);
    let mut keys = Vec::with_capacity(rows.len() * 16);
    let mut scales = Vec::with_capacity(rows.len() * 4);
    let mut codes = Vec::with_capacity(rows.len() * dimension);
    for (key, vector) in rows {
        keys.extend_from_slice(key);
        let scale = vector.as_ref().map_or(f32::NAN, |vector| vector.scale);
        scales.extend_from_slice(&scale.to_le_bytes());
        match vector {
            Some(vector) => codes.extend(vector.codes.iter().map(|&code| code as u8)),
            None => codes.resize(codes.len() + dimension, 0),
        }
    }
    let mut sums = Writer::default();
    for block in codes.chunks((BLOCK_ROWS * dimension).max(1)) {
        sums.u64(checksum(block));
    }
    let section = |bytes, checked| Section { bytes, checked };
    assemble(
        MAGIC,
        &[
            section(&meta.bytes, true),
            section(&keys, true),
            section(&scales, true),
            section(&sums.bytes, true),
            section(&codes, false),
        ],
    )
}

impl Matrix {
    /// Maps a file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::of(Container::open(path, MAGIC)?)
            .map_err(|Malformed| OpenError::Damaged { path: path.to_owned() })
    }

    /// Takes bytes from [`encode_matrix`].
    pub fn in_memory(bytes: Vec<u8>) -> Result<Self> {
        Self::of(Container::in_memory(bytes, MAGIC)?)
    }

    fn of(container: Container) -> Result<Self> {
        let mut meta = Reader::new(container.section(META));
        let fingerprint = meta.text()?.to_owned();
        let dimension = meta.u32()? as usize;
        let rows = meta.u32()? as usize;
        let fits = container.section(KEYS).len() == rows * 16
            && container.section(SCALES).len() == rows * 4
            && container.section(CODES).len() == rows * dimension
            && container.section(SUMS).len() == rows.div_ceil(BLOCK_ROWS) * 8;
        if !fits {
            return Err(Malformed);
        }
        let checked = (0..rows.div_ceil(BLOCK_ROWS)).map(|_| AtomicBool::new(false)).collect();
        Ok(Self { container, fingerprint, dimension, rows, checked })
    }

    /// The model that made the vectors.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Components of a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> usize {
        self.container.size()
    }

    /// The key of a row.
    pub fn key(&self, row: usize) -> Key {
        let mut key = [0; 16];
        if let Some(bytes) = self.container.section(KEYS).get(row * 16..row * 16 + 16) {
            key.copy_from_slice(bytes);
        }
        key
    }

    /// The stored vector of a row; `None` if it is missing.
    ///
    /// # Errors
    /// [`Malformed`] if the block that holds it differs from what was written.
    pub fn vector(&self, row: usize) -> Result<Option<Encoded>> {
        let (scale, Some(codes)) = (self.scale(row), self.codes(row)) else { return Ok(None) };
        if scale.is_nan() {
            return Ok(None);
        }
        self.check_block(row / BLOCK_ROWS)?;
        Ok(Some(Encoded { scale, codes: codes.iter().map(|&code| code as i8).collect() }))
    }

    /// The wanted vectors that are here, in the order of the rows; `is_wanted` is asked for each row and
    /// its key. Looks through the keys instead of listing them: a few wanted ones cost no table of all.
    ///
    /// # Errors
    /// [`Malformed`] if a block that holds one of them differs from what was written.
    pub fn find(
        &self,
        mut is_wanted: impl FnMut(usize, &Key) -> bool,
    ) -> Result<Vec<(Key, Encoded)>> {
        let (keys, _) = self.container.section(KEYS).as_chunks::<16>();
        let wanted = keys.iter().enumerate().filter(|(row, key)| is_wanted(*row, key));
        let found = wanted.map(|(row, key)| Ok(self.vector(row)?.map(|vector| (*key, vector))));
        found.filter_map(Result::transpose).collect()
    }

    /// Whether every vector is what was written, whatever was found before.
    pub fn is_intact(&self) -> bool {
        (0..self.checked.len()).all(|block| self.is_block_intact(block) == Ok(true))
    }

    fn check_block(&self, block: usize) -> Result<()> {
        let checked = self.checked.get(block).ok_or(Malformed)?;
        if !checked.load(Ordering::Relaxed) {
            if !self.is_block_intact(block)? {
                return Err(Malformed);
            }
            checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_block_intact(&self, block: usize) -> Result<bool> {
        let size = BLOCK_ROWS * self.dimension;
        let codes = self.container.section(CODES);
        let end = codes.len().min((block + 1) * size);
        let codes = codes.get(block * size..end).ok_or(Malformed)?;
        let sums = self.container.section(SUMS).get(block * 8..).ok_or(Malformed)?;
        Ok(Reader::new(sums).u64()? == checksum(codes))
    }

    /// Whether a row still waits for its vector.
    pub fn is_missing(&self, row: usize) -> bool {
        self.scale(row).is_nan()
    }

    /// Cosine of the probe with every row; 0 where the vector is missing or zero.
    ///
    /// # Errors
    /// [`Malformed`] if any block differs from what was written.
    pub fn scan(&self, probe: &Probe) -> Result<Vec<f32>> {
        use rayon::prelude::*;
        if probe.values.len() != self.dimension || self.dimension == 0 {
            return Ok(vec![0.0; self.rows]);
        }
        let mut scores = vec![0f32; self.rows];
        let all = self.container.section(CODES);
        all.par_chunks(BLOCK_ROWS * self.dimension)
            .zip(scores.par_chunks_mut(BLOCK_ROWS))
            .enumerate()
            .with_min_len(FEW_BLOCKS)
            .try_for_each(|(block, (codes, scores))| {
                self.check_block(block)?;
                let rows = codes.chunks_exact(self.dimension).zip(scores).enumerate();
                for (index, (row, score)) in rows {
                    let end = (block * BLOCK_ROWS + index + 1) * self.dimension;
                    prefetch(all, end + AHEAD, self.dimension);
                    let scale = self.scale(block * BLOCK_ROWS + index);
                    if scale > 0.0 {
                        *score = dot(row, &probe.values) as f32 * scale * probe.scale;
                    }
                }
                Ok(())
            })?;
        Ok(scores)
    }

    /// Cosine of two rows of (possibly) different matrices.
    pub fn similarity(&self, row: usize, other: &Matrix, other_row: usize) -> f32 {
        let (Some(a), Some(b)) = (self.codes(row), other.codes(other_row)) else { return 0.0 };
        let (scale, other_scale) = (self.scale(row), other.scale(other_row));
        if a.len() != b.len() || scale.is_nan() || other_scale.is_nan() {
            return 0.0;
        }
        let b: Vec<i16> = b.iter().map(|&code| i16::from(code as i8)).collect();
        dot(a, &b) as f32 * scale * other_scale
    }

    fn scale(&self, row: usize) -> f32 {
        match self.container.section(SCALES).get(row * 4..row * 4 + 4) {
            Some(&[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => f32::NAN,
        }
    }

    fn codes(&self, row: usize) -> Option<&[u8]> {
        self.container.section(CODES).get(row * self.dimension..(row + 1) * self.dimension)
    }
}

/// Has the processor fetch what is read soon: it does not do so by itself across the borders of
/// pages, and waits for memory most of the time then.
fn prefetch(bytes: &[u8], from: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.get(from..from + count).unwrap_or_default().chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // A line of the cache has 64 bytes.
        // SAFETY: every x86-64 processor has the instruction, and the address is that of a slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, from, count);
}

/// Integer dot product of a row's codes and a probe.
fn dot(row: &[u8], probe: &[i16]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which is all that `dot_avx2` asks for.
        return unsafe { dot_avx2(row, probe) };
    }
    dot_plain(row, probe)
}

/// The same loop as [`dot_plain`], compiled for 32-byte registers (sign-extend, multiply-add).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(row: &[u8], probe: &[i16]) -> i32 {
    dot_plain(row, probe)
}

#[inline(always)]
fn dot_plain(row: &[u8], probe: &[i16]) -> i32 {
    row.iter().zip(probe).map(|(&code, &value)| i32::from(code as i8) * i32::from(value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(mut vector: Vec<f32>) -> Vec<f32> {
        let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= norm.max(1e-6));
        vector
    }

    fn matrix(rows: &[(Key, Option<Encoded>)]) -> Matrix {
        Matrix::in_memory(encode_matrix("test", 8, rows)).expect("just written")
    }

    proptest! {
        #[test]
        fn scan_is_close_to_cosine(
            a in prop::collection::vec(-1f32..1.0, 8),
            b in prop::collection::vec(-1f32..1.0, 8),
        ) {
            let (a, b) = (unit(a), unit(b));
            let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            let scores = matrix(&[([1; 16], Some(Encoded::new(&a)))]).scan(&Probe::new(&b));
            prop_assert!((scores.unwrap()[0] - exact).abs() < 0.02);
        }
    }

    #[test]
    fn missing_and_zero_vectors_score_nothing() {
        let zero = Encoded::new(&[0.0; 8]);
        assert!(zero.is_sane(8));
        let matrix = matrix(&[([1; 16], None), ([2; 16], Some(zero))]);
        assert!(matrix.is_missing(0) && !matrix.is_missing(1));
        assert_eq!(matrix.scan(&Probe::new(&[0.5; 8])), Ok(vec![0.0, 0.0]));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let rows: Vec<_> = (0..3u8)
            .map(|n| ([n; 16], Some(Encoded::new(&unit(vec![f32::from(n) + 1.0; 8])))))
            .collect();
        let bytes = encode_matrix("test", 8, &rows);
        let probe = Probe::new(&[0.5; 8]);
        let right = matrix(&rows).scan(&probe);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Padding between sections is nobody's data: there the answer stays right.
            if let Ok(matrix) = Matrix::in_memory(damaged) {
                let scores = matrix.scan(&probe);
                assert!(scores.is_err() || scores == right, "bit {bit}");
            }
        }
    }

    #[test]
    fn wanted_rows_are_found_and_checked() {
        let vector =
            |n: usize| Encoded::new(&unit(vec![n as f32 + 1.0, 1.0, 0., 0., 0., 0., 0., 0.]));
        let key = |n: usize| [n as u8; 16];
        let rows: Vec<_> = (0..150).map(|n| (key(n), (n != 3).then(|| vector(n)))).collect();
        let bytes = encode_matrix("test", 8, &rows);
        let find = |bytes: &[u8], wanted: &[usize]| {
            let wanted: Vec<Key> = wanted.iter().map(|&n| key(n)).collect();
            let matrix = Matrix::in_memory(bytes.to_vec()).expect("the head is whole");
            matrix.find(|_, key| wanted.contains(key))
        };
        let expected = |numbers: &[usize]| {
            Ok(numbers.iter().map(|&n| (key(n), vector(n))).collect::<Vec<_>>())
        };
        assert_eq!(find(&bytes, &[]), expected(&[]));
        // A row without its vector and keys of others are not found.
        assert_eq!(find(&bytes, &[149, 3, 64, 0, 200]), expected(&[0, 64, 149]));
        let mut damaged = bytes;
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        assert_eq!(find(&damaged, &[0, 127]), expected(&[0, 127]), "in blocks that are whole");
        assert_eq!(find(&damaged, &[0, 128]), Err(Malformed));
    }

    #[test]
    fn insane_vectors_are_told() {
        assert!(!Encoded { scale: f32::NAN, codes: vec![1; 8] }.is_sane(8));
        assert!(!Encoded { scale: 1.0, codes: vec![100; 8] }.is_sane(8));
        assert!(!Encoded { scale: 0.1, codes: vec![1; 7] }.is_sane(8));
    }
}
