//! Texts without the marks of Markdown.

use elophanto_text::{
    markdown::on_one_line,
    template::{without_tags, without_templates},
};

/// The text of a paragraph or item on one line, without marks, templates and tags.
pub(in crate::search) fn plain(raw: &str) -> String {
    let lines = raw.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']));
    let joined = lines.collect::<Vec<_>>().join(" ");
    let joined = without_templates(&joined);
    let joined = without_tags(&joined);
    on_one_line(without_mark(&joined), usize::MAX, |_| true).trim().to_owned()
}

/// Without the mark of a list's item and of a task.
pub(super) fn without_mark(text: &str) -> &str {
    let text = text.trim_start();
    let numbered = text.trim_start_matches(|char: char| char.is_ascii_digit());
    // `: ` begins what a list of definitions says of the term above.
    let item = ["- ", "* ", "+ ", ": "].iter().find_map(|mark| text.strip_prefix(mark));
    let step = || {
        let step = [". ", ") "].iter().find_map(|mark| numbered.strip_prefix(mark));
        step.filter(|_| numbered.len() < text.len())
    };
    let item = item.or_else(step).unwrap_or(text).trim_start();
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| item.strip_prefix(mark)).unwrap_or(item)
}

/// A text without its links' words and targets.
pub(super) fn without_links(text: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find("](").map(|at| open + at) else { break };
        let Some(end) = rest[close..].find(')').map(|at| close + at) else { break };
        outside.push_str(&rest[..open]);
        rest = &rest[end + 1..];
    }
    outside + rest
}
