//! Text -> vectors, and language models.
//!
//! Owns what every embedder promises ([`Embedder`]), the embedders that run in this process (the
//! built-in one and sentence transformers) and those that are asked over HTTP ([`remote`]), and
//! language models, whoever runs them ([`llm`]). It knows no store, no configuration and no notes:
//! whoever builds a model hands it what it needs. Optimised in every profile, for the arithmetic.

use std::{borrow::Cow, error::Error, fmt};

pub mod bert;
pub mod builtin;
pub mod llm;
pub mod remote;
mod thresholds;
mod tokenizer;

pub use thresholds::{Belief, Features, LearnThresholds, SearchThresholds};

/// The dot product, which is the cosine of unit vectors.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Turns texts into unit vectors.
pub trait Embedder: Send + Sync {
    /// Identifies model, revision, dimension and preprocessing. Part of every vector's key, so two
    /// embedders share it only if they give the same vector for every text.
    fn fingerprint(&self) -> &Fingerprint;

    /// Components of a vector.
    fn dimension(&self) -> usize;

    /// What asking costs.
    fn pace(&self) -> Pace;

    /// What counts as near for its vectors.
    fn thresholds(&self) -> SearchThresholds {
        SearchThresholds::UNMEASURED
    }

    /// What counts as near when something is learnt.
    fn near(&self) -> LearnThresholds {
        LearnThresholds::UNMEASURED
    }

    /// One vector of [`Embedder::dimension`] components per text, in order: unit length, or zero
    /// for a text without known words. A failure of some texts leaves the others their vectors.
    fn embed(&self, texts: &[&str], role: Role) -> Embedded;

    /// The vector of a question.
    ///
    /// # Errors
    /// When the model can't be reached or gives no vector. The built-in embedder never fails.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let Embedded { vectors, failure } = self.embed(&[text], Role::Query);
        match (vectors.into_iter().next().flatten(), failure) {
            (Some(vector), _) => Ok(vector),
            (None, Some(failure)) => Err(failure),
            (None, None) => {
                Err(EmbedError::new(self.fingerprint(), "the model gave no vector for the text"))
            }
        }
    }
}

impl<E: Embedder + ?Sized> Embedder for &E {
    fn fingerprint(&self) -> &Fingerprint {
        (**self).fingerprint()
    }

    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn pace(&self) -> Pace {
        (**self).pace()
    }

    fn thresholds(&self) -> SearchThresholds {
        (**self).thresholds()
    }

    fn near(&self) -> LearnThresholds {
        (**self).near()
    }

    fn embed(&self, texts: &[&str], role: Role) -> Embedded {
        (**self).embed(texts, role)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        (**self).embed_query(text)
    }
}

/// What a text is to be compared as: some models want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A question.
    Query,
    /// A text that may answer one.
    Document,
}

/// What asking an embedder costs, and so who may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Microseconds: anybody, at any time.
    Instant,
    /// Milliseconds of this machine's time: hooks never, searches a few texts.
    Slow,
    /// Another program or machine, perhaps money: documents only when `index` is told to.
    Remote,
}

/// What became of texts.
#[derive(Debug, Default)]
pub struct Embedded {
    /// One per text, in order; `None` where there is no vector.
    pub vectors: Vec<Option<Vec<f32>>>,
    /// Why some are missing.
    pub failure: Option<EmbedError>,
}

impl Embedded {
    /// Every text got its vector.
    pub fn all(vectors: Vec<Vec<f32>>) -> Self {
        Self { vectors: vectors.into_iter().map(Some).collect(), failure: None }
    }
}

/// Names an embedder, see [`Embedder::fingerprint`]. Printable ASCII by convention.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(Cow<'static, str>);

impl Fingerprint {
    pub fn new(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    pub const fn from_static(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why texts could not be embedded.
#[derive(Debug, thiserror::Error)]
#[error("embedding with `{fingerprint}` failed: {cause}")]
pub struct EmbedError {
    /// The embedder that failed.
    pub fingerprint: Fingerprint,
    #[source]
    pub cause: Box<dyn Error + Send + Sync>,
}

impl EmbedError {
    /// A failure of that embedder.
    pub fn new(fingerprint: &Fingerprint, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { fingerprint: fingerprint.clone(), cause: cause.into() }
    }
}
