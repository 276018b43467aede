//! Statements in German, French and Spanish about names that are known or asked for: the name, or
//! the pronoun right behind a sentence about it, and a finite verb. New names are those that can be
//! nothing else, for capitals and word order say other things than in English.

mod german;
mod grammar;
mod names;
mod statements;

use std::borrow::Cow;

use super::Statement;
use super::facts::own::MAX_OWN;
use super::facts::own_blocks::OwnBlocks;
use super::facts::{is_spoken, is_whole, named_below, parts, rows, shown};
use super::fold::fold;
use super::page::Page;
use super::subject::Names;
use super::thing::Thing;
use super::token::tokens;
use grammar::{ENGLISH, GRAMMARS, Grammar};
pub(super) use names::candidates;
use names::is_entry;
use statements::is_impersonal;

/// The language of a page, if it is one of the three, by its frequent words.
pub(super) fn grammar(page: &Page) -> Option<&'static Grammar> {
    let mut english = 0_usize;
    let mut counts = [0_usize; GRAMMARS.len()];
    let mut all = 0_usize;
    for sentence in page.sentences.iter().take(200) {
        for token in tokens(page.text(sentence)) {
            let word = token.lower();
            all += 1;
            english += usize::from(ENGLISH.contains(&word.as_str()));
            for (count, grammar) in counts.iter_mut().zip(&GRAMMARS) {
                *count += usize::from(grammar.frequent.contains(&word.as_str()));
            }
        }
    }
    let (most, grammar) = counts.iter().zip(&GRAMMARS).max_by_key(|(count, _)| **count)?;
    (*most * 10 >= all && *most >= 2 * english.max(1)).then_some(grammar)
}

/// Words of a page below which its language cannot be told.
const FEWEST_TOLD: usize = 30;
/// One word of so many is frequent in any text of a language that is read; tables of figures and names
/// in English have fewer of them than its prose.
const RAREST: usize = 33;

/// Whether a page is written in none of the languages that are read: hardly one of its words is
/// frequent in any of them, or its letters are of another script.
pub(super) fn is_unread(page: &Page) -> bool {
    let (mut known, mut all) = (0_usize, 0_usize);
    let (mut latin, mut letters) = (0_usize, 0_usize);
    for sentence in page.sentences.iter().take(200) {
        let text = page.text(sentence);
        for char in text.chars().filter(|char| char.is_alphabetic()) {
            letters += 1;
            latin += usize::from(u32::from(char) < 0x250);
        }
        for token in tokens(text) {
            let word = token.lower();
            all += 1;
            let is_frequent = ENGLISH.contains(&word.as_str())
                || GRAMMARS.iter().any(|grammar| grammar.frequent.contains(&word.as_str()));
            known += usize::from(is_frequent);
        }
    }
    letters >= FEWEST_TOLD && latin * 2 < letters || all >= FEWEST_TOLD && known * RAREST < all
}

/// The thing, the noun in its name that the page calls it by, and the pronoun for that: `La citadelle`.
fn noun_of(page: &Page, grammar: &Grammar, thing: &Thing) -> Option<(usize, String, &'static str)> {
    let own = fold(&thing.name);
    page.sentences.iter().find_map(|sentence| {
        let text = page.text(sentence);
        let (said, pronoun) = grammar.subject(text, &tokens(text))?;
        let (_, noun) = said.split_once(' ')?;
        let is_own = own.contains(' ') && own.split(' ').any(|word| word == fold(noun));
        is_own.then(|| (thing.entity, said.to_owned(), pronoun))
    })
}

/// What the sentences state of names, in the order of the page.
pub(super) fn collect(
    page: &Page,
    grammar: &Grammar,
    thing: Option<&Thing>,
    names: &Names,
) -> Vec<(usize, Statement)> {
    let mut found = Vec::new();
    // Whom the sentence before was about, under which name, and the one pronoun that stands for a noun.
    let mut before: Option<(usize, String, usize, Option<&str>)> = None;
    let own_blocks = OwnBlocks::of(page, thing, names);
    let mut own: Vec<(usize, Statement)> = Vec::new();
    let parts = thing.map(|thing| parts(page, thing)).unwrap_or_default();
    let person = names::person(page, grammar);
    let noun = thing.filter(|thing| thing.is_sure).and_then(|thing| noun_of(page, grammar, thing));
    for sentence in &page.sentences {
        let block = page.blocks.get(sentence.block).map_or("", |block| block.text.as_str());
        let told = before.take().filter(|(_, _, block, _)| *block == sentence.block);
        // A paragraph of somebody's life goes on about them.
        let told = told.or_else(|| {
            let thing = thing.filter(|_| sentence.first && !found.is_empty())?;
            let begins = page.text(sentence).split(' ').next().map(str::to_lowercase)?;
            let is_person = person == Some(begins.as_str());
            is_person.then(|| (thing.entity, thing.name.clone(), sentence.block, None))
        });
        // `Elle abrite`, where a page about a citadel goes on.
        let told = told.or_else(|| {
            let (entity, noun, pronoun) = noun
                .as_ref()
                .filter(|_| sentence.first && !(own.is_empty() && found.is_empty()))?;
            Some((*entity, noun.clone(), sentence.block, Some(*pronoun)))
        });
        if is_spoken(block, &sentence.range) {
            continue;
        }
        let law = thing.filter(|thing| thing.is_sure && grammar.inverts);
        let text = page.text(sentence);
        let text = law.map_or(Cow::Borrowed(text), |law| german::of_law(text, law));
        let text = german::elected(text.as_ref()).map_or(text.clone(), Cow::Owned);
        let text = text.as_ref();
        let all = tokens(text);
        let named = (0..all.len()).find_map(|from| {
            let hit = names.at(text, &all, from).filter(|hit| !hit.possessive)?;
            grammar.states(&all, from, hit.end).then_some((hit, from))
        });
        let entry = (sentence.first && named.is_none())
            .then(|| names.at(text, &all, 0).filter(|hit| is_entry(&all, hit.end)))
            .flatten()
            // `P.S.: `
            .filter(|_| all.first().is_some_and(|first| !first.text.contains('.')));
        if let Some(hit) = entry
            && let Some(last) = all.get(hit.end - 1)
        {
            let name = text.get(..last.end).unwrap_or_default().to_owned();
            if is_whole(text) {
                let (text, line) = (shown(text), sentence.line);
                found.push((hit.entity, Statement { text, line }));
            }
            before = Some((hit.entity, name, sentence.block, None));
            continue;
        }
        let stated = if let Some((hit, from)) = named {
            let (first, last) = (all.get(from), all.get(hit.end - 1));
            let surface = first.zip(last).and_then(|(first, last)| text.get(first.start..last.end));
            Some((hit.entity, surface.unwrap_or_default().to_owned(), text.to_owned(), None))
        } else if let Some((entity, name, _, only)) = told
            && let [first, verb, ..] = all.as_slice()
            && grammar.pronouns.contains(&first.lower().as_str())
            && only.is_none_or(|only| first.lower() == only)
            && (grammar.is_verb(verb) || grammar.is_second(verb))
            && !is_impersonal(&all)
            && let Some(rest) = text.get(first.end..)
        {
            let said = format!("{name}{rest}");
            Some((entity, name, said, only))
        } else {
            None
        };
        let Some((entity, name, said, only)) = stated else {
            let kept = (own.len() < MAX_OWN && own_blocks.has(sentence))
                .then(|| grammar.own(text, &all, sentence.first))
                .flatten();
            if let Some((thing, told)) = thing.zip(kept.as_deref()) {
                let part = parts.get(sentence.block).and_then(Option::as_deref);
                let told = named_below(thing, part, told);
                own.push((thing.entity, Statement { text: told, line: sentence.line }));
                let subject = grammar.subject(text, &all);
                before = subject.map(|(noun, pronoun)| {
                    (thing.entity, noun.to_owned(), sentence.block, Some(pronoun))
                });
            }
            continue;
        };
        let words = tokens(&said);
        let points = (0..words.len()).any(|at| {
            grammar.pointers.contains(&words[at].lower().as_str()) || grammar.ties(&words, at)
        });
        if !points && is_whole(&said) {
            let (said, line) = (shown(&said), sentence.line);
            match thing.filter(|_| only.is_some()) {
                Some(thing) => {
                    let part = parts.get(sentence.block).and_then(Option::as_deref);
                    own.push((entity, Statement { text: named_below(thing, part, &said), line }));
                }
                None => found.push((entity, Statement { text: said, line })),
            }
        }
        before = Some((entity, name, sentence.block, only));
    }
    found.extend(rows::collect(page, thing, names));
    found.extend(own);
    found
}
