//! A WebSocket to a service, for JSON in text frames. Without TLS it goes only to this very machine; what
//! comes is capped; pings are answered while it is read.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{Error, Message, protocol::WebSocketConfig},
};
use url::Url;

use crate::{
    address::{host_and_port, is_loopback},
    http::HttpError,
};

/// Bytes of a message.
const MOST: usize = 4 << 20;

/// A WebSocket, from the client's side.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    host: String,
    /// Whether anything came since it was waited for last.
    was_heard: bool,
    closed: Option<u16>,
}

impl Socket {
    /// Opens one at a `wss` address, or a `ws` one of this machine.
    ///
    /// # Errors
    /// When the address is none of these, or nobody lets us in within `patience`.
    pub async fn open(url: &Url, patience: Duration) -> Result<Self, HttpError> {
        let host = host_and_port(url);
        if url.scheme() != "wss" && !(url.scheme() == "ws" && is_loopback(url)) {
            return Err(HttpError::Insecure { host, what: "what is said" });
        }
        let config =
            WebSocketConfig::default().max_message_size(Some(MOST)).max_frame_size(Some(MOST));
        let opening = connect_async_with_config(url.as_str(), Some(config), true);
        match timeout(patience, opening).await {
            Ok(Ok((stream, _))) => Ok(Self { stream, host, was_heard: true, closed: None }),
            // The address may hold a secret: only what went wrong is told.
            Ok(Err(cause)) => Err(HttpError::Connect { host, reason: why(&cause) }),
            Err(_) => Err(HttpError::Timeout { host, limit: patience }),
        }
    }

    /// The next text; `None` if none comes within `patience`, and pings do.
    ///
    /// # Errors
    /// When the connection has ended, or nothing at all comes over it.
    pub async fn next(&mut self, patience: Duration) -> Result<Option<String>, HttpError> {
        self.was_heard = false;
        match timeout(patience, self.text()).await {
            Ok(text) => text.map(Some),
            Err(_) if self.was_heard => Ok(None),
            Err(_) => Err(self.broken("nothing comes over it any more")),
        }
    }

    /// The next text; `None` if none comes within `patience`, which says nothing of the connection.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn within(&mut self, patience: Duration) -> Result<Option<String>, HttpError> {
        match timeout(patience, self.text()).await {
            Ok(text) => text.map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The code with which the other side ended it.
    pub fn closed(&self) -> Option<u16> {
        self.closed
    }

    async fn text(&mut self) -> Result<String, HttpError> {
        loop {
            let frame = self.stream.next().await;
            self.was_heard = true;
            match frame {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Close(frame))) => {
                    self.closed = frame.map(|frame| frame.code.into());
                    return Err(self.broken("it was closed"));
                }
                None => return Err(self.broken("it was closed")),
                Some(Ok(_)) => {}
                Some(Err(cause)) => return Err(self.broken(&why(&cause))),
            }
        }
    }

    /// Sends a text.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn send(&mut self, text: String) -> Result<(), HttpError> {
        let sent = self.stream.send(Message::text(text)).await;
        sent.map_err(|cause| self.broken(&why(&cause)))
    }

    fn broken(&self, reason: &str) -> HttpError {
        HttpError::Broken { host: self.host.clone(), reason: reason.to_owned() }
    }
}

fn why(cause: &Error) -> String {
    match cause {
        Error::Io(cause) => cause.to_string(),
        Error::Http(answer) => format!("it answered {}", answer.status().as_u16()),
        Error::ConnectionClosed | Error::AlreadyClosed => "it was closed".to_owned(),
        Error::Capacity(_) => format!("a message is larger than {MOST} bytes"),
        Error::Tls(_) => "TLS can't be set up".to_owned(),
        _ => "what came is no WebSocket".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_without_tls() {
        for (url, expected) in [
            ("ws://127.0.0.1:2/x", true),
            ("ws://localhost:2", true),
            ("ws://[::1]:2", true),
            ("ws://example.org", false),
            ("ws://127.0.0.1.example.org", false),
            ("ws://192.168.1.2", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
        let url = Url::parse("ws://example.org/secret").unwrap();
        let opened = crate::http::block_on(Socket::open(&url, Duration::from_secs(1)));
        let error = opened.err().unwrap().to_string();
        assert!(error.contains("to everybody on the way") && !error.contains("secret"), "{error}");
    }
}
