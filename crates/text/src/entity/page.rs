//! A page, read.

use std::collections::BTreeSet;

use super::{
    MAX_LINES,
    front::{self, Front},
    line::{self, Line},
    notes::{Note, Notes},
    rows::{Row, is_conflict_marker, rows},
};
use crate::markdown::Warning;

/// What a page says. Which of its lines count, the retirements tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// In the order of the file. The same line twice is there once; two lines that say the same
    /// and differ in anything else are both there, for one of them may be retired.
    pub lines: Vec<Line>,
    /// What people say, in the order of the file.
    pub notes: Vec<Note>,
    /// The header.
    pub front: Front,
    /// What was read all the same.
    pub warnings: Vec<Warning>,
}

impl Page {
    /// Reads all that can be read.
    pub fn parse(text: &str) -> Self {
        let rows: Vec<Row<'_>> = rows(text).take(MAX_LINES + 1).collect();
        let mut rows = rows.as_slice();
        let mut warnings = Vec::new();
        if rows.len() > MAX_LINES {
            rows = rows.get(..MAX_LINES).unwrap_or_default();
            let message = format!("lines from here on are ignored: over the cap of {MAX_LINES}");
            warnings.push(Warning { line: Some(MAX_LINES + 1), message });
        }
        let header = front::read(rows);
        warnings.extend(header.warnings);
        if let Some(at) = rows.iter().position(|row| is_left_by_merge(row.content)) {
            let message = "conflict markers of a merge".to_owned();
            warnings.push(Warning { line: Some(at + 1), message });
        }
        let (mut lines, mut notes, mut seen) = (Vec::new(), Notes::default(), BTreeSet::new());
        for (number, row) in (1..).zip(rows) {
            if let Some(line) = line::read(number, row) {
                notes.end();
                if seen.insert(line.hash) {
                    lines.push(line);
                }
            } else if is_conflict_marker(row.content) || header.stray.contains(&number) {
                notes.end();
            } else if number > header.lines {
                notes.line(number, row.content);
            }
        }
        warnings.sort_by_key(|warning| warning.line);
        Self { lines, notes: notes.finish(), front: header.front, warnings }
    }
}

/// A separator alone may underline a heading.
fn is_left_by_merge(content: &str) -> bool {
    is_conflict_marker(content) && !content.starts_with('=')
}

/// The lines of ours, wherever on the page they are.
pub(super) fn own_lines(text: &str) -> impl Iterator<Item = (Line, Row<'_>)> {
    let rows = (1..).zip(rows(text).take(MAX_LINES));
    rows.filter_map(|(number, row)| Some((line::read(number, &row)?, row)))
}
