//! Parts of a page that hold for one country, one system or one other thing alone: `### New Zealand`,
//! and `### Yasur` on a page about volcanoes.

use std::collections::{HashMap, HashSet};

use super::is_told;
use crate::extract::fold::fold;
use crate::extract::name::{structural, tidy};
use crate::extract::page::{Kind, Page};
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::tokens;
use crate::words::{Words, list};

/// Names, in lower case, that as headings limit what stands below them.
static LIMITING: Words = list!(phrases "limiting_headings");

/// Fewest headings of one depth by which the others of their kind are known.
const LEAST: usize = 2;

/// What a part of a page holds for alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) name: String,
    /// It is something else than the page's thing: what names that is told of all of it.
    is_other: bool,
}

impl Scope {
    /// Whether it limits a fact.
    pub(super) fn holds(&self, names_thing: bool) -> bool {
        !(self.is_other && names_thing)
    }
}

/// For each block, what it holds for alone.
pub(super) fn of(page: &Page, thing: Option<&Thing>) -> Vec<Option<Scope>> {
    let own = thing.map(|thing| fold(&thing.name)).unwrap_or_default();
    let beside = Beside::of(page);
    let written = Written::of(page);
    let mut open: Vec<(u8, Option<Scope>)> = Vec::new();
    let all = page.blocks.iter().enumerate().map(|(number, block)| {
        if let Kind::Heading(level) = block.kind {
            open.retain(|(above, _)| *above < level);
            let heading = tidy(&block.text);
            let limits = level > 1 && !own.contains(&fold(&heading));
            let is_limit = limits && (is_limiting(&heading) || beside.limit(number, &heading));
            let is_other = limits && !is_limit && written.names(&heading);
            let scope = Scope { name: heading, is_other };
            open.push((level, (is_limit || is_other).then_some(scope)));
        }
        open.iter().rev().find_map(|(_, limit)| limit.clone())
    });
    all.collect()
}

/// A country, a system, or a version: `Australia`, `Windows`, `Version 2.1`.
fn is_limiting(heading: &str) -> bool {
    let key = fold(heading);
    let key = key.strip_prefix("the ").unwrap_or(&key);
    let number = key.strip_prefix("version ").or(key.strip_prefix("release "));
    let number = number.or(key.strip_prefix('v')).unwrap_or_default();
    let is_version = number.starts_with(|char: char| char.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    LIMITING.contains(key) || is_version
}

/// What stands beside each heading, below the same one.
struct Beside {
    /// For the number of a block that is a heading, which headings it belongs to.
    group: HashMap<usize, Group>,
    /// How many of them limit, and how many there are.
    counts: HashMap<Group, (usize, usize)>,
}

/// The heading above some headings, and their level.
type Group = (Option<usize>, u8);

impl Beside {
    fn of(page: &Page) -> Self {
        let mut group: HashMap<usize, Group> = HashMap::new();
        let mut counts: HashMap<Group, (usize, usize)> = HashMap::new();
        let mut open: Vec<(u8, usize)> = Vec::new();
        for (number, block) in page.blocks.iter().enumerate() {
            let Kind::Heading(level) = block.kind else { continue };
            open.retain(|(above, _)| *above < level);
            let key = (open.last().map(|(_, number)| *number), level);
            group.insert(number, key);
            let (limiting, all) = counts.entry(key).or_default();
            *limiting += usize::from(is_limiting(&tidy(&block.text)));
            *all += 1;
            open.push((level, number));
        }
        Self { group, counts }
    }

    /// Whether a heading is a name beside several that limit: `British Columbia` between countries.
    fn limit(&self, number: usize, heading: &str) -> bool {
        const MAX_WORDS: usize = 4;
        let counted = self.group.get(&number).and_then(|key| self.counts.get(key));
        let (limiting, all) = counted.copied().unwrap_or_default();
        limiting >= LEAST
            && limiting * 2 >= all
            && heading.split(' ').count() <= MAX_WORDS
            && shape::is_proper(heading)
    }
}

/// The words that a page writes with a capital inside of its sentences, and those in lower case.
struct Written {
    capital: HashSet<String>,
    lower: HashSet<String>,
}

impl Written {
    fn of(page: &Page) -> Self {
        let (mut capital, mut lower) = (HashSet::new(), HashSet::new());
        for sentence in &page.sentences {
            for (at, token) in tokens(page.text(sentence)).iter().enumerate() {
                if !token.is_capitalised() {
                    lower.insert(token.lower());
                } else if at > 0 {
                    capital.insert(token.lower());
                }
            }
        }
        Self { capital, lower }
    }

    /// Whether a heading is a name: each word of it is one wherever the page writes it.
    fn names(&self, heading: &str) -> bool {
        const MAX_WORDS: usize = 3;
        let words = tokens(heading);
        let is_name = |word: &str| self.capital.contains(word) && !self.lower.contains(word);
        words.len() <= MAX_WORDS
            && !words.is_empty()
            && shape::is_proper(heading)
            && structural(heading).is_ok()
            && words.iter().all(|word| word.joins() && is_name(&word.lower()))
    }
}

/// A fact about the thing with its limit behind the name: `Arraignment (New Zealand) – The pleas are`.
pub(super) fn within(text: String, limit: Option<&str>, thing: &Thing) -> String {
    let Some(limit) = limit.filter(|limit| !fold(&text).contains(&fold(limit))) else {
        return text;
    };
    let rest = text.strip_prefix(&format!("{} – ", thing.name)).unwrap_or(&text);
    let limited = format!("{} ({limit}) – {rest}", thing.name);
    if is_told(&limited) { limited } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    #[test]
    fn headings_limit_what_stands_below_them() {
        let page = read(
            "# Plea\n\nA.\n\n## By country\n\nB.\n\n### Australia\n\nC.\n\n### France\n\nD.\n\n\
             ### Rhodesia\n\nE.\n\n## Notes\n\nF.\n\n## Version 2.1\n\nG.",
        );
        let limits = of(&page, None);
        let told =
            page.blocks.iter().zip(&limits).filter(|(block, _)| block.kind == Kind::Paragraph);
        let told: Vec<Option<&str>> =
            told.map(|(_, limit)| limit.as_ref().map(|it| it.name.as_str())).collect();
        assert_eq!(
            told,
            [
                None,
                None,
                Some("Australia"),
                Some("France"),
                Some("Rhodesia"),
                None,
                Some("Version 2.1")
            ]
        );
    }
    #[test]
    fn a_heading_that_names_something_else_limits_what_does_not_name_the_page_s_thing() {
        let page = read(
            "# Volcanoes\n\nA few of them, among them Yasur, are old.\n\n## Yasur\n\nB.\n\n\
             ## Eruptions\n\nMost eruptions are small.\n\n## History\n\nC.",
        );
        let limits = of(&page, None);
        let told: Vec<&Scope> = limits.iter().flatten().collect();
        assert!(!told.is_empty() && told.iter().all(|scope| scope.name == "Yasur"), "{told:?}");
        assert!(told[0].holds(false) && !told[0].holds(true));
    }
}
