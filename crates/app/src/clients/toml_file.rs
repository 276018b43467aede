//! A table of ours in a TOML file.
//!
//! The table goes to the end of the file, behind an empty line, and its last line ends as that of
//! the file did: so taking it out gives the file of before.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    json::{Layout, line_end, render, replace},
    servers::Refusal,
};

type Table<'a> = Spanned<DeValue<'a>>;

/// Whether the file has a table of this name below `key`.
pub fn has_entry(text: &str, key: &str, name: &str) -> bool {
    parse(text).is_ok_and(|table| matches!(find(text, &table, key, name), Ok(Some(_))))
}

/// The text with a table `[key.name]` that has these values. What else the table says stays.
pub fn with_entry(
    text: Option<&str>,
    key: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Refusal> {
    let before = text.unwrap_or_default();
    let table = parse(before)?;
    let Some(found) = find(before, &table, key, name)? else {
        let new = appended(text, key, name, entry);
        // A table that is closed (`mcp_servers = {}`) takes no more.
        return match parse(&new) {
            Ok(_) => Ok(new),
            Err(_) => Err(Refusal::NoTable { offset: offset(&table, key), key: key.to_owned() }),
        };
    };
    let values = found.get_ref().as_table();
    let get = |key: &str| values.and_then(|values| values.get(key));
    if entry.iter().all(|(key, value)| get(key).is_some_and(|now| equals(now.get_ref(), value))) {
        return Ok(before.to_owned());
    }
    let header = header(before, found, key, name)?;
    let eol = line_end(before);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut missing = String::new();
    for (key, value) in entry {
        let new = render(value, Layout::Line);
        match get(key) {
            Some(now) if equals(now.get_ref(), value) => {}
            Some(now) => edits.push((now.span(), new)),
            None => missing.push_str(&format!("{key} = {new}{eol}")),
        }
    }
    let end = line_after(before, header.end);
    if before.get(..end).is_some_and(|head| !head.ends_with('\n')) && !missing.is_empty() {
        let missing = missing.strip_suffix(eol).unwrap_or(&missing);
        edits.push((end..end, format!("{eol}{missing}")));
    } else {
        edits.push((end..end, missing));
    }
    edits.sort_by_key(|(span, _)| span.start);
    let new = edits
        .iter()
        .rev()
        .fold(before.to_owned(), |text, (span, new)| replace(&text, span.clone(), new));
    match parse(&new) {
        Ok(_) => Ok(new),
        Err(_) => Err(Refusal::NoTable { offset: header.start, key: format!("{key}.{name}") }),
    }
}

/// The text without the table `[key.name]` and those below it. `None`: the file was made for it.
pub fn without_entry(text: &str, key: &str, name: &str) -> Result<Option<String>, Refusal> {
    let table = parse(text)?;
    let Some(found) = find(text, &table, key, name)? else { return Ok(Some(text.to_owned())) };
    header(text, found, key, name)?;
    let mut blocks = Vec::new();
    collect(text, found, &mut blocks);
    blocks.sort_by_key(|block| block.start);
    let mut new = text.to_owned();
    for block in blocks.iter().rev() {
        let end = line_after(text, block.end);
        let mut start = line_start(text, block.start);
        let head = text.get(..start).unwrap_or_default();
        let is_open = end == text.len() && !text.ends_with('\n');
        let without_empty_line =
            one_line_end_less(head).filter(|head| head.is_empty() || head.ends_with('\n'));
        if let Some(shorter) = without_empty_line {
            let shorter =
                if is_open { one_line_end_less(shorter).unwrap_or(shorter) } else { shorter };
            start = shorter.len();
        }
        if start == 0 && end == text.len() && !is_open {
            return Ok(None);
        }
        new = replace(&new, start..end, "");
    }
    Ok(Some(new))
}

fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Refusal> {
    DeTable::parse(text).map_err(|error| Refusal::Invalid {
        offset: error.span().map_or(0, |span| span.start),
        format: "TOML",
        reason: error.message().to_owned(),
    })
}

/// The value below `key`; both must be tables.
fn find<'a, 't>(
    text: &str,
    root: &'a Spanned<DeTable<'t>>,
    key: &str,
    name: &str,
) -> Result<Option<&'a Table<'t>>, Refusal> {
    let wrong = |value: &Table<'_>, key: String| {
        let offset = value.span().start.min(text.len());
        Err(Refusal::WrongType { offset, key, expected: "table" })
    };
    let Some(servers) = root.get_ref().get(key) else { return Ok(None) };
    let Some(table) = servers.get_ref().as_table() else { return wrong(servers, key.to_owned()) };
    match table.get(name) {
        Some(entry) if !entry.get_ref().is_table() => wrong(entry, format!("{key}.{name}")),
        entry => Ok(entry),
    }
}

fn offset(root: &Spanned<DeTable<'_>>, key: &str) -> usize {
    root.get_ref().get(key).map_or(0, |value| value.span().start)
}

/// Where the table's header stands.
fn header(text: &str, table: &Table<'_>, key: &str, name: &str) -> Result<Range<usize>, Refusal> {
    let span = table.span();
    if has_header(text, &span) {
        return Ok(span);
    }
    Err(Refusal::NoTable { offset: span.start, key: format!("{key}.{name}") })
}

/// A table that is written in braces has its braces for a span, one that only the names of others
/// imply has its own name.
fn has_header(text: &str, span: &Range<usize>) -> bool {
    text.get(span.clone()).is_some_and(|text| text.starts_with('['))
}

/// The stretches of text that a table and those below it take, each from its header to the end of
/// its last value.
fn collect(text: &str, table: &Table<'_>, blocks: &mut Vec<Range<usize>>) {
    let span = table.span();
    let own = blocks.len();
    blocks.push(span.clone());
    let mut end = span.end;
    values(text, table, &mut end, blocks);
    if let Some(block) = blocks.get_mut(own) {
        block.end = end;
    }
}

fn values(text: &str, table: &Table<'_>, end: &mut usize, blocks: &mut Vec<Range<usize>>) {
    let Some(members) = table.get_ref().as_table() else { return };
    for value in members.values() {
        match value.get_ref() {
            DeValue::Table(_) if has_header(text, &value.span()) => collect(text, value, blocks),
            DeValue::Table(_) if !text.get(value.span()).is_some_and(|t| t.starts_with('{')) => {
                values(text, value, end, blocks);
            }
            DeValue::Array(items)
                if items
                    .iter()
                    .any(|item| item.get_ref().is_table() && has_header(text, &item.span())) =>
            {
                items.iter().for_each(|item| collect(text, item, blocks));
            }
            _ => *end = (*end).max(value.span().end),
        }
    }
}

fn appended(text: Option<&str>, key: &str, name: &str, entry: &Map<String, Value>) -> String {
    let before = text.unwrap_or_default();
    let eol = line_end(before);
    let is_open = !before.is_empty() && !before.ends_with('\n');
    let mut new = before.to_owned();
    if !before.is_empty() {
        new.push_str(if is_open { eol } else { "" });
        new.push_str(eol);
    }
    new.push_str(&format!("[{key}.{name}]"));
    for (key, value) in entry {
        new.push_str(&format!("{eol}{key} = {}", render(value, Layout::Line)));
    }
    // An empty file is told from one that is not there by its last line.
    if !is_open && (text.is_none() || !before.is_empty()) {
        new.push_str(eol);
    }
    new
}

fn equals(now: &DeValue<'_>, expected: &Value) -> bool {
    match (now, expected) {
        (DeValue::String(text), Value::String(expected)) => text.as_ref() == expected,
        (DeValue::Array(items), Value::Array(expected)) => {
            items.len() == expected.len()
                && items.iter().zip(expected).all(|(item, value)| equals(item.get_ref(), value))
        }
        _ => false,
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |end| end + 1)
}

fn line_after(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |end| at + end + 1)
}

fn one_line_end_less(text: &str) -> Option<&str> {
    let text = text.strip_suffix('\n')?;
    Some(text.strip_suffix('\r').unwrap_or(text))
}
