//! Takes long tables apart: a row says something by itself once the names of its columns stand
//! above it.

use std::rc::Rc;

use super::split::{Chunker, Part};
use crate::markdown::{BlockKind, on_one_line};

/// A table of more tokens is long.
pub(super) const LONG_TABLE: usize = 300;
/// A table of fewer rows is not taken apart.
const FEWEST_ROWS: usize = 3;
/// A table of more rows is no text to read but data: it is cut like any other block.
const MOST_ROWS: usize = 1_000;
/// Characters of the names of the columns.
const MOST_HEADER: usize = 200;

/// A long table.
pub(super) struct Table {
    /// The names of the columns, and the rule below them.
    pub head: Part,
    /// The names of the columns on one line.
    pub header: Rc<str>,
    pub rows: Vec<Part>,
}

/// Takes a block apart if it is a long table.
pub(super) fn rows(part: &Part, chunker: &Chunker<'_>) -> Option<Table> {
    if part.kind != BlockKind::Table || part.span.tokens <= LONG_TABLE {
        return None;
    }
    let range = &part.span.range;
    let text = chunker.text.get(range.clone())?;
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            starts.push(at);
        }
        at += line.len();
    }
    // Names, rule, rows.
    if !(FEWEST_ROWS + 2..=MOST_ROWS + 2).contains(&starts.len()) {
        return None;
    }
    let cells = text[..starts[1]].trim().trim_matches('|').split('|').map(str::trim);
    let named: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    let header = on_one_line(&named.join(" | "), MOST_HEADER, |_| true).into();
    let part = |start: usize, end: usize| Part {
        kind: BlockKind::Table,
        span: chunker.span(range.start + start..range.start + end),
    };
    let ends = starts[3..].iter().copied().chain([text.len()]);
    let rows = starts[2..].iter().zip(ends).map(|(start, end)| part(*start, end)).collect();
    Some(Table { head: part(0, starts[2]), header, rows })
}
