//! What Telegram knows: messages, and what nobody has read.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::rate::Buckets;

/// The token that is taken unless another one is said.
pub const TOKEN: &str = "7:AAharbour-token";
/// The bot.
pub const BOT: i64 = 7;
pub const NAME: &str = "harbour_bot";
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

#[derive(Default)]
pub struct Shared {
    pub state: Mutex<State>,
    pub bell: Notify,
    /// Which request for news is the latest.
    pub latest: AtomicU64,
    pub superseded: Notify,
}

pub struct State {
    pub token: String,
    pub updates: VecDeque<Value>,
    pub next_update: i64,
    pub next_message: i64,
    pub allowed: Option<BTreeSet<String>>,
    pub sent: Vec<Sent>,
    pub commands: Vec<Value>,
    /// Messages of people, by chat and number.
    pub files: BTreeMap<String, Vec<u8>>,
    pub presses: BTreeMap<String, String>,
    pub chats: Buckets,
    pub all: Buckets,
    /// What to do to so many of the next sends.
    pub limited: usize,
    /// Calls end without an answer: before they are done, or after.
    pub is_down: bool,
    /// One in so many calls ends without an answer.
    pub drop_every: usize,
    /// Every other drop comes when the call is done already.
    pub calls: usize,
    pub blocked: BTreeSet<i64>,
    pub threads: BTreeSet<i64>,
    /// Every call, by its name.
    pub asked: Vec<String>,
    pub has_webhook: bool,
    pub is_typing: usize,
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
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn message(&self, mut message: Value) -> i64 {
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

    pub fn happens(&self, name: &str, what: Value) {
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

    pub fn press(&self, from: i64, chat: i64, message: i64, label: &str) -> Option<String> {
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

    pub fn react(&self, from: i64, chat: i64, message: i64, emoji: &str) {
        let kind = if chat > 0 { "private" } else { "supergroup" };
        let reaction = json!({
            "chat": { "id": chat, "type": kind, "first_name": "Ada" }, "message_id": message,
            "date": 1_790_000_000, "user": { "id": from, "is_bot": false, "first_name": "Ada" },
            "old_reaction": [], "new_reaction": [{ "type": "emoji", "emoji": emoji }],
        });
        self.happens("message_reaction", reaction);
    }
}
