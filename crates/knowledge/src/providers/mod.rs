//! Asking search services for what is known elsewhere.
//!
//! Owns what each service wants to be asked and what its answer means, and reading the pages it
//! names. It refuses to know why something is searched for, where keys come from, and whether the
//! user agreed that a question leaves this machine.
//!
//! Questions go out as they are: whoever asks sees to it that nothing private is in them. What
//! comes back was written by strangers: addresses are kept only if they are of the web, texts are
//! cleaned and cut, and pages are fetched by [`elophanto_net::web`], which refuses private addresses.

mod brave;
mod error;
mod find;
mod pages;
mod searxng;
mod tavily;

#[cfg(test)]
mod tests;

pub use brave::Brave;
pub use error::ProviderError;
pub use pages::read_pages;
pub use searxng::Searxng;
pub use tavily::Tavily;

use elophanto_text::reading::Byline;

/// Most characters of a query. What is longer is cut at a word.
pub const QUERY_CAP: usize = 400;

/// Most findings asked for at once.
pub const MOST_FINDINGS: usize = 20;

/// A service that finds pages.
pub trait Provider {
    /// What it is called, for messages and records.
    fn name(&self) -> &str;

    /// The best findings first, at most `limit` and [`MOST_FINDINGS`] of them; none is an answer
    /// too. `query` is sent on one line, cut to [`QUERY_CAP`].
    ///
    /// # Errors
    /// [`ProviderError`].
    ///
    /// # Panics
    /// Inside asynchronous code, as [`elophanto_net::http::block_on`].
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Finding>, ProviderError>;
}

/// Something that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// One line.
    pub title: Option<String>,
    /// An address with http or https, without credentials; of a page that was read, the one that
    /// answered.
    pub url: Option<String>,
    /// Markdown: what the service shows of the page, or the page.
    pub text: String,
    /// Address of a picture.
    pub image: Option<String>,
    pub byline: Byline,
    /// Whether `text` is the page rather than a few words of it.
    pub full: bool,
}
