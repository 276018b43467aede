//! What a person says on a page: bullets and paragraphs without a comment of ours.

use super::{MAX_NOTE_CHARS, text::one_line};
use crate::markdown::is_shown;

/// A bullet or a paragraph of a person's, on one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The 1-based line it begins on.
    pub number: usize,
    /// Without the bullet and comments.
    pub text: String,
}

/// Gathers notes line by line. Headings, rules, code and comments are none.
#[derive(Default)]
pub(super) struct Notes {
    done: Vec<Note>,
    /// The paragraph that the next line may continue.
    open: Option<(usize, String)>,
    /// Character and length of the fence that code stands behind.
    fence: Option<(char, usize)>,
    in_comment: bool,
}

impl Notes {
    /// Takes a line that is not ours.
    pub(super) fn line(&mut self, number: usize, content: &str) {
        let trimmed = content.trim();
        let run = |char| trimmed.chars().take_while(|found| *found == char).count();
        if let Some((char, length)) = self.fence {
            if run(char) >= length && trimmed.trim_matches(char).is_empty() {
                self.fence = None;
            }
            return;
        }
        let fence = ['`', '~'].map(|char| (char, run(char))).into_iter().find(|(_, run)| *run >= 3);
        if !self.in_comment && fence.is_some() {
            self.fence = fence;
            return self.end();
        }
        let text = self.outside_comments(trimmed);
        // A comment does not end a paragraph.
        if text.trim().is_empty() && !trimmed.is_empty() {
            return;
        }
        let text = text.trim().trim_start_matches(['>', ' ']);
        let is_rule = text.chars().all(|char| "-*_=|:+ ".contains(char));
        let hashes = text.len() - text.trim_start_matches('#').len();
        let is_heading = (1..=6).contains(&hashes)
            && text.get(hashes..).is_some_and(|rest| rest.starts_with([' ', '\t']));
        if is_rule || is_heading {
            return self.end();
        }
        match (item(text), &mut self.open) {
            (Some(item), _) => {
                self.end();
                self.open = Some((number, item.to_owned()));
            }
            (None, Some((_, open))) if open.len() < 8 * MAX_NOTE_CHARS => {
                open.push(' ');
                open.push_str(text);
            }
            (None, Some(_)) => {}
            (None, None) => self.open = Some((number, text.to_owned())),
        }
    }

    /// Ends the open paragraph: a line of ours follows, or the end.
    pub(super) fn end(&mut self) {
        if let Some((number, text)) = self.open.take() {
            let text = one_line(&text, MAX_NOTE_CHARS);
            if text.chars().any(|char| is_shown(char) && !char.is_whitespace()) {
                self.done.push(Note { number, text });
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Note> {
        self.end();
        self.done
    }

    fn outside_comments(&mut self, line: &str) -> String {
        let mut outside = String::new();
        let mut rest = line;
        loop {
            let mark = if self.in_comment { "-->" } else { "<!--" };
            let Some((before, after)) = rest.split_once(mark) else { break };
            if !self.in_comment {
                outside.push_str(before);
            }
            self.in_comment = !self.in_comment;
            rest = after;
        }
        if !self.in_comment {
            outside.push_str(rest);
        }
        outside
    }
}

/// What stands behind the bullet or number of a list item.
fn item(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let rest = match number {
        "" => rest.strip_prefix(['-', '*', '+'])?,
        _ if digits <= 9 => rest.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let item = rest.strip_prefix([' ', '\t'])?.trim_start();
    let task = ["[ ] ", "[x] ", "[X] "].iter().find_map(|task| item.strip_prefix(task));
    Some(task.unwrap_or(item).trim())
}
