//! What holds for whoever uses the thing, said as a command: `Do not request a token twice.`, `Use a cache to
//! reduce requests.` Owns which commands say something away from the steps around them.

use super::LENGTH;
use super::dangling::{Place, dangles};
use crate::extract::facts::pointer;
use crate::extract::shape;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// Verbs that lead through a text or a screen.
static IDLE: Words = list!(words "idle_commands");

/// Fewest words of a command.
const LEAST: usize = 8;

/// Whether a sentence forbids: `Do not`, `Never`.
pub(super) fn forbids(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let never = word(0) == "never" && words::is_verb_base(&word(1));
    (LEAST..=*LENGTH.end()).contains(&tokens.len())
        && (never
            || word(0) == "do" && word(1) == "not"
            || matches!(word(0).as_str(), "don't" | "don’t"))
        && tokens.last().is_some_and(|last| last.after.ends_with('.'))
        && tokens.iter().all(|token| token.after != ":")
}

/// Whether a sentence advises, behind what it depends on, and says what for, or names with what: `Use a
/// cache to reduce requests`, `Take the Blue line from Foo to Bar`.
pub(super) fn advises(tokens: &[Token<'_>], main: usize, item: bool, place: &Place<'_>) -> bool {
    let Some(clause) = tokens.get(main..) else { return false };
    let Some(first) = clause.first().filter(|first| first.joins()) else { return false };
    let verb = first.lower();
    let word = |at: usize| clause.get(at).map(Token::lower).unwrap_or_default();
    let commands = words::is_verb_base(verb.strip_prefix("re-").unwrap_or(&verb))
        && !IDLE.contains(verb.as_str())
        && !words::is_auxiliary(&word(1))
        && !words::is_finite(&word(1), false);
    // `to reduce`, and no `to you`.
    let is_purpose = |at: usize| word(at) == "to" && words::is_verb_base(&word(at + 1));
    let has = |word: &str| clause.iter().any(|token| token.text == word);
    let leads = has("from") && has("to") && named(clause) > 1;
    let tells = main > 0 || leads || (2..clause.len()).any(is_purpose);
    let last = clause.last().map_or("", |last| last.after);
    let ends = last.ends_with('.') || item && last.is_empty();
    commands
        && tells
        && ends
        && (LEAST..=*LENGTH.end()).contains(&tokens.len())
        && tokens.iter().all(|token| !token.after.contains([':', ';']))
        && (main..tokens.len()).all(|at| {
            let noun = pointer::unexplained(tokens, at);
            noun.is_none_or(|noun| place.explains(&noun))
        })
        && !(0..tokens.len()).any(|at| dangles(tokens, at, place))
}

/// How many names stand in a clause.
fn named(clause: &[Token<'_>]) -> usize {
    let mut at = 1;
    let mut count = 0;
    while at < clause.len() {
        let end = shape::run(clause, at);
        count += usize::from(end > at);
        at = end.max(at + 1);
    }
    count
}
