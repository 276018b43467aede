//! The page's own thing, once it was told of, for a paragraph that begins with `she` or `it`.

use super::Told;
use super::elsewhere::is_named_before;
use super::pronoun::{self, with_article};
use crate::extract::clause;
use crate::extract::page::{Kind, Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// The thing as a sentence last told of it, and the pronoun that it has as a person.
#[derive(Default)]
pub(super) struct Home {
    last: Option<Told>,
    pronoun: Option<&'static str>,
    /// It is told to be a person.
    human: bool,
    /// What the page first says that it is: `Foo is a village and parish`.
    classes: Option<Vec<String>>,
}

impl Home {
    /// Takes down what a statement about the thing says that it is.
    pub(super) fn define(&mut self, told: &Told, thing: Option<&Thing>, said: &str) {
        if self.classes.is_none() && thing.is_some_and(|thing| thing.entity == told.entity) {
            let all = tokens(said);
            let verb = all.iter().position(|it| matches!(it.text, "is" | "was"));
            let verb = verb.filter(|verb| clause::definition(&all, *verb).is_some());
            let behind = verb.and_then(|verb| all.get(verb + 1..)).unwrap_or_default();
            let ends = |at: usize| {
                !behind[at].joins()
                    || behind.get(at + 1).is_none_or(|next| {
                        let word = next.lower();
                        // `a film adaptation of`, `a television series`
                        matches!(next.text, "and" | "or" | "adaptation" | "series")
                            || words::ends_phrase(&word)
                            || words::looks_past(&word)
                    })
            };
            let phrase = behind.iter().take_while(|it| !words::ends_phrase(&it.lower())).count();
            let nouns = (0..phrase).filter(|at| is_named_before(behind[*at].text) && ends(*at));
            self.classes = Some(nouns.map(|at| behind[at].text.to_owned()).collect());
        }
    }

    /// The sentence with the thing's name for `The village`, if that is what the page says that it is, and no other
    /// one was told of right before.
    pub(super) fn by_class(
        &self,
        page: &Page,
        sentence: &Sentence,
        said: &[Token<'_>],
        text: &str,
    ) -> Option<String> {
        const NEAR: usize = 3;
        let (last, classes) = self.last.as_ref().zip(self.classes.as_ref())?;
        let [the, noun, ..] = said else { return None };
        let class = classes.iter().find(|class| *class == noun.text)?;
        let is_it = the.text == "The" && noun.joins();
        if !is_it || last.plural || clause::predicate(said, 2, false).is_none() {
            return None;
        }
        let brings = |before: &Sentence| {
            let said = page.text(before);
            let all = tokens(said);
            let is_other = |two: &[Token<'_>]| {
                matches!(two[0].text, "a" | "an" | "another" | "this") && two[1].text == class
            };
            // `Foo is a village` itself.
            let is_own = all.get(1).is_some_and(|verb| matches!(verb.text, "is" | "was"))
                && said.starts_with(&last.surface);
            !is_own && all.windows(2).any(is_other)
        };
        let before = page.before(sentence);
        let near = &before[before.len().saturating_sub(NEAR)..];
        let name = with_article(&last.surface, true);
        (!near.iter().any(brings)).then(|| format!("{name}{}", &text[noun.end..]))
    }

    /// Whether the thing is somebody, for whom the page has a pronoun: a ship has one too.
    pub(super) fn is_person(&self) -> bool {
        self.pronoun.is_some() && self.human
    }

    pub(super) fn take(&mut self, told: &Told, thing: Option<&Thing>) {
        if thing.is_some_and(|thing| thing.entity == told.entity) {
            self.pronoun = self.pronoun.or(told.pronoun);
            self.human |= told.human;
            self.last = Some(told.clone());
        }
    }

    /// The thing, where a sentence goes on about somebody who is not known to be `he` or `she`, with what
    /// stands for the thing; nobody, where it may stand for either.
    pub(super) fn instead(&self, told: Told, tokens: &[Token<'_>]) -> Option<Told> {
        let said = pronoun::of_person(tokens).filter(|said| self.pronoun == Some(said));
        match &self.last {
            Some(last)
                if said.is_some() && told.pronoun.is_none() && told.entity != last.entity =>
            {
                let own = Told { pronoun: self.pronoun, block: told.block, ..last.clone() };
                (!told.human).then_some(own)
            }
            // Who is `she` elsewhere on the page is no `it`.
            Some(last) if told.entity == last.entity => {
                Some(Told { pronoun: told.pronoun.or(self.pronoun), ..told })
            }
            _ => Some(told),
        }
    }

    /// The thing, where a paragraph begins with a pronoun: a person whose pronoun was used of them
    /// before, or what the paragraph before ended with.
    pub(super) fn by_beginning(
        &self,
        page: &Page,
        sentence: &Sentence,
        tokens: &[Token<'_>],
    ) -> Option<Told> {
        let last = self.last.as_ref().filter(|_| sentence.first)?;
        let is_prose = |block: usize| {
            page.blocks.get(block).is_some_and(|block| block.kind == Kind::Paragraph)
        };
        if !is_prose(sentence.block) {
            return None;
        }
        let told = Told { pronoun: self.pronoun, block: sentence.block, ..last.clone() };
        match pronoun::of_person(tokens) {
            Some(pronoun) => (self.pronoun == Some(pronoun)).then_some(told),
            None => {
                let goes_on =
                    last.block.checked_add(1) == Some(sentence.block) && is_prose(last.block);
                (goes_on && self.pronoun.is_none()).then_some(told)
            }
        }
    }
}
