//! Which of a name's siblings it may be short for.

use std::collections::HashSet;

use crate::extract::fold::fold;

/// The sibling that says the same and more: `KEF LS50 Meta` for `KEF`. Of several the one with the
/// fewest further words, then the first. A hint for merging later, never a reason to turn the name
/// away: it may have facts of its own.
pub fn merge_hint<'s>(name: &str, siblings: &[&'s str]) -> Option<&'s str> {
    let own = words(name);
    if own.is_empty() {
        return None;
    }
    let wider = siblings.iter().filter_map(|sibling| {
        let theirs = words(sibling);
        (theirs.len() > own.len() && own.is_subset(&theirs)).then_some((theirs.len(), *sibling))
    });
    // The first of equals: `min_by_key` keeps it.
    wider.min_by_key(|(words, _)| *words).map(|(_, sibling)| sibling)
}

fn words(name: &str) -> HashSet<String> {
    let folded = fold(name);
    let bare = |word: &str| word.trim_matches(|char: char| ",;:()\"".contains(char)).to_owned();
    folded.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}
