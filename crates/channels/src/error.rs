//! Why a platform did not do something, by what is to be done about it. No token is in the words.

use std::time::Duration;

use elophanto_net::http::HttpError;

/// What a platform is asked for.
pub type Result<T, E = ChannelError> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// The token is none, or none any more.
    #[error("the token is not taken: {0}")]
    Token(String),
    /// Nothing comes to the bot as it is set up at the platform.
    #[error("nothing can be heard: {0}")]
    Barred(String),
    /// Another program asks for what comes to the bot.
    #[error("another program is at work with this bot: {0}")]
    Busy(String),
    /// Nobody is there any more to be told anything.
    #[error("nothing can be said there: {0}")]
    Gone(String),
    /// The message is not there any more.
    #[error("the message is not there any more: {0}")]
    Missing(String),
    /// What was sent is not taken; the same again would not be either.
    #[error("it is not taken: {0}")]
    Refused(String),
    /// It may work later, at the earliest after this time.
    #[error("it does not work now: {reason}")]
    Later { reason: String, wait: Option<Duration> },
}

impl ChannelError {
    /// What a failed request means wherever the platform says nothing of its own.
    pub(crate) fn of(error: &HttpError) -> Self {
        let reason = error.to_string();
        match error {
            HttpError::Auth { .. } => Self::Token(reason),
            HttpError::Refused { .. } | HttpError::TooLarge { .. } | HttpError::Endpoint { .. } => {
                Self::Refused(reason)
            }
            HttpError::Insecure { .. } => Self::Token(reason),
            HttpError::Redirect { .. } => Self::Refused(reason),
            HttpError::RateLimited { wait, .. } => Self::Later { reason, wait: *wait },
            _ => Self::Later { reason, wait: None },
        }
    }
}
