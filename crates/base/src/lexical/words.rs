//! Word borders: runs of letters and digits, the parts of identifiers, single CJK characters.

use std::ops::Range;

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Ordinal of the word, for phrases. A compound and its first part share a position.
    pub position: u32,
}

/// The words of a text, in order. A compound identifier (`read_to_string`, `parseHTML`) comes
/// first as a whole, then in its parts.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, position: 0, parts: Vec::new(), next_part: 0 }
}

/// Iterator of [`words`].
pub struct Words<'t> {
    text: &'t str,
    at: usize,
    position: u32,
    parts: Vec<Range<usize>>,
    next_part: usize,
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        if let Some(part) = self.parts.get(self.next_part) {
            self.next_part += 1;
            return Some(self.numbered(part.clone()));
        }
        let range = self.next_run()?;
        self.parts.clear();
        self.next_part = 0;
        let run = &self.text[range.clone()];
        if is_compound(run) {
            split_compound(run, range.start, &mut self.parts);
            if self.parts.len() > 1 {
                return Some(Word { range, position: self.position });
            }
            self.parts.clear();
        }
        Some(self.numbered(range))
    }
}

impl Words<'_> {
    fn numbered(&mut self, range: Range<usize>) -> Word {
        let position = self.position;
        self.position += 1;
        Word { range, position }
    }

    /// The next maximal run of word characters, or one CJK character.
    fn next_run(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(self.at).is_some_and(|&b| b < 0x80 && !is_ascii_word(b)) {
                self.at += 1;
            }
            let start = self.at;
            let mut end = start;
            while let Some(&byte) = bytes.get(end) {
                if byte < 0x80 {
                    if is_ascii_word(byte) || is_inner_apostrophe(bytes, start, end) {
                        end += 1;
                        continue;
                    }
                    break;
                }
                let char = self.text[end..].chars().next()?;
                if is_cjk(char) {
                    if end == start {
                        end += char.len_utf8();
                    }
                    break;
                }
                if !char.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(char)
                {
                    if end == start {
                        // Not a word at all: step over it and look again.
                        self.at = end + char.len_utf8();
                    }
                    break;
                }
                end += char.len_utf8();
            }
            if end > start {
                self.at = end;
                return Some(trim_possessive(self.text, trim_underscores(bytes, start..end)));
            }
            if self.at >= bytes.len() {
                return None;
            }
        }
    }
}

fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_inner_apostrophe(bytes: &[u8], start: usize, at: usize) -> bool {
    bytes[at] == b'\''
        && at > start
        && bytes[at - 1].is_ascii_alphabetic()
        && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
}

/// `Rust's` is a form of `Rust`.
fn trim_possessive(text: &str, range: Range<usize>) -> Range<usize> {
    match text[range.clone()].strip_suffix("'s") {
        Some(stem) => range.start..range.start + stem.len(),
        None => range,
    }
}

/// Emphasis such as `_word_` is no part of the word; a run of underscores alone stays as it is.
fn trim_underscores(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let run = &bytes[range.clone()];
    match (run.iter().position(|&b| b != b'_'), run.iter().rposition(|&b| b != b'_')) {
        (Some(first), Some(last)) => range.start + first..range.start + last + 1,
        _ => range,
    }
}

fn is_compound(run: &str) -> bool {
    let mut lower_before = false;
    run.bytes().any(|byte| {
        let border = byte == b'_' || (lower_before && byte.is_ascii_uppercase());
        lower_before = byte.is_ascii_lowercase();
        border
    })
}

/// Splits at underscores and at camel-case humps; `parseHTMLPage` is `parse`, `HTML`, `Page`.
fn split_compound(run: &str, offset: usize, parts: &mut Vec<Range<usize>>) {
    let bytes = run.as_bytes();
    let mut start = 0;
    for at in 1..=bytes.len() {
        let border = match bytes.get(at) {
            None | Some(b'_') => true,
            Some(_) if bytes[at - 1] == b'_' => true,
            Some(byte) if byte.is_ascii_uppercase() => {
                bytes[at - 1].is_ascii_lowercase()
                    || (bytes[at - 1].is_ascii_uppercase()
                        && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))
            }
            Some(_) => false,
        };
        if border {
            if bytes[start] != b'_' {
                parts.push(offset + start..offset + at);
            }
            start = at;
        }
    }
}

fn is_cjk(char: char) -> bool {
    matches!(u32::from(char),
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}
