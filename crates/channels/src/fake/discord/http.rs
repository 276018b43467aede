//! The HTTP API.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{FromRequestParts, Request, ws::WebSocketUpgrade},
    http::Method,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    super::form::{self, Given},
    control,
    rules::{self, Checked, invalid, json_of, no},
    socket::talk,
    state::{BOT, Sent, Shared, State, alone, bot, shown},
};

/// What is asked for.
struct Call<'a> {
    method: Method,
    /// Behind the version.
    path: Vec<&'a str>,
    query: &'a str,
    given: Value,
    file: Option<(String, String)>,
}

pub async fn answer(shared: Arc<Shared>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    if path.trim_end_matches('/') == "/gateway" {
        return match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
            Ok(upgrade) => upgrade.on_upgrade(move |socket| talk(shared, socket)),
            Err(refusal) => refusal.into_response(),
        };
    }
    let bytes = to_bytes(body, 64 << 20).await.unwrap_or_default();
    if let Some(name) = path.strip_prefix("/control/") {
        return json_of(200, &json!({ "result": control::called(&shared, name, &bytes) }));
    }
    if let Some(file) = path.strip_prefix("/attachments/") {
        let state = shared.state();
        let id = file.split('/').next().unwrap_or_default();
        // The address is the key.
        let is_signed = parts.uri.query().is_some_and(|query| query.contains("hm="));
        return match state.files.get(id).filter(|_| is_signed) {
            Some(bytes) => Response::new(Body::from(bytes.clone())),
            None => no(404, 0, "404: Not Found"),
        };
    }
    let is_dropped = {
        let mut state = shared.state();
        state.calls += 1;
        let every = state.drop_every;
        let is_dropped = every > 0 && state.calls.is_multiple_of(every);
        // By turns before it is done, and after.
        if state.is_down || (is_dropped && (state.calls / every).is_multiple_of(2)) {
            return Response::new(form::broken());
        }
        is_dropped
    };
    let header = |name: &str| {
        let value = parts.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let Some(path) = path.strip_prefix("/api/v10/") else { return no(404, 0, "404: Not Found") };
    let (given, file) = match read(&header("content-type"), &bytes) {
        Some(read) => read,
        None => return no(400, 50_109, "The request body contains invalid JSON."),
    };
    let call = Call {
        method: parts.method.clone(),
        path: path.split('/').collect(),
        query: parts.uri.query().unwrap_or_default(),
        given,
        file,
    };
    let said = called(&shared, &header("authorization"), &header("user-agent"), &call);
    if is_dropped { Response::new(form::broken()) } else { said }
}

/// A body, with a file where it is a form.
fn read(kind: &str, bytes: &[u8]) -> Option<(Value, Option<(String, String)>)> {
    if bytes.is_empty() {
        return Some((Value::Null, None));
    }
    if !kind.starts_with("multipart/form-data") {
        return serde_json::from_slice(bytes).ok().map(|given| (given, None));
    }
    let Given { mut values, files } = form::read("", kind, bytes)?;
    let file = files.into_values().next();
    let file = file.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()));
    Some((values.remove("payload_json").unwrap_or_default(), file))
}

fn called(shared: &Shared, authorization: &str, agent: &str, call: &Call<'_>) -> Response {
    let mut state = shared.state();
    state.asked.push(format!("{} {}", call.method, call.path.join("/")));
    match (call.method.as_str(), call.path.as_slice()) {
        ("POST", ["interactions", id, token, "callback"]) => {
            return callback(&mut state, id, token, call);
        }
        ("POST", ["webhooks", _, token]) => return follow_up(&mut state, token, call),
        ("PATCH", ["webhooks", _, token, "messages", "@original"]) => {
            return follow_up(&mut state, token, call);
        }
        ("GET", ["gateway"]) => {
            return json_of(200, &json!({ "url": format!("ws://{}/gateway", shared.host) }));
        }
        _ => {}
    }
    if !agent.starts_with("DiscordBot (") {
        return no(403, 40_333, "internal network error");
    }
    if authorization.strip_prefix("Bot ") != Some(state.token.as_str()) {
        return no(401, 0, "401: Unauthorized");
    }
    match (call.method.as_str(), call.path.as_slice()) {
        ("GET", ["gateway", "bot"]) => json_of(
            200,
            &json!({ "url": format!("ws://{}/gateway", shared.host), "shards": 1,
                "session_start_limit": { "total": 1000, "remaining": 999, "reset_after": 14_400_000,
                    "max_concurrency": 1 } }),
        ),
        ("GET", ["users", "@me"]) => json_of(200, &bot()),
        ("GET", ["applications" | "oauth2", .., "@me"]) => json_of(
            200,
            &json!({ "id": BOT, "name": "Harbour", "description": "", "icon": null, "flags": 0,
                "bot_public": false, "bot_require_code_grant": false, "verify_key": "",
                "owner": { "id": "1", "username": "owner", "discriminator": "0", "avatar": null } }),
        ),
        ("PUT", ["applications", BOT, "commands"]) => match rules::commands(&call.given) {
            Ok(all) => {
                state.commands = all;
                let with_id = |mut it: Value| {
                    (it["id"], it["application_id"], it["version"]) =
                        (json!("5"), json!(BOT), json!("1"));
                    it
                };
                let all: Vec<Value> = state.commands.iter().cloned().map(with_id).collect();
                json_of(200, &json!(all))
            }
            Err(wrong) => *wrong,
        },
        ("POST", ["users", "@me", "channels"]) => {
            let user = call.given["recipient_id"].as_str().and_then(|id| id.parse().ok());
            let channel = alone(user.unwrap_or(0));
            state.alone.insert(channel.clone());
            json_of(200, &channel_of(&state, &channel))
        }
        ("GET", ["channels", id]) => json_of(200, &channel_of(&state, id)),
        ("POST", ["channels", _, "typing"]) => no_content(),
        ("GET", ["channels", id, "messages"]) => messages(&state, id, call.query),
        ("POST", ["channels", id, "messages"]) => {
            limited(&mut state, id, |state| post(state, id, call))
        }
        ("PATCH", ["channels", id, "messages", message]) => {
            limited(&mut state, id, |state| edit(state, id, message, call))
        }
        _ => no(404, 0, "404: Not Found"),
    }
}

fn no_content() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = axum::http::StatusCode::NO_CONTENT;
    response
}

fn channel_of(state: &State, id: &str) -> Value {
    match state.is_private(id) {
        true => json!({ "id": id, "type": 1, "last_message_id": null, "flags": 0,
            "recipients": [{ "id": "11", "username": "user11", "discriminator": "0", "avatar": null }] }),
        false => json!({ "id": id, "type": 0, "guild_id": "1", "name": "quay" }),
    }
}

/// Does something if it is not too often, and says how often it may be.
fn limited(
    state: &mut State,
    channel: &str,
    done: impl FnOnce(&mut State) -> Response,
) -> Response {
    if !state.is_private(channel) && !channel.starts_with('5') {
        return no(404, 10_003, "Unknown Channel");
    }
    if state.blocked.contains(channel) {
        return no(403, 50_007, "Cannot send messages to this user");
    }
    let wait = match state.limited {
        0 => state.buckets.take(channel).err(),
        _ => {
            state.limited -= 1;
            Some(1)
        }
    };
    let mut response = match wait {
        Some(wait) => {
            let is_global = state.is_global;
            let body = json!({ "message": "You are being rate limited.", "retry_after": wait as f64,
                "global": is_global });
            let mut response = json_of(429, &body);
            let headers = response.headers_mut();
            headers.insert("retry-after", wait.into());
            // Without it some take it for the word of somebody in between.
            headers.insert("via", "1.1 google".parse().unwrap());
            let scope = if is_global { "global" } else { "user" };
            headers.insert("x-ratelimit-scope", scope.parse().unwrap());
            if is_global {
                headers.insert("x-ratelimit-global", "true".parse().unwrap());
                return response;
            }
            response
        }
        None => done(state),
    };
    let left = state.buckets.left(channel);
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", 5.into());
    headers.insert("x-ratelimit-remaining", left.into());
    headers.insert("x-ratelimit-reset-after", "1.000".parse().unwrap());
    let reset = now() + 1.0;
    headers.insert("x-ratelimit-reset", format!("{reset:.3}").parse().unwrap());
    headers.insert("x-ratelimit-bucket", "messages".parse().unwrap());
    response
}

/// Seconds since 1970.
fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}

fn post(state: &mut State, channel: &str, call: &Call<'_>) -> Response {
    let Checked { text, buttons, has_embeds, calls } =
        match rules::message(&call.given, call.file.is_some()) {
            Ok(checked) => checked,
            Err(wrong) => return *wrong,
        };
    let answers = call.given["message_reference"]["message_id"].as_str().map(str::to_owned);
    let is_there = |id: &String| {
        state.messages.iter().any(|it| it["id"] == **id) || state.sent.iter().any(|it| it.id == *id)
    };
    if let Some(to) = answers.as_ref().filter(|to| !is_there(to))
        && call.given["message_reference"]["fail_if_not_exists"] != false
    {
        return invalid(
            "message_reference",
            "MESSAGE_REFERENCE_UNKNOWN_MESSAGE",
            &format!("Unknown message {to}"),
        );
    }
    let answers = answers.filter(is_there);
    // Named by who posts it: the same name, the same message.
    let nonce = call.given["nonce"].as_str().filter(|_| call.given["enforce_nonce"] == true);
    let nonce = nonce.map(|nonce| format!("{channel} {nonce}"));
    if let Some(known) = nonce.as_ref().and_then(|nonce| state.nonces.get(nonce)) {
        return json_of(200, known);
    }
    let sent = Sent {
        channel: channel.to_owned(),
        id: state.id(),
        text,
        buttons,
        answers,
        has_embeds,
        calls,
        edits: 0,
        file: call.file.clone(),
    };
    let message = shown(&sent);
    state.sent.push(sent);
    if let Some(nonce) = nonce {
        state.nonces.insert(nonce, message.clone());
    }
    json_of(200, &message)
}

fn edit(state: &mut State, channel: &str, message: &str, call: &Call<'_>) -> Response {
    let checked = match rules::message(&call.given, false) {
        Ok(checked) => checked,
        Err(wrong) => return *wrong,
    };
    if state.messages.iter().any(|it| it["id"] == message) {
        return no(403, 50_005, "Cannot edit a message authored by another user");
    }
    let found = state.sent.iter_mut().find(|it| it.channel == channel && it.id == message);
    let Some(sent) = found else { return no(404, 10_008, "Unknown Message") };
    sent.text = checked.text;
    if !call.given["components"].is_null() {
        sent.buttons = checked.buttons;
    }
    sent.has_embeds |= checked.has_embeds;
    sent.calls |= checked.calls;
    sent.edits += 1;
    json_of(200, &shown(sent))
}

/// Messages of a conversation behind one, the newest first.
fn messages(state: &State, channel: &str, query: &str) -> Response {
    if state.blocked.contains(channel) {
        return no(403, 50_001, "Missing Access");
    }
    let value = |name: &str| {
        let all = url::form_urlencoded::parse(query.as_bytes());
        all.into_iter().find(|(own, _)| own == name).and_then(|(_, value)| value.parse().ok())
    };
    let (after, most) = (value("after").unwrap_or(0), value("limit").unwrap_or(50));
    if !(1..=100).contains(&most) {
        return invalid(
            "limit",
            "NUMBER_TYPE_MAX",
            "int value should be less than or equal to 100.",
        );
    }
    let id = |it: &Value| it["id"].as_str().and_then(|id| id.parse::<u64>().ok()).unwrap_or(0);
    let own = state.sent.iter().filter(|sent| sent.channel == channel).map(shown);
    let theirs = state.messages.iter().filter(|it| it["channel_id"] == channel).cloned();
    let mut all: Vec<Value> = own.chain(theirs).filter(|it| id(it) > after).collect();
    all.sort_by_key(id);
    all.truncate(usize::try_from(most).unwrap_or(0));
    all.reverse();
    json_of(200, &json!(all))
}

fn callback(state: &mut State, id: &str, token: &str, call: &Call<'_>) -> Response {
    let known = state.interactions.get_mut(token).filter(|it| it.id == id && !it.is_late());
    let Some(interaction) = known else { return no(404, 10_062, "Unknown interaction") };
    if interaction.is_acknowledged {
        return no(400, 40_060, "Interaction has already been acknowledged.");
    }
    match call.given["type"].as_u64() {
        Some(4) => {
            if let Err(wrong) = rules::message(&call.given["data"], false) {
                return *wrong;
            }
            let text = call.given["data"]["content"].as_str().unwrap_or_default();
            interaction.said.push(text.to_owned());
        }
        Some(5) => interaction.is_deferred = true,
        Some(6) => {}
        _ => {
            return invalid(
                "type",
                "UNION_TYPE_CHOICES",
                "Value of field \"type\" must be one of (4, 5, 6).",
            );
        }
    }
    interaction.is_acknowledged = true;
    match call.query.contains("with_response=") {
        true => json_of(200, &json!({ "interaction": { "id": id, "type": interaction.kind } })),
        false => no_content(),
    }
}

/// More is said to whoever pressed.
fn follow_up(state: &mut State, token: &str, call: &Call<'_>) -> Response {
    let known = state.interactions.get_mut(token).filter(|it| it.is_acknowledged);
    let Some(interaction) = known else { return no(404, 10_015, "Unknown Webhook") };
    let Checked { text, .. } = match rules::message(&call.given, false) {
        Ok(checked) => checked,
        Err(wrong) => return *wrong,
    };
    interaction.is_deferred = false;
    interaction.said.push(text.clone());
    let channel = interaction.channel.clone();
    let sent = Sent {
        channel,
        id: state.id(),
        text,
        buttons: Vec::new(),
        answers: None,
        has_embeds: false,
        calls: false,
        edits: 0,
        file: None,
    };
    json_of(200, &shown(&sent))
}
