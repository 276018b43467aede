//! What Discord knows: people, messages, sessions, and what was pressed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::{
    super::rate::Buckets,
    socket::{Order, Session},
};

pub const TOKEN: &str = "MTIzNDU2Nzg5.GhIjKl.harbour-token";
/// The bot, which has the number of its application.
pub const BOT: &str = "1000000000000000007";
pub const NAME: &str = "harbour";
/// Within this time what is pressed is acknowledged.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(3);
/// Ids lie apart as if a millisecond had passed.
const STEP: u64 = 1 << 22;

/// A message of the bot, as it is now.
#[derive(Debug, Clone, Serialize)]
pub struct Sent {
    pub channel: String,
    pub id: String,
    pub text: String,
    /// Labels of buttons, and what they say.
    pub buttons: Vec<(String, String)>,
    pub answers: Option<String>,
    /// Whether links in it are looked at.
    pub has_embeds: bool,
    /// Whether it may call people in.
    pub calls: bool,
    pub edits: usize,
    /// Name and text of a file.
    pub file: Option<(String, String)>,
}

/// Something pressed, or a command.
pub struct Interaction {
    pub id: String,
    pub kind: u64,
    pub at: Instant,
    pub channel: String,
    pub is_acknowledged: bool,
    /// Whether the answer is still to come.
    pub is_deferred: bool,
    /// What whoever pressed was told, and nobody else.
    pub said: Vec<String>,
}

impl Interaction {
    pub fn is_late(&self) -> bool {
        !self.is_acknowledged && self.at.elapsed() > ACKNOWLEDGED_WITHIN
    }
}

pub struct Shared {
    /// Name and port.
    pub host: String,
    state: Mutex<State>,
    /// To all connections.
    pub orders: broadcast::Sender<Order>,
}

pub struct State {
    pub token: String,
    next: u64,
    /// Messages of people, as the platform shows them.
    pub messages: Vec<Value>,
    pub sent: Vec<Sent>,
    pub files: BTreeMap<String, Vec<u8>>,
    pub commands: Vec<Value>,
    pub interactions: BTreeMap<String, Interaction>,
    pub sessions: BTreeMap<String, Session>,
    /// By conversation and name of the post.
    pub nonces: BTreeMap<String, Value>,
    pub buckets: Buckets,
    pub limited: usize,
    pub is_global: bool,
    pub identified: usize,
    pub resumed: usize,
    pub intents: u64,
    pub heartbeat: Duration,
    pub is_deaf: bool,
    pub is_down: bool,
    pub is_barred: bool,
    pub drop_every: usize,
    pub calls: usize,
    pub blocked: BTreeSet<String>,
    pub asked: Vec<String>,
    /// Conversations that the bot has with people.
    pub alone: BTreeSet<String>,
}

impl State {
    /// A new id: they grow.
    pub fn id(&mut self) -> String {
        self.next += STEP;
        self.next.to_string()
    }

    pub fn is_private(&self, channel: &str) -> bool {
        self.alone.contains(channel)
    }
}

/// The conversation of somebody with the bot alone.
pub fn alone(user: u64) -> String {
    (2_000_000_000_000_000_000 + user).to_string()
}

fn user(id: u64) -> Value {
    json!({ "id": id.to_string(), "username": format!("user{id}"), "discriminator": "0",
        "global_name": "Ada", "avatar": null })
}

pub fn bot() -> Value {
    json!({ "id": BOT, "username": NAME, "discriminator": "0", "global_name": null, "avatar": null,
        "bot": true, "verified": true, "email": null, "flags": 0, "mfa_enabled": true })
}

/// A message of the bot as others see it.
pub fn shown(sent: &Sent) -> Value {
    let attachments: Vec<Value> = sent
        .file
        .iter()
        .map(|(name, text)| {
            json!({ "id": "1", "filename": name, "size": text.len(), "url": "http://127.0.0.1/x",
                "proxy_url": "http://127.0.0.1/x" })
        })
        .collect();
    json!({ "id": sent.id, "channel_id": sent.channel, "content": sent.text, "author": bot(),
        "type": if sent.answers.is_some() { 19 } else { 0 }, "timestamp": TIME, "edited_timestamp": null,
        "tts": false, "mention_everyone": false, "mentions": [], "mention_roles": [],
        "attachments": attachments, "embeds": [], "pinned": false, "components": [], "flags": 0 })
}

const TIME: &str = "2026-11-26T12:00:00.000000+00:00";

impl Shared {
    pub fn at(host: &str) -> Self {
        let state = State {
            token: TOKEN.to_owned(),
            next: 1_400_000_000_000_000_000,
            messages: Vec::new(),
            sent: Vec::new(),
            files: BTreeMap::new(),
            commands: Vec::new(),
            interactions: BTreeMap::new(),
            sessions: BTreeMap::new(),
            nonces: BTreeMap::new(),
            buckets: Buckets::new(5.0, 1.0),
            limited: 0,
            is_global: false,
            identified: 0,
            resumed: 0,
            intents: 0,
            heartbeat: Duration::from_millis(41_250),
            is_deaf: false,
            is_down: false,
            is_barred: false,
            drop_every: 0,
            calls: 0,
            blocked: BTreeSet::new(),
            asked: Vec::new(),
            alone: BTreeSet::new(),
        };
        Self { host: host.to_owned(), state: Mutex::new(state), orders: broadcast::channel(64).0 }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn control(&self, order: Order) {
        // Nobody may be connected.
        let _ = self.orders.send(order);
    }

    /// Something happens: every session that wants to hear of it is told.
    pub fn happens(&self, name: &str, data: Value) {
        {
            let mut state = self.state();
            for session in state.sessions.values_mut() {
                session.tell(name, &data);
            }
        }
        self.control(Order::Look);
    }

    /// A message of somebody; what `more` says goes before the usual.
    pub fn message(&self, from: u64, more: Value) -> String {
        let channel = more["channel_id"].as_str().map_or_else(|| alone(from), str::to_owned);
        let (id, is_private) = {
            let mut state = self.state();
            if more["guild_id"].is_null() {
                state.alone.insert(channel.clone());
            }
            (state.id(), more["guild_id"].is_null())
        };
        let mut message = json!({ "id": id, "channel_id": channel, "author": user(from), "type": 0,
            "content": "", "timestamp": TIME, "edited_timestamp": null, "tts": false,
            "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [],
            "embeds": [], "pinned": false, "components": [], "flags": 0 });
        if is_private {
            message["channel_type"] = json!(1);
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        self.state().messages.push(message.clone());
        self.happens("MESSAGE_CREATE", message);
        id
    }

    pub fn attach(&self, name: &str, bytes: &[u8]) -> Value {
        let mut state = self.state();
        let id = state.id();
        state.files.insert(id.clone(), bytes.to_vec());
        let url = format!("http://{}/attachments/{id}/{name}?ex=1&hm=2", self.host);
        json!({ "id": id, "filename": name, "size": bytes.len(), "url": url, "proxy_url": url })
    }

    fn interact(&self, channel: &str, from: u64, kind: u64, data: Value, more: Value) -> String {
        let (id, token) = {
            let mut state = self.state();
            let id = state.id();
            let token = format!("interaction-{id}");
            let interaction = Interaction {
                id: id.clone(),
                kind,
                at: Instant::now(),
                channel: channel.to_owned(),
                is_acknowledged: false,
                is_deferred: false,
                said: Vec::new(),
            };
            state.interactions.insert(token.clone(), interaction);
            (id, token)
        };
        let mut event = json!({ "id": id, "application_id": BOT, "type": kind, "token": token,
            "version": 1, "channel_id": channel, "channel": { "id": channel, "type": 1 },
            "context": 1, "user": user(from), "locale": "en-US", "entitlements": [], "data": data,
            "authorizing_integration_owners": {}, "attachment_size_limit": 10_485_760 });
        for (name, value) in more.as_object().into_iter().flatten() {
            event[name] = value.clone();
        }
        self.happens("INTERACTION_CREATE", event);
        token
    }

    pub fn press(&self, from: u64, message: &str, label: &str) -> Option<String> {
        let (sent, data) = {
            let state = self.state();
            let sent = state.sent.iter().find(|sent| sent.id == message)?.clone();
            let button = sent.buttons.iter().find(|(own, _)| own.contains(label))?.1.clone();
            (sent, button)
        };
        let data = json!({ "custom_id": data, "component_type": 2, "id": 2 });
        let more = json!({ "message": shown(&sent) });
        Some(self.interact(&sent.channel, from, 3, data, more))
    }

    pub fn command(&self, from: u64, name: &str, words: &str, more: Value) -> String {
        let channel = more["channel_id"].as_str().map_or_else(|| alone(from), str::to_owned);
        let options = match words {
            "" => json!([]),
            words => json!([{ "name": "words", "type": 3, "value": words }]),
        };
        let data = json!({ "id": "5", "name": name, "type": 1, "options": options });
        self.interact(&channel, from, 2, data, more)
    }

    pub fn react(&self, from: u64, message: &str, emoji: &str) {
        let channel = {
            let state = self.state();
            let sent = state.sent.iter().find(|sent| sent.id == message);
            sent.map_or_else(|| alone(from), |sent| sent.channel.clone())
        };
        self.happens(
            "MESSAGE_REACTION_ADD",
            json!({ "user_id": from.to_string(), "channel_id": channel, "message_id": message,
            "emoji": { "id": null, "name": emoji }, "message_author_id": BOT, "burst": false, "type": 0 }),
        );
    }
}
