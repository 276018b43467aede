//! What a verb of liking is about.

use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// Most words of a topic.
const MAX_TOPIC_WORDS: usize = 8;

/// What ends a topic.
static TOPIC_ENDS: Words = list!(words "topic_ends");

/// The topics behind the verb: `X`, `X and Y`, `X, Y and Z`, as token ranges.
pub(super) fn topics(tokens: &[Token<'_>], lower: &[String], from: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = from;
    let mut at = from;
    let close = |start: usize, end: usize, found: &mut Vec<(usize, usize)>| {
        if end > start && end - start <= MAX_TOPIC_WORDS {
            found.push((start, end));
        }
    };
    while let (Some(token), Some(word)) = (tokens.get(at), lower.get(at)) {
        let name = token.text.starts_with(char::is_uppercase);
        let stops = TOPIC_ENDS.contains(word.as_str()) && !(word == "a" && at == start);
        if token.is_dash() || (stops && !name) {
            close(start, at, &mut found);
            return found;
        }
        if matches!(word.as_str(), "and" | "or" | "nor") && at > start {
            // A clause of its own begins: `and I hate Y`, `and then`.
            close(start, at, &mut found);
            start = at + 1;
        } else if !token.after.is_empty() {
            close(start, at + 1, &mut found);
            if token.after != ","
                || lower.get(at + 1).is_some_and(|next| words::is_pronoun(next) || next == "but")
            {
                return found;
            }
            start = at + 1;
            // `, and Z`
            if lower.get(start).is_some_and(|next| next == "and" || next == "or") {
                start += 1;
                at += 1;
            }
        }
        at += 1;
    }
    close(start, tokens.len(), &mut found);
    found
}
