//! The Web API.

use std::sync::{Arc, atomic::Ordering};

use axum::{
    body::{Body, to_bytes},
    extract::{FromRequestParts, Request, ws::WebSocketUpgrade},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    super::form,
    socket::talk,
    state::{APP_TOKEN, BOT, BOT_TOKEN, NAME, Sent, Shared, alone},
};

/// Characters of a message.
const MOST: usize = 40_000;

fn json_of(value: &Value) -> Response {
    let response = Response::builder().header(CONTENT_TYPE, "application/json");
    response.body(Body::from(value.to_string())).unwrap()
}

fn wrong(word: &str) -> Response {
    json_of(&json!({ "ok": false, "error": word }))
}

pub async fn answer(shared: Arc<Shared>, base: String, request: Request) -> Response {
    let is_dropped = {
        let mut state = shared.state();
        let is_call = !request.uri().path().starts_with("/control/");
        state.calls += usize::from(is_call);
        let every = state.drop_every;
        let is_dropped = is_call && every > 0 && state.calls.is_multiple_of(every);
        // By turns before it is done, and after.
        if is_call && (state.is_down || (is_dropped && (state.calls / every).is_multiple_of(2))) {
            return Response::new(form::broken());
        }
        is_dropped
    };
    let answered = answered(shared, base, request).await;
    if is_dropped { Response::new(form::broken()) } else { answered }
}

async fn answered(shared: Arc<Shared>, base: String, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    if path.starts_with("/socket") {
        return match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
            Ok(upgrade) => upgrade.on_upgrade(move |socket| talk(shared, socket)),
            Err(refusal) => refusal.into_response(),
        };
    }
    let bytes = to_bytes(body, 64 << 20).await.unwrap_or_default();
    let header = |name: &str| {
        let value = parts.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    if let Some(name) = path.strip_prefix("/control/") {
        return control(&shared, name, &bytes);
    }
    if let Some(id) = path.strip_prefix("/upload/") {
        // As it is, or as a form.
        let form = form::read("", &header("content-type"), &bytes);
        let file = form.and_then(|given| given.files.into_values().next());
        let file = file.map_or_else(|| bytes.to_vec(), |(_, bytes)| bytes);
        shared.state().uploads.insert(id.to_owned(), file);
        return Response::new(Body::from("OK"));
    }
    let token = header("authorization");
    let token = token.strip_prefix("Bearer ").unwrap_or_default();
    let kind = header("content-type");
    let query = parts.uri.query().unwrap_or_default();
    let Some(given) = form::read(query, &kind, &bytes) else { return wrong("invalid_json") };
    let values = Value::Object(given.values);
    // Clients may put it into the form instead.
    let token = if token.is_empty() { values["token"].as_str().unwrap_or_default() } else { token };
    let method = path.trim_start_matches("/api/").trim_start_matches('/');
    let is_for_app = method == "apps.connections.open";
    let expected = if is_for_app { APP_TOKEN } else { BOT_TOKEN };
    if shared.state().revoked || token != expected {
        return wrong(if token.is_empty() { "not_authed" } else { "invalid_auth" });
    }
    if path.starts_with("/files/") {
        return Response::new(Body::from("what is in it"));
    }
    called(&shared, &base, method, &values)
}

fn called(shared: &Shared, base: &str, method: &str, given: &Value) -> Response {
    let host = base.trim_start_matches("http://").trim_end_matches("/api/");
    let text = |key: &str| match &given[key] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    match method {
        "auth.test" => {
            json_of(&json!({ "ok": true, "url": "https://harbour.slack.com/", "team": "Harbour",
            "team_id": "T1", "user": NAME, "user_id": BOT, "bot_id": "BHARBOUR" }))
        }
        "apps.connections.open" => {
            json_of(&json!({ "ok": true, "url": format!("ws://{host}/socket?ticket=1") }))
        }
        "chat.postMessage" | "chat.update" => {
            if text("text").chars().count() > MOST {
                return wrong("msg_too_long");
            }
            if !text("channel").starts_with(['C', 'D']) {
                return wrong("channel_not_found");
            }
            {
                let mut state = shared.state();
                let wait = match state.limited {
                    0 => state.buckets.take(&text("channel")).err(),
                    _ => {
                        state.limited -= 1;
                        Some(1)
                    }
                };
                if let Some(wait) = wait {
                    let answer = Response::builder()
                        .status(StatusCode::TOO_MANY_REQUESTS)
                        .header("retry-after", wait.to_string())
                        .header(CONTENT_TYPE, "application/json");
                    let body = json!({ "ok": false, "error": "ratelimited" }).to_string();
                    return answer.body(Body::from(body)).unwrap();
                }
            }
            if method == "chat.postMessage" {
                post(shared, given, &text)
            } else {
                update(shared, given, &text)
            }
        }
        "conversations.history" | "conversations.replies" => {
            let (channel, is_thread) = (text("channel"), method == "conversations.replies");
            let thread = is_thread.then(|| text("ts"));
            let most = text("limit").parse().unwrap_or(100);
            let oldest: f64 = text("oldest").parse().unwrap_or_default();
            let has_metadata = text("include_all_metadata") == "true";
            let state = shared.state();
            let here = state.sent.iter().rev().filter(|it| it.channel == channel);
            // What stands in a thread is not in the history.
            let mut all: Vec<Value> = here
                .filter(|it| it.thread == thread || thread.as_ref() == Some(&it.ts))
                .filter(|it| it.ts.parse::<f64>().is_ok_and(|ts| ts > oldest))
                .take(most)
                .map(|it| {
                    let mut message = json!({ "type": "message", "user": BOT, "bot_id": "BHARBOUR",
                        "ts": it.ts, "text": it.text });
                    if has_metadata && !it.metadata.is_null() {
                        message["metadata"] = it.metadata.clone();
                    }
                    message
                })
                .collect();
            if is_thread {
                all.reverse();
            }
            json_of(&json!({ "ok": true, "messages": all, "has_more": false }))
        }
        "files.getUploadURLExternal" => {
            let id = format!("F{}", shared.ts().replace('.', ""));
            json_of(
                &json!({ "ok": true, "file_id": id, "upload_url": format!("http://{host}/upload/{id}?key=1") }),
            )
        }
        "files.completeUploadExternal" => {
            let files = object(&given["files"]);
            let mut state = shared.state();
            for file in files.as_array().into_iter().flatten() {
                let Some(bytes) = state.uploads.remove(file["id"].as_str().unwrap_or_default())
                else {
                    return wrong("file_not_found");
                };
                let title = file["title"].as_str().unwrap_or_default().to_owned();
                state.files.push((title, String::from_utf8_lossy(&bytes).into_owned()));
            }
            json_of(&json!({ "ok": true, "files": [] }))
        }
        _ => wrong("unknown_method"),
    }
}

/// The action and the value of one.
type Button = (String, String);

/// Labels and values of buttons, and what sections say.
fn blocks(given: &Value) -> Result<(Vec<Button>, String), &'static str> {
    let blocks = object(&given["blocks"]);
    let (mut buttons, mut sections) = (Vec::new(), String::new());
    for block in blocks.as_array().into_iter().flatten() {
        if block["type"] == "section" {
            let text = block["text"]["text"].as_str().unwrap_or_default();
            if !(1..=3_000).contains(&text.chars().count()) {
                return Err("invalid_blocks");
            }
            sections.push_str(text);
        }
        let mut ids = Vec::new();
        for element in block["elements"].as_array().into_iter().flatten() {
            let id = element["action_id"].as_str().unwrap_or_default();
            let (label, value) =
                (&element["text"]["text"], element["value"].as_str().unwrap_or_default());
            let label = label.as_str().unwrap_or_default();
            if ids.contains(&id) || label.chars().count() > 75 || value.len() > 2_000 {
                return Err("invalid_blocks");
            }
            ids.push(id);
            buttons.push((label.to_owned(), value.to_owned()));
        }
    }
    Ok((buttons, sections))
}

/// An object, which forms hold as text.
fn object(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    }
}

fn is_true(value: &Value) -> bool {
    !(*value == Value::Bool(false) || *value == "false")
}

fn post(shared: &Shared, given: &Value, text: &dyn Fn(&str) -> String) -> Response {
    let (buttons, sections) = match blocks(given) {
        Ok(read) => read,
        Err(word) => return wrong(word),
    };
    if text("text").trim().is_empty() && sections.is_empty() {
        return wrong("no_text");
    }
    let sent = Sent {
        channel: text("channel"),
        ts: shared.ts(),
        thread: given["thread_ts"].as_str().map(str::to_owned),
        text: text("text"),
        buttons,
        sections,
        unfurls: is_true(&given["unfurl_links"]) || is_true(&given["unfurl_media"]),
        edits: 0,
        metadata: object(&given["metadata"]),
    };
    let said = json!({ "ok": true, "channel": sent.channel, "ts": sent.ts, "message": { "text": sent.text } });
    shared.state().sent.push(sent);
    json_of(&said)
}

fn update(shared: &Shared, given: &Value, text: &dyn Fn(&str) -> String) -> Response {
    let (buttons, sections) = match blocks(given) {
        Ok(read) => read,
        Err(word) => return wrong(word),
    };
    let mut state = shared.state();
    let (channel, ts) = (text("channel"), text("ts"));
    let Some(sent) = state.sent.iter_mut().find(|it| it.channel == channel && it.ts == ts) else {
        return wrong("message_not_found");
    };
    (sent.text, sent.buttons, sent.sections) = (text("text"), buttons, sections);
    sent.edits += 1;
    json_of(&json!({ "ok": true, "channel": channel, "ts": ts, "text": sent.text }))
}

fn control(shared: &Shared, name: &str, body: &[u8]) -> Response {
    let given: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |key: &str| given[key].as_str().unwrap_or_default().to_owned();
    let result = match name {
        "say" => json!(shared.say(&text("user"), &text("text"))),
        "press" => json!(shared.press(&text("user"), &text("ts"), &text("label"))),
        "command" => {
            shared.command(&text("user"), &text("text"), &alone(&text("user")));
            Value::Null
        }
        "react" => {
            shared.hand("events_api", json!({ "type": "event_callback", "team_id": "T1", "event_id": shared.ts(),
                "authorizations": [{ "team_id": "T1", "user_id": BOT, "is_bot": true }],
                "event": { "type": "reaction_added", "user": text("user"), "reaction": text("name"),
                    "item": { "type": "message", "channel": text("channel"), "ts": text("ts") } } }));
            Value::Null
        }
        "limit" => {
            shared.state().limited = 1;
            Value::Null
        }
        "disconnect" => {
            shared.disconnect.notify_waiters();
            Value::Null
        }
        "waiting" => json!(shared.state().envelopes.len()),
        "acknowledged" => json!(shared.state().acknowledged),
        "sockets" => json!(shared.sockets.load(Ordering::SeqCst)),
        "sent" => serde_json::to_value(&shared.state().sent).unwrap_or_default(),
        "files" => json!(shared.state().files),
        _ => json!("no such control"),
    };
    json_of(&json!({ "result": result }))
}
