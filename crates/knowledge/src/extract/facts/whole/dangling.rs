//! What in a sentence stands for something that only the text around it tells.

use std::collections::HashSet;

use super::subject::is_typed;
use crate::extract::facts::elsewhere::is_explained;
use crate::extract::facts::own::{BEFORE_THAT, is_code, relates};
use crate::extract::facts::{is_plural, mention, pointer};
use crate::extract::fold::fold;
use crate::extract::name::is_year;
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// Whoever writes or reads, and times and places that only the text has.
static DANGLING: Words = list!(words "dangling");

/// What is only to be.
static PROMISES: Words = list!(words "promises");

/// What is known of a sentence when one of its words is asked for what it stands for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place<'a> {
    pub(super) verb: usize,
    /// A condition before it names what pronouns stand for.
    pub(super) goes_on: bool,
    /// Words of the label, the heading and the name that it stands behind.
    pub(super) label: &'a [String],
    /// Nouns that the page has again and again.
    pub(super) nouns: Option<&'a HashSet<String>>,
    /// Whoever wrote the page may speak.
    pub(super) speaks: bool,
    /// It is said to everybody for whom it holds.
    pub(super) addresses: bool,
}

impl Place<'_> {
    /// Whether a noun stands before the sentence, so that it needs no other one.
    fn tells(&self, noun: &str) -> bool {
        let one = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
        self.label.iter().any(|word| one(word) == one(noun))
    }
}

impl<'a> Place<'a> {
    /// The same, of the subject: only what it shall or may do is told of a noun that is frequent.
    pub(super) fn of_subject(self, is_modal: bool) -> Self {
        Self { nouns: self.nouns.filter(|_| is_modal), ..self }
    }
}

impl Place<'_> {
    /// `The function`: which one, neither the name nor the heading before the clause says.
    pub(super) fn is_bare(&self, clause: &[Token<'_>]) -> bool {
        let noun = pointer::unexplained(clause, 0);
        let is_frequent = |noun: &String| self.nouns.is_some_and(|nouns| nouns.contains(noun));
        noun.is_some_and(|noun| !self.tells(&noun) && !is_frequent(&noun))
    }
}

/// Nouns of which the `first` or `last` one is told by what stands elsewhere.
static TOLD_BY_ORDER: Words = list!(words "told_by_order");

/// Whether a word stands for what another sentence names, for whoever writes, or for a time that only
/// the text has.
pub(super) fn dangles(tokens: &[Token<'_>], at: usize, place: &Place<'_>) -> bool {
    let Place { verb, goes_on, label, speaks, addresses, .. } = *place;
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let is_first = at == 0;
    let before = at.checked_sub(1).map(word).unwrap_or_default();
    let next = word(at + 1);
    // `US`, `IT`: no pronouns, nor `Too Many Requests`.
    let is_name = at > 0 && tokens[at].is_capitalised() && before != ".";
    if shape::is_acronym(tokens[at].text) || is_name && is_dangling(&word(at)) {
        return false;
    }
    let told = |noun: &str| tokens[..at].iter().any(|token| token.lower() == *noun);
    match word(at).as_str() {
        _ if is_explained(tokens, at) => false,
        // `step 12`, `paragraph 1`: of a text that whoever reads it has not.
        "clause" | "paragraph" | "step" | "subsection" => {
            next.starts_with(|char: char| char.is_ascii_digit()) && word(at + 2) != "of"
        }
        "then" if before == "and" => false,
        "section" if next.starts_with(|char: char| char.is_ascii_digit()) => {
            let told = at.checked_sub(2).map(word).unwrap_or_default();
            let is_told = words::looks_past(&told) && !tokens[at - 2].before.contains('(');
            let is_aside = at > 2 && tokens[at - 3].before.contains('(');
            word(at + 2) != "of" && before == "in" && (at < verb || is_told && !is_aside)
        }
        "too" => !tokens[at].joins() || at + 1 == tokens.len(),
        // `If it comes back with less, we`: than what, another sentence tells.
        "less" if !tokens[at].joins() && before != "or" => true,
        "respectively" => !tokens[..at].iter().any(|token| token.text == "and"),
        "could" | "might" | "would" if relates(tokens, at) => false,
        // `If you left, we would refund it`
        "would" if speaks && goes_on && before == "we" => false,
        word if is_dangling(word) => true,
        "we" | "us" | "our" | "ours" => !speaks,
        "you" | "your" => {
            let holds = addresses || obliges(tokens, verb);
            at < verb.max(1) && !holds
        }
        "this" => !label.contains(&next),
        "these" => !label.contains(&next),
        "such" => next != "as",
        "those" => !matches!(next.as_str(), "who" | "that" | "which" | "of" | "in" | "with"),
        "it" if at > verb => at < 3 || !has_one(&tokens[..at]),
        "they" if at > verb => at < 3,
        "it" | "they" => at < verb && !goes_on || at < 3,
        "them" if word(0) == "everyone" || word(0) == "everybody" => true,
        "them" | "its" | "their" | "itself" | "themselves" => at < verb.min(3),
        "there" => at + 1 != verb && !mention::exists(tokens, at),
        // `anything that's new`
        "that's" | "that’s" => {
            at < verb
                || at.checked_sub(1).is_none_or(|before| !tokens[before].joins())
                || matches!(before.as_str(), "and" | "but" | "so" | "or")
        }
        "that" => {
            let leads = BEFORE_THAT.contains(before.as_str());
            is_first || leads && !told(&next)
        }
        "other" => at < 3 || before == "the" || is_of_list(tokens, at),
        "another" => at < 3,
        "latter" | "former" => !tokens[..at].iter().any(|token| token.text == "and"),
        // `If it is cloned, both instances`
        "both" if goes_on && is_plural(&next) => false,
        "both" => !tokens[at].joins() || !tokens[at..].iter().any(|token| token.text == "and"),
        // `The second value is`: of what, another sentence tells.
        "second" | "third" | "fourth" | "next" if at == 1 && word(0) == "the" && verb > at => {
            !tokens[at..verb].iter().any(|token| words::ends_phrase(&token.lower()))
        }
        "first" | "second" | "third" | "last" | "next" | "previous" => {
            let is_told =
                word(at + 2) == "of" || matches!(before.as_str(), "each" | "every" | "your");
            !is_told && TOLD_BY_ORDER.contains(next.as_str())
        }
        // `When a limit is reached, requests in the same minute`
        "same" if goes_on && at > verb.saturating_sub(8) => false,
        "same" => !tokens[at..].iter().any(|token| token.text == "as"),
        // `It is off, so few are affected`
        "so" if at > 1 && tokens[at - 1].after == "," => false,
        "so" => next != "that" && !words::is_adverb(&next),
        "later" | "earlier" => !matches!(before.as_str(), "or" | "and") && next != "than",
        _ => is_code(&tokens[at]) && !is_typed(tokens[at].text) && !is_price(tokens[at].text),
    }
}

/// Whether a part of a sentence names one thing for which `it` may stand: `people use it` names none.
fn has_one(tokens: &[Token<'_>]) -> bool {
    let tells = |token: &Token<'_>| {
        let word = token.lower();
        words::is_determiner(&word)
            || matches!(word.as_str(), "any" | "each" | "every" | "its" | "no" | "one" | "your")
    };
    let is_noun = |token: &Token<'_>| {
        !words::is_starter(&token.lower()) && !is_plural(token.text) && token.text != "Everyone"
    };
    tokens.iter().any(tells)
        || tokens.iter().skip(1).any(Token::is_capitalised)
        || tokens.first().is_some_and(is_noun)
}

fn is_dangling(word: &str) -> bool {
    DANGLING.contains(word) || DANGLING.contains(word.replace('’', "'").as_str())
}

/// `any other person`, `two more other ones`: other than those that a list before it names.
pub(in crate::extract::facts) fn is_of_list(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |far: usize| at.checked_sub(far).map(|at| tokens[at].text).unwrap_or_default();
    match before(1) {
        "more" => true,
        "any" | "all" | "no" => {
            !matches!(before(2), "and" | "or" | "nor" | "in" | "than")
                && !tokens[at..].iter().any(|token| token.text == "than")
        }
        _ => false,
    }
}

/// `Your client must reuse`: said to everybody whom it is about.
pub(super) fn obliges(tokens: &[Token<'_>], verb: usize) -> bool {
    let next = tokens.get(verb + 1).map(Token::lower).unwrap_or_default();
    tokens.get(verb).is_some_and(|verb| match verb.lower().as_str() {
        "must" | "cannot" | "shall" | "should" | "can't" | "can’t" | "won't" | "won’t" => true,
        "may" | "can" => next == "not" || next == "only",
        _ => false,
    })
}

/// `$1,623.70`, `US$171-million`
fn is_price(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".,-".contains(char);
    let text = text.trim_start_matches(|char: char| char.is_ascii_uppercase());
    text.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with(|char: char| char.is_ascii_digit()) && rest.chars().all(is_part)
    })
}

/// What is only planned, and what a list of sources is referred to for.
pub(super) fn is_promise(tokens: &[Token<'_>]) -> bool {
    (0..tokens.len()).any(|at| {
        let word = tokens[at].lower();
        let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
        let third = tokens.get(at + 2).map(Token::lower).unwrap_or_default();
        PROMISES.contains(word.as_str())
            || word == "as" && next == "well" && third != "as"
            || tokens[at].before.contains('[')
    })
}

/// Whether a number or a name says of what happened when, where or to whom.
pub(super) fn is_anchored(tokens: &[Token<'_>], speaks: bool) -> bool {
    let tells = |token: &Token<'_>| {
        let counts = token.text.bytes().any(|byte| byte.is_ascii_digit());
        // `We raised it to 5`: when, only a year tells.
        let is_when = if speaks { is_year(token.text) } else { counts };
        token.text.starts_with(char::is_uppercase) && !matches!(token.text, "We" | "Our") || is_when
    };
    tokens.iter().skip(1).any(tells)
}

/// `The Council`, of the Town Council.
pub(super) fn is_of_name(token: &Token<'_>, thing: &Thing) -> bool {
    token.is_capitalised() && fold(&thing.name).split([' ', ',']).any(|word| word == token.lower())
}

/// `The request` for `this request`, where the label before the sentence or the thing's name has it.
pub(super) fn with_articles(text: &str, label: &[String]) -> String {
    let mut shown = text.to_owned();
    let all = tokens(text);
    for two in all.windows(2).rev().filter(|two| label.contains(&two[1].lower())) {
        let article = match two[0].text {
            "This" | "These" => "The",
            "this" | "these" => "the",
            _ => continue,
        };
        shown.replace_range(two[0].start..two[0].end, article);
    }
    shown
}

/// The text without `also`, which ties it to the one before.
pub(super) fn without_also(text: &str, tokens: &[Token<'_>]) -> String {
    let mut shown = text.to_owned();
    let is_only = tokens.iter().any(|token| token.text == "only");
    let also = tokens.iter().find(|token| token.text == "also" && token.joins() && !is_only);
    if let Some(also) = also.filter(|also| text.get(also.end..also.end + 1) == Some(" ")) {
        shown.replace_range(also.start..=also.end, "");
    }
    shown
}
