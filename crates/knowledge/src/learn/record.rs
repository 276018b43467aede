//! What the journal holds of learning: prompts, searches, what was made of them, facts and what
//! became of their lines, what the user likes and does.
//!
//! The forms are those of the reference design (knowledge system v2). What a line was and whether
//! it counts is `entity`'s; here is how that is written down.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::interest::{Engagement, EngagementKind, PreferenceKind, Valence};
use elophanto_models::llm::EXTRACTIVE;
use elophanto_text::{
    entity::{NewLine, Retirement},
    reading::Byline,
};

/// `kind` of a learn prompt in the journal.
pub const PROMPT: &str = "learn_prompt";
/// `kind` of a search in the journal.
pub const SEARCH: &str = "search";
/// `kind` of something that was read.
pub const SOURCE: &str = "source";
/// `kind` of what says that a search or a message has been processed.
pub const EXTRACTION: &str = "extraction";
/// `kind` of a message in the journal.
pub const MESSAGE: &str = "message";
/// `kind` of a fact that was written to a page.
pub const FACT: &str = "fact";
/// `kind` of a line that no longer counts.
pub const RETIRED: &str = "retired";
/// `kind` of what takes retirements back.
pub const RESTORED: &str = "restored";
/// `kind` of a merge of two entities.
pub const MERGE: &str = "merge";
/// `kind` of what the user did.
pub const ENGAGEMENT: &str = "engagement";
/// `kind` of what the user likes or dislikes.
pub const PREFERENCE: &str = "preference";
/// `kind` of a message about facts that were discovered.
pub const NOTIFICATION: &str = "notification";
/// `kind` of an answer made of facts and notes.
pub const ANSWER: &str = "answer";

elophanto_base::named! {
    /// Who or what asked for a search: it decides what may come of it.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Trigger, as_str {
        /// The user searched, said something, or scheduled it.
        UserMessage = "user_message",
        /// The user asked to learn about something.
        LearnCommand = "learn_command",
        /// The program's own: neither entities nor engagements come of it. So is whatever is unknown.
        Enrichment = "enrichment",
    }
}

impl Trigger {
    /// What a word means: what nobody knows may do the least.
    pub fn of(word: &str) -> Self {
        Self::named(word).unwrap_or(Self::Enrichment)
    }

    /// Whether entities may be created, and what the user does be counted.
    pub fn is_users(self) -> bool {
        self != Self::Enrichment
    }
}

/// How far a learn prompt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Active,
    Completed,
}

/// What the user asked to learn about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// Always [`PROMPT`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// The clone that it was asked in.
    pub user: String,
    pub prompt_text: String,
    pub status: Status,
    pub searches_remaining: usize,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A search, and that its response is kept on the machine that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Always [`SEARCH`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// The clone that searched.
    #[serde(default)]
    pub user: String,
    pub timestamp: Timestamp,
    pub query: String,
    /// Where the findings came from.
    #[serde(default)]
    pub urls: Vec<String>,
    /// Names the response; `None` while the search waits to be made, and where there is nothing to
    /// extract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_hash: Option<String>,
    /// Whether it waits to be made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queued: bool,
    #[serde(default)]
    pub duration_ms: u64,
    /// As written by [`Trigger::as_str`].
    pub trigger: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_prompt_id: Option<String>,
    /// The entity that it is to enrich.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
}

impl Search {
    pub fn trigger(&self) -> Trigger {
        Trigger::of(&self.trigger)
    }
}

/// Something that a search brought and facts were found in: what it is called, and which text it was
/// then. The text itself is kept as long as the user wants ([`super::kept`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// Always [`SOURCE`].
    pub kind: String,
    /// Of the search and the address.
    pub id: String,
    pub at: Timestamp,
    /// The search that brought it.
    pub search: String,
    /// Its address, or its path.
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(flatten)]
    pub byline: Byline,
    /// BLAKE3 of the text, in hex.
    pub text_hash: String,
    pub characters: usize,
}

impl SourceRecord {
    /// What is known of the source of this address that a search brought.
    pub fn id_of(search: &str, url: &str) -> String {
        blake3::hash(format!("{search}\0{url}").as_bytes()).to_hex()[..24].to_owned()
    }
}

/// That a search or a message has been processed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// Always [`EXTRACTION`].
    pub kind: String,
    /// The id of the search or message.
    pub id: String,
    pub at: Timestamp,
    /// `provider/model`, or `extractive`.
    pub model: String,
    pub entities_created: usize,
    pub facts_added: usize,
}

impl Extraction {
    /// That nothing is to come of it.
    pub fn of_nothing(id: &str, at: Timestamp) -> Self {
        Self {
            kind: EXTRACTION.to_owned(),
            id: id.to_owned(),
            at,
            model: EXTRACTIVE.to_owned(),
            entities_created: 0,
            facts_added: 0,
        }
    }
}

/// Something the user said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Always [`MESSAGE`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    pub user: String,
    pub text: String,
}

/// That a fact was written: once it is gone from its page it stays gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Always [`FACT`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// Slug of its entity.
    pub entity: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_search_log_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_message_id: Option<String>,
}

/// That a line of a page no longer counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetiredLine {
    /// Always [`RETIRED`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// The line as it stood on its page, to put it back; not of what holds a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    #[serde(flatten)]
    pub line: Retirement,
}

impl RetiredLine {
    /// The retirement with the id of its record.
    pub fn retirement(&self) -> Retirement {
        Retirement { id: self.id.clone(), ..self.line.clone() }
    }

    /// The line, to put it back; `None` where it was not kept.
    pub fn again(&self) -> Option<NewLine> {
        self.raw.as_deref().and_then(NewLine::again)
    }

    /// What it said, as far as that was kept.
    pub fn says(&self) -> Option<String> {
        self.again().map(|line| line.text().to_owned()).or_else(|| self.line.text.clone())
    }
}

/// That lines count again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestoredLines {
    /// Always [`RESTORED`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// Ids of the retirements that no longer hold.
    pub retirements: Vec<String>,
}

/// That one entity was merged into another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Always [`MERGE`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// Slug of the entity that was merged, and its name.
    pub from: String,
    pub from_name: String,
    pub into: String,
    pub into_name: String,
    /// Why they are the same.
    pub reason: String,
    /// Whether it was taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

/// Something the user did that shows what they care about. Stays on the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngagementRecord {
    /// Always [`ENGAGEMENT`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// The clone that it was done in.
    pub user: String,
    /// Slug of what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference_id: Option<String>,
    pub engagement_type: EngagementKind,
    pub valence: Valence,
    pub strength: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_message_id: Option<String>,
    pub created_at: Timestamp,
}

impl EngagementRecord {
    /// One of full strength. The same act has the same id, however often it is told.
    pub fn new(
        user: &str,
        entity: &str,
        kind: EngagementKind,
        valence: Valence,
        source: &str,
        at: Timestamp,
    ) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [user, entity, kind.word(), source] {
            hasher.update(part.as_bytes()).update(&[0]);
        }
        Self {
            kind: ENGAGEMENT.to_owned(),
            id: hasher.finalize().to_hex()[..24].to_owned(),
            at,
            user: user.to_owned(),
            entity_id: Some(entity.to_owned()),
            preference_id: None,
            engagement_type: kind,
            valence,
            strength: kind.strength(),
            source_message_id: None,
            created_at: at,
        }
    }

    /// As scores take it.
    pub fn engagement(&self) -> Engagement {
        Engagement {
            user: self.user.clone(),
            entity: self.entity_id.clone(),
            preference: self.preference_id.clone(),
            kind: self.engagement_type,
            valence: self.valence,
            strength: self.strength,
            at: self.created_at,
        }
    }
}

/// What the user likes or dislikes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreferenceRecord {
    /// Always [`PREFERENCE`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    pub user: String,
    pub topic: String,
    #[serde(rename = "type")]
    pub preference_type: PreferenceKind,
    /// Slug of the entity that was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<String>,
    pub created_at: Timestamp,
    /// Whether it was taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retracted: bool,
}

/// A message about what was discovered, as it was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotificationRecord {
    /// Always [`NOTIFICATION`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    pub user: String,
    /// Slug of what it is about.
    pub entity_id: String,
    pub headline: String,
    pub facts: usize,
}

/// An answer made of facts and notes, to react to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// Always [`ANSWER`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    pub user: String,
    pub question: String,
    /// Slugs of the entities it is made of.
    pub entities: Vec<String>,
}
