//! Sentences whose subject is a name.

use super::form::{is_address, is_self_contained};
use super::{Told, bare, is_plural, pronoun, shown};
use super::{form, pointer};
use crate::extract::clause;
use crate::extract::page::Sentence;
use crate::extract::subject::Names;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// A sentence whose subject is a name. The fact is missing if it states nothing.
pub(super) fn by_name(
    sentence: &Sentence,
    text: &str,
    tokens: &[Token<'_>],
    item: bool,
    names: &Names,
) -> Option<(Told, Option<String>)> {
    clause::openings(tokens).into_iter().find_map(|opening| {
        let start = clause::behind_article(tokens, opening);
        let hit = names
            .at(text, tokens, start)
            .or_else(|| (start > opening).then(|| names.at(text, tokens, opening)).flatten())?;
        let last = tokens.get(hit.end.checked_sub(1)?)?;
        let surface = text.get(tokens.get(opening)?.start..last.end)?;
        // `Her work` goes on about whoever has something.
        let surface = match hit.possessive {
            true => surface.trim_end_matches("'s").trim_end_matches("’s"),
            false => surface,
        };
        let mut told = Told {
            entity: hit.entity,
            also: None,
            block: sentence.block,
            surface: surface.to_owned(),
            plural: is_plural(bare(last.text)),
            person: names.has_full_name(hit.entity),
            pronoun: None,
            human: false,
            acts: false,
            owns: hit.possessive,
        };
        if hit.possessive {
            let verb = possessed(tokens, hit.end)?;
            return Some((told, statement(text, tokens, verb)));
        }
        if sentence.first
            && item
            && let Some(fact) = entry(text, tokens, hit.end)
        {
            return Some((told, Some(fact)));
        }
        if let Some((other, verb)) = pair(text, tokens, hit.end, names) {
            told.also = Some(other).filter(|other| *other != told.entity);
            told.block = usize::MAX;
            return Some((told, statement(text, tokens, verb)));
        }
        let kind = clause::behind_kind(tokens, hit.end);
        let predicate = clause::predicate(tokens, hit.end, told.plural)
            .or_else(|| (kind > hit.end).then(|| clause::predicate(tokens, kind, false)).flatten())
            .or_else(|| with_its_own(tokens, hit.end));
        let Some(predicate) = predicate else {
            // `it` would be the development, not Rust.
            let verb =
                hit.proper.then(|| clause::predicate_of_phrase(tokens, hit.end)).flatten()?;
            // `The Rust implementation is`: of what, another sentence says.
            let noun = tokens.get(hit.end).map(Token::lower).unwrap_or_default();
            if start > opening && OF_OTHERS.contains(noun.as_str()) {
                return None;
            }
            told.block = usize::MAX;
            // `The Seattle area is`: the article is that of the noun.
            told.surface = text.get(tokens.get(start)?.start..last.end)?.to_owned();
            return Some((told, statement(text, tokens, verb)));
        };
        told.human =
            pronoun::tells_of_person(tokens, predicate.verb, predicate.apposition.as_ref());
        told.acts = pronoun::acts_on_one(tokens, predicate.verb);
        told.person &= !reports(tokens, predicate.verb);
        Some((told, statement(text, tokens, predicate.verb)))
    })
}

/// `The Sutton is a newspaper of Sutton`: another one of the name, which has an article there.
pub(super) fn is_of_namesake(text: &str, tokens: &[Token<'_>], names: &Names) -> bool {
    let start = clause::behind_article(tokens, 0);
    let Some(hit) = names.at(text, tokens, start).filter(|_| start > 0) else { return false };
    let again = |at: usize| {
        let again =
            names.at(text, tokens, at).filter(|it| it.entity == hit.entity && !it.possessive);
        let of = tokens[at - 1].joins() && matches!(tokens[at - 1].text, "of" | "in");
        of && again.is_some_and(|it| it.end - at == hit.end - start)
    };
    let is_being = tokens.get(hit.end).is_some_and(|verb| matches!(verb.text, "is" | "was"));
    is_being && (hit.end + 1..tokens.len()).any(again)
}

/// The sentence as a fact, if what leads it in tells of nothing that stands elsewhere, nor of whoever wrote
/// it: `To mitigate the risk, Foo sends`, `Foo is part of our culture`.
fn statement(text: &str, tokens: &[Token<'_>], verb: usize) -> Option<String> {
    let lead = tokens.iter().take(verb).position(|token| token.after.contains(','));
    let lead = tokens.get(..lead.map_or(0, |at| at + 1)).unwrap_or_default();
    let is_aim =
        lead.first().is_some_and(|first| matches!(first.text, "Following" | "To" | "Upon"));
    let is_bare = |at: usize| pointer::unexplained(lead, at).is_some();
    let said = tokens.get(verb..).unwrap_or_default();
    let is_ours = said.iter().any(|token| matches!(token.text, "our" | "us"))
        || said.windows(2).any(|two| two[0].text == "and" && two[1].text == "we");
    let quotes = text.contains(['"', '“']);
    let is_open = is_aim && (1..lead.len()).any(is_bare) || is_ours && !quotes;
    (!is_open).then(|| form::statement(text, tokens, verb)).flatten()
}

/// `Ann argued that Bo should be credited`: `he` may be either.
fn reports(tokens: &[Token<'_>], verb: usize) -> bool {
    static SAYING: Words = list!(words "saying_verbs");
    let behind = tokens.get(verb..).unwrap_or_default();
    let of_other = |two: &[Token<'_>]| two[0].text == "that" && two[1].is_capitalised();
    behind.first().is_some_and(|verb| SAYING.contains(verb.text)) && behind.windows(2).any(of_other)
}

/// Nouns that, behind `the` and a name, say which one of something else is meant.
static OF_OTHERS: Words = list!(words "named_parts");

/// The second of two names and the verb behind it: `X and Y are`.
fn pair(text: &str, tokens: &[Token<'_>], at: usize, names: &Names) -> Option<(usize, usize)> {
    let joint = tokens.get(at)?.lower();
    let joined =
        tokens.get(at.checked_sub(1)?)?.joins() && matches!(joint.as_str(), "and" | "or" | "&");
    let start = clause::behind_article(tokens, at + 1);
    let hit =
        joined.then(|| names.at(text, tokens, start)).flatten().filter(|hit| !hit.possessive)?;
    let behind = clause::behind_kind(tokens, hit.end);
    let predicate = clause::predicate(tokens, hit.end, true).or_else(|| {
        (behind > hit.end).then(|| clause::predicate(tokens, behind, true)).flatten()
    })?;
    Some((hit.entity, predicate.verb))
}

/// `X and its surrounding area have`: what is said of a name and of what it has.
fn with_its_own(tokens: &[Token<'_>], at: usize) -> Option<clause::Predicate> {
    const MOST: usize = 3;
    let is_joined = tokens.get(at.checked_sub(1)?)?.joins()
        && tokens.get(at).is_some_and(|it| it.text == "and")
        && tokens.get(at + 1).is_some_and(|it| matches!(it.text, "his" | "her" | "its" | "their"));
    let mut ends = (at + 3..=at + 2 + MOST).take_while(|end| {
        tokens.get(end - 1).is_some_and(|it| it.joins() && it.text.starts_with(char::is_lowercase))
    });
    is_joined.then(|| ends.find_map(|end| clause::predicate(tokens, end, true))).flatten()
}

/// The verb behind `X's new battery`: within a few words, none of them capitalised.
pub(in crate::extract) fn possessed(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut at = from;
    while at < from + 10 {
        let token = tokens.get(at)?;
        at += 1;
        // `X's work, along with that of others, was`
        if !token.joins() && token.after != "," {
            return None;
        }
        if let Some(predicate) = clause::predicate(tokens, at, is_plural(token.text)) {
            return Some(predicate.verb);
        }
        if !token.joins() {
            return None;
        }
    }
    None
}

/// `fsck.ext4`, as names of programs are typed.
fn is_typed(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_lowercase())
}

/// `X: what it is` and `X - what it is`, of an entry in a list or glossary.
fn entry(text: &str, tokens: &[Token<'_>], at: usize) -> Option<String> {
    let at = clause::behind_bracket(tokens, at);
    let last = tokens.get(at.checked_sub(1)?)?;
    let next = tokens.get(at)?;
    let colon = last.after.trim_end_matches(['"', '”', ')']) == ":";
    let dash = !colon && next.is_dash();
    let from = if colon { at } else { at + 1 };
    let first = tokens.get(from)?.lower();
    let tells = (colon || dash)
        && tokens.len() >= from + 4
        // `foo: print lines`, of a program; `Ann: write to Bo` is yet to be done.
        && (!words::is_verb_base(&first) || is_typed(last.text))
        && !is_address(&first)
        // `Wave: "Would like to"`
        && !words::is_auxiliary(&first)
        && !text.contains("ISBN")
        // `Foo: The following are left out.`
        && !(first == "the" && tokens.get(from + 1).is_some_and(|next| next.text == "following"))
        && !first.starts_with(|char: char| char.is_ascii_digit());
    (tells && is_self_contained(text, tokens)).then(|| shown(text))
}
