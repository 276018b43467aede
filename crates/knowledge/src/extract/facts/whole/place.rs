//! Where on its page a sentence stands, which is told with it, and which sentences stay where there are
//! too many.

use std::collections::{HashMap, HashSet};

use crate::extract::Statement;
use crate::extract::facts::{is_told, own_blocks};
use crate::extract::fold::fold;
use crate::extract::name::{tidy, without_number};
use crate::extract::page::{Kind, Page};
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// Most words of a heading that says where a sentence stands.
const MAX_HEADING: usize = 6;

/// Headings, in lower case, of what is wanted, feared or asked, and not so.
static INTENDED: Words = list!(phrases "intended_headings");

/// What limits: such a sentence stays where there are too many.
static WEIGHTY: Words = list!(words "weighty");

/// For each block, the heading that says which part of the thing it is about.
pub(in crate::extract) fn parts(page: &Page, thing: &Thing) -> Vec<Option<String>> {
    let own = fold(&thing.name);
    let coded = coded(page);
    // A page whose parts have headings of the first level.
    let tops = page.blocks.iter().filter(|block| block.kind == Kind::Heading(1));
    let has_parts = tops.count() > 2;
    let title = page.blocks.iter().position(|block| block.kind == Kind::Heading(1));
    let mut open: Vec<(u8, Option<String>)> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for block in page.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading(_))) {
        *counts.entry(block.text.trim()).or_default() += 1;
    }
    let all = page.blocks.iter().enumerate().map(|(number, block)| {
        let is_title = Some(number) == title;
        if let Kind::Heading(level) = block.kind {
            open.retain(|(above, _)| *above < level);
            let heading = without_number(block.text.trim_end_matches("[edit]"));
            let heading = tidy(heading.split(" (").next().unwrap_or_default());
            let is_code = || coded.contains(&level) && shape::is_acronym(&heading);
            let is_intent = INTENDED.contains(fold(&heading).as_str());
            let says = (level > 1 || has_parts && !is_title)
                && (tells_part(&heading, &own) || is_intent || is_code());
            // `Health and safety`, below each of several places.
            let above = open.last().and_then(|(_, above)| above.as_deref());
            let is_one_of_several = counts.get(block.text.trim()).is_some_and(|count| *count > 1);
            let part = match above.filter(|_| is_one_of_several) {
                Some(above) => format!("{above}, {heading}"),
                None => heading,
            };
            open.push((level, says.then_some(part)));
        }
        open.last().and_then(|(_, part)| part.clone())
    });
    all.collect()
}

/// The levels on which the headings of a page are words in capitals that are no manual's: `PATCH`, `OPTIONS`.
fn coded(page: &Page) -> HashSet<u8> {
    const OF_MANUALS: &[&str] = &["DESCRIPTION", "NAME", "SYNOPSIS"];
    const LEAST: usize = 2;
    let mut counts: HashMap<u8, usize> = HashMap::new();
    for block in &page.blocks {
        let Kind::Heading(level) = block.kind else { continue };
        if OF_MANUALS.contains(&block.text.trim()) {
            return HashSet::new();
        }
        *counts.entry(level).or_default() += usize::from(shape::is_acronym(block.text.trim()));
    }
    counts.into_iter().filter(|(_, count)| *count >= LEAST).map(|(level, _)| level).collect()
}

/// Nouns that a page has behind `the` again and again: who does what in a policy, what a manual is of.
pub(in crate::extract::facts) fn nouns(page: &Page) -> HashSet<String> {
    const LEAST: usize = 4;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for sentence in &page.sentences {
        let all = tokens(page.text(sentence));
        for two in all.windows(2).filter(|two| matches!(two[0].text, "the" | "The")) {
            *counts.entry(two[1].lower()).or_default() += 1;
        }
    }
    let frequent = counts.into_iter().filter(|(_, count)| *count >= LEAST).map(|(noun, _)| noun);
    // `Renting a van from Foo`, above all that is told of the van.
    let title = page.blocks.iter().find(|block| block.kind == Kind::Heading(1));
    let title = title.map(|block| tokens(&block.text)).unwrap_or_default();
    let titled =
        title.iter().filter(|it| it.text.starts_with(char::is_lowercase)).map(Token::lower);
    frequent.chain(titled.filter(|word| !words::is_starter(word))).collect()
}

/// Whether a heading names a part, and neither asks, commands, nor only says what kind of text follows.
fn tells_part(heading: &str, own: &str) -> bool {
    let key = fold(heading);
    let list: Vec<&str> = key.split(' ').collect();
    let first = list.first().copied().unwrap_or_default();
    list.len() <= MAX_HEADING
        && !heading.ends_with(['?', '!', ':', '.'])
        && heading.starts_with(char::is_alphanumeric)
        && !heading.contains(['|', '`', '<', '{', '"', '“', '”'])
        && !own.contains(&key)
        && !key.contains(own)
        && (!words::is_starter(first) || words::is_determiner(first))
        && !words::is_verb_base(first)
        && !list.iter().all(|word| {
            words::is_generic(word)
                || words::is_starter(word)
                || shape::is_joint(word)
                || word.len() < 2
        })
}

/// `Name, Heading – sentence`, or `Name – sentence` where the heading says nothing that the sentence
/// does not.
pub(in crate::extract) fn named(thing: &Thing, part: Option<&str>, statement: &str) -> String {
    let said = fold(statement);
    let is_said = |part: &&str| {
        let told = |word: &str| {
            let stem = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
            let mut all = said.split(|char: char| !char.is_alphanumeric() && char != '\'');
            all.any(|other| stem(other) == stem(word)) || shape::is_joint(word)
        };
        fold(part).split(' ').all(told)
    };
    let plain = own_blocks::named(thing, statement);
    match part.filter(|part| !is_said(part)) {
        Some(part) => {
            let told = format!("{}, {part} – {statement}", thing.name);
            if is_told(&told) { told } else { plain }
        }
        None => plain,
    }
}

/// Most of them of one page.
pub(super) const MAX_WHOLE: usize = 40;

/// The best of them, as the page has them.
pub(in crate::extract::facts) fn best(found: Vec<(usize, Statement)>) -> Vec<(usize, Statement)> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(weight(&found[at].1.text)));
    order.truncate(MAX_WHOLE);
    let mut at = 0..;
    found.into_iter().filter(|_| at.next().is_some_and(|at| order.contains(&at))).collect()
}

/// What speaks for a sentence where there are too many: figures, limits, causes, what something is, and what
/// holds of all.
fn weight(text: &str) -> usize {
    let all = tokens(text);
    let has = |one: &[&str]| all.iter().any(|token| one.contains(&token.lower().as_str()));
    let counts =
        all.iter().filter(|token| token.text.bytes().any(|byte| byte.is_ascii_digit())).count();
    counts.min(3) * 2
        + usize::from(all.iter().any(|token| WEIGHTY.contains(token.lower().as_str()))) * 2
        + usize::from(text.split(" – ").any(|said| said.starts_with("All "))) * 2
        + usize::from(has(&["because", "causes", "caused", "due", "since"]))
        + usize::from(has(&["is", "are", "means", "called"]))
}
