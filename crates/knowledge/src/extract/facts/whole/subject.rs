//! Subjects that need no other sentence, beside those that every statement of a page may have.

use crate::extract::facts::{is_plural, own};
use crate::extract::token::Token;
use crate::extract::words;

/// A name as it is typed: `dir_store.md`, `x-amz-date`, and no call or formula.
pub(super) fn is_typed(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "_-./+".contains(char))
        && text.matches('/').count() < 2
}

/// `Noting that there were`
pub(super) fn is_long_gerund(subject: &[Token<'_>]) -> bool {
    const MOST: usize = 3;
    let is_gerund = subject.first().is_some_and(|first| first.lower().ends_with("ing"));
    is_gerund
        && (subject.len() > MOST
            || subject.iter().any(|token| matches!(token.text, "that" | "what")))
}

/// `Open enrollment is`, which commands nothing, and `objects cannot`, behind what leads in.
pub(super) fn is_noun(clause: &[Token<'_>], verb: usize) -> bool {
    const MOST: usize = 4;
    let Some(whole) = clause.get(..verb) else { return false };
    // `Members of the board`, `maintainers who do`.
    let is_inner = |token: &&Token<'_>| !words::ends_phrase(&token.lower());
    let subject: Vec<&Token<'_>> = whole.iter().take_while(is_inner).collect();
    let Some(last) = subject.last().filter(|_| subject.len() <= MOST) else { return false };
    let first = subject[0].lower();
    let is_auxiliary = clause.get(verb).is_some_and(|verb| words::is_auxiliary(&verb.lower()));
    let plain = subject.iter().enumerate().all(|(at, token)| {
        let word = token.lower();
        (!words::is_starter(&word) || at == 0 && is_count(&word)) && !words::is_adverb(&word)
    });
    let joins = whole.iter().all(|token| token.joins() && token.before.is_empty());
    // `Realize that it is` commands.
    let commands = whole.len() > subject.len() && words::is_verb_base(&first);
    plain
        && joins
        && !commands
        && !own::is_vague(last)
        && (subject.len() > 1 || !first.ends_with("ing") && !first.ends_with("ed"))
        && (is_auxiliary || is_plural(last.text) && subject.len() > 1 && is_count(&first))
}

fn is_count(word: &str) -> bool {
    matches!(
        word,
        "many" | "most" | "new" | "multiple" | "several" | "some" | "two" | "three" | "all"
    )
}
