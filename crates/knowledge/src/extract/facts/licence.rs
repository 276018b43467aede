//! Under which licence a page says that its thing is: `Licensed under the MIT license.`, and `Licensed under
//! either of` above a list of them.

use super::own::Ground;
use super::{is_told, shown};
use crate::extract::Statement;
use crate::extract::page::{Block, Kind, Page};
use crate::extract::thing::Thing;

/// Most licences of one thing.
const MAX_LICENCES: usize = 4;
/// Most words of the name of one.
const MAX_WORDS: usize = 10;

/// What is said of them, in the order of the page; one statement for a list.
pub(super) fn collect(page: &Page, ground: &Ground, thing: &Thing) -> Vec<(usize, Statement)> {
    let own = page
        .blocks
        .iter()
        .enumerate()
        .filter(|(number, block)| block.kind == Kind::Paragraph && ground.is_own(*number));
    let told = own.filter_map(|(number, block)| {
        let rest = behind_subject(&block.text)?;
        let under = rest.trim_end().trim_end_matches(':');
        let licences = match under {
            "either of" | "one of" | "any of" | "both" => {
                format!("{under} {}", listed(page.blocks.get(number + 1..)?, under)?)
            }
            _ => first_sentence(rest)?,
        };
        let text = shown(&format!("{} is licensed under {licences}", thing.name));
        let line = page.line_of(block);
        is_told(&text).then_some((thing.entity, Statement { text, line }))
    });
    told.collect()
}

/// What stands behind `Licensed under` and `This crate is licensed under`.
pub(super) fn behind_subject(text: &str) -> Option<&str> {
    const VERBS: &[&str] = &["licensed under ", "dual-licensed under ", "distributed under "];
    let text = text.trim_start();
    let head = text.get(..text.floor_char_boundary(60))?.to_lowercase();
    let (at, verb) = VERBS.iter().find_map(|verb| Some((head.find(verb)?, verb)))?;
    let subject = head[..at].trim_end();
    let subject = subject.trim_end_matches("dual-").trim_end_matches(" dual").trim_end();
    let is_its = subject.is_empty()
        || subject.strip_suffix(" is").is_some_and(|subject| {
            subject.strip_prefix("this ").is_some_and(|noun| !noun.contains(' '))
        });
    is_its.then(|| text.get(at + verb.len()..)).flatten()
}

/// A whole sentence that speaks of nothing but what is licensed.
fn first_sentence(rest: &str) -> Option<String> {
    let range = elophanto_text::sentences::sentences(rest).into_iter().next()?;
    let sentence = rest.get(range)?.trim();
    let elsewhere = ["either of", "following", "these", "same", "http", "below", "above", "see "];
    let points = elsewhere.iter().any(|word| sentence.to_lowercase().contains(word));
    let ends = sentence.ends_with('.') || sentence.len() == rest.trim().len();
    let plain = !sentence.ends_with([':', ',', ';', '?']);
    (ends && plain && !points).then(|| sentence.to_owned())
}

/// The licences of a list, joined.
fn listed(blocks: &[Block], under: &str) -> Option<String> {
    let items = blocks.iter().take_while(|block| block.kind == Kind::Item);
    let names: Vec<&str> = items
        .map(|item| {
            let name = item.text.split(" (").next().unwrap_or_default().split(" http").next();
            name.unwrap_or_default().trim().trim_end_matches([',', ';', '.', ':'])
        })
        .map(|name| name.strip_suffix(" or").unwrap_or(name).trim_end_matches(','))
        .collect();
    let plain = |name: &&str| {
        let words = name.split_whitespace().count();
        (1..=MAX_WORDS).contains(&words) && name.contains(char::is_uppercase)
    };
    let fits = (2..=MAX_LICENCES).contains(&names.len()) && names.iter().all(plain);
    let joint = if under == "both" { " and " } else { " or " };
    fits.then(|| names.join(joint))
}
