//! A small client for JSON APIs that may want a key.
//!
//! Owns one endpoint at a time: where it is, its key, when a request is tried again, how long
//! anything may take, how much may come back, and streams of events. It knows no API: what a body
//! means is for whoever sends it. It reads no settings and prints nothing.
//!
//! A key is sent to its endpoint and nowhere else: redirects are not followed, and without TLS it
//! goes only to this very machine.

use std::{fmt, time::Duration};

use reqwest::header::HeaderMap;
use secrecy::SecretString;
use url::Url;

mod body;
mod client;
mod download;
mod error;
mod gate;
mod hints;
mod probe;
mod retry;
mod runtime;
mod sse;
mod stream;
mod tries;
mod trust;

#[cfg(any(test, feature = "testutil"))]
pub mod fake;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use download::download;
pub use error::HttpError;
pub use probe::{listens, probe};
pub use reqwest::Method;
pub use runtime::block_on;
pub use stream::{StreamEnd, StreamItem};
pub(crate) use trust::is_this_machine;

/// Most bytes of an answer, unpacked. A batch of 96 vectors of 3,072 components takes 4 MB.
pub const BODY_CAP: usize = 64 << 20;

/// Most bytes of one event of a stream.
pub const EVENT_CAP: usize = 8 << 20;

/// Where requests go and what they carry there.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Paths are added to its path: `https://openrouter.ai/api/v1` and `/embeddings`.
    pub base_url: Url,
    pub auth: Auth,
    /// Further headers of every request. Nothing secret: these are shown by `Debug`.
    pub headers: Vec<(&'static str, String)>,
    /// What is blotted out of all that the server says, where that is not the key as it is sent: a token
    /// that is a part of the address, say.
    pub secret: Option<SecretString>,
}

impl Endpoint {
    /// An endpoint without further headers.
    pub fn new(base_url: Url, auth: Auth) -> Self {
        Self { base_url, auth, headers: Vec::new(), secret: None }
    }
}

/// How an endpoint wants to see its key.
#[derive(Debug, Clone)]
pub enum Auth {
    None,
    /// `Authorization: Bearer <key>`.
    Bearer(SecretString),
    /// A header of this name, as with `x-api-key`.
    Header(&'static str, SecretString),
}

/// How long to wait and how often to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until a connection stands.
    pub connect: Duration,
    /// For one attempt: until its whole answer is here, or until a stream begins.
    pub request: Duration,
    /// Between two packets of a stream.
    pub idle: Duration,
    /// For everything: all attempts, the waits between them, a stream to its end.
    pub total: Duration,
    /// Attempts, the first one included.
    pub attempts: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            request: Duration::from_secs(60),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(180),
            attempts: 5,
        }
    }
}

/// A JSON answer, and what it took to get it.
#[derive(Clone, PartialEq)]
pub struct Reply {
    pub json: serde_json::Value,
    /// Requests sent, the one that was answered included.
    pub attempts: u32,
    /// Time spent between attempts.
    pub waited: Duration,
}

/// Whatever was answered, for those to judge who know the API.
pub struct Raw {
    pub status: u16,
    headers: HeaderMap,
    /// Null where it is no JSON.
    pub json: serde_json::Value,
}

impl Raw {
    /// A header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl fmt::Debug for Reply {
    /// Leaves out the body, which may be long and private.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reply = formatter.debug_struct("Reply");
        reply.field("attempts", &self.attempts).field("waited", &self.waited);
        reply.finish_non_exhaustive()
    }
}
