//! TOML, by its lines: a table header or a key with a value that may go on.

use std::{borrow::Cow, collections::HashMap};

use super::{super::draft::Draft, Entries, Entry, said};

struct Reader<'t> {
    entries: Entries<'t>,
    /// Entries of the first two parts of a name.
    known: HashMap<Vec<String>, usize>,
    /// The table that keys belong to.
    table: Vec<String>,
    comment: Vec<&'t str>,
}

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let text = draft.text;
    let mut reader = Reader {
        entries: Entries::default(),
        known: HashMap::new(),
        table: Vec::new(),
        comment: Vec::new(),
    };
    let mut at = 0;
    while at < text.len() {
        at = reader.statement(text, at);
    }
    reader.close(text.len());
    if text.parse::<::toml::Table>().is_err() {
        draft.failed();
    }
    super::tell(draft, &reader.entries);
}

impl<'t> Reader<'t> {
    /// Reads what begins on the line at this byte; returns where the next one begins.
    fn statement(&mut self, text: &'t str, at: usize) -> usize {
        let rest = &text[at..];
        let line = rest.lines().next().unwrap_or_default();
        let next = at + rest.find('\n').map_or(rest.len(), |end| end + 1);
        let bare = line.trim_start();
        let start = at + line.len() - bare.len();
        let end = at + line.trim_end().len();
        if let Some(comment) = bare.strip_prefix('#') {
            self.comment.push(comment);
        } else if bare.is_empty() {
            self.pause();
        } else if bare.starts_with('[') {
            self.close(at);
            let name = bare.trim_start_matches('[').split(']').next().unwrap_or_default();
            self.table = parts(name);
            let path = self.table.clone();
            self.add(&path, "", start..end);
            self.comment.clear();
        } else if let Some((key, value)) = bare.split_once('=') {
            let last = value_end(text, start + key.len() + 1);
            let said = value.trim();
            let said = if last <= end { said } else { "" };
            let path: Vec<String> = self.table.iter().cloned().chain(parts(key)).collect();
            self.add(&path, scalar(said), start..last.max(end));
            self.comment.clear();
            let behind = &text[last.max(end)..];
            return last.max(end) + behind.find('\n').map_or(behind.len(), |end| end + 1);
        }
        next
    }

    fn pause(&mut self) {
        self.entries.pause(&std::mem::take(&mut self.comment));
    }

    /// Ends the table that was read.
    fn close(&mut self, at: usize) {
        for length in 1..=self.table.len().min(2) {
            let entry = self.known.get(&self.table[..length]).copied();
            self.entries.end(entry, at);
        }
    }

    /// Adds the first two parts of a name where they are new.
    fn add(&mut self, path: &[String], value: &'t str, range: std::ops::Range<usize>) {
        let mut parent = None;
        for length in 1..=path.len().min(2) {
            let part = &path[..length];
            if let Some(known) = self.known.get(part) {
                parent = Some(*known);
                continue;
            }
            let whole = length == path.len();
            let doc = if whole { said(&self.comment) } else { String::new() };
            if self.entries.list.is_empty() && self.entries.head.is_empty() {
                self.entries.head.clone_from(&doc);
            }
            let entry = self.entries.add(Entry {
                parent,
                depth: length - 1,
                key: Cow::Owned(part.last().cloned().unwrap_or_default()),
                value: Cow::Borrowed(if whole { value } else { "" }),
                range: range.clone(),
                doc,
            });
            let Some(entry) = entry else { return };
            self.known.insert(part.to_vec(), entry);
            parent = Some(entry);
        }
    }
}

/// The parts of a name with dots, the first two alone: more are not asked for.
fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = name.trim();
    while !rest.is_empty() && parts.len() < 3 {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (part, behind) = match quote {
            Some(quote) => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
            None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        parts.push(part.trim().to_owned());
        rest = behind.trim_start().trim_start_matches('.').trim_start();
    }
    parts
}

/// Where a value ends: at the line's end outside of strings and brackets.
fn value_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' if depth == 0 => return at,
            b'#' => {
                at = text[at..].find('\n').map_or(text.len(), |end| at + end);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => {
                at = string_end(bytes, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Behind the string that begins at this byte. One without an end goes to the end of its line.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if long { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 1,
            b'\n' if !long => return at,
            byte if *byte == quote && !long => return at + 1,
            byte if *byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn scalar(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        return value[1..].split_once(quote).map_or("", |(inner, _)| inner);
    }
    let plain = !value.starts_with(['{', '[']);
    if plain { value.split('#').next().unwrap_or_default().trim_end() } else { "" }
}
