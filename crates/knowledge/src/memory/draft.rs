//! A lesson that is about to be written: what it must have, and how long it may be. Pure.

use jiff::Timestamp;
use serde_json::Value;

use super::{EventType, Memory, MemoryError, Rate, derive_tags, is_repo_name, record, tags, times};
use elophanto_repo::journal::new_id;

/// Most characters of a lesson, a context and a command.
const MAX_TEXT_CHARACTERS: usize = 4000;

const MAX_AGENT_CHARACTERS: usize = 100;

/// Most bytes of a record that is handed in.
const MAX_INPUT_BYTES: usize = 256 * 1024;

const KEYS: [&str; 11] = [
    "id", "timestamp", "agent_id", "repo", "event_type", "context", "command", "lesson",
    "success_rate", "tags", "replaces",
];

/// A lesson that is not checked yet. Empty texts stand for what is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What kind of thing was learnt.
    pub event_type: EventType,
    /// What the task was, at most 4000 characters.
    pub context: String,
    /// What was run or done; may be empty.
    pub command: String,
    /// What to do, or not to do, at most 4000 characters.
    pub lesson: String,
    /// Successes of attempts, where they were counted.
    pub success_rate: Option<Rate>,
    /// `None`: they are derived from the texts.
    pub tags: Option<Vec<String>>,
    /// A safe name, as [`super::repo_name`] makes one.
    pub repo: String,
    /// Who learnt it, at most 100 characters.
    pub agent_id: String,
    /// Id of the record that this one corrects.
    pub replaces: Option<String>,
}

/// What a record that was handed in says. Its id is left out: every record gets one of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftParts {
    pub timestamp: Option<Timestamp>,
    pub agent_id: Option<String>,
    pub repo: Option<String>,
    pub event_type: Option<EventType>,
    pub context: String,
    pub command: String,
    pub lesson: String,
    pub success_rate: Option<Rate>,
    pub tags: Option<Vec<String>>,
    pub replaces: Option<String>,
}

impl DraftParts {
    /// What it does not say comes from the arguments.
    pub fn into_draft(self, event_type: EventType, repo: String, agent_id: String) -> Draft {
        Draft {
            event_type: self.event_type.unwrap_or(event_type),
            context: self.context,
            command: self.command,
            lesson: self.lesson,
            success_rate: self.success_rate,
            tags: self.tags,
            repo: self.repo.unwrap_or(repo),
            agent_id: self.agent_id.unwrap_or(agent_id),
            replaces: self.replaces,
        }
    }
}

impl Draft {
    /// Reads a record as a JSON object with the keys of a record, of which only `lesson` is needed;
    /// `null` and blank text count as missing.
    ///
    /// # Errors
    /// When it is none, a value is of the wrong form, or a key is unknown: then with the nearest
    /// one that is known.
    pub fn from_json(text: &str) -> Result<DraftParts, MemoryError> {
        let (bytes, max) = (text.len(), MAX_INPUT_BYTES);
        if bytes > max {
            return Err(MemoryError::TooLarge { what: "a record", bytes, max });
        }
        let text = text.trim_start_matches('\u{feff}');
        let value = serde_json::from_str(text).map_err(|error| not_json(&error.to_string()))?;
        let Value::Object(mut object) = value else { return Err(not_json("it is no object")) };
        // As `recall --json` and the tools call it.
        if let Some(kind) = object.remove("type") {
            object.entry("event_type").or_insert(kind);
        }
        if let Some(key) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let key: String = key.chars().take(100).collect();
            return Err(MemoryError::UnknownKey { nearest: nearest_key(&key), key });
        }
        let text = |key| text_of(key, object.get(key));
        text("id")?;
        let parts = DraftParts {
            timestamp: parsed("timestamp", text("timestamp")?, |text| {
                times::parse(text).ok_or("is no time like `2026-11-21T22:00:00Z`")
            })?,
            agent_id: text("agent_id")?,
            repo: text("repo")?,
            event_type: parsed("event_type", text("event_type")?, str::parse::<EventType>)?,
            context: text("context")?.unwrap_or_default(),
            command: text("command")?.unwrap_or_default(),
            lesson: text("lesson")?.ok_or_else(|| field("lesson", "is missing"))?,
            success_rate: parsed("success_rate", text("success_rate")?, str::parse::<Rate>)?,
            tags: tags_of(object.get("tags"))?,
            replaces: text("replaces")?,
        };
        Ok(parts)
    }

    /// The record to be written: checked, tidied, with a new id of this time.
    ///
    /// # Errors
    /// When a text is missing or too long, or what shall be a name or an id is none.
    pub fn finish(self, now: Timestamp) -> Result<Memory, MemoryError> {
        let lesson = tidy("lesson", &self.lesson, MAX_TEXT_CHARACTERS)?;
        if lesson.is_empty() {
            return Err(field("lesson", "is missing"));
        }
        let context = tidy("context", &self.context, MAX_TEXT_CHARACTERS)?;
        let command = tidy("command", &self.command, MAX_TEXT_CHARACTERS)?;
        if context.is_empty() && command.is_empty() {
            return Err(field("context", "is missing, and there is no command either"));
        }
        if !is_repo_name(&self.repo) {
            return Err(MemoryError::RepoName(self.repo.chars().take(100).collect()));
        }
        if self.replaces.as_ref().is_some_and(|id| !record::is_id(id)) {
            return Err(field("replaces", "is no id of a record"));
        }
        let tags = match self.tags {
            Some(tags) => tags::check(&tags).map_err(|reason| field("tags", &reason))?,
            None => derive_tags(&command, &context, &lesson),
        };
        Ok(Memory {
            id: new_id(now).to_string(),
            // As it is written.
            timestamp: Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now),
            agent_id: tidy("agent_id", &self.agent_id, MAX_AGENT_CHARACTERS)?,
            repo: self.repo,
            event_type: self.event_type,
            context,
            command,
            lesson,
            success_rate: self.success_rate,
            tags,
            replaces: self.replaces,
        })
    }
}

fn field(key: &'static str, reason: &str) -> MemoryError {
    MemoryError::Field { key, reason: reason.to_owned() }
}

fn not_json(reason: &str) -> MemoryError {
    MemoryError::NotJson(reason.chars().take(200).collect())
}

/// Control characters become blanks.
fn tidy(key: &'static str, text: &str, max: usize) -> Result<String, MemoryError> {
    let blank = |char: char| if char.is_control() { ' ' } else { char };
    let text: String = text.trim().chars().map(blank).collect();
    let text = text.trim();
    let characters = text.chars().count();
    if characters > max {
        return Err(field(key, &format!("has {characters} characters, over the cap of {max}")));
    }
    Ok(text.to_owned())
}

fn text_of(key: &'static str, value: Option<&Value>) -> Result<Option<String>, MemoryError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(field(key, "is no text")),
    }
}

fn tags_of(value: Option<&Value>) -> Result<Option<Vec<String>>, MemoryError> {
    let no_list = || field("tags", "is no list of texts");
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(tags)) => {
            let text = |tag: &Value| tag.as_str().map(str::to_owned).ok_or_else(no_list);
            tags.iter().map(text).collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(no_list()),
    }
}

fn parsed<T, E: ToString>(
    key: &'static str,
    text: Option<String>,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<Option<T>, MemoryError> {
    let parse = |text: String| parse(&text).map_err(|error| field(key, &error.to_string()));
    text.map(parse).transpose()
}

/// What was probably meant: a key that has this one in it, or the most alike.
fn nearest_key(key: &str) -> Option<&'static str> {
    /// Below this, keys have only letters in common.
    const LEAST_LIKENESS: f64 = 0.5;
    let key = key.to_lowercase();
    let holds = |known: &&str| key.len() >= 3 && (known.contains(&key) || key.contains(*known));
    if let Some(known) = KEYS.into_iter().skip(1).find(holds) {
        return Some(known);
    }
    let alike = |known: &'static str| (strsim::normalized_damerau_levenshtein(&key, known), known);
    let best = KEYS.into_iter().map(alike).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness >= LEAST_LIKENESS).map(|(_, known)| known)
}
