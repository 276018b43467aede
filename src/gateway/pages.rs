//! The doors of pages: everything of them lies below one path, and a cookie that is good there alone
//! opens it. What a page says is `page`'s.

use std::{
    sync::{Arc, PoisonError},
    time::Instant,
};

use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::{
    attachment,
    entrance::{Hall, OURS, no_random_bits, no_such_method, nothing_in_address, of_same_site},
};
use crate::{
    listening::{
        fault,
        guard::{Refusal, of_no_origin, single, unauthorized},
        names,
        token::new_token,
    },
    page::{self, Answer, assets},
};
use elophanto_app::gateway::Channel;

/// Bytes of a body that holds a ticket.
const MOST_TICKET: usize = 4 * 1024;
/// The same of what a page wants done.
const MOST_ACT: usize = 1024 * 1024;
/// What a browser may do with a page of ours: nothing of others, no script of anybody but us, and no
/// script that makes markup of text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'";

/// The same with a picture of the repository: whatever it holds, nothing of it is run.
const POLICY_OF_PICTURES: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// What lies below the path of pages.
pub fn routes(hall: &Hall) -> Router<Arc<Hall>> {
    let below = |name: &str| format!("{}{name}", hall.place);
    Router::new()
        .route(&below("session"), post(session))
        .route(&below("socket"), get(enter_page))
        .route(&below("attachment"), post(attach))
        .route(&below(""), get(pages))
        .route(&below("{*rest}"), get(pages).post(act))
        .method_not_allowed_fallback(no_such_method)
        .layer(map_response(as_page))
}

/// What every answer below the path of pages says to a browser.
async fn as_page(mut response: Response) -> Response {
    let headers = response.headers_mut();
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    }
    let mut say = |name, value| drop(headers.insert(name, HeaderValue::from_static(value)));
    say(header::REFERRER_POLICY, "no-referrer");
    say(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    say(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    say(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// The socket of a page of ours, whose cookie is sent to no other place.
async fn enter_page(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let held = hall.of_own_page(&parts.uri, &parts.headers);
    match held.and_then(|()| hall.visitor(&parts.headers, Instant::now())) {
        Ok(until) => hall.open(parts, hall.identity(Channel::Web), until).await,
        Err(refusal) => *refusal,
    }
}

/// A file that goes with a message, from a page of ours alone.
async fn attach(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let headers = request.headers();
    let held = hall.of_own_page(request.uri(), headers).and_then(|()| of_own_script(headers));
    match held.and_then(|()| hall.visitor(headers, Instant::now())) {
        Ok(_) => attachment::keep(hall, Channel::Web, request).await,
        Err(refusal) => *refusal,
    }
}

/// A page, for whoever has a cookie; files of ours for everybody who knows the path.
async fn pages(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    let held = hall.guard.host(uri, headers).map(drop).and_then(|()| of_same_site(headers));
    if let Err(refusal) = held {
        return *refusal;
    }
    let rest = uri.path().strip_prefix(&hall.place).unwrap_or_default();
    if let Some(name) = rest.strip_prefix("assets/") {
        return asset(name, headers);
    }
    let now = Instant::now();
    let is_known = hall.cookie(headers).is_some_and(|cookie| {
        hall.visitors.lock().unwrap_or_else(PoisonError::into_inner).until(cookie, now).is_some()
    });
    if !is_known && rest.ends_with(".json") {
        let reason =
            "this browser may not come in, or not any more: run `elophanto page` in a terminal";
        return fault(StatusCode::UNAUTHORIZED, reason);
    }
    if !is_known {
        let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        let body = page::closed(&hall.place).into_string();
        return (StatusCode::UNAUTHORIZED, kind, body).into_response();
    }
    if let Err(refusal) = hall.guard.count(now) {
        return *refusal;
    }
    let (rest, query) = (rest.to_owned(), uri.query().unwrap_or_default().to_owned());
    answered(spawn_blocking(move || page::answer(&hall.library, &hall.place, &rest, &query)).await)
}

/// Something is done from a page: only our own asks for it, by script.
async fn act(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (uri, headers) = (&parts.uri, &parts.headers);
    let held = hall.of_own_page(uri, headers).and_then(|()| sent_by_script(headers));
    if let Err(refusal) = held.and_then(|()| hall.visitor(headers, Instant::now())) {
        return *refusal;
    }
    let Ok(bytes) = to_bytes(body, MOST_ACT).await else {
        return fault(StatusCode::PAYLOAD_TOO_LARGE, "that is more than a page may send");
    };
    let rest = uri.path().strip_prefix(&hall.place).unwrap_or_default().to_owned();
    answered(spawn_blocking(move || page::act(&hall.library, &hall.place, &rest, &bytes)).await)
}

/// What a page is made to say.
fn answered(made: Result<Answer, JoinError>) -> Response {
    let Ok(answer) = made else {
        return fault(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug");
    };
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let kind = [(header::CONTENT_TYPE, answer.kind)];
    match answer.location {
        Some(location) => (status, [(header::LOCATION, location)]).into_response(),
        None if answer.kind.starts_with("image/") => {
            let policy = [(header::CONTENT_SECURITY_POLICY, POLICY_OF_PICTURES)];
            (status, kind, policy, answer.body).into_response()
        }
        None => (status, kind, answer.body).into_response(),
    }
}

/// A file of ours, unless the browser has it already.
fn asset(name: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = assets::named(name) else {
        return fault(StatusCode::NOT_FOUND, "there is no such file");
    };
    let kept = [(header::ETAG, asset.etag.as_str()), (header::CACHE_CONTROL, "no-cache")];
    let known = single(headers, &header::IF_NONE_MATCH).ok().flatten();
    if known.is_some_and(|known| known.split(',').any(|it| it.trim() == asset.etag)) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    (kept, [(header::CONTENT_TYPE, asset.kind)], asset.bytes).into_response()
}

/// What a page of ours exchanges for a cookie.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ticket {
    ticket: String,
}

async fn session(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let headers = &parts.headers;
    let held = hall.of_own_page(&parts.uri, headers).and_then(|()| sent_by_script(headers));
    if let Err(refusal) = held {
        return *refusal;
    }
    let Ok(bytes) = to_bytes(body, MOST_TICKET).await else {
        return fault(StatusCode::PAYLOAD_TOO_LARGE, "a ticket is shorter");
    };
    let Ok(Ticket { ticket }) = serde_json::from_slice(&bytes) else {
        return fault(StatusCode::BAD_REQUEST, "write {\"ticket\": \"...\"}");
    };
    let Ok(cookie) = new_token() else { return no_random_bits() };
    let now = Instant::now();
    let is_known = {
        let mut visitors = hall.visitors.lock().unwrap_or_else(PoisonError::into_inner);
        visitors.exchanged(&ticket, &cookie, now)
    };
    if !is_known {
        return hall.guard.wrong("ticket", now);
    }
    let secure = headers.get(header::ORIGIN).is_some_and(|it| it.as_bytes().starts_with(b"https:"));
    let cookie = format!(
        "{}={cookie}; Path={}; HttpOnly; SameSite=Strict{}",
        hall.cookie_name(),
        hall.place,
        if secure { "; Secure" } else { "" }
    );
    // The first page that is looked at need not wait.
    hall.library.warm();
    let headers = [(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, "no-store".to_owned())];
    (StatusCode::NO_CONTENT, headers).into_response()
}

impl Hall {
    /// Until when the bearer of our cookie may stay.
    fn visitor(&self, headers: &HeaderMap, now: Instant) -> Result<CancellationToken, Refusal> {
        let known = self.cookie(headers).and_then(|cookie| {
            self.visitors.lock().unwrap_or_else(PoisonError::into_inner).until(cookie, now)
        });
        let until = known.ok_or_else(|| match headers.contains_key(header::COOKIE) {
            true => Box::new(self.guard.wrong("cookie", now)),
            false => unauthorized("a cookie is needed").into(),
        })?;
        self.guard.count(now)?;
        Ok(until)
    }

    /// Refuses what no page of ours sends: exactly our own scheme, host and port.
    fn of_own_page(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = self.guard.host(uri, headers)?;
        nothing_in_address(uri)?;
        match single(headers, &header::ORIGIN) {
            Ok(Some(origin)) if names::is_own_origin(origin, host, self.port) => {
                of_same_site(headers)
            }
            _ => Err(of_no_origin().into()),
        }
    }

    fn cookie_name(&self) -> String {
        format!("elophanto_{}", self.port)
    }

    /// The value of our cookie, if exactly one is sent.
    fn cookie<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let name = self.cookie_name();
        let mut ours = all.flat_map(|value| value.split(';')).filter_map(|pair| {
            let (known, value) = pair.trim().split_once('=')?;
            (known == name).then_some(value)
        });
        let first = ours.next()?;
        ours.next().is_none().then_some(first)
    }
}

/// No form can send this, and no page of others without our leave.
fn sent_by_script(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = headers.get(header::CONTENT_TYPE);
    match kind.is_some_and(|kind| kind == HeaderValue::from_static("application/json")) {
        true => of_own_script(headers),
        false => Err(unauthorized("send JSON, and `x-elophanto: page`").into()),
    }
}

fn of_own_script(headers: &HeaderMap) -> Result<(), Refusal> {
    match headers.get(OURS).is_some_and(|value| value == "page") {
        true => Ok(()),
        false => Err(unauthorized("send `x-elophanto: page`").into()),
    }
}
