//! Fetching pages that a person or a search service named.
//!
//! Owns one kind of request: a GET without key, cookie or referrer to a public address, with every
//! amount capped. It refuses to know what a page says (`reading` does) and why it is wanted.
//!
//! A name that comes from a stranger may lead anywhere, so private addresses are refused: written
//! in the address in any form, found by resolving its name, or reached by a redirect. A connection
//! is made only to addresses that were checked after resolving, so a name that changes its mind
//! between check and connection gains nothing. Proxies of the environment are not used: they would
//! resolve names out of our sight.

use std::time::Duration;

mod error;
mod fetch;
mod media;
pub(crate) mod reach;
pub(crate) mod resolve;

#[cfg(test)]
mod tests;

pub use error::FetchError;
pub use fetch::Fetcher;

/// What a fetch may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Until a connection stands, resolving included.
    pub connect: Duration,
    /// For everything: all redirects, the last byte.
    pub total: Duration,
    /// Bytes of a page, unpacked.
    pub max_bytes: usize,
    pub max_redirects: usize,
    /// Whether private addresses are fetched too: for tests, and for a user who says so. Never to
    /// be set by a repository.
    pub allow_private: bool,
    /// How the program introduces itself.
    pub user_agent: String,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            max_bytes: 20 << 20,
            max_redirects: 5,
            allow_private: false,
            user_agent: concat!("elophanto/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// What was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The address that answered, after redirects.
    pub url: url::Url,
    /// As the server says, parameters included: `text/html; charset=utf-8`. Empty if it says
    /// nothing.
    pub media_type: String,
    pub bytes: Vec<u8>,
}
