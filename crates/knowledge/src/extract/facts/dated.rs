//! When something happened, where the sentence that tells it does not say: the heading above it does, or nobody.

use super::whole::{self, is_past};
use super::{is_told, own};
use crate::extract::Statement;
use crate::extract::name::is_year;
use crate::extract::page::Page;
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use elophanto_base::lexical::MONTHS;
use std::collections::HashMap;

/// Puts the heading before what happened below one with a year, `Foo, 2011 Cup – Foo saved a penalty`, and leaves
/// out what happened `on May 1` of nobody knows which year.
pub(super) fn tell(page: &Page, thing: &Thing, found: &mut Vec<(usize, Statement)>) {
    // `in 2011`, `the 1997–98 season`
    let dates = |it: &&Token<'_>| it.text.split(['–', '-', '/']).next().is_some_and(is_year);
    let years = |text: &str| tokens(text).iter().filter(dates).count();
    let is_of_one_year = years(&thing.name) > 0 || is_of_one_year(page);
    let parts = whole::parts(page, thing);
    found.retain_mut(|(entity, statement)| {
        let all = tokens(&statement.text);
        let dash = all.iter().position(Token::is_dash).map_or(0, |dash| dash + 1);
        let said = &all[dash..];
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
        let is_month =
            |it: &Token<'_>| it.is_capitalised() && MONTHS.contains(&it.lower().as_str());
        is_of_one_year
            || !said
                .iter()
                .any(|it| is_month(it) || is_score(it.text) || MATCHES.contains(&it.text))
    });
}

/// What is played again and again.
const MATCHES: &[&str] = &[
    "final", "finals", "match", "playoff", "playoffs", "quarter-final", "quarter-finals",
    "semi-final", "semi-finals", "semifinal", "semifinals", "tournament",
];

/// Whether most years that a page names are the same one.
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
    most > 0 && most * 2 >= all
}

/// `3–2`, as matches end.
fn is_score(text: &str) -> bool {
    const MOST: usize = 2;
    let is_count =
        |part: &str| (1..=MOST).contains(&part.len()) && part.bytes().all(|it| it.is_ascii_digit());
    text.split_once(['–', '-']).is_some_and(|(one, other)| is_count(one) && is_count(other))
}
