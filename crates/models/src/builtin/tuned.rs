//! The built-in model with a repository's own words: what to add for each of some words, learnt from
//! another model (`learn`).
//!
//! Owns the form of such a table, and vectors made with one. A table lies in a repository, so it is
//! data from outside: nothing of it is used unless all of it is as this program writes it.
//!
//! All numbers are little-endian: [`MAGIC`], the hash of the built-in model's fingerprint (8 bytes),
//! the number of words (u32), and for each word, in order and none twice, the number of its pieces
//! (u16), their ids (u16 each), a scale (f32) and 256 components (int8).

use std::{cmp::Ordering, ops::ControlFlow};

use rayon::prelude::*;

use super::{
    Builtin, MAX_TOKENS, add_row, normalise,
    piece::{PAD, UNKNOWN},
    table::{self, DIMENSION},
    wordpiece,
};
use crate::{
    EmbedError, Embedded, Embedder, Fingerprint, LearnThresholds, Pace, Role, SearchThresholds,
};

/// Bytes of the largest table.
pub const MOST_BYTES: usize = 1 << 20;
/// Hexadecimal digits of a [`digest`].
pub const DIGITS: usize = 16;
/// Pieces of a word that can have a row.
pub const MOST_PIECES: usize = 12;
/// A row is no longer than so many times the longest one of the built-in model: no word of a table
/// drowns all others.
const MOST_LENGTH: f32 = 2.0;

const MAGIC: &[u8; 8] = b"elwords1";

/// A table that is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    #[error("it is larger than {MOST_BYTES} bytes")]
    TooLarge,
    #[error("it is no table of words")]
    NoTable,
    #[error("it was made for another built-in model")]
    OtherModel,
    #[error("it is cut short or damaged")]
    Damaged,
    #[error("it is not what its name says")]
    OtherTable,
    #[error("a word of it is none of the built-in model's, or not in its place")]
    Word,
    #[error("a vector of it is not finite or too long")]
    Vector,
}

/// What is added for some words, by their pieces.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The pieces of all words, one word after the other.
    pieces: Vec<u16>,
    /// Where those of each word end.
    ends: Vec<u32>,
    scales: Vec<f32>,
    rows: Vec<[u8; DIMENSION]>,
}

impl Words {
    /// A table of words, each with what is added for it. A row of zeros is left out, and so is a word
    /// that no table may hold.
    pub fn new(mut words: Vec<(Vec<u16>, [f32; DIMENSION])>) -> Self {
        words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        words.dedup_by(|a, b| a.0 == b.0);
        let mut table = Self::default();
        for (pieces, vector) in &words {
            let largest = vector.iter().fold(0.0f32, |most, it| most.max(it.abs()));
            let scale = largest / 127.0;
            let row = vector.map(|it| (it / scale).round().clamp(-127.0, 127.0) as i8 as u8);
            if scale > 0.0 && is_word(pieces) && is_sane(scale, &row) {
                table.push(pieces, scale, row);
            }
        }
        table
    }

    /// Reads a table that may be anything.
    ///
    /// # Errors
    /// When it is not as [`Words::to_bytes`] writes it.
    pub fn read(bytes: &[u8]) -> Result<Self, TableError> {
        if bytes.len() > MOST_BYTES {
            return Err(TableError::TooLarge);
        }
        let mut rest = bytes;
        if take::<8>(&mut rest).ok() != Some(MAGIC) {
            return Err(TableError::NoTable);
        }
        if *take::<8>(&mut rest)? != model() {
            return Err(TableError::OtherModel);
        }
        let count = u32::from_le_bytes(*take(&mut rest)?);
        let mut table = Self::default();
        let mut last: Vec<u16> = Vec::new();
        for _ in 0..count {
            let length = usize::from(u16::from_le_bytes(*take(&mut rest)?));
            if length > MOST_PIECES {
                return Err(TableError::Word);
            }
            let mut pieces = Vec::with_capacity(length);
            for _ in 0..length {
                pieces.push(u16::from_le_bytes(*take(&mut rest)?));
            }
            if !is_word(&pieces) || last.cmp(&pieces) != Ordering::Less {
                return Err(TableError::Word);
            }
            let scale = f32::from_le_bytes(*take(&mut rest)?);
            let row = *take(&mut rest)?;
            if !is_sane(scale, &row) {
                return Err(TableError::Vector);
            }
            table.push(&pieces, scale, row);
            last = pieces;
        }
        if rest.is_empty() { Ok(table) } else { Err(TableError::Damaged) }
    }

    /// The table as [`Words::read`] takes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [MAGIC.as_slice(), &model(), &(self.len() as u32).to_le_bytes()].concat();
        for word in 0..self.len() {
            let pieces = self.word(word);
            bytes.extend((pieces.len() as u16).to_le_bytes());
            bytes.extend(pieces.iter().flat_map(|piece| piece.to_le_bytes()));
            bytes.extend(self.scales[word].to_le_bytes());
            bytes.extend(self.rows[word]);
        }
        bytes
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, pieces: &[u16], scale: f32, row: [u8; DIMENSION]) {
        self.pieces.extend(pieces);
        self.ends.push(self.pieces.len() as u32);
        self.scales.push(scale);
        self.rows.push(row);
    }

    fn word(&self, word: usize) -> &[u16] {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.pieces[start as usize..self.ends[word] as usize]
    }

    /// Adds what the table has for the word of these pieces.
    fn add(&self, sum: &mut [f32; DIMENSION], ids: &[u32]) {
        let Some(word) = self.find(ids) else { return };
        for (component, &byte) in sum.iter_mut().zip(&self.rows[word]) {
            *component += f32::from(byte.cast_signed()) * self.scales[word];
        }
    }

    /// The number of the word of these pieces: words are in order.
    fn find(&self, ids: &[u32]) -> Option<usize> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            let pieces = self.word(middle).iter().map(|&piece| u32::from(piece));
            match pieces.cmp(ids.iter().copied()) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => to = middle,
            }
        }
        None
    }
}

/// The hash of the built-in model's fingerprint.
fn model() -> [u8; 8] {
    let hash = blake3::hash(table::FINGERPRINT.as_bytes());
    *hash.as_bytes().first_chunk().unwrap_or(&[0; 8])
}

fn take<'b, const N: usize>(rest: &mut &'b [u8]) -> Result<&'b [u8; N], TableError> {
    let (first, others) = rest.split_first_chunk().ok_or(TableError::Damaged)?;
    *rest = others;
    Ok(first)
}

fn is_word(pieces: &[u16]) -> bool {
    let is_known = |&piece: &u16| {
        let piece = u32::from(piece);
        piece != PAD && piece != UNKNOWN && (piece as usize) < table::rows()
    };
    (1..=MOST_PIECES).contains(&pieces.len()) && pieces.iter().all(is_known)
}

fn is_sane(scale: f32, row: &[u8; DIMENSION]) -> bool {
    let length = length(scale, row);
    scale.is_normal()
        && scale > 0.0
        && length.is_finite()
        && length <= MOST_LENGTH * table::LONGEST_ROW
}

fn length(scale: f32, row: &[u8; DIMENSION]) -> f32 {
    let square = |byte: &u8| i32::from(byte.cast_signed()) * i32::from(byte.cast_signed());
    (row.iter().map(square).sum::<i32>() as f32).sqrt() * scale
}

/// Hands over the known words of a text, each by its pieces, as many as are embedded.
pub(super) fn words(text: &str, mut sink: impl FnMut(&[u32])) {
    let mut left = MAX_TOKENS;
    let _ = wordpiece::scan(text, |ids| {
        if !ids.iter().any(|&id| id == PAD || id == UNKNOWN) {
            let kept = &ids[..ids.len().min(left)];
            left -= kept.len();
            sink(kept);
        }
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

/// What tells tables apart: [`DIGITS`] hexadecimal digits of the hash of the bytes.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..DIGITS].to_owned()
}

/// The built-in model with a table of words.
#[derive(Debug, Clone)]
pub struct Tuned {
    words: Words,
    fingerprint: Fingerprint,
}

impl Tuned {
    pub fn new(words: Words) -> Self {
        let digest = digest(&words.to_bytes());
        Self::named(words, &digest)
    }

    /// The model with a table that may be anything, if it is the one of that digest.
    ///
    /// # Errors
    /// When the bytes are not as [`Words::to_bytes`] writes them, or are another table.
    pub fn read(bytes: &[u8], named: &str) -> Result<Self, TableError> {
        let words = Words::read(bytes)?;
        match digest(bytes) == named {
            true => Ok(Self::named(words, named)),
            false => Err(TableError::OtherTable),
        }
    }

    /// Vectors of two tables never meet: the fingerprint names the table.
    fn named(words: Words, digest: &str) -> Self {
        let fingerprint = Fingerprint::new(format!("{}+{digest}", table::FINGERPRINT));
        Self { words, fingerprint }
    }

    /// Whether a fingerprint is that of the built-in model with a table, whichever.
    pub fn is_of(fingerprint: &Fingerprint) -> bool {
        let rest = fingerprint.as_str().strip_prefix(table::FINGERPRINT);
        rest.is_some_and(|rest| rest.starts_with('+'))
    }

    /// The vector of `text`, at unit length; zero if no word is known.
    pub fn embed_one(&self, text: &str) -> Vec<f32> {
        let mut sum = [0.0; DIMENSION];
        words(text, |ids| {
            ids.iter().for_each(|&id| add_row(&mut sum, id));
            self.words.add(&mut sum, ids);
        });
        normalise(&mut sum);
        sum.to_vec()
    }
}

impl Embedder for Tuned {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn pace(&self) -> Pace {
        Pace::Instant
    }

    fn thresholds(&self) -> SearchThresholds {
        Builtin.thresholds()
    }

    fn near(&self) -> LearnThresholds {
        Builtin.near()
    }

    /// Never fails. Uses all threads of the current rayon pool.
    fn embed(&self, texts: &[&str], _: Role) -> Embedded {
        const TEXTS_PER_JOB: usize = 16;
        let texts = texts.par_iter().with_min_len(TEXTS_PER_JOB);
        Embedded::all(texts.map(|text| self.embed_one(text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed_one(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(word: &str) -> Vec<u16> {
        let mut ids = Vec::new();
        wordpiece::token_ids(word, &mut ids);
        ids.iter().map(|&id| id as u16).collect()
    }

    fn some() -> Words {
        let row = |by: f32| std::array::from_fn(|at| by * (at as f32 / 256.0 - 0.5));
        Words::new(
            [("otter", 0.1), ("kubernetes", 0.2), ("kubectl", -0.1)]
                .map(|(word, by)| (pieces(word), row(by)))
                .to_vec(),
        )
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = some().to_bytes();
        let read = Words::read(&bytes).unwrap();
        assert_eq!(read.len(), 3);
        assert_eq!(read.to_bytes(), bytes);
        let (written, read) = (Tuned::new(some()), Tuned::new(read));
        assert_eq!(written.fingerprint(), read.fingerprint());
        let named = Tuned::read(&bytes, &digest(&bytes)).unwrap();
        assert_eq!(named.fingerprint(), read.fingerprint());
        assert_eq!(Tuned::read(&bytes, "0").err(), Some(TableError::OtherTable));
        assert!(Tuned::is_of(read.fingerprint()) && !Tuned::is_of(Builtin.fingerprint()));
        for text in ["an otter", "kubectl of Kubernetes", "nothing of it"] {
            assert_eq!(written.embed_one(text), read.embed_one(text), "{text}");
            let is_same = read.embed_one(text) == Builtin.embed_one(text);
            assert_eq!(is_same, text.starts_with("nothing"), "{text}");
        }
        assert_eq!(
            Tuned::new(Words::default()).embed_one("an otter"),
            Builtin.embed_one("an otter")
        );
    }

    #[test]
    fn a_table_that_is_not_as_it_is_written_is_refused() {
        let bytes = some().to_bytes();
        for length in 0..bytes.len() {
            assert!(Words::read(&bytes[..length]).is_err(), "{length}");
        }
        let with = |at: usize, new: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + new.len()].copy_from_slice(new);
            Words::read(&bytes).map(|words| words.len())
        };
        let first = 20;
        let length = usize::from(u16::from_le_bytes([bytes[first], bytes[first + 1]]));
        let scale = first + 2 + 2 * length;
        for (at, new, expected) in [
            (0, &b"x"[..], TableError::NoTable),
            (8, &[0; 8], TableError::OtherModel),
            (16, &2u32.to_le_bytes(), TableError::Damaged),
            (16, &u32::MAX.to_le_bytes(), TableError::Damaged),
            (first, &0u16.to_le_bytes(), TableError::Word),
            (first, &u16::MAX.to_le_bytes(), TableError::Word),
            (first + 2, &1u16.to_le_bytes(), TableError::Word),
            (first + 2, &u16::MAX.to_le_bytes(), TableError::Word),
            // No longer before the next one.
            (first + 2, &29_000u16.to_le_bytes(), TableError::Word),
            (scale, &f32::NAN.to_le_bytes(), TableError::Vector),
            (scale, &f32::INFINITY.to_le_bytes(), TableError::Vector),
            (scale, &(-1f32).to_le_bytes(), TableError::Vector),
            (scale, &0f32.to_le_bytes(), TableError::Vector),
            (scale, &1e-42f32.to_le_bytes(), TableError::Vector),
            (scale, &1e30f32.to_le_bytes(), TableError::Vector),
        ] {
            assert_eq!(with(at, new), Err(expected), "{at} {new:?}");
        }
        assert_eq!(Words::read(&[&bytes[..], b"x"].concat()).err(), Some(TableError::Damaged));
        let large = vec![0; MOST_BYTES + 1];
        assert_eq!(Words::read(&large).err(), Some(TableError::TooLarge));
    }
}
