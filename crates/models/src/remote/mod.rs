//! Models that are asked over HTTP.
//!
//! Owns what servers of models want to hear and what of their answers is believed: batches, what
//! happens to those that fail, prefixes, known models, and names for fingerprints. It knows no
//! settings and no keys: it is handed a [`Client`](elophanto_net::http::Client). It records no costs, but
//! counts ([`Usage`]).
//!
//! Nothing here connects before [`Embedder::embed`](super::Embedder::embed) is called, except to
//! learn a dimension that nobody knows ([`Size::Native`]) or which models there are ([`resolve`]).

mod batches;
mod error;
mod known;
mod name;
mod ollama;
mod openai;
mod plan;
mod prefixes;
mod vector;

#[cfg(test)]
mod fake;
#[cfg(test)]
#[path = "figure_tests.rs"]
mod figure;
#[cfg(test)]
mod ollama_tests;
#[cfg(test)]
mod tests;

use super::Fingerprint;

pub use batches::{Limits, Usage};
pub use error::RemoteError;
pub use known::{Known, known};
pub use name::parse;
pub use ollama::{Ollama, resolve};
pub use openai::{OpenAi, Provider};

/// The fingerprint of a model, asking nobody: that of the embedder which `new` makes for the
/// provider's word (`openai`, `openrouter` or `ollama`) and that dimension.
pub fn fingerprint(provider: &str, model: &str, dimension: usize) -> Fingerprint {
    let model = if provider == "ollama" { ollama::untagged(model) } else { model };
    name::fingerprint(provider, model, dimension, prefixes::prefixes(model))
}

/// How many components vectors have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// As many as the model gives. Looked up, or found out by asking it once.
    Native,
    /// As many as the model gives, which is known from before.
    Stored(usize),
    /// The model is asked to give this many.
    Shortened(usize),
}
