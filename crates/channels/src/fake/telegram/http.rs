//! The Bot API over HTTP, and what is held until something comes.

use std::{sync::atomic::Ordering, time::Duration};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{StatusCode, header::CONTENT_TYPE},
    response::Response,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    super::form::{self, Given},
    rules::{Said, edit, integer, refused, send, send_document, set_commands, text},
    state::{BOT, NAME, Shared, private},
};

pub async fn answer(shared: &Shared, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, 64 << 20).await.unwrap_or_default();
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let (path, query) = (decoded(parts.uri.path()), parts.uri.query().unwrap_or_default());
    let path = path.as_str();
    if let Some(name) = path.strip_prefix("/control/") {
        return respond(Said::Result(control(shared, name, &bytes)));
    }
    let is_dropped = {
        let mut state = shared.state();
        state.calls += 1;
        let every = state.drop_every;
        let is_dropped = every > 0 && state.calls.is_multiple_of(every);
        // By turns before it is done, and after.
        if state.is_down || (is_dropped && (state.calls / every).is_multiple_of(2)) {
            return respond(Said::Nothing);
        }
        is_dropped
    };
    let said = match form::read(query, kind, &bytes) {
        Some(given) => call(shared, path, given).await,
        None => refused("can't parse the request"),
    };
    respond(if is_dropped { Said::Nothing } else { said })
}

/// A path as it was before it was made a part of an address.
fn decoded(path: &str) -> String {
    let pair = format!("p={}", path.replace('+', "%2B").replace('&', "%26"));
    let value = url::form_urlencoded::parse(pair.as_bytes()).next();
    value.map(|(_, path)| path.into_owned()).unwrap_or_default()
}

fn respond(said: Said) -> Response {
    let (code, body, wait) = match said {
        Said::Result(result) => (200, json!({ "ok": true, "result": result }), None),
        Said::Error { code, text, retry_after } => {
            let mut body = json!({ "ok": false, "error_code": code, "description": text });
            if let Some(seconds) = retry_after {
                body["parameters"] = json!({ "retry_after": seconds });
            }
            (code, body, retry_after)
        }
        Said::File(bytes) => return Response::new(Body::from(bytes)),
        Said::Nothing => return Response::new(form::broken()),
    };
    let mut response = Response::builder()
        .status(StatusCode::from_u16(code).unwrap_or(StatusCode::OK))
        .header(CONTENT_TYPE, "application/json");
    if let Some(wait) = wait {
        response = response.header("retry-after", wait.to_string());
    }
    response.body(Body::from(body.to_string())).unwrap()
}

/// What tests in other languages ask for.
fn control(shared: &Shared, name: &str, body: &[u8]) -> Value {
    let given: Value = serde_json::from_slice(body).unwrap_or_default();
    let number = |key: &str| given[key].as_i64().unwrap_or_default();
    let text = |key: &str| given[key].as_str().unwrap_or_default().to_owned();
    match name {
        "say" => json!(shared.message(private(number("from"), json!({ "text": text("text") })))),
        "message" => json!(shared.message(given)),
        "press" => {
            json!(shared.press(number("from"), number("chat"), number("message"), &text("label")))
        }
        "react" => {
            shared.react(number("from"), number("chat"), number("message"), &text("emoji"));
            Value::Null
        }
        "limit" => {
            shared.state().limited = usize::try_from(number("sends")).unwrap_or_default();
            Value::Null
        }
        "waiting" => json!(shared.state().updates.len()),
        "file" => {
            shared.state().files.insert(text("id"), text("text").into_bytes());
            Value::Null
        }
        "sent" => serde_json::to_value(&shared.state().sent).unwrap_or_default(),
        _ => json!("no such control"),
    }
}

async fn call(shared: &Shared, path: &str, given: Given) -> Said {
    let token = shared.state().token.clone();
    let unauthorized =
        || Said::Error { code: 401, text: "Unauthorized".to_owned(), retry_after: None };
    if let Some(file) = path.strip_prefix("/file/bot") {
        let Some((own, path)) = file.split_once('/') else { return unauthorized() };
        if own != token {
            return unauthorized();
        }
        let state = shared.state();
        let bytes = state.files.get(path.strip_prefix("documents/").unwrap_or(path));
        return match bytes {
            Some(bytes) => Said::File(bytes.clone()),
            None => Said::Error { code: 404, text: "Not Found".to_owned(), retry_after: None },
        };
    }
    let Some((own, method)) = path.strip_prefix("/bot").and_then(|it| it.split_once('/')) else {
        return Said::Error { code: 404, text: "Not Found".to_owned(), retry_after: None };
    };
    if !own.contains(':') {
        return Said::Error { code: 404, text: "Not Found".to_owned(), retry_after: None };
    }
    if own != token {
        return unauthorized();
    }
    shared.state().asked.push(method.to_owned());
    match method.to_lowercase().as_str() {
        "getupdates" => return updates(shared, &given).await,
        "getme" => {
            return Said::Result(json!({
                "id": BOT, "is_bot": true, "first_name": "Harbour", "username": NAME,
                "can_join_groups": true, "can_read_all_group_messages": false,
                "supports_inline_queries": false, "can_connect_to_business": false, "has_main_web_app": false,
            }));
        }
        _ => {}
    }
    let mut state = shared.state();
    match method.to_lowercase().as_str() {
        "deletewebhook" => {
            state.has_webhook = false;
            Said::Result(json!(true))
        }
        "getwebhookinfo" => Said::Result(json!({
            "url": if state.has_webhook { "https://example.org/hook" } else { "" },
            "has_custom_certificate": false, "pending_update_count": state.updates.len(),
        })),
        "setmycommands" => set_commands(&mut state, &given),
        "sendmessage" => send(&mut state, &given),
        "editmessagetext" => edit(&mut state, &given),
        "senddocument" => send_document(&mut state, &given),
        "sendchataction" => {
            state.is_typing += 1;
            Said::Result(json!(true))
        }
        "answercallbackquery" => {
            let press = text(&given, "callback_query_id");
            let said = text(&given, "text");
            match state.presses.get_mut(&press) {
                Some(kept) => {
                    *kept = if said.is_empty() { " ".to_owned() } else { said };
                    Said::Result(json!(true))
                }
                None => {
                    refused("query is too old and response timeout expired or query ID is invalid")
                }
            }
        }
        "getfile" => {
            let id = text(&given, "file_id");
            match state.files.get(&id) {
                Some(bytes) if bytes.len() <= 20 << 20 => Said::Result(json!({
                    "file_id": id, "file_unique_id": id, "file_size": bytes.len(),
                    "file_path": format!("documents/{id}"),
                })),
                Some(_) => refused("file is too big"),
                None => refused("wrong file_id or the file is temporarily unavailable"),
            }
        }
        _ => Said::Error {
            code: 404,
            text: "Not Found: method not found".to_owned(),
            retry_after: None,
        },
    }
}

async fn updates(shared: &Shared, given: &Given) -> Said {
    let number = |key: &str| integer(given, key);
    if shared.state().has_webhook {
        let text = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook \
                    to delete the webhook first";
        return Said::Error { code: 409, text: text.to_owned(), retry_after: None };
    }
    let own = shared.latest.fetch_add(1, Ordering::SeqCst) + 1;
    shared.superseded.notify_waiters();
    if let Some(allowed) = given.values.get("allowed_updates").and_then(Value::as_array) {
        let names = allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        shared.state().allowed = Some(names);
    }
    let wait = Duration::from_secs(number("timeout").unwrap_or(0).clamp(0, 50).unsigned_abs());
    let most = usize::try_from(number("limit").unwrap_or(100)).unwrap_or(100).clamp(1, 100);
    let held = async {
        loop {
            // Registered before it is looked, or what comes between would be missed.
            let (bell, superseded) = (shared.bell.notified(), shared.superseded.notified());
            tokio::pin!(bell, superseded);
            bell.as_mut().enable();
            superseded.as_mut().enable();
            if shared.latest.load(Ordering::SeqCst) != own {
                return None;
            }
            {
                let mut state = shared.state();
                if state.is_down {
                    return Some(Err(()));
                }
                if let Some(offset) = number("offset").filter(|offset| *offset > 0) {
                    state.updates.retain(|it| it["update_id"].as_i64() >= Some(offset));
                }
                if !state.updates.is_empty() {
                    return Some(Ok(state.updates.iter().take(most).cloned().collect::<Vec<_>>()));
                }
            }
            tokio::select! { () = bell => {}, () = superseded => {} }
        }
    };
    match timeout(wait, held).await {
        Ok(Some(Ok(all))) => Said::Result(json!(all)),
        Ok(Some(Err(()))) => Said::Nothing,
        Ok(None) => {
            let text = "Conflict: terminated by other getUpdates request; make sure that only one \
                        bot instance is running";
            Said::Error { code: 409, text: text.to_owned(), retry_after: None }
        }
        Err(_) => Said::Result(json!([])),
    }
}
