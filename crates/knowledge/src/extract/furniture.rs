//! What stands around the text of a page: navigation, banners, bylines, footers, lists of links.

use super::page::{Block, Kind, Mark};
use crate::words::{Words, list};

/// Headings, in lower case, under which nothing is told.
static IDLE_SECTIONS: Words = list!(phrases "idle_sections");

/// What such blocks say, in lower case.
static PHRASES: Words = list!(phrases "furniture");

/// How lines begin that say who wrote something, and when.
static BYLINES: Words = list!(phrases "bylines");

/// Marks the blocks that tell nothing.
pub(super) fn tell(blocks: &mut [Block]) {
    idle_sections(blocks);
    lists_of_links(blocks);
    for block in blocks.iter_mut() {
        block.is_furniture = block.is_furniture
            || is_noise(&block.text)
            || (block.kind != Kind::Item && is_links(block))
            || is_byline(&block.text)
            || says_furniture(&block.text);
    }
}

fn idle_sections(blocks: &mut [Block]) {
    let mut idle: Option<u8> = None;
    let mut is_idle_list = false;
    for (number, block) in blocks.iter_mut().enumerate() {
        let title = block.text.trim_end_matches([':', '.', ' ', '#', '¶']).trim().to_lowercase();
        // A heading without marks, whose list tells nothing.
        if block.kind == Kind::Paragraph {
            is_idle_list = !block.text.ends_with('.') && IDLE_SECTIONS.contains(title.as_str());
        }
        block.is_furniture |= is_idle_list && block.kind == Kind::Item;
        if let Kind::Heading(level) = block.kind {
            is_idle_list = false;
            // `# Acknowledgements`, the title of a page about them.
            if number == 0 && level == 1 {
                continue;
            }
            if idle.is_some_and(|above| level <= above) {
                idle = None;
            }
            if idle.is_none() && IDLE_SECTIONS.contains(title.as_str()) {
                idle = Some(level);
            }
        }
        block.is_furniture |= idle.is_some();
    }
}

/// A list of which most items are nothing but links leads around the site. Its number is only
/// compared, so items of one list may stand apart.
fn lists_of_links(blocks: &mut [Block]) {
    let most = blocks.iter().filter_map(|block| block.list).max().unwrap_or(0);
    let mut counts = vec![(0_usize, 0_usize); most + 1];
    for block in blocks.iter() {
        if let Some((items, links)) = block.list.and_then(|list| counts.get_mut(list)) {
            *items += 1;
            *links += usize::from(is_links(block));
        }
    }
    for block in blocks {
        let counted = block.list.and_then(|list| counts.get(list));
        block.is_furniture |=
            counted.is_some_and(|(items, links)| *links > 1 && links * 5 >= items * 3);
    }
}

/// Whether links are nearly all of a block.
fn is_links(block: &Block) -> bool {
    let linked: usize = block
        .marks
        .iter()
        .filter(|(_, mark)| *mark == Mark::Link)
        .map(|(range, _)| range.len())
        .sum();
    let all = block.text.chars().filter(|char| char.is_alphanumeric()).count();
    linked > 0 && linked * 10 >= all * 9
}

/// Too little of it is letters: rules, ASCII art, data.
fn is_noise(text: &str) -> bool {
    let letters = text.chars().filter(|char| char.is_alphabetic()).count();
    letters * 2 < text.chars().count()
}

fn is_byline(text: &str) -> bool {
    let short = text.len() < 120;
    let lower = text.to_lowercase();
    short
        && (is_by(text)
            || BYLINES.iter().any(|start| text.starts_with(start))
            || lower.ends_with("min read")
            || lower.ends_with("minute read")
            || lower.contains("reading time"))
}

/// `By Jane Doe and John Smith`
fn is_by(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("By")
        && text.split_whitespace().count() <= 9
        && words.all(|word| {
            word.starts_with(|char: char| !char.is_lowercase())
                || matches!(word, "and" | "on" | "van" | "de" | "der")
        })
}

fn says_furniture(text: &str) -> bool {
    // Banners are short; a long text that names a policy may tell of one.
    if text.len() > 600 {
        return false;
    }
    let lower = text.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase))
}
