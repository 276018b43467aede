//! Whether a noun with `the` stands for what another subject of its paragraph brought in: the collections of
//! the museum that was told of before, the park that the section is about.

use std::collections::HashSet;

use super::own::{COUNTS, verb};
use super::pointer::is_idle;
use super::whole::is_past;
use super::{bare, is_plural, pronoun};
use crate::extract::fold::fold;
use crate::extract::page::{Kind, Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// Words of a subject that is nothing but a noun.
const MOST: usize = 3;

/// What the sentences of one paragraph brought in so far.
#[derive(Debug, Default)]
pub(super) struct Introduced {
    block: usize,
    /// Sentences of the paragraph that were looked at.
    taken: usize,
    /// `There is a tower`, and no `Foo has a motor`.
    nouns: HashSet<String>,
    /// `Ann said that branches are down`
    said: HashSet<String>,
    /// Whether the last one names something else: `The Museum is in the castle`.
    is_of_named: bool,
    /// What the section speaks of.
    section: Section,
}

/// The words of a section as far as it was read.
#[derive(Debug, Default)]
struct Section {
    /// Blocks and sentences of the page that were read.
    entered: usize,
    read: usize,
    stems: HashSet<String>,
}

impl Section {
    /// Reads on up to a sentence.
    fn read_to(&mut self, page: &Page, sentence: &Sentence) {
        let is_before =
            |it: &Sentence| (it.block, it.range.start) < (sentence.block, sentence.range.start);
        for it in page.sentences.iter().skip(self.read).take_while(|it| is_before(it)) {
            self.read += 1;
            self.enter(page, it.block);
            self.stems.extend(tokens(page.text(it)).iter().map(|token| stem(token.text)));
        }
        self.enter(page, sentence.block);
    }

    /// Forgets what stands above the heading of a block.
    fn enter(&mut self, page: &Page, block: usize) {
        let new = page.blocks.get(self.entered..=block).unwrap_or_default();
        if new.iter().any(|block| matches!(block.kind, Kind::Heading(_))) {
            self.stems.clear();
        }
        self.entered = self.entered.max(block + 1);
    }
}

/// A noun in lower case without its endings.
fn stem(word: &str) -> String {
    let word = bare(word).to_lowercase();
    word.strip_suffix('s').map(str::to_owned).unwrap_or(word)
}

impl Introduced {
    /// Whether a sentence goes on about something that a sentence before it in the paragraph tells of, and
    /// which is not the page's thing.
    pub(super) fn is_of_other(
        &mut self,
        page: &Page,
        sentence: &Sentence,
        said: &[Token<'_>],
        (thing, opening): (&Thing, &str),
    ) -> bool {
        // What the thing itself is, the page begins with.
        let own = fold(&format!("{} {opening}", thing.name));
        let is_own_noun = |noun: &String| {
            own.split(|it: char| !it.is_alphanumeric()).any(|own| stem(own) == *noun)
        };
        if let Some(noun) = definite(said).map(stem).filter(|noun| !is_own_noun(noun)) {
            self.section.read_to(page, sentence);
            if self.section.stems.contains(&noun) {
                return true;
            }
        }
        let Some(noun) = bare_subject(said).filter(|_| !sentence.first) else { return false };
        if is_own(noun, &fold(&thing.name)) {
            return false;
        }
        self.read_before(page, sentence, thing);
        // `The Museum is in the castle. The collections include`
        self.nouns.contains(noun)
            || is_plural(noun)
                && (self.said.contains(noun)
                    || self.is_of_named
                    || said.get(1).is_some_and(is_past))
    }

    /// Takes down the sentences before this one that were not looked at yet.
    fn read_before(&mut self, page: &Page, sentence: &Sentence, thing: &Thing) {
        if self.block != sentence.block {
            *self = Self { block: sentence.block, ..Self::default() };
        }
        let own = fold(&thing.name);
        for before in page.before(sentence).iter().skip(self.taken) {
            self.taken += 1;
            let all = tokens(page.text(before));
            let subject = &all[..verb(&all).unwrap_or(0)];
            let names_thing =
                subject.iter().any(|it| is_own(it.text, &own)) || pronoun::of_thing(&all);
            let mut inner = subject.iter().skip(1).filter(|token| token.is_capitalised());
            self.is_of_named = subject.first().is_some_and(|first| first.text == "The")
                && inner.next().is_some()
                && !names_thing;
            if names_thing {
                continue;
            }
            let articles =
                all.windows(MOST).filter(|run| matches!(run[0].text, "a" | "A" | "an" | "An"));
            self.nouns.extend(articles.flat_map(|run| &run[1..]).map(|it| it.text.to_owned()));
            let led = all.windows(2).filter(|two| two[0].text == "that");
            self.said.extend(led.map(|two| two[1].text.to_owned()));
        }
    }
}

/// Whether a word is one of the page's thing's name.
fn is_own(word: &str, name: &str) -> bool {
    let word = fold(word);
    name.split(' ').any(|own| own == word)
}

/// The noun of a subject that is nothing else, but for an adjective that tells nobody which one: `The park has`,
/// `The new building houses`, `The park's tables are`.
fn definite<'t>(said: &[Token<'t>]) -> Option<&'t str> {
    let verb = verb(said)?;
    // `The directors shall`: whoever the whole of a text says.
    let obliges = matches!(said[verb].text, "must" | "shall");
    let subject = said.get(1..verb).filter(|_| said[0].text == "The" && !obliges)?;
    let ends = |token: &Token<'_>| !token.joins() || bare(token.text) != token.text;
    let is_inner = |token: &&Token<'_>| !words::is_adverb(&token.lower());
    let subject = &subject[..subject.iter().take_while(is_inner).count()];
    let at = subject.iter().position(ends).unwrap_or(subject.len().checked_sub(1)?);
    let (before, noun) = subject.get(..at).zip(subject.get(at))?;
    let is_whole = !subject.iter().any(|token| words::ends_phrase(&token.lower()));
    (is_whole
        && at < 2
        && before.iter().all(|it| {
            is_idle(it.text) || words::is_participle(it.text) || COUNTS.contains(&it.text)
        }))
    .then_some(noun.text)
}

/// The noun that is all of a subject, with `the` or alone where it is of several.
fn bare_subject<'t>(said: &[Token<'t>]) -> Option<&'t str> {
    let verb = verb(said).filter(|verb| *verb <= MOST)?;
    let noun = said.get(verb.checked_sub(1)?)?;
    let is_bare = match said[0].text {
        "The" => (2..=MOST).contains(&verb),
        _ => verb == 1 && is_plural(&noun.lower()),
    };
    let is_noun = !words::is_adverb(&noun.lower()) && said[..verb].iter().all(Token::joins);
    (is_bare && is_noun).then_some(noun.text)
}
