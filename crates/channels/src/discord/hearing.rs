//! Discord's gateway: a thread that hears what comes, keeps the connection alive, and takes it up again
//! where it was lost. What is pressed or commanded is acknowledged here, at once.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;

use super::{
    inbound,
    line::{End, Line, closed, lost, op},
    queue::Queue,
    rest::Rest,
};
use crate::{Bot, ChannelError, Result, What};
use elophanto_net::{
    http::{Method, block_on},
    socket::Socket,
};

const OPENING: Duration = Duration::from_secs(15);
/// How long it may take until Discord greets, and takes us up.
const GREETING: Duration = Duration::from_secs(20);
/// How often is looked whether anybody still wants to know.
const TICK: Duration = Duration::from_millis(500);
/// Between two tries to ask for what was missed.
const AGAIN: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Failures in a row after which a session is not taken up any more.
const MOST_RESUMES: u32 = 3;
/// Pauses are of random length, so that not all bots come back at once.
const SHORTEST_SHARE: f64 = 0.5;
/// Messages of a page.
const PAGE: usize = 100;
/// Events that wait for those that were missed.
const MOST_HELD: usize = 10_000;

/// Hears for one bot.
pub struct Hearing {
    pub queue: Arc<Queue>,
    pub rest: Arc<Rest>,
    pub token: SecretString,
    pub bot: Bot,
    /// What is wanted to be heard of, as Discord counts it.
    pub intents: u64,
    /// Where the HTTP API is: what stands in for Discord has its gateway there too.
    pub base: Url,
    pub session: Option<Session>,
    /// What was missed is still to be asked for, from this number on.
    pub owed: Option<i64>,
    /// What came meanwhile.
    pub held: Vec<(String, Value)>,
}

/// What Discord knows us by when a connection is lost.
pub struct Session {
    id: String,
    url: Url,
    /// The number of the last event.
    last: u64,
}

impl Hearing {
    /// Hears until nobody asks any more, or it is of no use.
    pub fn run(mut self) {
        let mut fails = 0;
        while !self.queue.is_over() {
            let mut was_well = false;
            let end = self.connect().and_then(|mut line| {
                let end = self.hear(&mut line);
                was_well = line.is_well;
                end
            });
            let (reason, wait) = match end {
                Ok(()) | Err(End::Over) => return,
                Err(End::Never(error)) => return self.queue.end(error),
                Err(End::Lost { reason, wait }) => (reason, wait),
            };
            // Discord ends connections every few hours: another is opened soon.
            fails = if was_well { 0 } else { fails + 1 };
            if fails > MOST_RESUMES {
                // Where it was may be gone as well.
                self.session = None;
            }
            if fails > 0 {
                self.queue.is_troubled(ChannelError::Later { reason, wait: None });
            }
            self.pause(wait.unwrap_or_default().max(pause(fails)));
        }
    }

    fn pause(&self, wait: Duration) {
        let end = Instant::now() + wait;
        while !self.queue.is_over() && Instant::now() < end {
            std::thread::sleep(TICK.min(end.saturating_duration_since(Instant::now())));
        }
    }

    /// Opens a connection, and says who we are.
    fn connect(&mut self) -> Result<Line, End> {
        let mut url = match &self.session {
            Some(session) => session.url.clone(),
            None => self.address()?,
        };
        url.query_pairs_mut().clear().append_pair("v", "10").append_pair("encoding", "json");
        let opened = block_on(Socket::open(&url, OPENING));
        let mut socket = opened.map_err(|error| lost(error.to_string()))?;
        let greeting =
            block_on(socket.within(GREETING)).map_err(|error| lost(error.to_string()))?;
        let hello: Value =
            greeting.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default();
        let every = hello["d"]["heartbeat_interval"].as_u64().filter(|every| *every > 0);
        let every = every.filter(|_| hello["op"] == op::HELLO);
        let every = Duration::from_millis(every.ok_or_else(|| lost("it does not say hello"))?);
        let token = self.token.expose_secret();
        let own = match &self.session {
            Some(session) => json!({ "op": op::RESUME,
                "d": { "token": token, "session_id": session.id, "seq": session.last } }),
            None => json!({ "op": op::IDENTIFY, "d": { "token": token, "intents": self.intents,
                "properties": { "os": std::env::consts::OS, "browser": "elophanto", "device": "elophanto" } } }),
        };
        let now = Instant::now();
        let mut line = Line {
            socket,
            every,
            // The first comes at random, as Discord wants it.
            due: now + every.mul_f64(fastrand::f64()),
            is_acknowledged: true,
            patience: now + GREETING,
            is_ready: false,
            is_well: false,
            asked: None,
        };
        line.send(&own)?;
        Ok(line)
    }

    /// Where the gateway is, if we may still open a session there.
    fn address(&self) -> Result<Url, End> {
        let said = self.rest.ask(Method::GET, "gateway/bot", None)?;
        let limit = &said["session_start_limit"];
        if limit["remaining"] == 0 {
            let wait = limit["reset_after"].as_u64().map(Duration::from_millis);
            let reason = "no more sessions may be begun today".to_owned();
            return Err(End::Lost { reason, wait });
        }
        said["url"].as_str().and_then(|url| self.gateway(url)).ok_or_else(|| {
            End::Never(ChannelError::Refused("whoever answers there is not Discord".to_owned()))
        })
    }

    /// An address the token may be sent to: Discord's, or one where its stand-in is.
    fn gateway(&self, url: &str) -> Option<Url> {
        let url = Url::parse(url).ok()?;
        let host = url.host_str()?;
        let is_theirs = host == "discord.gg" || host.ends_with(".discord.gg");
        (is_theirs || url.host_str() == self.base.host_str()).then_some(url)
    }

    /// Hears what comes until the connection ends.
    fn hear(&mut self, line: &mut Line) -> Result<(), End> {
        loop {
            if self.queue.is_over() {
                return Err(End::Over);
            }
            self.beat(line)?;
            if !line.is_ready && Instant::now() > line.patience {
                return Err(lost("it does not take us up"));
            }
            self.catch_up(line)?;
            let wait = line.due.saturating_duration_since(Instant::now()).min(TICK);
            match block_on(line.socket.within(wait)) {
                Ok(None) => {}
                Ok(Some(text)) => self.heard(line, &text)?,
                Err(error) => {
                    let (end, is_gone) = closed(line.socket.closed(), &error.to_string());
                    self.session = self.session.take().filter(|_| !is_gone);
                    return Err(end);
                }
            }
        }
    }

    /// Says that we are there, when it is due; whoever does not answer to that is not there.
    fn beat(&self, line: &mut Line) -> Result<(), End> {
        if Instant::now() < line.due {
            return Ok(());
        }
        if !line.is_acknowledged {
            return Err(lost("nobody is there any more"));
        }
        line.is_acknowledged = false;
        line.due = Instant::now() + line.every;
        self.say_alive(line)
    }

    fn say_alive(&self, line: &mut Line) -> Result<(), End> {
        let last = self.session.as_ref().map(|session| session.last);
        line.send(&json!({ "op": op::HEARTBEAT, "d": last }))
    }

    fn heard(&mut self, line: &mut Line, text: &str) -> Result<(), End> {
        let Ok(said) = serde_json::from_str::<Value>(text) else { return Ok(()) };
        let data = &said["d"];
        match said["op"].as_u64() {
            Some(op::DISPATCH) => {
                let name = said["t"].as_str().unwrap_or_default();
                if name == "READY" {
                    self.ready(data)?;
                }
                if matches!(name, "READY" | "RESUMED") {
                    line.is_ready = true;
                    self.queue.is_well();
                }
                if let (Some(session), Some(last)) = (&mut self.session, said["s"].as_u64()) {
                    session.last = last;
                }
                self.happened(name, data);
                Ok(())
            }
            Some(op::HEARTBEAT) => self.say_alive(line),
            Some(op::HEARTBEAT_ACK) => {
                line.is_acknowledged = true;
                line.is_well |= line.is_ready;
                Ok(())
            }
            Some(op::RECONNECT) => {
                line.is_well |= line.is_ready;
                Err(lost("it asks to be called anew"))
            }
            Some(op::INVALID_SESSION) => {
                if *data != true {
                    self.session = None;
                }
                // Within one to five seconds, at random.
                let wait = Some(Duration::from_secs_f64(1.0 + 4.0 * fastrand::f64()));
                Err(End::Lost { reason: "the session is not valid any more".to_owned(), wait })
            }
            _ => Ok(()),
        }
    }

    /// A session has begun: what came since the last one ended is handed over by nobody.
    fn ready(&mut self, data: &Value) -> Result<(), End> {
        let url = data["resume_gateway_url"].as_str().and_then(|url| self.gateway(url));
        let (Some(id), Some(url)) = (data["session_id"].as_str(), url) else {
            return Err(lost("it names no session"));
        };
        self.session = Some(Session { id: id.to_owned(), url, last: 0 });
        let last = self.queue.last();
        if last > 0 {
            self.owed.get_or_insert(last);
        }
        Ok(())
    }

    fn happened(&mut self, name: &str, data: &Value) {
        if name == "INTERACTION_CREATE" {
            self.acknowledge(data);
        }
        // In its order: behind what was missed.
        match self.owed {
            Some(_) if self.held.len() < MOST_HELD => {
                if inbound::event(name, data, &self.bot).is_some() {
                    self.held.push((name.to_owned(), data.clone()));
                }
            }
            _ => self.put(name, data),
        }
    }

    fn put(&self, name: &str, data: &Value) {
        let Some(event) = inbound::event(name, data, &self.bot) else { return };
        // Commands are taken where nobody else is.
        if name == "INTERACTION_CREATE" && !event.is_private {
            return;
        }
        self.queue.put(event);
    }

    /// Within three seconds. What comes of it is said later.
    fn acknowledge(&self, data: &Value) {
        let (Some(id), Some(token)) = (data["id"].as_str(), data["token"].as_str()) else { return };
        let is_private = inbound::event("INTERACTION_CREATE", data, &self.bot)
            .is_some_and(|event| event.is_private && !matches!(event.what, What::Other));
        let said = |text: &str| json!({ "type": 4, "data": super::quiet(text) });
        let body = match data["type"].as_u64() {
            Some(3) => json!({ "type": 6 }),
            _ if is_private => said("Noted."),
            _ => said("Commands are taken where nobody else is: write to me alone."),
        };
        // A part of an address each.
        let is_plain = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        if is_plain(id) && is_plain(token) {
            // Whoever pressed is told so by Discord where it did not work, and presses again.
            let _ = self.rest.ask_openly(&format!("interactions/{id}/{token}/callback"), &body);
        }
    }

    /// Asks for what people wrote to us alone while no session of ours was there.
    fn catch_up(&mut self, line: &mut Line) -> Result<(), End> {
        let Some(after) = self.owed.filter(|_| line.is_ready) else { return Ok(()) };
        if line.asked.is_some_and(|at| at.elapsed() < AGAIN) {
            return Ok(());
        }
        line.asked = Some(Instant::now());
        let mut missed = Vec::new();
        for home in self.queue.homes() {
            match self.missed(&home.chat, after) {
                Ok(all) => missed.extend(all),
                // Whoever left is not heard any more.
                Err(ChannelError::Gone(_) | ChannelError::Refused(_)) => {}
                Err(error) => {
                    self.queue.is_troubled(error);
                    return Ok(());
                }
            }
            // Many people take a while, in which nothing is read that acknowledges it.
            if Instant::now() >= line.due {
                line.due = Instant::now() + line.every;
                self.say_alive(line)?;
            }
        }
        missed.sort_by_key(|message| message["id"].as_str().and_then(|id| id.parse::<i64>().ok()));
        for message in &missed {
            self.put("MESSAGE_CREATE", message);
        }
        self.owed = None;
        for (name, data) in std::mem::take(&mut self.held) {
            self.put(&name, &data);
        }
        Ok(())
    }

    /// Messages of a conversation behind one, the oldest first.
    fn missed(&self, chat: &str, after: i64) -> Result<Vec<Value>> {
        let mut all: Vec<Value> = Vec::new();
        let mut after = after;
        loop {
            let path = format!("channels/{chat}/messages?after={after}&limit={PAGE}");
            let Value::Array(page) = self.rest.ask(Method::GET, &path, None)? else { break };
            let newest = page.iter().filter_map(|it| it["id"].as_str()?.parse().ok()).max();
            let is_last = page.len() < PAGE;
            all.extend(page);
            match newest {
                Some(newest) if !is_last && newest > after => after = newest,
                _ => break,
            }
        }
        Ok(all)
    }
}

/// How long to wait after so many failures in a row.
fn pause(fails: u32) -> Duration {
    let longest = match fails {
        0 => Duration::from_millis(200),
        fails => Duration::from_secs(1 << (fails - 1).min(16)).min(LONGEST_PAUSE),
    };
    longest.mul_f64(SHORTEST_SHARE + (1.0 - SHORTEST_SHARE) * fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow() {
        for (fails, longest) in
            [(0, 0.2), (1, 1.0), (2, 2.0), (5, 16.0), (7, 60.0), (u32::MAX, 60.0)]
        {
            let pause = pause(fails).as_secs_f64();
            assert!(pause >= longest * SHORTEST_SHARE && pause <= longest, "{fails} {pause}");
        }
    }
}
