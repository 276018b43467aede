//! Long files: their beginning and their end.

use std::borrow::Cow;

/// A file of more lines than this is shortened.
pub const MAX_LINES: usize = 10_000;
/// Lines kept of the beginning of a long file.
pub const FIRST_LINES: usize = 5_000;
/// Lines kept of the end of a long file.
pub const LAST_LINES: usize = 1_000;

/// A text as it is summarised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortened<'a> {
    /// The whole text, or its first and last lines with one line between that tells how many are missing.
    pub text: Cow<'a, str>,
    /// Whether lines were left out.
    pub truncated: bool,
    /// Lines of the whole text.
    pub original_lines: usize,
}

/// A text of more than [`MAX_LINES`] lines cut to its first [`FIRST_LINES`] and last [`LAST_LINES`].
pub fn shorten(text: &str) -> Shortened<'_> {
    let original_lines = text.lines().count();
    if original_lines <= MAX_LINES {
        return Shortened { text: Cow::Borrowed(text), truncated: false, original_lines };
    }
    let mut offset = 0;
    let (mut head, mut tail) = (text.len(), text.len());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number == FIRST_LINES {
            head = offset;
        }
        if number == original_lines - LAST_LINES {
            tail = offset;
        }
        offset += line.len();
    }
    // An empty line between: words of ours would be taken for words of the file.
    let shown = format!("{}\n{}", &text[..head], &text[tail..]);
    Shortened { text: Cow::Owned(shown), truncated: true, original_lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_both_ends() {
        let text = |lines: usize| (1..=lines).map(|line| format!("{line}\n")).collect::<String>();
        for short in ["", "a", "a\nb", &text(MAX_LINES)] {
            let shortened = shorten(short);
            assert_eq!((shortened.text.as_ref(), shortened.truncated), (short, false));
            assert_eq!(shortened.original_lines, short.lines().count());
        }
        for (long, end) in [(text(MAX_LINES + 1), "\n"), (text(100_000).trim_end().to_owned(), "")]
        {
            let shortened = shorten(&long);
            let lines: Vec<&str> = shortened.text.lines().collect();
            let all = long.lines().count();
            assert!(shortened.truncated);
            assert_eq!(shortened.original_lines, all);
            assert_eq!(lines.len(), FIRST_LINES + LAST_LINES + 1);
            assert_eq!(lines[FIRST_LINES - 1], "5000");
            assert_eq!(lines[FIRST_LINES], "");
            assert_eq!(lines[FIRST_LINES + 1], (all - 999).to_string());
            assert!(shortened.text.ends_with(&format!("{all}{end}")));
        }
    }
}
