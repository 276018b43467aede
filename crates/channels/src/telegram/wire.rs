//! What Telegram sends, as far as it is read. Whatever else is in it is passed over.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Update {
    pub update_id: i64,
    pub message: Option<Message>,
    pub edited_message: Option<Message>,
    pub callback_query: Option<CallbackQuery>,
    pub message_reaction: Option<Reaction>,
}

#[derive(Debug, Deserialize)]
pub struct Chat {
    pub id: i64,
    #[serde(rename = "type", default)]
    pub kind: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct User {
    pub id: i64,
    #[serde(default)]
    pub is_bot: bool,
    #[serde(default)]
    pub first_name: String,
    pub last_name: Option<String>,
    pub username: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Message {
    pub message_id: i64,
    pub message_thread_id: Option<i64>,
    #[serde(default)]
    pub is_topic_message: bool,
    pub from: Option<User>,
    /// A channel, or a group, that speaks in the place of a person.
    pub sender_chat: Option<Chat>,
    pub chat: Chat,
    pub text: Option<String>,
    #[serde(default)]
    pub entities: Vec<Entity>,
    pub caption: Option<String>,
    #[serde(default)]
    pub caption_entities: Vec<Entity>,
    pub forward_origin: Option<serde_json::Value>,
    /// Of a forward, as servers before 7.0 say it.
    pub forward_date: Option<serde_json::Value>,
    /// Another bot, whose words somebody sent.
    pub via_bot: Option<serde_json::Value>,
    pub sender_business_bot: Option<serde_json::Value>,
    pub reply_to_message: Option<Box<Message>>,
    pub quote: Option<Quoted>,
    pub document: Option<Document>,
    #[serde(default)]
    pub photo: Vec<Photo>,
    pub sticker: Option<serde_json::Value>,
    pub voice: Option<serde_json::Value>,
    pub audio: Option<serde_json::Value>,
    pub video: Option<serde_json::Value>,
    pub video_note: Option<serde_json::Value>,
    pub animation: Option<serde_json::Value>,
    pub location: Option<serde_json::Value>,
    pub contact: Option<serde_json::Value>,
    pub poll: Option<serde_json::Value>,
    pub dice: Option<serde_json::Value>,
    pub story: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
pub struct Quoted {
    #[serde(default)]
    pub text: String,
}

#[derive(Debug, Deserialize)]
pub struct Entity {
    #[serde(rename = "type", default)]
    pub kind: String,
    /// In UTF-16.
    pub offset: usize,
    pub length: usize,
    pub user: Option<User>,
}

#[derive(Debug, Deserialize)]
pub struct Document {
    pub file_id: String,
    pub file_name: Option<String>,
    pub file_size: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct Photo {
    pub file_id: String,
    pub file_size: Option<u64>,
    #[serde(default)]
    pub width: u64,
}

#[derive(Debug, Deserialize)]
pub struct CallbackQuery {
    pub id: String,
    pub from: User,
    pub message: Option<Message>,
    pub data: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Reaction {
    pub chat: Chat,
    pub message_id: i64,
    pub user: Option<User>,
    #[serde(default)]
    pub old_reaction: Vec<ReactionType>,
    #[serde(default)]
    pub new_reaction: Vec<ReactionType>,
}

#[derive(Debug, Deserialize, PartialEq)]
pub struct ReactionType {
    pub emoji: Option<String>,
}
