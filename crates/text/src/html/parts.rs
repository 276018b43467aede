//! Cutting a note into parts that fit on a page each. Pure.

use std::ops::Range;

use crate::markdown::{Document, count_line_ends};

/// A part of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The line of the file on which it begins, from 1.
    pub line: usize,
    /// Whole blocks: it can be rendered by itself. A piece of a block that is too large for one part
    /// is shown as it stands.
    pub is_whole: bool,
}

/// The parts of a note, at most so many bytes each; of a text that is no Markdown that could be read
/// (`document` is `None`), pieces of it. One, empty, if it says nothing.
pub fn parts(text: &str, document: Option<&Document>, most: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut counted = (0, 1);
    let mut add = |range: Range<usize>, is_whole| {
        let line =
            counted.1 + count_line_ends(text.get(counted.0..range.start).unwrap_or_default());
        counted = (range.start, line);
        parts.push(Part { range, line, is_whole });
    };
    let body = document.map_or(0..text.len(), |document| document.body.clone());
    let Some(document) = document else {
        pieces(text, body, most).into_iter().for_each(|piece| add(piece, false));
        return parts;
    };
    // Blocks that stand together, until there are enough.
    let mut open: Option<Range<usize>> = None;
    for block in &document.blocks {
        let is_large = block.range.len() > most;
        if let Some(so_far) = open.take() {
            if !is_large && block.range.end - so_far.start <= most {
                open = Some(so_far.start..block.range.end);
                continue;
            }
            add(so_far, true);
        }
        match is_large {
            true => {
                let pieces = pieces(text, block.range.clone(), most);
                pieces.into_iter().for_each(|piece| add(piece, false));
            }
            false => open = Some(block.range.clone()),
        }
    }
    if let Some(rest) = open {
        add(rest, true);
    }
    if parts.is_empty() {
        parts.push(Part {
            range: body.start..body.start,
            line: document.body_line,
            is_whole: true,
        });
    }
    parts
}

/// Cut at the ends of lines where that is possible.
fn pieces(text: &str, range: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    while range.end - start > most {
        let end = text.floor_char_boundary(start + most).max(start + 1);
        let within = text.get(start..end).unwrap_or_default();
        let cut = memchr::memrchr(b'\n', within.as_bytes()).map_or(end, |at| start + at + 1);
        pieces.push(start..cut);
        start = cut;
    }
    pieces.push(start..range.end);
    pieces
}
