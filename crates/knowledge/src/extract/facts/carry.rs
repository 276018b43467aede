//! What a sentence of the page's own is about, so that the next one may go on about it as `it` or `they`.

use super::own::says_text;
use super::whole::first_verb;
use super::{Told, bare, is_plural};
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::extract::words;

/// Most words of a subject that is told again.
const MOST: usize = 7;

/// The subject of a sentence, if nothing stands before it and it is one thing or several of a kind.
pub(super) fn told(
    text: &str,
    tokens: &[Token<'_>],
    block: usize,
    thing: &Thing,
    opens: bool,
) -> Option<Told> {
    let verb = first_verb(tokens).filter(|verb| *verb <= MOST)?;
    let subject = tokens.get(..verb)?;
    let adverbs = subject.iter().rev().take_while(|token| words::is_adverb(&token.lower())).count();
    let subject = &subject[..verb - adverbs];
    let (first, last) = (subject.first()?, subject.last()?);
    let head = subject.iter().take_while(|token| !words::ends_phrase(&token.lower())).last()?;
    let lead = first.lower();
    let article = matches!(lead.as_str(), "a" | "an" | "the" | "this");
    let is_one = subject.iter().all(Token::joins)
        && !subject.iter().any(|token| {
            matches!(token.text, "and" | "of" | "or" | "it" | "that" | "they" | "who")
        })
        && (article || !words::is_starter(&lead));
    if !is_one {
        return None;
    }
    // `St Andrew's`, and `The Linguists is`.
    let is_of_one = matches!(tokens[verb].text, "is" | "was" | "has");
    let plural = is_plural(bare(head.text)) && !is_of_one;
    let is_text = says_text(tokens, thing, opens);
    // `The mane is long. It has stripes`: the thing itself does, of which a part was told.
    if !plural && lead == "the" && !is_text {
        return None;
    }
    let name = || thing.name.rsplit(' ').next().is_some_and(|last| !is_plural(last));
    let surface = match !thing.is_document && is_text && name() {
        true => thing.name.clone(),
        false => {
            let from = if article { subject.get(1)?.start } else { first.start };
            let said = text.get(from..last.end)?;
            if article { format!("The {said}") } else { said.to_owned() }
        }
    };
    Some(Told { entity: thing.entity, block, surface, plural, ..Told::default() })
}
