//! What stands before the clause that a sentence is about.

use super::dangling::Place;
use super::speech::{is_reader, is_writers, verb_of_person};
use super::subject::is_noun;
use crate::extract::facts::is_plural;
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
pub(super) fn main_clause(tokens: &[Token<'_>], thing: &Thing, place: &Place<'_>) -> Option<usize> {
    let first = tokens.first()?.lower();
    let condition = condition(tokens);
    let leads = words::is_lead(&first)
        || matches!(first.as_str(), "independent" | "regardless")
        || condition.is_some();
    if !leads {
        return Some(0);
    }
    if condition.is_none() && TIES.contains(first.as_str()) {
        return None;
    }
    // `In return,`: for what, another sentence tells.
    let next = tokens.get(1).map(Token::lower).unwrap_or_default();
    let refers = matches!(next.as_str(), "both" | "contrast" | "response" | "return" | "turn");
    if first == "in" && refers && tokens.get(1).is_some_and(|next| next.after.contains(',')) {
        return None;
    }
    let has_verb = |comma: usize| {
        let clause = condition.and_then(|behind| tokens.get(behind..=comma));
        clause.is_none_or(|it| own::verb(it).or_else(|| verb_of_person(it)).is_some())
    };
    // `If no cable, or a broken one, is connected`
    let mut commas = (0..tokens.len().min(MAX_LEAD)).filter(|&at| tokens[at].after.contains(','));
    let comma = commas.find(|comma| has_verb(*comma));
    let Some(comma) = comma else {
        // `In 2011 the office opened`, `At the end of the year the club had`.
        let is_subject = |at: &usize| {
            let before = tokens[at - 1].lower();
            words::is_determiner(tokens[*at].text)
                && tokens[at - 1].joins()
                && !words::ends_phrase(&before)
                && !words::is_starter(&before)
        };
        let far = tokens.len().min(MAX_LEAD);
        let subject = (2..far).find(is_subject).filter(|at| own::verb(&tokens[..*at]).is_none());
        return words::is_lead(&first)
            .then(|| subject.unwrap_or(0))
            .filter(|_| condition.is_none());
    };
    let rest = tokens.get(comma + 1..).filter(|rest| !rest.is_empty())?;
    if let Some(behind) = condition {
        let clause = tokens.get(behind..=comma)?;
        // `If the path is relative`: which one, another sentence tells.
        let names = names_condition(clause, rest, thing) && !place.is_bare(clause);
        return names.then_some(comma + 1);
    }
    // `In most cases, if you leave, you are`.
    let behind = if self::condition(rest).is_some() { main_clause(rest, thing, place)? } else { 0 };
    Some(comma + 1 + behind)
}

/// Whether a condition says of whom or what it is, and a pronoun that goes on with it can stand for that.
fn names_condition(clause: &[Token<'_>], rest: &[Token<'_>], thing: &Thing) -> bool {
    let Some(verb) = own::verb(clause).or_else(|| verb_of_person(clause)) else {
        return false;
    };
    let is_person = is_writers(clause, verb) || is_reader(clause, verb);
    // `If there is a storm`
    let is_there = verb == 1 && clause[0].lower() == "there" && clause.len() > 2;
    let told = is_person || is_there || has_subject(clause, verb, thing) || is_noun(clause, verb);
    let head = clause[..verb].iter().take_while(|token| !words::ends_phrase(&token.lower())).last();
    let is_several = head.is_some_and(|head| is_plural(head.text));
    let agrees = match rest.first().map(Token::lower).as_deref() {
        Some("it" | "its") => {
            !is_several && clause[0].lower() != "you" && clause[0].lower() != "we"
        }
        Some("they" | "their") => is_several || head.is_some_and(|head| is_agent(head.text)),
        _ => true,
    };
    told && agrees
}

/// `The investigator`, of whom it is told as of `they`.
fn is_agent(noun: &str) -> bool {
    const LEAST: usize = 6;
    noun.len() >= LEAST && ["or", "er", "ant", "ee", "person"].iter().any(|end| noun.ends_with(end))
}

/// Whether a sentence depends on a condition before its main clause.
pub(super) fn has_condition(tokens: &[Token<'_>], main: usize) -> bool {
    (0..main).any(|at| {
        let is_start = at == 0 || tokens[at - 1].after.contains(',');
        is_start && condition(&tokens[at..]).is_some()
    })
}

/// The token behind what begins a condition: `If`, `So long as`; `Because of` begins none.
fn condition(tokens: &[Token<'_>]) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let first = word(0);
    let is_span = matches!(first.as_str(), "as" | "so")
        && matches!(word(1).as_str(), "long" | "soon")
        && word(2) == "as";
    match CONDITIONS.contains(first.as_str()) {
        true if word(1) != "of" => Some(1),
        _ => is_span.then_some(3),
    }
}
