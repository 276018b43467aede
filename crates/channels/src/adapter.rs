//! What a platform does, whichever it is, and what comes from it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Result, Text};

/// A platform, by one bot of the user's. Calls block until the platform has answered.
///
/// Nothing that is sent lets the platform look at links in it, or calls people in.
pub trait ChannelAdapter: Send + Sync {
    fn limits(&self) -> Limits;

    /// Who the bot is, which tries its token.
    ///
    /// # Errors
    /// When the platform does not know it, or does not answer.
    fn bot(&self) -> Result<Bot>;

    /// Tells the platform which commands there are: names and what they do.
    ///
    /// # Errors
    /// When the platform does not take them.
    fn register(&self, commands: &[(&str, &str)]) -> Result<()>;

    /// What has come behind number `after`, the oldest first; that and all before it is taken for done
    /// with. Waits for something to come, as long as the platform likes.
    ///
    /// # Errors
    /// When the platform does not say.
    fn next(&self, after: Option<i64>) -> Result<Vec<Inbound>>;

    /// Where people write to us alone, whenever that changes: what they said there while nobody listened
    /// is asked for where the platform does not hand it over by itself.
    fn watch(&self, _homes: &[Place]) {}

    /// Answer as messages that each fit.
    fn parts(&self, markdown: &str) -> Vec<Text>;

    /// Says something, in answer to the message `to` where that is still there.
    ///
    /// # Errors
    /// When it is not sure that it is there.
    fn post(
        &self,
        place: &Place,
        to: Option<&str>,
        text: &Text,
        buttons: &[Button],
    ) -> Result<Posted>;

    /// Puts another text in the place of one that was said. The same again is no error.
    ///
    /// # Errors
    /// When it is not sure that it is there; [`Missing`](super::ChannelError::Missing) where the message is
    /// gone.
    fn edit(&self, posted: &Posted, text: &Text, buttons: &[Button]) -> Result<()>;

    /// Whether a message of ours may still be there, for all that is known without asking.
    fn is_there(&self, _posted: &Posted) -> bool {
        true
    }

    /// Hands over a file.
    ///
    /// # Errors
    /// As [`ChannelAdapter::post`].
    fn post_file(
        &self,
        place: &Place,
        to: Option<&str>,
        name: &str,
        bytes: &[u8],
    ) -> Result<Posted>;

    /// The bytes of a file that came with a message.
    ///
    /// # Errors
    /// When it is not to be had, or is larger than `most`.
    fn fetch(&self, file: &FileRef, most: usize) -> Result<Vec<u8>>;

    /// Shows that something goes on. What comes of it is no matter.
    fn typing(&self, place: &Place);

    /// Says to whoever pressed a button what came of it. What comes of it is no matter.
    fn answer_press(&self, press: &str, text: &str);
}

/// How fast a platform likes to be spoken to, and how much of a file it hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Between two messages or edits in one place.
    pub between: Duration,
    /// Between any two.
    pub between_all: Duration,
    /// Bytes of a file.
    pub file: usize,
}

/// A bot of the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bot {
    pub id: String,
    /// As people call it, without an `@`.
    pub name: String,
}

/// Where something is said: a conversation, and a thread in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub chat: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// A message of ours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Posted {
    pub place: Place,
    pub message: String,
}

/// Who did something, as the platform says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// Of the account: names can be taken by others.
    pub id: String,
    /// As they call themselves.
    pub name: String,
    pub is_bot: bool,
}

/// Something that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// Its place among all that comes.
    pub number: i64,
    /// Nobody where the platform does not say who it was.
    pub sender: Option<Sender>,
    pub place: Place,
    /// Whether nobody but sender and bot sees it.
    pub is_private: bool,
    pub what: What,
}

/// What somebody did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    Said(Said),
    /// They changed what they had said.
    Edited,
    /// They pressed a button of ours.
    Pressed {
        press: String,
        posted: Posted,
        data: String,
    },
    /// They put a sign to a message; `None` where it says neither.
    Reacted {
        posted: Posted,
        sign: Option<Sign>,
    },
    /// Something of no matter.
    Other,
}

/// What a reaction says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    For,
    Against,
    /// To what was asked.
    Yes,
    No,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// What the platform calls it, in its place.
    pub message: String,
    /// The sender's own words.
    pub text: String,
    /// What others wrote and the sender hands on.
    pub quotes: Vec<Quote>,
    pub files: Vec<FileRef>,
    /// Whether the bot is spoken to, in a place where others are too.
    pub is_to_us: bool,
    /// The message of ours that it answers.
    pub answers: Option<String>,
    /// What of it is not understood: a sticker, say.
    pub strange: Option<&'static str>,
}

/// Words of somebody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// What it is, as a name of a file: `forwarded.txt`.
    pub name: &'static str,
    pub text: String,
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    pub id: String,
    pub name: String,
    /// If the platform says so.
    pub bytes: Option<u64>,
}

/// Something to press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    pub label: String,
    /// What is told when it is pressed: at most 64 bytes.
    pub data: String,
}
