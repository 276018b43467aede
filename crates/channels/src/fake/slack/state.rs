//! What Slack knows: messages, files, and what nobody has acknowledged.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::{Instant, SystemTime},
};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::rate::Buckets;

pub const BOT_TOKEN: &str = "xoxb-harbour";
pub const APP_TOKEN: &str = "xapp-harbour";
pub const BOT: &str = "UHARBOUR";
pub const NAME: &str = "harbour";

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
    /// What programs put on it.
    pub metadata: Value,
}

pub struct Shared {
    pub state: Mutex<State>,
    pub bell: Notify,
    pub sockets: AtomicUsize,
    pub disconnect: Notify,
}

pub struct State {
    /// What is to be handed over: the envelope, how often it was, when last.
    pub envelopes: VecDeque<(Value, usize, Option<Instant>)>,
    pub number: u64,
    pub sent: Vec<Sent>,
    pub uploads: BTreeMap<String, Vec<u8>>,
    pub files: Vec<(String, String)>,
    pub buckets: Buckets,
    pub limited: usize,
    pub revoked: bool,
    pub acknowledged: usize,
    /// How many sockets were opened.
    pub opened: usize,
    /// Sockets are ended as soon as they have been greeted.
    pub slams: bool,
    /// Nothing is answered.
    pub is_down: bool,
    /// One call in so many breaks; 0 none.
    pub drop_every: usize,
    pub calls: usize,
}

/// The conversation of somebody with the app alone.
pub fn alone(user: &str) -> String {
    format!("D{user}")
}

impl Shared {
    pub fn new() -> Self {
        Self {
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
                opened: 0,
                slams: false,
                is_down: false,
                drop_every: 0,
                calls: 0,
            }),
            bell: Notify::new(),
            sockets: AtomicUsize::new(0),
            disconnect: Notify::new(),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn ts(&self) -> String {
        let mut state = self.state();
        state.number += 1;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{}.{:06}", since.as_secs(), state.number)
    }

    pub fn hand(&self, kind: &str, payload: Value) {
        let id = self.ts();
        let envelope = json!({ "type": kind, "envelope_id": format!("e-{id}"), "payload": payload,
            "accepts_response_payload": false });
        self.state().envelopes.push_back((envelope, 0, None));
        self.bell.notify_waiters();
    }

    pub fn say(&self, user: &str, text: &str) -> String {
        let ts = self.ts();
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.hand("events_api", json!({ "type": "event_callback", "team_id": "T1", "event_id": format!("Ev{ts}"),
            "authorizations": [{ "team_id": "T1", "user_id": BOT, "is_bot": true }],
            "event": { "type": "message", "channel": alone(user), "channel_type": "im", "user": user,
                "ts": ts, "text": text } }));
        ts
    }

    pub fn press(&self, user: &str, ts: &str, label: &str) -> bool {
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

    pub fn command(&self, user: &str, words: &str, channel: &str) {
        self.hand(
            "slash_commands",
            json!({ "command": "/elophanto", "text": words, "user_id": user,
            "user_name": user, "channel_id": channel, "team_id": "T1", "trigger_id": self.ts() }),
        );
    }
}
