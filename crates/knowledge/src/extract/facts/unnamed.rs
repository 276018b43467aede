//! What the sentences of a page say of its own thing without naming it: alone, or whole behind the heading
//! that they stand below.

use std::borrow::Cow;
use std::collections::HashSet;

use super::introduced::Introduced;
use super::own_blocks::OwnBlocks;
use super::pronoun::by_pronoun;
use super::{Told, carry, own, whole};
use crate::extract::Statement;
use crate::extract::page::{Kind, Mark, Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::{self, Token};
use crate::extract::words;

/// What is found of it so far.
pub(super) struct Unnamed<'p> {
    page: &'p Page,
    thing: &'p Thing,
    own_blocks: &'p OwnBlocks,
    /// For each block, the heading that says which part of the thing it is about.
    parts: Vec<Option<String>>,
    /// Nouns that the page has again and again.
    nouns: HashSet<String>,
    /// Those whose thing the page is speak on it.
    ours: bool,
    /// What the page begins with.
    opening: String,
    /// What the last sentence that was kept was about.
    carried: Option<Told>,
    /// What the paragraph brought in.
    introduced: Introduced,
    pub(super) own: Vec<(usize, Statement)>,
    pub(super) whole: Vec<(usize, Statement)>,
}

impl<'p> Unnamed<'p> {
    pub(super) fn of(page: &'p Page, thing: &'p Thing, own_blocks: &'p OwnBlocks) -> Self {
        let opening = page.sentences.iter().take(2).map(|it| page.text(it)).collect();
        let parts = whole::parts(page, thing);
        let nouns = if thing.is_sure { whole::nouns(page) } else { HashSet::new() };
        let ours = thing.is_sure && page.is_given && whole::is_of_writers(page, thing);
        let (own, whole) = (Vec::new(), Vec::new());
        let introduced = Introduced::default();
        Self {
            page,
            thing,
            own_blocks,
            parts,
            nouns,
            ours,
            opening,
            carried: None,
            introduced,
            own,
            whole,
        }
    }

    /// The sentence with what the one before was about for the pronoun that it begins with, and that.
    pub(super) fn resolved<'t>(
        &mut self,
        sentence: &Sentence,
        text: &'t str,
        tokens: &[Token<'_>],
    ) -> (Cow<'t, str>, Option<Told>) {
        let told = self.carried.take().filter(|told| told.block == sentence.block);
        let begins = tokens.first().map(Token::lower).unwrap_or_default();
        let told = told
            .filter(|_| !text.starts_with('(') && matches!(begins.as_str(), "it" | "its" | "they"));
        match told.as_ref().and_then(|told| by_pronoun(text, tokens, told).flatten()) {
            Some(said) => (Cow::Owned(said), told),
            None => (Cow::Borrowed(text), None),
        }
    }

    /// Keeps a sentence that needs no other one. `told` is what its subject was, where the page has a pronoun
    /// for it.
    pub(super) fn take(&mut self, sentence: &Sentence, text: &str, told: Option<Told>) {
        let Self { page, thing, own_blocks, .. } = *self;
        let is_out = !own_blocks.has(sentence)
            || is_of_step(page, sentence)
            || text.starts_with("You ") && is_answer(page, sentence);
        if is_out || own::is_of_before(text, thing, &self.opening) {
            return;
        }
        let tokens = token::tokens(text);
        let mut is_of_other = || {
            let own = (thing, self.opening.as_str());
            self.introduced.is_of_other(page, sentence, &tokens, own)
        };
        if told.is_none() && (is_of_other() || is_of_condition(page, sentence, &tokens)) {
            return;
        }
        let opens = own_blocks.opens(sentence);
        let part = self.parts.get(sentence.block).and_then(Option::as_deref);
        let part = label_of_item(page, sentence).or(part);
        let is_prose = own_blocks.has_prose(page, sentence) || opens;
        let of_own = (self.own.len() < own::MAX_OWN && is_prose)
            .then(|| own::of(text, &tokens, thing, opens))
            .flatten();
        let of_whole = || {
            let coded = match told {
                Some(_) => text.starts_with(|char: char| !char.is_uppercase()),
                None => begins_with_code(page, sentence),
            };
            let item = page.blocks.get(sentence.block).is_some_and(|it| it.kind == Kind::Item);
            let (nouns, written) = (Some(&self.nouns), page.text(sentence));
            let ours = self.ours;
            let setting = whole::Setting { item, part, nouns, ours, coded, written };
            whole::of(text, thing, &setting)
        };
        let is_own = of_own.is_some();
        let of_option = || is_below_option(page, sentence).then(|| own::tagline(text, &tokens));
        let Some(kept) = of_own.or_else(of_whole).or_else(|| of_option().flatten()) else { return };
        let statement = Statement { text: whole::named(thing, part, &kept), line: sentence.line };
        let found = if is_own { &mut self.own } else { &mut self.whole };
        found.push((thing.entity, statement));
        let new = || carry::told(text, &tokens, sentence.block, thing, opens);
        self.carried = told.or_else(new);
    }
}

/// `If a member is on the board, they lose access. The board will review it`: what will be then, only where
/// the condition of the sentence before holds.
fn is_of_condition(page: &Page, sentence: &Sentence, tokens: &[Token<'_>]) -> bool {
    let before = page.before(sentence).last();
    let is_led = before.is_some_and(|it| {
        let text = page.text(it);
        text.starts_with("If ") || text.contains(" if ")
    });
    is_led && own::verb(tokens).is_some_and(|verb| tokens[verb].text == "will")
}

/// `A list of peers to connect to.`, right below the heading `ListenPeers`.
fn is_below_option(page: &Page, sentence: &Sentence) -> bool {
    let heading = sentence.block.checked_sub(1).and_then(|above| page.blocks.get(above));
    let heading = heading.filter(|_| sentence.first);
    let text = page.text(sentence);
    let tells = ["A ", "An ", "The "].iter().any(|article| text.starts_with(article));
    tells
        && text.ends_with('.')
        && heading.is_some_and(|it| {
            let is_coded = it.marks.iter().any(|(range, mark)| {
                *mark == Mark::Code && range.start == 0 && range.end == it.text.trim_end().len()
            });
            matches!(it.kind, Kind::Heading(_)) && is_coded
        })
}

/// Whether code, or what is set off as that is, begins a sentence.
fn begins_with_code(page: &Page, sentence: &Sentence) -> bool {
    let marks = page.blocks.get(sentence.block).map(|block| block.marks.as_slice());
    let mut marks = marks.unwrap_or_default().iter();
    let is_set_off = |mark: &Mark| matches!(mark, Mark::Code | Mark::Strong);
    marks.any(|(range, mark)| is_set_off(mark) && range.start == sentence.range.start)
        && !page.text(sentence).starts_with('(')
}

/// What begins an item and is set off, for what the item goes on with: `**hide** is a list. By default, it
/// is empty.`
fn label_of_item<'p>(page: &'p Page, sentence: &Sentence) -> Option<&'p str> {
    const LONGEST: usize = 40;
    let item = page.blocks.get(sentence.block).filter(|block| block.kind == Kind::Item)?;
    let (range, mark) = item.marks.first().filter(|_| !sentence.first)?;
    let is_label = range.start == 0 && range.len() <= LONGEST && *mark != Mark::Link;
    item.text
        .get(range.clone())
        .filter(|_| is_label)
        .map(|label| label.trim_end_matches([':', '.']))
}

/// Whether the heading above a sentence asks, which tells when `You need` holds.
fn is_answer(page: &Page, sentence: &Sentence) -> bool {
    let above = page.blocks.get(..sentence.block).unwrap_or_default();
    let heading = above.iter().rev().find(|block| matches!(block.kind, Kind::Heading(_)));
    heading.is_some_and(|heading| heading.text.trim_end().ends_with('?'))
}

/// Whether a sentence goes on about a step of what is to be done: `Stretch the dough. It should hold.`
fn is_of_step(page: &Page, sentence: &Sentence) -> bool {
    let item = page.blocks.get(sentence.block).filter(|block| block.kind == Kind::Item);
    item.filter(|_| !sentence.first).is_some_and(|item| {
        let opening = token::tokens(&item.text);
        opening.first().is_some_and(|first| words::is_verb_base(&first.lower()))
    })
}
