//! Units of systemd: sections, what is run, and which files that takes.

use super::super::{
    draft::{Draft, Found},
    kind::ItemKind,
};

/// What a unit runs.
const COMMANDS: &[&str] = &[
    "ExecStart", "ExecStartPre", "ExecStartPost", "ExecCondition", "ExecReload", "ExecStop",
    "ExecStopPost",
];

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let text = draft.text;
    let ends = section_ends(text);
    let mut ends = ends.iter();
    let mut section = None;
    let mut at = 0;
    while at < text.len() {
        let (start, end) = (at, statement_end(text, at));
        at = end;
        let statement = text[start..end].trim();
        if statement.is_empty() || statement.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = statement.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            let last = ends.next().copied().unwrap_or(text.len());
            section = draft.add(Found {
                signature: statement,
                ..Found::new(ItemKind::Section, name, start..last)
            });
        } else if let Some((key, value)) = statement.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            let command = COMMANDS.contains(&key);
            refer(draft, key, value);
            let kind = if command { ItemKind::Command } else { ItemKind::Key };
            draft.add(Found {
                parent: section,
                signature: &statement.replace("\\\n", " "),
                ..Found::new(kind, key, start..end)
            });
        } else {
            draft.failed();
        }
    }
}

fn refer(draft: &mut Draft<'_>, key: &str, value: &str) {
    match key {
        "Description" => draft.purpose(value),
        // Marks in front of the path say how it is run, or that the file may be missing.
        "EnvironmentFile" => draft.import(value.trim_start_matches('-')),
        "Unit" => draft.import(value),
        _ if COMMANDS.contains(&key) => {
            let program = value.trim_start_matches(['@', '-', ':', '+', '!', '|']);
            draft.import(program.split_whitespace().next().unwrap_or_default());
        }
        _ => {}
    }
}

/// Behind the line at this byte and those that a backslash joins to it.
fn statement_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let comment = text[at..].trim_start().starts_with(['#', ';']);
    for line in text[at..].split_inclusive('\n') {
        end += line.len();
        if comment || !line.trim_end().ends_with('\\') {
            break;
        }
    }
    end
}

/// Where each section ends: at the next one or at the end.
fn section_ends(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = statement_end(text, at);
        let statement = text[at..end].trim();
        if statement.starts_with('[') && statement.ends_with(']') {
            starts.push(at);
        }
        at = end;
    }
    starts.into_iter().skip(1).chain([text.len()]).collect()
}
