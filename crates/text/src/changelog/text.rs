//! Text from outside, made fit to stand on one line of Markdown.

use crate::markdown::{self, is_shown, on_one_line};

/// On one line, without control and invisible characters, at most so many characters long.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    on_one_line(text, limit, is_shown)
}

/// Plain text as Markdown that shows it as it is. Undone by [`unescape`](crate::markdown::unescape).
pub(super) fn escape(text: &str) -> String {
    let closing = text.trim_end_matches('#').len();
    markdown::escape(text, (' ', ' '), |at, before, char, next| match char {
        '\\' | '`' | '*' | '[' | '<' | '~' => true,
        // Inside a word it is only a letter.
        '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
        '&' => next.is_alphanumeric() || next == '#',
        // At the end of a heading they would be taken for its closing.
        '#' => at >= closing,
        _ => false,
    })
}

/// A path in a code span, whatever it holds.
pub(super) fn code(path: &str) -> String {
    /// Most of a path that is shown.
    const LIMIT: usize = 300;
    let path = one_line(path, LIMIT);
    let longest = path.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if path.starts_with('`') || path.ends_with('`') { " " } else { "" };
    format!("{fence}{gap}{path}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::unescape;

    #[test]
    fn lines_are_cut_between_words_or_within_one() {
        for (text, limit, expected) in [
            ("a b", 3, "a b"),
            ("a bc", 3, "a…"),
            ("ab cd", 4, "ab…"),
            ("abc d", 3, "ab…"),
            ("ab cdef", 6, "ab cd…"),
            ("abcdef", 4, "abc…"),
            (" a\n\tb\r\n", 9, "a b"),
            ("a\u{202e}\u{1b}[2J\u{200b}", 9, "a[2J"),
            ("a \u{200b} b", 9, "a b"),
            ("a\u{3164}b\u{e0100}", 9, "ab"),
            ("", 9, ""),
        ] {
            let line = one_line(text, limit);
            assert_eq!(line, expected, "{text:?}");
            assert!(line.chars().count() <= limit, "{text:?}");
        }
    }

    #[test]
    fn only_what_would_mark_up_is_escaped() {
        for (text, expected) in [
            ("plain, (text) - 1. #2 a_b & c", "plain, (text) - 1. #2 a_b & c"),
            ("*a* _b_ `c`", r"\*a\* \_b\_ \`c\`"),
            ("[[a]] <!-- b", r"\[\[a]] \<!-- b"),
            ("&amp; C#", r"\&amp; C\#"),
            ("a ##", r"a \#\#"),
            (r"\*", r"\\\*"),
        ] {
            assert_eq!(escape(text), expected);
            assert_eq!(unescape(expected), text);
        }
    }

    #[test]
    fn a_path_keeps_its_backticks() {
        for (path, expected) in [
            ("a b.md", "`a b.md`"),
            ("a`b", "``a`b``"),
            ("`a``", "``` `a`` ```"),
            ("a\nb", "`a b`"),
        ] {
            assert_eq!(code(path), expected);
        }
    }
}
