//! Whether a noun with `the` stands for what another subject of its paragraph brought in: the collections of
//! the museum that was told of before.

use super::own::verb;
use super::{is_plural, pronoun};
use crate::extract::fold::fold;
use crate::extract::page::{Page, Sentence};
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// Words of a subject that is nothing but a noun.
const MOST: usize = 3;

/// Whether a sentence goes on about something that a sentence before it in the paragraph tells of, and
/// which is not the page's thing.
pub(super) fn is_of_other(
    page: &Page,
    sentence: &Sentence,
    said: &[Token<'_>],
    thing: &Thing,
) -> bool {
    let Some(noun) = bare_subject(said).filter(|_| !sentence.first) else { return false };
    let own = fold(&thing.name);
    let is_own = |word: &str| own.split(' ').any(|own| own == fold(word));
    if is_own(noun) {
        return false;
    }
    let before: Vec<&str> = page.before(sentence).iter().map(|it| page.text(it)).collect();
    let names_thing = |all: &[Token<'_>]| {
        let subject = &all[..verb(all).unwrap_or(0)];
        subject.iter().any(|token| is_own(token.text)) || pronoun::of_thing(all)
    };
    // `There is a tower. The tower has`, and no `Foo has a motor. The motor has`.
    let brings = |text: &&&str| {
        let all = tokens(text);
        let is_brought = all.windows(MOST).any(|run| {
            matches!(run[0].lower().as_str(), "a" | "an")
                && run[1..].iter().any(|token| token.text == noun)
        });
        // `Ann said that branches are down. The branches are`
        let is_brought = is_brought
            || is_plural(noun)
                && all.windows(2).any(|two| two[1].text == noun && two[0].text == "that");
        is_brought && !names_thing(&all)
    };
    // `The Museum is in the castle. The collections include`
    let is_of_named = || {
        let all = before.last().map(|text| tokens(text)).unwrap_or_default();
        let subject = &all[..verb(&all).unwrap_or(0)];
        let mut inner = subject.iter().skip(1).filter(|token| token.is_capitalised());
        is_plural(noun)
            && subject.first().is_some_and(|first| first.text == "The")
            && inner.next().is_some()
            && !names_thing(&all)
    };
    before.iter().any(|text| brings(&text)) || is_of_named()
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
