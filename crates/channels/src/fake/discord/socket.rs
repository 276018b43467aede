//! The gateway: sessions, what they are told, and how they are lost and taken up again.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use serde_json::{Value, json};

use super::state::{BOT, Shared, State, bot};

/// Events of which a session may have missed some.
const MOST_KEPT: usize = 1_000;
const DIRECT_MESSAGES: u64 = 1 << 12;
const DIRECT_REACTIONS: u64 = 1 << 13;
const SERVER_MESSAGES: u64 = 1 << 9;
const SERVER_REACTIONS: u64 = 1 << 10;
/// Words of messages that do not concern the bot; it was not allowed to this one.
const WORDS: u64 = 1 << 15;

/// What all connections are to do.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// Something is there to be told.
    Look,
    Cut,
    Close(u16),
    Reconnect,
}

/// What is known of whoever listens.
pub struct Session {
    intents: u64,
    /// All events, from the first.
    events: Vec<Value>,
}

impl Session {
    /// Notes an event if it is one that is wanted.
    pub fn tell(&mut self, name: &str, data: &Value) {
        let is_among = !data["guild_id"].is_null();
        let wanted = match (name, is_among) {
            ("MESSAGE_CREATE" | "MESSAGE_UPDATE", false) => DIRECT_MESSAGES,
            ("MESSAGE_CREATE" | "MESSAGE_UPDATE", true) => SERVER_MESSAGES,
            ("MESSAGE_REACTION_ADD", false) => DIRECT_REACTIONS,
            ("MESSAGE_REACTION_ADD", true) => SERVER_REACTIONS,
            _ => u64::MAX,
        };
        if wanted & self.intents == 0 {
            return;
        }
        let mut data = data.clone();
        let is_ours =
            data["mentions"].as_array().is_some_and(|all| all.iter().any(|it| it["id"] == BOT));
        if name.starts_with("MESSAGE_") && is_among && !is_ours {
            data["content"] = json!("");
        }
        let number = self.events.len() + 1;
        self.events.push(json!({ "op": 0, "s": number, "t": name, "d": data }));
    }
}

/// How a connection ends.
enum End {
    Gone,
    Code(u16, &'static str),
}

struct Line {
    shared: Arc<Shared>,
    socket: WebSocket,
    session: Option<String>,
    /// How many events were told.
    told: usize,
}

/// One connection.
pub async fn talk(shared: Arc<Shared>, socket: WebSocket) {
    let mut line = Line { shared, socket, session: None, told: 0 };
    if let Err(End::Code(code, reason)) = line.talk().await {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = line.socket.send(Message::Close(Some(frame))).await;
    }
}

impl Line {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.state()
    }

    async fn say(&mut self, message: Value) -> Result<(), End> {
        self.socket.send(Message::Text(message.to_string().into())).await.map_err(|_| End::Gone)
    }

    async fn talk(&mut self) -> Result<(), End> {
        let mut orders = self.shared.orders.subscribe();
        let every = self.state().heartbeat;
        let interval = u64::try_from(every.as_millis()).unwrap_or(u64::MAX);
        self.say(json!({ "op": 10, "d": { "heartbeat_interval": interval } })).await?;
        let mut alive = Instant::now();
        loop {
            self.tell().await?;
            if alive.elapsed() > every.mul_f64(1.5) {
                return Err(End::Code(4009, "Session timed out."));
            }
            tokio::select! {
                order = orders.recv() => match order {
                    Ok(Order::Cut) => return Ok(()),
                    Ok(Order::Close(code)) => return Err(End::Code(code, "Closed.")),
                    Ok(Order::Reconnect) => self.say(json!({ "op": 7, "d": null })).await?,
                    Ok(Order::Look) | Err(_) => {}
                },
                () = tokio::time::sleep(Duration::from_millis(100)) => {}
                heard = self.socket.recv() => match heard {
                    Some(Ok(Message::Text(text))) => {
                        let Ok(said) = serde_json::from_str::<Value>(&text) else {
                            return Err(End::Code(4002, "Error while decoding payload."));
                        };
                        if said["op"] == 1 {
                            alive = Instant::now();
                        }
                        self.heard(&said).await?;
                    }
                    Some(Ok(Message::Close(frame))) => {
                        // Whoever goes in order does not come back.
                        if frame.is_some_and(|frame| matches!(frame.code, 1000 | 1001))
                            && let Some(session) = self.session.take()
                        {
                            self.state().sessions.remove(&session);
                        }
                        return Err(End::Gone);
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return Err(End::Gone),
                },
            }
        }
    }

    /// Tells what has happened.
    async fn tell(&mut self) -> Result<(), End> {
        let due: Vec<Value> = {
            let state = self.shared.state();
            let Some(session) = self.session.as_ref().filter(|_| !state.is_deaf) else {
                return Ok(());
            };
            let Some(session) = state.sessions.get(session) else { return Ok(()) };
            session.events.iter().skip(self.told).cloned().collect()
        };
        for event in due {
            self.say(event).await?;
            self.told += 1;
        }
        Ok(())
    }

    async fn heard(&mut self, said: &Value) -> Result<(), End> {
        match said["op"].as_u64() {
            Some(1) => {
                if self.state().is_deaf {
                    return Ok(());
                }
                self.say(json!({ "op": 11 })).await
            }
            Some(2) => self.identified(&said["d"]).await,
            Some(6) => self.resumed(&said["d"]).await,
            Some(3 | 4 | 8) => Ok(()),
            _ => Err(End::Code(4001, "Unknown opcode.")),
        }
    }

    async fn identified(&mut self, data: &Value) -> Result<(), End> {
        if self.session.is_some() {
            return Err(End::Code(4005, "Already authenticated."));
        }
        let Some(intents) = data["intents"].as_u64() else {
            return Err(End::Code(4013, "Invalid intent(s)."));
        };
        let id = {
            let mut state = self.shared.state();
            if data["token"] != state.token {
                return Err(End::Code(4004, "Authentication failed."));
            }
            if state.is_barred || intents & WORDS != 0 {
                return Err(End::Code(4014, "Disallowed intent(s)."));
            }
            state.identified += 1;
            state.intents = intents;
            let id = format!("session-{}", state.identified);
            let mut session = Session { intents, events: Vec::new() };
            session.tell(
                "READY",
                &json!({ "v": 10, "user": bot(), "guilds": [], "session_id": id, "session_type": "normal",
                    "resume_gateway_url": format!("ws://{}/gateway", self.shared.host), "shard": [0, 1],
                    "private_channels": [], "relationships": [],
                    "application": { "id": BOT, "flags": 0 } }),
            );
            state.sessions.insert(id.clone(), session);
            id
        };
        self.session = Some(id);
        Ok(())
    }

    async fn resumed(&mut self, data: &Value) -> Result<(), End> {
        let id = data["session_id"].as_str().unwrap_or_default().to_owned();
        let last = data["seq"].as_u64().and_then(|last| usize::try_from(last).ok());
        let known = {
            let mut state = self.shared.state();
            if data["token"] != state.token {
                return Err(End::Code(4004, "Authentication failed."));
            }
            let known = state.sessions.get(&id).map(|session| session.events.len());
            state.resumed += usize::from(known.is_some());
            known
        };
        match (known, last) {
            (Some(all), Some(last)) if last > all => Err(End::Code(4007, "Invalid seq.")),
            (Some(all), Some(last)) if all - last < MOST_KEPT => {
                (self.told, self.session) = (last, Some(id.clone()));
                // Behind all that was missed.
                if let Some(session) = self.state().sessions.get_mut(&id) {
                    session.tell("RESUMED", &json!({}));
                }
                Ok(())
            }
            _ => self.say(json!({ "op": 9, "d": false })).await,
        }
    }
}
