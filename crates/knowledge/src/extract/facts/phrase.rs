//! What is said of a part of a thing: `The source code to SQLite is`, `Free support for SQLite is`.

use super::form::statement;
use super::{is_plural, own};
use crate::extract::clause;
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::extract::words;

/// Words before the one that leads to the name.
const MAX_HEAD: usize = 6;

/// The entity whose name ends the subject, and the sentence as a fact about it. Of what is not the page's
/// thing only what it has is told, not what is done for it.
pub(super) fn of(
    text: &str,
    tokens: &[Token<'_>],
    thing: Option<&Thing>,
    names: &Names,
) -> Option<(usize, String)> {
    let first = tokens.first().filter(|first| first.is_capitalised() && first.before.is_empty())?;
    let word = first.lower();
    let begins = matches!(word.as_str(), "the" | "a" | "an" | "all") || !words::is_starter(&word);
    let is_inner = |token: &Token<'_>| token.joins() && !words::is_finite(&token.lower(), false);
    let leads = |word: &str| matches!(word, "of" | "to" | "for" | "in" | "behind");
    let at = (1..tokens.len().min(MAX_HEAD)).find(|&at| leads(tokens[at].text))?;
    let head = tokens.get(..at)?;
    let is_plain = head.iter().skip(1).all(|token| !token.is_capitalised())
        && head.iter().all(is_inner)
        && tokens[at].joins();
    let noun = head.last()?;
    // `The code of X` is told by its name, `Parts of X` are not.
    let is_vague = own::is_vague(noun) && word != "the";
    if !begins || !is_plain || is_vague || words::is_starter(&noun.lower()) {
        return None;
    }
    let start = clause::behind_article(tokens, at + 1);
    // `The position of the order Agnostida`.
    let is_kind = start > at + 1
        && tokens.get(start).is_some_and(|kind| kind.joins() && !kind.is_capitalised());
    let hit = names
        .at(text, tokens, start)
        .or_else(|| is_kind.then(|| names.at(text, tokens, start + 1)).flatten())?;
    let is_own = thing.is_some_and(|thing| thing.entity == hit.entity);
    let has = matches!(tokens[at].text, "of" | "to") && hit.proper;
    let several = is_plural(noun.text) || head.iter().any(|token| token.text == "and");
    let verb = clause::predicate(tokens, hit.end, several)?.verb;
    let points = (0..tokens.len()).any(|at| own::points(tokens, at));
    let is_its = !hit.possessive && (is_own || has) && !points;
    Some((hit.entity, is_its.then(|| statement(text, tokens, verb)).flatten()?))
}
