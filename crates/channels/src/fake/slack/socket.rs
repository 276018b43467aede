//! Socket Mode: envelopes, and who acknowledges them.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use axum::{
    body::Bytes,
    extract::ws::{Message, WebSocket},
};
use serde_json::{Value, json};

use super::state::Shared;

/// An envelope that nobody acknowledged comes again after this time.
const AGAIN: Duration = Duration::from_secs(3);

/// One socket: hands envelopes over, and hears what is acknowledged.
pub async fn talk(shared: Arc<Shared>, mut socket: WebSocket) {
    let number = shared.sockets.fetch_add(1, Ordering::SeqCst) + 1;
    let hello = json!({ "type": "hello", "num_connections": number,
        "debug_info": { "host": "here" }, "connection_info": { "app_id": "A1" } });
    if socket.send(Message::Text(hello.to_string().into())).await.is_err() {
        return;
    }
    let slams = {
        let mut state = shared.state();
        state.opened += 1;
        state.slams
    };
    if slams {
        shared.sockets.fetch_sub(1, Ordering::SeqCst);
        return;
    }
    loop {
        let due = {
            let mut state = shared.state();
            let is_due = |last: &Option<Instant>| last.is_none_or(|at| at.elapsed() >= AGAIN);
            state.envelopes.iter_mut().find(|(_, _, last)| is_due(last)).map(
                |(envelope, times, last)| {
                    *last = Some(Instant::now());
                    if *times > 0 {
                        envelope["retry_attempt"] = json!(*times);
                        envelope["retry_reason"] = json!("timeout");
                    }
                    *times += 1;
                    envelope.to_string()
                },
            )
        };
        if let Some(envelope) = due {
            if socket.send(Message::Text(envelope.into())).await.is_err() {
                break;
            }
            continue;
        }
        tokio::select! {
            () = shared.bell.notified() => {}
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
            () = shared.disconnect.notified() => {
                let word = json!({ "type": "disconnect", "reason": "refresh_requested" });
                let _ = socket.send(Message::Text(word.to_string().into())).await;
                break;
            }
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => {
                    let said: Value = serde_json::from_str(&text).unwrap_or_default();
                    let mut state = shared.state();
                    let before = state.envelopes.len();
                    state.envelopes.retain(|(envelope, ..)| envelope["envelope_id"] != said["envelope_id"]);
                    state.acknowledged += before - state.envelopes.len();
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
        }
    }
    shared.sockets.fetch_sub(1, Ordering::SeqCst);
    let _ = socket.send(Message::Ping(Bytes::new())).await;
}
