//! What a text may cost. Owns the caps of this module and the check of all that can be seen before
//! the Markdown parser runs; the parser's own steps are counted in `tree`.

use super::lines::LineTable;

/// Bytes of decoded text that [`super::parse`] takes: far above any note, far below a memory problem.
pub const MAX_TEXT_BYTES: usize = 16 << 20;

/// Bytes of one line. Only minified or generated text has longer ones.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Lines of one text: under a deeply nested list even a blank line costs a microsecond.
pub const MAX_LINES: usize = 500_000;

/// Steps of the Markdown parser (a line, an inline or a node each) for one text. Real notes take
/// less than one per byte; a few kilobytes of table with 10,000 columns take millions, and each
/// costs up to 300 ns and a node's memory.
pub const MAX_PARSE_STEPS: usize = 10_000_000;

/// Table cells that rows leave out, summed over a text. The Markdown parser fills them in, so that
/// ten kilobytes can ask for half a million nodes.
pub const MAX_MISSING_CELLS: usize = 100_000;

/// Why a text was not parsed at all. Each names the cap that it hit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unparsable {
    #[error("{bytes} bytes of text, over the cap of {MAX_TEXT_BYTES}")]
    TooLarge { bytes: usize },
    #[error("line {line} has {bytes} bytes, over the cap of {MAX_LINE_BYTES}")]
    LongLine { line: usize, bytes: usize },
    #[error("{lines} lines, over the cap of {MAX_LINES}")]
    TooManyLines { lines: usize },
    #[error(
        "tables with too few cells in their rows, over the cap of {MAX_MISSING_CELLS} (line {line})"
    )]
    RaggedTable { line: usize },
    #[error("markup too tangled: unfinished at the cap of {MAX_PARSE_STEPS} parser steps")]
    Tangled,
}

/// The lines of a text that is worth parsing.
pub(super) fn lines_within_caps(text: &str) -> Result<LineTable, Unparsable> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Unparsable::TooLarge { bytes: text.len() });
    }
    let lines = LineTable::new(text);
    if let Some((line, bytes)) = lines.longer_than(MAX_LINE_BYTES) {
        return Err(Unparsable::LongLine { line, bytes });
    }
    if lines.len() > MAX_LINES {
        return Err(Unparsable::TooManyLines { lines: lines.len() });
    }
    match ragged_table(text, &lines) {
        Some(line) => Err(Unparsable::RaggedTable { line }),
        None => Ok(lines),
    }
}

/// The line on which the cells that rows lack go over the cap. An estimate that is never too low:
/// a table is taken to reach from a delimiter row to the next blank line.
fn ragged_table(text: &str, lines: &LineTable) -> Option<usize> {
    let (mut columns, mut missing) = (0_usize, 0_usize);
    lines.iter().find_map(|(line, range)| {
        let row = text.get(range).unwrap_or_default();
        // Most lines are neither: told by one byte.
        if columns == 0 && !row.trim_start().starts_with(['|', '-', ':', '>', '*', '+']) {
            return None;
        }
        if row.trim().is_empty() {
            columns = 0;
            return None;
        }
        let bars = row.bytes().filter(|&byte| byte == b'|').count();
        if row.contains('-') && row.bytes().all(|byte| b"|-: \t\r\n>*+".contains(&byte)) {
            columns = columns.max(bars);
        }
        // A row may leave out its outer bars.
        missing += columns.saturating_sub(bars + 2);
        (missing > MAX_MISSING_CELLS).then_some(line)
    })
}
