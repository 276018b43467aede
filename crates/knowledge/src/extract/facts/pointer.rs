//! Nouns with an article that stand for what a page named before: `the piece`. Owns which they are.

use super::bare;
use crate::extract::name::is_month_or_day;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// Nouns that, behind `the` alone, stand for what another sentence names.
static POINTING: Words = list!(words "pointing_nouns");

/// Adjectives behind which such a noun still tells nobody which one it is.
static IDLE: Words = list!(words "idle_adjectives");

/// Whether a sentence has such a noun in it, and nothing before it that it may stand for. What begins a
/// sentence is its subject, which is told apart elsewhere; `is_own` are nouns that stand for the page's
/// thing.
pub(super) fn points_back(tokens: &[Token<'_>], is_own: impl Fn(&str) -> bool) -> bool {
    (1..tokens.len()).any(|at| {
        let noun = bare_noun(tokens, at).filter(|noun| is_pointing(&tokens[*noun]));
        noun.is_some_and(|noun| {
            !is_own(bare(tokens[noun].text)) && !is_told_before(tokens, at, noun)
        })
    })
}

/// Whether an adjective tells nobody which one a noun behind it is.
pub(super) fn is_idle(word: &str) -> bool {
    IDLE.contains(word)
}

/// Whether such a noun is the subject.
pub(super) fn begins(tokens: &[Token<'_>]) -> bool {
    bare_noun(tokens, 0).is_some_and(|noun| is_pointing(&tokens[noun]))
}

/// The noun behind the article at `at`, in lower case, if nothing tells which one it is.
pub(super) fn unexplained(tokens: &[Token<'_>], at: usize) -> Option<String> {
    bare_noun(tokens, at).map(|noun| tokens[noun].lower())
}

fn is_pointing(token: &Token<'_>) -> bool {
    POINTING.contains(bare(token.text))
}

/// Whether a sentence has the noun in it before its article: `a book, and the book is`.
fn is_told_before(tokens: &[Token<'_>], article: usize, noun: usize) -> bool {
    let word = tokens[noun].lower();
    let one = bare(&word);
    tokens[..article].iter().any(|token| {
        let other = token.lower();
        other == one || other.strip_suffix('s').is_some_and(|other| other == one)
    })
}

/// The noun behind the article at `at`, if nothing that follows tells which one it is.
fn bare_noun(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let article = tokens.get(at)?;
    if article.lower() != "the" || !article.joins() {
        return None;
    }
    let idle = tokens.get(at + 1).is_some_and(|next| IDLE.contains(next.text) && next.joins());
    let noun = at + 1 + usize::from(idle);
    let token = tokens.get(noun)?;
    let is_plain = token.before.is_empty() && token.text.starts_with(char::is_lowercase);
    // `named the property China Grove`: the name is none of its own.
    let is_given = token.text == "title"
        || at.checked_sub(1).is_some_and(|verb| GIVING.contains(&tokens[verb].text));
    let is_named = token.joins() && tokens.get(noun + 1).is_some_and(Token::is_capitalised);
    (is_plain && (is_given && is_named || !goes_on(tokens, noun))).then_some(noun)
}

/// Verbs that give a name to what follows them.
const GIVING: &[&str] = &["called", "christened", "dubbed", "named", "renamed", "titled"];

/// Behind a noun, what tells which one is meant.
static BINDING: Words = list!(words "noun_binders");

/// Whether what stands behind a noun belongs to it: more of a compound, or what tells which it is.
pub(super) fn goes_on(tokens: &[Token<'_>], noun: usize) -> bool {
    let Some(next) = tokens.get(noun + 1) else { return false };
    let token = &tokens[noun];
    let is_name = |token: &Token<'_>| token.is_capitalised() && !is_month_or_day(&token.lower());
    if token.after == "," || next.before.starts_with(['(', '"', '“']) {
        return is_name(next) || next.before.starts_with(['(', '"', '“']);
    }
    if !token.joins() {
        return false;
    }
    if bare(token.text) != token.text {
        return false;
    }
    let word = next.lower();
    let next_word = tokens.get(noun + 2).map(Token::lower).unwrap_or_default();
    // `the technology from which`, `the writer and schoolmaster Ann`.
    let is_relative = matches!(next_word.as_str(), "which" | "whom" | "whose");
    let is_shared = word == "and" && tokens.get(noun + 3).is_some_and(is_name);
    let tells = is_relative || is_shared || BINDING.contains(word.as_str());
    let binds = matches!(word.as_str(), "in" | "at" | "on" | "from" | "by");
    let end = noun + 2 + usize::from(tokens.get(noun + 2).is_some_and(|it| it.lower() == "the"));
    let is_bound = binds && tokens.get(end).is_some_and(is_name);
    // `the game engine`, `the novel Emma`.
    let is_other = !next.is_dash()
        && !words::ends_phrase(&word)
        && !words::is_lead(&word)
        && !words::is_auxiliary(&word)
        && !words::is_adverb(&word)
        && !words::looks_past(&word)
        && !(words::is_finite(&word, false) && next.text.starts_with(char::is_lowercase))
        && !matches!(
            word.as_str(),
            "or" | "not" | "he" | "she" | "it" | "they" | "itself" | "must"
        );
    tells || is_bound || is_other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::token::tokens;

    #[test]
    fn a_noun_points_back_unless_something_tells_which() {
        for (text, expected) in [
            ("Gershwin scored the piece for the standard instruments.", true),
            ("Johnston named the property China Grove.", true),
            ("The person behind the brilliant idea is Ann.", true),
            ("Ann wrote the book in January 1943.", true),
            ("Ann wrote the book's preface.", true),
            ("Ann wrote the novel Emma.", false),
            ("Ann wrote the book of Bo.", false),
            ("Ann found the game engine.", false),
            ("Ann joined the company in Paris.", false),
            ("Ann wrote a book, and the book sold well.", false),
            ("Ann sailed around the world.", false),
        ] {
            assert_eq!(points_back(&tokens(text), |_| false), expected, "{text}");
        }
    }
}
