//! Entries of lists and glossaries: `X: what it is`.

use super::subjects::Span;
use crate::extract::clause;
use crate::extract::token::Token;
use crate::extract::words;

/// What an entry of a list says begins as what says what something is: `X: a tool`, `X - Looks
/// at`, `X: X tools are`.
pub(super) fn tells(tokens: &[Token<'_>], span: &Span) -> bool {
    let at = clause::behind_bracket(tokens, span.to);
    let at = if tokens.get(at).is_some_and(Token::is_dash) { at + 1 } else { at };
    let (Some(first), Some(name)) = (tokens.get(at), tokens.get(span.from)) else { return false };
    let word = first.lower();
    matches!(word.as_str(), "a" | "an" | "the" | "one")
        || (name.is_capitalised()
            && ((word.ends_with('s') && words::is_finite(&word, false))
                || (word == name.lower() && tokens.len() > at + 4)))
}

/// `X: ...` or `X - ...`
pub(super) fn is_entry(tokens: &[Token<'_>], at: usize) -> bool {
    let at = clause::behind_bracket(tokens, at);
    let colon =
        tokens.get(at - 1).is_some_and(|last| last.after.trim_end_matches(['"', '”', ')']) == ":");
    let dash = tokens.get(at).is_some_and(Token::is_dash);
    (colon || dash) && tokens.len() >= at + 4
}
