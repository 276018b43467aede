//! Tavily, a search API for language models.

use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;

use super::{
    Finding, Provider, ProviderError,
    find::{client, count, findings, query, text},
};
use elophanto_net::http::{Auth, Client, block_on};

/// The search API of Tavily.
#[derive(Debug, Clone)]
pub struct Tavily(Client);

impl Tavily {
    /// Where the API is.
    pub const BASE_URL: &str = "https://api.tavily.com";

    /// The API at `base_url`. Opens no connection.
    ///
    /// # Errors
    /// As [`Client::new`]: the key is not sent unencrypted but to this machine.
    pub fn new(base_url: Url, key: SecretString) -> Result<Self, ProviderError> {
        client(base_url, Auth::Bearer(key)).map(Self)
    }
}

impl Provider for Tavily {
    fn name(&self) -> &str {
        "tavily"
    }

    fn search(&self, words: &str, limit: usize) -> Result<Vec<Finding>, ProviderError> {
        let query = query(words)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        let wanted = count(limit);
        let body = json!({
            "query": query,
            "max_results": wanted,
            "search_depth": "basic",
            "include_answer": false,
            "include_raw_content": false,
        });
        let reply = block_on(self.0.post("/search", &body))?;
        let results = reply.json.get("results").and_then(Value::as_array);
        let shape = || ProviderError::Shape { host: self.0.host().to_owned() };
        Ok(findings(results.ok_or_else(shape)?, wanted, |result| Finding {
            title: text(result, "/title"),
            url: text(result, "/url"),
            text: text(result, "/content").unwrap_or_default(),
            image: text(result, "/images/0").or_else(|| text(result, "/images/0/url")),
            ..Finding::default()
        }))
    }
}
