//! A text as its lines. They end as CommonMark has it (`\n`, `\r\n` or a lone `\r`), so that line
//! numbers are those of the Markdown parser. Git's lines end at `\n` alone: each of them is one or
//! more whole lines of ours.

use std::ops::Range;

const MARK: char = '\u{feff}';

/// A line of a text.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    /// Without line ending, and without a byte order mark in front: joining files can leave one
    /// anywhere.
    pub content: &'a str,
    /// Bytes of the content and of the line ending.
    pub range: Range<usize>,
}

/// All lines, in order. A line ending at the end begins no further line.
pub(super) fn rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, ending) = rest.split_at(length);
        let end = length + if ending.starts_with("\r\n") { 2 } else { ending.len().min(1) };
        let content = line.trim_start_matches(MARK);
        let range = start + line.len() - content.len()..start + end;
        start += end;
        Some(Row { content, range })
    })
}

/// The line ending of the first line that has one.
pub(super) fn line_ending(text: &str) -> &'static str {
    match text.find(['\n', '\r']).and_then(|at| text.get(at..)) {
        Some(rest) if rest.starts_with("\r\n") => "\r\n",
        Some(rest) if rest.starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// Whether git left this line behind to mark a conflict. `=======` alone may underline a heading;
/// nobody misses it.
pub(super) fn is_conflict_marker(content: &str) -> bool {
    let content = content.trim_end();
    let is = |marker: &str| {
        content.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    is("<<<<<<<") || is("|||||||") || is(">>>>>>>") || content == "======="
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found: Vec<_> = rows(text).map(|row| (row.content, &text[row.range])).collect();
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(found.len(), text.lines().count().max(found.len()), "{text:?}");
    }

    #[test]
    fn lines_end_as_in_commonmark() {
        check("", &[]);
        check("a", &[("a", "a")]);
        check("a\n\r\nb\rc\n", &[("a", "a\n"), ("", "\r\n"), ("b", "b\r"), ("c", "c\n")]);
        check("\u{feff}a\n\u{feff}b", &[("a", "a\n"), ("b", "b")]);
        check("\u{feff}", &[("", "")]);
        for (text, expected) in [("", "\n"), ("a\r\nb\n", "\r\n"), ("a\nb\r\n", "\n"), ("\r", "\r")]
        {
            assert_eq!(line_ending(text), expected, "{text:?}");
        }
    }

    #[test]
    fn markers_of_conflicts() {
        for (line, expected) in [
            ("<<<<<<< HEAD", true),
            ("=======", true),
            (">>>>>>> branch \r", true),
            ("|||||||", true),
            ("<<<<<<<<", false),
            ("======= x", false),
            (" <<<<<<< HEAD", false),
        ] {
            assert_eq!(is_conflict_marker(line), expected, "{line}");
        }
    }
}
