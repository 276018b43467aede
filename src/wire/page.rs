//! The twins of pages for programs.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CommitWire, ConfidenceWire, DriftWire, HitWire, fleet::HeadWire};
use elophanto_app::{
    reading::{Entry, Linked},
    when::time,
};

/// A note in a list.
#[derive(Serialize, JsonSchema)]
pub struct NoteLineWire<'a> {
    path: &'a str,
    title: &'a str,
    kind: &'static str,
    changed: Option<String>,
}

impl<'a> From<&'a Entry> for NoteLineWire<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            path: &entry.name,
            title: &entry.title,
            kind: entry.kind.name(),
            changed: entry.changed.and_then(time),
        }
    }
}

/// What a search found.
#[derive(Default, Serialize, JsonSchema)]
pub struct SearchWire<'a> {
    pub query: &'a str,
    pub confidence: Option<ConfidenceWire>,
    /// The same in words.
    pub said: &'a str,
    pub page: usize,
    /// Whether there is another page.
    pub more: bool,
    pub files: Vec<FoundFileWire<'a>>,
    /// What the other repositories say, where all are asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<ElsewhereWire<'a>>,
}

/// What a fleet says, or which repositories it is of where nothing was asked.
#[derive(Serialize, JsonSchema)]
pub struct FleetWire<'a> {
    pub fleet: &'a str,
    pub query: &'a str,
    /// What else there is to say: what could not be asked, and that what answers may be old.
    pub said: &'a [String],
    pub hits: Vec<HitWire<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<HeadWire<'a>>,
}

/// What another repository says.
#[derive(Serialize, JsonSchema)]
pub struct ElsewhereWire<'a> {
    pub repository: &'a str,
    /// Why it could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    pub files: Vec<FoundFileWire<'a>>,
}

/// A file with its best places.
#[derive(Serialize, JsonSchema)]
pub struct FoundFileWire<'a> {
    pub path: String,
    pub title: &'a str,
    pub kind: &'static str,
    pub places: Vec<PlaceWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
pub struct PlaceWire<'a> {
    #[serde(flatten)]
    pub hit: HitWire<'a>,
    /// Where the page opens it, with the sentence marked; none for what is no note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What opens it in the user's editor, if the settings name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor: Option<String>,
}

/// A note with all that is known of it.
#[derive(Default, Serialize, JsonSchema)]
pub struct NoteWire<'a> {
    pub path: &'a str,
    pub title: &'a str,
    pub kind: &'static str,
    pub scope: &'a str,
    pub tags: &'a [String],
    /// Names its content: what writing over it needs.
    pub hash: &'a str,
    pub state: &'a str,
    pub changed: Option<String>,
    /// The version that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    pub text: &'a str,
    pub outline: Vec<HeadingWire<'a>>,
    pub links: Vec<LinkWire<'a>>,
    pub backlinks: Vec<LinkWire<'a>>,
    pub alike: Vec<AlikeNoteWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drifted: Option<DriftWire<'a>>,
    pub commits: Vec<CommitWire<'a>>,
}

/// A heading of a note.
#[derive(Serialize, JsonSchema)]
pub struct HeadingWire<'a> {
    pub level: u8,
    pub text: &'a str,
    pub line: usize,
}

/// A note that is linked with another.
#[derive(Serialize, JsonSchema)]
pub struct LinkWire<'a> {
    path: &'a str,
    title: &'a str,
    line: usize,
}

impl<'a> From<&'a Linked> for LinkWire<'a> {
    fn from(Linked { path, title, line, .. }: &'a Linked) -> Self {
        Self { path, title, line: *line }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct AlikeNoteWire<'a> {
    pub path: String,
    pub title: &'a str,
    pub line: usize,
    pub score: f32,
    /// Whether one of both refers to the other.
    pub linked: bool,
}

/// What is near a note, or all groups.
#[derive(Serialize, JsonSchema)]
pub struct GraphWire<'a> {
    pub nodes: Vec<GraphNodeWire<'a>>,
    /// By the places of nodes.
    pub edges: Vec<(usize, usize)>,
    /// Nodes that are left out, or notes without a link.
    pub more: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct GraphNodeWire<'a> {
    pub path: &'a str,
    pub title: &'a str,
    /// Of a group: how many notes are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<usize>,
}
