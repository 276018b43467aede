//! Why a service found nothing it could have found.

use elophanto_net::http::HttpError;

/// Why there are no findings. Keys are never in a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    #[error("the query is empty")]
    EmptyQuery,
    #[error(transparent)]
    Http(#[from] HttpError),
    /// SearXNG answers 403 to whoever asks for JSON unless its settings list that format.
    #[error("`{host}` does not give search results as JSON")]
    JsonDisabled { host: String },
    #[error("the answer of `{host}` holds no list of results")]
    Shape { host: String },
}

impl ProviderError {
    /// What the user could do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::EmptyQuery => Some("say what to look for"),
            Self::Http(error) => error.hint(),
            Self::JsonDisabled { .. } => {
                Some("its owner must add `json` to `search.formats` in settings.yml")
            }
            Self::Shape { .. } => Some("check the address: is this the API of that service?"),
        }
    }
}
