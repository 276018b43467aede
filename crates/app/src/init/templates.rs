//! The notes that a new knowledge base begins with.
//!
//! Owns their texts, places and front matter. They are for the user's project, so they say what
//! belongs where and how to write it, and nothing about how this program works inside.

use jiff::Timestamp;

use crate::config::quote;

/// A note of the new tree.
pub(super) struct Note {
    /// Relative to the folder of our own notes.
    pub(super) path: &'static str,
    /// What the title says before the project's name.
    title: &'static str,
    tags: &'static str,
    pub(super) body: &'static str,
}

macro_rules! note {
    ($name:literal, $title:literal, $tags:literal) => {
        Note {
            path: concat!("system/", $name, ".md"),
            title: $title,
            tags: $tags,
            body: include_str!(concat!("templates/", $name, ".md")),
        }
    };
}

pub(super) const NOTES: &[Note] = &[
    note!("identity", "Identity", "identity, purpose, principles"),
    note!("architecture", "Architecture", "architecture, overview, components"),
    note!("capabilities", "Capabilities", "capabilities, features, usage"),
    note!("conventions", "Conventions", "conventions, style, testing"),
    note!("changelog", "Changelog", "changelog, history"),
    note!("known-limitations", "Known limitations", "limitations, bugs, workarounds"),
];

/// Folders that begin empty, relative to the folder of our own notes.
pub(super) const FOLDERS: &[&str] = &[
    "system/designs", "system/decisions", "user", "learned/tasks", "learned/patterns",
    "learned/failures", "learned/services", "learned/entities", "plugins",
];

/// The whole note, front matter included.
pub(super) fn render(note: &Note, project: &str, write_root: &str, now: Timestamp) -> String {
    let project = plain_name(project);
    let title = quote_title(&format!("{} of {project}", note.title));
    // Whole seconds: nobody cares, and diffs stay readable.
    let now = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let folder = if write_root == "." { "" } else { write_root };
    let slash = if folder.is_empty() { "" } else { "/" };
    let prefix = format!("{folder}{slash}");
    let body = fill(note.body, &[("{{project}}", &project), ("{{root}}", &prefix)]);
    let tags = note.tags;
    format!(
        "---\ntitle: {title}\ncreated: {now}\nupdated: {now}\ntags: [{tags}]\nscope: system\n---\n\n{body}"
    )
}

/// Replaces all marks in one pass, so that a name which looks like a mark stays a name.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        match values.iter().find(|(mark, _)| rest.starts_with(mark)) {
            Some((mark, value)) => {
                filled.push_str(value);
                rest = &rest[mark.len()..];
            }
            None => {
                filled.push_str("{{");
                rest = &rest[2..];
            }
        }
    }
    filled + rest
}

/// A folder's name may hold anything; a heading is one short line.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let short: String = name.chars().map(plain).take(80).collect();
    let words: Vec<&str> = short.split_whitespace().collect();
    if words.is_empty() { "this project".to_owned() } else { words.join(" ") }
}

/// Quotes only where YAML needs it: plain words with single spaces are fine as they are.
fn quote_title(title: &str) -> String {
    if title.split(' ').all(|word| quote(word) == word) { title.to_owned() } else { quote(title) }
}
