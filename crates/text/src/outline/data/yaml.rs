//! YAML, by the indentation of its lines: aliases are never followed.

use std::borrow::Cow;

use super::{
    super::{caps, draft::Draft},
    Entries, Entry, said,
};

/// A key or a list item that later lines may belong to.
struct Level {
    /// Twice the indentation, and one more for a list item: a list may stand right below its key.
    place: usize,
    entry: Option<usize>,
}

/// What the lines that follow are part of.
enum Within {
    Keys,
    /// A block scalar of the key with this indentation.
    Block(usize),
    /// A quoted string that is not closed.
    Quoted(char),
    /// `{` and `[` that are not closed.
    Flow(usize),
}

struct Reader<'t> {
    entries: Entries<'t>,
    levels: Vec<Level>,
    within: Within,
    comment: Vec<&'t str>,
    /// Where the last line with content ends.
    end: usize,
    failed: bool,
}

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let mut reader = Reader {
        entries: Entries::default(),
        levels: Vec::new(),
        within: Within::Keys,
        comment: Vec::new(),
        end: 0,
        failed: false,
    };
    let mut at = 0;
    for line in draft.text.split_inclusive('\n') {
        reader.line(at, line.trim_end());
        at += line.len();
    }
    reader.leave(0);
    if reader.failed || !matches!(reader.within, Within::Keys | Within::Block(_)) {
        draft.failed();
    }
    super::tell(draft, &reader.entries);
}

impl<'t> Reader<'t> {
    fn line(&mut self, start: usize, line: &'t str) {
        let content = line.trim_start_matches([' ', '\u{feff}']);
        let indent = line.len() - content.len();
        if self.goes_on(indent, content, start + line.len()) {
            return;
        }
        if let Some(comment) = content.strip_prefix('#') {
            self.comment.push(comment);
            return;
        }
        if content.is_empty() {
            self.pause();
            return;
        }
        if content.starts_with("---") || content.starts_with("...") || content.starts_with('%') {
            self.pause();
            self.leave(0);
            return;
        }
        self.failed |= content.starts_with('\t');
        self.content(start + indent, indent, content);
        self.end = start + line.len();
        self.comment.clear();
    }

    /// Whether the line is part of a value that began above.
    fn goes_on(&mut self, indent: usize, content: &'t str, end: usize) -> bool {
        match &mut self.within {
            Within::Keys => return false,
            Within::Block(of) => {
                if content.is_empty() {
                    return true;
                }
                if indent <= *of {
                    self.within = Within::Keys;
                    return false;
                }
                if let Some(entry) = self.levels.last().and_then(|level| level.entry)
                    && let Some(entry) = self.entries.list.get_mut(entry)
                    && entry.value.len() < caps::DOC
                {
                    let gap = if entry.value.is_empty() { "" } else { "\n" };
                    entry.value = format!("{}{gap}{content}", entry.value).into();
                }
            }
            Within::Quoted(quote) => {
                if content.trim_end_matches([',', ']', '}', ' ']).ends_with(*quote) {
                    self.within = Within::Keys;
                }
            }
            Within::Flow(depth) => {
                *depth = flow_depth(*depth, content);
                if *depth == 0 {
                    self.within = Within::Keys;
                } else if *depth > caps::DEPTH {
                    self.failed = true;
                    self.within = Within::Keys;
                }
            }
        }
        self.end = end;
        true
    }

    /// A comment that an empty line parts from what follows is about the file, if about anything.
    fn pause(&mut self) {
        self.entries.pause(&std::mem::take(&mut self.comment));
    }

    /// Ends all levels from this place on.
    fn leave(&mut self, place: usize) {
        while let Some(level) = self.levels.pop_if(|level| level.place >= place) {
            self.entries.end(level.entry, self.end);
        }
    }

    fn content(&mut self, start: usize, indent: usize, content: &'t str) {
        let (mut start, mut indent, mut content) = (start, indent, content);
        while let Some(rest) = content.strip_prefix('-') {
            if !(rest.is_empty() || rest.starts_with(' ')) {
                break;
            }
            self.leave(indent * 2 + 1);
            if self.levels.len() >= caps::DEPTH {
                self.failed = true;
                return;
            }
            self.levels.push(Level { place: indent * 2 + 1, entry: None });
            let inner = rest.trim_start();
            let gone = content.len() - inner.len();
            (start, indent, content) = (start + gone, indent + gone, inner);
        }
        let Some((key, value)) = key_and_value(content) else {
            let within = opened(content, indent);
            // Text at the margin is no mapping; deeper it goes on with a value, or is listed.
            self.failed |= indent == 0 && matches!(within, Within::Keys);
            self.within = within;
            return;
        };
        self.leave(indent * 2);
        if self.levels.len() >= caps::DEPTH {
            self.failed = true;
            return;
        }
        let value = bare_value(value);
        self.within = opened(value, indent);
        let plain = matches!(self.within, Within::Keys) && !value.starts_with(['{', '[']);
        let doc = said(&self.comment);
        // With nothing in front of it, a comment speaks of the file as well.
        if self.entries.list.is_empty() && self.entries.head.is_empty() {
            self.entries.head.clone_from(&doc);
        }
        let entry = self.entries.add(Entry {
            parent: self.levels.last().and_then(|level| level.entry),
            depth: self.levels.len(),
            key: Cow::Borrowed(key),
            value: Cow::Borrowed(if plain { unquoted(value) } else { "" }),
            range: start..start + content.len(),
            doc,
        });
        self.levels.push(Level { place: indent * 2, entry });
    }
}

/// Splits at the colon that ends a key.
fn key_and_value(content: &str) -> Option<(&str, &str)> {
    if let Some(quote) = content.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &content[1..];
        let end = inner.find(quote)?;
        let value = inner[end + 1..].trim_start().strip_prefix(':')?;
        return Some((&inner[..end], value.trim()));
    }
    if content.starts_with(['{', '[', '?', '|', '>', '`', '@']) {
        return None;
    }
    let end = content
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| matches!(content.as_bytes().get(at + 1), None | Some(b' ' | b'\t')))?;
    Some((content[..end].trim_end(), content[end + 1..].trim()))
}

/// Without the comment behind it.
fn bare_value(value: &str) -> &str {
    if value.starts_with('#') {
        return "";
    }
    if value.starts_with(['"', '\'']) {
        return value;
    }
    value.split_once(" #").map_or(value, |(bare, _)| bare.trim_end())
}

/// What a value leaves open behind its line.
fn opened(value: &str, indent: usize) -> Within {
    // An anchor or a tag stands in front of the value.
    let bare = match value.split_once(' ') {
        Some((mark, rest)) if mark.starts_with(['&', '!']) => rest,
        _ => value,
    };
    match bare.chars().next() {
        Some('|' | '>') => Within::Block(indent),
        Some(quote @ ('"' | '\'')) => {
            if bare.len() > 1 && bare[1..].contains(quote) {
                Within::Keys
            } else {
                Within::Quoted(quote)
            }
        }
        Some('{' | '[') => match flow_depth(0, bare) {
            0 => Within::Keys,
            depth => Within::Flow(depth),
        },
        _ => Within::Keys,
    }
}

/// How many brackets are open behind a line. Quoted ones count as well: that ends a value early or
/// late, and nothing else.
fn flow_depth(depth: usize, line: &str) -> usize {
    line.bytes().fold(depth, |depth, byte| match byte {
        b'{' | b'[' => depth + 1,
        b'}' | b']' => depth.saturating_sub(1),
        _ => depth,
    })
}

fn unquoted(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = quote.and_then(|quote| value[1..].split_once(quote));
    inner.map_or(value, |(inner, _)| inner)
}
