//! Text of others made fit to keep: one form of line ends, nothing invisible that steers, nothing
//! embedded, no longer than allowed.

use crate::markdown::on_one_line;

/// `text` without control, direction and tag characters and without `data:` addresses; more than
/// one empty line in a row becomes one. At most `cap` bytes, whole lines if one ends in the second
/// half; whether something was cut.
pub(super) fn text(text: &str, cap: usize) -> (String, bool) {
    // Nothing below makes the text longer, so what lies far beyond the cap need not be looked at.
    // Embedded images may take most of it, hence the factor.
    let head = text.get(..text.floor_char_boundary(cap.saturating_mul(8))).unwrap_or_default();
    let clean = without_embedded(&without_steering(head));
    let mut kept = String::with_capacity(clean.len().min(cap));
    let mut empty = 0_usize;
    let mut cut = head.len() < text.len();
    for line in clean.lines() {
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        if !kept.is_empty() {
            kept.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        empty = 0;
        kept.push_str(line);
        if kept.len() > cap {
            cut = true;
            break;
        }
    }
    if kept.len() > cap {
        kept.truncate(kept.floor_char_boundary(cap));
        if let Some(end) = kept.rfind('\n').filter(|end| *end > cap / 2) {
            kept.truncate(end);
        }
    }
    kept.truncate(kept.trim_end().len());
    if !kept.is_empty() {
        kept.push('\n');
    }
    (kept, cut)
}

/// `text` on one line, its white space single, cut after `most` characters; `None` if nothing is
/// left.
pub(super) fn line(text: &str, most: usize) -> Option<String> {
    let line = on_one_line(&without_steering(text), usize::MAX, |_| true);
    let end = line.char_indices().nth(most).map_or(line.len(), |(at, _)| at);
    let line = line[..end].trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Line ends become `\n`. Joiners stay: scripts and emoji need them.
fn without_steering(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => clean.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            character if is_steering(character) => {}
            character => clean.push(character),
        }
    }
    clean
}

/// Controls, direction marks, what has no width but joiners, and the invisible letters of the tag
/// block, in which instructions have been hidden.
fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}'
            | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Leaves out `data:` addresses, which hold whole files.
fn without_embedded(text: &str) -> String {
    const SCHEME: &[u8] = b"data:";
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(found) = memchr::memchr2(b'd', b'D', bytes.get(at..).unwrap_or_default()) {
        let start = at + found;
        at = start + 1;
        let is_scheme = bytes
            .get(start..start + SCHEME.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(SCHEME));
        let stands_free = start == 0
            || bytes.get(start - 1).is_some_and(|before| {
                before.is_ascii_whitespace() || matches!(before, b'(' | b'<' | b'"' | b'\'' | b'=')
            });
        if !is_scheme || !stands_free {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '\'' | '<'))
            .unwrap_or(rest.len());
        let address = rest.get(SCHEME.len()..end).unwrap_or_default();
        // Of an address that holds a file the type, or at least a comma, follows at once.
        let (head, body) = match address.split_once(',') {
            Some(parts) => parts,
            None => continue,
        };
        if (!head.contains('/') && !head.contains(';') && !head.is_empty()) || body.is_empty() {
            continue;
        }
        kept.push_str(text.get(from..start).unwrap_or_default());
        from = start + end;
        at = from;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_tidied() {
        #[track_caller]
        fn check(given: &str, expected: &str) {
            assert_eq!(text(given, 1000), (expected.to_owned(), false));
        }
        check("", "");
        check(" \n\n\u{200b}\n", "");
        check("a\r\nb\rc\u{2028}d", "a\nb\nc\nd\n");
        check("\n\n\na\n \n\n\nb\n\n", "a\n\nb\n");
        check("  code\n\tmore", "  code\n\tmore\n");
        check("a\0b\u{1b}[2J\u{202e}c\u{e0041}\u{feff}", "ab[2Jc\n");
        check("👨\u{200d}👩 می\u{200c}خواهم", "👨\u{200d}👩 می\u{200c}خواهم\n");
        check("![x](data:image/png;base64,iVBORw0KGgo=) y", "![x]() y\n");
        check("<img src=\"DATA:image/gif;base64,R0lG\">", "<img src=\"\">\n");
        check("[x](data:,hello)", "[x]()\n");
        check(
            "the data: is fine, data:x and metadata:a/b,c",
            "the data: is fine, data:x and metadata:a/b,c\n",
        );
    }

    #[test]
    fn texts_are_cut() {
        assert_eq!(text("aaaa\nbbbb\ncccc", 12), ("aaaa\nbbbb\n".to_owned(), true));
        assert_eq!(text("ééééé", 5), ("éé\n".to_owned(), true));
        assert_eq!(text("abc", 3), ("abc\n".to_owned(), false));
        assert_eq!(text(&"x".repeat(100), 10), (format!("{}\n", "x".repeat(10)), true));
    }

    #[test]
    fn lines_are_cut() {
        assert_eq!(line(" a \n b\u{202e}\tc ", 10).as_deref(), Some("a b c"));
        assert_eq!(line("abc def", 5).as_deref(), Some("abc d"));
        assert_eq!(line("abc def", 4).as_deref(), Some("abc"));
        assert_eq!(line(" \u{0} ", 5), None);
        assert_eq!(line("x", 0), None);
    }
}
