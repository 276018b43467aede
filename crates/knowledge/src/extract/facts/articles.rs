//! Pages of several articles, of which one is about the page's thing: what the others say is said of
//! something else.

use std::collections::HashSet;

use crate::extract::fold::fold;
use crate::extract::page::{Kind, Page};
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::tokens;
use crate::extract::words;

/// Fewest words of the heading of an article.
const LEAST: usize = 5;
/// Deepest heading of one.
const DEEPEST: u8 = 2;

/// The numbers of the blocks of articles that do not name the thing, beside one whose heading does.
pub(super) fn of_others(page: &Page, thing: &Thing) -> HashSet<usize> {
    let own = fold(&thing.name);
    let own: Vec<&str> = own.split(' ').filter(|word| !shape::is_joint(word)).map(one).collect();
    let names = |text: &str| {
        let text = fold(text);
        let said: HashSet<&str> = text.split(|it: char| !it.is_alphanumeric()).map(one).collect();
        own.iter().all(|word| said.contains(word))
    };
    let mut articles: Vec<(bool, std::ops::Range<usize>)> = Vec::new();
    let mut is_open = false;
    for (number, block) in page.blocks.iter().enumerate() {
        match block.kind {
            Kind::Heading(DEEPEST) => {
                is_open = is_headline(&block.text);
                articles.extend(is_open.then(|| (names(&block.text), number..number + 1)));
            }
            Kind::Heading(level) if level < DEEPEST => is_open = false,
            _ if is_open => {
                articles.iter_mut().next_back().into_iter().for_each(|it| it.1.end = number + 1);
            }
            _ => {}
        }
    }
    let has_own = articles.iter().any(|(is_own, _)| *is_own);
    let is_other = |(is_own, blocks): &(bool, std::ops::Range<usize>)| {
        let mut texts = page.blocks.get(blocks.clone()).unwrap_or_default().iter();
        !is_own && !texts.any(|block| names(&block.text))
    };
    let others = articles.into_iter().filter(|it| has_own && is_other(it));
    others.flat_map(|(_, blocks)| blocks).collect()
}

/// `Axolotls Lose Their Powers When They Grow`: a sentence with capitals.
fn is_headline(heading: &str) -> bool {
    let all = tokens(heading);
    let is_capital = |token: &&crate::extract::token::Token<'_>| {
        let word = token.lower();
        token.is_capitalised() || words::is_starter(&word) || shape::is_joint(&word)
    };
    all.len() >= LEAST && all.iter().filter(is_capital).count() + 1 >= all.len()
}

/// A word without the ending of several.
fn one(word: &str) -> &str {
    word.strip_suffix('s').filter(|one| one.len() > 2 && !one.ends_with('s')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::of_others;
    use crate::extract::page::read;
    use crate::extract::thing::Thing;

    #[test]
    fn articles_about_something_else_are_told_by_their_headlines() {
        let thing = Thing {
            entity: 0,
            name: "spiny lobster".to_owned(),
            is_sure: true,
            is_document: false,
            is_written: true,
        };
        let own = "# Digest\n\n## Spiny Lobsters Can Handle Some Warm Water\n\nA.\n\n";
        let page = read(&format!(
            "{own}## Axolotls Lose Their Powers When They Grow\n\nB.\n\n### How\n\nC.\n\n\
             ## Reserves Pay Off in the West\n\nThe spiny lobster is back.\n\n## Notes\n\nD."
        ));
        let mut others: Vec<&str> = of_others(&page, &thing)
            .into_iter()
            .map(|number| page.blocks[number].text.as_str())
            .filter(|text| text.len() < 5)
            .collect();
        others.sort_unstable();
        assert_eq!(others, ["B.", "C.", "How"]);
        let alone = read("# Digest\n\n## Axolotls Lose Their Powers When They Grow\n\nB.");
        assert!(of_others(&alone, &thing).is_empty());
    }
}
