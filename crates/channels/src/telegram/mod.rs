//! Telegram, by its Bot API: long polling, whose offset acknowledges what came before it.

mod inbound;
mod wire;

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use url::Url;

use super::{
    Bot, Button, ChannelAdapter, ChannelError, Dialect, FileRef, Inbound, Limits, Place, Posted,
    Result, Text, multipart, parts::escape,
};
use elophanto_net::http::{Auth, Client, Endpoint, HttpError, Patience, block_on};

/// Where Telegram is.
pub const ADDRESS: &str = "https://api.telegram.org";

/// Seconds that a request for news is held there.
const HELD: u64 = 25;
/// What we want to hear of. Reactions come only to those who ask for them.
const WANTED: [&str; 4] = ["message", "edited_message", "callback_query", "message_reaction"];
/// Telegram hands over no larger file to a bot.
const FILE: usize = 20 << 20;

/// Telegram counts what is seen, in UTF-16.
const DIALECT: Dialect = Dialect {
    most: 4_096,
    measure: |text| text.plain.encode_utf16().count(),
    escape: unlinked,
    escape_code: escape,
    strong: ["<b>", "</b>"],
    emphasis: ["<i>", "</i>"],
    struck: ["<s>", "</s>"],
    code: ["<code>", "</code>"],
    quote: ["<blockquote>", "</blockquote>"],
    block: ["<pre>", "</pre>"],
};

/// Words in which Telegram finds nothing to link: where it would, they are code.
fn unlinked(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        match is_linked(bare) {
            true => all.push_str(&format!("<code>{}</code>{}", escape(bare), &word[bare.len()..])),
            false => all.push_str(&escape(word)),
        }
    }
    all
}

/// Whether a word is or holds a host (`README.md` is one), a name or a command.
fn is_linked(word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '-' || char == '_';
    let before = |at: usize| word[..at].chars().next_back();
    let after = |at: usize| word[at + 1..].split(|char| !is_part(char)).next().unwrap_or_default();
    word.char_indices().any(|(at, char)| match char {
        '.' | '。' => {
            let end = word[at + char.len_utf8()..].split(|char| !is_part(char)).next();
            let end = end.unwrap_or_default();
            before(at).is_some_and(is_part)
                && end.chars().count() > 1
                && !end.chars().all(|char| char.is_ascii_digit())
        }
        '@' => !after(at).is_empty(),
        '/' => {
            !before(at).is_some_and(|char| is_part(char) || char == '/')
                && after(at).starts_with(|char: char| char.is_ascii_alphabetic())
        }
        _ => false,
    })
}

/// A bot at Telegram.
pub struct Telegram {
    /// For what is done at once.
    client: Client,
    /// For what is waited for; a limit on what is sent does not hold it up.
    polling: Client,
    files: Client,
    bot: Bot,
}

impl Telegram {
    /// The bot that this token is of, at `address`. Nothing is asked yet; `bot` is who it is, as was
    /// found out when it was set up.
    ///
    /// # Errors
    /// When the token can be none, or the address is not one to send it to.
    pub fn new(address: &Url, token: &SecretString, bot: Bot) -> Result<Self> {
        let token = token.expose_secret().trim();
        // It becomes a part of an address.
        let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, ':' | '-' | '_');
        if token.is_empty() || !token.chars().all(is_part) {
            return Err(ChannelError::Token("it is none of Telegram's: 123456:ABC...".to_owned()));
        }
        let base = address.as_str().trim_end_matches('/');
        let client = |middle: &str, attempts, request: u64, cap| {
            let text = format!("{base}{middle}/bot{token}");
            let url = Url::parse(&text).map_err(|_| {
                ChannelError::Token("the address of the Bot API is none".to_owned())
            })?;
            // What travels is as secret as a key.
            if url.scheme() != "https" && !elophanto_net::address::is_loopback(&url) {
                return Err(ChannelError::Token(
                    "its address is no https://, which would show the token on the way".to_owned(),
                ));
            }
            let patience = Patience {
                connect: Duration::from_secs(10),
                request: Duration::from_secs(request),
                idle: Duration::from_secs(request),
                total: Duration::from_secs(request + 30),
                attempts,
            };
            // A server may repeat the address in what it says.
            let secret = Some(SecretString::from(token));
            let endpoint = Endpoint { secret, ..Endpoint::new(url, Auth::None) };
            Client::with_body_cap(endpoint, patience, cap).map_err(|error| ChannelError::of(&error))
        };
        Ok(Self {
            client: client("", 3, 30, 4 << 20)?,
            polling: client("", 1, HELD + 15, 16 << 20)?,
            files: client("/file", 3, 120, FILE)?,
            bot,
        })
    }

    fn ask(&self, method: &str, body: &Value) -> Result<Value> {
        result(block_on(self.client.post(method, body)))
    }

    /// Sends marked up, and as it stands where the markup is not taken.
    fn say(&self, method: &str, mut body: Value, text: &Text) -> Result<Value> {
        body["link_preview_options"] = json!({ "is_disabled": true });
        let mut plain = body.clone();
        plain["text"] = json!(text.plain);
        body["text"] = json!(text.rich);
        body["parse_mode"] = json!("HTML");
        match self.ask(method, &body) {
            Err(ChannelError::Refused(why)) if why.contains("parse entities") => {
                self.ask(method, &plain)
            }
            said => said,
        }
    }

    /// The same in a thread, and beside it where that is gone.
    fn say_in(&self, place: &Place, body: Value, text: &Text) -> Result<Value> {
        let Some(thread) = thread(place) else { return self.say("sendMessage", body, text) };
        let mut inside = body.clone();
        inside["message_thread_id"] = thread;
        match self.say("sendMessage", inside, text) {
            Err(ChannelError::Refused(why)) if why.contains("thread not found") => {
                self.say("sendMessage", body, text)
            }
            said => said,
        }
    }
}

impl ChannelAdapter for Telegram {
    fn limits(&self) -> Limits {
        Limits {
            between: Duration::from_millis(1_050),
            between_all: Duration::from_millis(35),
            file: FILE,
        }
    }

    fn bot(&self) -> Result<Bot> {
        let me = self.ask("getMe", &json!({}))?;
        let name = me["username"].as_str().unwrap_or_default().to_owned();
        match me["id"].as_i64() {
            Some(id) => Ok(Bot { id: id.to_string(), name }),
            None => Err(ChannelError::Refused("whoever answers there is not Telegram".to_owned())),
        }
    }

    fn register(&self, commands: &[(&str, &str)]) -> Result<()> {
        let one = |(name, about): &(&str, &str)| json!({ "command": name, "description": about });
        let all: Vec<Value> = commands.iter().map(one).collect();
        self.ask("setMyCommands", &json!({ "commands": all })).map(drop)
    }

    fn next(&self, after: Option<i64>) -> Result<Vec<Inbound>> {
        let mut body = json!({ "timeout": HELD, "allowed_updates": WANTED });
        if let Some(after) = after {
            body["offset"] = json!(after.saturating_add(1));
        }
        let updates = result(block_on(self.polling.post("getUpdates", &body)))?;
        Ok(inbound::all(updates, &self.bot))
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
        let mut body = json!({ "chat_id": place.chat });
        if let Some(to) = to {
            body["reply_parameters"] = answering(to);
        }
        if !buttons.is_empty() {
            body["reply_markup"] = keyboard(buttons);
        }
        let said = self.say_in(place, body, text)?;
        posted(place, &said)
    }

    fn edit(&self, posted: &Posted, text: &Text, buttons: &[Button]) -> Result<()> {
        let mut body =
            json!({ "chat_id": posted.place.chat, "message_id": number(&posted.message) });
        body["reply_markup"] = keyboard(buttons);
        match self.say("editMessageText", body, text) {
            Err(ChannelError::Refused(why)) if why.contains("message is not modified") => Ok(()),
            Err(ChannelError::Refused(why))
                if why.contains("message to edit not found") || why.contains("can't be edited") =>
            {
                Err(ChannelError::Missing(why))
            }
            edited => edited.map(drop),
        }
    }

    fn post_file(
        &self,
        place: &Place,
        to: Option<&str>,
        name: &str,
        bytes: &[u8],
    ) -> Result<Posted> {
        let mut fields = vec![("chat_id", place.chat.clone())];
        fields.extend(thread(place).map(|thread| ("message_thread_id", thread.to_string())));
        fields.extend(to.map(|to| ("reply_parameters", answering(to).to_string())));
        let (kind, body) = multipart::form(&fields, ("document", name, bytes));
        let said = result(block_on(self.client.post_as("sendDocument", &kind, &body)))?;
        posted(place, &said)
    }

    fn fetch(&self, file: &FileRef, most: usize) -> Result<Vec<u8>> {
        let most = most.min(FILE);
        let too_large = || ChannelError::Refused(format!("it has more than {most} bytes"));
        if file.bytes.is_some_and(|bytes| bytes > most as u64) {
            return Err(too_large());
        }
        let found = self.ask("getFile", &json!({ "file_id": file.id }))?;
        let path = found["file_path"].as_str().unwrap_or_default();
        if path.is_empty() {
            return Err(ChannelError::Refused("it is not to be had".to_owned()));
        }
        let bytes = block_on(self.files.file(path)).map_err(|error| told(&error))?;
        if bytes.len() > most { Err(too_large()) } else { Ok(bytes) }
    }

    fn typing(&self, place: &Place) {
        let mut body = json!({ "chat_id": place.chat, "action": "typing" });
        if let Some(thread) = thread(place) {
            body["message_thread_id"] = thread;
        }
        let _ = self.ask("sendChatAction", &body);
    }

    fn answer_press(&self, press: &str, text: &str) {
        // Telegram shows at most 200 characters.
        let text: String = text.chars().take(200).collect();
        let _ =
            self.ask("answerCallbackQuery", &json!({ "callback_query_id": press, "text": text }));
    }
}

fn answering(to: &str) -> Value {
    json!({ "message_id": number(to), "allow_sending_without_reply": true })
}

fn keyboard(buttons: &[Button]) -> Value {
    let one = |button: &Button| json!({ "text": button.label, "callback_data": button.data });
    // Two in a row, or their labels are cut.
    let rows: Vec<Vec<Value>> =
        buttons.chunks(2).map(|row| row.iter().map(one).collect()).collect();
    json!({ "inline_keyboard": rows })
}

fn posted(place: &Place, said: &Value) -> Result<Posted> {
    let message = said["message_id"]
        .as_i64()
        .ok_or_else(|| ChannelError::Refused("whoever answers there is not Telegram".to_owned()))?;
    Ok(Posted { place: place.clone(), message: message.to_string() })
}

fn number(text: &str) -> Value {
    text.parse::<i64>().map_or(Value::Null, Value::from)
}

fn thread(place: &Place) -> Option<Value> {
    place.thread.as_deref().map(number)
}

/// The result in an answer.
fn result(answer: Result<elophanto_net::http::Reply, HttpError>) -> Result<Value> {
    let mut json = answer.map_err(|error| told(&error))?.json;
    match json["ok"].as_bool() {
        Some(true) => Ok(json["result"].take()),
        _ => Err(ChannelError::Refused("whoever answers there is not Telegram".to_owned())),
    }
}

/// What a failure means at Telegram.
fn told(error: &HttpError) -> ChannelError {
    let reason = error.to_string();
    match error {
        // A token of a form that none has is answered so.
        HttpError::Status { status: 404, .. } => ChannelError::Token(reason),
        HttpError::Auth { status: 403, .. } => ChannelError::Gone(reason),
        HttpError::Status { status: 409, .. } => ChannelError::Busy(reason),
        HttpError::Refused { .. }
            if reason.contains("chat not found") || reason.contains("user is deactivated") =>
        {
            ChannelError::Gone(reason)
        }
        _ => ChannelError::of(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn nothing_is_linked() {
        for (word, expected) in [
            ("example.org", true),
            ("(README.md)", true),
            ("müller.de,", true),
            ("@ada", true),
            ("ada@example", true),
            ("/stop", true),
            ("(/stop)", true),
            ("end.", false),
            ("3.14", false),
            ("e.g.", false),
            ("and/or", false),
            ("@", false),
            ("a...", false),
        ] {
            assert_eq!(is_linked(word), expected, "{word}");
        }
        let rich = |markdown: &str| DIALECT.parts(markdown)[0].rich.clone();
        assert_eq!(rich("see a.test & b"), "see <code>a.test</code> &amp; b");
        assert_eq!(rich("`a.test`"), "<code>a.test</code>");
        assert_eq!(DIALECT.parts("see a.test\nnow")[0].plain, "see a.test\nnow");
    }

    /// A server that repeats the address in what it says shows no token.
    #[test]
    fn the_token_is_blotted_out() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 1_024];
            let read = stream.read(&mut asked).unwrap();
            let asked = String::from_utf8_lossy(&asked[..read]).into_owned();
            let line = asked.lines().next().unwrap_or_default();
            let body = json!({ "ok": false, "description": format!("no such path: {line}") });
            let body = body.to_string();
            let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json";
            let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let nobody = Bot { id: String::new(), name: String::new() };
        let bot = Telegram::new(&url, &SecretString::from("7:AAsecret"), nobody).unwrap();
        let error = bot.bot().unwrap_err().to_string();
        assert!(error.contains("no such path") && !error.contains("AAsecret"), "{error}");
    }
}
