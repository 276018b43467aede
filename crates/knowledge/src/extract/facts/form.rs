//! Which sentences have the form of a fact: declarative, whole, neither about the text nor to the
//! reader.

use super::elsewhere::refers_elsewhere;
use super::pointer;
use super::speech;
use crate::extract::token::{Token, tokens};
use crate::extract::words::{self, ORDERS};
use crate::words::{Words, list};
use elophanto_base::visible::is_deceptive;
use elophanto_text::markdown::on_one_line;

/// Fewest and most words of a fact.
pub const FACT_WORDS: std::ops::RangeInclusive<usize> = 4..=60;
/// Most bytes of a fact.
const MAX_FACT_BYTES: usize = 600;

/// Phrases, in lower case, of sentences that speak of the text or to the reader.
static ASIDE_PHRASES: Words = list!(phrases "asides");

/// The sentence as a fact, if it states something.
pub(super) fn statement(text: &str, tokens: &[Token<'_>], verb: usize) -> Option<String> {
    statement_of_page(text, tokens, verb, |_| false)
}

/// The same, of a page on which some nouns with `the` stand for its own thing.
pub(super) fn statement_of_page(
    text: &str,
    tokens: &[Token<'_>],
    verb: usize,
    is_own: impl Fn(&str) -> bool,
) -> Option<String> {
    (!speaks_of_plans(text)).then(|| statement_of_writers(text, tokens, verb, is_own)).flatten()
}

/// The same, of what those who wrote the page may say of themselves: `We will refund it.`
pub(super) fn statement_of_writers(
    text: &str,
    tokens: &[Token<'_>],
    verb: usize,
    is_own: impl Fn(&str) -> bool,
) -> Option<String> {
    let said = tokens.len().saturating_sub(verb + 1);
    // `including:.`, whose list is left out.
    let text_end = text.trim_end().trim_end_matches('.');
    // `See How many are there? for more`
    let asks = text.contains("? ") && !text.contains(['"', '“']);
    let ends = !asks
        && !text.trim_end().ends_with(['?', ':', ';', '…', ','])
        && !text_end.trim_end().ends_with([':', ';', ',']);
    let fits = said > 0
        && ends
        && !refers_elsewhere(tokens, verb)
        && is_alone(text, tokens, *FACT_WORDS.start());
    let fits = fits && !pointer::points_back(tokens, is_own);
    fits.then(|| shown(text))
}

/// Whether a sentence can be understood alone and is neither too short nor too long.
pub(super) fn is_self_contained(text: &str, tokens: &[Token<'_>]) -> bool {
    is_self_contained_of(text, tokens, *FACT_WORDS.start())
}

/// The same, of at least so many words.
pub(super) fn is_self_contained_of(text: &str, tokens: &[Token<'_>], least: usize) -> bool {
    !speaks_of_plans(text) && is_alone(text, tokens, least)
}

/// `We will see`: what whoever writes means to do, in the text most of all.
fn speaks_of_plans(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["we will", "we'll", "we’ll"].iter().any(|plan| lower.contains(plan))
}

fn is_alone(text: &str, tokens: &[Token<'_>], least: usize) -> bool {
    let count = tokens.iter().filter(|token| !token.text.is_empty()).count();
    let lower = text.to_lowercase();
    (least..=*FACT_WORDS.end()).contains(&count)
        && text.len() <= MAX_FACT_BYTES
        && !text.ends_with('?')
        && !suggests(tokens)
        && !ASIDE_PHRASES.iter().chain(&*ORDERS).any(|phrase| lower.contains(phrase))
        && balanced(text)
        && !speech::is_open(text)
        && !has_markup(text)
        && !has_hole(tokens)
        && !points_along(tokens)
        && !is_cut_off(text, tokens)
        && !speaks_for_one(text, tokens)
        && !is_caption(text)
}

/// `A dish.Credit: Ann Hill`, below a picture.
fn is_caption(text: &str) -> bool {
    ["Credit: ", "Photo: ", "Photo by ", "Photograph by ", "Image: ", "Getty Images"]
        .iter()
        .any(|mark| text.contains(mark))
}

/// `I noticed`, `gutpunches me`: of somebody whom only the text names, unless it is quoted.
fn speaks_for_one(text: &str, tokens: &[Token<'_>]) -> bool {
    let is_one = |at: usize| {
        matches!(tokens[at].text, "I'm" | "I’m" | "I've" | "I’ve" | "me" | "myself")
            || tokens[at].text == "I"
                && (at == 0 || tokens[at - 1].text.starts_with(char::is_lowercase))
                && tokens.get(at + 1).is_some_and(|it| {
                    let next = it.lower();
                    words::is_finite(&next, true) || words::looks_past(&next) || next == "am"
                })
                && tokens[at].joins()
    };
    !text.contains(['"', '“', '?']) && (0..tokens.len()).any(is_one)
}

/// `the terms below`, `see Limits below`: what stands elsewhere in the text; `18 and above` does not.
fn points_along(tokens: &[Token<'_>]) -> bool {
    const FAR: usize = 5;
    (1..tokens.len()).any(|at| {
        let ends = tokens.get(at + 1).is_none_or(|next| !next.before.is_empty());
        let points = matches!(tokens[at].text, "above" | "below");
        let noun = &tokens[at - 1];
        let is_several = noun.text.starts_with(char::is_lowercase) && is_plural(noun.text);
        points
            && noun.joins()
            && (ends || !tokens[at].joins())
            && tokens[at.saturating_sub(FAR)..at].iter().any(|led| match led.lower().as_str() {
                "see" => true,
                "all" | "new" | "the" => is_several,
                _ => false,
            })
    })
}

/// `Get back to`: whoever stood there was left out. `Ann Hill @annhill (TSC)` is nothing but a name.
fn is_cut_off(text: &str, tokens: &[Token<'_>]) -> bool {
    let ends = text.ends_with(char::is_alphabetic);
    let last = tokens.last().map(Token::lower).unwrap_or_default();
    let is_open = ends
        && matches!(
            last.as_str(),
            "a" | "an" | "and" | "of" | "or" | "the" | "to" | "unless" | "with"
        );
    let from = tokens.iter().position(Token::is_dash).map_or(0, |dash| dash + 1);
    let said = || tokens.iter().skip(from);
    let is_account = |token: &Token<'_>| token.before.contains('@') || token.text.starts_with('@');
    let is_name =
        said().any(is_account) && said().all(|token| !token.text.starts_with(char::is_lowercase));
    is_open || is_name
}

/// `Let's look`, and no `Let's Encrypt is`.
fn suggests(tokens: &[Token<'_>]) -> bool {
    let is_let = |token: &Token<'_>| matches!(token.lower().as_str(), "let's" | "let’s");
    let is_name = |at: usize| tokens.get(at).is_some_and(Token::is_capitalised);
    (0..tokens.len()).any(|at| is_let(&tokens[at]) && !is_name(at + 1))
}

/// Whether marks of another language than the page's were left: tags, templates, links of a wiki.
fn has_markup(text: &str) -> bool {
    [
        "</", "/>", "/ >", " ?)", "{{", "}}", "[[", "]]", "][", " ()", "<br", "<ref", "&nbsp;",
        "&amp;", "&lt;",
    ]
    .iter()
    .any(|mark| text.contains(mark))
        // `according to (TODO: number)`
        || text.contains("(TODO") || text.contains("TODO:")
        // `welcome :wink:`
        || text.split(" :").skip(1).any(|rest| rest.starts_with(|it: char| it.is_ascii_lowercase()))
        || text.match_indices(". and ").chain(text.match_indices(". it ")).any(|(at, _)| {
            let word = text[..at].bytes().rev().take_while(u8::is_ascii_lowercase).count();
            word > 3
        })
}

/// Whether something was cut out of a sentence: `about 55 to long`, `weighs 7 –, sometimes`.
fn has_hole(tokens: &[Token<'_>]) -> bool {
    let is_number = |token: &Token<'_>| token.text.ends_with(|char: char| char.is_ascii_digit());
    tokens.windows(3).any(|three| {
        let binds = three[1].is_dash() || three[1].text == "to";
        binds
            && is_number(&three[0])
            && three[0].joins()
            && matches!(three[2].text, "long" | "tall" | "wide" | "high" | "deep" | "in" | "at")
    }) || tokens.windows(3).any(|three| {
        // `is in area, including 41 %`
        let is_measured =
            matches!(three[2].text, "area" | "diameter" | "height" | "length" | "size" | "width");
        words::is_auxiliary(&three[0].lower()) && three[1].text == "in" && is_measured
    }) || tokens.windows(2).any(|two| {
        // `has is a shield`, `an altitude of above sea level`
        two[0].text == "of" && two[0].joins() && matches!(two[1].text, "above" | "below")
            || matches!(two[0].text, "has" | "have")
                && matches!(two[1].text, "is" | "are" | "was" | "has")
    }) || tokens
        .iter()
        .any(|token| matches!(token.text, "from" | "of" | "the") && token.after == ",")
        || is_far_from(tokens)
        || tokens.windows(2).any(|two| {
            let mark = two[1].before;
            let dangles = two[1].text.is_empty()
                && mark.starts_with(['-', '–', '—'])
                && mark.ends_with([',', '.', ';', ')']);
            // `(in )`, `(born Alisa, ; – 1982)`
            let empty = two[1].text.is_empty() && mark.starts_with([')', ';']);
            dangles || empty
        })
        || tokens.iter().any(|token| token.after.contains("!.") || token.text.contains("!."))
        || tokens.last().is_some_and(is_abbreviated)
}

/// `lies north of Rome, from the A4 motorway`: how far, was left out.
fn is_far_from(tokens: &[Token<'_>]) -> bool {
    const NEAR: usize = 6;
    let comma = tokens.iter().rposition(|token| token.after == ",");
    let rest = comma.and_then(|at| tokens.get(at + 1..)).unwrap_or_default();
    rest.len() < NEAR
        && rest.first().is_some_and(|first| first.text == "from")
        && tokens.iter().any(|token| matches!(token.text, "located" | "lies" | "situated"))
}

/// `Bvt.`, behind which a sentence went on: whoever has the title is missing.
fn is_abbreviated(last: &Token<'_>) -> bool {
    static TITLES: Words = list!(words "abbreviated_titles");
    last.after.starts_with('.') && TITLES.contains(last.text)
        || matches!(last.text, "ie" | "i.e" | "eg" | "e.g")
}

/// Whether what is listed under a name has the length of a fact and all of its brackets.
pub(in crate::extract) fn is_told(text: &str) -> bool {
    const LEAST: usize = 4;
    !text.trim_end().ends_with(':') && is_self_contained_of(text, &tokens(text), LEAST)
}

/// Whether a text of another language has the length of a fact, all of its brackets, and no
/// question.
pub(in crate::extract) fn is_whole(text: &str) -> bool {
    !text.trim_end().ends_with(['?', ':', ';', ',']) && is_self_contained(text, &tokens(text))
}

/// A cut through a bracket leaves half a sentence, and what is a bracket alone says more of one.
fn balanced(text: &str) -> bool {
    let is_remark = text.starts_with('(') && text.ends_with(')') && !text.ends_with(".)");
    !is_remark && text.matches('(').count() == text.matches(')').count()
}

/// Whether a word is an address.
pub(super) fn is_address(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.")
}

/// Whether a word looks like a plural.
pub(in crate::extract) fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && word.chars().any(char::is_lowercase)
}

/// Whether a sentence from elsewhere has the form of a fact.
pub(in crate::extract) fn is_statement(text: &str) -> bool {
    let tokens = tokens(text);
    let commands = tokens.first().is_some_and(|first| words::is_verb_base(&first.lower()));
    !commands && !text.ends_with([':', ';', ',']) && is_self_contained(text, &tokens)
}

/// On one line, without what is not seen.
pub(in crate::extract) fn shown(text: &str) -> String {
    let shown = on_one_line(text, usize::MAX, |char| !char.is_control() && !is_deceptive(char));
    // What stood before a mark that was left out.
    let mut closed = shown.replace(" , ", ", ").replace(" \")", "\")");
    if closed.ends_with(" .") {
        closed.truncate(closed.len() - 2);
        closed.push('.');
    }
    if closed.ends_with("..") && !closed.ends_with("...") {
        closed.pop();
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_points_along_the_text_or_is_cut_off_is_left() {
        for (text, expected) in [
            ("GitHub is the controller and follows the terms below.", false),
            ("A rumor may be of another kind, see Rumor Definitions below.", false),
            ("Children of 18 years and above may enter.", true),
            ("The lake lies below the limits of the town.", true),
            ("Ann Hill: Get back to", false),
            ("Foo Council – Ann Hill @annhill (TSC)", false),
            ("Foo was first thought up by @annhill.", true),
            ("(Foo used: 2011 to 2012)", false),
            ("(Foo was made in 2011.)", true),
            ("Foo – Testing: When testing the newest of all:", false),
        ] {
            assert_eq!(is_told(text), expected, "{text}");
        }
    }
}
