//! Serving many clients over HTTP at `/mcp`, with a guard in front.
//!
//! Owns how long a message may be and how many sessions are kept. It refuses to know what a message
//! means, and who may come in.

use std::{future::Future, sync::Arc, time::Instant};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::State,
    http::{Method, StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{any, get},
};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::{EventStore, local::LocalSessionManager},
};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{ServeError, Server, door::Door, stdio::MAX_BYTES};
use crate::listening::{
    connections::{self, Tcp},
    fault,
    guard::{self, Caller, Guard, Guarded},
    token::{Key, Secret},
};

mod body;
mod events;
mod sessions;

use events::Events;
use sessions::Sessions;

/// Where and for whom a server listens. Not `Debug`: it holds a secret.
pub struct Http {
    /// Bound already; its address is the one that is listened at.
    pub listener: std::net::TcpListener,
    /// What clients must send as `Authorization: Bearer`. Visible ASCII, not empty.
    pub token: String,
    /// Servers for callers who have tokens of their own. Nothing of one is reached with the token of
    /// another: no session, no event.
    pub callers: Vec<(Secret, Server)>,
    /// Names besides those of this machine that a request may be sent to, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// Web origins besides those of this machine that may send requests, such as
    /// `https://notes.example:8443`.
    pub allowed_origins: Vec<String>,
    /// Requests of all clients together; 0: as many as they like.
    pub requests_per_minute: u32,
}

/// Where the requests of each caller go.
struct Halls {
    own: Hall,
    /// In the order of [`Http::callers`].
    callers: Vec<Hall>,
}

/// What the handlers of all requests of a caller share.
struct Hall {
    mcp: StreamableHttpService<Door, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    sessions: Mutex<Sessions>,
    health: Value,
}

/// Serves clients until `shutdown` is done and their connections are closed, at most five seconds
/// later.
///
/// # Errors
/// The listener or the token cannot be used.
pub async fn serve_http(
    server: Server,
    http: Http,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let closing = CancellationToken::new();
    let _guard = closing.clone().drop_guard();
    let (secrets, servers): (Vec<Secret>, Vec<Server>) = http.callers.into_iter().unzip();
    let guard = Guard::new(Guarded {
        key: Arc::new(Key::new(&http.token).ok_or(ServeError::Token)?),
        callers: secrets,
        hosts: http.allowed_hosts,
        origins: http.allowed_origins,
        requests_per_minute: http.requests_per_minute,
        most_bytes: MAX_BYTES,
    });
    http.listener.set_nonblocking(true).map_err(ServeError::Listen)?;
    let listener = tokio::net::TcpListener::from_std(http.listener).map_err(ServeError::Listen)?;
    let callers = servers.iter().map(|server| Hall::new(server, &closing)).collect();
    let halls = Halls { own: Hall::new(&server, &closing), callers };
    let router = of_halls(halls).layer(from_fn_with_state(Arc::new(guard), guard::guard));
    // Nothing is served here that becomes a socket.
    connections::accept(Tcp(listener), router, 0, &closing, shutdown).await;
    Ok(())
}

/// What is served at `/mcp` and `/health`, to whoever comes in.
pub fn routes(server: &Server, closing: &CancellationToken) -> Router {
    of_halls(Halls { own: Hall::new(server, closing), callers: Vec::new() })
}

impl Hall {
    fn new(server: &Server, closing: &CancellationToken) -> Self {
        let events: Arc<dyn EventStore> = Arc::new(Events::default());
        let mut manager = LocalSessionManager::default().with_event_store(events);
        manager.session_config.keep_alive = Some(sessions::KEPT);
        manager.session_config.sse_retry = None;
        let manager = Arc::new(manager);
        let (shared, ended) = (Arc::clone(&server.shared), closing.clone());
        // The guard in front knows more about hosts and origins. Without `sse_retry` no empty
        // events are sent, which clients before 2025-11-25 take for broken messages.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_sse_retry(None)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BYTES)
            .with_cancellation_token(closing.clone());
        let mcp = StreamableHttpService::new(
            move || Ok(Door::new(Arc::clone(&shared), ended.clone())),
            Arc::clone(&manager),
            config,
        );
        let mut health = json!({"name": "elophanto", "version": server.shared.version});
        if let (Value::Object(health), Value::Object(more)) = (&mut health, &server.shared.health) {
            health.extend(more.clone());
        }
        Self { mcp, manager, sessions: Mutex::default(), health }
    }
}

impl Halls {
    /// Where a request goes. One that bears a token of which there is nothing here goes nowhere.
    fn of(&self, request: &axum::extract::Request) -> Option<&Hall> {
        match request.extensions().get::<Caller>() {
            None => Some(&self.own),
            Some(Caller(index)) => self.callers.get(*index),
        }
    }
}

fn of_halls(halls: Halls) -> Router {
    Router::new()
        .route("/mcp", any(serve_mcp))
        .route("/health", get(serve_health))
        .fallback(async || fault(StatusCode::NOT_FOUND, "there is nothing at this path"))
        .method_not_allowed_fallback(async || {
            fault(StatusCode::METHOD_NOT_ALLOWED, "this path takes no such method")
        })
        .with_state(Arc::new(halls))
}

/// The answer to whoever there is nothing for.
fn of_nobody() -> Response {
    guard::unauthorized("the token is wrong")
}

async fn serve_health(
    State(halls): State<Arc<Halls>>,
    request: axum::extract::Request,
) -> Response {
    let Some(hall) = halls.of(&request) else { return of_nobody() };
    Json(&hall.health).into_response()
}

async fn serve_mcp(State(halls): State<Arc<Halls>>, request: axum::extract::Request) -> Response {
    let Some(hall) = halls.of(&request) else { return of_nobody() };
    let (head, body) = request.into_parts();
    let body = match body::read(body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let id = head.headers.get(sessions::HEADER).cloned();
    let is_end = head.method == Method::DELETE;
    let request = axum::http::Request::from_parts(head, Body::from(body));
    let response = hall.mcp.handle(request).await;
    let id = response.headers().get(sessions::HEADER).cloned().or(id);
    if let Some(id) = id.as_ref().and_then(|id| id.to_str().ok()) {
        let known = response.status().is_success() && !is_end;
        let oldest = hall.sessions.lock().await.used(id, known, Instant::now());
        if let Some(oldest) = oldest {
            sessions::close(&hall.manager, &oldest).await;
        }
    }
    as_json(response.map(Body::new)).await
}

/// Refusals of the protocol's library are plain text; all of ours are JSON.
async fn as_json(response: Response) -> Response {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !is_error || kind.is_some_and(|kind| kind == "application/json") {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let text = to_bytes(body, 4096).await.unwrap_or_default();
    let body = json!({"error": String::from_utf8_lossy(&text)}).to_string();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    Response::from_parts(head, Body::from(body))
}
