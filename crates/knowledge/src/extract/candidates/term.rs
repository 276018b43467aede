//! Terms in lower case that a page defines.

use super::MAX_TERM_WORDS;
use super::evidence::Found;
use crate::extract::clause::{self, Definition};
use crate::extract::facts::is_plural;
use crate::extract::fold::fold;
use crate::extract::token::Token;
use crate::extract::words;

/// `A container image is a package that ...`: a term in lower case that a sentence defines, or
/// states something of below its heading.
pub(super) fn term(
    text: &str,
    tokens: &[Token<'_>],
    opening: usize,
    start: usize,
    heading: Option<&str>,
    found: &mut Found,
) {
    let article = tokens.get(opening).filter(|_| start > opening).map(Token::lower);
    let definite = article.as_deref() == Some("the");
    let adjective = tokens
        .get(start)
        .is_some_and(|token| matches!(token.text, "famous" | "given" | "single" | "typical"));
    let start = if adjective { start + 1 } else { start };
    let Some(first) = tokens.get(start) else { return };
    for end in start + 1..=start + MAX_TERM_WORDS {
        let Some(last) = tokens.get(end - 1) else { return };
        let word = last.lower();
        let plain = last.text.chars().all(|char| char.is_alphanumeric() || char == '-');
        if !plain || words::is_starter(&word) || words::is_auxiliary(&word) {
            return;
        }
        if let Some(predicate) = clause::predicate(tokens, end, is_plural(last.text)) {
            let definition = clause::definition(tokens, predicate.verb);
            let describes = first.lower().ends_with("ing") && end > start + 1;
            let defines = is_defining(&definition)
                && definition.is_some_and(|it| (it.qualified && !it.weighs) || it.plainly)
                && !describes
                && !definite
                && !words::is_empty_head(&word);
            let Some(surface) = text.get(first.start..last.end) else { return };
            let below = heading.is_some_and(|heading| heading == fold(surface));
            if let Some(evidence) = found.entry(surface) {
                evidence.subject += 1;
                evidence.defined |= defines;
                evidence.term |= defines;
                evidence.below |= below;
                evidence.mid += usize::from(article.is_some());
            }
            return;
        }
        if !last.joins() {
            return;
        }
    }
}

/// Whether a definition says something: not `a good way`.
pub(super) fn is_defining(definition: &Option<Definition>) -> bool {
    definition.as_ref().is_some_and(|it| it.plainly || !words::is_empty_head(&it.class))
}
