//! Places in files that may not be open.

use std::ops::Range;

use super::Buffer;

/// A place in a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Relative to the root, with `/`.
    pub path: String,
    /// From 0.
    pub line: usize,
    /// Bytes of that line.
    pub bytes: Range<usize>,
    /// The line itself, for whoever counts otherwise.
    pub text: String,
}

impl Spot {
    /// The beginning of a file.
    pub fn top(path: &str) -> Self {
        Self { path: path.to_owned(), line: 0, bytes: 0..0, text: String::new() }
    }

    /// Bytes of a text, as far as they stand in one line.
    pub fn of(buffer: &Buffer, range: &Range<usize>) -> Self {
        let line = buffer.line_at(range.start);
        let whole = buffer.line_range(line);
        let start = range.start.clamp(whole.start, whole.end);
        let end = range.end.clamp(start, whole.end);
        Self {
            path: buffer.path.clone(),
            line,
            bytes: start - whole.start..end - whole.start,
            text: buffer.line(line).to_owned(),
        }
    }

    /// A whole line of a text, from 0.
    pub fn line(buffer: &Buffer, line: usize) -> Self {
        Self::of(buffer, &buffer.line_range(line))
    }
}
