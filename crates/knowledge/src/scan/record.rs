//! What the journal holds of a scan: questions and summaries, as they are written down.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use elophanto_repo::{BlobId, NotePath};

/// `kind` of a question in the journal.
pub const QUESTION: &str = "question";
/// `kind` of a dismissal in the journal.
pub const DISMISSAL: &str = "dismissal";
/// `kind` of a summary in the journal.
pub const SUMMARY: &str = "summary";

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        elophanto_base::named! {
            $(#[$doc])*
            #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
            pub enum $name, as_str { $($(#[$variant_doc])* #[serde(rename = $word)] $variant = $word,)+ }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::named(text).ok_or_else(|| {
                    format!("expected one of {}", Self::ALL.map(Self::as_str).join(", "))
                })
            }
        }
    };
}

words! {
    /// What kind of gap a question is about.
    GapKind {
        /// Nobody has described the file.
        Unindexed = "unindexed",
        /// It was described, and has changed since.
        Stale = "stale",
        /// What a note covers has changed in later commits.
        Drifted = "drifted",
        /// A link leads nowhere.
        BrokenLink = "broken_link",
        /// Nothing links to a note.
        Orphan = "orphan",
        /// A learned note says nearly the same as a user's, and differs.
        Contradiction = "contradiction",
        /// A file cannot be read.
        Unreadable = "unreadable",
    }
}

words! {
    /// How far a question has come.
    QuestionState {
        Open = "open",
        /// Somebody is at it.
        Investigating = "investigating",
        Answered = "answered",
        /// A person does not want to know.
        Dismissed = "dismissed",
        /// It could not be answered; tried again when the file changes, or after a day.
        Failed = "failed",
    }
}

words! {
    /// How much depends on an answer.
    Priority {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
pub struct Evidence {
    /// Relative to the root; absolute outside of it.
    pub file_path: String,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Vec<u8>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_type: Option<String>,
    #[serde(default)]
    pub size: u64,
    /// Name of the content that the question is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_commit: Option<String>,
    /// The other side: the target of a link, the note that says otherwise, a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Where in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl Evidence {
    /// The path by its bytes.
    pub fn path(&self) -> NotePath {
        path_of(&self.file_path, self.path_bytes.as_deref())
    }
}

/// A question, in the form of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Always [`QUESTION`].
    pub kind: String,
    pub id: String,
    /// When this state was reached.
    pub at: Timestamp,
    pub gap: GapKind,
    pub question: String,
    pub hypothesis: String,
    pub evidence: Evidence,
    pub priority: Priority,
    /// 3: may be answered unasked. 2: an answer is a proposal. 1: a person decides.
    pub autonomy: u8,
    /// From 0 to 1: what an answer is worth.
    pub value: f32,
    /// Tokens that an answer takes, as estimated.
    pub cost: u64,
    pub state: QuestionState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

impl Question {
    /// The same question in another state.
    pub fn moved(&self, state: QuestionState, answer: Option<String>, at: Timestamp) -> Self {
        Self { state, answer, at: at.max(just_after(self.at)), ..self.clone() }
    }
}

/// A person does not want to know: holds whatever is found out about the question meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dismissal {
    /// Always [`DISMISSAL`].
    pub kind: String,
    /// The id of the question.
    pub id: String,
    pub at: Timestamp,
    /// [`QuestionState::Dismissed`]; [`QuestionState::Open`] once that was taken back.
    pub state: QuestionState,
    /// The content that the question was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// What was found out about a part of a large file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRecord {
    pub name: String,
    /// First and last line of the file.
    pub lines: (usize, usize),
    pub summary: String,
}

/// What was found out about a file, in the form of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Always [`SUMMARY`].
    pub kind: String,
    pub id: String,
    pub at: Timestamp,
    /// Hash of the path.
    pub doc_id: String,
    pub file_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Vec<u8>>,
    pub file_type: String,
    pub file_size: u64,
    /// Name of the content that was read.
    pub blob: String,
    pub indexed_at: Timestamp,
    pub summary: String,
    /// `provider/model`, or `extractive`.
    pub model: String,
    pub prompt_version: u32,
    #[serde(default)]
    pub truncated: bool,
    /// In bytes.
    pub original_size: u64,
    #[serde(default)]
    pub summary_failed: bool,
    /// `unsupported_type`, `unreadable`, `vanished`, or what the model's provider said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRecord>,
    /// A person took it back: it is as if the file had not been described.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}

impl Summary {
    /// The path by its bytes.
    pub fn path(&self) -> NotePath {
        path_of(&self.file_path, self.path_bytes.as_deref())
    }

    /// What is written down when it is taken back, later than what it takes the place of.
    pub fn taken_back(&self, now: Timestamp) -> Self {
        Self {
            at: now.max(just_after(self.at)),
            summary: String::new(),
            parts: Vec::new(),
            // For programs that do not know what it is to take one back.
            summary_failed: true,
            reason: Some("taken back".to_owned()),
            withdrawn: true,
            ..self.clone()
        }
    }
}

/// What of a summary tells whether a file is described: the rest is read when it is wanted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SummaryHead {
    pub file_path: String,
    #[serde(default)]
    pub path_bytes: Option<Vec<u8>>,
    pub blob: String,
    #[serde(default)]
    pub summary_failed: bool,
    #[serde(default)]
    pub withdrawn: bool,
}

impl SummaryHead {
    /// The path by its bytes.
    pub fn path(&self) -> NotePath {
        path_of(&self.file_path, self.path_bytes.as_deref())
    }
}

/// A record of this time takes the place of one of that, whatever the clock says.
pub fn just_after(at: Timestamp) -> Timestamp {
    at.checked_add(SignedDuration::from_millis(1)).unwrap_or(at)
}

/// A path as text, and its bytes if it is not UTF-8.
pub fn wire_path(path: &NotePath) -> (String, Option<Vec<u8>>) {
    let bytes = path.as_bytes();
    (path.to_text(), std::str::from_utf8(bytes).is_err().then(|| bytes.to_vec()))
}

fn path_of(text: &str, bytes: Option<&[u8]>) -> NotePath {
    bytes.map_or_else(|| NotePath::from(text), NotePath::new)
}

/// The id of a question: the same for the same gap, wherever it is found.
pub fn question_id(gap: GapKind, path: &NotePath, other: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.update(&[0]);
    hasher.update(other.as_bytes());
    format!("{}-{}", gap.as_str(), short(&hasher))
}

/// The id of what is known of a path: a hash of it.
pub fn doc_id(path: &NotePath) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// The id of a summary: one per path and content.
pub fn summary_id(path: &NotePath, blob: &BlobId) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.update(&[0]);
    hasher.update(blob.as_bytes());
    format!("summary-{}", short(&hasher))
}

fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..12].to_owned()
}

/// A path as part of a hypothesis: everything but letters and digits becomes `_`.
pub fn sanitised(path: &str) -> String {
    path.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_from_whole_paths() {
        let id = |path: &str| question_id(GapKind::Unindexed, &path.into(), "");
        assert_eq!(id("a/mod.rs"), id("a/mod.rs"));
        assert_ne!(id("a/mod.rs"), id("b/mod.rs"));
        assert_ne!(id("a"), question_id(GapKind::Stale, &"a".into(), ""));
        assert_ne!(id("a"), question_id(GapKind::Unindexed, &"a".into(), "x"));
        assert_eq!(sanitised("docs/A b-1.md"), "docs_A_b_1_md");
    }

    #[test]
    fn paths_keep_their_bytes() {
        let path = NotePath::new(b"a\xff.rs");
        let (text, bytes) = wire_path(&path);
        assert_eq!((text.as_str(), bytes.as_deref()), ("a\\xff.rs", Some(&b"a\xff.rs"[..])));
        assert_eq!(path_of(&text, bytes.as_deref()), path);
        assert_eq!(wire_path(&"a.rs".into()), ("a.rs".to_owned(), None));
    }

    #[test]
    fn words_read_back() {
        for gap in GapKind::ALL {
            assert_eq!(gap.as_str().parse(), Ok(gap));
            assert_eq!(serde_json::to_string(&gap).unwrap(), format!("{:?}", gap.as_str()));
        }
        assert!("lost".parse::<QuestionState>().is_err());
    }
}
