//! The sentences of blocks.

use std::ops::Range;

use super::{Block, Kind, Sentence};
use crate::extract::words;
use elophanto_text::sentences;

/// The sentences of all blocks that tell something, in order.
pub(super) fn sentences(blocks: &[Block]) -> Vec<Sentence> {
    let mut found = Vec::new();
    // Whoever copied the text lost the breaks between its paragraphs.
    let is_glued = blocks.iter().any(|block| {
        glues(&block.text).any(|at| {
            let word = block.text[at..].split(' ').next().unwrap_or_default();
            words::is_starter(&word.to_lowercase())
        })
    });
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
        let text = block.text.get(lead..).unwrap_or_default();
        let ranges = sentences::sentences(text).into_iter();
        let ranges: Vec<Range<usize>> = match is_glued {
            true => ranges.flat_map(|range| parted(text, range)).collect(),
            false => ranges.collect(),
        };
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

/// Where a sentence begins right behind the stop of another: `in voting.Its first use was`. Names of code
/// have no blank behind them, or no word before.
fn glues(text: &str) -> impl Iterator<Item = usize> {
    const SHORTEST: usize = 3;
    let stops = text.match_indices('.').map(|(at, _)| at);
    stops
        .filter(|&at| {
            let before = text[..at].bytes().rev().take_while(u8::is_ascii_lowercase).count();
            let word = before >= SHORTEST && text[..at - before].ends_with([' ', '-'])
                || text[..at].ends_with(|char: char| char.is_ascii_digit() || char == ')');
            let rest = &text[at + 1..];
            let small = rest.bytes().skip(1).take_while(u8::is_ascii_lowercase).count();
            let behind = rest.as_bytes().get(small + 1);
            word && rest.starts_with(|char: char| char.is_ascii_uppercase())
                && behind == Some(&b' ')
        })
        .map(|at| at + 1)
}

/// A sentence in parts, where others begin within it.
fn parted(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let within = text.get(range.clone()).unwrap_or_default();
    let starts = glues(within).map(|at| range.start + at).collect::<Vec<usize>>();
    let ends = starts.iter().copied().chain([range.end]);
    let mut from = range.start;
    ends.map(|end| std::mem::replace(&mut from, end)..end).collect()
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
    if let Some(number) = number(head) {
        return number;
    }
    let Some((term, _)) = head.split_once(':') else { return 0 };
    let rest = &text[term.len() + 1..];
    let again = rest.trim_start().starts_with(term.trim_end()) && term.trim_end().contains(' ');
    if again { text.len() - rest.trim_start().len() } else { 0 }
}

/// Bytes of `(1) ` and `[1] ` before a paragraph of a law or a note.
pub(super) fn number(text: &str) -> Option<usize> {
    const LONGEST: usize = 4;
    let close = match text.chars().next()? {
        '(' => ')',
        '[' => ']',
        _ => return None,
    };
    let (inner, rest) = text[1..].split_once(close)?;
    let is_number = inner.starts_with(|char: char| char.is_ascii_digit())
        && inner.len() <= LONGEST
        && inner.chars().all(char::is_alphanumeric);
    let rest = rest.strip_prefix(' ')?;
    (is_number && rest.starts_with(char::is_uppercase)).then(|| text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::{lead, parted};

    #[test]
    fn sentences_begin_behind_stops_without_a_blank() {
        for (text, expected) in [
            ("In round two.Its first use was.", vec!["In round two.", "Its first use was."]),
            ("Since 2015.A vote is held.", vec!["Since 2015.", "A vote is held."]),
            ("It has config.Load() and r.Body is", vec!["It has config.Load() and r.Body is"]),
            ("The U.S. Army and Node.JS are", vec!["The U.S. Army and Node.JS are"]),
        ] {
            let parts = parted(text, 0..text.len()).into_iter();
            assert_eq!(parts.map(|range| &text[range]).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn what_stands_before_like_a_heading_is_no_part_of_a_sentence() {
        for (text, expected) in [
            ("Old school → Nobody is", "Nobody is"),
            ("Version 0.54 : Version 0.54 was", "Version 0.54 was"),
            ("Grafana: a dashboard", "Grafana: a dashboard"),
            ("It goes. So → on", "It goes. So → on"),
            ("(1) The fee is paid.", "The fee is paid."),
            ("[12] The fee is paid.", "The fee is paid."),
            ("(1988) was a year.", "(1988) was a year."),
        ] {
            assert_eq!(&text[lead(text)..], expected);
        }
    }
}
