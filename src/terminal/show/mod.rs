//! Text as a terminal shows it: pieces with styles, wrapped at words. Pure.
//!
//! Of colours only those that a terminal's own theme defines are used, and none of white, black and
//! yellow: what is shown can be read on a light and on a dark ground.

pub mod diff;
mod inline;
mod lines;
pub mod markdown;

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub const PLAIN: Style = Style::new();
pub const BOLD: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const ACCENT: Style = AnsiColor::Cyan.on_default();
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Plain red is hard to read on a dark ground.
pub const BAD: Style = AnsiColor::BrightRed.on_default();
pub const CAUTION: Style = AnsiColor::Magenta.on_default();

/// A piece of a line. Its text is safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

impl Span {
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// What is shown on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canvas {
    /// Columns; `usize::MAX` where nothing is wrapped.
    pub width: usize,
    pub colour: bool,
}

impl Canvas {
    /// One line, as bytes for the terminal.
    pub fn paint(self, spans: &[Span]) -> String {
        let mut line = String::new();
        for Span { text, style } in spans {
            if self.colour && *style != PLAIN {
                let _ = write!(line, "{}{text}{}", style.render(), style.render_reset());
            } else {
                line.push_str(text);
            }
        }
        line
    }

    /// The same wrapped at words; `first` stands before the first line, `rest` before the others. A
    /// word that is longer than a line is broken.
    pub fn wrap(self, spans: &[Span], first: &[Span], rest: &[Span]) -> Vec<String> {
        let mut wrapper = Wrapper {
            canvas: self,
            rest,
            lines: Vec::new(),
            used: width(first),
            begins: width(first),
            line: first.to_vec(),
            blank: None,
        };
        let mut word = Vec::new();
        for Span { text, style } in spans {
            for piece in text.split_inclusive(' ') {
                let bare = piece.strip_suffix(' ').unwrap_or(piece);
                if !bare.is_empty() {
                    word.push(Span::new(bare, *style));
                }
                if bare.len() < piece.len() {
                    wrapper.word(&std::mem::take(&mut word));
                    wrapper.blank.get_or_insert(Span::new("", *style)).text.push(' ');
                }
            }
        }
        wrapper.word(&word);
        wrapper.end_line();
        wrapper.lines
    }
}

/// Columns of some spans.
pub fn width(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.text.width()).sum()
}

struct Wrapper<'w> {
    canvas: Canvas,
    rest: &'w [Span],
    lines: Vec<String>,
    line: Vec<Span>,
    /// Columns of the line.
    used: usize,
    /// Where its text begins.
    begins: usize,
    /// Before the next word, unless that begins a line.
    blank: Option<Span>,
}

impl Wrapper<'_> {
    fn word(&mut self, word: &[Span]) {
        if word.is_empty() {
            return;
        }
        let blank = self.blank.take();
        let wide = width(word) + blank.as_ref().map_or(0, |blank| blank.text.len());
        if self.used.saturating_add(wide) > self.canvas.width {
            if self.used > self.begins {
                self.end_line();
            }
        } else if let Some(blank) = blank {
            self.used += blank.text.len();
            self.push(blank);
        }
        for Span { text, style } in word {
            let mut piece = String::new();
            for char in text.chars() {
                let columns = char.width().unwrap_or(0);
                let is_full = self.used.saturating_add(columns) > self.canvas.width;
                if is_full && columns > 0 && self.used > self.begins {
                    self.push(Span::new(std::mem::take(&mut piece), *style));
                    self.end_line();
                }
                piece.push(char);
                self.used += columns;
            }
            self.push(Span::new(piece, *style));
        }
    }

    fn push(&mut self, span: Span) {
        match self.line.last_mut() {
            Some(last) if last.style == span.style => last.text.push_str(&span.text),
            _ => self.line.push(span),
        }
    }

    fn end_line(&mut self) {
        self.lines.push(self.canvas.paint(&self.line));
        self.line = self.rest.to_vec();
        self.used = width(self.rest);
        self.begins = self.used;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NARROW: Canvas = Canvas { width: 10, colour: false };

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let first = [Span::new("- ", PLAIN)];
        let rest = [Span::new("  ", PLAIN)];
        let spans = [Span::new(text, PLAIN)];
        assert_eq!(NARROW.wrap(&spans, &first, &rest), expected, "{text:?}");
    }

    #[test]
    fn lines_end_between_words() {
        check("", &["- "]);
        check("one two three", &["- one two", "  three"]);
        check("12345678 9", &["- 12345678", "  9"]);
        check("a  b", &["- a  b"]);
        check("1234567890123", &["- 12345678", "  90123"]);
        check("ab 1234567890123", &["- ab", "  12345678", "  90123"]);
        check("日本語日本語", &["- 日本語日", "  本語"]);
    }

    #[test]
    fn a_word_of_two_styles_is_one() {
        let spans = [Span::new("one tw", PLAIN), Span::new("oooo", BOLD), Span::new("!", PLAIN)];
        let lines = Canvas { width: 9, colour: true }.wrap(&spans, &[], &[]);
        assert_eq!(lines, ["one", "tw\u{1b}[1moooo\u{1b}[0m!"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[ab ]{0,60}", width in 3_usize..20) {
            let canvas = Canvas { width, colour: false };
            let lines = canvas.wrap(&[Span::new(text.clone(), PLAIN)], &[], &[]);
            prop_assert!(lines.iter().all(|line| line.len() <= width));
            let bare = |text: &str| text.replace(' ', "");
            prop_assert_eq!(bare(&lines.concat()), bare(&text));
        }
    }
}
