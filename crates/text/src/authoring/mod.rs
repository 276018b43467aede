//! Notes that tools write, and parts of notes that they read.
//!
//! Owns where such a note may lie (below `<write_root>/learned/`, never among what people, the
//! system or plugins wrote), what its file is called, its front matter, how a text from outside is
//! fitted into it, and who may overwrite it: whoever shows the hash of what is there. Also how a
//! heading of a note is found, and which paths are like one that does not exist.
//!
//! It is pure: contents and the time come in, contents go out. It refuses to know the disk, git and
//! terminals; pages of entities, which have a form and a room of their own; and secrets, which the
//! caller looks for before it writes.

mod compose;
mod error;
mod excerpt;
mod fit;
mod front;
mod kept;
mod kind;
mod likeness;
mod nearest;
mod place;
mod plan;
mod slug;
mod text;

#[cfg(test)]
mod tests;

pub use error::AuthoringError;
pub use excerpt::{Excerpt, NoPart, Part, excerpt};
pub use kind::{Kind, template};
pub use nearest::nearest;
pub use plan::{Draft, Existing, Planned, content_hash, plan};
pub use slug::slug;

/// Bytes of a note, front matter included, and of a draft.
pub const MAX_NOTE_BYTES: usize = 256 << 10;
/// Characters of a title; a longer one is cut between words.
pub const MAX_TITLE_CHARS: usize = 200;
/// Sections of a draft.
pub const MAX_SECTIONS: usize = 100;
/// Characters of a section's heading; a longer one is cut between words.
pub const MAX_HEADING_CHARS: usize = 200;
/// Tags of a note.
pub const MAX_TAGS: usize = 50;
/// Characters of a tag; a longer one is cut between words.
pub const MAX_TAG_CHARS: usize = 64;
/// Bytes of a file name that is made of a title, `.md` included.
pub const MAX_MADE_NAME_BYTES: usize = 80;
/// Bytes of a file or folder name in a path that is given.
pub const MAX_NAME_BYTES: usize = 200;
/// Bytes of a path that is given.
pub const MAX_PATH_BYTES: usize = 1024;
/// Names that are tried before a title is said to be taken.
pub const MAX_NAMES_TRIED: usize = 1000;
/// Paths that [`nearest`] looks at.
pub const MAX_PATHS: usize = 1_000_000;
