//! What a text that tells how something is done says of it with figures and limits: `Foo soup, Method – Simmer the lentils
//! for 40 minutes.`

use super::form::is_self_contained;
use super::whole::named;
use super::{parts, shown};
use crate::extract::Statement;
use crate::extract::fold::fold;
use crate::extract::name::without_number;
use crate::extract::page::{Kind, Mark, Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Pairs, Words, list};

/// Headings, in lower case, below which it stands how something is done.
static METHODS: Words = list!(phrases "method_headings");

/// Numbers as words.
static NUMBERS: Pairs = list!(pairs "numbers");

/// Most of them of one page.
const MOST: usize = 15;

/// What is told so of a thing that a text was given for.
pub(super) fn collect(page: &Page, thing: &Thing) -> Vec<(usize, Statement)> {
    let parts = parts(page, thing);
    let title = page.blocks.first().filter(|block| matches!(block.kind, Kind::Heading(_)));
    let is_guide = |text: &str| {
        let key = fold(without_number(text).trim());
        let first = key.split(' ').next().unwrap_or_default().to_owned();
        METHODS.contains(key.trim_end_matches(':'))
            || key.starts_with("how to ")
            || key.contains(' ') && words::is_gerund(&first)
    };
    let of_title = is_guide(&thing.name) || title.is_some_and(|title| is_guide(&title.text));
    let mut level_of_method: Option<u8> = None;
    let is_below: Vec<bool> = page
        .blocks
        .iter()
        .map(|block| {
            if let Kind::Heading(level) = block.kind {
                level_of_method = level_of_method.filter(|above| level > *above);
                level_of_method = level_of_method.or(is_guide(&block.text).then_some(level));
            }
            of_title || level_of_method.is_some()
        })
        .collect();
    let told = page.sentences.iter().filter(|it| is_below.get(it.block).is_some_and(|it| *it));
    let told = told.filter(|sentence| !has_code(page, sentence)).filter_map(|sentence| {
        let text = page.text(sentence);
        let said = tokens(text);
        let kept = is_step(text, &said) && is_self_contained(text, &said);
        let part = parts.get(sentence.block).and_then(Option::as_deref);
        let text = named(thing, part, &shown(text));
        kept.then_some((thing.entity, Statement { text, line: sentence.line }))
    });
    told.take(MOST).collect()
}

/// Whether code stands in a sentence, or a link, which whoever reads would follow.
fn has_code(page: &Page, sentence: &Sentence) -> bool {
    let marks = page.blocks.get(sentence.block).map(|block| block.marks.as_slice());
    marks.unwrap_or_default().iter().any(|(range, mark)| {
        let is_inside = range.start < sentence.range.end && sentence.range.start < range.end;
        is_inside && matches!(mark, Mark::Code | Mark::Link)
    })
}

/// Whether a sentence says what to do, how long, how much or what never, and points to nothing.
fn is_step(text: &str, said: &[Token<'_>]) -> bool {
    const LEAST: usize = 5;
    const POINTING: &[&str] = &[
        "above", "below", "here", "i", "my", "our", "previous", "same", "that", "these", "they",
        "this", "those", "us", "we",
    ];
    let word = |at: usize| said.get(at).map(Token::lower).unwrap_or_default();
    // `After 10 minutes, add the salt`
    let is_lead = words::is_lead(&word(0));
    let comma = said.iter().position(|token| token.after.contains(','));
    let from = comma.filter(|_| is_lead).map_or(0, |comma| comma + 1);
    let is_not = matches!(word(from).as_str(), "don't" | "don’t" | "never")
        || word(from) == "do" && word(from + 1) == "not";
    let is_command = !is_lead && is_command(said) || from > 0 && words::is_verb_base(&word(from));
    let counts = said.iter().skip(1).any(|token| {
        token.text.bytes().any(|byte| byte.is_ascii_digit()) || NUMBERS.contains_key(token.text)
    });
    let points = |at: usize| match word(at).as_str() {
        "it" | "its" | "them" | "their" => at < 3,
        word => POINTING.contains(&word),
    };
    said.len() >= LEAST
        && text.starts_with(char::is_uppercase)
        && text.trim_end().ends_with('.')
        && (is_not || is_command && counts)
        && !(0..said.len()).any(points)
}

/// `Fry the onions`: a verb, known or not, with its object; `Cover for 40 minutes` does not say what.
fn is_command(said: &[Token<'_>]) -> bool {
    let [first, next, ..] = said else { return false };
    let (word, behind) = (first.lower(), next.lower());
    let is_verb = words::is_verb_base(&word) || words::is_determiner(&behind) || behind == "your";
    let is_other = words::is_starter(&word)
        || words::is_finite(&behind, true) && !words::is_determiner(&behind)
        || words::ends_phrase(&behind)
        || matches!(behind.as_str(), "and" | "until")
        || word.ends_with('s') && !word.ends_with("ss")
        || word.ends_with("ed")
        || word.ends_with("ing") && word != "bring";
    is_verb && !is_other && first.joins()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_a_figure_or_a_limit_and_points_to_nothing() {
        for (text, expected) in [
            ("Simmer the lentils for 40 minutes with the lid ajar.", true),
            ("Spread a thin layer of glue and wait five minutes until it is dull.", true),
            ("After 10 minutes, add the salt and the rice.", true),
            ("Never wash the pan with soap.", true),
            ("Don't open the lid before the hour is over.", true),
            ("Cover and let rest for 1 hour in the dark.", false),
            ("Cover with water and boil for 20 minutes.", false),
            ("Put it in the oven for 20 minutes.", false),
            ("Repeat this step 3 times with the rest.", false),
            ("Stir in the vinegar at the end.", false),
            ("The soup keeps for 3 days in the cellar.", false),
            ("Lentils need about 20 minutes in water.", false),
        ] {
            assert_eq!(is_step(text, &tokens(text)), expected, "{text}");
        }
    }
}
