//! The file of a session: one JSON object. Pure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ulid::Ulid;
use uuid::Uuid;

use crate::{
    Rule, Session,
    clean::{cut_middle, map_texts},
    session::MOST_MESSAGES,
    turn::whole,
};
use elophanto_models::llm::{Format, Image, Message, Size, ToolCall};

const VERSION: u32 = 1;
/// Bytes of one message's text.
const TEXT_CAP: usize = 64 * 1024;
/// Bytes of one text in a call's arguments.
const ARGUMENT_CAP: usize = 8 * 1024;

pub(super) enum Fault {
    Newer,
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct SessionFile {
    version: u32,
    id: String,
    channel: String,
    user: String,
    #[serde(default)]
    root: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default)]
    goal: Option<String>,
    created: Timestamp,
    updated: Timestamp,
    revision: u64,
    tainted: bool,
    #[serde(default)]
    under_way: Option<String>,
    /// A folder that is no UTF-8 cannot be written: a rule of it ends with the process.
    rules: Vec<Rule>,
    messages: Vec<MessageForm>,
}

#[derive(Serialize, Deserialize)]
struct Version {
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum MessageForm {
    System {
        text: String,
    },
    User {
        text: String,
    },
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
    },
    Tool {
        id: String,
        name: String,
        text: String,
        failed: bool,
    },
    /// By its file: what it shows is not kept here.
    Image(ImageForm),
}

#[derive(Serialize, Deserialize)]
struct ImageForm {
    path: String,
    hash: String,
    bytes: u64,
    format: String,
    width: u32,
    height: u32,
    #[serde(default)]
    is_changed: bool,
}

pub(super) fn encode(session: &Session) -> Vec<u8> {
    let form = SessionFile {
        version: VERSION,
        id: session.id.hyphenated().to_string(),
        channel: session.channel.clone(),
        user: session.user.clone(),
        root: session.root.clone(),
        name: session.name.clone(),
        goal: session.goal.clone(),
        created: session.created,
        updated: session.updated,
        revision: session.revision,
        tainted: session.is_tainted,
        under_way: session.under_way.map(|run| run.to_string()),
        rules: session.rules.iter().filter(|rule| can_be_written(rule)).cloned().collect(),
        messages: session.messages.iter().map(message_form).collect(),
    };
    // Only a map with keys that are no texts could fail, and there is none.
    let mut bytes = serde_json::to_vec_pretty(&form).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Result<Session, Fault> {
    let damaged = |error: serde_json::Error| Fault::Damaged(error.to_string());
    let version: Version = serde_json::from_slice(bytes).map_err(damaged)?;
    if version.version > VERSION {
        return Err(Fault::Newer);
    }
    let form: SessionFile = serde_json::from_slice(bytes).map_err(damaged)?;
    let id = Uuid::try_parse(&form.id).map_err(|error| Fault::Damaged(error.to_string()))?;
    let messages: Result<Vec<_>, _> = form.messages.into_iter().map(message).collect();
    let messages = messages?;
    if messages.len() > MOST_MESSAGES {
        return Err(Fault::Damaged(format!("{} messages, over {MOST_MESSAGES}", messages.len())));
    }
    if !whole(&messages) {
        return Err(Fault::Damaged("a call of a tool is without its result".to_owned()));
    }
    Ok(Session {
        id,
        channel: form.channel,
        user: form.user,
        root: form.root,
        name: form.name,
        goal: form.goal,
        messages,
        is_tainted: form.tainted,
        under_way: form.under_way.and_then(|run| Ulid::from_string(&run).ok()),
        rules: form.rules,
        created: form.created,
        updated: form.updated,
        revision: form.revision,
    })
}

/// A message as one line, its end included.
pub(super) fn line_of_message(message: &Message) -> Vec<u8> {
    let mut line = serde_json::to_vec(&message_form(message)).unwrap_or_default();
    line.push(b'\n');
    line
}

pub(super) fn message_of_line(line: &[u8]) -> Option<Message> {
    message(serde_json::from_slice(line).ok()?).ok()
}

fn can_be_written(rule: &Rule) -> bool {
    serde_json::to_value(rule).is_ok()
}

fn message_form(message: &Message) -> MessageForm {
    let text = |text: &str| cut_middle(text, TEXT_CAP);
    match message {
        Message::System(one) => MessageForm::System { text: text(one) },
        Message::User(one) => MessageForm::User { text: text(one) },
        Message::Assistant { text: one, tool_calls } => {
            let call = |call: &ToolCall| ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: map_texts(&call.arguments, &|text| cut_middle(text, ARGUMENT_CAP)),
            };
            MessageForm::Assistant { text: text(one), calls: tool_calls.iter().map(call).collect() }
        }
        Message::Tool { id, name, text: one, failed } => MessageForm::Tool {
            id: id.clone(),
            name: name.clone(),
            text: text(one),
            failed: *failed,
        },
        Message::Image(image) => MessageForm::Image(ImageForm {
            path: image.path.clone(),
            hash: image.hash.clone(),
            bytes: image.bytes,
            format: image.format.name().to_owned(),
            width: image.size.width,
            height: image.size.height,
            is_changed: image.is_changed,
        }),
    }
}

fn message(form: MessageForm) -> Result<Message, Fault> {
    Ok(match form {
        MessageForm::System { text } => Message::System(text),
        MessageForm::User { text } => Message::User(text),
        MessageForm::Assistant { text, calls } => Message::Assistant { text, tool_calls: calls },
        MessageForm::Tool { id, name, text, failed } => Message::Tool { id, name, text, failed },
        MessageForm::Image(form) => Message::Image(image(form)?),
    })
}

fn image(form: ImageForm) -> Result<Image, Fault> {
    let format = Format::named(&form.format);
    let unknown = || Fault::Damaged(format!("an image is of the unknown format `{}`", form.format));
    Ok(Image {
        format: format.ok_or_else(unknown)?,
        size: Size { width: form.width, height: form.height },
        path: form.path,
        hash: form.hash,
        bytes: form.bytes,
        is_changed: form.is_changed,
        data: None,
    })
}
