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
    write::quoted,
};

/// The text to index, with as many lines as the page, so that line numbers agree. `page` is what
/// was read from `text`, `title` the name the entity is shown under.
///
/// Comments of ours are gone; what is retired, said before on this page or means nothing to a
/// reader is a blank line; people's lines are as they were. The header says title, scope and tags,
/// if it has the three lines that takes.
pub fn searchable(text: &str, page: &Page, retired: &Retired, title: &str) -> String {
    let all: Vec<Row<'_>> = rows(text).take(MAX_LINES).collect();
    let header = front::read(&all);
    let mut front = header_lines(header.lines, title, &tags(page, retired)).into_iter();
    let counting = || page.lines.iter().filter(|line| !retired.holds(&line.hash));
    let first = first_lines(counting());
    let mut said = BTreeSet::new();
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (number, row) in (1..).zip(&all) {
        // A byte order mark.
        out.push_str(text.get(done..row.range.start).unwrap_or_default());
        let ours = line::read(number, row);
        if number <= header.lines {
            out.push_str(&front.next().unwrap_or_default());
        } else if let Some(line) = ours {
            let is_fact = line.kind == Kind::Fact;
            let counts = !retired.holds(&line.hash) && said.insert(line.hash);
            if counts && (!is_fact || first.contains(&line.hash)) {
                out.push_str(&shown(&line, row.content));
            }
        } else if !is_conflict_marker(row.content) && !header.stray.contains(&number) {
            out.push_str(row.content);
        }
        let ending = row.range.start + row.content.len();
        let ends = text.get(ending..row.range.end).unwrap_or_default();
        // The end of the line before and that of a blank one must not become one.
        if out.ends_with('\r') && ends.starts_with('\n') {
            out.push(' ');
        }
        out.push_str(ends);
        done = row.range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
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

/// As many lines as the header has. Where one key a line does not fit, all stand on one.
fn header_lines(lines: usize, title: &str, tags: &[String]) -> Vec<String> {
    let Some(inner) = lines.checked_sub(2).filter(|inner| *inner > 0) else {
        return vec![String::new(); lines];
    };
    let title = format!("title: {}", quoted(title));
    let scope = "scope: learned".to_owned();
    let tags: Vec<String> = tags.iter().map(|tag| quoted(tag)).collect();
    let tags = format!("tags: [{}]", tags.join(", "));
    let mut said = match tags.as_str() {
        "tags: []" => vec![title, scope],
        _ => vec![title, scope, tags],
    };
    if said.len() > inner {
        said = vec![format!("{{{}}}", said.join(", "))];
    }
    said.resize(inner, String::new());
    said.insert(0, "---".to_owned());
    said.push("---".to_owned());
    said
}

/// Those that count, each once, in the order of the page.
fn tags(page: &Page, retired: &Retired) -> Vec<String> {
    let lines = page.lines.iter().filter(|line| line.kind == Kind::Tag);
    let lines = lines.filter(|line| !retired.holds(&line.hash)).map(|line| &line.text);
    let mut seen = BTreeSet::new();
    let all = page.front.tags.iter().chain(lines);
    all.filter(|tag| seen.insert(identity(tag))).cloned().collect()
}
