//! Text -> vectors.
//!
//! Owns what every embedder promises ([`Embedder`]) and the embedders themselves. It knows no
//! store, no configuration and no notes: whoever builds an embedder hands it what it needs.

use std::{borrow::Cow, error::Error, fmt};

pub mod builtin;

/// Turns texts into unit vectors.
pub trait Embedder: Send + Sync {
    /// Identifies model, revision, dimension and preprocessing. Part of every vector's key, so two
    /// embedders share it only if they give the same vector for every text.
    fn fingerprint(&self) -> &Fingerprint;

    /// Components of a vector.
    fn dimension(&self) -> usize;

    /// One vector of [`Embedder::dimension`] components per text, in order: unit length, or zero
    /// for a text without known words.
    ///
    /// # Errors
    /// When the model can't be reached or answers with something else than vectors. The built-in
    /// embedder never fails.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
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
