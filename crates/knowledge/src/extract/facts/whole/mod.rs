//! Sentences about a part of a page's thing, kept whole behind its name and the heading that they stand
//! below: `Foo, Limits – The gateway caches tokens for five minutes.` Owns when such a sentence needs no
//! other one.

mod dangling;
mod lead;
mod place;
mod speech;
mod subject;
#[cfg(test)]
mod tests;
mod verb;

use std::collections::HashSet;

use super::elsewhere::begins_elsewhere;
use super::form::{statement_of_page, statement_of_writers};
use super::own::{self, has_subject, is_own_noun};
use super::{pointer, shown};
use crate::extract::fold::fold;
use crate::extract::name::is_year;
use crate::extract::thing::Thing;
use crate::extract::token::{self, Token};
use crate::extract::words;
pub(super) use dangling::is_of_list;
use dangling::{Place, dangles, is_anchored, is_of_name, is_promise, obliges};
use dangling::{with_articles, without_also};
use lead::{has_condition, main_clause};
pub(super) use place::{best, nouns};
pub(in crate::extract) use place::{named, parts};
pub(super) use speech::is_of_writers;
use speech::{addresses, is_reader, is_writers, speaks, tells_of_writers, verb_of_person};
use subject::{is_amount, is_count, is_long_gerund, is_mass, is_none, is_noun, is_there};
pub(super) use verb::is_past;
use verb::{is_relative, verb_in_capitals, verb_of_several};

/// What is known of where a sentence stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Setting<'a> {
    /// It is an item of a list.
    pub(super) item: bool,
    /// The heading above it, if that tells which part of the thing it is about.
    pub(super) part: Option<&'a str>,
    /// Nouns that the page has again and again.
    pub(super) nouns: Option<&'a HashSet<String>>,
    /// Those whose thing the page is speak on it.
    pub(super) ours: bool,
    /// It begins with code: `--all shows`.
    pub(super) coded: bool,
    /// The sentence as the page has it.
    pub(super) written: &'a str,
}

/// Whose document it may be.
const BODIES: &[&str] = &[
    "association", "club", "company", "corporation", "foundation", "organisation", "organization",
    "society",
];

/// Fewest and most tokens of such a sentence.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=60;

/// The sentence, if whoever reads it below the name of the thing understands it: alone, or behind a label
/// of its own, as in `Fees – The council approved them.`
pub(super) fn of(text: &str, thing: &Thing, setting: &Setting<'_>) -> Option<String> {
    let short = speech::shortened(text);
    if short.is_empty() {
        return of_whole(text, thing, setting);
    }
    // `We'll` is read as `we will`, and told as it was written.
    let put = |text: &str, from_short: bool| {
        short.iter().fold(text.to_owned(), |text, (short, whole)| {
            let (from, to) = if from_short { (short, whole) } else { (whole, short) };
            text.replacen(from, to, 1)
        })
    };
    let written = put(setting.written, true);
    let told = of_whole(&put(text, true), thing, &Setting { written: &written, ..*setting })?;
    let told = put(&told, false);
    // Where both words stand there too, nobody knows which were short.
    short.iter().all(|(_, whole)| !told.contains(whole.as_str())).then_some(told)
}

fn of_whole(text: &str, thing: &Thing, setting: &Setting<'_>) -> Option<String> {
    let (part, tokens) = (setting.part, &token::tokens(text));
    // `This policy`, on the page of the Foo policy.
    let own = fold(&format!("{} {}", thing.name, part.unwrap_or_default()));
    let mut own: Vec<String> = own.split(' ').map(str::to_owned).collect();
    // `This corporation`, in its bylaws.
    let is_frequent = |noun: &&&str| setting.nouns.is_some_and(|nouns| nouns.contains(**noun));
    let bodies = BODIES.iter().filter(|_| thing.is_text()).filter(is_frequent);
    own.extend(bodies.map(|noun| (*noun).to_owned()));
    if let Some(from) = behind_label(tokens) {
        let start = tokens.get(from)?.start;
        let body = text.get(start..)?;
        let label: Vec<String> = tokens[..from].iter().map(Token::lower).chain(own).collect();
        let said = sentence(body, &token::tokens(body), thing, &label, setting)?;
        return Some(format!("{}{said}", text.get(..start)?));
    }
    sentence(text, tokens, thing, &own, setting)
}

/// The verb; `begin` in `Records begin with Foo, followed by Bar`.
pub(super) fn first_verb(clause: &[Token<'_>]) -> Option<usize> {
    let (verb, of_several) = (own::verb(clause), verb_of_several(clause));
    match verb.zip(of_several) {
        Some((verb, base)) if base < verb && words::looks_past(clause[verb].text) => of_several,
        _ => verb.or(of_several),
    }
}

/// The token behind `Cemetery fees –` or `Time windows:`, with which a sentence is labelled.
fn behind_label(tokens: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 18;
    let ends = |at: usize| tokens[at].is_dash() || tokens[at].after == ":";
    let last = (0..tokens.len().min(MOST)).rev().find(|&at| ends(at))?;
    let is_noun = |token: &Token<'_>| {
        let word = token.lower();
        !words::is_auxiliary(&word)
            && !words::is_pronoun(&word)
            && token.before.trim_matches('(').is_empty()
            || token.is_dash()
    };
    let plain = tokens[..=last].iter().all(is_noun) && tokens[0].is_capitalised();
    let begins = tokens.get(last + 1).is_some_and(Token::is_capitalised);
    (plain && begins && last > 0).then_some(last + 1)
}

fn sentence(
    text: &str,
    tokens: &[Token<'_>],
    thing: &Thing,
    label: &[String],
    setting: &Setting<'_>,
) -> Option<String> {
    let item = setting.item;
    let is_own = |noun: &str| is_own_noun(noun, thing);
    let is_frequent = |noun: &str| setting.nouns.is_some_and(|nouns| nouns.contains(noun));
    // `Returns a list`: nobody does.
    let first = tokens.first()?.lower();
    let next = tokens.get(1)?.lower();
    let does = first.ends_with('s')
        && words::is_finite(&first, false)
        && !words::is_auxiliary(&next)
        && !words::ends_phrase(&next);
    // `You need to install it`: for what, another sentence tells.
    let needs = first == "you"
        && next == "need"
        && tokens.get(2).is_some_and(|it| it.lower() == "to")
        && !tokens.iter().skip(3).any(|it| words::is_lead(&it.lower()));
    if does || needs {
        return None;
    }
    let is_named = thing.name.split(' ').next().is_some_and(|own| own == tokens[0].text);
    let begins = setting.coded
        || is_named
        || text.trim_start_matches(['"', '“']).starts_with(char::is_uppercase)
        || is_count(&tokens[0]) && !is_year(tokens[0].text);
    let ends = text.trim_end().ends_with(['.', '"', '”', ')'])
        || item && text.ends_with(char::is_alphanumeric);
    if !LENGTH.contains(&tokens.len()) || !begins || !ends || text.contains('?') {
        return None;
    }
    let speaks = speaks(tokens);
    // Whoever speaks in a policy is whose it is; elsewhere `we` is anybody.
    if speaks && !((thing.is_text() || setting.ours) && tells_of_writers(tokens)) {
        return None;
    }
    let nouns = setting.nouns;
    let main = main_clause(tokens, thing, &Place { label, nouns, ..Place::default() })?;
    let clause = tokens.get(main..)?;
    let goes_on = has_condition(tokens, main);
    let verb = verb_of_person(clause)
        .or_else(|| verb_in_capitals(clause))
        .or_else(|| first_verb(clause))?;
    // `New hires are`: a noun.
    let is_auxiliary =
        |at: usize| clause.get(at).is_some_and(|token| words::is_auxiliary(&token.lower()));
    let is_plural_noun = is_auxiliary(verb + 1) && !is_auxiliary(verb) && clause[verb].joins();
    let verb = main + verb + usize::from(is_plural_noun);
    let addresses = addresses(tokens, main, verb);
    let is_pronoun = |token: &Token<'_>| matches!(token.text, "it" | "they");
    let has_pronoun = goes_on && clause.first().is_some_and(is_pronoun);
    let is_thing = main == 0
        && text
            .get(..tokens[verb].start)
            .is_some_and(|said| fold(said.trim()) == fold(&thing.name));
    let is_named = |at: usize| clause.get(at).is_some_and(|noun| is_of_name(noun, thing));
    let has_subject = has_pronoun
        || is_thing
        || is_noun(clause, verb - main)
        || is_mass(clause, verb - main, main == 0)
        || is_there(clause, verb - main)
        || goes_on && is_none(clause)
        || main == 0 && is_amount(clause, verb)
        || setting.coded && main == 0 && verb < 3
        || verb == main + 2 && is_named(1)
        || speaks && is_writers(clause, verb - main)
        || (addresses || obliges(tokens, verb)) && is_reader(clause, verb - main)
        || !is_long_gerund(&clause[..verb - main], &tokens[verb])
            && has_subject(clause, verb - main, thing);
    let is_modal = matches!(
        tokens[verb].lower().as_str(),
        "can" | "cannot" | "may" | "must" | "shall" | "should" | "will"
    );
    // `The company may`, in its handbook.
    let has_year = |text: &str| text.split([' ', '.']).any(is_year);
    let is_theirs =
        thing.is_text() && (!is_past(&tokens[verb]) || has_year(text)) || has_year(&thing.name);
    let place = Place { verb, goes_on, label, nouns, speaks, addresses };
    if !has_subject
        || verb == main + 2 && place.of_subject(is_modal).is_bare(clause)
        || is_relative(tokens, main, verb)
        || is_promise(tokens)
        || is_past(&tokens[verb]) && !is_anchored(tokens, speaks)
        || (pointer::begins(clause) || begins_elsewhere(clause)) && !is_named(1) && !is_theirs
        || (0..tokens.len()).any(|at| dangles(tokens, at, &place))
    {
        return None;
    }
    let text = if speaks { text.to_owned() } else { without_also(text, tokens) };
    let text = with_articles(&text, label);
    let said = token::tokens(&text);
    let verb = verb.min(said.len().saturating_sub(1));
    // `The venue`, of which the page tells again and again.
    let holds = !said.get(verb).is_some_and(is_past);
    let is_said = |noun: &str| label.iter().any(|word| word == noun);
    let is_own = |noun: &str| is_own(noun) || is_said(noun) || holds && is_frequent(noun);
    match speaks {
        // As those who wrote it said it, where not a word was changed.
        true => {
            let told = statement_of_writers(&text, &said, verb, is_own)?;
            let (written, said) = (fold(&shown(setting.written)), fold(&told));
            let is_as_written =
                !told.contains(['"', '“']) && written.contains(said.trim_end_matches('.'));
            is_as_written.then(|| format!("\"{told}\""))
        }
        false => statement_of_page(&text, &said, verb, is_own),
    }
}
