//! Telegram's Bot API for one bot, with the rules that adapters run into.
//!
//! The offset of a request acknowledges what came before it; a request is held until something comes; of
//! two that are held the earlier one ends with 409; reactions come only to those who asked for them;
//! markup is parsed, lengths are counted as there; too fast is 429.

mod http;
mod rules;
mod state;

use std::sync::{Arc, MutexGuard};

use axum::extract::Request;
use serde_json::{Value, json};

use super::server::Server;
pub use state::{BOT, NAME, Sent, TOKEN, private};
use state::{Shared, State};

/// A running Bot API. It stops when this is dropped.
pub struct Telegram {
    pub url: String,
    shared: Arc<Shared>,
    _server: Server,
}

impl Default for Telegram {
    fn default() -> Self {
        Self::start(0)
    }
}

impl Telegram {
    /// At a port of this machine; 0 takes any that is free.
    pub fn start(port: u16) -> Self {
        let (server, listener) = Server::at(port);
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let serve = move |request: Request| {
            let shared = Arc::clone(&own);
            async move { http::answer(&shared, request).await }
        };
        let url = format!("http://{}", listener.local_addr().unwrap());
        server.serve(listener, serve);
        Self { url, shared, _server: server }
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
