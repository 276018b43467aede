//! Why a model gave no vectors.

use elophanto_net::http::HttpError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("the model `{model}` is not there: {message}")]
    NoModel { model: String, message: String },
    #[error("vectors have {found} components instead of {expected}")]
    Dimension { expected: usize, found: usize },
    /// Asked twice.
    #[error("texts without a usable vector: {missing}")]
    Missing { missing: usize },
    #[error("the answer holds no vectors: {reason}")]
    Shape { reason: &'static str },
}

impl RemoteError {
    /// Whether fewer or other texts may do better: something is wrong with what was sent.
    pub(super) fn blames_texts(&self) -> bool {
        match self {
            Self::Http(HttpError::Refused { .. } | HttpError::TooLarge { .. }) => true,
            // llama.cpp says it with the status of a failure of its own.
            Self::Http(HttpError::Status { message, .. }) => {
                message.contains("too large to process")
            }
            _ => false,
        }
    }

    /// Whether the next batch may do better. A server that was given its time and attempts in vain
    /// is not asked again and again.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Http(HttpError::Status { status, .. }) => *status != 404,
            Self::Http(error) => matches!(error, HttpError::Broken { .. }) || self.blames_texts(),
            Self::Dimension { .. } | Self::Missing { .. } | Self::Shape { .. } => true,
            Self::NoModel { .. } => false,
        }
    }
}
