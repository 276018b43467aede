//! Slack, by Socket Mode: envelopes over a WebSocket, each acknowledged once it is done with.

mod inbound;
mod signs;

use std::{
    collections::VecDeque,
    sync::Mutex,
    time::{Duration, SystemTime},
};

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;

use super::{
    Bot, Button, ChannelAdapter, ChannelError, Dialect, FileRef, Inbound, Limits, Place, Posted,
    Result, Text, What,
    parts::escape,
    unsure::{LASTS, Unsure},
};
use elophanto_base::mutex::lock;
use elophanto_net::{
    http::{Auth, Client, Endpoint, HttpError, Patience, block_on},
    socket::Socket,
};

/// Where Slack is.
pub const ADDRESS: &str = "https://slack.com/api";

/// How long is waited for something to come.
const HELD: Duration = Duration::from_secs(25);
const OPENING: Duration = Duration::from_secs(15);
const FILE: usize = 20 << 20;
/// What the mark of a post is called.
const MARK: &str = "elophanto_post";
/// By how much our clock may be wrong.
const SKEW: Duration = Duration::from_secs(3_600);
/// Messages among which a post is looked for.
const LOOKED_AT: &str = "200";
/// Characters of a part of a message that has buttons.
const SECTION: usize = 2_900;

/// Slack cuts at 4,000 characters, marks included.
const DIALECT: Dialect = Dialect {
    most: 3_900,
    measure: |text| text.rich.chars().count(),
    escape,
    escape_code: escape,
    strong: ["*", "*"],
    emphasis: ["_", "_"],
    struck: ["~", "~"],
    code: ["`", "`"],
    quote: ["&gt; ", ""],
    block: ["```\n", "\n```"],
};

/// An app at Slack.
pub struct Slack {
    client: Client,
    opening: Client,
    token: SecretString,
    base: Url,
    bot: Bot,
    hearing: Mutex<Hearing>,
    /// Where people write to the app alone.
    homes: Mutex<Vec<Place>>,
    /// What posts: once, since nobody knows of a post that broke off whether it came through.
    posting: Client,
    unsure: Unsure,
}

/// What was heard.
#[derive(Default)]
struct Hearing {
    socket: Option<Socket>,
    /// What is not done with: its number, the envelope, what came in it.
    waiting: VecDeque<(i64, String, Inbound)>,
    last: i64,
    /// Sockets in a row that brought nothing before they ended.
    fails: u32,
}

impl Slack {
    /// The app that these tokens are of: that of the bot (`xoxb-`) and that of the app (`xapp-`), between
    /// them a blank. Nothing is asked yet.
    ///
    /// # Errors
    /// When these are no such tokens, or the address is not one to send them to.
    pub fn new(address: &Url, tokens: &SecretString, bot: Bot) -> Result<Self> {
        let of = |prefix: &str| {
            let mut words = tokens.expose_secret().split_whitespace();
            words.find(|word| word.starts_with(prefix)).map(SecretString::from)
        };
        let (Some(token), Some(app)) = (of("xoxb-"), of("xapp-")) else {
            return Err(ChannelError::Token(
                "two are needed, with a blank between: xoxb-... of the bot and xapp-... of the app"
                    .to_owned(),
            ));
        };
        let patience = Patience {
            request: Duration::from_secs(30),
            total: Duration::from_secs(60),
            ..Patience::default()
        };
        let client = |token: &SecretString, attempts: u32| {
            let endpoint = Endpoint::new(address.clone(), Auth::Bearer(token.clone()));
            let patience = Patience { attempts, ..patience };
            Client::with_body_cap(endpoint, patience, 4 << 20).map_err(|error| told(&error))
        };
        Ok(Self {
            client: client(&token, 3)?,
            opening: client(&app, 3)?,
            posting: client(&token, 1)?,
            unsure: Unsure::default(),
            token,
            base: address.clone(),
            bot,
            hearing: Mutex::default(),
            homes: Mutex::default(),
        })
    }

    fn ask(&self, method: &str, body: &Value) -> Result<Value> {
        block_on(self.client.post(method, body)).map(|reply| reply.json).map_err(|it| told(&it))
    }

    fn open(&self) -> Result<Socket> {
        let asked = block_on(self.opening.post("apps.connections.open", &json!({})));
        let said = asked.map_err(|error| told(&error))?.json;
        let url = said["url"].as_str().and_then(|url| Url::parse(url).ok());
        let url = url.ok_or_else(|| ChannelError::Refused("it names no socket".to_owned()))?;
        block_on(Socket::open(&url, OPENING)).map_err(|error| told(&error))
    }

    /// The body of a message.
    fn body(&self, text: &Text, buttons: &[Button]) -> Value {
        let mut body = json!({ "text": text.rich, "mrkdwn": true,
            "unfurl_links": false, "unfurl_media": false, "parse": "none", "link_names": false });
        if buttons.is_empty() {
            // Takes those away that were there.
            body["blocks"] = json!([]);
            return body;
        }
        // As it stands: what runs is not to be taken for markup.
        let chars: Vec<char> = text.plain.chars().collect();
        let section = |part: &[char]| {
            let text: String = part.iter().collect();
            json!({ "type": "section", "text": { "type": "plain_text", "text": text, "emoji": false } })
        };
        let mut blocks: Vec<Value> = chars.chunks(SECTION).map(section).collect();
        let button = |(number, button): (usize, &Button)| {
            json!({ "type": "button", "action_id": format!("b{number}"), "value": button.data,
                "text": { "type": "plain_text", "text": button.label, "emoji": true } })
        };
        let all: Vec<Value> = buttons.iter().enumerate().map(button).collect();
        blocks.push(json!({ "type": "actions", "elements": all }));
        body["blocks"] = json!(blocks);
        body
    }
}

impl ChannelAdapter for Slack {
    fn limits(&self) -> Limits {
        Limits {
            between: Duration::from_millis(1_100),
            between_all: Duration::from_millis(50),
            file: FILE,
        }
    }

    fn bot(&self) -> Result<Bot> {
        let me = self.ask("auth.test", &json!({}))?;
        // The other token is tried too.
        block_on(self.opening.post("apps.connections.open", &json!({})))
            .map_err(|error| told(&error))?;
        match (me["user_id"].as_str(), me["user"].as_str()) {
            (Some(id), Some(name)) => Ok(Bot { id: id.to_owned(), name: name.to_owned() }),
            _ => Err(ChannelError::Refused("whoever answers there is not Slack".to_owned())),
        }
    }

    fn register(&self, _: &[(&str, &str)]) -> Result<()> {
        // An app names its commands where it is made.
        Ok(())
    }

    fn next(&self, after: Option<i64>) -> Result<Vec<Inbound>> {
        let mut hearing = lock(&self.hearing);
        let done = |number: i64| after.is_some_and(|after| number <= after);
        while let Some((number, envelope, _)) = hearing.waiting.front() {
            if !done(*number) {
                break;
            }
            let answer = json!({ "envelope_id": envelope }).to_string();
            hearing.waiting.pop_front();
            if let Some(socket) = &mut hearing.socket
                && block_on(socket.send(answer)).is_err()
            {
                // It comes again, and is known by then.
                hearing.socket = None;
            }
        }
        let waiting: Vec<Inbound> =
            hearing.waiting.iter().map(|(_, _, inbound)| inbound.clone()).collect();
        if !waiting.is_empty() {
            return Ok(waiting);
        }
        if hearing.socket.is_none() {
            hearing.waiting.clear();
            hearing.socket = Some(self.open()?);
        }
        let Some(socket) = &mut hearing.socket else { return Ok(Vec::new()) };
        let text = match block_on(socket.next(HELD)) {
            Ok(None) => {
                hearing.fails = 0;
                return Ok(Vec::new());
            }
            Ok(Some(text)) => text,
            Err(error) => {
                // Slack ends connections every few hours: another is opened at once, but not for ever.
                hearing.socket = None;
                hearing.fails += 1;
                let wait = Duration::from_secs(1 << (hearing.fails - 1).min(5));
                return match hearing.fails {
                    1 => Ok(Vec::new()),
                    _ => Err(ChannelError::Later { reason: error.to_string(), wait: Some(wait) }),
                };
            }
        };
        let said: Value = serde_json::from_str(&text).unwrap_or_default();
        if said["type"] == "disconnect" {
            hearing.socket = None;
            return Ok(Vec::new());
        }
        let Some(envelope) = said["envelope_id"].as_str() else { return Ok(Vec::new()) };
        // Numbers grow, also over a restart.
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        let number = now.max(hearing.last + 1).max(after.unwrap_or(0) + 1);
        hearing.last = number;
        hearing.fails = 0;
        let mut inbound = inbound::of(number, &said, &self.bot);
        // A command can be typed in a conversation of others, which looks the same.
        if said["type"] == "slash_commands" && inbound.is_private && !self.is_home(&inbound.place) {
            inbound.what = What::Other;
        }
        hearing.waiting.push_back((number, envelope.to_owned(), inbound.clone()));
        Ok(vec![inbound])
    }

    fn watch(&self, homes: &[Place]) {
        homes.clone_into(&mut lock(&self.homes));
    }

    fn parts(&self, markdown: &str) -> Vec<Text> {
        DIALECT.parts(markdown)
    }

    fn post(
        &self,
        place: &Place,
        _: Option<&str>,
        text: &Text,
        buttons: &[Button],
    ) -> Result<Posted> {
        let mut body = self.body(text, buttons);
        body["channel"] = json!(place.chat);
        if let Some(thread) = &place.thread {
            body["thread_ts"] = json!(thread);
        }
        let what = body.to_string();
        self.unsure.post(what, |mark, is_again| {
            if is_again && let Some(ts) = self.find(place, mark)? {
                return Ok(Posted { place: place.clone(), message: ts });
            }
            body["metadata"] = json!({ "event_type": MARK, "event_payload": { "id": mark } });
            let said = block_on(self.posting.post("chat.postMessage", &body));
            match said.map_err(|error| told(&error))?.json["ts"].as_str() {
                Some(ts) => Ok(Posted { place: place.clone(), message: ts.to_owned() }),
                None => Err(ChannelError::Refused("whoever answers there is not Slack".to_owned())),
            }
        })
    }

    fn edit(&self, posted: &Posted, text: &Text, buttons: &[Button]) -> Result<()> {
        let mut body = self.body(text, buttons);
        body["channel"] = json!(posted.place.chat);
        body["ts"] = json!(posted.message);
        self.ask("chat.update", &body).map(drop)
    }

    fn post_file(
        &self,
        place: &Place,
        _: Option<&str>,
        name: &str,
        bytes: &[u8],
    ) -> Result<Posted> {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("filename", name)
            .append_pair("length", &bytes.len().to_string())
            .finish();
        let asked = block_on(self.client.get(&format!("files.getUploadURLExternal?{query}")));
        let asked = asked.map_err(|error| told(&error))?.json;
        let url = asked["upload_url"].as_str().and_then(|url| Url::parse(url).ok());
        let (Some(url), Some(id)) = (url, asked["file_id"].as_str()) else {
            return Err(ChannelError::Refused("it names no place for a file".to_owned()));
        };
        // No token goes along: the address is the key.
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let upload = Client::new(Endpoint::new(url, Auth::None), Patience::default())
            .map_err(|error| told(&error))?;
        block_on(upload.upload(&query, bytes)).map_err(|error| told(&error))?;
        let mut body = json!({ "files": [{ "id": id, "title": name }], "channel_id": place.chat });
        if let Some(thread) = &place.thread {
            body["thread_ts"] = json!(thread);
        }
        self.ask("files.completeUploadExternal", &body)?;
        Ok(Posted { place: place.clone(), message: id.to_owned() })
    }

    fn fetch(&self, file: &FileRef, most: usize) -> Result<Vec<u8>> {
        let most = most.min(FILE);
        let too_large = || ChannelError::Refused(format!("it has more than {most} bytes"));
        if file.bytes.is_some_and(|bytes| bytes > most as u64) {
            return Err(too_large());
        }
        let url = Url::parse(&file.id).ok().filter(|url| self.is_theirs(url));
        // The token goes to Slack and nowhere else.
        let url =
            url.ok_or_else(|| ChannelError::Refused("it does not lie at Slack".to_owned()))?;
        let endpoint = Endpoint::new(url, Auth::Bearer(self.token.clone()));
        let client = Client::with_body_cap(endpoint, Patience::default(), most)
            .map_err(|error| told(&error))?;
        let bytes = block_on(client.file("")).map_err(|error| match error {
            // Taken away, or not ours to read: the same again would not come either.
            HttpError::Status { status: 403 | 404 | 410, .. } => {
                ChannelError::Refused(error.to_string())
            }
            _ => told(&error),
        })?;
        if bytes.len() > most { Err(too_large()) } else { Ok(bytes) }
    }

    fn typing(&self, _: &Place) {}

    fn answer_press(&self, _: &str, _: &str) {
        // What is settled is said in the message itself.
    }
}

impl Slack {
    /// The message of ours that carries a mark, among those of its place since marks are remembered. Where
    /// Slack does not let the app look, none.
    fn find(&self, place: &Place, mark: &str) -> Result<Option<String>> {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("channel", &place.chat).append_pair("include_all_metadata", "true");
        let method = match &place.thread {
            Some(thread) => {
                // Which begins with the oldest. Clocks differ.
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let since = since.unwrap_or_default().saturating_sub(LASTS + SKEW).as_secs();
                query.append_pair("oldest", &format!("{since}.000000"));
                query.append_pair("ts", thread).append_pair("limit", LOOKED_AT);
                "conversations.replies"
            }
            None => {
                query.append_pair("limit", LOOKED_AT);
                "conversations.history"
            }
        };
        let said = match block_on(self.client.get(&format!("{method}?{}", query.finish()))) {
            Ok(reply) => reply.json,
            Err(error) => match told(&error) {
                ChannelError::Refused(_) | ChannelError::Gone(_) => return Ok(None),
                error => return Err(error),
            },
        };
        let mut messages = said["messages"].as_array().into_iter().flatten();
        let found = messages.find(|it| it["metadata"]["event_payload"]["id"] == mark);
        Ok(found.and_then(|it| it["ts"].as_str()).map(str::to_owned))
    }

    /// Whether somebody writes to the app alone there.
    fn is_home(&self, place: &Place) -> bool {
        let homes = lock(&self.homes);
        homes.iter().any(|home| home.chat == place.chat)
    }

    /// Whether an address is one of Slack's, or of whatever stands in for it.
    fn is_theirs(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_slack =
            url.scheme() == "https" && (host == "slack.com" || host.ends_with(".slack.com"));
        is_slack || url.origin() == self.base.origin()
    }
}

/// What a failure means at Slack, which mostly answers 200 with a word for what is wrong.
fn told(error: &HttpError) -> ChannelError {
    let reason = error.to_string();
    let has = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    if !matches!(error, HttpError::Status { .. }) {
        return ChannelError::of(error);
    }
    if has(&[
        "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
        "not_allowed_token_type",
    ]) {
        ChannelError::Token(reason)
    } else if has(&[
        "channel_not_found", "is_archived", "not_in_channel", "user_not_found", "cannot_dm_bot",
    ]) {
        ChannelError::Gone(reason)
    } else if has(&["message_not_found", "cant_update_message", "edit_window_closed"]) {
        ChannelError::Missing(reason)
    } else if has(&[
        "internal_error", "fatal_error", "service_unavailable", "ratelimited", "request_timeout",
    ]) {
        ChannelError::Later { reason, wait: None }
    } else if matches!(error, HttpError::Status { status: 200, .. }) {
        ChannelError::Refused(reason)
    } else {
        ChannelError::of(error)
    }
}
