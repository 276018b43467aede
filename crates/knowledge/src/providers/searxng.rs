//! SearXNG, a search engine of search engines that people run themselves.

use serde_json::Value;
use url::Url;

use super::{
    Finding, Provider, ProviderError,
    find::{client, count, findings, get, query, text, with_query},
};
use elophanto_net::http::{Auth, Client, HttpError};

/// A SearXNG server. Its owner must have allowed JSON.
#[derive(Debug, Clone)]
pub struct Searxng(Client);

impl Searxng {
    /// The server at `base_url`, a path included if it has one. Opens no connection.
    ///
    /// # Errors
    /// As [`Client::new`]: over http only a server on this machine or network can be asked.
    pub fn new(base_url: Url) -> Result<Self, ProviderError> {
        client(base_url, Auth::None).map(Self)
    }
}

impl Provider for Searxng {
    fn name(&self) -> &str {
        "searxng"
    }

    fn search(&self, words: &str, limit: usize) -> Result<Vec<Finding>, ProviderError> {
        let query = query(words)?;
        let host = || self.0.host().to_owned();
        if limit == 0 {
            return Ok(Vec::new());
        }
        let reply = get(&self.0, &with_query("/search", &[("q", &query), ("format", "json")]));
        let reply = reply.map_err(|error| match error {
            HttpError::Auth { status: 403, .. } => ProviderError::JsonDisabled { host: host() },
            error => error.into(),
        })?;
        let results = reply.json.get("results").and_then(Value::as_array);
        let results = results.ok_or_else(|| ProviderError::Shape { host: host() })?;
        Ok(findings(results, count(limit), |result| Finding {
            title: text(result, "/title"),
            url: text(result, "/url"),
            text: text(result, "/content").unwrap_or_default(),
            image: text(result, "/img_src").or_else(|| text(result, "/thumbnail")),
            ..Finding::default()
        }))
    }
}
