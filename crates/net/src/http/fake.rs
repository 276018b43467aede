//! Servers on the loopback interface that misbehave on purpose. For tests only.

use std::{
    net::SocketAddr,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, Method},
    response::{IntoResponse, Response},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use url::Url;

/// Servers run apart from the clients.
static SERVERS: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
});

/// A running server. It stops when the tests do.
pub struct Fake {
    pub url: Url,
    calls: Arc<AtomicUsize>,
}

/// One request as a fake server sees it.
pub struct Call {
    /// From 1.
    pub number: usize,
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    /// JSON, else text; null if there is none.
    pub body: Value,
}

impl Fake {
    /// Answers with what `answer` makes of each request.
    pub fn new<F, R>(answer: impl Fn(Call) -> F + Clone + Send + Sync + 'static) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse,
    {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        let handler = move |request: Request| {
            let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
            let answer = answer.clone();
            async move {
                let (parts, body) = request.into_parts();
                let bytes = to_bytes(body, 64 << 20).await.unwrap();
                let text = || String::from_utf8_lossy(&bytes).into_owned();
                let body = match bytes.is_empty() {
                    true => Value::Null,
                    false => serde_json::from_slice(&bytes).unwrap_or_else(|_| text().into()),
                };
                let path = parts.uri.path_and_query().unwrap().to_string();
                let call =
                    Call { number, method: parts.method, path, headers: parts.headers, body };
                answer(call).await.into_response()
            }
        };
        let (listener, address) = listen();
        SERVERS.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            axum::serve(listener, Router::new().fallback(handler)).await.unwrap();
        });
        Self { url: url(address), calls }
    }

    /// Answers with these, one after the other, and with the last from then on.
    pub fn script(answers: Vec<Box<dyn Fn() -> Response + Send + Sync>>) -> Self {
        let answers = Arc::new(answers);
        Self::new(move |call| {
            let answers = answers.clone();
            async move { answers[(call.number - 1).min(answers.len() - 1)]() }
        })
    }

    /// Reads each request's head and writes these bytes. Between two pieces it waits a little. After
    /// that the connection is closed; reset if there are no pieces.
    pub fn raw(answers: Vec<Vec<&'static [u8]>>) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = calls.clone();
        let (listener, address) = listen();
        SERVERS.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let number = counter.fetch_add(1, Ordering::SeqCst);
                let pieces = answers[number.min(answers.len() - 1)].clone();
                tokio::spawn(say(stream, pieces));
            }
        });
        Self { url: url(address), calls }
    }

    /// An address where nobody listens.
    pub fn nobody() -> Url {
        let (listener, address) = listen();
        drop(listener);
        url(address)
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

async fn say(mut stream: TcpStream, pieces: Vec<&'static [u8]>) {
    let mut buffer = vec![0; 64 << 10];
    let _ = stream.read(&mut buffer).await;
    if pieces.is_empty() {
        let _ = stream.set_zero_linger();
    }
    for piece in pieces {
        let _ = stream.write_all(piece).await;
        let _ = stream.flush().await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// A status with headers and a text.
pub fn answer(
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: impl Into<String>,
) -> Box<dyn Fn() -> Response + Send + Sync> {
    let body = body.into();
    Box::new(move || {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        response.body(Body::from(body.clone())).unwrap()
    })
}

fn listen() -> (std::net::TcpListener, SocketAddr) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn url(address: SocketAddr) -> Url {
    Url::parse(&format!("http://{address}")).unwrap()
}
