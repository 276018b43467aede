//! A page, read.

use std::collections::BTreeSet;

use super::{
    MAX_LINES,
    front::{self, Front},
    line::{self, Kind, Line},
    name::identity,
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

    /// Facts that a person has changed lose the source that never said so; they are still undone with
    /// the search that brought them. `is_ours` tells whether a
    /// fact of an id was written by us, `former` are further names that the entity once had.
    ///
    /// The id of a fact is made of the entity's name, its text and its source. Where the name was
    /// changed by hand too, nothing can be told.
    pub fn disown_edited(&mut self, slug: &str, former: &[String], is_ours: &dyn Fn(&str) -> bool) {
        let named = |line: &&Line| matches!(line.kind, Kind::Title | Kind::Alias);
        let titles = self.lines.iter().filter(|line| line.kind == Kind::Title);
        if !titles.clone().all(|title| title.is_as_written(&[identity(&title.text)])) {
            return;
        }
        let names = self.lines.iter().filter(named).map(|line| line.text.as_str());
        let front = self.front.title.iter().chain(&self.front.aliases).map(String::as_str);
        let former = former.iter().map(String::as_str);
        let names = names.chain(front).chain(former).chain([slug]).map(identity);
        let names: Vec<String> = names.collect();
        for line in self.lines.iter_mut().filter(|line| line.kind == Kind::Fact) {
            if is_ours(&line.id) && !line.is_as_written(&names) {
                line.is_edited = true;
                line.source = None;
                line.published = None;
            }
        }
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
