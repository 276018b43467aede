//! What a page itself is about: what its title, its infobox or its first heading names, or what was
//! asked for where it has none of them.

use std::collections::{HashMap, HashSet};

use super::Statement;
use super::facts::is_told;
use super::fold::fold;
use super::meeting;
use super::name::{MAX_NAME_WORDS, structural, tidy};
use super::page::{Block, Kind, Page};
use super::shape;
use super::subject::Names;
use super::token::tokens;
use super::words;
use crate::words::{Words, list};

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
    /// Whether the page writes its name, which is more than what was asked for.
    pub(super) is_written: bool,
}

impl Thing {
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

    /// A fact about somebody else, with the whole name for the word of it that stands there.
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
            let is_short = is_alone && super::is_part_of(word, &self.name);
            is_short.then(|| all[at].start..all[at].start + word.len())
        });
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
    let found = of_document.or_else(|| called(page, topic, title).into_iter().find_map(whole));
    if let Some((entity, name)) = found {
        let is_sure = is_titled
            || begins_with(page, entity, names)
            || of_topic(page, topic, title).is_some_and(|own| own == name);
        let is_document = titles(page, title).next().is_some_and(|title| is_document(&tidy(title)))
            && fold(&name) == fold(&tidy(topic));
        let key = fold(&name);
        let is_written = titles(page, title).any(|title| fold(title).contains(&key))
            || page.blocks.iter().any(|block| fold(&block.text).contains(&key));
        return Some(Thing { entity, name, is_sure, is_document, is_written });
    }
    let (entity, name) =
        asked(page, topic, title, names).or_else(|| in_full(page, topic, names))?;
    Some(Thing { entity, name, is_sure: true, is_document: false, is_written: true })
}

/// The titles that a page has, the surest first.
pub(super) fn titles<'p>(page: &'p Page, title: Option<&'p str>) -> impl Iterator<Item = &'p str> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1 | 2)));
    let heading = heading.filter(|block| !block.is_furniture);
    title.into_iter().chain(page.title.as_deref()).chain(heading.map(|block| block.text.as_str()))
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
        .is_none_or(|last| LEADING.contains(&last) || before.split_whitespace().all(says_nothing));
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
const LEADING: &[&str] = &[
    "about", "for", "in", "into", "is", "of", "on", "to", "with", "à", "con", "de", "des", "du",
    "der", "en", "für", "sobre", "sur", "und", "von", "vom", "zu", "zum", "zur", "a",
];

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
    let words = text.split(|char: char| char.is_whitespace() || ",.:;()|/?!".contains(char));
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

/// The name of what was asked for where a page's title is that, has it in it, or only says what kind
/// of document it is.
pub(super) fn of_topic(page: &Page, topic: &str, title: Option<&str>) -> Option<String> {
    /// How often a page whose title does not name it does.
    const LEAST: usize = 2;
    /// Letters of a title that may be all of a topic's end.
    const LONG: usize = 5;
    let topic = tidy(topic);
    let key = spaced(&topic);
    if is_said(&topic)
        || structural(&topic).is_err()
        || words::is_generic(key.trim())
        || key.trim().is_empty()
    {
        return None;
    }
    let mut all = titles(page, title).peekable();
    if all.peek().is_none() {
        let is_given =
            page.is_given && !begins_with_name(page, &topic) && speaks_of(page, &key, title);
        let is_its = is_given || is_called(&topic) && is_covered(page, &key, title);
        return is_its.then_some(topic);
    }
    let mut documents = Vec::new();
    // `Berlin, Mitte`, given for what was asked for as `Foo office Berlin Mitte`.
    let mut is_in_topic = false;
    for title in all {
        let bare = tidy(title.split(TITLE_MARKS).next().unwrap_or_default());
        let own = spaced(&bare);
        let last = own.split_whitespace().next_back().unwrap_or_default();
        let is_kind = own.trim().contains(' ') && words::is_generic(last);
        let is_same = own == key || letters(&own) == letters(&key);
        if (is_same && !is_kind || abbreviates(&own, &key)) && !is_said(&bare) {
            // `Animalia (book)`: what is in brackets tells it from others of the name.
            let name = bare.split(" (").next().map(tidy).unwrap_or_default();
            return Some(name);
        }
        // Of `Women's Rights`, who asks for `women's rights history` reads the same.
        let is_name = !is_kind && !is_said(&bare) && !is_document(&bare);
        let is_part = match own.trim().contains(' ') {
            true => key.contains(own.as_str()),
            false => own.trim().len() >= LONG && key.ends_with(own.as_str()) && own != key,
        };
        if is_name && is_part && !words::is_generic(own.trim()) {
            return Some(bare);
        }
        is_in_topic |= page.is_given
            && own.trim().contains(' ')
            && letters(&own).len() > LONG
            && letters(&key).contains(&letters(&own));
        if tells_of(title, &key, page) && is_written_as_name(page, &topic) {
            return Some(topic);
        }
        if is_document(&bare) {
            documents.extend([without_kinds(&own), own]);
        }
    }
    let more = documents.iter().any(|own| own.trim().contains(' ') && key.contains(own.as_str()));
    let named = || {
        let texts = page.blocks.iter().map(|block| spaced(&block.text));
        texts.filter(|text| text.contains(&key)).take(LEAST).count() == LEAST
    };
    let begins = || {
        let first = page.blocks.iter().find(|block| block.kind == Kind::Paragraph);
        is_called(&topic) && first.is_some_and(|block| spaced(&block.text).contains(&key))
    };
    let is_its = more || !documents.is_empty() && (named() || begins() || is_set_off(page, &key));
    let is_given = || {
        !is_of_another(page, title)
            && !begins_with_name(page, &topic)
            && speaks_of(page, &key, title)
    };
    // `(29/4/24) Meeting Minutes`, which whoever gave them asked for as those of somebody.
    let is_plain = page.is_given && titles(page, title).all(meeting::says_only_kind_and_day);
    let is_its = is_its || is_in_topic || is_plain || page.is_given && is_given();
    (is_its || is_called(&topic) && is_covered(page, &key, title)).then_some(topic)
}

/// Whether a text that the user gave for what they asked for speaks of it: each word of that, but for what
/// documents are called, stands where the text says what it is about, or again and again in it; or it
/// begins with half of the words, and not with whose document it is: `Our Rituals`, of `Foo rituals`.
fn speaks_of(page: &Page, key: &str, title: Option<&str>) -> bool {
    /// How often a text has the word: at least, once in so many of its words, and no more than that.
    const LEAST: usize = 2;
    const FAR: usize = 600;
    const MOST: usize = 3;
    let words_of = |text: &str| {
        let text = fold(text);
        let words =
            text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(|word| stem(word).to_owned()).collect::<Vec<String>>()
    };
    let first = page.blocks.iter().find(|block| block.kind == Kind::Paragraph);
    let is_heading = |block: &&Block| matches!(block.kind, Kind::Heading(_));
    let tops = page.blocks.iter().filter(is_heading).chain(first).map(|block| block.text.as_str());
    let tops: HashSet<String> = titles(page, title).chain(tops).flat_map(words_of).collect();
    let texts = page.blocks.iter().map(|block| block.text.as_str());
    let cells = page.rows.iter().flat_map(|row| row.cells.iter().chain(&row.header));
    let (mut counts, mut all) = (HashMap::<String, usize>::new(), 0);
    for word in texts.chain(cells.map(String::as_str)).flat_map(words_of) {
        all += 1;
        *counts.entry(word).or_default() += 1;
    }
    let is_said = |word: &&str| !shape::is_joint(word) && !DOCUMENT_KINDS.contains(*word);
    let asked: Vec<String> = key.split_whitespace().filter(is_said).flat_map(words_of).collect();
    let least = (all / FAR).clamp(LEAST, MOST);
    let is_top =
        |word: &String| tops.contains(word) || tops.iter().any(|other| is_built_like(other, word));
    let in_tops = asked.iter().filter(|word| is_top(word)).count();
    let is_told =
        |word: &String| is_top(word) || counts.get(word).is_some_and(|count| *count >= least);
    !asked.is_empty() && (asked.iter().all(is_told) || in_tops > 0 && in_tops * 2 >= asked.len())
}

/// A word without the ending of several, or of what is done: `alerting`.
fn stem(word: &str) -> &str {
    const LEAST: usize = 5;
    let one = one_of(word);
    one.strip_suffix("ing").filter(|stem| stem.len() >= LEAST).unwrap_or(one)
}

/// Whether words share most of their letters at one end: `contribute` and `contributing`, `Urlaubsgesetz` and
/// `Bundesurlaubsgesetz`.
fn is_built_like(one: &str, other: &str) -> bool {
    const LEAST: usize = 8;
    let length = other.chars().count();
    let front = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let back = one.chars().rev().zip(other.chars().rev());
    let back = back.take_while(|(one, other)| one == other).count();
    let shared = front.max(back);
    shared >= LEAST && shared * 5 >= length * 3
}

/// Whether a page begins with a name: what was asked for, in whatever form, or something else.
fn begins_with_name(page: &Page, topic: &str) -> bool {
    const EARLY: usize = 10;
    // `Layer: Applications` is no sentence.
    let is_prose = |block: &&Block| {
        let is_key = || tokens(&block.text).first().is_some_and(|first| first.after == ":");
        !matches!(block.kind, Kind::Heading(_)) && !is_key()
    };
    let first = page.blocks.iter().find(is_prose);
    let all = tokens(first.map_or("", |block| block.text.as_str()));
    let start = super::clause::behind_article(&all, 0);
    let run = shape::run(&all, start);
    // `All API requests`, `This BIP`
    let is_led = start == 0
        && all.first().is_some_and(|first| {
            let word = first.lower();
            words::is_starter(&word) || word == "all" || ARTICLES.contains(&word.as_str())
        });
    let is_name = run > start + 1 || all.get(start).is_some_and(|it| shape::is_shaped(it.text));
    let early: Vec<String> = all.iter().take(EARLY).map(|token| fold(token.text)).collect();
    is_name && !is_led || fold(topic).split(' ').all(|part| early.iter().any(|word| word == part))
}

/// Articles of other languages, with a capital where a sentence begins.
const ARTICLES: &[&str] = &[
    "das", "der", "die", "ein", "eine", "el", "la", "las", "le", "les", "los", "un", "una", "une",
];

/// Whether a page's title is a name that its text has as well.
fn is_of_another(page: &Page, title: Option<&str>) -> bool {
    titles(page, title).any(|title| {
        let name = tidy(title.split(TITLE_MARKS).next().unwrap_or_default());
        let is_told = |block: &Block| {
            !matches!(block.kind, Kind::Heading(_)) && block.text.contains(name.as_str())
        };
        shape::is_proper(&name) && page.blocks.iter().any(is_told)
    })
}

/// Whether a name stands in what was asked for: a search in words alone calls nothing by them.
fn is_called(topic: &str) -> bool {
    topic.chars().any(char::is_uppercase)
}

/// Whether a page is about what was asked for in several words, though its title says it in others: `Object
/// Lock Guide` where `MinIO object lock` was, or `Rate limits`, if the page begins with what was asked
/// for and goes on to name it.
fn is_covered(page: &Page, key: &str, title: Option<&str>) -> bool {
    const LEAST: usize = 3;
    let asked: Vec<&str> = key.split_whitespace().filter(|word| !shape::is_joint(word)).collect();
    let words_of = |text: &str| {
        let text = fold(text);
        let words =
            text.split(|char: char| !char.is_alphanumeric()).map(|word| one_of(word).to_owned());
        words.collect::<HashSet<String>>()
    };
    let titled: HashSet<String> = titles(page, title).flat_map(words_of).collect();
    let told = |word: &&str| {
        let mut parts = word.split(|char: char| !char.is_alphanumeric());
        parts.all(|part| titled.contains(one_of(part)))
    };
    let in_title = asked.iter().filter(|word| told(word)).count();
    let texts: Vec<String> = page.blocks.iter().map(|block| spaced(&block.text)).collect();
    let in_text = |word: &&str| texts.iter().any(|text| text.contains(one_of(word)));
    if asked.len() > 1
        && in_title * 2 >= asked.len()
        && asked.iter().all(|word| told(word) || in_text(word))
    {
        return true;
    }
    let is_prose = |(block, _): &(&Block, &String)| !matches!(block.kind, Kind::Heading(_));
    let mut prose = page.blocks.iter().zip(&texts).filter(is_prose).map(|(_, text)| text);
    let names_none = titles(page, title).all(|title| !shape::is_proper(&tidy(title)));
    let opens = prose.clone().next().is_some_and(|text| text.contains(key));
    names_none
        && opens
        && prose.by_ref().filter(|text| text.contains(key)).take(LEAST).count() == LEAST
}

/// A word without the ending of several.
fn one_of(word: &str) -> &str {
    word.strip_suffix('s').filter(|one| one.len() > 2 && !one.ends_with('s')).unwrap_or(word)
}

/// What a document's title says more than what kind of document it is, as [`spaced`] has it.
fn without_kinds(own: &str) -> String {
    let is_kind = |word: &&&str| DOCUMENT_KINDS.contains(*word);
    let words: Vec<&str> = own.split_whitespace().collect();
    let before = words.iter().take_while(is_kind).count();
    let behind = words.iter().skip(before).rev().take_while(is_kind).count();
    spaced(&words[before..words.len() - behind].join(" "))
}

/// A title without what joins its words: `wersi-mk1-editor` is `Wersi MK1 Editor`.
fn letters(title: &str) -> String {
    title.chars().filter(|char| char.is_alphanumeric()).collect()
}

/// Whether each word of a title begins the one that was asked for: `SQLite Pro Support`.
fn abbreviates(own: &str, key: &str) -> bool {
    const LEAST: usize = 3;
    let (own, key): (Vec<&str>, Vec<&str>) =
        (own.split_whitespace().collect(), key.split_whitespace().collect());
    let begins =
        |(own, key): (&&str, &&str)| own == key || own.len() >= LEAST && key.starts_with(own);
    own.len() > 1 && own.len() == key.len() && own.iter().zip(&key).all(begins)
}

/// `About SQLite`, `Installing Docker`: what is said of a thing, not a name of it.
fn is_said(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default().to_lowercase();
    name.contains(' ')
        && (words::is_starter(&first) && !words::is_determiner(&first)
            || words::is_verb_base(&first)
            || first.ends_with("ing") && first.len() > 5)
}

/// Whether a line of a page is nothing but these words: the name of whose minutes they are.
fn is_set_off(page: &Page, key: &str) -> bool {
    const EARLY: usize = 5;
    page.blocks.iter().take(EARLY).any(|block| spaced(&block.text) == key)
}

/// Whether what was asked for is written as names are.
fn is_written_as_name(page: &Page, topic: &str) -> bool {
    let is_shaped = shape::is_shaped(topic) || shape::is_proper(topic);
    is_shaped || page.blocks.iter().any(|block| block.text.contains(topic) && topic.contains(' '))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    #[test]
    fn what_was_asked_for_is_a_page_s_thing_though_its_title_says_it_otherwise() {
        for (text, topic, expected) in [
            ("# Object Lock Guide\n\nMinIO has locks.", "MinIO object lock", true),
            ("# Lock rate\n\nCeph has locks.", "MinIO lock", false),
            ("# Benefits & Perks\n\nBasecamp pays.", "Basecamp benefits", true),
            ("# Benefits & Perks\n\nBasecamp pays.", "basecamp benefits", false),
            ("# Rate limit\n\nA Foo API is.\n\nThe Foo API has.\n\nA Foo API.", "Foo API", true),
            ("# Rate limit\n\nA Foo API is.\n\nIt has.", "Foo API", false),
            ("# Bar Server\n\nA Foo API is.\n\nThe Foo API has.\n\nA Foo API.", "Foo API", false),
            ("# Glossary\n\nTerms of Foo.\n\nA is B.", "Foo", true),
            ("# Glossary\n\nTerms of Bar.\n\nA is B.", "Foo", false),
        ] {
            let found = of_topic(&read(text), topic, None);
            assert_eq!(found.as_deref(), expected.then_some(topic), "{text} {topic}");
        }
        // What the user gives for it is about it, unless it is about something else.
        for (text, topic, expected) in [
            (
                "# Our Rituals\n\nMeet-ups are 1 week long for everybody who is with us at Basecamp.",
                "basecamp",
                true,
            ),
            ("# Our Rituals\n\nA.\n\nBasecamp has some.\n\nBasecamp pays.", "basecamp", true),
            ("# Our Rituals\n\nA.\n\nBasecamp has some.\n\nB.", "basecamp", false),
            ("# Our Rituals\n\nMeet-ups are 1 week long.", "basecamp", false),
            ("A day.\n\nRetreats of Foo are long. The retreat is at Foo.", "foo retreat", true),
            ("# Our Rituals\n\nMeet-ups are 1 week long.", "basecamp rituals", true),
            ("# Urlaubsgesetz für alle\n\nA day is long.", "Bundesurlaubsgesetz", true),
            ("# (29/4/24) Meeting Minutes\n\n## Attendees\n\n- Ann Hill", "foo group", true),
            (
                "Meet-ups are 1 week long for everybody who is with us at Basecamp.",
                "basecamp",
                true,
            ),
            ("Meet-ups are 1 week long.", "basecamp", false),
            ("Nikola J. Tesla was an engineer.", "Nikola Tesla", false),
            ("The KEF LS50 Meta is a speaker.", "kef ls50", false),
            ("# Sound\n\nThe KEF LS50 Meta is a speaker.", "speakers", false),
            ("# Redis Cluster\n\nA Redis Cluster has nodes.", "Redis", false),
        ] {
            let page = Page { is_given: true, ..read(text) };
            let found = of_topic(&page, topic, None);
            assert_eq!(found.as_deref(), expected.then_some(topic), "{text} {topic}");
        }
    }
}
