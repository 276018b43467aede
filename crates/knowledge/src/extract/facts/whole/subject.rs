//! Subjects that need no other sentence, beside those that every statement of a page may have.

use crate::extract::facts::{is_plural, own};
use crate::extract::shape;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// What something is to do: `important to`.
static WEIGHTS: Words = list!(words "weights");

/// `37signals`, `18F`
pub(super) fn is_shaped_number(token: &Token<'_>) -> bool {
    let letters: Vec<char> = token.text.chars().filter(|char| char.is_alphabetic()).collect();
    token.text.starts_with(|char: char| char.is_ascii_digit())
        && token.text.chars().all(char::is_alphanumeric)
        && (letters.len() > 2 || letters.iter().any(|char| char.is_uppercase()))
        && token.joins()
}

/// `data_by_year.csv`, which a sentence may begin with.
pub(super) fn is_file(token: &Token<'_>) -> bool {
    is_typed(token.text)
        && token.text.contains(['_', '.'])
        && token.text.chars().any(char::is_alphabetic)
}

/// A name as it is typed: `dir_store.md`, `x-amz-date`, and no call or formula.
pub(super) fn is_typed(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "_-./+".contains(char))
        && text.matches('/').count() < 2
}

/// `WORM on a bucket is`: what is called by an acronym.
pub(super) fn is_acronym_of_part(clause: &[Token<'_>], verb: usize) -> bool {
    let first = clause.first().filter(|first| first.before.is_empty() && verb > 0);
    first.is_some_and(|first| {
        shape::is_acronym(first.text) || is_shaped_number(first) || is_file(first)
    }) && clause[..verb].iter().all(|token| token.joins())
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

/// `"Projects" are`: a term that the sentence says what it means.
pub(super) fn is_quoted_term(clause: &[Token<'_>], verb: usize) -> bool {
    const MOST: usize = 4;
    let Some(term) = clause.get(..verb).filter(|term| (1..=MOST).contains(&term.len())) else {
        return false;
    };
    let means = matches!(clause[verb].lower().as_str(), "are" | "is" | "means");
    means
        && term[0].before.ends_with(['"', '“'])
        && term[verb - 1].after.starts_with(['"', '”'])
        && term[..verb - 1].iter().all(Token::joins)
}

/// `There are scheduled talks at every meeting`: that something is, and where or for whom.
pub(super) fn says_there_is(clause: &[Token<'_>], verb: usize) -> bool {
    const LEAST: usize = 8;
    let word = |at: usize| clause.get(at).map(Token::lower).unwrap_or_default();
    let places =
        |token: &Token<'_>| matches!(token.text, "at" | "between" | "for" | "in" | "on" | "when");
    word(0) == "there"
        && verb == 1
        && matches!(word(1).as_str(), "are" | "is")
        && clause.len() >= LEAST
        && clause.iter().any(places)
}

/// `It is important to`: the pronoun stands for what follows.
pub(super) fn weighs(clause: &[Token<'_>]) -> bool {
    const MOST: usize = 7;
    let word = |at: usize| clause.get(at).map(Token::lower).unwrap_or_default();
    let is_weight = |at: usize| {
        let is_for = word(at + 1) == "for" && (at + 3..at + 7).any(|at| word(at) == "to");
        WEIGHTS.contains(word(at).as_str())
            && (matches!(word(at + 1).as_str(), "to" | "that") || is_for)
    };
    let behind = (2..MOST).any(is_weight);
    word(0) == "it" && matches!(word(1).as_str(), "is" | "was") && behind
}

/// `Everyone in the company`
pub(super) fn is_everybody(first: &Token<'_>) -> bool {
    matches!(first.lower().as_str(), "anybody" | "anyone" | "everybody" | "everyone" | "everything")
}

fn is_count(word: &str) -> bool {
    matches!(
        word,
        "many" | "most" | "new" | "multiple" | "several" | "some" | "two" | "three" | "all"
    )
}
