//! What a model looks like: its sizes, its options and the limits on both.
//!
//! Shared by those who read a folder and those who read a packed file; it knows neither.

use super::{math::Activation, vocabulary::MOST_PIECES};
use crate::tokenizer::Options;

/// Characters of a word that is looked up: the most that a model may ask for.
pub const MOST_CHARACTERS: usize = 1_000;

/// How weights are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Eight bits, one scale per row of the table of words and per output of a layer: a quarter of
    /// the size, several times the speed.
    Int8,
    /// As in the model's folder.
    F32,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    Mean,
    /// That of the first token.
    Cls,
    /// The largest of each component.
    Max,
}

/// A model, but for its weights and words.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub precision: Precision,
    /// Components of a vector.
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    /// Width of a feed-forward layer.
    pub inner: usize,
    /// Word pieces.
    pub pieces: usize,
    /// Tokens of a text that count, `[CLS]` and `[SEP]` included.
    pub tokens: usize,
    /// Stretches of `tokens` that count in a longer text; its vector is their mean.
    pub windows: usize,
    pub activation: Activation,
    pub pooling: Pooling,
    /// Added to a variance before the root is taken.
    pub epsilon: f32,
    pub options: Options,
    /// The ids of `[CLS]` and `[SEP]`.
    pub cls: u32,
    pub sep: u32,
    /// Bytes of the longest piece and of all pieces.
    pub longest_piece: usize,
    pub spelling_bytes: usize,
    /// Bytes of the list of special tokens.
    pub special_bytes: usize,
}

impl Shape {
    /// Components of a head.
    pub fn head(&self) -> usize {
        self.hidden / self.heads
    }

    /// The first size that is out of bounds: its name, its value and what it may be.
    pub fn out_of_bounds(&self) -> Option<(&'static str, usize, String)> {
        let pieces = self.pieces;
        let sizes = [
            ("hidden_size", self.hidden, 16, 4_096),
            ("num_hidden_layers", self.layers, 1, 64),
            ("num_attention_heads", self.heads, 1, 128),
            ("intermediate_size", self.inner, 16, 16_384),
            ("vocab_size", pieces, 1, MOST_PIECES),
            ("max_seq_length", self.tokens, 3, 512),
            ("windows", self.windows, 1, 64),
            ("max_input_chars_per_word", self.options.longest_word, 1, MOST_CHARACTERS),
            ("[UNK]", self.options.unknown as usize, 0, pieces.saturating_sub(1)),
            ("[CLS]", self.cls as usize, 0, pieces.saturating_sub(1)),
            ("[SEP]", self.sep as usize, 0, pieces.saturating_sub(1)),
            ("longest word piece", self.longest_piece, 0, 1 << 12),
            ("bytes of all word pieces", self.spelling_bytes, 0, 1 << 26),
            ("bytes of special tokens", self.special_bytes, 0, 1 << 16),
        ];
        let found = sizes.into_iter().find(|(_, size, least, most)| size < least || size > most);
        if let Some((name, size, least, most)) = found {
            return Some((name, size, format!("{least} to {most}")));
        }
        if !self.hidden.is_multiple_of(self.heads) {
            let expected = format!("a divisor of {}", self.hidden);
            return Some(("num_attention_heads", self.heads, expected));
        }
        // Scores of a head are summed in 32 bits.
        (self.head() > 256)
            .then(|| ("hidden_size / num_attention_heads", self.head(), "1 to 256".to_owned()))
    }
}
