//! What was typed before anybody asked.

use crate::terminal::system::waiting;

/// Bytes that are taken.
const MOST: usize = 64 * 1024;

/// Takes what the terminal has of lines that nobody has read yet, the last one perhaps not whole; what
/// is no text is left out. Nothing where standard input is no terminal.
pub fn typed() -> String {
    kept(&String::from_utf8_lossy(&waiting(MOST)))
}

/// The text of what was typed: keys that are no characters have no meaning any more.
fn kept(typed: &str) -> String {
    let mut kept = String::new();
    let mut chars = typed.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\r' | '\n' => kept.push('\n'),
            // An arrow or its like: up to its last letter.
            '\u{1b}' => {
                if chars.next_if(|next| matches!(next, '[' | 'O')).is_some() {
                    while chars
                        .next_if(|next| !next.is_ascii_alphabetic() && *next != '~')
                        .is_some()
                    {}
                    chars.next();
                }
            }
            '\u{7f}' | '\u{8}' => drop(kept.pop().filter(|last| *last != '\n')),
            '\u{fffd}' => {}
            char if char.is_control() => {}
            char => kept.push(char),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_no_characters_are_left_out() {
        for (typed, expected) in [
            ("next\rand", "next\nand"),
            ("a\u{1b}[Ab\u{1b}[3~c\u{1b}OHd", "abcd"),
            ("ab\u{7f}c", "ac"),
            ("\u{1b}", ""),
            ("\u{1b}[12;", ""),
            ("a\u{3}\u{4}\tb", "ab"),
            ("\u{fffd}", ""),
        ] {
            assert_eq!(kept(typed), expected, "{typed:?}");
        }
    }
}
