//! One page's text.

use std::{fmt, time::Instant};

use pdf_extract::{ConvertToFmt, Document, PlainTextOutput, output_doc_page};

use super::worker;

pub(super) struct Page {
    pub text: String,
    /// Whether the page could not be read to its end.
    pub is_cut: bool,
}

/// Reads page `number`: as much as there is room for, until `end`. A page that makes the parser
/// panic gives what came before.
pub(super) fn read(pdf: &Document, number: u32, room: usize, end: Option<Instant>) -> Page {
    let mut capped = CappedText { text: String::new(), room, end };
    let done = worker::catch(|| {
        let mut output = PlainTextOutput::new(&mut capped);
        output_doc_page(pdf, &mut output, number).is_ok()
    });
    Page { text: capped.text, is_cut: done != Some(true) }
}

/// Takes text until it is full or nobody waits for it any more: an error is the only way to stop
/// who writes.
struct CappedText {
    text: String,
    room: usize,
    end: Option<Instant>,
}

impl fmt::Write for &mut CappedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_late = self.end.is_some_and(|end| Instant::now() >= end);
        if is_late || self.text.len() + text.len() > self.room {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl<'a> ConvertToFmt for &'a mut CappedText {
    type Writer = &'a mut CappedText;

    fn convert(self) -> Self::Writer {
        self
    }
}

/// Lines of a page without the hyphens of broken words and with single spaces.
pub(super) fn joined(page: &str) -> String {
    let mut joined = String::with_capacity(page.len());
    for line in page.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = words.join(" ");
        let is_broken = ends_in_hyphen(&joined) && line.starts_with(char::is_lowercase);
        if is_broken {
            joined.truncate(joined.trim_end().len() - 1);
        }
        joined.push_str(&line);
        joined.push('\n');
    }
    joined.trim().to_owned()
}

/// Whether the last line ends in a letter and a hyphen.
fn ends_in_hyphen(text: &str) -> bool {
    let line = text.strip_suffix('\n').unwrap_or(text);
    line.strip_suffix('-').is_some_and(|word| word.ends_with(char::is_lowercase))
}

#[cfg(test)]
mod unit_tests {
    use super::joined;

    #[test]
    fn broken_words_are_joined() {
        #[track_caller]
        fn check(page: &str, expected: &str) {
            assert_eq!(joined(page), expected);
        }
        check("\n\n  a  b \nc\n\n", "a b\nc");
        check("an exam-\nple of it", "an example of it");
        check("X-\nray, 7-\nbit, well-\nKnown", "X-\nray, 7-\nbit, well-\nKnown");
        check("end-\n\nnew", "end-\n\nnew");
        check("-\nx", "-\nx");
        check("", "");
    }
}
