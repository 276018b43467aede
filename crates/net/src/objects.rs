//! The HTTP client for object stores.
//!
//! Owns which connections may be made there: encrypted ones, and open ones only to this machine or
//! where the user allows them. Redirects are not followed, for a request is signed for one host. It
//! refuses to know what is asked.

use std::time::Duration;

use reqwest::{Client, redirect};
use url::Url;

use crate::{
    address::{host_and_port, host_of_web, is_loopback},
    http::HttpError,
};

/// Without a byte for so long a connection counts as broken.
const IDLE: Duration = Duration::from_secs(30);
const USER_AGENT: &str = concat!("elophanto/", env!("CARGO_PKG_VERSION"));

/// A client; `is_open` lets it speak without encryption.
///
/// # Errors
/// [`HttpError::Endpoint`] when TLS cannot be set up.
pub fn client(is_open: bool, connect: Duration) -> Result<Client, HttpError> {
    let builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(connect)
        .read_timeout(IDLE)
        .redirect(redirect::Policy::none())
        .referer(false)
        .http1_only()
        .https_only(!is_open);
    builder.build().map_err(|_| HttpError::Endpoint {
        reason: "TLS can't be set up with the certificates of this system".to_owned(),
    })
}

/// Whether a store at this address is spoken to without encryption: on this machine, or where the
/// user `allows` it.
///
/// # Errors
/// [`HttpError::Endpoint`] for what is no address, [`HttpError::Insecure`] for one that would show
/// keys to everybody on the way.
pub fn is_open(endpoint: &str, allows: bool) -> Result<bool, HttpError> {
    let wrong = |reason: &str| HttpError::Endpoint { reason: format!("its address {reason}") };
    let url = Url::parse(endpoint).map_err(|cause| wrong(&format!("is none: {cause}")))?;
    host_of_web(&url).map_err(wrong)?;
    match url.scheme() {
        "https" => Ok(false),
        _ if allows || is_loopback(&url) => Ok(true),
        _ => Err(HttpError::Insecure { host: host_and_port(&url), what: "the key" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_travel_encrypted_unless_the_user_says_otherwise() {
        for (endpoint, allows, expected) in [
            ("https://s3.eu-central-1.amazonaws.com", false, Some(false)),
            ("http://127.0.0.1:9000", false, Some(true)),
            ("http://localhost:9000", false, Some(true)),
            ("http://minio.lan:9000", true, Some(true)),
            ("http://minio.lan:9000", false, None),
            ("http://localhost.evil.test", false, None),
            ("https://user:pass@host.test", false, None),
            ("ftp://127.0.0.1", true, None),
            ("minio", true, None),
        ] {
            assert_eq!(is_open(endpoint, allows).ok(), expected, "{endpoint} {allows}");
        }
    }
}
