//! Why nobody is signed in, in words that hold no token, code or secret.

use crate::remote::RemoteError;

/// Characters shown of what somebody else says.
const SHOWN: usize = 200;

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OauthError {
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error("`{host}` did not answer within 30 s")]
    Timeout { host: String },
    #[error("the answer of `{host}` is larger than 1 MiB")]
    TooLarge { host: String },
    #[error("`{host}` answered {status}: {said}")]
    Status { host: String, status: u16, said: String },
    /// Who signs people in cannot be found out.
    #[error("`{host}` does not say how to sign in: {why}")]
    NotSaid { host: String, why: &'static str },
    /// What it says of itself does not hold together.
    #[error("what `{host}` says of signing in is not to be trusted: {why}")]
    Odd { host: String, why: &'static str },
    #[error("`{host}` knows only programs that were registered there beforehand")]
    NotRegistered { host: String },
    #[error("the sign-in was refused: {said}")]
    Refused { said: String },
    #[error("the answer belongs to another sign-in")]
    Foreign,
    #[error("nobody signed in within {minutes} minutes")]
    Nobody { minutes: u64 },
    #[error("no answer can be received on this machine: {0}")]
    NoListener(String),
    #[error("the system gives no random numbers")]
    NoRandomness,
    #[error("the sign-in has ended and cannot be renewed")]
    Ended,
}

/// What somebody else said: its beginning, without what cannot be seen.
pub(super) fn shown(text: &str) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    text.trim().chars().map(blank).take(SHOWN).collect()
}
