//! The body of a message: read within limits of time, length and depth.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use serde_json::json;

use super::super::stdio::{MAX_BYTES, Refusal, Scan};
use crate::listening::fault;

/// How long a body may take to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// The bytes of a body.
///
/// # Errors
/// What is answered instead: too long (413), too slow (408), broken off (400), or nested too deeply
/// (400, with an error of the protocol).
pub async fn read(body: Body) -> Result<Bytes, Response> {
    let mut bytes = Vec::new();
    let mut scan = Scan::default();
    let mut parts = body.into_data_stream();
    let reading = async {
        while let Some(part) = parts.next().await {
            let part = part.map_err(|_| fault(StatusCode::BAD_REQUEST, "the body broke off"))?;
            scan.feed(&part);
            match scan.refusal() {
                None => bytes.extend_from_slice(&part),
                Some(Refusal::TooLong) => return Err(too_long()),
                // Goes on to the end of the message, where its id may be.
                Some(Refusal::TooDeep) => bytes = Vec::new(),
            }
        }
        Ok(())
    };
    match tokio::time::timeout(PATIENCE, reading).await {
        Ok(result) => result?,
        Err(_) => return Err(fault(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    }
    let Some(refusal) = scan.refusal() else { return Ok(Bytes::from(bytes)) };
    let error = json!({
        "jsonrpc": "2.0",
        "id": scan.id(),
        "error": {"code": -32600, "message": refusal.to_string()},
    });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Err((StatusCode::BAD_REQUEST, kind, error.to_string()).into_response())
}

/// The answer to a body that is too long.
fn too_long() -> Response {
    fault(StatusCode::PAYLOAD_TOO_LARGE, &format!("a body may have at most {MAX_BYTES} bytes"))
}
