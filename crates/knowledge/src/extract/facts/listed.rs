//! What a page lists of its own thing: the items below `Features`, and those behind a sentence that ends
//! with a colon: `SQLite is found in:`.

use super::own::{COUNTS, has_subject, points, verb};
use super::own_blocks::{OwnBlocks, named};
use super::{is_plural, is_told, shown};
use crate::extract::Statement;
use crate::extract::fold::fold;
use crate::extract::name::tidy;
use crate::extract::page::{Kind, Page};
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};
use std::collections::{HashMap, HashSet};

/// Most items of one list, and most words of one.
const MAX_ITEMS: usize = 25;
const MAX_WORDS: usize = 25;

/// Headings, in lower case, below which it is listed what a thing has.
static OFFERED: Words = list!(phrases "offered_headings");

/// The items of such lists.
pub(super) fn collect(
    page: &Page,
    own_blocks: &OwnBlocks,
    thing: &Thing,
) -> Vec<(usize, Statement)> {
    let mut found: Vec<(usize, Statement)> = Vec::new();
    // Of leads that say how many items follow: the lead, an item and its line.
    let mut counted: Vec<(String, String, usize)> = Vec::new();
    // What stands before each item of the list that goes on, and its number.
    let mut lead: Option<(String, Option<usize>)> = None;
    let mut is_heading = false;
    // Below a lead that says nothing of its items by itself: `Revoke access from:`
    let mut is_led = false;
    let mut count = 0;
    let repeated = repeated_headings(page);
    // The headings that a block stands below: how deep each is, and what it says if it is not the page's title.
    let mut below: Vec<(u8, Option<&str>)> = Vec::new();
    for (number, block) in page.blocks.iter().enumerate() {
        // An item may lead up to others: `The clerk is responsible for:`.
        let next = page.blocks.get(number + 1);
        let leads = block.text.trim_end().ends_with(':')
            && next.is_some_and(|next| next.kind == Kind::Item && next.list != block.list);
        if block.kind == Kind::Item && leads && is_led {
            lead = None;
            continue;
        }
        if block.kind != Kind::Item {
            is_led = block.text.trim_end().ends_with(':');
        }
        if block.kind != Kind::Item || leads {
            lead = lead_of(&block.text, block.kind, thing).map(|lead| (lead, None));
            if let Kind::Heading(level) = block.kind {
                while below.pop_if(|(other, _)| *other >= level).is_some() {}
                // `Features`, below each of several things.
                if repeated.contains(&fold(&block.text)) {
                    let above = below.last().and_then(|(_, text)| *text).map(tidy);
                    lead = lead
                        .zip(above)
                        .map(|((lead, _), above)| (format!("{above}, {lead}"), None));
                }
                below.push((level, (number > 0 && level > 1).then_some(block.text.as_str())));
            }
            is_heading = matches!(block.kind, Kind::Heading(_))
                || block.text.trim().strip_suffix(':').is_some_and(is_offered);
            count = 0;
            continue;
        }
        let Some((lead, list)) = lead.as_mut() else { continue };
        let is_its = is_heading || list.is_none_or(|list| Some(list) == block.list);
        *list = block.list;
        if !is_its || !own_blocks.is_own(number) || count == MAX_ITEMS {
            continue;
        }
        // What is a sentence by itself goes on with no other.
        let all = tokens(block.text.split(" (").next().unwrap_or_default());
        let is_sentence = verb(&all).is_some_and(|verb| {
            let is_relative =
                |token: &Token<'_>| matches!(token.text, "that" | "which" | "who" | "where");
            block.text.trim_end().ends_with('.')
                || !is_heading && !all[..verb].iter().any(is_relative)
        });
        if let Some(item) = item(&block.text).filter(|_| is_heading || !is_sentence) {
            let (text, line) =
                (shown(&named(thing, &format!("{lead}: {item}"))), page.line_of(block));
            match counts(lead) && !is_heading {
                // `It has three properties:`, which are told together or not at all.
                true => counted.push((lead.clone(), item.trim_end_matches('.').to_owned(), line)),
                false if is_told(&text) => {
                    count += 1;
                    found.push((thing.entity, Statement { text, line }));
                }
                false => {}
            }
        }
    }
    for all in counted.chunk_by(|a, b| a.0 == b.0) {
        let [(lead, _, line), ..] = all else { continue };
        let items: Vec<&str> = all.iter().map(|(_, item, _)| item.as_str()).collect();
        let text = shown(&named(thing, &format!("{lead}: {}", items.join("; "))));
        let is_all = number_of(lead).map_or(items.len() > 1, |number| number == items.len());
        if is_all && is_told(&text) {
            found.push((thing.entity, Statement { text, line: *line }));
        }
    }
    found.sort_by_key(|(_, fact)| fact.line);
    found
}

/// What several headings of a page say, folded.
fn repeated_headings(page: &Page) -> HashSet<String> {
    let headings = page.blocks.iter().filter(|it| matches!(it.kind, Kind::Heading(_)));
    let mut seen = HashSet::new();
    headings.map(|it| fold(&it.text)).filter(|text| !seen.insert(text.clone())).collect()
}

/// Whether a lead says how many items follow: `There are two modes`.
fn counts(lead: &str) -> bool {
    lead.ends_with("namely") || number_of(lead).is_some()
}

/// How many things a lead says that there are.
fn number_of(lead: &str) -> Option<usize> {
    let all = tokens(lead);
    let counted = all.windows(2).filter(|two| is_plural(two[1].text));
    let mut numbers =
        counted.filter_map(|two| COUNTS[..9].iter().position(|it| *it == two[0].text));
    numbers.next().map(|at| at + 2)
}

/// The items of lists within a list whose own items are nothing but labels: `CPU`, and below it what that is.
pub(super) fn sheets(
    page: &Page,
    own_blocks: &OwnBlocks,
    thing: &Thing,
) -> Vec<(usize, Statement)> {
    const LEAST: usize = 4;
    const MOST: usize = 40;
    const MAX_LABEL: usize = 4;
    let blocks = &page.blocks;
    let is_label = |at: usize| {
        let (block, next) = (&blocks[at], blocks.get(at + 1));
        let text = block.text.trim();
        block.kind == Kind::Item
            && next.is_some_and(|next| next.kind == Kind::Item && next.list > block.list)
            && text.split(' ').count() <= MAX_LABEL
            && text.starts_with(char::is_uppercase)
            && text.ends_with(char::is_alphanumeric)
            && own_blocks.is_own(at)
    };
    let mut counts: HashMap<Option<usize>, usize> = HashMap::new();
    for at in (0..blocks.len()).filter(|at| is_label(*at)) {
        *counts.entry(blocks[at].list).or_default() += 1;
    }
    let labels = (0..blocks.len())
        .filter(|at| is_label(*at) && counts.get(&blocks[*at].list).is_some_and(|it| *it >= LEAST));
    let told = labels.flat_map(|at| {
        let (label, inner) = (blocks[at].text.trim(), blocks[at + 1].list);
        let below = blocks[at + 1..]
            .iter()
            .take_while(move |it| it.kind == Kind::Item && it.list > blocks[at].list);
        below.filter(move |it| it.list == inner && !it.text.trim_end().ends_with(':')).filter_map(
            move |it| {
                let text = shown(&named(thing, &format!("{label}: {}", item(&it.text)?)));
                let line = page.line_of(it);
                is_told(&text).then_some((thing.entity, Statement { text, line }))
            },
        )
    });
    told.take(MOST).collect()
}

/// What a heading or the last sentence before a list says of each of its items.
fn lead_of(text: &str, kind: Kind, thing: &Thing) -> Option<String> {
    if matches!(kind, Kind::Heading(_)) {
        let heading = tidy(text);
        return is_offered(&heading).then_some(heading);
    }
    // `Features:`, on a line of its own.
    if let Some(label) = text.trim().strip_suffix(':').filter(|label| is_offered(label)) {
        return Some(label.to_owned());
    }
    let range = elophanto_text::sentences::sentences(text).pop()?;
    let sentence = text.get(range)?.trim().strip_suffix(':')?.trim_end();
    // `It consists of the following:`
    let sentence = sentence.strip_suffix(" the following").unwrap_or(sentence);
    let tokens = tokens(sentence);
    // `The headers are:`, of which one is no more than one of them.
    if tokens.last().is_some_and(|last| matches!(last.text, "are" | "is" | "was" | "were")) {
        return None;
    }
    let begins = fold(sentence).starts_with(&format!("{} ", fold(&thing.name)));
    let clear = !tokens.iter().any(|token| token.text == "following")
        && !(0..tokens.len()).any(|at| points(&tokens, at))
        && !sentence.contains(':');
    let verb = verb(&tokens).or_else(|| {
        let last = tokens.len().checked_sub(1)?;
        words::is_finite(&tokens[last].lower(), false).then_some(last)
    })?;
    (clear && (begins || has_subject(&tokens, verb, thing))).then(|| sentence.to_owned())
}

/// `Features`, `Hardware Features`, and no `Planned Features`.
fn is_offered(heading: &str) -> bool {
    const MOST: usize = 3;
    static NOT_HAD: Words = list!(words "not_had");
    let key = fold(heading);
    let of_kind = key.split_once(' ').filter(|_| key.split(' ').count() <= MOST);
    OFFERED.contains(key.as_str())
        || of_kind
            .is_some_and(|(_, rest)| OFFERED.contains(rest.rsplit(' ').next().unwrap_or(rest)))
            && !key.split(' ').any(|word| NOT_HAD.contains(word))
}

/// An item that says what it is, and not what to do or who speaks.
fn item(text: &str) -> Option<&str> {
    let text =
        text.trim().trim_end_matches(" and").trim_end_matches(" or").trim_end_matches([';', ',']);
    let tokens = tokens(text);
    let first = tokens.first()?.lower();
    let plain = (1..=MAX_WORDS).contains(&tokens.len())
        && !text.ends_with([':', '?', ','])
        && !words::is_verb_base(&first)
        && !words::is_pronoun(&first)
        && first != "to"
        && text.starts_with(char::is_alphanumeric)
        && text.chars().filter(|char| char.is_alphabetic()).count() > 2
        && !(0..tokens.len()).any(|at| points(&tokens, at))
        && !text.contains(['{', '}', '=', '|']);
    plain.then_some(text)
}
