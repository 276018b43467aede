//! Text made fit to be shown: on one line, without what is not seen, not too long.

use elophanto_text::markdown::on_one_line;

/// White space collapsed to single spaces, control characters and marks of direction left out.
pub(super) fn tidy(text: &str) -> String {
    on_one_line(text, usize::MAX, |char| !is_hidden(char))
}

/// Whether a character is not seen: control characters, marks of direction, zero width.
pub(super) fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// At most `bytes` bytes, cut between words if there are any.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let head = &text[..text.floor_char_boundary(bytes)];
    match head.rfind(char::is_whitespace) {
        Some(space) if space > bytes / 2 => head[..space].trim_end(),
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_words() {
        for (text, bytes, expected) in [
            ("one two three", 9, "one two"),
            ("onetwothree", 5, "onetw"),
            ("ééé", 3, "é"),
            ("a", 9, "a"),
        ] {
            assert_eq!(cut(text, bytes), expected);
        }
    }
}
