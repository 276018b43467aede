//! JSON, also with comments.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::{
    super::{caps, draft::Draft, prose},
    Entries, Entry,
};

/// An object or a list that is open.
struct Open {
    object: bool,
    entry: Option<usize>,
}

/// The keys of a text while it is read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    entries: Entries<'t>,
    open: Vec<Open>,
    /// The key whose value comes next.
    key: Option<usize>,
    /// Marks that plain JSON has not, but that people write.
    relaxed: bool,
    failed: bool,
}

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let text = draft.text;
    let (entries, open) = (Entries::default(), Vec::new());
    let mut reader =
        Reader { text, at: 0, entries, open, key: None, relaxed: false, failed: false };
    while !reader.failed && reader.step() {}
    let end = text.len();
    for open in std::mem::take(&mut reader.open) {
        reader.entries.end(open.entry, end);
        reader.failed = true;
    }
    // With comments the strict parser has no say.
    if reader.failed || !reader.relaxed && serde_json::from_str::<IgnoredAny>(text).is_err() {
        draft.failed();
    }
    super::tell(draft, &reader.entries);
}

impl<'t> Reader<'t> {
    /// Reads one mark, string or word. `false` at the end.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']).len();
        self.at += blank;
        let rest = &self.text[self.at..];
        let Some(first) = rest.bytes().next() else { return false };
        match first {
            b'{' | b'[' => {
                let entry = self.key.take();
                self.open.push(Open { object: first == b'{', entry });
                self.failed = self.open.len() > caps::DEPTH;
                self.at += 1;
            }
            b'}' | b']' => {
                self.at += 1;
                self.key = None;
                match self.open.pop() {
                    Some(open) => self.entries.end(open.entry, self.at),
                    None => self.failed = true,
                }
            }
            b',' | b':' => self.at += 1,
            b'"' => self.string(rest),
            b'/' if rest.starts_with("//") => self.comment(rest.find('\n')),
            b'/' if rest.starts_with("/*") => self.comment(rest.find("*/").map(|end| end + 2)),
            _ => {
                let end = rest.find([',', '}', ']', '"', '/', '\n']).unwrap_or(rest.len());
                // A lone slash must not stop the reader.
                let end = end.max(rest.chars().next().map_or(1, char::len_utf8));
                let word = rest[..end].trim_end();
                self.value(Cow::Borrowed(word), self.at + word.len());
                self.at += end;
            }
        }
        true
    }

    fn comment(&mut self, length: Option<usize>) {
        self.relaxed = true;
        let end = length.map_or(self.text.len(), |length| self.at + length);
        if self.entries.list.is_empty() {
            let said = prose::unmarked(&self.text[self.at..end]);
            self.entries.head.push_str(&said);
            self.entries.head.push('\n');
        }
        self.at = end;
    }

    /// A key if a colon follows, else a value.
    fn string(&mut self, rest: &'t str) {
        let start = self.at;
        let bytes = rest.as_bytes();
        let mut end = 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => {
                    self.failed = true;
                    self.at = self.text.len();
                    return;
                }
            }
        }
        self.at += end + 1;
        let text = unescaped(&rest[..=end]);
        let object = self.open.last().is_some_and(|open| open.object);
        let is_key = object && rest[end + 1..].trim_start().starts_with(':');
        if !is_key {
            return self.value(text, start + end + 1);
        }
        let entry = Entry {
            // Within a list nothing is the parent, and the depth says so.
            parent: self.open.last().and_then(|open| open.entry),
            depth: self.open.len() - 1,
            key: text,
            value: Cow::Borrowed(""),
            range: start..self.at,
            doc: String::new(),
        };
        self.key = self.entries.add(entry);
    }

    fn value(&mut self, text: Cow<'t, str>, end: usize) {
        let key = self.key.take();
        if let Some(entry) = key.and_then(|key| self.entries.list.get_mut(key)) {
            entry.value = text;
            entry.range.end = end;
        }
    }
}

/// A string with its quotes, without them and its escapes.
fn unescaped(quoted: &str) -> Cow<'_, str> {
    if quoted.contains('\\')
        && let Ok(text) = serde_json::from_str::<String>(quoted)
    {
        return Cow::Owned(text);
    }
    Cow::Borrowed(quoted.get(1..quoted.len() - 1).unwrap_or_default())
}
