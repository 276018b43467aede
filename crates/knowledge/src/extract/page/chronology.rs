//! Years with what happened in them, line by line or item by item: `1959: Foo goes public.` Rows, for without its
//! year no such sentence says when.

use super::properties::Section;
use super::{Block, Kind, Row};
use crate::extract::name::is_year;
use crate::extract::words;

/// Fewest years that make a chronology.
const LEAST: usize = 3;

/// Takes the years out of `blocks`, each with what follows it on its line, in its item or in the next item.
pub(super) fn of_blocks(blocks: &mut Vec<Block>, rows: &mut Vec<Row>, most: usize) {
    let years = blocks.iter().flat_map(lines).filter(|(_, line)| dated(line).is_some());
    if years.count() < LEAST {
        return;
    }
    let mut section = Section::default();
    // A year that is an item, whose next item says what happened.
    let mut open: Option<String> = None;
    blocks.retain_mut(|block| {
        section.take(block);
        if block.is_quoted || matches!(block.kind, Kind::Heading(_)) {
            open = None;
            return true;
        }
        let told: Vec<(usize, String, &str)> = match (dated(block.text.trim()), open.take()) {
            (Some((year, "")), _) => {
                open = Some(year.to_owned());
                return false;
            }
            (None, Some(year)) if block.kind == Kind::Item => {
                // What stands right below the last year goes on otherwise.
                let first = block.breaks.first().map_or(block.text.len(), |first| *first);
                let first = block.text.get(..first).unwrap_or_default().trim().to_owned();
                if first.ends_with('.') && first.len() < block.text.trim().len() {
                    let title = section.title().map(str::to_owned);
                    rows.extend(stands(&first).then(|| Row {
                        cells: vec![year, first.clone()],
                        section: title,
                        is_item: true,
                        line: block.line,
                        ..Row::default()
                    }));
                    // `Company history:`, alone on its line.
                    let next = block.breaks.get(1).map_or(block.text.len(), |next| *next);
                    let is_label =
                        block.text.get(first.len()..next).is_some_and(|it| it.ends_with(':'));
                    let from = if is_label { next } else { first.len() };
                    block.text = block.text.get(from..).unwrap_or_default().trim().to_owned();
                    (block.kind, block.list) = (Kind::Paragraph, None);
                    block.marks.clear();
                    block.breaks.clear();
                    return !block.text.is_empty();
                }
                vec![(0, year, block.text.trim())]
            }
            _ => {
                let lines = lines(block);
                let all = lines.iter().filter_map(|(at, line)| {
                    dated(line).map(|(year, what)| (*at, year.to_owned(), what))
                });
                let all: Vec<_> = all.collect();
                if all.len() < lines.len() { Vec::new() } else { all }
            }
        };
        if told.is_empty() || rows.len() + told.len() > most {
            return true;
        }
        let title = section.title().map(str::to_owned);
        let told = told.into_iter().filter(|(_, _, what)| stands(what));
        rows.extend(told.map(|(at, year, what)| Row {
            cells: vec![year, what.to_owned()],
            section: title.clone(),
            is_item: true,
            line: block.line + at,
            ..Row::default()
        }));
        false
    });
}

/// The lines of a block with their numbers; an item is one.
fn lines(block: &Block) -> Vec<(usize, &str)> {
    if block.kind == Kind::Item {
        return vec![(0, block.text.trim())];
    }
    let ends = block.breaks.iter().copied().chain([block.text.len()]);
    let mut from = 0;
    let lines = ends.map(|end| block.text.get(std::mem::replace(&mut from, end)..end));
    lines.map(|line| line.unwrap_or_default().trim()).enumerate().collect()
}

/// `1959: Foo goes public.`, `1959 – Foo goes public.`
fn dated(line: &str) -> Option<(&str, &str)> {
    let (year, rest) = line.split_at_checked(4).filter(|(year, _)| is_year(year))?;
    let rest = rest
        .strip_prefix([':', '–', '—'])
        .or_else(|| [" – ", " — ", " - ", " : "].iter().find_map(|mark| rest.strip_prefix(mark)))?;
    Some((year, rest.trim()))
}

/// Whether what happened is told without the line before.
fn stands(what: &str) -> bool {
    let first = what.split(' ').next().unwrap_or_default().to_lowercase();
    !words::is_pronoun(&first)
        && !matches!(first.as_str(), "these" | "this" | "their" | "its" | "also")
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn years_are_rows() {
        for (text, expected) in [
            (
                "1959: Foo goes public.\n1962: It is listed.\n1968: Foo moves to Rome.",
                ["1959 | Foo goes public.", "1968 | Foo moves to Rome."].as_slice(),
            ),
            (
                "- 1959:\n- Foo goes public.\n- 1962:\n- Foo grows.\n- 1968:\n- Foo moves to Rome.",
                &["1959 | Foo goes public.", "1962 | Foo grows.", "1968 | Foo moves to Rome."],
            ),
            (
                "* **1959** – Foo opens.\n* 1962 – Foo grows.\n* 1968 - Foo moves.",
                &["1959 | Foo opens.", "1962 | Foo grows.", "1968 | Foo moves."],
            ),
            (
                "- 1959:\n- Foo opens.\n- 1962:\n- Foo grows.\n- 1968:\n- Foo moves.\nHistory:\nFoo is old.",
                &["1959 | Foo opens.", "1962 | Foo grows.", "1968 | Foo moves."],
            ),
            ("1959: Foo goes public.\n\n1962: Foo grows.", &[]),
        ] {
            let page = read(text);
            let rows: Vec<String> = page.rows.iter().map(|row| row.cells.join(" | ")).collect();
            assert_eq!(rows, expected, "{text}");
            let said: Vec<&str> = page.sentences.iter().map(|it| page.text(it)).collect();
            assert_eq!(said == ["Foo is old."], text.ends_with("old."), "{text}");
        }
    }
}
