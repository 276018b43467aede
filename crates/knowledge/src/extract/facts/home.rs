//! The page's own thing, once it was told of, for a paragraph that begins with `she` or `it`.

use super::Told;
use super::pronoun;
use crate::extract::page::{Kind, Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::Token;

/// The thing as a sentence last told of it, and the pronoun that it has as a person.
#[derive(Default)]
pub(super) struct Home {
    last: Option<Told>,
    pronoun: Option<&'static str>,
}

impl Home {
    pub(super) fn take(&mut self, told: &Told, thing: Option<&Thing>) {
        if thing.is_some_and(|thing| thing.entity == told.entity) {
            self.pronoun = self.pronoun.or(told.pronoun);
            self.last = Some(told.clone());
        }
    }

    /// The thing, where a sentence goes on about somebody who is not known to be `he` or `she`, with what
    /// stands for the thing.
    pub(super) fn instead(&self, told: Told, tokens: &[Token<'_>]) -> Told {
        let said = pronoun::of_person(tokens).filter(|said| self.pronoun == Some(said));
        match &self.last {
            Some(last)
                if said.is_some() && told.pronoun.is_none() && told.entity != last.entity =>
            {
                Told { pronoun: self.pronoun, block: told.block, ..last.clone() }
            }
            _ => told,
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
