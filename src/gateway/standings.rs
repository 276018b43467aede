//! What goes on in all conversations, for whoever asks beside them.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::entrance::Hall;
use crate::listening::fault;

/// What goes on and waits, for `gateway status`.
pub async fn standings(State(hall): State<Arc<Hall>>) -> Response {
    let gateway = Arc::clone(&hall.gateway);
    // What is asked may be at the disk.
    let Ok(all) = spawn_blocking(move || gateway.standings()).await else {
        return fault(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug");
    };
    Json(json!({ "clients": hall.gateway.clients(), "conversations": all })).into_response()
}
