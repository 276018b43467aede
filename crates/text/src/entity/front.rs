//! The header of a page as people and merges left it: read as far as it can be.
//!
//! Merging two pages line by line can double a key, a whole block, or leave one open. Then the
//! parts are read one by one, and what several of them say is gathered.

use std::collections::BTreeSet;

use super::{
    MAX_TEXT_CHARS, line,
    rows::{Row, is_conflict_marker},
    slug::slug,
    text::one_line,
};
use crate::markdown::{FRONT_MATTER_BUDGET, Warning};
use elophanto_base::yaml::{self, Node, Value, YamlError};

/// What the header says that matters for an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Front {
    /// Of several titles one that a person wrote; further ones are among the aliases.
    pub title: Option<String>,
    /// Other names, each once.
    pub aliases: Vec<String>,
    /// Each once, without a leading `#`.
    pub tags: Vec<String>,
}

/// Blocks that are looked at.
const MAX_BLOCKS: usize = 16;
/// Lines of a block that is not in front.
const MAX_STRAY_LINES: usize = 100;
/// Warnings of a header.
const MAX_WARNINGS: usize = 20;

/// The header of a page.
pub(super) struct Header {
    pub front: Front,
    /// Lines that it takes at the start.
    pub lines: usize,
    /// Numbers of lines of further blocks, which merging has left elsewhere.
    pub stray: BTreeSet<usize>,
    pub warnings: Vec<Warning>,
}

/// Reads the header.
pub(super) fn read(rows: &[Row<'_>]) -> Header {
    let mut reader = Reader::default();
    let skipped = rows.iter().take_while(|row| is_conflict_marker(row.content)).count();
    let rest = |start: usize| rows.get(start..).unwrap_or_default();
    let mut lines = 0;
    if let Some((length, closed)) = block_at(rest(skipped)) {
        lines = skipped + length;
        if !closed {
            reader.warn(skipped + 1, "front matter is not closed".to_owned());
        }
        let inner = skipped + 1..lines - usize::from(closed);
        reader.block(inner.start + 1, rows.get(inner).unwrap_or_default());
    }
    let (mut stray, mut blocks, mut at) = (BTreeSet::new(), 1, lines);
    while at < rows.len() && blocks < MAX_BLOCKS {
        let torn = || at.checked_sub(1).and_then(|before| torn_at(rest(before)));
        let opened = rows.get(at).is_some_and(|row| row.content.trim_end() == "---");
        let whole = || stray_at(rest(at)).map(|length| (length, usize::from(opened), 1));
        let Some((length, above, below)) = torn().map(|length| (length, 0, 0)).or_else(whole)
        else {
            at += 1;
            continue;
        };
        let inner = at + above..at + length - below;
        if blocks == 1 {
            reader.warn(at + 1, "front matter is not in front, or there more than once".to_owned());
        }
        reader.block(inner.start + 1, rows.get(inner).unwrap_or_default());
        stray.extend(at + 1..=at + length);
        (blocks, at) = (blocks + 1, at + length);
    }
    Header { front: reader.front(), lines, stray, warnings: reader.warnings }
}

/// The lines of a block that is not in front: closed, and saying nothing but what a header says.
/// Its opening line is missing where both sides of a merge had it; then its scope gives it away.
fn stray_at(rows: &[Row<'_>]) -> Option<usize> {
    const KEYS: [&str; 7] = ["title", "scope", "tags", "aliases", "created", "updated", "covers"];
    let rows = rows.get(..MAX_STRAY_LINES.min(rows.len())).unwrap_or_default();
    let opened = rows.first().is_some_and(|row| row.content.trim_end() == "---");
    let inner = rows.get(usize::from(opened)..).unwrap_or_default();
    let known = |content: &str| key(content).is_some_and(|key| KEYS.contains(&key));
    if !known(inner.first()?.content) {
        return None;
    }
    let belongs = |(at, row): (usize, &Row<'_>)| {
        let continues = row.content.starts_with([' ', '-', '#']) || row.content.is_empty();
        let is_rule = row.content.trim_end() == "---";
        let is_header = known(row.content) || is_conflict_marker(row.content) || continues;
        is_header && !is_rule && line::read(at, row).is_none()
    };
    let length = (1..).zip(inner).take_while(|said| belongs(*said)).count();
    let closed = inner.get(length).is_some_and(|row| row.content.trim_end() == "---");
    let scope = || inner.iter().take(length).any(|row| row.content.trim_end() == "scope: learned");
    (closed && (opened || scope())).then_some(usize::from(opened) + length + 1)
}

/// How many lines of a header, torn off the rest of it by a merge of both sides, stand behind the
/// first of these rows: between lines of ours, where nobody writes a title.
fn torn_at(rows: &[Row<'_>]) -> Option<usize> {
    let ours = |row: &Row<'_>| line::read(1, row).is_some();
    let (before, rest) = rows.split_first()?;
    let is_torn = |row: &&Row<'_>| matches!(key(row.content), Some("title" | "scope"));
    let length = rest.iter().take(MAX_STRAY_LINES).take_while(is_torn).count();
    let is_between = length > 0 && ours(before) && rest.get(length).is_some_and(ours);
    is_between.then_some(length)
}

/// The lines that a block at the start takes, its delimiters included, and whether it is closed.
/// A rule above a text is none.
fn block_at(rows: &[Row<'_>]) -> Option<(usize, bool)> {
    let (first, rest) = rows.split_first()?;
    if first.content.trim_end() != "---" {
        return None;
    }
    let ours = |row: &Row<'_>| line::read(1, row).is_some();
    let close = rest
        .iter()
        .take_while(|row| !ours(row))
        .position(|row| matches!(row.content.trim_end(), "---" | "..."));
    let inner = rest.get(..close.unwrap_or(rest.len())).unwrap_or_default();
    let mut said = inner.iter().map(|row| row.content).filter(|content| {
        !content.trim().is_empty() && !is_conflict_marker(content) && !content.starts_with('#')
    });
    let is_header = match said.next() {
        Some(content) => key(content).is_some() || content.starts_with('{'),
        None => close.is_some(),
    };
    if !is_header {
        return None;
    }
    let open = inner.iter().take_while(|row| !row.content.trim().is_empty() && !ours(row));
    Some(close.map_or_else(|| (1 + open.count(), false), |close| (close + 2, true)))
}

/// The key that a line at the left margin begins.
fn key(content: &str) -> Option<&str> {
    let (key, value) = content.split_once(':')?;
    let name = key.trim_end().trim_matches(['"', '\'']);
    let plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
    let is_key = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then_some(name)
}

#[derive(Default)]
struct Reader {
    titles: BTreeSet<String>,
    aliases: Vec<String>,
    tags: Vec<String>,
    warnings: Vec<Warning>,
}

impl Reader {
    /// `number` is that of the first of these lines.
    fn block(&mut self, number: usize, rows: &[Row<'_>]) {
        let said: Vec<(usize, &str)> = (number..)
            .zip(rows.iter().map(|row| row.content))
            .filter(|(_, content)| !is_conflict_marker(content))
            .collect();
        let whole = match parse(&said) {
            Ok(entries) => return self.entries(number, entries),
            Err(error) => error,
        };
        let before = self.warnings.len();
        if let YamlError::DuplicateKey { key, .. } = &whole {
            let line = said.iter().rev().find(|(_, content)| self::key(content) == Some(key));
            let line = line.map_or(number, |(number, _)| *number);
            self.warn(line, format!("the key `{key}` is there more than once"));
        }
        // A key at the margin begins a part, whatever follows belongs to it.
        for part in said.chunk_by(|_, (_, next)| key(next).is_none()) {
            let first = part.first().map_or(number, |(number, _)| *number);
            match parse(part) {
                Ok(entries) => self.entries(first, entries),
                Err(error) => self.warn(first, format!("front matter in part ignored: {error}")),
            }
        }
        if self.warnings.len() == before {
            self.warn(number, format!("front matter is damaged: {whole}"));
        }
    }

    fn entries(&mut self, number: usize, entries: Vec<(String, Node)>) {
        for (key, node) in entries {
            let line = number + node.line.saturating_sub(1);
            let read = match key.as_str() {
                "title" => names(node.value, false).map(|titles| self.titles.extend(titles)),
                "aliases" => names(node.value, true).map(|names| self.aliases.extend(names)),
                "tags" => names(node.value, true).map(|tags| {
                    let bare = tags.iter().map(|tag| tag.trim_start_matches('#').trim());
                    self.tags.extend(bare.filter(|tag| !tag.is_empty()).map(str::to_owned));
                }),
                _ => Some(()),
            };
            if read.is_none() {
                self.warn(line, format!("`{key}` ignored: expected text"));
            }
        }
    }

    /// The order in which merging left the titles must not matter, so the least one counts.
    fn front(&self) -> Front {
        let is_slug = |title: &&String| slug(title, &|_| false) == **title;
        let (slugs, own): (Vec<_>, Vec<_>) = self.titles.iter().partition(is_slug);
        let mut own = own.into_iter();
        let title = own.next().or(slugs.first().copied()).cloned();
        let mut aliases = self.aliases.clone();
        aliases.extend(own.cloned());
        let once = |names: &[String]| {
            let mut seen = BTreeSet::new();
            names.iter().filter(|name| seen.insert(*name)).cloned().collect()
        };
        Front { title, aliases: once(&aliases), tags: once(&self.tags) }
    }

    fn warn(&mut self, line: usize, message: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(Warning { line: Some(line), message });
        }
    }
}

fn parse(said: &[(usize, &str)]) -> Result<Vec<(String, Node)>, YamlError> {
    let text: Vec<&str> = said.iter().map(|(_, content)| *content).collect();
    match yaml::parse(&text.join("\n"), &FRONT_MATTER_BUDGET)?.value {
        Value::Mapping(entries) => Ok(entries),
        Value::Null => Ok(Vec::new()),
        Value::Scalar(_) | Value::Sequence(_) => {
            Err(YamlError::Syntax { line: 1, reason: "no keys".to_owned() })
        }
    }
}

/// One name, or several in a list or between commas; `None` for what is no text.
fn names(value: Value, several: bool) -> Option<Vec<String>> {
    let raw: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::Scalar(text) if several => text.split(',').map(str::to_owned).collect(),
        Value::Scalar(text) => vec![text],
        Value::Sequence(items) if several => items
            .into_iter()
            .filter_map(|item| match item.value {
                Value::Null => None,
                Value::Scalar(text) => Some(Some(text)),
                Value::Sequence(_) | Value::Mapping(_) => Some(None),
            })
            .collect::<Option<_>>()?,
        Value::Sequence(_) | Value::Mapping(_) => return None,
    };
    let names = raw.iter().map(|name| one_line(name, MAX_TEXT_CHARS));
    Some(names.filter(|name| !name.is_empty()).collect())
}
