//! A page as it is indexed: what counts on it, every line where it was.

use std::collections::BTreeSet;

use super::{
    MAX_LINES,
    entities::first_lines,
    front,
    line::{self, Kind, Line},
    name::identity,
    page::Page,
    retired::Retired,
    rows::{Row, is_conflict_marker, rows},
    text::{escape_item, one_line},
};

/// The text to index, with as many lines as the page, so that line numbers agree. `page` is what
/// was read from `text`.
///
/// Comments of ours are gone; what is retired, said before on this page or means nothing to a
/// reader is a blank line, and so is what the header says, and what lies beyond the cap of a page; people's
/// lines are as they were. Where a page says nothing but names there is nothing to find: a name answers no
/// question.
pub fn searchable(text: &str, page: &Page, retired: &Retired) -> String {
    let mut further = rows(text);
    let all: Vec<Row<'_>> = further.by_ref().take(MAX_LINES).collect();
    let ours: Vec<Option<Line>> =
        (1..).zip(&all).map(|(number, row)| line::read(number, row)).collect();
    let header = front::read(&all);
    let first = first_lines(page.lines.iter().filter(|line| !retired.holds(&line.hash)));
    let is_theirs = |number: usize, row: &Row<'_>| {
        !is_conflict_marker(row.content) && !header.stray.contains(&number)
    };
    let is_said = |(number, (row, ours)): (usize, (&Row<'_>, &Option<Line>))| {
        number > header.lines
            && match ours {
                Some(line) => line.kind == Kind::Fact && first.contains(&line.hash),
                None => !row.content.trim().is_empty() && is_theirs(number, row),
            }
    };
    let says_anything = (1..).zip(all.iter().zip(&ours)).any(is_said);
    let mut said = BTreeSet::new();
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (number, (row, ours)) in (1..).zip(all.iter().zip(&ours)) {
        // A byte order mark.
        out.push_str(text.get(done..row.range.start).unwrap_or_default());
        if number <= header.lines {
            // With nothing between them the two marks are still no rule.
            if header.lines > 2 && (number == 1 || number == header.lines) {
                out.push_str("---");
            }
        } else if let Some(line) = ours {
            let is_fact = line.kind == Kind::Fact;
            let counts = !retired.holds(&line.hash) && said.insert(line.hash);
            let is_shown = if is_fact { first.contains(&line.hash) } else { says_anything };
            if counts && is_shown {
                out.push_str(&shown(line, row.content));
            }
        } else if is_theirs(number, row) {
            out.push_str(row.content);
        }
        end_line(&mut out, text, row);
        done = row.range.end;
    }
    further.for_each(|row| end_line(&mut out, text, &row));
    out
}

/// Ends a line as it ends on the page, so that it stays one.
fn end_line(out: &mut String, text: &str, row: &Row<'_>) {
    let ending = row.range.start + row.content.len();
    let ends = text.get(ending..row.range.end).unwrap_or_default();
    // The end of the line before and that of a blank one must not become one.
    if out.ends_with('\r') && ends.starts_with('\n') {
        out.push(' ');
    }
    // A last line that is blank now is still a line.
    if ends.is_empty() && (out.is_empty() || out.ends_with(['\r', '\n'])) {
        out.push(' ');
    }
    out.push_str(ends);
}

/// A fact as it stands on the page, a name or tag without its label.
fn shown(line: &Line, content: &str) -> String {
    match line.kind {
        Kind::Created | Kind::MergedInto => String::new(),
        Kind::Title | Kind::Alias | Kind::Tag => {
            format!("- {}", escape_item(&one_line(&line.text, super::MAX_TEXT_CHARS)))
        }
        Kind::Fact => {
            content.rsplit_once("<!--").map_or(content, |(before, _)| before).trim_end().to_owned()
        }
    }
}

/// The tags of a page that count, each once, in the order of the page.
pub fn counting_tags(page: &Page, retired: &Retired) -> Vec<String> {
    let lines = page.lines.iter().filter(|line| line.kind == Kind::Tag);
    let lines = lines.filter(|line| !retired.holds(&line.hash)).map(|line| &line.text);
    let mut seen = BTreeSet::new();
    let all = page.front.tags.iter().chain(lines);
    all.filter(|tag| seen.insert(identity(tag))).cloned().collect()
}
