//! [`Document`] -> chunks: the pieces of a note that are embedded and found.
//!
//! Owns where a note is cut. It is pure and knows neither tokenizer nor embedder: tokens are
//! counted by a function it is given, and never by the model that embeds, so that borders stay
//! where they are when the model changes. Cutting up what is too large to stay whole is left to
//! `split`.
//!
//! Invariant: the chunks of a document concatenate back to its body, byte for byte, and none is
//! blank. A body of nothing but whitespace has no chunks.

mod split;
mod table;

use std::{
    ops::{Range, RangeInclusive},
    rc::Rc,
};

use crate::markdown::{BlockKind, Document, Heading, count_line_ends};
use split::{Chunker, Part, Span};

/// Where to cut, in tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// No chunk has more, unless a single character has.
    pub max_tokens: usize,
    /// A section with fewer joins a neighbour.
    pub min_tokens: usize,
    /// What every part of a section that is split below level 3 should have, where borders and
    /// `max_tokens` allow it.
    pub min_split_tokens: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_tokens: 1_000, min_tokens: 50, min_split_tokens: 200 }
    }
}

/// A piece of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Bytes of the text that was parsed.
    pub range: Range<usize>,
    /// The 1-based lines of the file from its first to its last byte that is not whitespace.
    pub lines: RangeInclusive<usize>,
    /// The headings of levels 1 to 3 over the place where the chunk starts. A heading that starts
    /// it is the last of them; for a row of a long table, the names of its columns are.
    pub breadcrumb: Vec<String>,
    /// As counted. Inside a word that had to be cut, the sum of what its parts counted.
    pub tokens: usize,
}

/// Cuts a document into chunks.
///
/// A section under a heading of level 1 or 2 is a chunk. Over `max_tokens` it is split at level 3,
/// then between blocks, then inside the block: at items or lines, at sentences, at words, and
/// where there are none, anywhere. A section under `min_tokens` joins the next one, or as the last
/// one the one before, but never across a heading of level 1. Each row of a long table is a chunk.
///
/// `text` is what `document` was parsed from. `count` counts tokens; whitespace must count for
/// nothing. No byte is shown to it more often than a small fixed number of times.
pub fn chunk(
    text: &str,
    document: &Document,
    limits: &Limits,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Chunk> {
    let body = text.get(document.body.clone()).unwrap_or_default();
    if body.trim().is_empty() {
        return Vec::new();
    }
    let chunker = Chunker { text, limits, count };
    let units = units(document, &chunker);
    let pieces = merge(pieces(&units, &chunker), limits);
    describe(pieces, text, document)
}

/// What is never cut while there is another way: a block, with the headings right above it.
struct Unit {
    parts: Vec<Part>,
    tokens: usize,
    /// Level of the heading it starts with.
    level: Option<u8>,
    /// Index of the nearest heading of a breadcrumb at its start.
    heading: Option<usize>,
    /// The names of the columns, if this is a row of a long table.
    header: Option<Rc<str>>,
}

impl Unit {
    /// Does it start a section of this level or above?
    fn opens(&self, level: u8) -> bool {
        self.level.is_some_and(|own| own <= level)
    }

    fn push(&mut self, part: Part) {
        self.tokens += part.span.tokens;
        self.parts.push(part);
    }

    fn is_headings(&self) -> bool {
        self.parts.iter().all(|part| part.is_heading())
    }

    fn span(&self) -> Option<Span> {
        Span::join(self.parts.iter().map(|part| &part.span))
    }
}

/// The deepest level that makes sections and shows in a breadcrumb.
const DEEPEST: u8 = 3;

/// The units of the body, without a gap: what lies between two blocks goes with the first.
fn units(document: &Document, chunker: &Chunker<'_>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let (mut heading, mut headings) = (None, 0);
    let mut start = document.body.start;
    for (index, block) in document.blocks.iter().enumerate() {
        let next = document.blocks.get(index + 1);
        let end = next.map_or(document.body.end, |next| next.range.start);
        let part = Part { kind: block.kind, span: chunker.span(start..end) };
        start = end;

        let level = match block.kind {
            BlockKind::Heading(level) => {
                headings += 1;
                if level <= DEEPEST {
                    heading = Some(headings - 1);
                }
                Some(level)
            }
            _ => None,
        };
        let (part, header, rows) = match table::rows(&part, chunker) {
            Some(table::Table { head, header, rows }) => (head, Some(header), rows),
            None => (part, None, Vec::new()),
        };
        match units.last_mut() {
            Some(unit) if unit.is_headings() && level.is_none_or(|level| level > DEEPEST) => {
                unit.push(part);
            }
            _ => {
                let tokens = part.span.tokens;
                units.push(Unit { parts: vec![part], tokens, level, heading, header: None });
            }
        }
        units.extend(rows.into_iter().map(|row| {
            let (tokens, header) = (row.span.tokens, header.clone());
            Unit { parts: vec![row], tokens, level: None, heading, header }
        }));
    }
    units
}

/// A chunk in the making.
struct Piece {
    span: Span,
    heading: Option<usize>,
    opens_level_1: bool,
    /// As that of its unit: such a piece joins no other.
    header: Option<Rc<str>>,
}

/// Cuts at the sections, and cuts up the sections that are too large.
fn pieces(units: &[Unit], chunker: &Chunker<'_>) -> Vec<Piece> {
    let max = chunker.limits.max_tokens;
    let fits = |units: &[Unit]| units.iter().map(|unit| unit.tokens).sum::<usize>() <= max;
    let mut pieces = Vec::new();
    let mut add = |units: &[Unit], spans: Vec<Span>| {
        let Some(first) = units.first() else { return };
        pieces.extend(spans.into_iter().enumerate().map(|(index, span)| Piece {
            span,
            heading: first.heading,
            opens_level_1: index == 0 && first.opens(1),
            header: first.header.clone(),
        }));
    };
    for section in units.chunk_by(|_, next| !next.opens(2)) {
        for run in section.chunk_by(|unit, next| unit.header.is_none() && next.header.is_none()) {
            if fits(run) {
                add(run, whole(run));
                continue;
            }
            for part in run.chunk_by(|_, next| !next.opens(DEEPEST)) {
                add(part, if fits(part) { whole(part) } else { cut_up(part, chunker) });
            }
        }
    }
    pieces
}

fn whole(units: &[Unit]) -> Vec<Span> {
    let spans: Vec<Span> = units.iter().filter_map(Unit::span).collect();
    Span::join(&spans).into_iter().collect()
}

/// Cuts between units; a unit over the limit is cut up, together with neighbours that would be
/// too small to stand alone.
fn cut_up(units: &[Unit], chunker: &Chunker<'_>) -> Vec<Span> {
    let Limits { max_tokens, min_split_tokens, .. } = *chunker.limits;
    let small =
        |spans: &[Span]| spans.iter().map(|span| span.tokens).sum::<usize>() < min_split_tokens;
    let mut cut = Vec::new();
    // The pieces of the last large unit, and the units since.
    let (mut large, mut run): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    for unit in units {
        if unit.tokens <= max_tokens {
            run.extend(unit.span());
            continue;
        }
        chunker.pack(std::mem::take(&mut large), &mut cut);
        if !small(&run) {
            chunker.pack(std::mem::take(&mut run), &mut cut);
        }
        large.append(&mut run);
        for part in &unit.parts {
            chunker.cut(part, &mut large);
        }
    }
    if !large.is_empty() && small(&run) {
        large.append(&mut run);
    }
    chunker.pack(large, &mut cut);
    chunker.pack(run, &mut cut);
    cut
}

/// Joins what is too small to be found by its meaning.
fn merge(pieces: Vec<Piece>, limits: &Limits) -> Vec<Piece> {
    let fit = |a: &Piece, b: &Piece| {
        let apart = a.header.is_some() || b.header.is_some();
        !apart && a.span.tokens + b.span.tokens <= limits.max_tokens
    };
    let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut rest = pieces.into_iter().peekable();
    while let Some(mut piece) = rest.next() {
        let small = |piece: &Piece| piece.span.tokens < limits.min_tokens;
        while small(&piece)
            && let Some(next) = rest.next_if(|next| !next.opens_level_1 && fit(&piece, next))
        {
            piece.span.extend(&next.span);
        }
        let is_last = rest.peek().is_none_or(|next| next.opens_level_1);
        match merged.last_mut() {
            Some(before)
                if is_last && small(&piece) && !piece.opens_level_1 && fit(before, &piece) =>
            {
                before.span.extend(&piece.span);
            }
            _ => merged.push(piece),
        }
    }
    merged
}

/// Adds lines and breadcrumbs.
fn describe(pieces: Vec<Piece>, text: &str, document: &Document) -> Vec<Chunk> {
    let parents = parents(&document.headings);
    let mut line = document.body_line;
    let describe = |piece: Piece| {
        let content = text.get(piece.span.range.clone()).unwrap_or_default();
        let blank = content.len() - content.trim_start().len();
        let first = line + count_line_ends(content.get(..blank).unwrap_or_default());
        let last = first + count_line_ends(content.trim());
        line += count_line_ends(content);

        let path = std::iter::successors(piece.heading, |&at| parents.get(at).copied().flatten());
        let headings = path.filter_map(|at| document.headings.get(at));
        let mut breadcrumb: Vec<String> = headings.map(|heading| heading.text.clone()).collect();
        breadcrumb.reverse();
        breadcrumb.extend(piece.header.as_deref().map(str::to_owned));
        Chunk {
            range: piece.span.range,
            lines: first..=last,
            breadcrumb,
            tokens: piece.span.tokens,
        }
    };
    pieces.into_iter().map(describe).collect()
}

/// For each heading the index of the one it stands under, of those that show in breadcrumbs.
fn parents(headings: &[Heading]) -> Vec<Option<usize>> {
    let mut path: Vec<(u8, usize)> = Vec::new();
    let mut parents = Vec::with_capacity(headings.len());
    for (index, heading) in headings.iter().enumerate() {
        if heading.level <= DEEPEST {
            while path.pop_if(|(level, _)| *level >= heading.level).is_some() {}
        }
        parents.push(path.last().map(|&(_, at)| at));
        if heading.level <= DEEPEST {
            path.push((heading.level, index));
        }
    }
    parents
}

#[cfg(test)]
mod tests;
