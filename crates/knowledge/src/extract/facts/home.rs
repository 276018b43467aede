//! The page's own thing, once it was said what it is, and what stands for it from then on: `the film`
//! wherever it is written, `she` and `it` where a paragraph begins.

use std::collections::HashSet;

use super::pronoun;
use super::{Told, bare};
use crate::extract::name::is_year;
use crate::extract::page::{Kind, Page, Sentence};
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::words::{Pairs, Words, list};

/// What was told of the page's thing so far.
#[derive(Default)]
pub(super) struct Home {
    told: Option<Told>,
    /// What others are called to be: `the company` may be one of them.
    others: HashSet<String>,
    /// The thing as a sentence last told of it, and the pronoun that it has as a person.
    last: Option<Told>,
    pronoun: Option<&'static str>,
}

impl Home {
    pub(super) fn take(&mut self, told: &Told, thing: Option<&Thing>) {
        if thing.is_none_or(|thing| thing.entity != told.entity) {
            self.others.extend(told.classes.iter().cloned());
            return;
        }
        if self.told.is_none() && !told.classes.is_empty() {
            self.told = Some(told.clone());
        }
        self.pronoun = self.pronoun.or(told.pronoun);
        self.last = Some(told.clone());
    }

    /// The thing, if a sentence begins with what it is: `The film was`, `The company's`.
    pub(super) fn by_class(&self, tokens: &[Token<'_>]) -> Option<Told> {
        let told = self.told.as_ref()?;
        let at = pronoun::beginning(tokens);
        let article = tokens.get(at).is_some_and(|first| first.lower() == "the");
        // `The small company` may be another one, `the 1968 mission` is not.
        let is_year = tokens.get(at + 1).is_some_and(|token| is_year(token.text));
        let class = bare(&tokens.get(at + if is_year { 2 } else { 1 })?.lower()).to_owned();
        (article && !(is_year && recurs(&class)) && self.is_it(told, &class)).then(|| told.clone())
    }

    /// Whether something else was told to be of a class.
    pub(super) fn tells_of_another(&self, class: &str) -> bool {
        self.others.contains(class)
    }

    /// The thing and its pronoun as a person, for what is told of somebody else.
    pub(super) fn pronoun_beside(&self, entity: usize) -> Option<(usize, &'static str)> {
        let last = self.last.as_ref().filter(|last| last.entity != entity)?;
        Some((last.entity, self.pronoun?))
    }

    fn is_it(&self, told: &Told, class: &str) -> bool {
        told.classes.iter().any(|it| it == class) && !self.others.contains(class)
    }

    /// The name of the thing for what it is, in a sentence that does not name it.
    pub(super) fn called(
        &self,
        class: &str,
        text: &str,
        tokens: &[Token<'_>],
        names: &Names,
    ) -> Option<String> {
        let told = self.told.as_ref().filter(|told| self.is_it(told, class))?;
        let is_named = (0..tokens.len())
            .any(|at| names.at(text, tokens, at).is_some_and(|hit| hit.entity == told.entity));
        (!is_named).then(|| pronoun::with_article(&told.surface, false))
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

/// What takes place again and again: `the 2018 competition` is one of many.
static RECURRING: Words = list!(words "recurring");

/// What else may stand for a class, in lower case: of `a retailer`, `the company`.
static BROADER: Pairs = list!(pairs "broader");

/// Whether something of a class takes place again and again.
pub(super) fn recurs(class: &str) -> bool {
    RECURRING.contains(class)
}

/// What else may stand for a class.
pub(super) fn broader(class: &str) -> Option<&'static str> {
    BROADER.get(class).copied().or_else(|| recurs(class).then_some("event"))
}
