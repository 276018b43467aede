//! Servers on this machine that say what a test wants, and remember what they were asked.

pub mod embeddings;

pub mod chat;
pub mod script;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::Response,
};
use serde_json::Value;
use tokio::{net::TcpListener, runtime::Runtime};

/// A running server. It stops when this is dropped.
pub struct Fake {
    /// Such as `http://127.0.0.1:1234`, without a slash at its end.
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    runtime: Option<Runtime>,
}

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// From 0.
    pub number: usize,
    pub path: String,
    /// As it was sent, without the `?`.
    pub query: String,
    /// By their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// `null` where it is not JSON.
    pub body: Value,
}

/// What a server says to one request.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Fake {
    /// Answers each request with what `handler` makes of it.
    pub fn start(handler: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, handler) = (Arc::clone(&seen), Arc::new(handler));
        let serve = move |request: Request| {
            let (log, handler) = (Arc::clone(&log), Arc::clone(&handler));
            async move {
                let (parts, body) = request.into_parts();
                let bytes = to_bytes(body, 64 << 20).await.unwrap();
                let headers = parts.headers.iter().map(|(name, value)| {
                    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                });
                let mut request = Seen {
                    number: 0,
                    path: parts.uri.path().to_owned(),
                    query: parts.uri.query().unwrap_or_default().to_owned(),
                    headers: headers.collect(),
                    body: serde_json::from_slice(&bytes).unwrap_or_default(),
                };
                {
                    let mut log = log.lock().unwrap();
                    request.number = log.len();
                    log.push(request.clone());
                }
                // One that waits holds up no other.
                let answer = tokio::task::spawn_blocking(move || handler(&request)).await;
                answer.unwrap().respond()
            }
        };
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move {
            axum::serve(listener, Router::new().fallback(serve)).await.unwrap();
        });
        Self { url, seen, runtime: Some(runtime) }
    }

    /// Answers with these in turn, and with the last from then on.
    pub fn script(answers: Vec<Answer>) -> Self {
        Self::start(move |request| answers[request.number.min(answers.len() - 1)].clone())
    }

    /// Everything it was asked so far.
    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Answer {
    /// JSON with a status.
    pub fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, body: body.to_string().into_bytes() }
    }

    /// A text of some type, with status 200.
    pub fn text(kind: &str, body: &str) -> Self {
        let headers = vec![("content-type", kind.to_owned())];
        Self { status: 200, headers, body: body.as_bytes().to_vec() }
    }

    /// The same with one header more.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn respond(self) -> Response {
        let mut response = Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(Body::from(self.body)).unwrap()
    }
}
