//! What Telegram takes, and how it says no.

use serde_json::{Value, json};

use super::{
    super::{form::Given, markup::seen},
    state::{BOT, NAME, Sent, State},
};

/// Characters of a message, in UTF-16.
const MOST: usize = 4_096;

/// What a call is answered.
pub enum Said {
    Result(Value),
    Error {
        code: u16,
        text: String,
        retry_after: Option<u64>,
    },
    File(Vec<u8>),
    /// The connection breaks.
    Nothing,
}

pub fn refused(text: impl Into<String>) -> Said {
    Said::Error { code: 400, text: format!("Bad Request: {}", text.into()), retry_after: None }
}

pub fn text(given: &Given, key: &str) -> String {
    match given.values.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

pub fn integer(given: &Given, key: &str) -> Option<i64> {
    text(given, key).parse().ok()
}

/// Whether one more message may be sent there now.
fn may_send(state: &mut State, chat: i64) -> Result<(), Said> {
    let too_many = |seconds: u64| Said::Error {
        code: 429,
        text: format!("Too Many Requests: retry after {seconds}"),
        retry_after: Some(seconds),
    };
    if state.limited > 0 {
        state.limited -= 1;
        return Err(too_many(1));
    }
    state.all.take("").map_err(too_many)?;
    state.chats.take(&chat.to_string()).map_err(too_many)
}

fn chat(state: &State, given: &Given) -> Result<i64, Said> {
    let Some(chat) = integer(given, "chat_id") else { return Err(refused("chat not found")) };
    if state.blocked.contains(&chat) {
        let text = "Forbidden: bot was blocked by the user".to_owned();
        return Err(Said::Error { code: 403, text, retry_after: None });
    }
    Ok(chat)
}

/// What is seen of the text of a message, and whether it was marked up.
fn words(given: &Given) -> Result<(String, bool), Said> {
    let raw = text(given, "text");
    let mode = text(given, "parse_mode");
    let is_marked_up = mode.eq_ignore_ascii_case("html");
    let seen = match is_marked_up {
        true => seen(&raw).map_err(|why| refused(format!("can't parse entities: {why}")))?,
        false if mode.is_empty() => raw,
        false => return Err(refused("unsupported parse_mode")),
    };
    let seen = seen.trim().to_owned();
    match seen.encode_utf16().count() {
        0 => Err(refused("message text is empty")),
        count if count > MOST => Err(refused("message is too long")),
        _ => Ok((seen, is_marked_up)),
    }
}

fn buttons(given: &Given) -> Result<Vec<Vec<(String, String)>>, Said> {
    let Some(rows) =
        given.values.get("reply_markup").and_then(|it| it["inline_keyboard"].as_array())
    else {
        return Ok(Vec::new());
    };
    let one = |button: &Value| {
        let data = button["callback_data"].as_str().unwrap_or_default();
        let label = button["text"].as_str().unwrap_or_default();
        match data.len() {
            1..=64 if !label.is_empty() => Ok((label.to_owned(), data.to_owned())),
            _ => Err(refused("BUTTON_DATA_INVALID")),
        }
    };
    let row = |row: &Value| row.as_array().into_iter().flatten().map(one).collect();
    rows.iter().map(row).collect()
}

fn has_preview(given: &Given) -> bool {
    let new = given.values.get("link_preview_options").map(|it| it["is_disabled"] == true);
    !(new == Some(true) || text(given, "disable_web_page_preview") == "true")
}

fn thread(state: &State, given: &Given) -> Result<Option<i64>, Said> {
    match integer(given, "message_thread_id") {
        Some(thread) if !state.threads.contains(&thread) => {
            Err(refused("message thread not found"))
        }
        thread => Ok(thread),
    }
}

fn answers(given: &Given) -> Option<i64> {
    let new = given.values.get("reply_parameters").and_then(|it| it["message_id"].as_i64());
    new.or_else(|| integer(given, "reply_to_message_id"))
}

fn message(sent: &Sent) -> Said {
    let kind = if sent.chat > 0 { "private" } else { "supergroup" };
    let mut message = json!({
        "message_id": sent.message, "date": 1_790_000_000, "text": sent.text,
        "chat": { "id": sent.chat, "type": kind, "first_name": "Ada" },
        "from": { "id": BOT, "is_bot": true, "first_name": "Harbour", "username": NAME },
    });
    if let Some((name, _)) = &sent.file {
        message["document"] = json!({ "file_id": format!("sent-{}", sent.message),
            "file_unique_id": "u", "file_name": name });
        message.as_object_mut().map(|it| it.remove("text"));
    }
    Said::Result(message)
}

fn post(
    state: &mut State,
    given: &Given,
    what: (String, bool),
    file: Option<(String, String)>,
) -> Result<Said, Said> {
    let chat = chat(state, given)?;
    let (thread, buttons) = (thread(state, given)?, buttons(given)?);
    may_send(state, chat)?;
    state.next_message += 1;
    let sent = Sent {
        chat,
        message: state.next_message,
        thread,
        text: what.0,
        buttons,
        answers: answers(given),
        has_preview: file.is_none() && has_preview(given),
        is_marked_up: what.1,
        before: Vec::new(),
        file,
    };
    let said = message(&sent);
    state.sent.push(sent);
    Ok(said)
}

pub fn send(state: &mut State, given: &Given) -> Said {
    let posted = words(given).and_then(|words| post(state, given, words, None));
    posted.unwrap_or_else(|said| said)
}

pub fn send_document(state: &mut State, given: &Given) -> Said {
    let Some((name, bytes)) = given.files.values().next() else {
        return refused("there is no document in the request");
    };
    let file = (name.clone(), String::from_utf8_lossy(bytes).into_owned());
    post(state, given, (String::new(), false), Some(file)).unwrap_or_else(|said| said)
}

pub fn edit(state: &mut State, given: &Given) -> Said {
    let mut edited = || -> Result<Said, Said> {
        let chat = chat(state, given)?;
        let (words, is_marked_up) = words(given)?;
        let (buttons, has_preview) = (buttons(given)?, has_preview(given));
        let number = integer(given, "message_id");
        let found = state.sent.iter().position(|it| it.chat == chat && Some(it.message) == number);
        let Some(at) = found else { return Err(refused("message to edit not found")) };
        if state.sent[at].text == words && state.sent[at].buttons == buttons {
            return Err(refused(
                "message is not modified: specified new message content and reply markup are exactly \
                 the same as a current content and reply markup of the message",
            ));
        }
        may_send(state, chat)?;
        let sent = &mut state.sent[at];
        sent.before.push(std::mem::replace(&mut sent.text, words));
        sent.buttons = buttons;
        sent.is_marked_up = is_marked_up;
        sent.has_preview |= has_preview;
        Ok(message(sent))
    };
    edited().unwrap_or_else(|said| said)
}

pub fn set_commands(state: &mut State, given: &Given) -> Said {
    let all = given.values.get("commands").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_name = |name: &str| {
        (1..=32).contains(&name.len())
            && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    for command in &all {
        let about = command["description"].as_str().unwrap_or_default();
        if !is_name(command["command"].as_str().unwrap_or_default()) {
            return refused("BOT_COMMAND_INVALID");
        }
        if !(1..=256).contains(&about.chars().count()) {
            return refused("BOT_COMMAND_DESCRIPTION_INVALID");
        }
    }
    if all.len() > 100 {
        return refused("BOT_COMMANDS_TOO_MUCH");
    }
    state.commands = all;
    Said::Result(json!(true))
}
