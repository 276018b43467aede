//! Markdown as it comes, line by line: what is shown of it stays as it was shown. Pure.
//!
//! A line is cut where it is full and no emphasis, code or link is open; each piece is shown by
//! itself, so that it does not depend on how the text came in.

use termimad::{MadSkin, crossterm::style::Attribute};

use super::{
    ACCENT, BAD, Canvas, FAINT, GOOD, PLAIN, Span,
    inline::inline,
    lines::{Line, gaps, is_rule, kind_of, unlinked},
    width,
};
use anstyle::Style;
use elophanto_base::visible::visible;

/// Bytes that a kind of line is told by.
const BEGINS: usize = 12;
/// Columns of a line across.
const RULE: usize = 40;
/// Columns that are left for a text, however deep it stands.
const LEAST: usize = 10;
const CODE_INDENT: &str = "    ";
const FENCES: [&str; 2] = ["```", "~~~"];

/// A text that is being made.
#[derive(Default)]
pub struct Markdown {
    /// What is not shown yet.
    pending: String,
    /// The line of which a part was shown.
    open: Option<Line>,
    code: Option<Code>,
    table: Vec<String>,
    /// Whether the last that was shown was an empty line; `None` if nothing was.
    is_apart: Option<bool>,
}

/// A block of code.
struct Code {
    fence: String,
    is_diff: bool,
}

impl Markdown {
    /// Takes a piece of the text; the lines that are full now.
    pub fn push(&mut self, text: &str, canvas: Canvas) -> Vec<String> {
        let mut shown = Vec::new();
        self.pending.push_str(text);
        while let Some(at) = self.pending.find('\n') {
            let rest = self.pending.split_off(at + 1);
            let line = std::mem::replace(&mut self.pending, rest);
            self.line(line.trim_end_matches(['\n', '\r']), canvas, &mut shown);
        }
        self.part(canvas, &mut shown);
        shown
    }

    /// The text has ended: what is left of it.
    pub fn end(&mut self, canvas: Canvas) -> Vec<String> {
        let mut shown = Vec::new();
        let rest = std::mem::take(&mut self.pending);
        if !rest.is_empty() {
            self.line(&rest, canvas, &mut shown);
        }
        self.end_table(canvas, &mut shown);
        // Nothing follows it.
        while shown.last().is_some_and(String::is_empty) {
            shown.pop();
        }
        *self = Self::default();
        shown
    }

    /// A whole line, or the rest of one.
    fn line(&mut self, line: &str, canvas: Canvas, shown: &mut Vec<String>) {
        if let Some(open) = self.open.take() {
            self.flow(open, line, true, canvas, shown);
            return;
        }
        let bare = line.trim();
        if let Some(Code { fence, is_diff }) = &self.code {
            if bare.starts_with(fence) && bare.trim_start_matches(['`', '~']).is_empty() {
                self.code = None;
            } else {
                let style = if *is_diff { style_in_diff(line) } else { PLAIN };
                let spans = [Span::new(CODE_INDENT, PLAIN), Span::new(safe(line), style)];
                self.show(vec![canvas.paint(&spans)], shown);
            }
            return;
        }
        if bare.starts_with('|') {
            self.table.push(line.to_owned());
            return;
        }
        self.end_table(canvas, shown);
        if FENCES.iter().any(|fence| bare.starts_with(fence)) {
            let language = bare.trim_start_matches(['`', '~']);
            let fence = bare[..bare.len() - language.len()].to_owned();
            let is_diff = matches!(language.trim(), "diff" | "patch");
            self.code = Some(Code { fence, is_diff });
        } else if bare.is_empty() {
            // One is enough, and none stands at the beginning.
            if self.is_apart == Some(false) {
                shown.push(String::new());
                self.is_apart = Some(true);
            }
        } else if is_rule(bare) {
            let rule = "─".repeat(RULE.min(canvas.width));
            self.show(vec![canvas.paint(&[Span::new(rule, FAINT)])], shown);
        } else {
            let (kind, at) = kind_of(line);
            self.flow(kind, &line[at..], false, canvas, shown);
        }
    }

    /// What is full of a line that has not ended.
    fn part(&mut self, canvas: Canvas, shown: &mut Vec<String>) {
        if self.code.is_some() || self.pending.is_empty() || canvas.width == usize::MAX {
            return;
        }
        let (mut line, at) = match &self.open {
            Some(open) => (open.clone(), 0),
            None => {
                let bare = self.pending.trim_start();
                let is_fence = FENCES.iter().any(|fence| bare.starts_with(fence));
                let is_other = is_fence || bare.starts_with('|') || is_rule(bare);
                if bare.len() < BEGINS || is_other || !self.table.is_empty() {
                    return;
                }
                kind_of(&self.pending)
            }
        };
        let text = std::mem::take(&mut self.pending);
        let (mut rest, mut is_cut) = (&text[at..], false);
        while let Some(cut) = full(rest, &line, false, canvas) {
            self.show(shown_as(&rest[..cut], &line, canvas), shown);
            rest = rest[cut..].trim_start();
            line.first.clone_from(&line.rest);
            is_cut = true;
        }
        if is_cut {
            self.pending = rest.to_owned();
            self.open = Some(line);
        } else {
            self.pending = text;
        }
    }

    /// A line to its end, of which a part may have been shown.
    fn flow(
        &mut self,
        mut line: Line,
        text: &str,
        mut is_begun: bool,
        canvas: Canvas,
        shown: &mut Vec<String>,
    ) {
        let mut rest = text;
        while let Some(cut) = full(rest, &line, true, canvas) {
            self.show(shown_as(&rest[..cut], &line, canvas), shown);
            rest = rest[cut..].trim_start();
            line.first.clone_from(&line.rest);
            is_begun = true;
        }
        if !(is_begun && rest.trim().is_empty()) {
            self.show(shown_as(rest, &line, canvas), shown);
        }
    }

    fn show(&mut self, lines: Vec<String>, shown: &mut Vec<String>) {
        self.is_apart = Some(false);
        shown.extend(lines);
    }

    fn end_table(&mut self, canvas: Canvas, shown: &mut Vec<String>) {
        if self.table.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut self.table);
        let rows: Vec<_> = rows.iter().map(|row| unlinked(&safe(row))).collect();
        let mut skin = MadSkin::no_style();
        if canvas.colour {
            skin.bold.add_attr(Attribute::Bold);
            skin.italic.add_attr(Attribute::Italic);
        }
        let width = canvas.width.min(usize::from(u16::MAX));
        let table = skin.text(&rows.join("\n"), Some(width)).to_string();
        self.show(table.lines().map(|line| line.trim_end().to_owned()).collect(), shown);
    }
}

/// Text from a model, for one line.
pub(super) fn safe(text: &str) -> String {
    visible(text).replace('\t', "    ")
}

fn shown_as(text: &str, line: &Line, canvas: Canvas) -> Vec<String> {
    canvas.wrap(&inline(text.trim(), line.style, canvas.colour), &line.first, &line.rest)
}

/// Where a text is cut that is longer than its line: before the word that is too much. Of a text that
/// has not ended the last word is not known yet.
fn full(text: &str, line: &Line, is_whole: bool, canvas: Canvas) -> Option<usize> {
    if canvas.width == usize::MAX {
        return None;
    }
    let room = canvas.width.saturating_sub(width(&line.first)).max(LEAST);
    let mut last = None;
    for at in gaps(text).chain(is_whole.then_some(text.len())) {
        if width(&inline(text[..at].trim(), line.style, canvas.colour)) > room {
            return Some(last.unwrap_or(at)).filter(|cut| *cut < text.len());
        }
        last = Some(at);
    }
    None
}

fn style_in_diff(line: &str) -> Style {
    match line.as_bytes().first() {
        Some(b'+') => GOOD,
        Some(b'-') => BAD,
        Some(b'@') => ACCENT,
        _ => PLAIN,
    }
}

#[cfg(test)]
mod tests;
