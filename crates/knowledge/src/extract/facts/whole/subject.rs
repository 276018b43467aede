//! Subjects that need no other sentence, beside those that every statement of a page may have.

use super::verb::is_past;
use crate::extract::facts::{is_plural, own};
use crate::extract::token::Token;
use crate::extract::words;

/// A name as it is typed: `dir_store.md`, `--dry-run`, `__len__`, `policy=all`, and no formula.
pub(super) fn is_typed(text: &str) -> bool {
    const MOST_PARTS: usize = 3;
    let stem = text.strip_suffix("()").unwrap_or(text);
    stem.chars().any(|char| char.is_ascii_alphabetic())
        && stem.chars().all(|char| char.is_ascii_alphanumeric() || "_-./+=@:".contains(char))
        && text.matches('/').count() <= MOST_PARTS
        && !text.contains("://")
}

/// `Noting that there were`, `Realizing this`: what somebody does who is told of next.
pub(super) fn is_long_gerund(subject: &[Token<'_>], verb: &Token<'_>) -> bool {
    const MOST: usize = 3;
    let is_gerund = subject.first().is_some_and(|first| first.lower().ends_with("ing"));
    let tells = |token: &Token<'_>| matches!(token.text, "that" | "what") || !token.joins();
    is_gerund && (subject.iter().any(tells) || subject.len() > MOST && is_past(verb))
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
        (!words::is_starter(&word) || at == 0 && is_several(&word)) && !words::is_adverb(&word)
    });
    let joins = whole.iter().all(|token| token.joins() && token.before.is_empty());
    // `Realize that it is` commands.
    let commands = whole.len() > subject.len() && words::is_verb_base(&first);
    plain
        && joins
        && !commands
        && !own::is_vague(last)
        && (subject.len() > 1 || !first.ends_with("ing") && !first.ends_with("ed"))
        && (is_auxiliary || is_plural(last.text) && subject.len() > 1 && is_several(&first))
}

/// `Authorization applies`: a noun of which there are not several, alone before its verb.
pub(super) fn is_mass(clause: &[Token<'_>], verb: usize, begins: bool) -> bool {
    const LEAST: usize = 4;
    let [noun, does, ..] = clause else { return false };
    let (word, does) = (noun.lower(), does.lower());
    let is_plain = noun.joins()
        && noun.before.is_empty()
        && word.len() >= LEAST
        && word.chars().all(char::is_alphabetic)
        && !words::is_starter(&word)
        && !words::is_adverb(&word)
        && !own::is_vague(noun)
        && !word.ends_with("ing")
        && !is_plural(noun.text);
    let is_present = does.ends_with('s') && !words::is_noun_verb(&does) && does != "was";
    verb == 1 && is_plain && is_present && !(begins && words::is_verb_base(&word))
}

/// `There may be several records for a domain`: that something is, of which it is told what.
pub(super) fn is_there(clause: &[Token<'_>], verb: usize) -> bool {
    const LEAST: usize = 7;
    // `There are two more`: which, another sentence tells.
    let counts = clause.get(verb + 1).is_some_and(|it| own::COUNTS.contains(&it.text))
        && clause
            .get(verb + 2)
            .is_some_and(|it| matches!(it.text, "additional" | "more" | "other"));
    let begins = !counts
        && clause.first().is_some_and(|first| first.lower() == "there")
        && !clause.iter().any(|token| matches!(token.text, "it" | "they" | "them"));
    let said = clause.iter().skip(verb + 1).take_while(|it| !words::ends_phrase(&it.lower()));
    let said: Vec<&Token<'_>> = said.collect();
    let head = said.last().filter(|head| {
        said.iter().rev().skip(1).all(|it| it.joins()) && {
            !own::is_vague(head) && !words::is_starter(&head.lower()) && head.text != "lot"
        }
    });
    begins && verb == 1 && clause.len() >= LEAST && head.is_some()
}

/// `There is no refund`, where what stands before says when.
pub(super) fn is_none(clause: &[Token<'_>]) -> bool {
    matches!(clause, [there, is, no, _, ..]
        if there.lower() == "there" && matches!(is.text, "is" | "are" | "will") && no.text == "no")
}

/// `150 miles a day are included`: so much of something, behind which an auxiliary stands.
pub(super) fn is_amount(clause: &[Token<'_>], verb: usize) -> bool {
    const MOST: usize = 5;
    let Some((count, nouns)) = clause.get(..verb).and_then(<[_]>::split_first) else {
        return false;
    };
    let is_inner = |token: &Token<'_>| {
        let word = token.lower();
        matches!(word.as_str(), "a" | "an" | "new") || !words::is_starter(&word)
    };
    is_count(count)
        && count.joins()
        && (1..MOST).contains(&nouns.len())
        && nouns.iter().take(2).any(|noun| is_plural(noun.text))
        && nouns.iter().all(|it| it.joins() && it.before.is_empty() && is_inner(it))
        && words::is_auxiliary(&clause[verb].lower())
}

/// `150`
pub(super) fn is_count(token: &Token<'_>) -> bool {
    !token.text.is_empty() && token.text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_several(word: &str) -> bool {
    matches!(
        word,
        "many" | "most" | "new" | "multiple" | "several" | "some" | "two" | "three" | "all"
    )
}
