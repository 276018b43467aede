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
        for (place, range) in sentences::sentences(&block.text).into_iter().enumerate() {
            let line = block.line + block.breaks.partition_point(|at| *at < range.start);
            found.push(Sentence { block: number, range, line, first: place == 0 });
        }
    }
    found
}
