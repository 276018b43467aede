//! An address of the web to which messages are posted as JSON.

use std::{fmt, time::Duration};

use reqwest::{Client, header::CONTENT_TYPE, redirect};
use url::Url;

use super::{SINK_PATIENCE, Sink, SinkError, encode};
use crate::notify::Message;
use elophanto_net::{
    address::{host_and_port, host_of_web, is_loopback},
    http::block_on,
};

const USER_AGENT: &str = concat!("elophanto/", env!("CARGO_PKG_VERSION"));

/// One address. Its path and query may be secret: nothing shows them.
pub struct WebhookSink {
    url: Url,
    host: String,
    /// How long a message may take.
    pub(super) patience: Duration,
}

impl WebhookSink {
    /// Opens no connection.
    ///
    /// # Errors
    /// [`SinkError::Address`] for what is no address of the web, one with a password in it, and one
    /// that is not encrypted and leads to another machine.
    pub fn new(address: &str) -> Result<Self, SinkError> {
        let wrong = |reason| SinkError::Address { reason };
        let url = Url::parse(address.trim()).map_err(|_| wrong("is no address"))?;
        host_of_web(&url).map_err(wrong)?;
        if url.scheme() == "http" && !is_loopback(&url) {
            return Err(wrong("would show messages to everybody on the way: use https"));
        }
        let host = host_and_port(&url);
        Ok(Self { url, host, patience: SINK_PATIENCE })
    }

    fn client(&self) -> Result<Client, SinkError> {
        let encrypted = self.url.scheme() == "https";
        let mut builder = Client::builder()
            .user_agent(USER_AGENT)
            .timeout(self.patience)
            // What is meant for one server is not handed on to another.
            .redirect(redirect::Policy::none())
            .referer(false)
            .https_only(encrypted)
            // Reading the system's certificates takes time, and some systems have none.
            .tls_built_in_root_certs(encrypted);
        if is_loopback(&self.url) {
            builder = builder.no_proxy();
        }
        builder.build().map_err(|_| self.failed("cannot be asked: TLS cannot be set up"))
    }

    fn failed(&self, reason: impl Into<String>) -> SinkError {
        SinkError::Webhook { host: self.host.clone(), reason: reason.into() }
    }

    /// What went wrong, in words without the address.
    fn broken(&self, error: &reqwest::Error) -> SinkError {
        if error.is_timeout() {
            return self.failed(format!("did not answer within {} s", self.patience.as_secs_f32()));
        }
        self.failed(if error.is_connect() { "cannot be reached" } else { "broke the connection" })
    }
}

impl Sink for WebhookSink {
    /// Must not be called from asynchronous code.
    fn send(&self, message: &Message) -> Result<(), SinkError> {
        let body = encode(message)?;
        let request = self
            .client()?
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        // The answer's body is never read, so it needs no cap.
        let answer = block_on(async { request.send().await });
        let status = answer.map_err(|error| self.broken(&error))?.status();
        if status.is_success() {
            return Ok(());
        }
        let leads_away = if status.is_redirection() { ", which is not followed" } else { "" };
        Err(self.failed(format!("answered {}{leads_away}", status.as_u16())))
    }
}

impl fmt::Debug for WebhookSink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebhookSink").field("host", &self.host).finish_non_exhaustive()
    }
}
