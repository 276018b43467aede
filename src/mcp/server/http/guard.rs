//! Who may come in. In this order: how long the body says it is, the host that the request was sent
//! to, the web page that it comes from, the token, how many requests there were.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::super::stdio::MAX_BYTES;
use super::{Http, ServeError, body::too_long, fault, names, rate::Window, token::Secret};

/// Wrong tokens a minute that are told so.
const GUESSES: u32 = 10;

/// What requests are held against.
pub struct Guard {
    secret: Secret,
    hosts: Vec<String>,
    origins: Vec<String>,
    guesses: Mutex<Window>,
    requests: Mutex<Window>,
}

impl Guard {
    /// # Errors
    /// The token cannot be sent in a header.
    pub fn new(http: &Http) -> Result<Self, ServeError> {
        let limit = if http.requests_per_minute == 0 { u32::MAX } else { http.requests_per_minute };
        Ok(Self {
            secret: Secret::new(&http.token).ok_or(ServeError::Token)?,
            hosts: http.allowed_hosts.clone(),
            origins: http.allowed_origins.clone(),
            guesses: Mutex::new(Window::new(GUESSES)),
            requests: Mutex::new(Window::new(limit)),
        })
    }

    /// The answer to a request that may not come in.
    fn refusal(&self, uri: &Uri, headers: &HeaderMap, now: Instant) -> Option<Response> {
        let length = single(headers, &header::CONTENT_LENGTH).ok().flatten();
        if length
            .is_some_and(|length| length.parse().is_ok_and(|length: u64| length > MAX_BYTES as u64))
        {
            return Some(too_long());
        }
        let target = uri.authority().map(|authority| authority.as_str());
        let host = single(headers, &header::HOST).ok().flatten();
        if !host.is_some_and(|host| names::is_allowed_host(host, &self.hosts))
            || target.is_some_and(|target| !names::is_allowed_host(target, &self.hosts))
        {
            return Some(fault(StatusCode::FORBIDDEN, "requests to this host are not answered"));
        }
        let is_known = match single(headers, &header::ORIGIN) {
            Ok(None) => true,
            Ok(Some(origin)) => names::is_allowed_origin(origin, &self.origins),
            Err(()) => false,
        };
        if !is_known {
            return Some(fault(
                StatusCode::FORBIDDEN,
                "requests from this origin are not answered",
            ));
        }
        match bearer(headers) {
            None => return Some(unauthorized("a bearer token is needed")),
            // The right token always opens: if guessing closed the door to it, anybody could.
            Some(token) if !self.secret.is(token) => {
                return Some(match lock(&self.guesses).take(now) {
                    Ok(()) => unauthorized("the token is wrong"),
                    Err(wait) => too_many("too many wrong tokens", wait),
                });
            }
            Some(_) => {}
        }
        lock(&self.requests).take(now).err().map(|wait| too_many("too many requests", wait))
    }
}

/// Lets a request in, or answers why not.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.refusal(request.uri(), request.headers(), Instant::now()) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    }
}

/// The value of a header that may be there once. `Err`: twice, or not as text.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = single(headers, &header::AUTHORIZATION).ok().flatten()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn unauthorized(reason: &str) -> Response {
    let asked = [(header::WWW_AUTHENTICATE, "Bearer realm=\"elophanto\"")];
    (StatusCode::UNAUTHORIZED, asked, Json(json!({ "error": reason }))).into_response()
}

fn too_many(reason: &str, wait: Duration) -> Response {
    let seconds = wait.as_secs() + 1;
    let wait = [(header::RETRY_AFTER, seconds.to_string())];
    (StatusCode::TOO_MANY_REQUESTS, wait, Json(json!({ "error": reason }))).into_response()
}

fn lock(window: &Mutex<Window>) -> MutexGuard<'_, Window> {
    window.lock().unwrap_or_else(PoisonError::into_inner)
}
