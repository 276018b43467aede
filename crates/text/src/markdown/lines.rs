//! Where lines begin. A line ends at `\n`, `\r\n` or a lone `\r`, as CommonMark has it, so that
//! the line numbers of the Markdown parser and ours agree.

use std::ops::Range;

/// Counts the line ends in `text`. Cut a text anywhere but between `\r` and `\n` and the counts of
/// the parts add up.
pub fn count_line_ends(text: &str) -> usize {
    line_ends(text).count()
}

/// The byte offset behind each line end, ascending.
fn line_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter_map(|(at, byte)| match byte {
        b'\n' => Some(at + 1),
        b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some(at + 1),
        _ => None,
    })
}

/// The lines of a text, their line ends included.
pub(super) struct LineTable {
    /// Offset of every line, then the end of the text.
    starts: Vec<usize>,
}

impl LineTable {
    pub(super) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(line_ends(text));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a 1-based line begins; the end of the text for a line behind the last one.
    pub(super) fn start(&self, line: usize) -> usize {
        let end = self.starts.last().copied().unwrap_or_default();
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(end)
    }

    /// The 1-based line that holds the byte at `offset`.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).max(1)
    }

    /// The first line of more than `max` bytes, 1-based, with its length.
    pub(super) fn longer_than(&self, max: usize) -> Option<(usize, usize)> {
        let lengths = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        lengths.enumerate().find(|&(_, bytes)| bytes > max).map(|(index, bytes)| (index + 1, bytes))
    }

    /// Every line as its 1-based number and byte range.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        self.starts.windows(2).enumerate().map(|(index, pair)| (index + 1, pair[0]..pair[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let table = LineTable::new(text);
        let lines: Vec<&str> = table.iter().map(|(_, range)| &text[range]).collect();
        assert_eq!(lines, expected, "{text:?}");
        for (line, range) in table.iter() {
            assert_eq!(table.start(line), range.start, "{text:?}");
            assert_eq!(table.line_at(range.end - 1), line, "{text:?}");
        }
        assert_eq!(table.start(expected.len() + 1), text.len(), "{text:?}");
    }

    #[test]
    fn ends_lines_as_commonmark_does() {
        check("", &[]);
        check("a", &["a"]);
        check("a\n\nb\n", &["a\n", "\n", "b\n"]);
        check("a\r\nb\rc\n\r", &["a\r\n", "b\r", "c\n", "\r"]);
    }
}
