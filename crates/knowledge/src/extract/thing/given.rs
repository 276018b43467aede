//! Whether a text that the user gave for what they asked for is about that: it speaks of it, and does not
//! begin with, and is not headed by, the name of something else.

use std::collections::{HashMap, HashSet};

use super::topic::one_of;
use super::{DOCUMENT_KINDS, TITLE_MARKS, spaced, titles};
use crate::extract::clause;
use crate::extract::fold::fold;
use crate::extract::name::tidy;
use crate::extract::page::{Block, Kind, Page};
use crate::extract::shape;
use crate::extract::short::is_short_for;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// Whether a text that the user gave for what they asked for speaks of it: each word of that, but for what
/// documents are called, stands where the text says what it is about, or again and again in it; or it
/// begins with one of the words, and not with whose document it is: `Our Rituals`, of `Foo rituals`.
pub(super) fn speaks_of(page: &Page, key: &str, title: Option<&str>) -> bool {
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
    // `Der Verein führt den Namen „Foo e.V.“`
    let is_called = || {
        let mut texts = page.blocks.iter().map(|block| spaced(&block.text));
        let says = ["name is", "named", "namen", "name lautet", "called"];
        texts.any(|text| says.iter().any(|says| text.contains(&format!(" {says}{key}"))))
    };
    // `Proposal: SE-204`, in the header of a document.
    const HEADER: usize = 8;
    let mut header = page.rows.iter().take(HEADER).filter_map(|row| row.cells.get(1));
    let is_numbered = key.contains(|char: char| char.is_ascii_digit())
        && header.any(|value| fold(value) == key.trim());
    !asked.is_empty() && (is_numbered || asked.iter().all(is_told) || in_tops > 0 || is_called())
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

/// Whether a page begins with a name that is not in what was asked for.
pub(super) fn begins_with_name(page: &Page, key: &str) -> bool {
    // `Layer: Applications` is no sentence.
    let is_prose = |block: &&Block| {
        let is_key = || tokens(&block.text).first().is_some_and(|first| first.after == ":");
        !matches!(block.kind, Kind::Heading(_)) && !is_key()
    };
    let first = page.blocks.iter().find(is_prose);
    let all = tokens(first.map_or("", |block| block.text.as_str()));
    let start = clause::behind_article(&all, 0);
    let run = shape::run(&all, start);
    // `All API requests`, `This BIP`
    let is_led = start == 0
        && all.first().is_some_and(|first| {
            let word = first.lower();
            words::is_starter(&word) || word == "all" || ARTICLES.contains(&word.as_str())
        });
    let is_name = run > start + 1 || all.get(start).is_some_and(|it| shape::is_shaped(it.text));
    let said = all.get(start..run).unwrap_or_default().iter().map(Token::lower);
    let said = spaced(&said.collect::<Vec<_>>().join(" "));
    let is_in_topic = run > start + 1 && key.contains(&said) || key == said;
    is_name && !is_led && !is_in_topic
}

/// Whether a page begins with what is short for what was asked for: `The V&A has`, where the `Victoria and Albert
/// Museum` was.
pub(super) fn begins_with_short(page: &Page, topic: &str) -> bool {
    let text = page.sentences.first().map_or("", |first| page.text(first));
    let all = tokens(text);
    let start = clause::behind_article(&all, 0);
    let run = all.get(start).zip(all.get(shape::run(&all, start).wrapping_sub(1)));
    let run = run.and_then(|(first, last)| text.get(first.start..last.end)).unwrap_or_default();
    !run.is_empty() && is_short_for(run, topic)
}

/// Articles of other languages, with a capital where a sentence begins.
const ARTICLES: &[&str] = &[
    "das", "der", "die", "ein", "eine", "el", "la", "las", "le", "les", "los", "un", "una", "une",
];

/// Whether a page's title is a name that its text has as well, and no shorter word for what was asked for.
pub(super) fn is_of_another(page: &Page, key: &str, title: Option<&str>) -> bool {
    titles(page, title).any(|title| {
        let name = tidy(title.split(TITLE_MARKS).next().unwrap_or_default());
        let is_told = |block: &Block| {
            !matches!(block.kind, Kind::Heading(_)) && block.text.contains(name.as_str())
        };
        let own = fold(&name);
        let is_like = |word| own.split('-').any(|it| it != word && is_built_like(it, word));
        let is_shorter = !name.contains(' ') && key.trim().contains(' ');
        shape::is_proper(&name)
            && !words::is_generic(&own)
            && page.blocks.iter().any(is_told)
            && !(is_shorter && key.split_whitespace().any(is_like))
    })
}
