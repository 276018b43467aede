//! Files that are handed over before they go with a message.

use std::{sync::Arc, time::Instant};

use axum::{
    Json,
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::json;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};
use url::form_urlencoded;

use super::entrance::Hall;
use crate::listening::fault;
use elophanto_app::gateway::{Channel, MOST_ATTACHMENT};

/// What a file is called, encoded as in a form.
const NAME: HeaderName = HeaderName::from_static("x-elophanto-name");
/// Files that are taken at once: each may be in memory whole.
static TAKEN: Semaphore = Semaphore::const_new(4);

/// `POST /attachment` over TCP, by whoever bears the token.
pub async fn attach(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    match hall.program(request.uri(), request.headers(), Instant::now()) {
        Ok(_) => keep(hall, Channel::Cli, request).await,
        Err(refusal) => *refusal,
    }
}

/// The same over the socket of the user.
pub async fn attach_own(State(hall): State<Arc<Hall>>, request: Request) -> Response {
    keep(hall, Channel::Cli, request).await
}

/// Keeps a file of somebody who was let in.
pub(super) async fn keep(hall: Arc<Hall>, channel: Channel, request: Request) -> Response {
    let identity = hall.identity(channel);
    let name = request.headers().get(NAME).map(HeaderValue::as_bytes).unwrap_or_default();
    let name = form_urlencoded::parse(name).next().map_or(String::new(), |it| it.0.into_owned());
    let Ok(_taken) = TAKEN.acquire().await else {
        return fault(StatusCode::SERVICE_UNAVAILABLE, "the gateway ends");
    };
    let bytes =
        match timeout(hall.pace.upload, to_bytes(request.into_body(), MOST_ATTACHMENT)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                let why = format!("a file comes whole, with at most {MOST_ATTACHMENT} bytes");
                return fault(StatusCode::PAYLOAD_TOO_LARGE, &why);
            }
            Err(_) => return fault(StatusCode::REQUEST_TIMEOUT, "the file did not come in time"),
        };
    let gateway = Arc::clone(&hall.gateway);
    let kept = spawn_blocking(move || gateway.attach(&identity, &name, &bytes)).await;
    match kept {
        Ok(Ok((id, kind))) => Json(json!({ "id": id, "kind": kind })).into_response(),
        Ok(Err(error)) => fault(StatusCode::UNPROCESSABLE_ENTITY, error.message()),
        Err(_) => fault(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug"),
    }
}
