//! Why a page was not fetched. Messages name hosts; paths and queries, which may hold secrets, are
//! never in them.

use std::time::Duration;

/// Why there is no page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("this is no address of a page: it {reason}")]
    Address { reason: &'static str },
    #[error("`{host}` is not on the public internet, and private addresses are not fetched")]
    Private { host: String },
    #[error("can't find `{host}`")]
    Unknown { host: String },
    #[error("can't connect to `{host}`: {reason}")]
    Connect { host: String, reason: String },
    #[error("the connection to `{host}` broke: {reason}")]
    Broken { host: String, reason: String },
    #[error("`{host}` did not send the whole page within {} s", .limit.as_secs_f32())]
    Timeout { host: String, limit: Duration },
    #[error("`{host}` redirects more than {most} times")]
    Redirects { host: String, most: usize },
    #[error("`{host}` redirects to `{to}`, which was not asked for")]
    Elsewhere { host: String, to: String },
    #[error("`{host}` redirects to nowhere")]
    BadRedirect { host: String },
    #[error("`{host}` redirects from https to http, which is not followed")]
    Downgrade { host: String },
    /// 404 and 410.
    #[error("`{host}` has no such page ({status})")]
    NotFound { host: String, status: u16 },
    /// 401, 402, 403, 407 and 451.
    #[error("`{host}` does not give the page to everybody ({status})")]
    Refused { host: String, status: u16 },
    /// 429. `wait` is what the server asks for.
    #[error("`{host}` limits requests")]
    RateLimited { host: String, wait: Option<Duration> },
    /// Every other status that is no success.
    #[error("`{host}` answered {status}")]
    Status { host: String, status: u16 },
    #[error("`{host}` sends {found}, which is not read")]
    MediaType { host: String, found: String },
    #[error("the page of `{host}` is larger than {cap} bytes")]
    TooLarge { host: String, cap: usize },
    #[error("the fetcher can't be set up: {reason}")]
    Setup { reason: &'static str },
}

impl FetchError {
    /// What the user could do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Address { .. } => "give an address that begins with https:// or http://",
            Self::Private { .. } => {
                "allow private addresses in your own settings if this is meant: `learn.private_pages: true`"
            }
            Self::Unknown { .. } => "check the spelling of the address and the connection",
            Self::Connect { .. } | Self::Broken { .. } | Self::Timeout { .. } => "try again later",
            Self::Elsewhere { .. } => "fetch the page there, if that host is meant",
            Self::NotFound { .. } => "the page may have moved: search for its title",
            Self::Refused { .. } => "save the page from a browser and give the file",
            Self::RateLimited { .. } => "try again later, or fetch fewer pages",
            Self::Status { status: 500..=599, .. } => "the server has a problem: try again later",
            Self::Downgrade { .. } => "give the http:// address itself if it may be read by others",
            Self::MediaType { .. } => "HTML, plain text, Markdown and PDF are read",
            Self::TooLarge { .. } => "download the file and give a part of it",
            _ => return None,
        })
    }
}
