//! Making pages, adding lines to them and taking lines out. All other bytes stay.

use std::collections::BTreeSet;

use jiff::{Timestamp, civil::Date};

use super::{
    MAX_TEXT_CHARS,
    line::{Kind, LineHash, fact_id, is_id, line_id, read},
    name::identity,
    page::own_lines,
    rows::{Row, line_ending, rows},
    text::{encode, escape, escape_item, one_line},
};

/// Where a fact comes from, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The address it was found at.
    pub source: Option<&'a str>,
    /// The id of the search that found it.
    pub search: Option<&'a str>,
    /// The id of the message it was said in.
    pub message: Option<&'a str>,
    /// The note it contradicts.
    pub against: Option<&'a str>,
    /// The day that the source gives itself.
    pub published: Option<Date>,
}

/// A line to be added to a page. Its text is plain and on one line, without characters that hide,
/// at most [`MAX_TEXT_CHARS`] long; `None` where nothing is left of it.
///
/// `entity` is the name of the entity or its identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLine {
    kind: Kind,
    id: String,
    text: String,
    /// Without line ending.
    line: String,
}

impl NewLine {
    /// A name to show the entity under.
    pub fn title(entity: &str, title: &str, at: Timestamp) -> Option<Self> {
        Self::named(Kind::Title, entity, title, at)
    }

    /// When the entity was first heard of.
    pub fn created(entity: &str, created: Timestamp, at: Timestamp) -> Option<Self> {
        Self::named(Kind::Created, entity, &in_seconds(created), at)
    }

    /// Another name of the entity.
    pub fn alias(entity: &str, alias: &str, at: Timestamp) -> Option<Self> {
        Self::named(Kind::Alias, entity, alias, at)
    }

    /// A tag; a leading `#` is dropped.
    pub fn tag(entity: &str, tag: &str, at: Timestamp) -> Option<Self> {
        Self::named(Kind::Tag, entity, tag.trim_start().trim_start_matches('#'), at)
    }

    /// Says that this page and another are one entity, which is to be found at the other. The id
    /// is that of the merge, letters and digits; any other is replaced by a hash of it.
    pub fn merged_into(slug: &str, merge: &str, at: Timestamp) -> Option<Self> {
        let id = if is_id(Kind::MergedInto, merge) {
            merge.to_owned()
        } else {
            line_id(Kind::MergedInto, "", merge)
        };
        let text = one_line(slug, MAX_TEXT_CHARS);
        let words = words(&[("at", Some(&in_seconds(at)))]);
        Self::made(Kind::MergedInto, id, text, &words)
    }

    /// Something that is known of the entity.
    pub fn fact(entity: &str, text: &str, origin: &Origin<'_>, at: Timestamp) -> Option<Self> {
        let text = one_line(text, MAX_TEXT_CHARS);
        // What cannot be written is no part of the id.
        let source = origin.source.map(str::trim).filter(|source| encode(source).is_some());
        let id = fact_id(&identity(entity), &text, source);
        let day = origin.published.map(|day| day.to_string());
        let words = words(&[
            ("src", source),
            ("of", day.as_deref()),
            ("search", origin.search),
            ("msg", origin.message),
            ("at", Some(&in_seconds(at))),
            ("against", origin.against),
        ]);
        Self::made(Kind::Fact, id, text, &words)
    }

    /// A line of ours as it once stood, to bring it back: only the same bytes are the same line.
    pub fn again(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let row = rows(line).next().filter(|row| row.content == line)?;
        let read = read(1, &row)?;
        Some(Self { kind: read.kind, id: read.id, text: read.text, line: line.to_owned() })
    }

    /// What it says.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// As the comment has it, without letter.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// As it will be read back.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As of when it says so.
    pub fn said(&self) -> Option<Timestamp> {
        read(1, &rows(&self.line).next()?)?.said()
    }

    /// What retirements will call it by.
    pub fn hash(&self) -> LineHash {
        LineHash::of(&self.line)
    }

    fn named(kind: Kind, entity: &str, text: &str, at: Timestamp) -> Option<Self> {
        let text = one_line(text, MAX_TEXT_CHARS);
        let id = line_id(kind, &identity(entity), &text);
        Self::made(kind, id, text, &words(&[("at", Some(&in_seconds(at)))]))
    }

    fn made(kind: Kind, id: String, text: String, words: &str) -> Option<Self> {
        let said = match kind {
            Kind::Fact => escape_item(&text),
            kind => format!("{} {}", kind.label(), escape(&text)),
        };
        let line = format!("- {said} <!-- {}:{id}{words} -->", kind.letter());
        (!text.is_empty()).then_some(Self { kind, id, text, line })
    }
}

/// A page that says nothing yet. The header is the same whoever writes it, so that pages which two
/// branches made merge.
pub fn empty_page(slug: &str) -> String {
    format!("---\ntitle: {}\nscope: learned\n---\n\n", scalar(slug))
}

/// A new page with title and time. A title that says nothing is replaced by the slug.
pub fn new_page(slug: &str, title: &str, created: Timestamp) -> String {
    let name = [title, slug].into_iter().find(|name| !one_line(name, 2).is_empty());
    let name = name.unwrap_or_default();
    let lines = [NewLine::title(name, name, created), NewLine::created(name, created, created)];
    append(&empty_page(slug), &lines.into_iter().flatten().collect::<Vec<_>>())
}

/// Adds lines at the end, each once: not those whose id and text the page has. Nothing that is
/// there is changed. A line that is there and retired stays retired: it takes a restoration.
pub fn append(text: &str, lines: &[NewLine]) -> String {
    let mut there: BTreeSet<(Kind, String, String)> =
        own_lines(text).map(|(line, _)| (line.kind, line.id, line.text)).collect();
    let fresh: Vec<&NewLine> = lines
        .iter()
        .filter(|line| there.insert((line.kind, line.id.clone(), line.text.clone())))
        .collect();
    let mut page = text.to_owned();
    if fresh.is_empty() {
        return page;
    }
    let ending = line_ending(text);
    if !page.is_empty() && !page.ends_with(['\n', '\r']) {
        page.push_str(ending);
    }
    let last = rows(text).last();
    if last.is_some_and(|row| row.content.trim_end() == "---") {
        page.push_str(ending);
    }
    for line in fresh {
        page.push_str(&line.line);
        page.push_str(ending);
    }
    page
}

/// Where a line is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// At the end.
    End,
    /// Above the line of this hash, if the page has it.
    Above(LineHash),
    /// Below it.
    Below(LineHash),
}

/// [`append`], but that some lines go beside others, so that what belongs together stands together.
pub fn insert(text: &str, lines: &[(NewLine, Spot)]) -> String {
    let mut there: BTreeSet<(Kind, String, String)> =
        own_lines(text).map(|(line, _)| (line.kind, line.id, line.text)).collect();
    let ends = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default();
    let mut inside: Vec<(usize, &NewLine)> = Vec::new();
    let mut last = Vec::new();
    for (line, spot) in lines {
        let (Spot::Above(hash) | Spot::Below(hash)) = spot else {
            last.push(line.clone());
            continue;
        };
        let beside = own_lines(text).find(|(own, _)| own.hash == *hash);
        let beside = beside.filter(|(_, row)| ends(&row.range).ends_with(['\n', '\r']));
        match beside {
            Some((_, row)) => {
                if there.insert((line.kind, line.id.clone(), line.text.clone())) {
                    let is_above = matches!(spot, Spot::Above(_));
                    inside.push((if is_above { row.range.start } else { row.range.end }, line));
                }
            }
            None => last.push(line.clone()),
        }
    }
    inside.sort_by_key(|(at, _)| *at);
    let ending = line_ending(text);
    let (mut page, mut done) = (String::with_capacity(text.len()), 0);
    for (at, line) in inside {
        page.push_str(text.get(done..at).unwrap_or_default());
        page.push_str(&line.line);
        page.push_str(ending);
        done = at;
    }
    page.push_str(text.get(done..).unwrap_or_default());
    append(&page, &last)
}

/// The page without these lines of ours. Lines of people stay, whatever their hash.
pub fn without(text: &str, hashes: &BTreeSet<LineHash>) -> String {
    let mut page = String::with_capacity(text.len());
    let mut kept = 0;
    for (_, row) in own_lines(text).filter(|(line, _)| hashes.contains(&line.hash)) {
        let Row { range, .. } = row;
        page.push_str(text.get(kept..range.start).unwrap_or_default());
        kept = range.end;
    }
    page.push_str(text.get(kept..).unwrap_or_default());
    page
}

/// In UTC, without fractions.
fn in_seconds(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

fn words(values: &[(&str, Option<&str>)]) -> String {
    let known = values.iter().filter_map(|(key, value)| Some((key, encode((*value)?)?)));
    known.map(|(key, word)| format!(" {key}:{word}")).collect()
}

/// A slug as YAML that every reader takes for text.
fn scalar(slug: &str) -> String {
    const MEANT: [&str; 8] = ["null", "true", "false", "yes", "no", "on", "off", "n"];
    let letter = |char: char| char.is_alphanumeric() || char == '-' || !char.is_ascii();
    let plain = slug.starts_with(char::is_alphabetic)
        && slug.chars().all(letter)
        && slug != "y"
        && !MEANT.contains(&slug);
    if plain { slug.to_owned() } else { quoted(slug) }
}

/// Between double quotes, as YAML and JSON have it. On one line.
pub(super) fn quoted(text: &str) -> String {
    let line = one_line(text, MAX_TEXT_CHARS);
    format!("\"{}\"", line.replace('\\', "\\\\").replace('"', "\\\""))
}
