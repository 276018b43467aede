//! Who may come in over TCP. In this order: how long the body says it is, the host that the request was
//! sent to, the web page that it comes from, the token, how many requests there were.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    fault, names,
    rate::Window,
    token::{Key, Secret},
};
use elophanto_base::mutex::lock;

/// Wrong tokens a minute that are told so.
const GUESSES: u32 = 10;

/// The answer to a request that may not come in.
pub type Refusal = Box<Response>;

/// For whom a server listens.
pub struct Guarded {
    /// What clients must send as `Authorization: Bearer`.
    pub key: Arc<Key>,
    /// Tokens of callers besides, each of whom is answered for himself: see [`Caller`].
    pub callers: Vec<Secret>,
    /// Names besides those of this machine that a request may be sent to, with or without a port.
    pub hosts: Vec<String>,
    /// Web origins besides those of this machine that may send requests, such as
    /// `https://notes.example:8443`.
    pub origins: Vec<String>,
    /// Requests of all clients together; 0: as many as they like.
    pub requests_per_minute: u32,
    /// Bytes of a body.
    pub most_bytes: usize,
}

/// Whose token a request bears, where it is not the server's own: the place among
/// [`Guarded::callers`]. [`guard`] leaves it with the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller(pub usize);

/// Until when a request may go on, and whose it is.
struct Entry {
    until: CancellationToken,
    caller: Option<Caller>,
}

/// What requests are held against.
pub struct Guard {
    guarded: Guarded,
    guesses: Mutex<Window>,
    requests: Mutex<Window>,
}

impl Guard {
    pub fn new(guarded: Guarded) -> Self {
        let most = guarded.requests_per_minute;
        let limit = if most == 0 { u32::MAX } else { most };
        Self {
            guarded,
            guesses: Mutex::new(Window::new(GUESSES)),
            requests: Mutex::new(Window::new(limit)),
        }
    }

    /// Holds a request against the length that it says its body has, and the host that it was sent to.
    /// The host.
    ///
    /// # Errors
    /// The answer to one that may not come in.
    pub fn host<'h>(&self, uri: &Uri, headers: &'h HeaderMap) -> Result<&'h str, Refusal> {
        let length = single(headers, &header::CONTENT_LENGTH).ok().flatten();
        let most = self.guarded.most_bytes as u64;
        if length.is_some_and(|length| length.parse().is_ok_and(|length: u64| length > most)) {
            let reason = format!("a body may have at most {most} bytes");
            return Err(fault(StatusCode::PAYLOAD_TOO_LARGE, &reason).into());
        }
        let is_ours = |host: &str| names::is_allowed_host(host, &self.guarded.hosts);
        let target = uri.authority().map(|authority| authority.as_str());
        match single(headers, &header::HOST).ok().flatten() {
            Some(host) if is_ours(host) && target.is_none_or(is_ours) => Ok(host),
            _ => {
                let refusal =
                    fault(StatusCode::FORBIDDEN, "requests to this host are not answered");
                Err(refusal.into())
            }
        }
    }

    /// Holds a request of a program against the web page that it says it comes from, its token and
    /// how many there were. Until when it may go on.
    ///
    /// # Errors
    /// The answer to one that may not come in.
    pub fn program(&self, headers: &HeaderMap, now: Instant) -> Result<CancellationToken, Refusal> {
        Ok(self.entry(headers, now)?.until)
    }

    fn entry(&self, headers: &HeaderMap, now: Instant) -> Result<Entry, Refusal> {
        let is_known = match single(headers, &header::ORIGIN) {
            Ok(None) => true,
            Ok(Some(origin)) => names::is_allowed_origin(origin, &self.guarded.origins),
            Err(()) => false,
        };
        if !is_known {
            return Err(of_no_origin().into());
        }
        let Some(token) = bearer(headers) else {
            return Err(unauthorized("a bearer token is needed").into());
        };
        // The right token always opens: if guessing closed the door to it, anybody could.
        let entry = self.opened(token).ok_or_else(|| Box::new(self.wrong("token", now)))?;
        self.count(now)?;
        Ok(entry)
    }

    /// What a token opens.
    fn opened(&self, token: &str) -> Option<Entry> {
        if let Some(until) = self.guarded.key.opens(token) {
            return Some(Entry { until, caller: None });
        }
        let caller = self.guarded.callers.iter().position(|secret| secret.is(token))?;
        // It holds for as long as the server runs.
        Some(Entry { until: CancellationToken::new(), caller: Some(Caller(caller)) })
    }

    /// The answer to a secret that opens nothing.
    pub fn wrong(&self, what: &str, now: Instant) -> Response {
        match lock(&self.guesses).take(now) {
            Ok(()) => unauthorized(&format!("the {what} is wrong")),
            Err(wait) => too_many(&format!("too many wrong {what}s"), wait),
        }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// The answer when there were too many.
    pub fn count(&self, now: Instant) -> Result<(), Refusal> {
        lock(&self.requests).take(now).map_err(|wait| Box::new(too_many("too many requests", wait)))
    }

    /// The key that opens.
    pub fn key(&self) -> &Key {
        &self.guarded.key
    }
}

/// Lets a request of a program in, or answers why not. Events end when the token is changed that opened
/// their stream.
pub async fn guard(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let held = guard.host(request.uri(), headers).map(drop);
    let entry = held.and_then(|()| guard.entry(headers, Instant::now()));
    let Entry { until, caller } = match entry {
        Ok(entry) => entry,
        Err(refusal) => return *refusal,
    };
    if let Some(caller) = caller {
        request.extensions_mut().insert(caller);
    }
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != "text/event-stream") {
        return response;
    }
    response
        .map(|body| Body::from_stream(body.into_data_stream().take_until(until.cancelled_owned())))
}

/// The answer to a page of another origin.
pub fn of_no_origin() -> Response {
    fault(StatusCode::FORBIDDEN, "requests from this origin are not answered")
}

/// The value of a header that may be there once. `Err`: twice, or not as text.
pub fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

/// The token that a program sends.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = single(headers, &header::AUTHORIZATION).ok().flatten()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The answer to whoever shows nothing that opens.
pub fn unauthorized(reason: &str) -> Response {
    let asked = [(header::WWW_AUTHENTICATE, "Bearer realm=\"elophanto\"")];
    (StatusCode::UNAUTHORIZED, asked, Json(json!({ "error": reason }))).into_response()
}

fn too_many(reason: &str, wait: Duration) -> Response {
    let seconds = wait.as_secs() + 1;
    let wait = [(header::RETRY_AFTER, seconds.to_string())];
    (StatusCode::TOO_MANY_REQUESTS, wait, Json(json!({ "error": reason }))).into_response()
}
