//! Sentence transformers of the BERT family, computed here: the shipped all-MiniLM-L6-v2, and any
//! other from a local folder.
//!
//! Owns the way from a text to its vector: tokenise, cut to what the model reads, encode many texts
//! together, pool, scale to unit length (Reimers and Gurevych 2019, "Sentence-BERT"; Wang et al.
//! 2020, "MiniLM"). It opens no connection and knows no settings. What the shipped model is, what
//! it was made from and what it scores is in `assets/minilm/README.md`.
//!
//! From folder to vector, in the order of the files: `safetensors`, `folder` and `words` read what
//! comes from outside, `pack` turns it into one file, `format` says where things lie in it,
//! `vocabulary` and the crate's `tokenizer` give ids, `encoder` and `attention` vectors, with the arithmetic of
//! `kernels` and `math`.
//!
//! The same packed file and text give the same bits on every machine, see `kernels` and `math`.

use std::{fmt, path::Path, sync::OnceLock};

use memmap2::Mmap;
use rayon::prelude::*;

mod attention;
mod encoder;
mod error;
mod folder;
mod format;
mod kernels;
mod math;
mod pack;
mod safetensors;
mod shape;
mod vocabulary;
mod words;

pub use error::ModelError;
pub use pack::pack;
pub use shape::Precision;

use super::{
    Belief, EmbedError, Embedded, Embedder, Features, Fingerprint, LearnThresholds, Pace, Role,
    SearchThresholds, tokenizer,
};
use elophanto_base::regular::follow;
use encoder::{Model, Scratch, encode};
use format::Plan;
use kernels::Isa;
use shape::{MOST_CHARACTERS, Shape};
use vocabulary::Vocabulary;

/// Room for words of as many characters as [`Shape`] allows.
type Tokenizer<'a> = tokenizer::Tokenizer<
    'a,
    Vocabulary<'a>,
    { 4 * (MOST_CHARACTERS + 1) + tokenizer::WINDOW },
    MOST_CHARACTERS,
>;

/// Tokens that are encoded together: enough to use each weight often while it is in the cache, few
/// enough for what is between the layers to stay there too.
const BATCH_TOKENS: usize = 512;

/// The shipped model's, by `eval --thresholds`: cranfield against mtrag-cloud gives 0.10, 0.37 and
/// 0.97, the other way round 0.08, 0.28 and 0.96.
const MINILM_PROFILE: SearchThresholds = SearchThresholds {
    semantic_weight: 0.5,
    nothing: 0.1,
    relevant: 0.32,
    near_duplicate: 0.97,
    belief: Belief {
        bias: -7.3,
        weights: Features {
            coverage: 1.5,
            proximity: 1.6,
            cosine: 4.8,
            static_cosine: 0.0,
            words: 1.7,
            window: 3.4,
            length: 1.6,
        },
        sure: 1.0,
        nothing: -1.5,
    },
    lessons: Belief {
        bias: -13.3,
        weights: Features {
            coverage: 5.8,
            proximity: 0.0,
            cosine: 27.6,
            static_cosine: 0.0,
            words: 2.4,
            window: 0.0,
            length: 4.5,
        },
        sure: 1.0,
        nothing: -2.0,
    },
};

/// The shipped model's, chosen and measured as those of the built-in one. Precision and recall:
/// `relevant` 0.71 and 0.98, `same_fact` 0.95 and 0.74, `covers` 0.70 and 0.68, `follow_up` 0.94
/// and 0.36.
const MINILM_NEAR: LearnThresholds = LearnThresholds {
    relevant: 0.17,
    same_fact: 0.75,
    covers: 0.41,
    follow_up: 0.47,
    same_lesson: 0.7,
};

/// The shipped model, on a cache-line border.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static MINILM: &Aligned<[u8]> = &Aligned(*include_bytes!("../../../../assets/minilm/model.bin"));

/// A sentence transformer, ready to use. Its tables are used where they lie, in the executable or
/// in a mapped file; making one reads a header.
pub struct Bert {
    bytes: Bytes,
    shape: Shape,
    plan: Plan,
    specials: Vec<(String, u32)>,
    fingerprint: Fingerprint,
    isa: Isa,
}

enum Bytes {
    Static(&'static [u8]),
    Mapped(Mmap),
    /// A number of bytes, and the words that hold them.
    Owned(usize, Vec<u64>),
}

impl Bytes {
    fn get(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Mapped(map) => map,
            Self::Owned(length, words) => {
                // SAFETY: the words are initialised, and bytes have no alignment.
                let all = unsafe {
                    std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), size_of_val(&words[..]))
                };
                &all[..*length]
            }
        }
    }
}

impl fmt::Debug for Bert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, fingerprint, .. } = self;
        formatter
            .debug_struct("Bert")
            .field("fingerprint", fingerprint)
            .field("shape", shape)
            .finish()
    }
}

impl Bert {
    /// The shipped model: all-MiniLM-L6-v2, 384 components, the first 256 tokens of a text.
    /// Costs a few microseconds the first time and nothing later.
    pub fn minilm() -> &'static Self {
        static SHIPPED: OnceLock<Bert> = OnceLock::new();
        SHIPPED.get_or_init(|| {
            let shipped = Self::new(Bytes::Static(&MINILM.0), "minilm");
            shipped.expect("the shipped model is whole, a test reads it")
        })
    }

    /// Opens a file that [`pack`] made, by mapping it: only what texts touch is ever read. Checks
    /// that header and length fit each other, not each byte: see [`Bert::verify`].
    ///
    /// # Errors
    /// When the file can't be read or is no packed model.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let read = |cause| ModelError::Read { path: path.to_owned(), source: cause };
        let file = follow(path).map_err(read)?;
        let damaged = |reason| ModelError::Damaged { path: path.to_owned(), reason };
        if file.metadata().map_err(read)?.len() == 0 {
            return Err(damaged("it is empty".to_owned()));
        }
        // SAFETY: packed files are written once and replaced by a rename, never changed. Should
        // another program do so all the same, wrong vectors are the worst (any bytes are valid
        // tables), or the end of this process if the file is cut short.
        let map = unsafe { Mmap::map(&file) }.map_err(read)?;
        Self::new(Bytes::Mapped(map), "bert").map_err(damaged)
    }

    /// A model out of what [`pack`] returned.
    ///
    /// # Errors
    /// As [`Bert::open`].
    pub fn from_packed(bytes: &[u8]) -> Result<Self, ModelError> {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain([&last]).map(|word| u64::from_ne_bytes(*word)).collect();
        let damaged = |reason| ModelError::Damaged { path: "packed model".into(), reason };
        Self::new(Bytes::Owned(bytes.len(), words), "bert").map_err(damaged)
    }

    fn new(bytes: Bytes, name: &str) -> Result<Self, String> {
        let file = bytes.get();
        let (shape, plan) = format::read_header(file)?;
        if file.as_ptr().align_offset(4) != 0 {
            return Err("it lies at an odd address".to_owned());
        }
        let specials = format::read_specials(plan.specials.of(file), shape.pieces)
            .ok_or("its list of special tokens is damaged")?;
        let digest = format::stated_digest(file).unwrap_or_default();
        let digest: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let fingerprint = Fingerprint::new(format!("{name}-{digest}-{}", shape.hidden));
        Ok(Self { bytes, shape, plan, specials, fingerprint, isa: Isa::best() })
    }

    /// Whether every byte is what it was when the file was packed. Reads all of it.
    pub fn verify(&self) -> bool {
        let file = self.bytes.get();
        format::stated_digest(file) == Some(format::digest(file))
    }

    /// Tokens of a text that count, `[CLS]` and `[SEP]` included.
    pub fn max_tokens(&self) -> usize {
        self.shape.tokens
    }

    /// How many tokens `text` has, `[CLS]` and `[SEP]` included.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.tokenizer().map_or(0, |tokenizer| tokenizer.count(text)) + 2
    }

    /// The vector of `text` at unit length, computed on the calling thread.
    pub fn embed_one(&self, text: &str) -> Vec<f32> {
        let ids = self.ids(text);
        let ids: Vec<&[u32]> = ids.iter().map(Vec::as_slice).collect();
        self.join(encode(self.model(), &ids, &mut Scratch::default()))
    }

    /// One vector per text, in order, at unit length. Uses all threads of the current rayon pool if
    /// there is work for more than one. Which texts come together makes no difference to their
    /// vectors.
    pub fn embed_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let windows: Vec<Vec<Vec<u32>>> =
            texts.par_iter().with_min_len(16).map(|text| self.ids(text)).collect();
        let vectors: Vec<Vec<Vec<f32>>> = batches(&windows)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, batch| {
                let ids: Vec<&[u32]> = batch.iter().flatten().map(Vec::as_slice).collect();
                let mut vectors = encode(self.model(), &ids, scratch).into_iter();
                let windows = batch.iter().map(Vec::len);
                windows.map(|count| self.join(vectors.by_ref().take(count).collect())).collect()
            })
            .collect();
        vectors.into_iter().flatten().collect()
    }

    fn model(&self) -> Model<'_> {
        Model { shape: &self.shape, plan: &self.plan, file: self.bytes.get(), isa: self.isa }
    }

    fn tokenizer(&self) -> Option<Tokenizer<'_>> {
        let (file, plan) = (self.bytes.get(), &self.plan);
        let (ends, spellings) = (plan.ends.of(file), plan.spellings.of(file));
        let longest = self.shape.longest_piece;
        let vocabulary = Vocabulary::new(ends, spellings, plan.slots.of(file), longest)?;
        Some(Tokenizer { options: self.shape.options, vocabulary, specials: &self.specials })
    }

    /// The ids of a text, one list for each window.
    fn ids(&self, text: &str) -> Vec<Vec<u32>> {
        let Shape { tokens, windows, cls, sep, .. } = self.shape;
        let room = tokens - 2;
        let ids = self.tokenizer().map(|tokenizer| tokenizer.ids(text, room * windows));
        let ids = ids.unwrap_or_default();
        let frame = |window: &[u32]| [&[cls], window, &[sep]].concat();
        if ids.is_empty() { vec![frame(&[])] } else { ids.chunks(room).map(frame).collect() }
    }

    /// One vector of those of a text's windows.
    fn join(&self, mut vectors: Vec<Vec<f32>>) -> Vec<f32> {
        let Some(mut sum) = vectors.pop() else { return vec![0.0; self.shape.hidden] };
        if !vectors.is_empty() {
            for vector in &vectors {
                sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += *x);
            }
            math::normalise(&mut sum);
        }
        sum
    }
}

impl Embedder for Bert {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn dimension(&self) -> usize {
        self.shape.hidden
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn thresholds(&self) -> SearchThresholds {
        if std::ptr::eq(self, Self::minilm()) {
            MINILM_PROFILE
        } else {
            SearchThresholds::UNMEASURED
        }
    }

    fn near(&self) -> LearnThresholds {
        if std::ptr::eq(self, Self::minilm()) { MINILM_NEAR } else { LearnThresholds::UNMEASURED }
    }

    /// Never fails, see [`Bert::embed_all`]. Questions and documents are embedded alike.
    fn embed(&self, texts: &[&str], _: Role) -> Embedded {
        let vectors = self.embed_all(texts).into_iter().map(Some).collect();
        Embedded { vectors, failure: None }
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed_one(text))
    }
}

/// Neighbouring texts of together about [`BATCH_TOKENS`] tokens.
fn batches(texts: &[Vec<Vec<u32>>]) -> Vec<&[Vec<Vec<u32>>]> {
    let mut batches = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        let more: usize = text.iter().map(Vec::len).sum();
        if tokens > 0 && tokens + more > BATCH_TOKENS {
            batches.push(&texts[start..at]);
            (start, tokens) = (at, 0);
        }
        tokens += more;
    }
    if start < texts.len() {
        batches.push(&texts[start..]);
    }
    batches
}

#[cfg(test)]
mod tests;
