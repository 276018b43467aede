//! `get` and `write_note`, and what changed in the notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DriftWire, Named};
use elophanto_app::notes::Origin;
use elophanto_text::{authoring::Kind, changelog};

/// What `get` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetArguments {
    /// a/b.md, a/b.md:12 or a URI
    #[schemars(length(min = 1, max = 1024), extend("format" = "place", "aliases" = ["uri"]))]
    pub path: String,
    /// only its section
    #[schemars(length(min = 1, max = 500))]
    pub heading: Option<String>,
    /// such as 10-40
    #[schemars(length(max = 19), regex(pattern = r"^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$"))]
    #[schemars(extend("format" = "lines"))]
    pub lines: Option<String>,
}

/// What `write_note` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct WriteNoteArguments {
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// Markdown, without front matter
    #[schemars(length(min = 1, max = 262_144), extend("aliases" = ["content"]))]
    pub text: String,
    /// below the learned folder; this or `kind` is needed
    #[schemars(length(min = 1, max = 1024), extend("format" = "path"))]
    pub path: Option<String>,
    /// chooses folder and name
    pub kind: Option<Named<Kind>>,
    #[schemars(length(max = 50), inner(length(min = 1, max = 40)))]
    pub tags: Option<Vec<String>>,
    /// of the note that is overwritten, from `get`
    #[schemars(length(min = 1, max = 64))]
    pub hash: Option<String>,
}

/// A part of a note, or of what is said of a file.
#[derive(Serialize, JsonSchema)]
pub struct PartWire<'a> {
    pub path: &'a str,
    #[schemars(extend("detail" = 2))]
    pub title: &'a str,
    /// first and last line
    pub lines: [usize; 2],
    pub text: &'a str,
    /// what `write_note` wants to overwrite the note
    #[schemars(extend("detail" = 3))]
    pub hash: &'a str,
    /// more lines follow
    pub truncated: bool,
    /// only if what it covers changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drifted: Option<DriftWire<'a>>,
    /// who wrote the lines last
    #[schemars(extend("detail" = 1))]
    pub origin: &'a Origin,
}

/// A note that was written.
#[derive(Serialize, JsonSchema)]
pub struct WrittenWire {
    pub path: String,
    /// what `write_note` wants to overwrite it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 1))]
    pub hash: Option<String>,
}

/// An entry of the changelog. What a person wrote may lack everything but its text.
#[derive(Serialize, JsonSchema)]
pub struct ChangeWire<'a> {
    date: Option<String>,
    title: Option<&'a str>,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    reason: Option<&'a str>,
    details: &'a [String],
    tests: Option<&'a str>,
    dependencies: Option<&'a str>,
    text: &'a str,
}

impl<'a> ChangeWire<'a> {
    pub fn of(text: &'a str, entry: Option<&'a changelog::Entry>) -> Self {
        let of = |field: fn(&changelog::Entry) -> Option<&String>| {
            entry.and_then(field).map(String::as_str)
        };
        Self {
            date: entry.map(|entry| entry.date.to_string()),
            title: of(|entry| Some(&entry.title)),
            kind: of(|entry| entry.kind.as_ref()),
            reason: of(|entry| entry.reason.as_ref()),
            details: entry.map_or(&[][..], |entry| &entry.details),
            tests: of(|entry| entry.tests.as_ref()),
            dependencies: of(|entry| entry.dependencies.as_ref()),
            text,
        }
    }
}
