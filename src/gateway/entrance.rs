//! Who comes in, and as whom: programs by the token, the user's own over a socket that only they can
//! open, people with a browser by a cookie that is good below one path alone. Decided before anything
//! becomes a socket, and before any page is made.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use axum::{
    Json, Router,
    extract::{FromRequestParts, Request, State, WebSocketUpgrade},
    http::{HeaderMap, HeaderName, StatusCode, Uri, header, request::Parts},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::json;
use tokio::{sync::Semaphore, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::{
    attachment, pages,
    socket::{self, MOST_HELLO, MOST_MESSAGE, Pace},
    standings,
    visitors::Visitors,
};
use crate::{
    listening::{
        connections::{Allowance, Room},
        fault,
        guard::{self, Guard, Refusal, of_no_origin, single},
        token::new_token,
    },
    page::Library,
};
use elophanto_app::{
    Result,
    gateway::{Channel, Gateway, Identity, Scopes},
};

/// What a page of ours sends along, and no page of others can without our leave.
pub(super) const OURS: HeaderName = HeaderName::from_static("x-elophanto");
/// Which page a browser says a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Bytes of a body.
pub const MOST_BODY: usize = 8 * 1024 * 1024;
/// Bytes that are read of a socket at once, and written.
const BUFFER: usize = 4 * 1024;
/// Bytes that wait to be written.
const MOST_WRITTEN: usize = 16 * 1024 * 1024;

/// What all doors of a gateway share.
pub struct Hall {
    pub gateway: Arc<Gateway>,
    pub guard: Arc<Guard>,
    pub visitors: Mutex<Visitors>,
    /// Places of sockets.
    pub sockets: Arc<Semaphore>,
    pub closing: CancellationToken,
    /// The user whose gateway it is.
    pub user: String,
    /// Where it listens: cookies know no ports.
    pub port: u16,
    pub pace: Pace,
    /// What pages show.
    pub library: Arc<Library>,
    /// The path below which they lie, with `/` at both ends.
    pub place: String,
    /// Writes a new token down.
    pub keep: Box<KeepToken>,
}

/// See [`Hall::keep`].
pub type KeepToken = dyn Fn(&str) -> Result<()> + Send + Sync;

/// What is served over TCP; `mcp` to whoever bears the token.
pub fn over_tcp(hall: &Arc<Hall>, mcp: Router) -> Router {
    let mcp = mcp.layer(from_fn_with_state(Arc::clone(&hall.guard), guard::guard));
    let ours = Router::new()
        .route("/gateway", get(enter))
        .route("/attachment", post(attachment::attach))
        .route("/ticket", post(ticket))
        .method_not_allowed_fallback(no_such_method);
    ours.merge(pages::routes(hall)).with_state(Arc::clone(hall)).merge(mcp)
}

/// What is served over the socket of the user: whoever could open it is the user.
pub fn over_socket(hall: &Arc<Hall>, mcp: Router) -> Router {
    let ours = Router::new()
        .route("/gateway", get(enter_own))
        .route("/attachment", post(attachment::attach_own))
        .route("/standings", get(standings::standings))
        .route("/ticket", post(own_ticket))
        .route("/token", post(change_token))
        .method_not_allowed_fallback(no_such_method);
    ours.with_state(Arc::clone(hall)).merge(mcp)
}

pub(super) async fn no_such_method() -> Response {
    fault(StatusCode::METHOD_NOT_ALLOWED, "this path takes no such method")
}

async fn enter(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match hall.program(&parts.uri, &parts.headers, Instant::now()) {
        Ok(until) => hall.open(parts, hall.identity(Channel::Cli), until).await,
        Err(refusal) => *refusal,
    }
}

async fn enter_own(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if let Err(refusal) = nothing_in_address(&parts.uri) {
        return *refusal;
    }
    let identity = hall.identity(Channel::Cli);
    hall.open(parts, identity, CancellationToken::new()).await
}

/// A ticket for a page of ours.
async fn ticket(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    let (uri, headers, now) = (request.uri(), request.headers(), Instant::now());
    let held = hall.guard.host(uri, headers).map(drop);
    let held = held.and_then(|()| nothing_in_address(uri)).and_then(|()| of_same_site(headers));
    match held.and_then(|()| hall.guard.program(headers, now)) {
        Ok(_) => hall.issue(now),
        Err(refusal) => *refusal,
    }
}

async fn own_ticket(State(hall): State<Arc<Hall>>) -> Response {
    hall.issue(Instant::now())
}

/// Another token takes the place of the one there is.
async fn change_token(State(hall): State<Arc<Hall>>) -> Response {
    let Ok(token) = new_token() else { return no_random_bits() };
    let (keeper, kept) = (Arc::clone(&hall), token.clone());
    match spawn_blocking(move || (keeper.keep)(&kept)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return fault(StatusCode::INTERNAL_SERVER_ERROR, error.message()),
        Err(_) => return fault(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug"),
    }
    hall.guard.key().change(&token);
    hall.visitors.lock().unwrap_or_else(PoisonError::into_inner).clear();
    Json(json!({ "changed": true })).into_response()
}

impl Hall {
    /// Lets a program in that bears the token, and says until when.
    pub(super) fn program(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        now: Instant,
    ) -> Result<CancellationToken, Refusal> {
        self.guard.host(uri, headers)?;
        nothing_in_address(uri)?;
        self.guard.program(headers, now)
    }

    pub(super) fn identity(&self, channel: Channel) -> Identity {
        // A page is what it is made of: what concerns this machine is not done from there.
        let admin = channel.is_of_this_machine();
        Identity { channel, user: self.user.clone(), scopes: Scopes { admin, ..Scopes::ALL } }
    }

    fn issue(&self, now: Instant) -> Response {
        let Ok(ticket) = new_token() else { return no_random_bits() };
        self.visitors.lock().unwrap_or_else(PoisonError::into_inner).issued(&ticket, now);
        let headers = [(header::CACHE_CONTROL, "no-store")];
        (headers, Json(json!({ "ticket": ticket, "page": self.place }))).into_response()
    }

    /// Makes a socket of a request that was let in.
    pub(super) async fn open(
        &self,
        mut parts: Parts,
        who: Identity,
        until: CancellationToken,
    ) -> Response {
        let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
            Ok(upgrade) => upgrade,
            Err(refusal) => return fault(refusal.status(), &refusal.body_text()),
        };
        let Ok(place) = Arc::clone(&self.sockets).try_acquire_owned() else {
            return fault(StatusCode::SERVICE_UNAVAILABLE, "there are too many sockets");
        };
        let room = parts.extensions.remove::<Room>();
        let allowance = parts.extensions.remove::<Allowance>().unwrap_or_default();
        allowance.limit(MOST_HELLO + BUFFER);
        let (gateway, pace) = (Arc::clone(&self.gateway), self.pace);
        let closing = self.closing.clone();
        upgrade
            .read_buffer_size(BUFFER)
            .write_buffer_size(BUFFER)
            .max_write_buffer_size(MOST_WRITTEN)
            .max_message_size(MOST_MESSAGE)
            .max_frame_size(MOST_MESSAGE)
            .on_upgrade(async move |socket| {
                socket::talk(socket, gateway, who, pace, allowance, until, closing).await;
                drop((place, room));
            })
    }
}

/// Secrets in an address end up in logs and histories: nothing is taken from there.
pub(super) fn nothing_in_address(uri: &Uri) -> Result<(), Refusal> {
    match uri.query() {
        None => Ok(()),
        Some(_) => Err(fault(
            StatusCode::BAD_REQUEST,
            "nothing is taken from the address: a token goes into the header Authorization",
        )
        .into()),
    }
}

/// A browser that says which page a request comes from says that of one of ours.
pub(super) fn of_same_site(headers: &HeaderMap) -> Result<(), Refusal> {
    match single(headers, &FETCH_SITE) {
        Ok(None | Some("same-origin" | "none")) => Ok(()),
        _ => Err(of_no_origin().into()),
    }
}

pub(super) fn no_random_bits() -> Response {
    fault(StatusCode::INTERNAL_SERVER_ERROR, "the system gives no random bits")
}
