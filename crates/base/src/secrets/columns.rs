//! Secrets in the columns of tables whose heads name one: `| User | Password |`, and below it `| admin | ... |`.

use std::ops::Range;

use super::{
    Found, judge,
    said::{Named, bare, named, told},
};

/// Columns of a table that are looked at.
const MOST: usize = 64;

/// All of a text.
pub(super) fn found(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut at, mut above) = (0, "");
    let mut columns: Vec<(usize, Named)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if !line.contains('|') {
            columns.clear();
        } else if is_below_head(line) {
            let heads = cells(above).enumerate().take(MOST);
            let name =
                |(number, range): (usize, Range<usize>)| Some((number, head(&above[range])?));
            columns = heads.filter_map(name).collect();
        } else if !columns.is_empty() {
            for (number, range) in cells(line).enumerate().take(MOST) {
                let Some((_, named)) = columns.iter().find(|(column, _)| *column == number) else {
                    continue;
                };
                let cell = line[range.clone()].trim();
                let value = bare(cell, *named).value;
                if !cell.contains(char::is_whitespace)
                    && judge::said(value, *named)
                    && let Some(begin) = line[range.clone()].find(value)
                {
                    let start = at + range.start + begin;
                    found.push(told(start..start + value.len(), value));
                }
            }
        }
        at += line.len();
        above = line;
    }
    found
}

/// Whether a line is the one between the head of a table and its rows.
fn is_below_head(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
    line.contains('-') && line.bytes().all(|byte| b"|:- \t".contains(&byte))
}

/// What the head of a column names, if that is its last word.
fn head(cell: &str) -> Option<Named> {
    let cell = cell.trim_matches([' ', '\t', '*', '_', '`', ':']);
    let (range, named) = named(cell)?;
    (range.end == cell.len() && named != Named::Login).then_some(named)
}

/// The cells of a row.
fn cells(line: &str) -> impl Iterator<Item = Range<usize>> {
    let row = line.trim_end();
    let inner = row.trim_start_matches([' ', '\t', '>']);
    let mut start = row.len() - inner.len() + usize::from(inner.starts_with('|'));
    let ends = row.match_indices('|').map(|(end, _)| end).chain([row.len()]);
    let ends = ends.filter(move |end| !row[..*end].ends_with('\\'));
    ends.filter_map(move |end| {
        let cell = start..end;
        (end >= start).then(|| {
            start = end + 1;
            cell
        })
    })
}
