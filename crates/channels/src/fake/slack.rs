//! Slack's Web API and Socket Mode for one app, with the rules that adapters run into.
//!
//! An envelope that is not acknowledged within three seconds comes again; of several sockets any one gets
//! it; a socket is ended with a word before; too fast is 429; what is wrong is a word in an answer of 200.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{
        FromRequestParts, Request,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime, sync::Notify};

use super::{form, rate::Buckets};

pub const BOT_TOKEN: &str = "xoxb-harbour";
pub const APP_TOKEN: &str = "xapp-harbour";
pub const BOT: &str = "UHARBOUR";
pub const NAME: &str = "harbour";
/// An envelope that nobody acknowledged comes again after this time.
const AGAIN: Duration = Duration::from_secs(3);
/// Characters of a message.
const MOST: usize = 40_000;

/// A message of the app, as it is now.
#[derive(Debug, Clone, Serialize)]
pub struct Sent {
    pub channel: String,
    pub ts: String,
    pub thread: Option<String>,
    pub text: String,
    /// Labels and values of its buttons.
    pub buttons: Vec<(String, String)>,
    /// What its parts say as they stand.
    pub sections: String,
    /// Whether links in it are looked at.
    pub unfurls: bool,
    pub edits: usize,
}

/// A running Slack. It stops when this is dropped.
pub struct Slack {
    pub url: String,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

struct Shared {
    state: Mutex<State>,
    bell: Notify,
    sockets: AtomicUsize,
    disconnect: Notify,
}

struct State {
    /// What is to be handed over: the envelope, how often it was, when last.
    envelopes: VecDeque<(Value, usize, Option<Instant>)>,
    number: u64,
    sent: Vec<Sent>,
    uploads: BTreeMap<String, Vec<u8>>,
    files: Vec<(String, String)>,
    buckets: Buckets,
    limited: usize,
    revoked: bool,
    acknowledged: usize,
}

impl Slack {
    /// At a port of this machine; 0 takes any that is free.
    pub fn start(port: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                envelopes: VecDeque::new(),
                number: 1,
                sent: Vec::new(),
                uploads: BTreeMap::new(),
                files: Vec::new(),
                buckets: Buckets::new(4.0, 1.0),
                limited: 0,
                revoked: false,
                acknowledged: 0,
            }),
            bell: Notify::new(),
            sockets: AtomicUsize::new(0),
            disconnect: Notify::new(),
        });
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port))).unwrap();
        let url = format!("http://{}/api/", listener.local_addr().unwrap());
        let (own, base) = (Arc::clone(&shared), url.clone());
        let serve = move |request: Request| {
            let (shared, base) = (Arc::clone(&own), base.clone());
            async move { answer(shared, base, request).await }
        };
        runtime.spawn(async move {
            axum::serve(listener, Router::new().fallback(serve)).await.unwrap();
        });
        Self { url, shared, runtime: Some(runtime) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Somebody writes to the app alone; the number of the message.
    pub fn say(&self, user: &str, text: &str) -> String {
        self.shared.say(user, text)
    }

    /// An event as Slack would hand it on.
    pub fn event(&self, event: Value) {
        self.shared.hand("events_api", json!({ "event": event }));
    }

    /// A button below a message is pressed; whether there is one.
    pub fn press(&self, user: &str, ts: &str, label: &str) -> bool {
        self.shared.press(user, ts, label)
    }

    pub fn react(&self, user: &str, channel: &str, ts: &str, name: &str) {
        self.event(json!({ "type": "reaction_added", "user": user, "reaction": name,
            "item": { "type": "message", "channel": channel, "ts": ts } }));
    }

    /// `/elophanto` with these words.
    pub fn command(&self, user: &str, words: &str) {
        self.shared.command(user, words, &alone(user));
    }

    /// The same in another conversation.
    pub fn command_in(&self, user: &str, words: &str, channel: &str) {
        self.shared.command(user, words, channel);
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.state().sent.clone()
    }

    /// Names and texts of files of the app.
    pub fn files(&self) -> Vec<(String, String)> {
        self.state().files.clone()
    }

    /// How many envelopes nobody has acknowledged.
    pub fn waiting(&self) -> usize {
        self.state().envelopes.len()
    }

    pub fn limit(&self, sends: usize) {
        self.state().limited = sends;
    }

    pub fn revoke(&self) {
        self.state().revoked = true;
    }

    /// All sockets are ended, as every few hours.
    pub fn disconnect(&self) {
        self.shared.disconnect.notify_waiters();
    }
}

impl Drop for Slack {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The conversation of somebody with the app alone.
pub fn alone(user: &str) -> String {
    format!("D{user}")
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ts(&self) -> String {
        let mut state = self.state();
        state.number += 1;
        format!("17900000{:02}.{:06}", state.number / 100, state.number)
    }

    fn hand(&self, kind: &str, payload: Value) {
        let id = self.ts();
        let envelope = json!({ "type": kind, "envelope_id": format!("e-{id}"), "payload": payload,
            "accepts_response_payload": false });
        self.state().envelopes.push_back((envelope, 0, None));
        self.bell.notify_waiters();
    }

    fn say(&self, user: &str, text: &str) -> String {
        let ts = self.ts();
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.hand("events_api", json!({ "type": "event_callback", "team_id": "T1", "event_id": format!("Ev{ts}"),
            "authorizations": [{ "team_id": "T1", "user_id": BOT, "is_bot": true }],
            "event": { "type": "message", "channel": alone(user), "channel_type": "im", "user": user,
                "ts": ts, "text": text } }));
        ts
    }

    fn press(&self, user: &str, ts: &str, label: &str) -> bool {
        let found = {
            let state = self.state();
            let sent = state.sent.iter().find(|sent| sent.ts == ts).cloned();
            sent.and_then(|sent| {
                let button = sent.buttons.iter().find(|(own, _)| own.contains(label))?.1.clone();
                Some((sent.channel, button))
            })
        };
        let Some((channel, value)) = found else { return false };
        self.hand(
            "interactive",
            json!({ "type": "block_actions", "user": { "id": user, "name": user },
            "team": { "id": "T1" }, "channel": { "id": channel }, "message": { "ts": ts },
            "trigger_id": self.ts(),
            "actions": [{ "type": "button", "action_id": "b0", "value": value }] }),
        );
        true
    }

    fn command(&self, user: &str, words: &str, channel: &str) {
        self.hand(
            "slash_commands",
            json!({ "command": "/elophanto", "text": words, "user_id": user,
            "user_name": user, "channel_id": channel, "team_id": "T1", "trigger_id": self.ts() }),
        );
    }
}

fn json_of(value: &Value) -> Response {
    let response = Response::builder().header(CONTENT_TYPE, "application/json");
    response.body(Body::from(value.to_string())).unwrap()
}

fn wrong(word: &str) -> Response {
    json_of(&json!({ "ok": false, "error": word }))
}

async fn answer(shared: Arc<Shared>, base: String, request: Request) -> Response {
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
        "files.getUploadURLExternal" => {
            let id = format!("F{}", shared.ts().replace('.', ""));
            json_of(
                &json!({ "ok": true, "file_id": id, "upload_url": format!("http://{host}/upload/{id}?key=1") }),
            )
        }
        "files.completeUploadExternal" => {
            let files = match &given["files"] {
                Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
                other => other.clone(),
            };
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
    let blocks = match &given["blocks"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
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

/// One socket: hands envelopes over, and hears what is acknowledged.
async fn talk(shared: Arc<Shared>, mut socket: WebSocket) {
    let number = shared.sockets.fetch_add(1, Ordering::SeqCst) + 1;
    let hello = json!({ "type": "hello", "num_connections": number,
        "debug_info": { "host": "here" }, "connection_info": { "app_id": "A1" } });
    if socket.send(Message::Text(hello.to_string().into())).await.is_err() {
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
