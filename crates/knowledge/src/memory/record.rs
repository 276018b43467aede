//! The form of a record: one JSON object on one line. Pure.

use std::str::FromStr;

use elophanto_base::jsonl::short;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer, de::IgnoredAny};

use super::{MemoryError, Rate, repo_name, tags, times};

/// Most bytes of a line that is written, without its line end.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Most characters of an id. What is longer, or has blanks, is no id.
const MAX_ID_CHARACTERS: usize = 128;

/// Hexadecimal digits of the digest in the id of a record that came without one.
const DIGEST_DIGITS: usize = 24;

/// One lesson, as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Memory {
    /// A ULID; `h` and the start of a digest of the line for a record that came without an id.
    pub id: String,
    /// When it was written down.
    #[serde(serialize_with = "in_milliseconds")]
    #[schemars(with = "String")]
    pub timestamp: Timestamp,
    /// Who wrote it. May be empty.
    pub agent_id: String,
    /// Name of the repository it was learnt in.
    pub repo: String,
    /// What kind of thing was learnt.
    pub event_type: EventType,
    /// What was attempted, or what went wrong. May be empty if there is a lesson.
    pub context: String,
    /// What was run. May be empty.
    pub command: String,
    /// What was learnt. May be empty if there is a context.
    pub lesson: String,
    /// Successes of attempts, where they were counted.
    #[serde(serialize_with = "or_empty")]
    #[schemars(with = "String")]
    pub success_rate: Option<Rate>,
    /// In lower case, without blanks.
    pub tags: Vec<String>,
    /// Id of the record that this one corrects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

/// A record that takes another one back, as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Retired {
    pub id: String,
    #[serde(serialize_with = "in_milliseconds")]
    pub timestamp: Timestamp,
    pub agent_id: String,
    pub repo: String,
    /// Id of what is forgotten.
    pub retired: String,
    /// Id of the lesson that says the same, if it was joined with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<String>,
}

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Memory(Memory),
    Retired(Retired),
}

impl Entry {
    /// The id of the record itself.
    pub fn id(&self) -> &str {
        match self {
            Self::Memory(memory) => &memory.id,
            Self::Retired(retired) => &retired.id,
        }
    }

    pub fn timestamp(&self) -> Timestamp {
        match self {
            Self::Memory(memory) => memory.timestamp,
            Self::Retired(retired) => retired.timestamp,
        }
    }
}

elophanto_base::named! {
    /// What kind of lesson it is.
    #[derive(PartialOrd, Ord, Hash, Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum EventType, as_str {
        /// Something failed, and why.
        Error = "error",
        /// Something worked, and how.
        Success = "success",
        /// Something holds in general.
        Pattern = "pattern",
    }
}

/// The text names no type of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not one of `error`, `success` and `pattern`")]
pub struct NotAnEventType;

impl FromStr for EventType {
    type Err = NotAnEventType;

    fn from_str(text: &str) -> Result<Self, NotAnEventType> {
        let text = text.trim();
        let named = Self::ALL.into_iter().find(|kind| text.eq_ignore_ascii_case(kind.as_str()));
        named.ok_or(NotAnEventType)
    }
}

/// The line of a record, without its line end. Times are written in UTC, with milliseconds.
///
/// # Errors
/// When it has more than [`MAX_LINE_BYTES`].
pub fn line(entry: &Entry) -> Result<String, MemoryError> {
    let line = match entry {
        Entry::Memory(memory) => serde_json::to_string(memory),
        Entry::Retired(retired) => serde_json::to_string(retired),
    };
    let line = line.map_err(|error| MemoryError::NotJson(error.to_string()))?;
    let (bytes, max) = (line.len(), MAX_LINE_BYTES);
    if bytes > max { Err(MemoryError::TooLarge { what: "a record", bytes, max }) } else { Ok(line) }
}

/// A record as it was read. `line` is the text that stands for it in the id of a record without
/// one.
///
/// # Errors
/// With the reason, when it is none.
pub(super) fn parse(object: &str, line: &[u8], folder_repo: &str) -> Result<Entry, String> {
    // An array would pass for a struct.
    if !object.trim_start().starts_with('{') {
        return Err("it is no object".to_owned());
    }
    let fields: Fields = serde_json::from_str(object).map_err(|error| short(&error))?;
    let timestamp = fields.timestamp.text().ok_or("it has no timestamp")?;
    let timestamp = times::parse(&timestamp).ok_or("its timestamp is none")?;
    let id = fields.id.text().filter(|id| is_id(id)).unwrap_or_else(|| digest_id(line));
    let agent_id = fields.agent_id.text().unwrap_or_default();
    let repo = match fields.repo.text() {
        Some(repo) if !repo.trim().is_empty() => repo_name(None, &repo),
        _ => folder_repo.to_owned(),
    };
    if let Some(retired) = fields.retired.text().filter(|id| is_id(id)) {
        let joined = fields.joined.text().filter(|id| is_id(id));
        return Ok(Entry::Retired(Retired { id, timestamp, agent_id, repo, retired, joined }));
    }
    let event_type = fields.event_type.text().ok_or("it has no event_type")?;
    let event_type = event_type.parse().map_err(|_| "its event_type is none")?;
    let [context, lesson] = [fields.context, fields.lesson].map(Loose::text);
    let is_blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    if is_blank(&context) && is_blank(&lesson) {
        return Err("it has neither a lesson nor a context".to_owned());
    }
    let tags = match fields.tags {
        Loose::Is(tags) => tags::tidy(tags.into_iter().filter_map(Loose::text)),
        Loose::IsNot(_) => Vec::new(),
    };
    Ok(Entry::Memory(Memory {
        id,
        timestamp,
        agent_id,
        repo,
        event_type,
        context: context.unwrap_or_default(),
        command: fields.command.text().unwrap_or_default(),
        lesson: lesson.unwrap_or_default(),
        success_rate: fields.success_rate.text().and_then(|rate| rate.parse().ok()),
        tags,
        replaces: fields.replaces.text().filter(|id| is_id(id)),
    }))
}

pub(super) fn is_id(text: &str) -> bool {
    let is_plain = |char: char| !char.is_whitespace() && !char.is_control();
    !text.is_empty() && text.chars().count() <= MAX_ID_CHARACTERS && text.chars().all(is_plain)
}

fn digest_id(line: &[u8]) -> String {
    let digest = blake3::hash(line.trim_ascii_end()).to_hex();
    format!("h{}", digest.chars().take(DIGEST_DIGITS).collect::<String>())
}

fn in_milliseconds<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{at:.3}"))
}

fn or_empty<S: Serializer>(rate: &Option<Rate>, serializer: S) -> Result<S::Ok, S::Error> {
    match rate {
        Some(rate) => serializer.collect_str(rate),
        None => serializer.serialize_str(""),
    }
}

/// Every key that is known; a value of another type counts as missing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    id: Loose<String>,
    timestamp: Loose<String>,
    agent_id: Loose<String>,
    repo: Loose<String>,
    event_type: Loose<String>,
    context: Loose<String>,
    command: Loose<String>,
    lesson: Loose<String>,
    success_rate: Loose<String>,
    tags: Loose<Vec<Loose<String>>>,
    replaces: Loose<String>,
    retired: Loose<String>,
    joined: Loose<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Loose<T> {
    Is(T),
    IsNot(IgnoredAny),
}

impl<T> Default for Loose<T> {
    fn default() -> Self {
        Self::IsNot(IgnoredAny)
    }
}

impl Loose<String> {
    fn text(self) -> Option<String> {
        match self {
            Self::Is(text) => Some(text),
            Self::IsNot(_) => None,
        }
    }
}
