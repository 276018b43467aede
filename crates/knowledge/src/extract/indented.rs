//! Plain texts that stand behind a margin of blanks, in which Markdown would see code.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Blanks of a margin.
const LEAST_MARGIN: usize = 2;
/// Fewest lines of text that tell.
const LEAST_LINES: usize = 10;

/// The text without the margin that most of its lines have; lines stay lines.
pub(super) fn without_margin(text: &str) -> Cow<'_, str> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut all = 0_usize;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        // What is marked up has lines of its own at the margin.
        if line.starts_with(['#', '`', '|', '<', '-', '*', '>']) || line.contains('\t') {
            return Cow::Borrowed(text);
        }
        all += 1;
        *counts.entry(line.len() - line.trim_start_matches(' ').len()).or_default() += 1;
    }
    let mut common = counts.iter().filter(|(_, count)| **count * 10 >= all);
    let margin = common.find(|(margin, _)| **margin >= LEAST_MARGIN).map(|(margin, _)| margin);
    let Some(margin) = margin else { return Cow::Borrowed(text) };
    let behind: usize = counts.range(margin..).map(|(_, count)| count).sum();
    if all < LEAST_LINES || behind * 5 < all * 3 {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let mut is_behind_blank = true;
    while let Some(line) = lines.next() {
        let is_indented = lines.peek().is_some_and(|next| next.starts_with("  "));
        if is_behind_blank && is_indented && is_in_capitals(line.trim_end()) {
            let mut said = line.to_lowercase();
            said[..1].make_ascii_uppercase();
            kept.push_str("### ");
            kept.push_str(&said);
            is_behind_blank = false;
            continue;
        }
        is_behind_blank = line.trim().is_empty();
        let blanks = line.len() - line.trim_start_matches(' ').len();
        kept.push_str(&line[blanks.min(*margin)..]);
    }
    Cow::Owned(kept)
}

/// `DESCRIPTION`, as manuals head their parts.
fn is_in_capitals(line: &str) -> bool {
    const LEAST: usize = 4;
    const MOST_WORDS: usize = 4;
    line.len() >= LEAST
        && line.split(' ').count() <= MOST_WORDS
        && line.starts_with(|it: char| it.is_ascii_uppercase())
        && line.bytes().all(|it| it.is_ascii_uppercase() || matches!(it, b' ' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_goes_and_code_stays() {
        let text = format!("1. Head\n\n{}    1. One\n\n", "   Words here.\n".repeat(10));
        let kept = without_margin(&text);
        assert_eq!(kept, format!("1. Head\n\n{} 1. One\n\n", "Words here.\n".repeat(10)));
        let manual = format!("DESCRIPTION\n{}", "    Words here.\n".repeat(10));
        let expected = format!("### Description\n{}", "Words here.\n".repeat(10));
        assert_eq!(without_margin(&manual), expected);
        let code = format!("# Head\n\nWords.\n\n{}", "    let x = 1;\n".repeat(20));
        assert_eq!(without_margin(&code), code);
        let short = "  a\n  b\n";
        assert_eq!(without_margin(short), short);
    }
}
