//! Which names the sentences of a page make statements about.

use super::MAX_TERM_WORDS;
use super::entry::{is_entry, tells};
use super::evidence::Found;
use super::term::{is_defining, term};
use crate::extract::aside;
use crate::extract::clause;
use crate::extract::facts::is_plural;
use crate::extract::fold::fold;
use crate::extract::name::{structural, tidy};
use crate::extract::page::{Kind, Mark, Page};
use crate::extract::shape;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// A place in a sentence that may be a subject.
pub(super) struct Span {
    /// Tokens.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) mark: Option<Mark>,
}

/// Takes down what the sentences say of names.
pub(super) fn from_sentences(page: &Page, found: &mut Found) {
    let notes = page.notes();
    let told = page.sentences.iter().filter(|sentence| !notes.contains(&sentence.block));
    for sentence in told {
        let text = page.text(sentence);
        let Some(block) = page.blocks.get(sentence.block) else { continue };
        let tokens = tokens(text);
        for opening in clause::openings(&tokens) {
            let start = clause::behind_article(&tokens, opening);
            let mut spans: Vec<Span> = Vec::new();
            for (range, mark) in &block.marks {
                let offset = sentence.range.start;
                if range.start < offset || range.end > sentence.range.end {
                    continue;
                }
                let range = range.start - offset..range.end - offset;
                spans.extend(span_of(&tokens, start, &range, *mark));
                spans.extend(
                    (start > opening).then(|| span_of(&tokens, opening, &range, *mark)).flatten(),
                );
            }
            let run = shape::run(&tokens, start);
            if run > start {
                spans.push(Span { from: start, to: run, mark: None });
            }
            for span in &spans {
                note(text, &tokens, opening, sentence.first, block.kind, span, found);
            }
            pair(text, &tokens, start, run, found);
            if run == start || (start == 0 && run == 1) {
                let heading =
                    sentence.block.checked_sub(1).and_then(|above| page.blocks.get(above));
                let heading = heading
                    .filter(|above| sentence.first && matches!(above.kind, Kind::Heading(_)));
                let heading = heading.map(|above| fold(&tidy(&above.text)));
                term(text, &tokens, opening, start, heading.as_deref(), found);
            }
        }
        for aside in aside::asides(&tokens) {
            let (Some(first), Some(last)) = (tokens.get(aside.from), tokens.get(aside.to - 1))
            else {
                continue;
            };
            let surface = text.get(first.start..last.end).unwrap_or_default();
            if let Some(evidence) = found.entry(surface) {
                evidence.subject += 1;
                evidence.defined = true;
                evidence.mid += 1;
            }
        }
    }
}

/// `X and Y are`: both are subjects.
fn pair(text: &str, tokens: &[Token<'_>], start: usize, end: usize, found: &mut Found) {
    let joint = tokens.get(end).map(Token::lower).unwrap_or_default();
    let joined = end > start
        && tokens.get(end - 1).is_some_and(Token::joins)
        && matches!(joint.as_str(), "and" | "or");
    let second = clause::behind_article(tokens, end + 1);
    let to = shape::run(tokens, second);
    if !joined || to == second {
        return;
    }
    let behind = clause::behind_kind(tokens, to);
    if clause::predicate(tokens, to, true).is_none()
        && (behind == to || clause::predicate(tokens, behind, true).is_none())
    {
        return;
    }
    for (from, to) in [(start, end), (second, to)] {
        let (Some(first), Some(last)) = (tokens.get(from), tokens.get(to - 1)) else { continue };
        let starter = from == 0 && words::is_starter(&first.lower());
        if !starter
            && let Some(surface) = text.get(first.start..last.end)
            && let Some(evidence) = found.entry(surface)
        {
            evidence.subject += 1;
        }
    }
}

/// The tokens of a mark that begins at token `from`.
fn span_of(
    tokens: &[Token<'_>],
    from: usize,
    range: &std::ops::Range<usize>,
    mark: Mark,
) -> Option<Span> {
    let first = tokens.get(from)?;
    let begins = range.start <= first.start
        && range.start + 2 >= first.start.saturating_sub(first.before.len());
    let last = (from..tokens.len().min(from + 9)).rev().find(|&at| tokens[at].end <= range.end)?;
    // `[Web Accessibility Toolbar (WAT)](x)`: what is in brackets is no part of the name.
    let bracket = (from + 1..=last).find(|&at| tokens[at].before.contains('('));
    let last = bracket.map_or(last, |at| at - 1);
    begins.then_some(Span { from, to: last + 1, mark: Some(mark) })
}

/// Takes down what a sentence says of a span at its beginning.
fn note(
    text: &str,
    tokens: &[Token<'_>],
    opening: usize,
    first_sentence: bool,
    kind: Kind,
    span: &Span,
    found: &mut Found,
) {
    let (Some(first), Some(last)) = (tokens.get(span.from), tokens.get(span.to - 1)) else {
        return;
    };
    let article = span.from > opening;
    let begins = span.from == 0;
    // A sentence begins with a capital whatever it begins with.
    if span.mark.is_none() && begins && words::is_starter(&first.lower()) {
        return;
    }
    let Some(surface) = text.get(first.start..last.end) else { return };
    let surface = surface.strip_suffix("'s").or(surface.strip_suffix("’s")).unwrap_or(surface);
    if surface.len() < last.end - first.start {
        // What is told is told of something that it has.
        if let Some(evidence) = found.entry(surface) {
            evidence.subject += 1;
        }
        return;
    }
    let plural = is_plural(last.text);
    let entry =
        first_sentence && kind == Kind::Item && span.mark.is_some() && is_entry(tokens, span.to);
    let behind = clause::behind_kind(tokens, span.to);
    let told = span.mark.is_some() || shape::is_shaped(surface);
    let predicate = clause::predicate(tokens, span.to, plural).or_else(|| {
        (told && behind > span.to).then(|| clause::predicate(tokens, behind, false)).flatten()
    });
    if predicate.is_none() && !entry {
        if span.mark.is_none()
            && clause::predicate_of_phrase(tokens, span.to).is_some()
            && let Some(evidence) = found.entry(surface)
        {
            evidence.phrase += 1;
        }
        return;
    }
    let definition = predicate.as_ref().and_then(|it| clause::definition(tokens, it.verb));
    let apposition = predicate.as_ref().and_then(|it| it.apposition.clone());
    let apposed = apposition.and_then(|aside| clause::noun_phrase(tokens, aside.start + 1, false));
    let bracket = predicate.as_ref().and_then(|it| it.bracket.clone());
    let alias = bracket.and_then(|range| bracketed(text, tokens, &range, surface));
    let called = predicate.as_ref().and_then(|it| it.called.clone());
    let alias = alias.or_else(|| called.and_then(|range| known_as(text, tokens, &range)));
    let Some(evidence) = found.entry(surface) else { return };
    evidence.subject += 1;
    evidence.defined |= is_defining(&definition)
        || apposed.is_some()
        || (entry && (span.mark == Some(Mark::Link) || tells(tokens, span)));
    evidence.entry |= entry;
    evidence.term |= entry && span.to - span.from <= 3 && tells(tokens, span);
    evidence.mid += usize::from(article && !first.text.starts_with(char::is_lowercase));
    match span.mark {
        Some(Mark::Strong) => evidence.strong = true,
        Some(Mark::Emphasis) => evidence.emphasised = true,
        Some(Mark::Link) => evidence.linked = true,
        Some(Mark::Code) => evidence.code = true,
        None => {}
    }
    let qualified = definition.as_ref().is_some_and(|it| it.qualified && !it.weighs)
        && is_defining(&definition);
    let short = span.to - span.from <= MAX_TERM_WORDS;
    evidence.term |= short
        && ((qualified && (begins || article))
            || (span.mark.is_some() && is_defining(&definition)));
    if let Some(alias) = alias
        && !evidence.aliases.contains(&alias)
    {
        evidence.aliases.push(alias);
    }
}

/// The name in `known simply as X`.
fn known_as(text: &str, tokens: &[Token<'_>], range: &std::ops::Range<usize>) -> Option<String> {
    let as_ =
        |at: &usize| tokens.get(*at).is_some_and(|token| matches!(token.text, "as" | "called"));
    let from = range.clone().find(as_)? + 1;
    let to = shape::run(tokens, from);
    let (first, last) = (tokens.get(from)?, tokens.get(to.checked_sub(1)?)?);
    let name = tidy(text.get(first.start..last.end)?);
    (to == range.end && structural(&name).is_ok()).then_some(name)
}

/// What stands in brackets behind a name, if it is short for it or written out.
fn bracketed(
    text: &str,
    tokens: &[Token<'_>],
    range: &std::ops::Range<usize>,
    name: &str,
) -> Option<String> {
    let (first, last) = (tokens.get(range.start)?, tokens.get(range.end.checked_sub(1)?)?);
    let inner = text.get(first.start..last.end)?;
    // `X (also known as Y)` says so itself.
    let other = ["also known as ", "also called ", "aka ", "formerly ", "formerly known as "]
        .iter()
        .filter_map(|start| inner.strip_prefix(start))
        .next_back();
    if let Some(other) = other.map(tidy) {
        let named = shape::is_proper(&other) && structural(&other).is_ok();
        return named.then_some(other);
    }
    // `Actresses (Catalan: Actrius)`.
    if let Some((language, other)) = inner.split_once(": ") {
        let other = tidy(other.split([';', ',']).next().unwrap_or_default());
        let is_language = language.starts_with(char::is_uppercase) && !language.contains(' ');
        let named = shape::is_proper(&other) && structural(&other).is_ok();
        return (is_language && named).then_some(other);
    }
    let inner = tidy(inner);
    let stands_for = shape::is_acronym_of(&inner, name) || shape::is_acronym_of(name, &inner);
    (stands_for && structural(&inner).is_ok()).then_some(inner)
}
