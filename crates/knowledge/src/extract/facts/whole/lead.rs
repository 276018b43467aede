//! What stands before the clause that a sentence is about.

use super::subject::is_noun;
use super::verb::is_told_before;
use crate::extract::facts::own::{self, has_subject};
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// Tokens in which a phrase that leads in ends.
const MAX_LEAD: usize = 20;

/// What begins a clause that the rest of its sentence depends on.
static CONDITIONS: Words = list!(words "conditions");

/// What ties a sentence to the one before.
static TIES: Words = list!(words "ties");

/// Where the clause with the subject begins, behind what leads in; nothing where that leaves open whether
/// it is so, or speaks of somebody by a pronoun.
pub(super) fn main_clause(tokens: &[Token<'_>], thing: &Thing) -> Option<usize> {
    let first = tokens.first()?.lower();
    let leads = words::is_lead(&first)
        || matches!(first.as_str(), "independent" | "regardless")
        || CONDITIONS.contains(first.as_str());
    if !leads {
        return Some(0);
    }
    if TIES.contains(first.as_str()) {
        return None;
    }
    let comma = tokens.iter().take(MAX_LEAD).position(|token| token.after.contains(','));
    let Some(comma) = comma else {
        // `In 2011 the office opened`.
        return words::is_lead(&first)
            .then_some(0)
            .filter(|_| !CONDITIONS.contains(first.as_str()));
    };
    if is_condition(tokens) {
        let clause = tokens.get(1..=comma)?;
        let verb = own::verb(clause)?;
        let told = has_subject(clause, verb, thing) || is_noun(clause, verb);
        return (told && !is_told_before(clause, verb)).then_some(comma + 1);
    }
    (comma + 1 < tokens.len()).then_some(comma + 1)
}

pub(super) fn is_condition(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|first| CONDITIONS.contains(first.lower().as_str()))
}
