//! Sentences that leave out whom they are about, as those of lives do: `Born in Bath in 1901.`, `Married Ann Hill in
//! 1930.`

use super::form::statement;
use super::own::{points, verb};
use super::own_blocks::{OwnBlocks, named};
use crate::extract::fold::fold;
use crate::extract::name::is_year;
use crate::extract::page::{Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// What was done to a page or a part of it, and not to what it is about.
static OF_TEXTS: Words = list!(words "done_to_texts");

/// The sentence behind the thing's name, if it tells what happened to that and when, and what stands before it
/// in its paragraph is about that, too.
pub(super) fn of(
    page: &Page,
    sentence: &Sentence,
    text: &str,
    said: &[Token<'_>],
    (thing, own_blocks): (&Thing, &OwnBlocks),
) -> Option<String> {
    let is_its = |before: &Sentence| {
        let all = tokens(page.text(before));
        let first = all.first().map(Token::lower).unwrap_or_default();
        let is_pronoun = matches!(first.as_str(), "he" | "her" | "his" | "it" | "its" | "she");
        is_pronoun || begins(&all) || fold(&thing.name).split(' ').any(|word| word == first)
    };
    let goes_on = page.before(sentence).last().is_none_or(is_its);
    let is_told = thing.is_sure && own_blocks.has(sentence) && goes_on && begins(said);
    let plain = is_told && !(0..said.len()).any(|at| points(said, at));
    plain.then(|| statement(text, said, 0)).flatten().map(|told| named(thing, &told))
}

/// `Built in 1901 by Ann Hill`: a verb of the past, a year, and no subject.
fn begins(said: &[Token<'_>]) -> bool {
    let [first, next, ..] = said else { return false };
    let (word, behind) = (first.lower(), next.lower());
    let happened = words::looks_past(&word)
        || words::is_participle(&word)
        || words::is_finite(&word, false) && !word.ends_with('s') && !words::is_auxiliary(&word);
    // `Used books cost`: a noun is what is told of.
    let goes_on = words::ends_phrase(&behind)
        || words::is_lead(&behind)
        || words::is_determiner(&behind)
        || next.is_capitalised();
    // `Founded in 1901, the company moved`, and no `Married Ann Hill, who was`.
    let is_inner = |at: usize| {
        let relates = |it: &Token<'_>| {
            matches!(it.text, "that" | "when" | "where" | "which" | "who" | "whose")
        };
        said[at - 1].text == "and" || said[..at].iter().any(relates)
    };
    first.is_capitalised()
        && first.joins()
        && happened
        && goes_on
        && !OF_TEXTS.contains(word.as_str())
        && said.iter().any(|token| is_year(token.text))
        && verb(said).is_none_or(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_told_without_a_subject() {
        for (text, expected) in [
            ("Born in Bath on 3 March 1901, the third of five daughters.", true),
            ("Married the engineer Bo Oak in 1952; two sons.", true),
            ("Moved to Rome in 1955, where she taught for 22 years.", true),
            ("Built by miners in 1936 and extended twice.", true),
            ("Founded in 1898, the company moved to Rome in 1900.", false),
            ("Used books cost less since 1990.", false),
            ("Published on 3 May 2020.", false),
            ("Added support for Foo 3.", false),
            ("Married twice.", false),
        ] {
            assert_eq!(begins(&tokens(text)), expected, "{text}");
        }
    }
}
