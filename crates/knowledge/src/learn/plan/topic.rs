//! What a user wants to know about.

use std::{collections::BTreeSet, fmt};

use elophanto_base::{
    lexical::Analyzer,
    one_line::{is_emoji, one_line},
};

/// What of a topic counts.
pub const MAX_TOPIC_CHARS: usize = 200;

/// A topic: one line of at most [`MAX_TOPIC_CHARS`] characters that holds a letter, a digit or an
/// emoji.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic(String);

/// Why a text is no topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TopicError {
    /// Nothing in it can be seen.
    #[error("the topic is empty")]
    Empty,
    /// Only punctuation.
    #[error("the topic has no words")]
    NoWords,
}

impl Topic {
    /// Line breaks become spaces, what cannot be seen is left out, what is too long is cut between
    /// words.
    ///
    /// # Errors
    /// When nothing is left to search for.
    pub fn new(text: &str) -> Result<Self, TopicError> {
        let line = one_line(text, MAX_TOPIC_CHARS);
        if line.is_empty() {
            return Err(TopicError::Empty);
        }
        if !line.chars().any(|char| char.is_alphanumeric() || is_emoji(char)) {
            return Err(TopicError::NoWords);
        }
        Ok(Self(line))
    }

    /// The topic as one line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The terms of a text that carry a topic: without stop words and question words, stemmed.
pub(super) fn content_terms(text: &str) -> BTreeSet<String> {
    let analyzer = Analyzer::new("english");
    let mut terms: BTreeSet<String> = analyzer.terms(text).into_iter().collect();
    terms.retain(|term| !analyzer.is_question_word(term));
    terms
}
