//! Entities and what is known of them, as Markdown: one page for each, one fact per line.
//!
//! Owns the form of a page (header, the lines of ours and their ids), what a name and a statement
//! are compared by, the name of the file, which lines a commit took away or brought back, which
//! lines count once retirements are read, and which pages are one entity since they were merged.
//! It is pure: it opens no file, asks no git and no clock, and refuses to know where a statement
//! comes from and how the journal keeps its records.
//!
//! Pages are merged by `merge=union`, which can only add. So nothing here depends on the order of
//! lines, a line is told by the hash of its bytes, and what is retired stays so wherever it turns
//! up again. A line without a comment of ours belongs to a person and is never altered.

mod changes;
mod entities;
mod front;
mod line;
mod merged;
mod name;
mod notes;
mod page;
mod retired;
mod rows;
mod searchable;
mod slug;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use changes::{Changes, changes, to_retire_again, without_moves};
pub use entities::{Entities, Entity, Fact, PlacedNote};
pub use front::Front;
pub use line::{Kind, Line, LineHash, NoLineHash};
pub use name::{TextDigest, identity, normalise};
pub use notes::Note;
pub use page::Page;
pub use retired::{Reason, Record, Restoration, Retired, Retirement};
pub use searchable::{counting_tags, searchable};
pub use slug::{folder, path, slug, slug_of};
pub use write::{NewLine, Origin, Spot, append, empty_page, insert, new_page, without};

/// Characters of a statement, title, alias or tag. What is longer is cut.
pub const MAX_TEXT_CHARS: usize = 500;
/// Bytes of a value in a comment, such as an address. What is longer is left out.
pub const MAX_VALUE_BYTES: usize = 2048;
/// Lines of a page that are looked at.
pub const MAX_LINES: usize = 100_000;
/// Bytes of a line that can be one of ours.
pub const MAX_LINE_BYTES: usize = 64 * 1024;
/// Characters of a note.
pub const MAX_NOTE_CHARS: usize = 2000;
/// Bytes of a slug.
pub const MAX_SLUG_BYTES: usize = 80;
