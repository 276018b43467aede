//! Slack's Web API and Socket Mode for one app, with the rules that adapters run into.
//!
//! An envelope that is not acknowledged within three seconds comes again; of several sockets any one gets
//! it; a socket is ended with a word before; too fast is 429; what is wrong is a word in an answer of 200.

mod http;
mod socket;
mod state;

use std::sync::{Arc, MutexGuard};

use axum::extract::Request;
use serde_json::{Value, json};

use super::server::Server;
pub use state::{APP_TOKEN, BOT, BOT_TOKEN, NAME, Sent, alone};
use state::{Shared, State};

/// A running Slack. It stops when this is dropped.
pub struct Slack {
    pub url: String,
    shared: Arc<Shared>,
    _server: Server,
}

impl Slack {
    /// At a port of this machine; 0 takes any that is free.
    pub fn start(port: u16) -> Self {
        let (server, listener) = Server::at(port);
        let shared = Arc::new(Shared::new());
        let url = format!("http://{}/api/", listener.local_addr().unwrap());
        let (own, base) = (Arc::clone(&shared), url.clone());
        let serve = move |request: Request| {
            let (shared, base) = (Arc::clone(&own), base.clone());
            async move { http::answer(shared, base, request).await }
        };
        server.serve(listener, serve);
        Self { url, shared, _server: server }
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

    /// Sockets are ended as soon as they have been greeted.
    pub fn slam(&self, slams: bool) {
        self.state().slams = slams;
    }

    /// How many sockets were opened.
    pub fn opened(&self) -> usize {
        self.state().opened
    }

    /// Whether calls end without an answer, and sockets too.
    pub fn down(&self, is_down: bool) {
        self.state().is_down = is_down;
        if is_down {
            self.disconnect();
        }
    }

    /// One in so many calls ends without an answer, by turns before and after it is done; 0: none.
    pub fn drop_every(&self, calls: usize) {
        self.state().drop_every = calls;
    }

    /// All sockets are ended, as every few hours.
    pub fn disconnect(&self) {
        self.shared.disconnect.notify_waiters();
    }
}
