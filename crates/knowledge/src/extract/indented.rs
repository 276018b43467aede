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
    for line in text.split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        kept.push_str(&line[blanks.min(*margin)..]);
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_goes_and_code_stays() {
        let text = format!("1. Head\n\n{}    1. One\n\n", "   Words here.\n".repeat(10));
        let kept = without_margin(&text);
        assert_eq!(kept, format!("1. Head\n\n{} 1. One\n\n", "Words here.\n".repeat(10)));
        let code = format!("# Head\n\nWords.\n\n{}", "    let x = 1;\n".repeat(20));
        assert_eq!(without_margin(&code), code);
        let short = "  a\n  b\n";
        assert_eq!(without_margin(short), short);
    }
}
