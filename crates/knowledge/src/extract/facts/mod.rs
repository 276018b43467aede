//! Sentences that state something of an entity.

mod carry;
mod colon;
mod dated;
mod elliptic;
mod elsewhere;
mod example;
mod form;
mod home;
mod introduced;
mod lead;
mod listed;
mod mention;
mod named;
pub(super) mod own;
pub(super) mod own_blocks;
mod phrase;
mod pointer;
mod pronoun;
pub(super) mod questions;
pub(super) mod rows;
mod speech;
mod steps;
mod unnamed;
mod whole;

use std::borrow::Cow;

use super::page::{Kind, Mark, Page, Sentence};
use super::subject::Names;
use super::thing::{Thing, spaced};
use super::token;
use super::words;
use super::{MAX_FACTS, Statement};
use crate::words::{Words, list};
pub use form::FACT_WORDS;
pub(super) use form::{is_plural, is_statement, is_told, is_whole, shown};
use home::Home;
use named::by_name;
pub(in crate::extract) use named::possessed;
use own_blocks::OwnBlocks;
use pronoun::by_pronoun;
pub(super) use speech::is_spoken;
use unnamed::Unnamed;
pub(super) use whole::{named as named_below, parts};

/// What is found: the entity's number and a statement, in the order of the page, what its tables
/// say behind the rest; and whether the page is about somebody.
pub(super) fn collect(
    page: &Page,
    thing: Option<&Thing>,
    names: &Names,
) -> (Vec<(usize, Statement)>, bool) {
    let mut found = Vec::new();
    let mut before: Option<Told> = None;
    let mut home = Home::default();
    let own_blocks = OwnBlocks::of(page, thing, names);
    let (mut limits, mut is_goal, mut leads, mut is_of_other) = (false, false, false, false);
    let mut unnamed = thing.map(|thing| Unnamed::of(page, thing, &own_blocks));
    let stories = example::blocks(page);
    let mut example: Option<usize> = None;
    for sentence in &page.sentences {
        let told = before.take().filter(|told| told.block == sentence.block);
        let block = page.blocks.get(sentence.block).map_or("", |block| block.text.as_str());
        let is_story = stories.get(sentence.block).is_some_and(|is_story| *is_story);
        // What stands in brackets is told beside what stands before.
        if is_story || is_spoken(block, &sentence.range) || page.text(sentence).starts_with('(') {
            continue;
        }
        let text = page.text(sentence);
        let asks = |above: usize| {
            page.blocks.get(above).is_some_and(|it| it.text.trim_end().ends_with('?'))
        };
        let is_answer = sentence.first && sentence.block.checked_sub(1).is_some_and(asks);
        let answer = text.strip_prefix("A. ").or_else(|| text.strip_prefix("A: "));
        let text = answer.filter(|_| is_answer).unwrap_or(text);
        let text = lead::without(text).map_or(Cow::Borrowed(text), Cow::Owned);
        let text = colon::closed(page, sentence, text.as_ref()).map_or(text, Cow::Owned);
        let text = text.as_ref();
        let tokens = token::tokens(text);
        let line = sentence.line;
        // What follows is so in the example only.
        example = example.filter(|block| *block == sentence.block);
        example = example.or_else(|| example::begins(&tokens).then_some(sentence.block));
        if example.is_some() {
            continue;
        }
        let item = page.blocks.get(sentence.block).is_some_and(|block| block.kind == Kind::Item);
        // `It is complete if it:`, whose items are no statements.
        if !item {
            limits = colon::limits(text);
            leads = text.ends_with(':');
            is_of_other = leads && tokens.first().is_some_and(|it| is_owned_elsewhere(it, thing));
            is_goal = colon::is_goal(text);
        }
        // `Before you begin, see to it that:`, `You may have it on in one of these ways:`
        let addresses = tokens.first().is_some_and(|it| matches!(it.text, "You" | "Your"));
        if item && (is_goal || is_of_other || leads && addresses) {
            continue;
        }
        // `Ann Hill: [A Day at Foo]`: the title of something else.
        if item && sentence.first && is_link_entry(page, sentence) {
            continue;
        }
        // What is told behind `crates.io:`, which is linked, holds there.
        if item && !sentence.first && is_below_link(page, sentence) {
            continue;
        }
        if named::is_of_namesake(text, &tokens, names) {
            continue;
        }
        let of_class = home.by_class(page, sentence, &tokens, text);
        let text = of_class.as_deref().unwrap_or(text);
        let tokens = if of_class.is_some() { token::tokens(text) } else { tokens };
        let about = found.len();
        let somebody = told.clone().filter(|told| told.pronoun.is_some());
        let told = told.and_then(|told| home.instead(told, &tokens));
        let goes_on = told.or_else(|| {
            home.by_beginning(page, sentence, &tokens).filter(|_| own_blocks.has(sentence))
        });
        if let Some((mut told, fact)) = by_name(sentence, text, &tokens, item, names) {
            told.owns |= thing.is_some_and(|thing| is_after(&told, thing, page, sentence));
            if thing.is_some_and(|thing| is_of_kin(page, sentence, &told.surface, thing)) {
                continue;
            }
            if let Some(text) = fact {
                let also = told.also.map(|also| (also, Statement { text: text.clone(), line }));
                found.push((told.entity, Statement { text, line }));
                found.extend(also);
            }
            home.take(&told, thing);
            home.define(&told, thing, text);
            before = Some(told);
        } else if let Some(mut told) = goes_on
            && let Some(fact) = by_pronoun(text, &tokens, &told)
        {
            told.pronoun = told.pronoun.or(pronoun::of_person(&tokens));
            found.extend(fact.map(|text| (told.entity, Statement { text, line })));
            home.take(&told, thing);
            before = Some(told);
        } else if let Some((entity, text)) = phrase::of(text, &tokens, thing, names) {
            found.push((entity, Statement { text, line }));
        } else if let Some(told) = somebody.filter(|told| pronoun::goes_on_about(&tokens, told)) {
            before = Some(told);
        }
        let Some((thing, unnamed)) = thing.zip(unnamed.as_mut()) else { continue };
        let (text, told) = unnamed.resolved(sentence, text, &tokens);
        if found.len() > about {
            continue;
        }
        let text = text.as_ref();
        let tokens = token::tokens(text);
        if let Some(text) = mention::of(text, &tokens, item, thing, names) {
            found.push((thing.entity, Statement { text, line }));
        } else if let Some(text) = elliptic::of(page, sentence, text, &tokens, (thing, &own_blocks))
        {
            found.push((thing.entity, Statement { text, line }));
        } else if !(item && (limits || leads && colon::is_fragment(&tokens))) {
            unnamed.take(sentence, text, told);
        }
    }
    let (mut own, mut whole) = unnamed.map(|it| (it.own, it.whole)).unwrap_or_default();
    // What a page about somebody says without naming them is about others.
    if home.is_person() {
        (own, whole) = Default::default();
    }
    if let Some(thing) = thing.filter(|thing| thing.is_sure) {
        dated::tell(page, thing, [&mut found, &mut own, &mut whole]);
    }
    let mut cells = rows::collect(page, thing, names);
    // Cells leave room for sentences.
    if let Some(thing) = thing {
        let is_its = |(entity, _): &&(usize, Statement)| *entity == thing.entity;
        let told = found.iter().filter(is_its).count() + own.len() + whole.len();
        let room = MAX_FACTS.saturating_sub(told).max(MAX_FACTS / 2);
        let mut count = 0;
        cells.retain(|cell| {
            count += usize::from(is_its(&cell));
            !is_its(&cell) || count <= room
        });
    }
    found.extend(cells);
    if let Some(thing) = thing.filter(|thing| thing.is_sure) {
        let mut answers = listed::collect(page, &own_blocks, thing);
        answers.extend(listed::sheets(page, &own_blocks, thing));
        answers.extend(questions::collect(page, &own_blocks, thing, &found));
        if page.is_given {
            answers.extend(steps::collect(page, thing));
        }
        // What answers a question needs it, and an item its lead.
        for all in [&mut own, &mut whole] {
            all.retain(|(_, fact)| {
                let said = fact.text.split_once(" – ").map_or(fact.text.as_str(), |(_, said)| said);
                !answers.iter().any(|(_, answer)| answer.text.contains(said))
            });
        }
        own.extend(answers);
    }
    // What is told without its name comes last: there is room for so many facts alone.
    found.extend(own);
    found.extend(whole::best(whole));
    (found, home.is_person())
}

/// Whom the sentence before was about.
#[derive(Clone, Default)]
struct Told {
    entity: usize,
    /// The other of two: `X and Y are`.
    also: Option<usize>,
    block: usize,
    /// As it was written, article included.
    surface: String,
    plural: bool,
    /// It has a name as persons have: `she` may stand for it.
    person: bool,
    /// `he` or `she`, where one of them stood for it already: the other is somebody else.
    pronoun: Option<&'static str>,
    /// It is told to be a person: `it` stands for nothing of that name.
    human: bool,
    /// It did something to one thing, for which `it` may stand as well.
    acts: bool,
    /// Something that it has, or whose name has its name in it, was told of: `it` may stand for either.
    owns: bool,
}

/// Whether all that an item says behind a colon is a link.
fn is_link_entry(page: &Page, sentence: &Sentence) -> bool {
    let block = page.blocks.get(sentence.block);
    block.is_some_and(|block| {
        let is_rest = |(range, mark): &(std::ops::Range<usize>, Mark)| {
            *mark == Mark::Link
                && range.end >= block.text.trim_end().len()
                && block.text[..range.start].trim_end().ends_with(':')
        };
        block.marks.iter().any(is_rest)
    })
}

/// Whether a sentence is about something else that the page's thing gave its name, of which the paragraph told
/// before: `Foo is fast. The Foo Society has members. Its users`.
fn is_after(told: &Told, thing: &Thing, page: &Page, sentence: &Sentence) -> bool {
    let has_name = |text: &str| spaced(text).contains(&spaced(&thing.name));
    told.entity != thing.entity
        && has_name(&told.surface)
        && page.before(sentence).iter().any(|before| has_name(page.text(before)))
}

/// `Byron`, on the page of Ada Byron, where the paragraph told of Bo Byron before.
fn is_of_kin(page: &Page, sentence: &Sentence, surname: &str, thing: &Thing) -> bool {
    static TITLES: Words = list!(words "name_titles");
    /// Tokens with which a subject begins.
    const SUBJECT: usize = 5;
    let Some((firsts, last)) = thing.name.rsplit_once(' ') else { return false };
    let is_own = |word: &token::Token<'_>| spaced(firsts).contains(&spaced(bare(word.text)));
    let is_kin = |said: &[token::Token<'_>], at: usize| {
        // All names before the last one: `Ann May` of `Ann May Hill`.
        let begins = said[..at].iter().rposition(|it| !(it.is_capitalised() && it.joins()));
        let names = &said[begins.map_or(0, |at| at + 1)..at];
        // `President Lincoln`, of Abraham Lincoln.
        let is_name = |it: &token::Token<'_>| {
            let word = it.lower();
            !words::is_starter(&word) && !words::is_lead(&word) && !TITLES.contains(it.text)
        };
        bare(said[at].text) == last && names.iter().any(is_name) && !names.iter().any(is_own)
    };
    surname == last
        && page.before(sentence).iter().any(|it| {
            let said = token::tokens(page.text(it));
            (1..said.len().min(SUBJECT)).any(|at| is_kin(&said, at))
        })
}

/// `Python's libraries have these faults:`, whose items tell of Python.
fn is_owned_elsewhere(first: &token::Token<'_>, thing: Option<&Thing>) -> bool {
    const NOBODY: &[&str] =
        &["he", "here", "how", "it", "let", "she", "that", "there", "what", "where", "who"];
    let owner = bare(first.text);
    owner != first.text
        && !NOBODY.contains(&owner.to_lowercase().as_str())
        && first.is_capitalised()
        && thing.is_some_and(|thing| !spaced(&thing.name).contains(&spaced(owner)))
}

/// Whether the item that a sentence stands in begins with a link as its label.
fn is_below_link(page: &Page, sentence: &Sentence) -> bool {
    let block = page.blocks.get(sentence.block);
    block.is_some_and(|block| {
        let first = block.marks.first().filter(|(range, _)| range.start == 0);
        first.is_some_and(|(range, mark)| {
            let behind = block.text.get(range.end..).unwrap_or_default();
            *mark == Mark::Link && [":", " –", " —", " - "].iter().any(|it| behind.starts_with(it))
        })
    })
}

/// A word without its possessive.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word)
}
