//! A server over HTTP, and requests to it written by hand.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};

use super::{Seen, server_with};
use crate::{
    listening::token::new_token,
    mcp::server::{Handle, Http, ServeError, gate::Limits, serve_http},
};

/// A server that listens on this machine.
pub struct House {
    pub address: SocketAddr,
    pub token: String,
    pub seen: Arc<Seen>,
    pub handle: Handle,
    end: oneshot::Sender<()>,
    served: JoinHandle<Result<(), ServeError>>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl House {
    pub fn open(requests_per_minute: u32) -> Self {
        let seen = Arc::new(Seen::default());
        let (server, handle) = server_with(&seen, Limits::default());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let token = new_token().unwrap();
        let http = Http {
            listener,
            token: token.clone(),
            callers: Vec::new(),
            allowed_hosts: vec!["kb.example:8080".to_owned()],
            allowed_origins: vec!["https://notes.example".to_owned()],
            requests_per_minute,
        };
        let (end, ended) = oneshot::channel::<()>();
        let served = tokio::spawn(serve_http(server, http, async {
            let _ = ended.await;
        }));
        Self { address, token, seen, handle, end, served }
    }

    /// Sends a request as it stands, and reads until the connection is closed.
    pub async fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let _ = tokio::time::timeout(Duration::from_secs(20), read).await.expect("an end");
        parse(&bytes)
    }

    pub fn head(&self, method: &str, path: &str, more: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let token = format!("Bearer {}", self.token);
        let usual = [
            ("Host", "localhost"),
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let is_given = |name: &str| more.iter().any(|(given, _)| *given == name);
        for (name, value) in usual.iter().filter(|(name, _)| !is_given(name)).chain(more) {
            if *value != "-" {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        head
    }

    pub async fn health(&self, more: &[(&str, &str)]) -> Answer {
        self.send(&format!("{}\r\n", self.head("GET", "/health", more))).await
    }

    pub async fn post(&self, body: &str, more: &[(&str, &str)]) -> Answer {
        let head = self.head("POST", "/mcp", more);
        self.send(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await
    }

    /// Shakes hands; the id of the session.
    pub async fn session(&self) -> String {
        let hello = request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "tester", "version": "1"},
            }),
        );
        let answer = self.post(&hello, &[]).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.message()["result"]["serverInfo"]["name"], "elophanto");
        let id = answer.header("mcp-session-id").unwrap().to_owned();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let session = [("Mcp-Session-Id", id.as_str())];
        assert_eq!(self.post(&initialized.to_string(), &session).await.status, 202);
        id
    }

    pub async fn search(&self, session: &str, query: &str) -> Answer {
        let call = json!({"name": "search", "arguments": {"query": query}});
        self.post(&request("tools/call", call), &[("Mcp-Session-Id", session)]).await
    }

    pub async fn close(self) {
        let _ = self.end.send(());
        self.served.await.unwrap().unwrap();
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The last message of a stream of events, or the body.
    pub fn message(&self) -> Value {
        let last = self.body.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

pub fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

pub fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, mut rest) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut body = String::new();
    if head.to_lowercase().contains("transfer-encoding: chunked") {
        while let Some((size, more)) = rest.split_once("\r\n") {
            let size = usize::from_str_radix(size, 16).unwrap_or(0);
            body.push_str(more.get(..size).unwrap_or(more));
            rest = more.get(size + 2..).unwrap_or("");
        }
    } else {
        body.push_str(rest);
    }
    Answer { status, head: head.to_owned(), body }
}
