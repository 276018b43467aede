//! What a page itself is about: what its title, its infobox or its first heading names, or what was
//! asked for where it has none of them.

mod given;
mod topic;

use super::Statement;
use super::changelog;
use super::facts::{is_told, named_below};
use super::fold::fold;
use super::name::{MAX_NAME_WORDS, structural, tidy};
use super::page::{Kind, Page};
use super::shape;
use super::subject::Names;
use super::token::{Token, tokens};
use super::words;
use crate::words::{Words, list};
pub(super) use topic::of_topic;

/// What a document is and not what it is about, as the first or last word of a title.
pub(super) static DOCUMENT_KINDS: Words = list!(words "document_kinds");

/// What parts a title from the name of its site, or from what more it says.
const TITLE_MARKS: &[char] = &['|', '–', '—', ':', '·'];

/// The thing of a page.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) entity: usize,
    /// As the page calls it.
    pub(super) name: String,
    /// Whether the page says so, by its title or by what it begins with.
    pub(super) is_sure: bool,
    /// Whether the page is a document of it, as a policy is: what it says holds for that alone.
    pub(super) is_document: bool,
}

impl Thing {
    /// Whether the page is, or is about, a document of somebody: a policy, a handbook.
    pub(super) fn is_text(&self) -> bool {
        // What is done at somebody is told by them.
        self.is_document || is_document(&self.name) || self.name.contains(" at ")
    }

    /// Puts what holds for this thing alone where that is told: what a policy demands of others is said
    /// of it, and who was elected at a meeting, was at that one.
    pub(super) fn place(&self, fact: &mut (usize, Statement), is_meeting: bool) {
        let (entity, statement) = fact;
        if *entity == self.entity || !self.is_document {
            return;
        }
        let demands = tokens(&statement.text).iter().any(|token| {
            matches!(token.text, "must" | "should" | "shall" | "allowed" | "permitted" | "required")
        });
        if demands && !is_meeting {
            *entity = self.entity;
        }
        if demands || is_meeting {
            statement.text = format!("{} – {}", self.name, statement.text);
        }
    }
}

impl Thing {
    /// Whether the page writes its name, which is one word, in lower case wherever that is not the
    /// first of a sentence: it is a common noun and no name.
    pub(super) fn is_common(&self, page: &Page) -> bool {
        const LEAST: usize = 2;
        let lower = self.name.to_lowercase();
        if self.name.contains(' ') || lower == self.name || words::is_verb_base(&lower) {
            return false;
        }
        let (mut common, mut proper) = (0, 0);
        for sentence in &page.sentences {
            for token in tokens(page.text(sentence)).iter().skip(1) {
                common += usize::from(token.text == lower);
                proper += usize::from(token.text == self.name);
            }
        }
        common >= LEAST && proper == 0
    }

    /// A fact about somebody else, with the whole name for the word of it that stands there; one that speaks
    /// of the thing by its noun is told of the thing.
    pub(super) fn write_out(&self, (entity, statement): &mut (usize, Statement), names: &Names) {
        let text = &statement.text;
        if *entity == self.entity || text.contains(&self.name) {
            return;
        }
        let all = tokens(text);
        let short = (0..all.len()).find_map(|at| {
            let hit = names.at(text, &all, at).filter(|hit| hit.entity == self.entity)?;
            let inner = at > 0 && all[at - 1].is_capitalised() && all[at - 1].joins();
            let word = all[at].text.trim_end_matches("'s").trim_end_matches("’s");
            let is_alone = hit.end == at + 1 && shape::run(&all, at) <= at + 1 && !inner;
            let is_born = at > 0 && matches!(all[at - 1].text, "née" | "nee" | "né" | "geborene");
            let is_short = is_alone && !is_born && super::is_part_of(word, &self.name);
            is_short.then(|| all[at].start..all[at].start + word.len())
        });
        // `Ann Hill led the museum`, on the page of the Foo Museum.
        let own = self.name.rsplit(' ').next().unwrap_or_default().to_lowercase();
        let is_own =
            |two: &[Token<'_>]| two[0].lower() == "the" && two[1].text == own && two[1].joins();
        if self.name.contains(' ') && all.windows(2).any(is_own) {
            *entity = self.entity;
            statement.text = named_below(self, None, text);
            return;
        }
        if let Some(range) = short {
            let mut whole = text.clone();
            whole.replace_range(range, &self.name);
            if is_told(&whole) {
                statement.text = whole;
            }
        }
    }
}

/// What a page is about, if it is something that has a name.
pub(super) fn of(page: &Page, topic: &str, title: Option<&str>, names: &Names) -> Option<Thing> {
    let is_titled = titles(page, title).next().is_some();
    let whole = |name: String| Some((names.whole(&name)?, name));
    let of_document = of_document(page, topic, title, names);
    let is_its_document = of_document.is_some();
    let found = of_document.or_else(|| called(page, topic, title).into_iter().find_map(whole));
    if let Some((entity, name)) = found {
        let is_sure = is_titled
            || begins_with(page, entity, names)
            || of_topic(page, topic, title).is_some_and(|own| own == name);
        let is_document = titles(page, title).next().is_some_and(|title| is_document(&tidy(title)))
            && (fold(&name) == fold(&tidy(topic)) || is_its_document);
        return Some(Thing { entity, name, is_sure, is_document });
    }
    let (entity, name) =
        asked(page, topic, title, names).or_else(|| in_full(page, topic, names))?;
    Some(Thing { entity, name, is_sure: true, is_document: false })
}

/// The titles that a page has, the surest first.
pub(super) fn titles<'p>(page: &'p Page, title: Option<&'p str>) -> impl Iterator<Item = &'p str> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1 | 2)));
    let heading = heading.filter(|block| !block.is_furniture).map(|block| block.text.as_str());
    let all = title.into_iter().chain(page.title.as_deref()).chain(heading);
    all.filter(|title| !changelog::is_version(title))
}

/// Whether the first sentence of a page names an entity where its subject is.
fn begins_with(page: &Page, entity: usize, names: &Names) -> bool {
    const EARLY: usize = 4;
    let Some(first) = page.sentences.first() else { return false };
    let text = page.text(first);
    let tokens = tokens(text);
    (0..EARLY).any(|at| names.at(text, &tokens, at).is_some_and(|hit| hit.entity == entity))
}

/// What was asked for, or the longest name in it, that a title has in it which names nothing else.
fn asked(page: &Page, topic: &str, title: Option<&str>, names: &Names) -> Option<(usize, String)> {
    let topic = tidy(topic);
    let words: Vec<&str> = topic.split(' ').collect();
    if words.len() > MAX_NAME_WORDS {
        return None;
    }
    let parts = (1..=words.len()).rev().flat_map(|length| words.windows(length));
    let (entity, name) = parts.map(|part| part.join(" ")).find_map(|part| {
        let is_name = part.chars().any(char::is_uppercase) || part == topic;
        is_name.then(|| names.whole(&part)).flatten().map(|entity| (entity, part))
    })?;
    let key = spaced(&name);
    titles(page, title).any(|title| tells_of(title, &key, page)).then_some((entity, name))
}

/// What a page without a title begins with, if that is what was asked for in full: `Ada M. Byron`, where `Ada
/// Byron` was.
fn in_full(page: &Page, topic: &str, names: &Names) -> Option<(usize, String)> {
    if titles(page, None).next().is_some() || !topic.contains(' ') {
        return None;
    }
    let first = page.sentences.first()?;
    let text = page.text(first);
    let all = tokens(text);
    let hit = names.at(text, &all, 0)?;
    let name = text.get(..all.get(hit.end.checked_sub(1)?)?.end)?;
    let (own, asked) = (spaced(name), spaced(topic));
    let mut words = own.split_whitespace();
    let is_it = asked.split_whitespace().all(|word| words.any(|own| own == word));
    let ends = |key: &str| key.split_whitespace().last().map(str::to_owned);
    (is_it && ends(&own) == ends(&asked)).then(|| (hit.entity, name.to_owned()))
}

/// Whether a title with a name in it is about that, and not about `Redis Cluster` where Redis is asked
/// for: what it says more is of documents, or leads up to the name, or the page begins with the name.
fn tells_of(title: &str, key: &str, page: &Page) -> bool {
    const EARLY: usize = 6;
    let title = spaced(title.split(TITLE_MARKS).next().unwrap_or_default());
    let Some((before, after)) = title.split_once(key) else { return false };
    let says_nothing = |word: &str| {
        words::is_generic(word)
            || words::is_starter(word)
            || words::is_kind(word)
            || shape::is_joint(word)
            || DOCUMENT_KINDS.contains(word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let leads = before
        .split_whitespace()
        .next_back()
        .is_none_or(|last| LEADING.contains(last) || before.split_whitespace().all(says_nothing));
    if leads && after.split_whitespace().all(says_nothing) {
        return true;
    }
    page.sentences.iter().take(EARLY).any(|sentence| {
        let text = page.text(sentence);
        let tokens = tokens(text);
        let start = super::clause::behind_article(&tokens, 0);
        let end = shape::run(&tokens, start);
        let run = tokens.get(start).zip(tokens.get(end.wrapping_sub(1)));
        let run = run.and_then(|(first, last)| text.get(first.start..last.end));
        run.is_some_and(|run| spaced(run) == key)
    })
}

/// What stands before what a title is about, in lower case.
static LEADING: Words = list!(words "title_leads");

/// What a document is about whose title only says what it is, and is in what was asked for: `Long Term
/// Support`, where `SQLite long term support` was, if the page speaks of SQLite again and again.
fn of_document(
    page: &Page,
    topic: &str,
    title: Option<&str>,
    names: &Names,
) -> Option<(usize, String)> {
    const LEAST: usize = 3;
    let key = spaced(topic);
    let (_, rest) = titles(page, title).find_map(|title| {
        let own = spaced(&tidy(title));
        let rest = key.strip_suffix(own.as_str()).map(str::trim).filter(|rest| !rest.is_empty())?;
        is_document(title).then(|| (own.clone(), rest.to_owned()))
    })?;
    let entity = names.whole(&rest)?;
    let mut own = String::new();
    let named = page.sentences.iter().filter(|sentence| {
        let text = page.text(sentence);
        let tokens = tokens(text);
        let hit = (0..tokens.len()).find_map(|at| {
            let hit =
                names.at(text, &tokens, at).filter(|hit| hit.entity == entity && hit.proper)?;
            text.get(tokens.get(at)?.start..tokens.get(hit.end.checked_sub(1)?)?.end)
        });
        if let Some(hit) = hit.filter(|_| own.is_empty()) {
            hit.trim_end_matches("'s").trim_end_matches("’s").clone_into(&mut own);
        }
        hit.is_some()
    });
    (named.count() >= LEAST).then_some((entity, own))
}

/// The words of a title in lower case, with one blank around each.
pub(super) fn spaced(text: &str) -> String {
    let text = fold(text);
    let words = text.split(|char: char| char.is_whitespace() || ",.:;()|/?!\"“”„«»".contains(char));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

/// Whether a title says what kind of document a page is.
fn is_document(title: &str) -> bool {
    let key = spaced(title);
    let words: Vec<&str> = key.split_whitespace().collect();
    let kinds = words.first().into_iter().chain(words.last());
    kinds.into_iter().any(|word| DOCUMENT_KINDS.contains(*word))
}

/// What a page that lists properties is about, though no sentence of it says so: its title, where that
/// is what was asked for or is written as names are.
pub(super) fn of_properties(page: &Page, topic: &str, title: Option<&str>) -> Option<String> {
    const LEAST: usize = 2;
    let listed = page.rows.iter().filter(|row| row.cells.len() == 2 && row.lists_properties());
    if listed.count() < LEAST {
        return None;
    }
    let asked = fold(topic);
    called(page, topic, title).into_iter().find(|name| {
        let key = fold(name);
        let words: Vec<&str> = key.split(' ').collect();
        let is_asked = format!(" {asked} ").contains(&format!(" {key} "));
        let is_name = shape::is_proper(name)
            && words.iter().all(|word| !words::is_generic(word) && !words::is_starter(word))
            && (words.len() > 1 || shape::is_shaped(name));
        structural(name).is_ok() && (is_asked && !words::is_generic(&key) || is_name)
    })
}

/// The names that a page gives to what it is about, the surest first.
pub(super) fn called(page: &Page, topic: &str, title: Option<&str>) -> Vec<String> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1)));
    let titles = title.into_iter().chain(page.title.as_deref());
    let titles = titles.chain(heading.map(|block| block.text.as_str()));
    // A date names nothing, nor does `Home`.
    let says = |title: &&str| {
        let name = tidy(title.split(TITLE_MARKS).next().unwrap_or_default());
        structural(&name).is_ok() && !words::is_generic(&name.to_lowercase())
    };
    let titles: Vec<&str> = titles.filter(says).collect();
    // A page that has a title is about what that says, whatever was asked for.
    let titles = if titles.is_empty() { vec![topic] } else { titles };
    let part = |title: &str, marks: &[char]| title.split(marks).next().map(tidy);
    // Minutes are those of whom was asked for.
    let mut all: Vec<String> = of_topic(page, topic, title).into_iter().collect();
    for title in titles {
        let short = part(title, TITLE_MARKS);
        let bare = part(title, &['(']);
        let whole = (!title.contains('(')).then(|| tidy(title));
        all.extend(whole.into_iter().chain(bare).chain(short).chain([tidy(title)]));
    }
    let named = page.rows.iter().filter(|row| row.section.is_none() || !row.is_item);
    let named = named.filter_map(|row| match row.cells.as_slice() {
        [key, value] if fold(key) == "name" && row.lists_properties() => Some(tidy(value)),
        _ => None,
    });
    all.extend(named.take(1));
    all.retain(|name| !name.is_empty());
    all.dedup();
    all
}
