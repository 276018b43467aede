//! Words that say what kind of thing a name is of, and that people leave out.

use crate::words::{Words, list};

/// What a person adds to say what a thing is.
pub static TAILS: [(Words, Tail); 4] = [
    (list!(phrases "kinds_sure"), Tail::Sure),
    (list!(phrases "kinds_narrow"), Tail::Narrow),
    (list!(phrases "kinds_ware"), Tail::Ware),
    (list!(phrases "kinds_broad"), Tail::Kind),
];

/// How much a generic word at the end takes to be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tail {
    /// Nothing.
    Sure,
    /// A name before it that is not a maker's.
    Narrow,
    /// A name of a model before it: `KEF LS50 Meta speakers`, not `Sony speakers`.
    Ware,
    /// A fact that says it is one.
    Kind,
}

/// What stands in front to say what a thing is.
pub const HEADS: &[&[&str]] =
    &[&["city", "of"], &["town", "of"], &["language"], &["programming", "language"]];
