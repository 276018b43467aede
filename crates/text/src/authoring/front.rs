//! Front matter taken off a text, as far as a note that is written anew keeps it.

use jiff::Timestamp;

use super::kept::{Kept, toml_entries, yaml_entries};
use crate::markdown::{self, Scope};

/// What a block says that may be kept.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub created: Option<Timestamp>,
    pub tags: Vec<String>,
    pub scope: Option<Scope>,
    /// All keys that are not written anew.
    pub kept: Vec<Kept>,
    /// The first thing in it that the reader of notes ignores.
    pub ignored: Option<Damage>,
}

/// Why a block can't be read. The line is 1-based in the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Damage {
    pub line: Option<usize>,
    pub reason: String,
}

/// Keys that are written anew.
const OURS: [&str; 5] = ["title", "created", "updated", "tags", "scope"];

/// The front matter of a text and what is behind it. The text has line feeds alone.
pub(super) fn take(text: &str) -> Result<(Front, &str), Damage> {
    let Some(block) = locate(text)? else { return Ok((Front::default(), text)) };
    let head = text.get(..block.end).unwrap_or_default();
    let document =
        markdown::parse(head).map_err(|error| Damage { line: None, reason: error.to_string() })?;
    // The reader takes a text between two rules for what it is.
    if document.body.start != block.end {
        return Ok((Front::default(), text));
    }
    let entries = if block.is_toml { toml_entries(block.inner) } else { yaml_entries(block.inner) };
    let mut kept = entries?;
    kept.retain(|entry| !OURS.contains(&entry.key.as_str()));
    let front = document.front_matter;
    let ignored = document.warnings.into_iter().next();
    let front = Front {
        created: front.created,
        tags: front.tags,
        scope: front.scope,
        kept,
        ignored: ignored.map(|found| Damage { line: found.line, reason: found.message }),
    };
    Ok((front, text.get(block.end..).unwrap_or_default()))
}

struct Block<'a> {
    is_toml: bool,
    /// Between the lines of the delimiters.
    inner: &'a str,
    /// Where the text behind the block begins.
    end: usize,
}

/// The block that the reader of notes would see.
fn locate(text: &str) -> Result<Option<Block<'_>>, Damage> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let is_toml = match first.trim_end() {
        "---" => false,
        "+++" => true,
        _ => return Ok(None),
    };
    let start = first.len();
    let mut at = start;
    for line in lines {
        let closes = match line.trim_end() {
            "---" | "..." => !is_toml,
            "+++" => is_toml,
            _ => false,
        };
        if closes {
            let inner = text.get(start..at).unwrap_or_default();
            return Ok(Some(Block { is_toml, inner, end: at + line.len() }));
        }
        at += line.len();
    }
    let next = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if next.contains([':', '=']) {
        return Err(Damage { line: Some(1), reason: "it is not closed".to_owned() });
    }
    Ok(None)
}
