//! Sentences that go on about the subject of the one before.

use super::form::statement;
use super::{Told, possessed};
use crate::extract::clause;
use crate::extract::token::{self, Token};

/// A sentence that goes on about the subject of the one before: `It`, `They`, `The speaker`. The
/// pronoun gives way to the name.
pub(super) fn by_pronoun(text: &str, tokens: &[Token<'_>], told: &Told) -> Option<Option<String>> {
    let first = tokens.first()?;
    let word = first.lower();
    let (end, possessive) = match word.as_str() {
        "it" if !told.plural => (1, false),
        "they" => (1, false),
        "he" | "she" if told.surface.contains(' ') => (1, false),
        "its" if !told.plural => (1, true),
        "the" | "this" if tokens.len() > 2 => {
            let class = tokens.get(1)?.lower();
            let two = tokens.get(2).is_some_and(|token| told.classes.contains(&token.lower()));
            match told.classes.contains(&class) {
                true => (2, false),
                false if two => (3, false),
                false => return None,
            }
        }
        _ => return None,
    };
    if first.before.contains(['"', '“']) {
        return None;
    }
    let verb = match possessive {
        true => possessed(tokens, end)?,
        false => clause::predicate(tokens, end, word == "they" || told.plural)?.verb,
    };
    if word == "it" && is_empty_it(tokens, verb) {
        return Some(None);
    }
    let last = tokens.get(end.checked_sub(1)?)?;
    let rest = text.get(last.end..)?;
    let mark = if possessive { "'s" } else { "" };
    let mut name = told.surface.clone();
    if let Some(first) = name
        .chars()
        .next()
        .filter(|_| name.starts_with("the ") || name.starts_with("a ") || name.starts_with("an "))
    {
        name.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    }
    let replaced = format!("{name}{mark}{rest}");
    let said = token::tokens(&replaced);
    let before = said.len().saturating_sub(tokens.len().saturating_sub(verb));
    Some(statement(&replaced, &said, before))
}

/// `It is important to`, `it takes an hour to`: stands for nothing.
fn is_empty_it(tokens: &[Token<'_>], verb: usize) -> bool {
    let copula = tokens.get(verb).is_some_and(|token| {
        matches!(
            token.lower().as_str(),
            "is" | "was"
                | "can"
                | "may"
                | "might"
                | "will"
                | "would"
                | "takes"
                | "seems"
                | "should"
        )
    });
    copula
        && tokens.iter().skip(verb + 1).take(6).any(|token| {
            matches!(
                token.lower().as_str(),
                "to" | "that" | "if" | "when" | "because" | "why" | "whether" | "how"
            )
        })
        && tokens.iter().skip(verb + 1).take(3).all(|token| {
            !matches!(
                token.lower().as_str(),
                "a" | "an" | "the" | "used" | "designed" | "able" | "possible"
            )
        })
        || tokens.get(verb + 1).is_some_and(|token| {
            matches!(
                token.lower().as_str(),
                "possible"
                    | "important"
                    | "easy"
                    | "hard"
                    | "worth"
                    | "recommended"
                    | "best"
                    | "likely"
                    | "necessary"
                    | "good"
                    | "better"
                    | "helpful"
                    | "useful"
                    | "time"
            )
        })
}
