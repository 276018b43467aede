//! Text -> vectors.
//!
//! Owns the embedders that are asked over HTTP ([`remote`]), and passes on the promise of all of them
//! and what computes in this process (`crates/models`). It knows no store, no configuration and no
//! notes: whoever builds an embedder hands it what it needs.

pub mod remote;

pub use elophanto_models::{
    Belief, EmbedError, Embedded, Embedder, Features, Fingerprint, Near, Pace, Profile, Role, bert,
    builtin,
};
