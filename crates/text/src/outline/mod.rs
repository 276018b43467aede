//! What a file is made of: its kind, its purpose in its own words, its types, functions, headings
//! and keys, and what it refers to.
//!
//! Pure: from a path and a text to an [`Outline`]. It refuses to know disks, models and questions.

use std::ops::Range;

mod data;
mod draft;
pub mod fence;
mod head;
mod kind;
mod lines;
mod markdown;
mod prose;
mod schema;
mod syntax;
#[cfg(test)]
mod tests;

pub use kind::{Family, FileKind, ItemKind};

use draft::Draft;

/// How the line of a description begins that lists words by which it is found: it is for no reader.
pub const WORDS: &str = "Words: ";

/// A file's structure. Everything in it is text of the file, capped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// What the file says of itself: Rust `//!` lines, a Python module docstring, the first comment
    /// at its head (never a licence or a shebang), a Markdown title and first paragraph, systemd
    /// `Description=`, title and description of a JSON Schema or OpenAPI. At most 4,000 bytes.
    pub purpose: String,
    /// In the order of the file. At most 2,000.
    pub items: Vec<Item>,
    /// Modules, packages and files that it imports, as written, without quotes (`crate::http::retry`,
    /// `super::x`, `.models`, `./api`, `net/http`, `local.h`, `a.b.C`, programs and environment
    /// files of units). A Rust group is told apart, a glob stands for its module, and `super` in an
    /// inline module counts from the file. At most 1,000 of at most 500 bytes, no repeats.
    pub imports: Vec<String>,
    /// The parser met text it could not make sense of, or a cap; what it did understand is there.
    pub has_errors: bool,
}

/// One thing that a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// At most 200 bytes. An implementation of a Rust trait is named `Trait for Type`.
    pub name: String,
    /// Number of the item it belongs to (a method's type or impl, a column's table, a heading's
    /// parent). It comes earlier, but for a Go method above its type.
    pub parent: Option<usize>,
    /// Its head as written up to the body, whitespace collapsed, at most 300 bytes:
    /// `pub async fn retry(policy: &Policy) -> Result<()>`.
    pub signature: String,
    /// Its documentation without comment marks, at most 2,000 bytes. The first paragraph of a
    /// heading's section.
    pub doc: String,
    /// First and last line, 1-based, documentation and attributes not included. A heading's are
    /// those of its section.
    pub lines: (usize, usize),
    /// Bytes of the text, matching `lines`.
    pub range: Range<usize>,
    /// Part of what the file offers to others (Rust `pub`, Python without leading `_`, JS/TS
    /// `export`, a capital in Go, not `static` in C). True where a language has no such thing.
    pub public: bool,
    /// A test or in a test module.
    pub test: bool,
}

/// What an outline may cost. Every cap is inclusive.
mod caps {
    /// Bytes of a text that are looked at; a longer one is not parsed as a program.
    pub(super) const TEXT: usize = 4 * 1024 * 1024;
    /// Bytes of a line; a program with a longer one was made by a program.
    pub(super) const LINE: usize = 100 * 1024;
    /// Open brackets.
    pub(super) const DEPTH: usize = 500;
    pub(super) const ITEMS: usize = 2_000;
    pub(super) const IMPORTS: usize = 1_000;
    pub(super) const IMPORT: usize = 500;
    pub(super) const NAME: usize = 200;
    pub(super) const SIGNATURE: usize = 300;
    pub(super) const DOC: usize = 2_000;
    pub(super) const PURPOSE: usize = 4_000;
}

/// The structure of a text of this kind. Never fails: a text that is not what it says it is gives
/// fewer items and `has_errors`.
pub fn outline(kind: FileKind, text: &str) -> Outline {
    let mut draft = Draft::new(text);
    match kind {
        FileKind::Markdown => markdown::read(&mut draft, markdown::Flavour::Markdown),
        FileKind::Text => markdown::read(&mut draft, markdown::Flavour::Plain),
        FileKind::Yaml => data::yaml::read(&mut draft),
        FileKind::Json => data::json::read(&mut draft),
        FileKind::Toml => data::toml::read(&mut draft),
        FileKind::Service | FileKind::Timer => data::unit::read(&mut draft),
        FileKind::Sql => schema::sql::read(&mut draft),
        FileKind::GraphQl => schema::graphql::read(&mut draft),
        FileKind::Protobuf => schema::protobuf::read(&mut draft),
        FileKind::Rust
        | FileKind::Python
        | FileKind::JavaScript
        | FileKind::TypeScript
        | FileKind::Tsx
        | FileKind::Go
        | FileKind::C
        | FileKind::Java
        | FileKind::Shell => syntax::read(&mut draft, kind),
        _ => lines::read(&mut draft, kind),
    }
    draft.finish()
}
