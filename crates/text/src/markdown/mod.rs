//! Bytes of a note -> [`Document`]: front matter, headings, blocks and links, each with its place
//! in the text.
//!
//! Owns the dialect (CommonMark with tables, strikethrough, task lists and `[[wikilinks]]`), how
//! text is put on one line of it, the front matter keys, what of a note says nothing (comments,
//! tables of contents) and the caps on what a note may be. It is pure: it opens no file, knows no
//! path but what [`resolve_link`] is told, and never alters a note. Structure comes from a real
//! syntax tree, so a `##` inside a code fence is no heading.
//!
//! One odd line must not hide a note: what can't be understood becomes a [`Warning`] and the rest
//! is still read. Only text that would cost too much to read is refused, as [`Unparsable`].

mod by_end;
mod contents;
mod decode;
mod front_matter;
mod guard;
mod lines;
mod links;
mod status;
mod tags;
mod text;
mod tree;
mod written;

use std::ops::Range;

pub use by_end::ByEnd;
pub use contents::{blanked, unsaid};
pub(crate) use decode::from_1252;
pub use decode::{Decoded, Undecodable, decode};
pub use front_matter::{FrontMatter, Scope, UnknownScope};
pub use guard::{
    MAX_LINE_BYTES, MAX_LINES, MAX_MISSING_CELLS, MAX_PARSE_STEPS, MAX_TEXT_BYTES, Unparsable,
};
pub use lines::count_line_ends;
pub use links::{Destination, Notes, followed, percent_decode, resolve_link};
pub use status::is_superseded;
pub use text::{escape, is_shown, on_one_line, unescape, without_attributes};
pub(crate) use tree::{link_of, parsed_within_budget, words_of};
pub use written::{Written, anchor, written};

use elophanto_base::yaml;
use lines::LineTable;

/// What front matter may ask of its reader, in YAML and, as far as it applies, in TOML.
pub const FRONT_MATTER_BUDGET: yaml::Budget =
    yaml::Budget { max_bytes: 64 << 10, max_depth: 32, max_nodes: 10_000 };

/// A note, taken apart. Ranges are byte ranges in the text that was parsed; lines are 1-based
/// lines of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    pub front_matter: FrontMatter,
    /// Everything behind byte order mark and front matter, to the end of the text.
    pub body: Range<usize>,
    /// The line on which `body` starts.
    pub body_line: usize,
    /// The headings among `blocks`, one for each block of kind [`BlockKind::Heading`].
    pub headings: Vec<Heading>,
    /// Ascending and disjoint. Between them lies only whitespace.
    pub blocks: Vec<Block>,
    /// In the order of the text, wherever in the tree they are.
    pub links: Vec<Link>,
    /// HTML comments outside of code, ascending. One that never ends is none.
    pub comments: Vec<Range<usize>>,
    /// Tags in the text that the front matter does not have, without their `#`, each once whatever its case: of
    /// paragraphs and tables, outside of code, links and HTML.
    pub tags: Vec<String>,
    pub warnings: Vec<Warning>,
}

impl Document {
    /// The front matter's title, else the first top-level heading of level 1. `None` means that
    /// the file name has to serve.
    pub fn title(&self) -> Option<&str> {
        let first = || self.headings.iter().find(|heading| heading.level == 1);
        let title = self.front_matter.title.as_deref();
        title.or_else(|| first().map(|heading| heading.text.as_str())).filter(|t| !t.is_empty())
    }
}

/// A heading of the document itself: one inside a quote or a list titles no section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Without markup, on one line.
    pub text: String,
    /// Its lines; for the underlined form, the underline too.
    pub range: Range<usize>,
    pub line: usize,
}

/// A child of the document, as whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    pub range: Range<usize>,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// With its level, 1 to 6.
    Heading(u8),
    Paragraph,
    /// Fenced or indented.
    Code,
    List,
    Table,
    Quote,
    Html,
    /// Rules, and link reference definitions.
    Other,
}

/// A link as the note has it; [`resolve_link`] says where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Without heading; empty for a link into the note itself.
    pub target: String,
    pub kind: LinkKind,
    /// What follows `#`, unless the target is a URL.
    pub heading: Option<String>,
    pub line: usize,
    /// From its first bracket to its last, as far as the parser tells; else its first line.
    /// [`written()`] says where in it the target is.
    pub range: Range<usize>,
}

/// The syntax of a link, which decides how it resolves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[text](target)`, `![alt](target)` or by reference.
    Inline,
    /// `[[target]]`
    Wiki,
    /// `![[target]]`
    Embed,
}

/// Something in a note that was not understood or looks wrong; the note was read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub line: Option<usize>,
    pub message: String,
}

/// Parses the text of a note.
///
/// # Errors
/// Only if a cap is hit; broken front matter and conflict markers are warnings of the document.
pub fn parse(text: &str) -> Result<Document, Unparsable> {
    let lines = guard::lines_within_caps(text)?;
    let (front_matter, start, mut warnings) = front_matter::read(text, &lines);
    warnings.extend(conflict(text, &lines));
    let body = start..text.len();
    let body_line = 1 + count_line_ends(text.get(..start).unwrap_or_default());
    let tree::Tree { blocks, headings, links, comments, mut tags } =
        tree::read(text, &body, body_line, &lines)?;
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    tags.retain(|tag| !front_matter.tags.iter().any(|known| same(known, tag)));
    Ok(Document {
        front_matter,
        body,
        body_line,
        headings,
        blocks,
        links,
        comments,
        tags,
        warnings,
    })
}

/// What the front matter of a note says that is not understood; nothing of a text beyond the caps.
pub fn misread(text: &str) -> Vec<Warning> {
    guard::lines_within_caps(text)
        .map_or_else(|_| Vec::new(), |lines| front_matter::read(text, &lines).2)
}

/// One warning for all the markers that a merge left behind. `=======` alone underlines a heading,
/// so it takes an opening marker, or a closing one behind a separator.
fn conflict(text: &str, lines: &LineTable) -> Option<Warning> {
    let mut separated = false;
    let line = lines.iter().find_map(|(line, range)| {
        let content = text.get(range).unwrap_or_default();
        // Nearly no line gets past this byte.
        if !matches!(content.as_bytes().first(), Some(b'<' | b'=' | b'>')) {
            return None;
        }
        let content = content.trim_end();
        let is = |marker: &str| {
            content
                .strip_prefix(marker)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        separated |= content == "=======";
        (is("<<<<<<<") || (separated && is(">>>>>>>"))).then_some(line)
    })?;
    Some(Warning { line: Some(line), message: "conflict markers of a merge".to_owned() })
}

#[cfg(test)]
mod tests;
