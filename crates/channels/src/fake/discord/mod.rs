//! Discord's HTTP API and gateway for one bot, with the rules that adapters run into.
//!
//! A session that is lost can be taken up again, and what came meanwhile is told; who does not say that
//! they are there is ended; what is pressed is acknowledged within three seconds or fails; limits are
//! counted by route and told in headers.

mod control;
mod http;
mod rules;
mod socket;
mod state;

use std::{
    sync::{Arc, MutexGuard},
    time::Duration,
};

use axum::extract::Request;
use serde_json::{Value, json};

use super::server::Server;
pub use state::{BOT, NAME, Sent, TOKEN, alone};
use state::{Shared, State};

/// A running Discord. It stops when this is dropped.
pub struct Discord {
    /// Of its HTTP API.
    pub url: String,
    shared: Arc<Shared>,
    _server: Server,
}

impl Discord {
    /// At a port of this machine; 0 takes any that is free.
    pub fn start(port: u16) -> Self {
        let (server, listener) = Server::at(port);
        let host = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Shared::at(&host));
        let own = Arc::clone(&shared);
        let serve = move |request: Request| {
            let shared = Arc::clone(&own);
            async move { http::answer(shared, request).await }
        };
        server.serve(listener, serve);
        Self { url: format!("http://{host}/api/v10"), shared, _server: server }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Somebody writes to the bot alone: the id of the message.
    pub fn say(&self, user: u64, text: &str) -> String {
        self.shared.message(user, json!({ "content": text }))
    }

    /// A message with more to it, or elsewhere: its id.
    pub fn message(&self, user: u64, more: Value) -> String {
        self.shared.message(user, more)
    }

    /// A message with a file.
    pub fn hand_over(&self, user: u64, name: &str, bytes: &[u8], text: &str) -> String {
        let file = self.shared.attach(name, bytes);
        self.shared.message(user, json!({ "content": text, "attachments": [file] }))
    }

    /// Anything else that happens, by the name of its event.
    pub fn happens(&self, name: &str, data: Value) {
        self.shared.happens(name, data);
    }

    /// The button of this label below a message is pressed: the token of what came of it.
    pub fn press(&self, user: u64, message: &str, label: &str) -> Option<String> {
        self.shared.press(user, message, label)
    }

    /// A command, with words behind it: the token of what came of it.
    pub fn command(&self, user: u64, name: &str, words: &str, more: Value) -> String {
        self.shared.command(user, name, words, more)
    }

    pub fn react(&self, user: u64, message: &str, emoji: &str) {
        self.shared.react(user, message, emoji);
    }

    /// Messages of the bot, the oldest first, what only one person sees left out.
    pub fn sent(&self) -> Vec<Sent> {
        self.state().sent.clone()
    }

    /// What somebody was told who pressed or commanded something; whether that was acknowledged.
    pub fn answered(&self, token: &str) -> Option<(bool, Vec<String>)> {
        let state = self.state();
        let interaction = state.interactions.get(token)?;
        Some((interaction.is_acknowledged, interaction.said.clone()))
    }

    pub fn commands(&self) -> Vec<Value> {
        self.state().commands.clone()
    }

    /// Paths of all that was asked for.
    pub fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    /// How many sessions were begun, and how many taken up again.
    pub fn sessions(&self) -> (usize, usize) {
        let state = self.state();
        (state.identified, state.resumed)
    }

    /// What the last session wants to hear of.
    pub fn intents(&self) -> u64 {
        self.state().intents
    }

    /// The next sends are too many: of that conversation, or of all.
    pub fn limit(&self, sends: usize, is_global: bool) {
        (self.state().limited, self.state().is_global) = (sends, is_global);
    }

    /// Connections break.
    pub fn cut(&self) {
        self.shared.control(socket::Order::Cut);
    }

    /// Connections are ended with this code.
    pub fn close(&self, code: u16) {
        self.shared.control(socket::Order::Close(code));
    }

    /// Whoever listens is asked to call anew.
    pub fn reconnect(&self) {
        self.shared.control(socket::Order::Reconnect);
    }

    /// Sessions are forgotten: none can be taken up again.
    pub fn forget(&self) {
        self.state().sessions.clear();
    }

    /// Connections stay, and nothing comes over them any more.
    pub fn deaf(&self, is_deaf: bool) {
        self.state().is_deaf = is_deaf;
    }

    /// How often whoever listens has to say that they are there.
    pub fn heartbeat(&self, every: Duration) {
        self.state().heartbeat = every;
    }

    /// Whether calls end without an answer.
    pub fn down(&self, is_down: bool) {
        self.state().is_down = is_down;
        if is_down {
            self.cut();
        }
    }

    /// One in so many calls ends without an answer, by turns before and after it is done; 0: none.
    pub fn drop_every(&self, calls: usize) {
        self.state().drop_every = calls;
    }

    /// Another token is taken from now on.
    pub fn revoke(&self) {
        "another.to.ken".clone_into(&mut self.state().token);
        self.close(4004);
    }

    /// What the bot asks to hear of is not allowed to it.
    pub fn bar(&self) {
        self.state().is_barred = true;
        self.close(4014);
    }

    /// A person has no more to do with the bot.
    pub fn block(&self, user: u64) {
        self.state().blocked.insert(alone(user));
    }
}
