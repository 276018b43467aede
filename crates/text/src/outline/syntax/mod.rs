//! Programs: parsed by tree-sitter, walked by one walker after a table per language.
//!
//! Owns how a tree becomes items. A language is a table of node kinds and a few functions; what is
//! the same in all of them is the walker's.

use std::{cell::Cell, ops::ControlFlow};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::{caps, draft::Draft, fence, head, kind::FileKind};
use grammar::Grammar;

mod c;
mod go;
mod grammar;
mod java;
mod macros;
mod python;
mod rust;
mod script;
mod shell;
mod walk;

/// Steps of the parser per byte: half more than the densest of 3,000 real files took. Caps in steps
/// and bytes, not in seconds, give every machine the same outline.
const STEPS_PER_BYTE: usize = 3;
/// Steps in all: six times what 1 MB takes on average.
const STEPS: usize = 4_000_000;
/// The parser reports once in so many steps.
const STEPS_PER_REPORT: usize = 100;
/// What a short text may take in any case.
const FREE_STEPS: usize = 2_000;
/// Bytes that are handed to the parser at once.
const PIECE: usize = 512;
/// How often a byte may be read on average: three times the most that real files took. Python reads
/// the rest of a comment of many lines anew for each of them.
const READS_PER_BYTE: usize = 20;
/// What a short text may take in any case.
const FREE_BYTES: usize = 4 * 1024 * 1024;

pub(super) fn read(draft: &mut Draft<'_>, kind: FileKind) {
    let Some(grammar) = grammar_of(kind) else { return };
    let purpose = head::purpose(draft.text, &grammar.head);
    if let Some(tree) = parsed(draft, grammar) {
        if tree.root_node().has_error() {
            draft.failed();
        }
        walk::walk(draft, grammar, &tree);
    } else {
        draft.failed();
    }
    draft.purpose(&purpose);
}

fn grammar_of(kind: FileKind) -> Option<&'static Grammar> {
    Some(match kind {
        FileKind::Rust => &rust::GRAMMAR,
        FileKind::Python => &python::GRAMMAR,
        FileKind::JavaScript => &script::JAVASCRIPT,
        FileKind::TypeScript => &script::TYPESCRIPT,
        FileKind::Tsx => &script::TSX,
        FileKind::Go => &go::GRAMMAR,
        FileKind::C => &c::GRAMMAR,
        FileKind::Java => &java::GRAMMAR,
        FileKind::Shell => &shell::GRAMMAR,
        _ => return None,
    })
}

/// `None` for what no person wrote: too long, too long lines, too deep, or too hard to parse.
fn parsed(draft: &Draft<'_>, grammar: &Grammar) -> Option<Tree> {
    let text = draft.text.as_bytes();
    if draft.is_cut() || is_unreadable(text) {
        return None;
    }
    fence::put_up();
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).ok()?;
    let spent = Cell::new(0);
    let is_over = || spent.get() > FREE_BYTES + text.len() * READS_PER_BYTE;
    let steps = (FREE_STEPS + text.len() * STEPS_PER_BYTE).min(STEPS);
    let mut reports = steps / STEPS_PER_REPORT;
    let mut step = |_: &ParseState| {
        reports = reports.saturating_sub(1);
        if reports == 0 || is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // In small pieces: what is read again and again is asked for again and again.
    let mut piece = |at: usize, _| {
        let rest = text.get(at..).unwrap_or_default();
        let piece = rest.get(..PIECE).unwrap_or(rest);
        spent.set(spent.get() + piece.len());
        if is_over() { &[] } else { piece }
    };
    let options = ParseOptions::new().progress_callback(&mut step);
    let tree = parser.parse_with_options(&mut piece, None, Some(options));
    tree.filter(|_| !is_over())
}

/// A line over the cap, or more open brackets than the cap. Those in strings count too: a text in
/// which that matters is no program that people read.
fn is_unreadable(text: &[u8]) -> bool {
    let (mut line, mut depth) = (0, 0_usize);
    text.iter().any(|byte| {
        line = if *byte == b'\n' { 0 } else { line + 1 };
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        line > caps::LINE || depth > caps::DEPTH
    })
}
