//! When something happened, where the sentence that tells it does not say: the heading above it does, or nobody.

use super::whole::{self, is_past};
use super::{is_told, own};
use crate::extract::Statement;
use crate::extract::name::is_year;
use crate::extract::page::Page;
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};
use elophanto_base::lexical::MONTHS;
use std::collections::HashMap;

/// Puts the heading before what happened below one with a year, `Foo, 2011 Cup – Foo saved a penalty`, and leaves
/// out what happened `on May 1` of nobody knows which year.
pub(super) fn tell(page: &Page, thing: &Thing, all: [&mut Vec<(usize, Statement)>; 3]) {
    // `in 2011`, `the 1997–98 season`
    let dates = |it: &&Token<'_>| it.text.split(['–', '-', '/']).next().is_some_and(is_year);
    let years = |text: &str| tokens(text).iter().filter(dates).count();
    let is_of_one_year = years(&thing.name) > 0 || is_of_one_year(page);
    let parts = whole::parts(page, thing);
    let is_dated = |(entity, statement): &mut (usize, Statement)| {
        let told = tokens(&statement.text);
        let dash = told.iter().position(Token::is_dash).map_or(0, |dash| dash + 1);
        let said = &told[dash..];
        let happened = own::verb(said).is_some_and(|verb| is_past(&said[verb]));
        if !happened || years(&statement.text) > 0 {
            return true;
        }
        let above = page.blocks.partition_point(|block| page.line_of(block) <= statement.line);
        let part = above.checked_sub(1).and_then(|block| parts.get(block)?.as_deref());
        let dated = part.filter(|part| years(part) > 0 && dash == 0 && *entity == thing.entity);
        if let Some(part) = dated {
            let told = format!("{}, {part} – {}", thing.name, statement.text);
            if is_told(&told) {
                statement.text = told;
            }
            return true;
        }
        is_of_one_year || !(0..said.len()).any(|at| is_day(said, at) || is_of_match(said, at))
    };
    for found in all {
        found.retain_mut(&is_dated);
    }
}

/// `on May 1`, `in May`, and no `Theresa May`.
fn is_day(said: &[Token<'_>], at: usize) -> bool {
    const LEADING: &[&str] = &["by", "during", "from", "in", "of", "on", "since", "to", "until"];
    let counts = |at: Option<usize>| {
        at.and_then(|at| said.get(at))
            .is_some_and(|it| it.text.starts_with(|it: char| it.is_ascii_digit()))
    };
    let before = at.checked_sub(1);
    let is_led = before.is_some_and(|before| LEADING.contains(&said[before].lower().as_str()));
    said[at].is_capitalised()
        && MONTHS.contains(&said[at].lower().as_str())
        && (is_led || counts(before) || counts(Some(at + 1)))
}

/// `won 3–2`, `in the final.`: of what is played again and again.
fn is_of_match(said: &[Token<'_>], at: usize) -> bool {
    static MATCHES: Words = list!(words "matches");
    static PLAYED: Words = list!(words "played");
    let is_played = || said.iter().any(|it| PLAYED.contains(it.lower().as_str()));
    let article = at.checked_sub(1).is_some_and(|before| matches!(said[before].text, "a" | "the"));
    let ends =
        !said[at].joins() || said.get(at + 1).is_none_or(|next| words::ends_phrase(next.text));
    is_score(said[at].text) && is_played() || MATCHES.contains(said[at].text) && article && ends
}

/// Whether at least half of the years that a page names are the same one, or it names none.
fn is_of_one_year(page: &Page) -> bool {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for sentence in &page.sentences {
        // `1800 UTC`
        let all = tokens(page.text(sentence));
        let is_hour = |at: usize| all.get(at + 1).is_some_and(|next| next.text == "UTC");
        let dated = all.iter().enumerate().filter(|(at, it)| is_year(it.text) && !is_hour(*at));
        for (_, token) in dated {
            *counts.entry(token.text.to_owned()).or_default() += 1;
        }
    }
    let (all, most) = (counts.values().sum::<usize>(), counts.values().max().copied().unwrap_or(0));
    most * 2 >= all
}

/// `3–2`, as matches end.
fn is_score(text: &str) -> bool {
    const MOST: usize = 2;
    let is_count =
        |part: &str| (1..=MOST).contains(&part.len()) && part.bytes().all(|it| it.is_ascii_digit());
    text.split_once(['–', '-']).is_some_and(|(one, other)| is_count(one) && is_count(other))
}
