//! Discord: a gateway over a WebSocket tells what comes, everything else is asked for over HTTP.

mod hearing;
mod inbound;
mod line;
mod queue;
mod rates;
mod rest;
mod text;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;

use super::{
    Bot, Button, ChannelAdapter, ChannelError, FileRef, Inbound, Limits, Place, Posted, Result,
    Text, multipart, unsure::Unsure,
};
use elophanto_net::http::{Auth, Client, Endpoint, HttpError, Method, Patience, block_on};
use hearing::Hearing;
use queue::Queue;
use rest::Rest;
use text::DIALECT;

/// Where Discord is.
pub const ADDRESS: &str = "https://discord.com/api/v10";

/// How long is waited for something to come.
const HELD: Duration = Duration::from_secs(25);
const FILE: usize = 20 << 20;
/// Characters of what a command does.
const MOST_ABOUT: usize = 100;

/// What is wanted to be heard of: messages and reactions of people who write to us alone.
const ALONE: u64 = 1 << 12 | 1 << 13;
/// The same of servers. What is written there without a mention of us comes without its words: those are
/// for bots which Discord allows to read everything.
const AMONG_OTHERS: u64 = 1 << 9;

/// Links in it are not looked at.
const SUPPRESS_EMBEDS: u64 = 1 << 2;
/// Seen by whoever it answers, and nobody else.
const EPHEMERAL: u64 = 1 << 6;

/// A bot at Discord.
pub struct Discord {
    rest: Arc<Rest>,
    queue: Arc<Queue>,
    token: SecretString,
    base: Url,
    bot: Bot,
    intents: u64,
    has_begun: AtomicBool,
    /// What names a post at Discord, where it is not known whether it is there: asked for again by the same
    /// name, it is there once.
    unsure: Unsure,
}

impl Discord {
    /// The bot that this token is of, at `address`. Nothing is asked yet. With `groups`, messages of servers
    /// are heard too.
    ///
    /// # Errors
    /// When the token can be none, or the address is not one to send it to.
    pub fn new(address: &Url, token: &SecretString, bot: Bot, groups: bool) -> Result<Self> {
        let token = token.expose_secret().trim();
        let token = token.strip_prefix("Bot ").unwrap_or(token);
        let is_part = |part: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            !part.is_empty() && part.bytes().all(is_plain)
        };
        if token.split('.').count() != 3 || !token.split('.').all(is_part) {
            return Err(ChannelError::Token(
                "it is none of a bot at Discord, which has three parts: MTIz....GhIjKl.mNoPq..."
                    .to_owned(),
            ));
        }
        let token = SecretString::from(token);
        Ok(Self {
            rest: Arc::new(Rest::new(address, &token)?),
            queue: Arc::default(),
            token,
            base: address.clone(),
            bot,
            intents: if groups { ALONE | AMONG_OTHERS } else { ALONE },
            has_begun: AtomicBool::new(false),
            unsure: Unsure::default(),
        })
    }

    /// Begins to hear, once.
    fn begin(&self) -> Result<()> {
        if self.has_begun.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let hearing = Hearing {
            queue: Arc::clone(&self.queue),
            rest: Arc::clone(&self.rest),
            token: self.token.clone(),
            bot: self.bot.clone(),
            intents: self.intents,
            base: self.base.clone(),
            session: None,
            owed: None,
            held: Vec::new(),
        };
        let thread = std::thread::Builder::new().name("discord-gateway".to_owned());
        thread.spawn(move || hearing.run()).map(drop).map_err(|cause| {
            self.has_begun.store(false, Ordering::Relaxed);
            let reason = format!("there is no room for a thread that listens: {cause}");
            ChannelError::Later { reason, wait: None }
        })
    }

    /// Posts under a name that stays the same until it is known what came of it.
    fn post_named(
        &self,
        place: &Place,
        what: String,
        post: impl FnOnce(&str) -> Result<Value>,
    ) -> Result<Posted> {
        let said = self.unsure.post(what, |nonce, _| post(nonce));
        match said?["id"].as_str() {
            Some(id) => Ok(Posted { place: place.clone(), message: id.to_owned() }),
            None => Err(not_discord()),
        }
    }

    /// Whether an address is one where Discord keeps files, or whatever stands in for it.
    fn is_theirs(&self, url: &Url) -> bool {
        let is_discord = url.scheme() == "https"
            && matches!(url.host_str(), Some("cdn.discordapp.com" | "media.discordapp.net"));
        is_discord || url.origin() == self.base.origin()
    }
}

impl Drop for Discord {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl ChannelAdapter for Discord {
    fn limits(&self) -> Limits {
        Limits {
            between: Duration::from_millis(1_100),
            between_all: Duration::from_millis(25),
            file: FILE,
        }
    }

    fn bot(&self) -> Result<Bot> {
        let me = self.rest.ask(Method::GET, "users/@me", None)?;
        if me["id"].is_string() && me["bot"] != true {
            return Err(ChannelError::Token("it is that of a person, not of a bot".to_owned()));
        }
        match (me["id"].as_str(), me["username"].as_str()) {
            (Some(id), Some(name)) => Ok(Bot { id: id.to_owned(), name: name.to_owned() }),
            _ => Err(not_discord()),
        }
    }

    fn register(&self, commands: &[(&str, &str)]) -> Result<()> {
        let words = json!([{ "type": 3, "name": "words", "description": "What follows it" }]);
        let one = |(name, about): &(&str, &str)| {
            let about: String = about.chars().take(MOST_ABOUT).collect();
            // Where nobody else is: with the bot alone, for whom it was installed by a server.
            json!({ "name": name, "description": about, "type": 1, "options": words,
                "contexts": [1], "integration_types": [0] })
        };
        let all: Vec<Value> = commands.iter().map(one).collect();
        let app = self.rest.ask(Method::GET, "applications/@me", None)?;
        let app = app["id"].as_str().ok_or_else(not_discord)?;
        let path = format!("applications/{app}/commands");
        self.rest.ask(Method::PUT, &path, Some(&json!(all))).map(drop)
    }

    fn next(&self, after: Option<i64>) -> Result<Vec<Inbound>> {
        self.queue.is_done(after);
        self.begin()?;
        self.queue.wait(HELD)
    }

    fn watch(&self, homes: &[Place]) {
        self.queue.watch(homes);
    }

    fn parts(&self, markdown: &str) -> Vec<Text> {
        DIALECT.parts(markdown)
    }

    fn post(
        &self,
        place: &Place,
        to: Option<&str>,
        text: &Text,
        buttons: &[Button],
    ) -> Result<Posted> {
        let mut body = body(text, buttons);
        answering(to, &mut body);
        let path = format!("channels/{}/messages", place.chat);
        self.post_named(place, format!("{path} {body}"), |nonce| {
            named(nonce, &mut body);
            self.rest.ask(Method::POST, &path, Some(&body))
        })
    }

    fn edit(&self, posted: &Posted, text: &Text, buttons: &[Button]) -> Result<()> {
        let path = format!("channels/{}/messages/{}", posted.place.chat, posted.message);
        self.rest.ask(Method::PATCH, &path, Some(&body(text, buttons))).map(drop)
    }

    fn post_file(
        &self,
        place: &Place,
        to: Option<&str>,
        name: &str,
        bytes: &[u8],
    ) -> Result<Posted> {
        let mut body = said("", SUPPRESS_EMBEDS);
        body["attachments"] = json!([{ "id": 0, "filename": name }]);
        answering(to, &mut body);
        let path = format!("channels/{}/messages", place.chat);
        let what = format!("{path} {body} {}", bytes.len());
        self.post_named(place, what, |nonce| {
            named(nonce, &mut body);
            let fields = [("payload_json", body.to_string())];
            let (kind, form) = multipart::form(&fields, ("files[0]", name, bytes));
            self.rest.hand_over(&path, &kind, &form)
        })
    }

    fn fetch(&self, file: &FileRef, most: usize) -> Result<Vec<u8>> {
        let most = most.min(FILE);
        let too_large = || ChannelError::Refused(format!("it has more than {most} bytes"));
        if file.bytes.is_some_and(|bytes| bytes > most as u64) {
            return Err(too_large());
        }
        let url = Url::parse(&file.id).ok().filter(|url| self.is_theirs(url));
        let url =
            url.ok_or_else(|| ChannelError::Refused("it does not lie at Discord".to_owned()))?;
        // The address is the key: no token goes along.
        let client =
            Client::with_body_cap(Endpoint::new(url, Auth::None), Patience::default(), most)
                .map_err(|error| ChannelError::of(&error))?;
        block_on(client.file("")).map_err(|error| match error {
            HttpError::TooLarge { .. } => too_large(),
            HttpError::Status { status: 404 | 410, .. } | HttpError::Auth { .. } => {
                ChannelError::Refused(error.to_string())
            }
            _ => ChannelError::of(&error),
        })
    }

    fn typing(&self, place: &Place) {
        let _ = self.rest.ask(Method::POST, &format!("channels/{}/typing", place.chat), None);
    }

    fn answer_press(&self, press: &str, text: &str) {
        let _ = self.rest.ask_openly(&format!("webhooks/{press}"), &quiet(text));
    }
}

/// A message that calls nobody in, and has no links looked at.
fn said(text: &str, flags: u64) -> Value {
    json!({ "content": text, "flags": flags,
        "allowed_mentions": { "parse": [], "replied_user": false } })
}

/// One that only whoever it answers sees.
fn quiet(text: &str) -> Value {
    said(text, SUPPRESS_EMBEDS | EPHEMERAL)
}

fn body(text: &Text, buttons: &[Button]) -> Value {
    let mut body = said(&text.rich, SUPPRESS_EMBEDS);
    let button = |button: &Button| json!({ "type": 2, "style": 2, "label": button.label, "custom_id": button.data });
    // Five in a row; none takes those away that were there.
    let row = |row: &[Button]| json!({ "type": 1, "components": row.iter().map(button).collect::<Vec<_>>() });
    body["components"] = buttons.chunks(5).map(row).collect();
    body
}

/// In answer to a message; a command is none.
fn answering(to: Option<&str>, body: &mut Value) {
    if let Some(to) = to.filter(|to| to.bytes().all(|byte| byte.is_ascii_digit())) {
        body["message_reference"] = json!({ "message_id": to, "fail_if_not_exists": false });
    }
}

fn named(nonce: &str, body: &mut Value) {
    body["nonce"] = json!(nonce);
    body["enforce_nonce"] = json!(true);
}

fn not_discord() -> ChannelError {
    ChannelError::Refused("whoever answers there is not Discord".to_owned())
}
