//! Telegram's Bot API for one bot, with the rules that adapters run into.
//!
//! The offset of a request acknowledges what came before it; a request is held until something comes; of
//! two that are held the earlier one ends with 409; reactions come only to those who asked for them;
//! markup is parsed, lengths are counted as there; too fast is 429.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{StatusCode, header::CONTENT_TYPE},
    response::Response,
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Runtime, sync::Notify, time::timeout};

use super::{
    form::{self, Given},
    markup::seen,
    rate::Buckets,
};

/// The token that is taken unless another one is said.
pub const TOKEN: &str = "7:AAharbour-token";
/// The bot.
pub const BOT: i64 = 7;
pub const NAME: &str = "harbour_bot";
/// Characters of a message, in UTF-16.
const MOST: usize = 4_096;

/// A message of the bot, as it is now.
#[derive(Debug, Clone, Serialize)]
pub struct Sent {
    pub chat: i64,
    pub message: i64,
    pub thread: Option<i64>,
    /// What is seen.
    pub text: String,
    /// Rows of buttons: label and data.
    pub buttons: Vec<Vec<(String, String)>>,
    pub answers: Option<i64>,
    /// Whether links in it are looked at.
    pub has_preview: bool,
    /// Whether it was taken as marked up.
    pub is_marked_up: bool,
    /// Texts that stood there before.
    pub before: Vec<String>,
    /// Name and text of a file.
    pub file: Option<(String, String)>,
}

/// A running Bot API. It stops when this is dropped.
pub struct Telegram {
    pub url: String,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    bell: Notify,
    /// Which request for news is the latest.
    latest: AtomicU64,
    superseded: Notify,
}

struct State {
    token: String,
    updates: VecDeque<Value>,
    next_update: i64,
    next_message: i64,
    allowed: Option<BTreeSet<String>>,
    sent: Vec<Sent>,
    commands: Vec<Value>,
    /// Messages of people, by chat and number.
    files: BTreeMap<String, Vec<u8>>,
    presses: BTreeMap<String, String>,
    chats: Buckets,
    all: Buckets,
    /// What to do to so many of the next sends.
    limited: usize,
    /// Calls end without an answer: before they are done, or after.
    is_down: bool,
    /// One in so many calls ends without an answer.
    drop_every: usize,
    /// Every other drop comes when the call is done already.
    calls: usize,
    blocked: BTreeSet<i64>,
    threads: BTreeSet<i64>,
    /// Every call, by its name.
    asked: Vec<String>,
    has_webhook: bool,
    is_typing: usize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            token: TOKEN.to_owned(),
            updates: VecDeque::new(),
            next_update: 100,
            next_message: 1,
            allowed: None,
            sent: Vec::new(),
            commands: Vec::new(),
            files: BTreeMap::new(),
            presses: BTreeMap::new(),
            chats: Buckets::new(3.0, 1.0),
            all: Buckets::new(30.0, 30.0),
            limited: 0,
            is_down: false,
            drop_every: 0,
            calls: 0,
            blocked: BTreeSet::new(),
            threads: BTreeSet::new(),
            asked: Vec::new(),
            has_webhook: false,
            is_typing: 0,
        }
    }
}

/// What a call is answered.
enum Said {
    Result(Value),
    Error {
        code: u16,
        text: String,
        retry_after: Option<u64>,
    },
    File(Vec<u8>),
    /// The connection breaks.
    Nothing,
}

fn refused(text: impl Into<String>) -> Said {
    Said::Error { code: 400, text: format!("Bad Request: {}", text.into()), retry_after: None }
}

impl Default for Telegram {
    fn default() -> Self {
        Self::start(0)
    }
}

impl Telegram {
    /// At a port of this machine; 0 takes any that is free.
    pub fn start(port: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let serve = move |request: Request| {
            let shared = Arc::clone(&own);
            async move { answer(&shared, request).await }
        };
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port))).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move {
            axum::serve(listener, Router::new().fallback(serve)).await.unwrap();
        });
        Self { url, shared, runtime: Some(runtime) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// A person writes in their private conversation with the bot: the number of the message.
    pub fn say(&self, from: i64, text: &str) -> i64 {
        self.message(private(from, json!({ "text": text })))
    }

    /// A message as Telegram would hand it on; its number and date are added.
    pub fn message(&self, message: Value) -> i64 {
        self.shared.message(message)
    }

    /// A message of a person with a file: the number of the message.
    pub fn hand_over(&self, from: i64, name: &str, bytes: &[u8], caption: &str) -> i64 {
        let id = format!("file-{name}");
        self.state().files.insert(id.clone(), bytes.to_vec());
        let document = json!({ "file_id": id, "file_name": name, "file_size": bytes.len() });
        self.message(private(from, json!({ "document": document, "caption": caption })))
    }

    /// Anything else that happens, by its name.
    pub fn happens(&self, name: &str, what: Value) {
        self.shared.happens(name, what);
    }

    /// Somebody presses the button of this label below a message: the id of the press, if there is one.
    pub fn press(&self, from: i64, chat: i64, message: i64, label: &str) -> Option<String> {
        self.shared.press(from, chat, message, label)
    }

    /// What the bot said to whoever pressed.
    pub fn pressed(&self, press: &str) -> Option<String> {
        self.state().presses.get(press).cloned().filter(|said| !said.is_empty())
    }

    pub fn react(&self, from: i64, chat: i64, message: i64, emoji: &str) {
        self.shared.react(from, chat, message, emoji);
    }

    /// Messages of the bot, the oldest first.
    pub fn sent(&self) -> Vec<Sent> {
        self.state().sent.clone()
    }

    /// The same in one conversation, what is seen of them.
    pub fn texts(&self, chat: i64) -> Vec<String> {
        let state = self.state();
        state.sent.iter().filter(|sent| sent.chat == chat).map(|sent| sent.text.clone()).collect()
    }

    /// Names of all calls so far.
    pub fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    /// How many updates nobody has acknowledged.
    pub fn waiting(&self) -> usize {
        self.state().updates.len()
    }

    pub fn commands(&self) -> Vec<Value> {
        self.state().commands.clone()
    }

    /// Another token is taken from now on.
    pub fn revoke(&self) {
        "7:AAanother".clone_into(&mut self.state().token);
    }

    /// The next sends are too many.
    pub fn limit(&self, sends: usize) {
        self.state().limited = sends;
    }

    /// Whether calls end without an answer.
    pub fn down(&self, is_down: bool) {
        self.state().is_down = is_down;
        self.shared.bell.notify_waiters();
    }

    /// One in so many calls ends without an answer, by turns before and after it is done; 0: none.
    pub fn drop_every(&self, calls: usize) {
        self.state().drop_every = calls;
    }

    /// A person has no more to do with the bot.
    pub fn block(&self, chat: i64) {
        self.state().blocked.insert(chat);
    }

    pub fn webhook(&self, is_set: bool) {
        self.state().has_webhook = is_set;
    }

    /// A topic that is there.
    pub fn thread(&self, thread: i64, is_there: bool) {
        let mut state = self.state();
        match is_there {
            true => state.threads.insert(thread),
            false => state.threads.remove(&thread),
        };
    }
}

impl Drop for Telegram {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A message in the private conversation of a person.
pub fn private(from: i64, more: Value) -> Value {
    let mut message = json!({
        "chat": { "id": from, "type": "private", "first_name": "Ada" },
        "from": { "id": from, "is_bot": false, "first_name": "Ada" },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        message[name] = value.clone();
    }
    message
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn message(&self, mut message: Value) -> i64 {
        let number = {
            let mut state = self.state();
            state.next_message += 1;
            state.next_message
        };
        message["message_id"] = json!(number);
        message["date"] = json!(1_790_000_000);
        self.happens("message", message);
        number
    }

    fn happens(&self, name: &str, what: Value) {
        {
            let mut state = self.state();
            let is_asked_for = match &state.allowed {
                Some(allowed) if !allowed.is_empty() => allowed.contains(name),
                // Those that nobody gets unasked.
                _ => !name.starts_with("message_reaction") && name != "chat_member",
            };
            if !is_asked_for {
                return;
            }
            state.next_update += 1;
            let update = json!({ "update_id": state.next_update, name: what });
            state.updates.push_back(update);
        }
        self.bell.notify_waiters();
    }

    fn press(&self, from: i64, chat: i64, message: i64, label: &str) -> Option<String> {
        let data = {
            let mut state = self.state();
            let sent = state.sent.iter().find(|it| it.chat == chat && it.message == message)?;
            let button = sent.buttons.iter().flatten().find(|(own, _)| own.contains(label))?;
            let data = button.1.clone();
            let press = format!("press-{}", state.presses.len());
            state.presses.insert(press.clone(), String::new());
            (press, data)
        };
        let kind = if chat > 0 { "private" } else { "supergroup" };
        let query = json!({
            "id": data.0, "chat_instance": "1", "data": data.1,
            "from": { "id": from, "is_bot": false, "first_name": "Ada" },
            "message": { "message_id": message, "date": 1_790_000_000,
                "chat": { "id": chat, "type": kind, "first_name": "Ada" },
                "from": { "id": BOT, "is_bot": true, "first_name": "Harbour" } },
        });
        self.happens("callback_query", query);
        Some(data.0)
    }

    fn react(&self, from: i64, chat: i64, message: i64, emoji: &str) {
        let kind = if chat > 0 { "private" } else { "supergroup" };
        let reaction = json!({
            "chat": { "id": chat, "type": kind, "first_name": "Ada" }, "message_id": message,
            "date": 1_790_000_000, "user": { "id": from, "is_bot": false, "first_name": "Ada" },
            "old_reaction": [], "new_reaction": [{ "type": "emoji", "emoji": emoji }],
        });
        self.happens("message_reaction", reaction);
    }
}

async fn answer(shared: &Shared, request: Request) -> Response {
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
        Said::Nothing => return Response::new(broken()),
    };
    let mut response = Response::builder()
        .status(StatusCode::from_u16(code).unwrap_or(StatusCode::OK))
        .header(CONTENT_TYPE, "application/json");
    if let Some(wait) = wait {
        response = response.header("retry-after", wait.to_string());
    }
    response.body(Body::from(body.to_string())).unwrap()
}

/// A body that ends before it has begun.
fn broken() -> Body {
    let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    Body::from_stream(futures::stream::iter([Err::<axum::body::Bytes, _>(reset)]))
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

fn text(given: &Given, key: &str) -> String {
    match given.values.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn integer(given: &Given, key: &str) -> Option<i64> {
    text(given, key).parse().ok()
}

/// Whether one more message may be sent there now.
fn may_send(state: &mut State, chat: i64) -> Result<(), Said> {
    let too_many = |seconds: u64| Said::Error {
        code: 429,
        text: format!("Too Many Requests: retry after {seconds}"),
        retry_after: Some(seconds),
    };
    if state.limited > 0 {
        state.limited -= 1;
        return Err(too_many(1));
    }
    state.all.take("").map_err(too_many)?;
    state.chats.take(&chat.to_string()).map_err(too_many)
}

fn chat(state: &State, given: &Given) -> Result<i64, Said> {
    let Some(chat) = integer(given, "chat_id") else { return Err(refused("chat not found")) };
    if state.blocked.contains(&chat) {
        let text = "Forbidden: bot was blocked by the user".to_owned();
        return Err(Said::Error { code: 403, text, retry_after: None });
    }
    Ok(chat)
}

/// What is seen of the text of a message, and whether it was marked up.
fn words(given: &Given) -> Result<(String, bool), Said> {
    let raw = text(given, "text");
    let mode = text(given, "parse_mode");
    let is_marked_up = mode.eq_ignore_ascii_case("html");
    let seen = match is_marked_up {
        true => seen(&raw).map_err(|why| refused(format!("can't parse entities: {why}")))?,
        false if mode.is_empty() => raw,
        false => return Err(refused("unsupported parse_mode")),
    };
    let seen = seen.trim().to_owned();
    match seen.encode_utf16().count() {
        0 => Err(refused("message text is empty")),
        count if count > MOST => Err(refused("message is too long")),
        _ => Ok((seen, is_marked_up)),
    }
}

fn buttons(given: &Given) -> Result<Vec<Vec<(String, String)>>, Said> {
    let Some(rows) =
        given.values.get("reply_markup").and_then(|it| it["inline_keyboard"].as_array())
    else {
        return Ok(Vec::new());
    };
    let one = |button: &Value| {
        let data = button["callback_data"].as_str().unwrap_or_default();
        let label = button["text"].as_str().unwrap_or_default();
        match data.len() {
            1..=64 if !label.is_empty() => Ok((label.to_owned(), data.to_owned())),
            _ => Err(refused("BUTTON_DATA_INVALID")),
        }
    };
    let row = |row: &Value| row.as_array().into_iter().flatten().map(one).collect();
    rows.iter().map(row).collect()
}

fn has_preview(given: &Given) -> bool {
    let new = given.values.get("link_preview_options").map(|it| it["is_disabled"] == true);
    !(new == Some(true) || text(given, "disable_web_page_preview") == "true")
}

fn thread(state: &State, given: &Given) -> Result<Option<i64>, Said> {
    match integer(given, "message_thread_id") {
        Some(thread) if !state.threads.contains(&thread) => {
            Err(refused("message thread not found"))
        }
        thread => Ok(thread),
    }
}

fn answers(given: &Given) -> Option<i64> {
    let new = given.values.get("reply_parameters").and_then(|it| it["message_id"].as_i64());
    new.or_else(|| integer(given, "reply_to_message_id"))
}

fn message(sent: &Sent) -> Said {
    let kind = if sent.chat > 0 { "private" } else { "supergroup" };
    let mut message = json!({
        "message_id": sent.message, "date": 1_790_000_000, "text": sent.text,
        "chat": { "id": sent.chat, "type": kind, "first_name": "Ada" },
        "from": { "id": BOT, "is_bot": true, "first_name": "Harbour", "username": NAME },
    });
    if let Some((name, _)) = &sent.file {
        message["document"] = json!({ "file_id": format!("sent-{}", sent.message),
            "file_unique_id": "u", "file_name": name });
        message.as_object_mut().map(|it| it.remove("text"));
    }
    Said::Result(message)
}

fn post(
    state: &mut State,
    given: &Given,
    what: (String, bool),
    file: Option<(String, String)>,
) -> Result<Said, Said> {
    let chat = chat(state, given)?;
    let (thread, buttons) = (thread(state, given)?, buttons(given)?);
    may_send(state, chat)?;
    state.next_message += 1;
    let sent = Sent {
        chat,
        message: state.next_message,
        thread,
        text: what.0,
        buttons,
        answers: answers(given),
        has_preview: file.is_none() && has_preview(given),
        is_marked_up: what.1,
        before: Vec::new(),
        file,
    };
    let said = message(&sent);
    state.sent.push(sent);
    Ok(said)
}

fn send(state: &mut State, given: &Given) -> Said {
    let posted = words(given).and_then(|words| post(state, given, words, None));
    posted.unwrap_or_else(|said| said)
}

fn send_document(state: &mut State, given: &Given) -> Said {
    let Some((name, bytes)) = given.files.values().next() else {
        return refused("there is no document in the request");
    };
    let file = (name.clone(), String::from_utf8_lossy(bytes).into_owned());
    post(state, given, (String::new(), false), Some(file)).unwrap_or_else(|said| said)
}

fn edit(state: &mut State, given: &Given) -> Said {
    let mut edited = || -> Result<Said, Said> {
        let chat = chat(state, given)?;
        let (words, is_marked_up) = words(given)?;
        let (buttons, has_preview) = (buttons(given)?, has_preview(given));
        let number = integer(given, "message_id");
        let found = state.sent.iter().position(|it| it.chat == chat && Some(it.message) == number);
        let Some(at) = found else { return Err(refused("message to edit not found")) };
        if state.sent[at].text == words && state.sent[at].buttons == buttons {
            return Err(refused(
                "message is not modified: specified new message content and reply markup are exactly \
                 the same as a current content and reply markup of the message",
            ));
        }
        may_send(state, chat)?;
        let sent = &mut state.sent[at];
        sent.before.push(std::mem::replace(&mut sent.text, words));
        sent.buttons = buttons;
        sent.is_marked_up = is_marked_up;
        sent.has_preview |= has_preview;
        Ok(message(sent))
    };
    edited().unwrap_or_else(|said| said)
}

fn set_commands(state: &mut State, given: &Given) -> Said {
    let all = given.values.get("commands").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_name = |name: &str| {
        (1..=32).contains(&name.len())
            && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    for command in &all {
        let about = command["description"].as_str().unwrap_or_default();
        if !is_name(command["command"].as_str().unwrap_or_default()) {
            return refused("BOT_COMMAND_INVALID");
        }
        if !(1..=256).contains(&about.chars().count()) {
            return refused("BOT_COMMAND_DESCRIPTION_INVALID");
        }
    }
    if all.len() > 100 {
        return refused("BOT_COMMANDS_TOO_MUCH");
    }
    state.commands = all;
    Said::Result(json!(true))
}
