//! Setting one key in an existing configuration file by editing its line and no other.
//!
//! Works on lines, never by writing the file anew, so that comments, order, quoting and line
//! endings stay as somebody wrote them. The result is read back before it is handed out: if any
//! other setting came out different, the edit is refused.

use std::collections::BTreeMap;

use super::keys::{self, Key};
use super::kind::{Raw, Value, quote, shown};
use super::layers;
use super::template::raw_of;
use elophanto_base::yaml;

/// A key that can't be set in this file.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// There is no such key.
    #[error("unknown key {0:?}")]
    UnknownKey(String),
    /// The key can't have that value.
    #[error("{key}: expected {expected}, found {found:?}")]
    Value {
        /// Its name.
        key: &'static str,
        /// What it can be.
        expected: String,
        /// What it was to be.
        found: String,
    },
    /// The file is no YAML, or more of it than is read.
    #[error("{}{source}", source.line().map(|line| format!("line {line}: ")).unwrap_or_default())]
    Yaml {
        /// Why.
        source: yaml::YamlError,
    },
    /// The file is written in a way that can't be edited line by line, `{a: b}` for example.
    #[error("`{key}: {value}` can't be set by editing one line; set it by hand")]
    Form {
        /// Its name.
        key: &'static str,
        /// What it was to be.
        value: String,
    },
}

/// Sets one key and keeps every other byte. `None` means that the text says so already.
///
/// An existing line is edited, else the template's commented line is uncommented, else a line is
/// added to the section, else a section to the end. The value is text as a file would have it
/// without quotes; a list is `[a, b]` as [`super::list_text`] writes it.
pub fn pin(text: &str, key: &str, value: &str) -> Result<Option<String>, PinError> {
    let key = keys::find(key).ok_or_else(|| PinError::UnknownKey(key.to_owned()))?;
    let want = key.kind.read(&raw_of(value)).ok_or_else(|| PinError::Value {
        key: key.name,
        expected: key.kind.expected(),
        found: shown(value),
    })?;
    let mut before = leaves(text)?;
    let old = before.remove(key.name).and_then(|raw| key.kind.read(&raw));
    if old.as_ref() == Some(&want) {
        return Ok(None);
    }
    let edited = edit(text, key, old.as_ref(), &want);
    let mut after = leaves(&edited).unwrap_or_default();
    let now = after.remove(key.name).and_then(|raw| key.kind.read(&raw));
    if now.as_ref() != Some(&want) || before != after {
        return Err(PinError::Form { key: key.name, value: want.to_string() });
    }
    Ok(Some(edited))
}

/// What a text sets a key to; `None` if it does not, or not to anything that the key can be.
pub fn value_in(text: &str, key: &str) -> Result<Option<Value>, PinError> {
    let key = keys::find(key).ok_or_else(|| PinError::UnknownKey(key.to_owned()))?;
    Ok(leaves(text)?.get(key.name).and_then(|raw| key.kind.read(raw)))
}

/// Everything that a file says, by dotted name, known or not.
fn leaves(text: &str) -> Result<BTreeMap<String, Raw>, PinError> {
    let top = layers::parse(text).map_err(|cause| PinError::Yaml { source: cause })?;
    let mut map = BTreeMap::new();
    collect("", top.value, &mut map);
    Ok(map)
}

fn collect(name: &str, value: yaml::Value, map: &mut BTreeMap<String, Raw>) {
    let below = |part: &str| {
        if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") }
    };
    let raw = match value {
        yaml::Value::Null => return,
        yaml::Value::Scalar(text) => Raw::Scalar(text),
        yaml::Value::Mapping(pairs) => {
            return pairs
                .into_iter()
                .for_each(|(key, node)| collect(&below(&key), node.value, map));
        }
        yaml::Value::Sequence(nodes) => match layers::texts(&nodes) {
            Some(items) => Raw::List(items),
            None => {
                return nodes
                    .into_iter()
                    .enumerate()
                    .for_each(|(at, node)| collect(&below(&at.to_string()), node.value, map));
            }
        },
    };
    map.insert(name.to_owned(), raw);
}

/// A line without its ending, and the ending.
#[derive(Debug, Clone)]
struct Line {
    text: String,
    ending: &'static str,
}

/// A line that begins with a key.
#[derive(Debug)]
struct KeyLine {
    at: usize,
    indent: usize,
    name: String,
    /// Where the text after the colon begins.
    rest: usize,
}

fn edit(text: &str, key: &Key, old: Option<&Value>, want: &Value) -> String {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let mut lines = split(body);
    let ending = lines.first().map_or("\n", |line| line.ending);
    let ending = if ending.is_empty() { "\n" } else { ending };
    let key_lines = key_lines(&lines);
    match key_lines.iter().find(|line| line.name == key.name) {
        Some(line) => replace(&mut lines, line, old, want, ending),
        None => add(&mut lines, &key_lines, key, want, ending),
    }
    let mut edited = mark.to_owned();
    for line in lines {
        edited.push_str(&line.text);
        edited.push_str(line.ending);
    }
    edited
}

/// Gives an existing key another value.
fn replace(
    lines: &mut Vec<Line>,
    key: &KeyLine,
    old: Option<&Value>,
    want: &Value,
    ending: &'static str,
) {
    let more = continuation(lines, key);
    if let (Some(Value::List(old)), Value::List(new)) = (old, want)
        && let Some(added) = new.strip_prefix(old.as_slice())
        && let Some(last) = more.iter().rev().find(|at| is_item(&lines[**at].text))
        && more.iter().all(|at| is_item(&lines[*at].text))
    {
        let indent = indent_of(&lines[*last].text);
        let item = |item: &String| format!("{:indent$}- {}", "", quote(item));
        return insert(lines, last + 1, added.iter().map(item).collect(), ending);
    }
    let line = &mut lines[key.at].text;
    let (head, rest) = line.split_at(key.rest);
    let (value, comment) = split_comment(rest);
    let lead = &value[..value.len() - value.trim_start().len()];
    let tail = &value[value.trim_end().len().max(lead.len())..];
    let lead = if lead.is_empty() || value.trim().is_empty() { " " } else { lead };
    let tail = if !comment.is_empty() && tail.is_empty() { " " } else { tail };
    *line = format!("{head}{lead}{want}{tail}{comment}");
    for at in more.into_iter().rev() {
        lines.remove(at);
    }
}

/// Adds a key that the file does not set yet.
fn add(
    lines: &mut Vec<Line>,
    key_lines: &[KeyLine],
    key: &Key,
    want: &Value,
    ending: &'static str,
) {
    let (section, leaf) = key.split();
    let Some((open, missing)) = deepest_open(key_lines, section) else {
        let mut new = Vec::new();
        for (depth, part) in section.split('.').enumerate() {
            new.push(format!("{:indent$}{part}:", "", indent = depth * 2));
        }
        new.push(format!("{:indent$}{leaf}: {want}", "", indent = new.len() * 2));
        return insert(lines, lines.len(), new, ending);
    };
    let end = lines
        .iter()
        .enumerate()
        .skip(open.at + 1)
        .find(|(_, line)| !is_blank_or_comment(&line.text) && indent_of(&line.text) <= open.indent)
        .map_or(lines.len(), |(at, _)| at);
    let child = key_lines.iter().find(|line| line.at > open.at && line.at < end);
    let child = child.map(|line| line.indent).filter(|indent| *indent > open.indent);
    let indent = child.unwrap_or(open.indent + 2);
    if missing.is_empty() {
        let commented = format!("{leaf}: {}", key.default);
        let is_it = |line: &Line| {
            let rest = line.text.trim().strip_prefix('#').map(str::trim);
            rest == Some(commented.as_str()) && indent_of(&line.text) == indent
        };
        let found = (open.at + 1..end).find(|at| is_it(&lines[*at]));
        if let Some(at) = found {
            lines[at].text = format!("{:indent$}{leaf}: {want}", "");
            return;
        }
    }
    let mut new = Vec::new();
    for (depth, part) in missing.iter().enumerate() {
        new.push(format!("{:width$}{part}:", "", width = indent + depth * 2));
    }
    new.push(format!("{:width$}{leaf}: {want}", "", width = indent + new.len() * 2));
    insert(lines, open.at + 1, new, ending);
}

/// The innermost part of a section that has a line, and the parts that have none.
fn deepest_open<'a>(
    key_lines: &'a [KeyLine],
    section: &'static str,
) -> Option<(&'a KeyLine, Vec<&'static str>)> {
    let mut name = section;
    loop {
        if let Some(line) = key_lines.iter().find(|line| line.name == name) {
            let rest = section[name.len()..].trim_start_matches('.');
            return Some((line, rest.split('.').filter(|part| !part.is_empty()).collect()));
        }
        name = name.rsplit_once('.')?.0;
    }
}

/// Puts lines in; the line before them gets an ending if it had none.
fn insert(lines: &mut Vec<Line>, at: usize, new: Vec<String>, ending: &'static str) {
    if let Some(before) = at.checked_sub(1).and_then(|at| lines.get_mut(at))
        && before.ending.is_empty()
    {
        before.ending = ending;
    }
    lines.splice(at..at, new.into_iter().map(|text| Line { text, ending }));
}

/// The lines after a key that belong to its value: deeper ones, items of a list that stand as
/// far left as the key, and the bracket that closes one. Comments and empty lines don't count.
fn continuation(lines: &[Line], key: &KeyLine) -> Vec<usize> {
    let mut own = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(key.at + 1) {
        if is_blank_or_comment(&line.text) {
            continue;
        }
        let closes = line.text.trim_start().starts_with([']', '}']);
        let indent = indent_of(&line.text);
        if indent > key.indent || indent == key.indent && (is_item(&line.text) || closes) {
            own.push(at);
        } else {
            break;
        }
    }
    own
}

/// Splits a value from the comment behind it.
fn split_comment(rest: &str) -> (&str, &str) {
    let mut quote = None;
    let mut before = ' ';
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('"'), '\\') => drop(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if " \t[{,".contains(before) => quote = Some(c),
            (None, '#') if before == ' ' || before == '\t' => return rest.split_at(at),
            (None, _) => {}
        }
        before = c;
    }
    (rest, "")
}

/// Finds the keys by indentation. Lines inside a text of several lines may look like keys too;
/// reading the result back catches what that breaks.
fn key_lines(lines: &[Line]) -> Vec<KeyLine> {
    let mut found: Vec<KeyLine> = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = indent_of(&line.text);
        let Some((part, rest)) = key_of(&line.text, indent) else { continue };
        open.retain(|(outer, _)| *outer < indent);
        let name = match open.last() {
            Some((_, outer)) => format!("{outer}.{part}"),
            None => part,
        };
        open.push((indent, name.clone()));
        found.push(KeyLine { at, indent, name, rest });
    }
    found
}

fn key_of(line: &str, indent: usize) -> Option<(String, usize)> {
    let text = &line[indent..];
    let quoted = text.chars().next().filter(|c| *c == '"' || *c == '\'');
    let (name, used) = match quoted {
        Some(quote) => {
            let end = text[1..].find(quote)? + 1;
            (&text[1..end], end + 1)
        }
        None => {
            let word = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            let end = text.find(|c| !word(c))?;
            (&text[..end], end)
        }
    };
    let after = text[used..].trim_start_matches(' ');
    let rest = after.strip_prefix(':')?;
    let separate = rest.is_empty() || rest.starts_with([' ', '\t']);
    (separate && !name.is_empty()).then(|| (name.to_owned(), line.len() - rest.len()))
}

fn split(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let (text, ending) = match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
            (Some(text), _) => (text, "\r\n"),
            (None, Some(text)) => (text, "\n"),
            (None, None) => (line, ""),
        };
        Line { text: text.to_owned(), ending }
    };
    text.split_inclusive('\n').map(line).collect()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_item(line: &str) -> bool {
    let text = line.trim_start();
    text == "-" || text.starts_with("- ")
}

fn is_blank_or_comment(line: &str) -> bool {
    let text = line.trim();
    text.is_empty() || text.starts_with('#')
}

#[cfg(test)]
#[path = "pin_tests.rs"]
mod tests;
