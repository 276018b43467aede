//! Why there is no answer.

use std::time::Duration;

use super::types::Usage;
use elophanto_base::one_line::shorten;

/// Characters of a provider's own words that an error repeats.
pub const MESSAGE_CHARS: usize = 500;
/// Characters of a model's unusable answer that an error keeps.
pub const RAW_CHARS: usize = 20_000;

/// What a language model is asked for.
pub type Result<T, E = LlmError> = std::result::Result<T, E>;

/// Why a model gave no answer. What a provider or a model said is text from outside.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    #[error("the key was refused (status {status}): {message}")]
    Unauthorized { status: u16, message: String },
    #[error("the account has no credit left: {message}")]
    NoCredit { message: String },
    #[error("there is no model `{model}`: {message}")]
    ModelMissing { model: String, message: String },
    #[error("the prompt is too long for the model: {message}")]
    ContextTooLong { message: String },
    #[error("too many requests: {message}")]
    RateLimited { message: String, retry_after: Option<Duration> },
    #[error("the provider is overloaded (status {status}): {message}")]
    Overloaded { status: u16, message: String, retry_after: Option<Duration> },
    #[error("the provider failed (status {status}): {message}")]
    Server { status: u16, message: String },
    #[error("the provider refused the request (status {status}): {message}")]
    Rejected { status: u16, message: String },
    #[error("the provider's address or key cannot be used: {message}")]
    Endpoint { message: String },
    #[error("the provider cannot be reached: {message}")]
    Network {
        message: String,
        /// Nobody listens there: that is known at once, and asking again costs nothing.
        is_unreachable: bool,
    },
    #[error("the reply is not understood: {reason}")]
    BadReply { reason: String },
    #[error("the stream broke off: {reason}")]
    Truncated { reason: String, usage: Usage },
    #[error("the arguments for the tool `{tool}` are not JSON: {reason}")]
    Arguments { tool: String, reason: String, raw: String, usage: Usage },
    #[error("the answer does not fit the schema `{schema}`: {reason}")]
    Schema { schema: String, reason: String, raw: String, usage: Usage },
    #[error("the schema `{schema}` is not understood: {reason}")]
    BadSchema { schema: String, reason: String },
    #[error("it is not known to take images")]
    NoImages,
    #[error("{what} of {size}, over the cap of {max}")]
    TooLarge { what: &'static str, size: u64, max: u64 },
}

/// What a failure says about the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// It does not work at the moment: a reason to leave it alone for a while.
    Provider { retry_after: Option<Duration> },
    /// Nobody listens there: a reason to leave it alone for a moment.
    Unreachable,
    /// The request, the model or the account: says nothing about the next request.
    Request,
}

impl LlmError {
    pub fn blame(&self) -> Blame {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => {
                Blame::Provider { retry_after: *retry_after }
            }
            Self::Network { is_unreachable: true, .. } => Blame::Unreachable,
            Self::Server { .. }
            | Self::Network { .. }
            | Self::BadReply { .. }
            | Self::Truncated { .. } => Blame::Provider { retry_after: None },
            Self::Unauthorized { .. }
            | Self::NoCredit { .. }
            | Self::ModelMissing { .. }
            | Self::ContextTooLong { .. }
            | Self::Rejected { .. }
            | Self::Endpoint { .. }
            | Self::Arguments { .. }
            | Self::Schema { .. }
            | Self::BadSchema { .. }
            | Self::NoImages
            | Self::TooLarge { .. } => Blame::Request,
        }
    }

    /// What was used up although there is no answer.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Arguments { usage, .. }
            | Self::Schema { usage, .. }
            | Self::Truncated { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// One word for a log.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unauthorized { .. } => "unauthorized",
            Self::NoCredit { .. } => "no-credit",
            Self::ModelMissing { .. } => "model-missing",
            Self::ContextTooLong { .. } => "context-too-long",
            Self::RateLimited { .. } => "rate-limited",
            Self::Overloaded { .. } => "overloaded",
            Self::Server { .. } => "server",
            Self::Rejected { .. } => "rejected",
            Self::Endpoint { .. } => "endpoint",
            Self::Network { .. } => "network",
            Self::BadReply { .. } => "bad-reply",
            Self::Truncated { .. } => "truncated",
            Self::Arguments { .. } => "arguments",
            Self::Schema { .. } => "schema",
            Self::BadSchema { .. } => "bad-schema",
            Self::NoImages => "no-images",
            Self::TooLarge { .. } => "too-large",
        }
    }
}

/// What a refusal means, from its status and the provider's words.
pub fn classify(
    status: u16,
    code: &str,
    message: &str,
    model: &str,
    retry_after: Option<Duration>,
) -> LlmError {
    let lower = format!("{code} {message}").to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let message = shorten(message, MESSAGE_CHARS);
    match status {
        ..=400 | 413 | 422 | 500 if says(TOO_LONG) => LlmError::ContextTooLong { message },
        402 => LlmError::NoCredit { message },
        401 | 403 => LlmError::Unauthorized { status, message },
        400 | 429 if says(&["insufficient_quota", "credit balance"]) => {
            LlmError::NoCredit { message }
        }
        ..=400 | 404 | 500 if lower.contains("model") && says(NO_MODEL) => {
            LlmError::ModelMissing { model: model.to_owned(), message }
        }
        429 => LlmError::RateLimited { message, retry_after },
        503 | 529 => LlmError::Overloaded { status, message, retry_after },
        _ if says(&["overloaded_error"]) => LlmError::Overloaded { status, message, retry_after },
        // An error inside an answer of status 200 that says no more.
        ..400 | 408 | 500.. => LlmError::Server { status, message },
        _ => LlmError::Rejected { status, message },
    }
}

/// OpenAI, OpenRouter, vLLM, Anthropic, llama.cpp and Ollama each say it in their own way.
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "request_too_large",
    "input is too long",
];
const NO_MODEL: &[&str] = &[
    "not found", "not_found", "does not exist", "not a valid model", "no endpoints",
    "unknown model", "invalid model",
];
