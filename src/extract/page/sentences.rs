//! The sentences of blocks.

use std::ops::Range;

use super::{Block, Kind, Sentence};
use crate::summary;

/// The sentences of all blocks that tell something, in order.
pub(super) fn sentences(blocks: &[Block]) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        if block.is_furniture || matches!(block.kind, Kind::Heading(_)) {
            continue;
        }
        let mut from = 0;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for sentence in summary::sentences(&block.text) {
            let Some(start) = block.text.get(from..).and_then(|rest| rest.find(sentence)) else {
                continue;
            };
            let range = from + start..from + start + sentence.len();
            from = range.end;
            match ranges.last_mut() {
                Some(last) if goes_on(block.text.get(last.clone()).unwrap_or_default()) => {
                    last.end = range.end;
                }
                _ => ranges.push(range),
            }
        }
        for (place, range) in ranges.into_iter().enumerate() {
            let line = block.line + block.breaks.partition_point(|at| *at < range.start);
            found.push(Sentence { block: number, range, line, first: place == 0 });
        }
    }
    found
}

/// Whether what ends here was cut behind an abbreviation: `Apple Inc.`, `the U.S.`
fn goes_on(text: &str) -> bool {
    let Some(bare) = text.strip_suffix('.') else { return false };
    let last =
        bare.rsplit(|char: char| char.is_whitespace() || char == '(').next().unwrap_or_default();
    let dotted = last.len() <= 5
        && last.contains('.')
        && last
            .split('.')
            .all(|part| part.len() == 1 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    dotted
        || matches!(
            last,
            "Inc"
                | "Ltd"
                | "Corp"
                | "Co"
                | "Bros"
                | "Gen"
                | "Lt"
                | "Col"
                | "Sgt"
                | "Rev"
                | "Hon"
                | "Sen"
                | "Rep"
                | "Gov"
                | "Mt"
                | "Ft"
                | "No"
                | "Nos"
                | "Vol"
                | "pp"
                | "ed"
                | "eds"
                | "est"
                | "aka"
                | "a.k.a"
        )
}
