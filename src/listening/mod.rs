//! What every server of ours needs, whatever it serves: who may come in over TCP, over a socket of the
//! user's own, how many at once and for how long; where a server is written down, how one is started
//! in the background, found and ended.
//!
//! Refuses to know what is served.

pub mod connections;
pub mod guard;
pub mod life;
pub mod names;
pub mod own;
pub mod rate;
pub mod running;
pub mod token;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

/// A refusal in one short sentence.
pub fn fault(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "error": reason }))).into_response()
}
