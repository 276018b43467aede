//! What is said of a file: its description in its own words, and what a language model is asked
//! and believed.
//!
//! Owns which sentences of a file carry the most, how they and its structure become a text of few
//! tokens that a plain question finds, and which answers of a model are summaries. It is pure and
//! always says the same of the same text. It refuses to know disks, the clock, who answers, and
//! where summaries are kept; tokens are counted by whoever asks.

mod accept;
mod candidates;
mod extract;
mod opening;
mod parts;
mod phrases;
mod place;
mod print;
mod prompt;
mod prose;
mod rank;
mod remarks;
mod shorten;
mod structure;
#[cfg(test)]
mod tests;
mod text;
mod words;

use elophanto_text::{
    outline::{FileKind, Outline},
    sentences::split,
};

pub use accept::{MAX_ANSWER_TOKENS, MIN_ANSWER_CHARACTERS, Refused, accept};
pub use extract::extract;
pub use parts::{MAX_PART_TOKENS, MAX_PARTS, MIN_ITEM_LINES, MIN_LINES, MIN_TOKENS};
pub use place::places;
pub use prompt::{MAX_CONTENT_BYTES, PROMPT_VERSION, prompt};
pub use shorten::{FIRST_LINES, LAST_LINES, MAX_LINES, Shortened, shorten};
pub use structure::{MAX_STRUCTURE_TOKENS, structure};

/// The sentences of a text in light markup.
pub fn prose(text: &str) -> Vec<String> {
    let paragraphs = prose::paragraphs(text, false);
    paragraphs.iter().flat_map(|paragraph| split(paragraph)).map(str::to_owned).collect()
}

/// Counts the tokens of a text as the model does that embeds summaries.
pub type CountTokens<'a> = dyn Fn(&str) -> usize + Sync + 'a;

/// Most tokens of a summary.
pub const MAX_TOKENS: usize = 500;

/// What stands in place of a summary that could not be made.
pub const FAILED: &str = "[Summary generation failed]";

/// What is said of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Sentences on one line, then one line per kind of thing that the file defines. At most
    /// [`MAX_TOKENS`] tokens; no control characters but line breaks.
    pub text: String,
    /// What is said of its large items if it is a large source file, in the order of the file.
    pub parts: Vec<Part>,
}

/// What is said of one item of a large source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Name of the function, or of the type that is told with its implementations.
    pub name: String,
    /// First and last line, 1-based. Between them may stand what does not belong to it.
    pub lines: (usize, usize),
    /// One line of at most [`MAX_PART_TOKENS`] tokens.
    pub text: String,
}

/// What is kept of a file whose summary failed: it stays findable by its structure.
pub fn failed(kind: FileKind, outline: &Outline, count_tokens: &CountTokens<'_>) -> String {
    let structure = structure(kind, outline, count_tokens);
    if structure.is_empty() { FAILED.to_owned() } else { format!("{FAILED}\n{structure}") }
}
