//! What a sentence says in passing of a name that is not its subject: `on etcd, a key-value store`,
//! `a system called ANET`.

use super::clause::{self, Definition};
use super::shape;
use super::token::Token;
use super::words;

/// A name that is told what it is, as tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Aside {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) class: String,
}

/// The asides of a sentence, in order.
pub(super) fn asides(tokens: &[Token<'_>]) -> Vec<Aside> {
    let mut found = Vec::new();
    let mut at = 1;
    let mut verb = false;
    // Up to its comma, a phrase that leads in is closed by it: `In Paris, a man walked`.
    let lead = tokens.first().is_some_and(|first| words::is_lead(&first.lower()));
    let opened = if lead {
        tokens.iter().position(|token| token.after.contains(',')).unwrap_or(0)
    } else {
        0
    };
    while at < tokens.len() {
        let to = shape::run(tokens, at);
        if to == at {
            let word = tokens.get(at).map(Token::lower).unwrap_or_default();
            verb |= words::is_finite(&word, false);
            at += 1;
            continue;
        }
        let apposition = if to > opened + 1 { apposed(tokens, at, to, verb) } else { None };
        let class = apposition.or_else(|| called(tokens, at).filter(|_| !goes_on(tokens, to)));
        if let Some(class) = class {
            found.push(Aside { from: at, to, class });
        }
        at = to;
    }
    found
}

/// The class of `X, a small tool, ...`: between commas or up to the end, and without a verb of its
/// own, which would make it a clause.
fn apposed(tokens: &[Token<'_>], from: usize, to: usize, verb: bool) -> Option<String> {
    let (before, last, next) =
        (tokens.get(from.checked_sub(1)?)?, tokens.get(to.checked_sub(1)?)?, tokens.get(to)?);
    let lists = before.after.contains(',') || matches!(before.lower().as_str(), "and" | "or");
    if !verb || lists || last.after != "," || !matches!(next.lower().as_str(), "a" | "an" | "the") {
        return None;
    }
    let end = tokens
        .iter()
        .enumerate()
        .skip(to)
        .take(20)
        .find(|(_, token)| token.after.contains([',', '.', ';']));
    let end = end.map_or(tokens.len() - 1, |(at, _)| at);
    let inner = tokens.get(to + 1..=end)?;
    let clause = inner
        .iter()
        .position(|token| matches!(token.lower().as_str(), "that" | "which" | "who" | "where"));
    let plain = inner.get(..clause.unwrap_or(inner.len()))?;
    if plain.iter().any(|token| words::is_auxiliary(&token.lower()) || token.lower() == "and") {
        return None;
    }
    // `X, a store, and Y` goes on with a list.
    let lists = tokens
        .get(end + 1)
        .is_some_and(|next| matches!(next.lower().as_str(), "and" | "or") || next.is_capitalised());
    let Definition { class, .. } = clause::noun_phrase(tokens, to + 1, false)?;
    (!lists && !words::is_empty_head(&class)).then_some(class)
}

/// Whether a name that ends before token `to` goes on in lower case: `known as Oak mossar in`.
fn goes_on(tokens: &[Token<'_>], to: usize) -> bool {
    let Some(next) = tokens.get(to).filter(|_| tokens[to - 1].joins()) else { return false };
    let word = next.lower();
    next.before.is_empty()
        && next.text.starts_with(char::is_lowercase)
        && next.text.chars().all(char::is_alphabetic)
        && !words::ends_phrase(&word)
        && !words::is_finite(&word, true)
        && !words::looks_past(&word)
        && !words::is_adverb(&word)
        && !words::is_lead(&word)
        && !words::is_starter(&word)
        && !word.ends_with("ing")
}

/// The class of `a system called X`.
fn called(tokens: &[Token<'_>], from: usize) -> Option<String> {
    let word = |back: usize| from.checked_sub(back).and_then(|at| tokens.get(at)).map(Token::lower);
    let one = word(1)?;
    let noun = match one.as_str() {
        "called" | "named" | "dubbed" | "titled" | "entitled" => 2,
        "as" if word(2).as_deref() == Some("known") => 3,
        _ => return None,
    };
    let before = from.checked_sub(noun)?;
    let token = tokens.get(before)?;
    let class = token.lower();
    let plain = token.joins() && class.len() > 2 && class.chars().all(|char| char.is_lowercase());
    let no_noun =
        words::is_auxiliary(&class) || words::is_starter(&class) || words::is_adverb(&class);
    // The noun needs an article or adjective: `a popular system called`.
    let article = (1..=4).any(|back| {
        before.checked_sub(back).and_then(|at| tokens.get(at)).is_some_and(|token| {
            matches!(token.lower().as_str(), "a" | "an" | "the" | "one" | "its" | "their")
        })
    });
    (plain && !no_noun && article && !words::is_empty_head(&class)).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::token::tokens;

    #[test]
    fn asides_name_their_class() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let tokens = tokens(text);
            let found = asides(&tokens);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|it| (&text[tokens[it.from].start..tokens[it.to - 1].end], it.class.as_str()))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check("It is based on Foo DB, the fast store, and more.", &[]);
        check("It is based on Foo DB, the fast key store, to help.", &[("Foo DB", "store")]);
        check("We use a small tool called Bar.", &[("Bar", "tool")]);
        check("In Paris, a man walked.", &[]);
        check("He left Paris, a city that never sleeps.", &[("Paris", "city")]);
        check("They are called Foo.", &[]);
        check("It is a bog known as Oak mossar in Sutton.", &[]);
        check("It is a bog known as Oak near Sutton.", &[("Oak", "bog")]);
    }
}
