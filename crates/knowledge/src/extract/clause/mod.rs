//! Where a statement's subject may begin, and where its verb stands behind a name.

mod definition;

use std::ops::Range;

use super::token::Token;
use super::words;
pub(super) use definition::{Definition, definition, noun_phrase};

/// Words of a phrase that leads in, up to its comma.
const MAX_LEAD: usize = 20;
/// The same, of one that speaks to somebody or of them.
const MAX_ANY_LEAD: usize = 14;
/// Words of an apposition or relative clause between commas.
const MAX_ASIDE: usize = 25;
/// Asides of one subject.
const MAX_ASIDES: usize = 3;

/// What follows a subject.
#[derive(Debug, Clone, Default)]
pub(super) struct Predicate {
    /// Token of the verb.
    pub(super) verb: usize,
    /// Tokens of a bracket directly behind the name.
    pub(super) bracket: Option<Range<usize>>,
    /// Tokens of `, a small tool,` behind the name.
    pub(super) apposition: Option<Range<usize>>,
    /// Tokens of `, also known as X,` behind the name.
    pub(super) called: Option<Range<usize>>,
}

/// Tokens at which the subject may begin: the first one, and the one behind a phrase that leads in.
pub(super) fn openings(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut found = vec![0];
    let leads = tokens.first().is_some_and(|token| words::is_lead(&token.lower()));
    let comma = tokens.iter().take(MAX_LEAD).position(|token| token.after.contains(','));
    // `Housed in a mill of 1784, X tells`, and not `Licensed under X, Y or Z`.
    let participle = || {
        let begins = tokens
            .first()
            .is_some_and(|token| token.is_capitalised() && words::looks_past(&token.lower()));
        let is_verb = |token: &Token<'_>| {
            let word = token.lower();
            words::is_finite(&word, false) && !words::is_noun_verb(&word)
        };
        let rest = comma.and_then(|comma| tokens.get(comma + 1..));
        begins && rest.is_some_and(|rest| rest.iter().any(is_verb))
    };
    if leads || participle() || is_apposed(tokens) {
        // `If you want to be told of it` leads in what may be.
        let speaks =
            |token: &Token<'_>| matches!(token.text, "I" | "he" | "she" | "we" | "you" | "your");
        let is_plain = |comma: &usize| {
            comma + 1 < tokens.len()
                && (*comma < MAX_ANY_LEAD || !tokens[..*comma].iter().any(speaks))
        };
        if let Some(comma) = comma.filter(is_plain) {
            found.push(comma + 1);
        }
    }
    // `In 1983 Acorn began`.
    let dated = tokens.len() > 3
        && matches!(tokens[0].text, "In" | "By" | "Since")
        && super::name::is_year(tokens[1].text)
        && tokens[1].joins()
        && tokens[2].is_capitalised();
    found.extend(dated.then_some(2));
    found.extend(behind_role(tokens, 0));
    // `In 1890, local joiner Ada Byron`
    let behind = found.get(1).copied().filter(|_| leads);
    found.extend(behind.and_then(|behind| behind_role(tokens, behind)));
    found
}

/// `A lawyer from Paris, Ada was`, `An advocate, she helped`: what somebody is, before who it is.
pub(super) fn is_apposed(tokens: &[Token<'_>]) -> bool {
    let begins = tokens.first().is_some_and(|first| matches!(first.text, "A" | "An"));
    let comma = tokens.iter().take(MAX_LEAD).position(|token| token.after.contains(','));
    let is_verb = |token: &Token<'_>| {
        let word = token.lower();
        words::is_finite(&word, false) && !words::is_noun_verb(&word) && !words::looks_past(&word)
    };
    let is_plain = |token: &Token<'_>| !token.before.contains('(') && !is_verb(token);
    begins && comma.is_some_and(|comma| tokens[..=comma].iter().all(is_plain))
}

/// The name behind what somebody is, which begins at token `from`: `Political philosopher Herbert Spencer`.
fn behind_role(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    const MOST: usize = 4;
    let most = (from + MOST).min(tokens.len().saturating_sub(1));
    let end = (from + 1..=most).find(|&at| tokens[at].is_capitalised())?;
    let role = tokens.get(from..end)?.iter().enumerate().all(|(at, token)| {
        let word = token.lower();
        // `35 year old joiner`
        let is_age = from > 0 && at == 0 && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_old = from > 0 && at == 2 && word == "old";
        token.joins()
            && token.before.is_empty()
            && (!words::is_starter(&word) || is_old)
            && !words::is_lead(&word)
            && !words::is_finite(&word, true)
            && !word.ends_with("ing")
            && (word.chars().all(char::is_alphabetic) || is_age)
    });
    (role && end > from + 1 && super::shape::run(tokens, end) > end + 1).then_some(end)
}

/// The token behind an article, if one stands here.
pub(super) fn behind_article(tokens: &[Token<'_>], at: usize) -> usize {
    let article = tokens.get(at).is_some_and(|token| {
        token.joins() && words::is_determiner(&token.lower()) && tokens.len() > at + 1
    });
    if article { at + 1 } else { at }
}

/// The verb of the statement whose subject ends before token `at`. `plural` subjects take verbs
/// in their base form.
pub(super) fn predicate(tokens: &[Token<'_>], at: usize, plural: bool) -> Option<Predicate> {
    let mut found = Predicate::default();
    let mut at = at;
    let last = tokens.get(at.checked_sub(1)?)?;
    if last.joins() && tokens.get(at)?.before.starts_with('(') {
        let end =
            (at..tokens.len().min(at + MAX_ASIDE)).find(|&i| tokens[i].after.contains(')'))?;
        found.bracket = Some(at..end + 1);
        at = end + 1;
    }
    let start = at;
    let closes = [')', '"', '”', '’', '\''];
    // `X, officially Y, also called Z, is`.
    for _ in 0..MAX_ASIDES {
        let last = tokens.get(at.checked_sub(1)?)?;
        if last.after.trim_matches(closes) != "," {
            break;
        }
        let first = tokens.get(at)?.lower();
        let opens =
            words::opens_aside(&first) || words::is_participle(&first) || words::looks_past(&first);
        // `X, in a book of 1960, told`.
        let leads = || {
            let leads = matches!(
                first.as_str(),
                "along" | "at" | "by" | "during" | "from" | "in" | "together" | "with"
            );
            let ends =
                (at..tokens.len().min(at + MAX_ASIDE)).find(|&i| tokens[i].after.contains(','));
            leads && ends.is_some_and(|end| is_verb(tokens, end + 1, plural))
        };
        // `X, grandson of the founder, developed`.
        let tells = || {
            let noun = tokens.get(at).filter(|noun| noun.joins() && noun.before.is_empty());
            let is_noun = noun.is_some_and(|noun| {
                noun.text.starts_with(char::is_lowercase)
                    && !words::is_starter(&first)
                    && !words::is_lead(&first)
            });
            let ends =
                (at..tokens.len().min(at + MAX_ASIDE)).find(|&i| tokens[i].after.contains(','));
            is_noun
                && tokens.get(at + 1).is_some_and(|of| of.text == "of")
                && ends.is_some_and(|end| is_verb(tokens, end + 1, plural))
        };
        let opens = opens || leads() || tells();
        // `X, and Y are` is a list of names.
        if !opens || first == "and" {
            // Behind an aside the verb may stand: `X, a small tool, is`.
            if at > start {
                break;
            }
            return None;
        }
        let end = (at..tokens.len().min(at + MAX_ASIDE)).find(|&i| tokens[i].after.contains(','));
        // `X, a violinist, published five pieces, written for`: a verb, unless one stands behind it.
        let is_its = at > start && !words::opens_aside(&first) && is_verb(tokens, at, plural);
        if is_its && end.is_none_or(|end| !is_verb(tokens, end + 1, plural)) {
            break;
        }
        let end = end?;
        if matches!(first.as_str(), "a" | "an" | "the" | "one") {
            found.apposition = found.apposition.or(Some(at..end + 1));
        } else if matches!(first.as_str(), "known" | "also" | "formerly" | "originally") {
            found.called = found.called.or(Some(at..end + 1));
        }
        at = end + 1;
    }
    if at == start && !tokens.get(at.checked_sub(1)?)?.after.trim_matches(closes).is_empty() {
        return None;
    }
    let mut adverbs = 0;
    let is_adverb = |at: usize| tokens.get(at).is_some_and(|it| words::is_adverb(&it.lower()));
    // `most commonly`
    let weighs = |at: usize| {
        tokens.get(at).is_some_and(|it| matches!(it.text, "most" | "more")) && is_adverb(at + 1)
    };
    while adverbs < 3 && (is_adverb(at) || weighs(at)) {
        // `both` of a list, or a comma behind an adverb, is still before the verb.
        at += 1;
        adverbs += 1;
    }
    found.verb = at;
    is_verb(tokens, at, plural).then_some(found)
}

fn is_verb(tokens: &[Token<'_>], at: usize, plural: bool) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    if !token.before.is_empty() || token.text.starts_with(char::is_uppercase) {
        return false;
    }
    let word = token.lower();
    // Behind a name, what looks like a verb and has an object is one.
    let has_object = |word: &str| {
        word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && token.joins()
            && tokens.get(at + 1).is_some_and(|next| words::is_determiner(&next.lower()))
            && tokens.get(at.wrapping_sub(1)).is_some_and(|before| {
                before.is_capitalised() || matches!(before.text, "it" | "he" | "she")
            })
    };
    if !words::is_finite(&word, plural) && !words::looks_past(&word) && !has_object(&word) {
        return false;
    }
    if words::is_auxiliary(&word) {
        return true;
    }
    let Some(next) = tokens.get(at + 1) else { return false };
    let after = next.lower();
    let noun = words::is_noun_verb(&word) || !word.ends_with('s');
    // `Docker images are`: what a verb follows is no verb.
    !(noun && words::is_auxiliary(&after))
        && !(words::is_noun_verb(&word)
            && (after == "of"
                || words::is_finite(&after, true)
                    && !next.text.starts_with(char::is_uppercase)
                    && !is_object_start(&after)))
        && !(words::is_noun_verb(&word) && token.after.contains(','))
}

fn is_object_start(word: &str) -> bool {
    words::is_determiner(word) || words::is_pronoun(word)
}

/// The token behind a bracket that opens at token `at`; `at` if none does.
pub(super) fn behind_bracket(tokens: &[Token<'_>], at: usize) -> usize {
    let opens = tokens.get(at).is_some_and(|token| token.before.starts_with('('));
    let end = tokens
        .iter()
        .enumerate()
        .skip(at)
        .take(MAX_ASIDE)
        .find(|(_, token)| token.after.contains(')'));
    match end {
        Some((end, _)) if opens => end + 1,
        _ => at,
    }
}

/// The token behind nouns that say what kind of thing a name is: `the Go programming language`.
pub(super) fn behind_kind(tokens: &[Token<'_>], at: usize) -> usize {
    let joined =
        |at: usize| at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(Token::joins);
    let kind = |at: usize| {
        joined(at)
            && tokens.get(at).is_some_and(|token| {
                let word = token.lower();
                token.before.is_empty()
                    && token.text.starts_with(char::is_lowercase)
                    && (words::is_kind(&word) || word.strip_suffix('s').is_some_and(words::is_kind))
            })
    };
    match (kind(at), kind(at + 1)) {
        (true, true) => at + 2,
        (true, false) => at + 1,
        (false, _) => at,
    }
}

/// The verb of a statement in whose subject the name that ends before token `at` only tells which:
/// `Rust development operates`.
pub(super) fn predicate_of_phrase(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    for end in at..at + 3 {
        let token = tokens.get(end)?;
        let plain = token.before.is_empty()
            && token.text.chars().all(|char| char.is_lowercase() || char == '-')
            && tokens.get(end.checked_sub(1)?)?.joins();
        let word = token.lower();
        let noun = plain
            && !words::is_auxiliary(&word)
            && !words::is_starter(&word)
            && !words::is_lead(&word);
        if !noun {
            return None;
        }
        let plural = super::facts::is_plural(token.text);
        if let Some(found) = predicate(tokens, end + 1, plural) {
            return Some(found.verb);
        }
    }
    None
}
