//! Brave Search.

use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use super::{
    Finding, Provider, ProviderError,
    find::{client, count, findings, get, query, text, with_query},
};
use elophanto_net::http::{Auth, Client};
use elophanto_text::reading;

/// The search API of Brave.
#[derive(Debug, Clone)]
pub struct Brave(Client);

impl Brave {
    /// Where the API is.
    pub const BASE_URL: &str = "https://api.search.brave.com/res/v1";

    /// The API at `base_url`. Opens no connection.
    ///
    /// # Errors
    /// As [`Client::new`]: the key is not sent unencrypted but to this machine.
    pub fn new(base_url: Url, key: SecretString) -> Result<Self, ProviderError> {
        client(base_url, Auth::Header("x-subscription-token", key)).map(Self)
    }
}

impl Provider for Brave {
    fn name(&self) -> &str {
        "brave"
    }

    fn search(&self, words: &str, limit: usize) -> Result<Vec<Finding>, ProviderError> {
        let query = query(words)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        let wanted = count(limit).to_string();
        let pairs =
            [("q", query.as_str()), ("count", wanted.as_str()), ("text_decorations", "false")];
        let reply = get(&self.0, &with_query("/web/search", &pairs))?;
        let results = match reply.json.pointer("/web/results").and_then(Value::as_array) {
            Some(results) => results.as_slice(),
            // Without a single page, that part of the answer is missing.
            None if reply.json.get("query").is_some_and(Value::is_object) => &[],
            None => return Err(ProviderError::Shape { host: self.0.host().to_owned() }),
        };
        // Titles and texts are HTML.
        let plain = |result: &Value, pointer| Some(reading::plain(&text(result, pointer)?));
        Ok(findings(results, count(limit), |result| {
            let first = plain(result, "/description");
            let more = result.get("extra_snippets").and_then(Value::as_array);
            let more = more.into_iter().flatten().take(10).filter_map(|snippet| plain(snippet, ""));
            Finding {
                title: plain(result, "/title"),
                url: text(result, "/url"),
                text: first.into_iter().chain(more).collect::<Vec<_>>().join("\n\n"),
                image: text(result, "/thumbnail/original")
                    .or_else(|| text(result, "/thumbnail/src")),
                ..Finding::default()
            }
        }))
    }
}
