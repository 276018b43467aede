//! A text as an editor has it.

use std::{ops::Range, sync::OnceLock};

use rustc_hash::FxHashSet;

use super::links::{Headings, Named};
use elophanto_text::markdown::{self, Document, Heading};

/// A file as an editor has it, saved or not. Parsed alone, once somebody asks for it.
#[derive(Debug, Default)]
pub struct Buffer {
    /// Relative to the root, with `/`; of a file outside of it, the whole path.
    pub path: String,
    /// All of it, as the editor has it.
    pub text: String,
    starts: OnceLock<Vec<usize>>,
    document: OnceLock<Result<Document, String>>,
    headings: OnceLock<Headings>,
    named: OnceLock<Named>,
    labels: OnceLock<FxHashSet<String>>,
}

impl Buffer {
    /// Parses nothing yet.
    pub fn new(path: String, text: String) -> Self {
        Self { path, text, ..Self::default() }
    }

    /// The same, to be edited.
    pub fn copy(&self) -> Self {
        let starts = self.starts.clone();
        Self { starts, ..Self::new(self.path.clone(), self.text.clone()) }
    }

    /// Puts another text in the place of some of its bytes; a range that is none changes nothing.
    pub fn edit(&mut self, range: Range<usize>, text: &str) {
        if self.text.get(range.clone()).is_none() {
            return;
        }
        self.text.replace_range(range.clone(), text);
        (self.document, self.headings, self.named, self.labels) = Default::default();
        let Some(mut starts) = self.starts.take() else { return };
        // Whether a line begins at a byte is told by that byte and the one before it.
        let (start, end) = (range.start.max(1), range.start + text.len());
        let first = starts.partition_point(|&it| it < start);
        let behind = starts.partition_point(|&it| it <= range.end);
        starts.iter_mut().skip(behind).for_each(|it| *it = *it - range.end + end);
        let bytes = self.text.as_bytes();
        starts.splice(first..behind, (start..=end).filter(|&at| begins_line(bytes, at)));
        self.starts = OnceLock::from(starts);
    }

    /// Read as Markdown; why not, if it cannot be.
    pub fn document(&self) -> Result<&Document, &str> {
        let parsed = self
            .document
            .get_or_init(|| markdown::parse(&self.text).map_err(|cause| cause.to_string()));
        parsed.as_ref().map_err(String::as_str)
    }

    /// The heading that a link means.
    pub fn heading(&self, wanted: &str) -> Option<&Heading> {
        let document = self.document().ok()?;
        let headings = self.headings.get_or_init(|| Headings::of(document));
        document.headings.get(headings.number(wanted)?)
    }

    /// Whether a link may mean something here that is no heading: see `Named`.
    pub fn names(&self, wanted: &str) -> bool {
        let headings = || self.document().map_or(&[][..], |it| it.headings.as_slice());
        self.named.get_or_init(|| Named::of(&self.text, headings())).holds(wanted)
    }

    /// Whether `[label]` is defined: then `[[label]]` is a link in brackets.
    pub fn defines(&self, label: &str) -> bool {
        let label_of = |line: &str| {
            let (label, _) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
            Some(label.to_lowercase())
        };
        let labels = self.labels.get_or_init(|| self.text.lines().filter_map(label_of).collect());
        !label.is_empty() && labels.contains(&label.to_lowercase())
    }

    /// Where each line begins. A line ends at `\n`, `\r\n` or a lone `\r`.
    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
            let behind = ends.map(|at| at + 1).filter(|&at| begins_line(bytes, at));
            std::iter::once(0).chain(behind).collect()
        })
    }

    /// How many lines there are; at least one.
    pub fn lines(&self) -> usize {
        self.starts().len()
    }

    /// The line, from 0, that holds a byte.
    pub fn line_at(&self, offset: usize) -> usize {
        self.starts().partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The bytes of a line, from 0, without its end; of a line behind the last one, the end.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let starts = self.starts();
        let Some(&start) = starts.get(line) else { return self.text.len()..self.text.len() };
        let end = starts.get(line + 1).copied().unwrap_or(self.text.len());
        let whole = self.text.get(start..end).unwrap_or_default();
        start..start + whole.trim_end_matches(['\n', '\r']).len()
    }

    /// A line, from 0, without its end.
    pub fn line(&self, line: usize) -> &str {
        self.text.get(self.line_range(line)).unwrap_or_default()
    }

    /// A byte that is none is moved to the beginning of its character, or to the end.
    pub fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }

    /// The lines around one, from 0, up to empty ones: what is written about at this place.
    pub fn paragraph(&self, line: usize) -> Range<usize> {
        let is_blank = |line: usize| self.line(line).trim().is_empty();
        let last = self.lines().saturating_sub(1);
        let line = line.min(last);
        let (mut first, mut end) = (line, line);
        while first > 0 && line - first < MOST_AROUND && !is_blank(first - 1) {
            first -= 1;
        }
        while end < last && end - line < MOST_AROUND && !is_blank(end + 1) {
            end += 1;
        }
        self.line_range(first).start..self.line_range(end).end
    }

    /// Whether the front matter is TOML, if there is any.
    pub fn is_toml(&self) -> bool {
        self.text.trim_start_matches('\u{feff}').starts_with('+')
    }

    /// The bytes between the lines that open and close the front matter; `None` where there is none.
    pub fn front_matter(&self) -> Option<Range<usize>> {
        let first = self.line(0).trim_start_matches('\u{feff}').trim_end();
        let closes: &[&str] = match first {
            "---" => &["---", "..."],
            "+++" => &["+++"],
            _ => return None,
        };
        let lines = 1..self.lines().min(MOST_FRONT);
        let end = lines.into_iter().find(|line| closes.contains(&self.line(*line).trim_end()))?;
        Some(self.line_range(1).start..self.line_range(end).start)
    }

    /// The word at a byte, and where it stands: letters, digits and `_`, `-` between them.
    pub fn word_at(&self, offset: usize) -> Option<(Range<usize>, &str)> {
        let line = self.line_range(self.line_at(offset));
        let text = self.text.get(line.clone())?;
        let at = self.floor(offset).clamp(line.start, line.end) - line.start;
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let start = text
            .get(..at)?
            .rfind(|char| !is_word(char))
            .map_or(0, |found| found + text[found..].chars().next().map_or(0, char::len_utf8));
        let end = text.get(at..)?.find(|char| !is_word(char)).map_or(text.len(), |end| at + end);
        let range = line.start + start..line.start + end;
        let word = self.text.get(range.clone()).filter(|word| !word.is_empty())?;
        Some((range, word))
    }
}

/// Whether a line begins at a byte behind the first one.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    match at.checked_sub(1).and_then(|before| bytes.get(before)) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(at) != Some(&b'\n'),
        _ => false,
    }
}

/// Lines of a paragraph on either side.
const MOST_AROUND: usize = 30;
/// Lines of front matter.
const MOST_FRONT: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_the_protocol_has_it() {
        let buffer = Buffer::new("a.md".into(), "a\r\nb\rc\n\nd".into());
        let lines: Vec<&str> = (0..buffer.lines()).map(|line| buffer.line(line)).collect();
        assert_eq!(lines, ["a", "b", "c", "", "d"]);
        assert_eq!((buffer.line_at(0), buffer.line_at(3), buffer.line_at(99)), (0, 1, 4));
        assert_eq!(buffer.line_range(99), 9..9);
        assert_eq!(Buffer::default().lines(), 1);
    }

    #[test]
    fn edits_that_cannot_be_change_nothing() {
        let mut buffer = Buffer::new("a.md".into(), "öx".into());
        for range in [1..2, 0..9, std::ops::Range { start: 3, end: 2 }] {
            buffer.edit(range, "y");
            assert_eq!(buffer.text, "öx");
        }
        buffer.edit(2..3, "y");
        assert_eq!(buffer.text, "öy");
    }

    #[test]
    fn labels_are_found_whatever_their_letters() {
        let buffer = Buffer::new("a.md".into(), "[[Über]]\n  [über]: x.md\n[no] : y".into());
        assert!(buffer.defines("ÜBER"));
        assert!(!buffer.defines("no") && !buffer.defines(""));
    }

    #[test]
    fn links_may_mean_what_is_no_heading() {
        for (text, wanted, expected) in [
            ("<a id=\"one\"></a>", "one", true),
            ("<a name='one two'/>", "one two", true),
            ("<a id=one>", "one", true),
            ("<a id=one/>", "one", true),
            ("<a id=one", "one", true),
            ("<a id=a/one>", "a/one", true),
            ("<a id=ones> <a id=\"ones\">", "one", false),
            ("<a id=one=two>", "one", false),
            ("<a id=\"one", "one", false),
            ("# Part {#one}", "one", true),
            ("# Part {#one\n}", "one", false),
            ("# Part { #one .wide }", "one", true),
            ("# Part {: #one }", "one", true),
            ("# Part { one }", "one", false),
            ("### <!-- md:setting config.one -->", "config.one", true),
            ("<!-- one config.one", "config.one", false),
            ("<!-- one -->", "one", false),
            ("# Otters!  Sleep?", "otters--sleep", true),
            ("# Otters! Sleep?", "otters--sleep", false),
            ("# ![logo](x.png) Otters", "-otters", true),
            ("# Otters", "tter", false),
            ("# ![logo](x.png) Otters", "-", false),
        ] {
            let mut buffer = Buffer::new("a.md".into(), text.into());
            assert_eq!(buffer.names(wanted), expected, "{text}");
            buffer.edit(0..text.len(), "");
            assert!(!buffer.names(wanted), "{text}");
        }
    }

    #[test]
    fn words_and_paragraphs() {
        let buffer = Buffer::new("a.md".into(), "one\ntwo größe_1 x\n\nthree".into());
        assert_eq!(buffer.word_at(9).map(|it| it.1), Some("größe_1"));
        assert_eq!(buffer.word_at(8).map(|it| it.1), Some("größe_1"));
        assert_eq!(buffer.word_at(buffer.text.len()).map(|it| it.1), Some("three"));
        assert_eq!(&buffer.text[buffer.paragraph(0)], "one\ntwo größe_1 x");
        assert_eq!(buffer.front_matter(), None);
        let buffer = Buffer::new("a.md".into(), "---\ntitle: x\n---\ny".into());
        assert_eq!(buffer.front_matter().map(|it| &buffer.text[it]), Some("title: x\n"));
    }
}
