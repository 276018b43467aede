//! What leads around a site.

use crate::words::{Words, list};

/// What pages put around their text. Whole names only: `Home Assistant` and `Next.js` are names.
pub(super) fn is_navigation(name: &str, words: &[&str]) -> bool {
    const ARROWS: &[char] = &[
        '→', '←', '↑', '↓', '»', '«', '›', '‹', '▲', '▼', '▶', '◀', '⬆', '⬇', '➡', '⬅', '↩', '↗',
        '⟶', '⟵',
    ];
    static PHRASES: Words = list!(phrases "navigation");
    static LABELS: Words = list!(phrases "navigation_labels");
    const STARTS: &[&str] = &[
        "copyright (c)", "skip to ", "edit this page", "last updated", "last modified",
        "powered by ",
    ];
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    let lower = bare.trim_end_matches(['.', '!', '?', ':', '…']).to_lowercase();
    let crumbs = words.len() > 2
        && words.iter().any(|word| matches!(*word, ">" | "/" | "»" | "›" | "→" | "·" | "•"))
        && !words.iter().any(|word| matches!(*word, "<" | "="));
    PHRASES.contains(lower.as_str())
        || crumbs
        || name.contains('©')
        || name.starts_with(ARROWS)
        || (words.len() > 1 && matches!(words.first(), Some(&("<<" | "×" | "✕" | "✖" | "☰" | "<"))))
        || matches!(words.last(), Some(&(">>" | "×" | "☰")))
        || is_pager(words)
        || name.ends_with(ARROWS)
        || STARTS.iter().any(|start| lower.starts_with(start))
        || lower.ends_with("all rights reserved")
        || (lower.starts_with("page ") && words.get(2) == Some(&"of"))
        || (words.len() > 1
            && lower.split_once(": ").is_some_and(|(label, _)| LABELS.contains(label)))
}

/// `1 2 3 Next`
fn is_pager(words: &[&str]) -> bool {
    let Some((last, rest)) = words.split_last() else { return false };
    rest.len() > 1
        && matches!(last.to_lowercase().as_str(), "next" | "last" | "older" | "previous")
        && rest.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}
