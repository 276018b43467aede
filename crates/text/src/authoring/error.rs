//! Why a note was not planned.

use std::path::PathBuf;

use super::{MAX_NAMES_TRIED, MAX_NOTE_BYTES, MAX_SECTIONS, MAX_TAGS};
use crate::markdown::Unparsable;

/// Why a note was not planned. Paths are relative to the root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthoringError {
    /// Nothing that can be seen is left of the title.
    #[error("the title is empty")]
    NoTitle,
    /// Nothing that can be seen is left of the heading of a section, counted from 1.
    #[error("the heading of section {number} is empty")]
    NoHeading { number: usize },
    #[error("{sections} sections, over the cap of {MAX_SECTIONS}")]
    TooManySections { sections: usize },
    #[error("{tags} tags, over the cap of {MAX_TAGS}")]
    TooManyTags { tags: usize },
    #[error("{bytes} bytes of text, over the cap of {MAX_NOTE_BYTES}")]
    TooLarge { bytes: usize },
    /// The folder that is written to is absolute or leads out of the root.
    #[error("`{}` is no folder below the root", path.display())]
    WriteRoot { path: PathBuf },
    /// `path` is as it was given, with what hides made visible, and cut.
    #[error("`{path}` is no path of a note: {reason}")]
    BadPath { path: String, reason: &'static str },
    #[error("`{path}` is not below `{}`", folder.display())]
    Outside { path: String, folder: PathBuf },
    #[error("`{path}` is among the pages of entities")]
    Entities { path: String },
    /// There is a note, and no hash was shown.
    #[error("`{}` is already there", path.display())]
    AlreadyThere { path: PathBuf },
    /// The hash that was shown is not that of what is there.
    #[error("`{}` is not what it was when it was read", path.display())]
    Changed { path: PathBuf },
    /// A hash was shown, and nothing is there.
    #[error("`{}` is not there any more", path.display())]
    Gone { path: PathBuf },
    #[error("`{}` is no file that can be a note", path.display())]
    NotAFile { path: PathBuf },
    #[error("`{}` and {MAX_NAMES_TRIED} names like it are taken", path.display())]
    NoFreeName { path: PathBuf },
    /// The text brings front matter that can't be merged. `line` is 1-based in the text.
    #[error("front matter in the text{}: {reason}", at(*line))]
    FrontMatter { line: Option<usize>, reason: String },
    /// What the note to be overwritten says of itself can't be read, and so not be kept.
    #[error("front matter of `{}`{}: {reason}", path.display(), at(*line))]
    OldFrontMatter { path: PathBuf, line: Option<usize>, reason: String },
    /// The text could not be read again once it was a note.
    #[error("the text cannot be a note: {0}")]
    Unparsable(#[from] Unparsable),
}

impl AuthoringError {
    /// What to do about it, where that is not plain from the message.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::AlreadyThere { .. } => Some(
                "read it first with `get`, then show the hash that it gives; or take another path",
            ),
            Self::Changed { .. } => Some("read it again with `get` and merge what is new there"),
            Self::Gone { .. } => Some("leave the hash out to write it anew"),
            Self::BadPath { .. } | Self::Outside { .. } => {
                Some("a path is like `learned/notes/name.md`; without one, the title makes it")
            }
            Self::Entities { .. } => Some("pages of entities have their own commands"),
            Self::FrontMatter { .. } => {
                Some("leave the block between the `---` lines out; title and tags are given apart")
            }
            Self::OldFrontMatter { .. } => Some("mend it by hand first"),
            Self::TooLarge { .. } | Self::TooManySections { .. } => Some("write several notes"),
            Self::NoFreeName { .. } => Some("take another title"),
            Self::NoTitle
            | Self::NoHeading { .. }
            | Self::TooManyTags { .. }
            | Self::WriteRoot { .. }
            | Self::NotAFile { .. }
            | Self::Unparsable(_) => None,
        }
    }
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}
