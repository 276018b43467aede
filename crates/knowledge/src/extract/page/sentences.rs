//! The sentences of blocks.

use super::{Block, Kind, Sentence};
use elophanto_text::sentences;

/// The sentences of all blocks that tell something, in order.
pub(super) fn sentences(blocks: &[Block]) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        if block.is_furniture || matches!(block.kind, Kind::Heading(_)) {
            continue;
        }
        let lead = lead(&block.text);
        // `For example by adding new`, whose rest is the list below.
        let goes_on = blocks.get(number + 1).is_some_and(|next| next.kind == Kind::Item);
        let is_open = block.kind == Kind::Paragraph
            && goes_on
            && block.text.trim_end().ends_with(char::is_alphanumeric);
        let ranges = sentences::sentences(block.text.get(lead..).unwrap_or_default());
        for (place, range) in ranges.into_iter().enumerate() {
            let range = range.start + lead..range.end + lead;
            if is_open && range.end == block.text.trim_end().len() {
                continue;
            }
            let line = block.line + block.breaks.partition_point(|at| *at < range.start);
            found.push(Sentence { block: number, range, line, first: place == 0 });
        }
    }
    found
}

/// Bytes of what stands before a text like a heading: an arrow, or the words with which the text begins
/// again, as terms do that were set apart from what they mean.
fn lead(text: &str) -> usize {
    const LONGEST: usize = 80;
    let head = &text[..text.floor_char_boundary(LONGEST)];
    if let Some((before, _)) = head.split_once(" → ")
        && !before.contains(". ")
    {
        return before.len() + " → ".len();
    }
    let Some((term, _)) = head.split_once(':') else { return 0 };
    let rest = &text[term.len() + 1..];
    let again = rest.trim_start().starts_with(term.trim_end()) && term.trim_end().contains(' ');
    if again { text.len() - rest.trim_start().len() } else { 0 }
}

/// The term with which an item begins that tells what it means: `Version 0.54 : Version 0.54 was`.
pub(in crate::extract) fn term(text: &str) -> Option<&str> {
    let lead = text.get(..lead(text))?.trim_end().strip_suffix(':')?;
    Some(lead.trim_end())
}

#[cfg(test)]
mod tests {
    use super::lead;

    #[test]
    fn what_stands_before_like_a_heading_is_no_part_of_a_sentence() {
        for (text, expected) in [
            ("Old school → Nobody is", "Nobody is"),
            ("Version 0.54 : Version 0.54 was", "Version 0.54 was"),
            ("Grafana: a dashboard", "Grafana: a dashboard"),
            ("It goes. So → on", "It goes. So → on"),
        ] {
            assert_eq!(&text[lead(text)..], expected);
        }
    }
}
