//! What was typed before anybody asked.

use rustix::{
    io::read,
    stdio::stdin,
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr},
};

/// Bytes that are taken.
const MOST: usize = 64 * 1024;

/// Takes what the terminal has of lines that nobody has read yet, the last one perhaps not whole; what
/// is no text is left out. Nothing where standard input is no terminal.
pub fn typed() -> String {
    let Ok(before) = tcgetattr(stdin()) else { return String::new() };
    let mut now = before.clone();
    // Whole lines or not, and no more than there is.
    now.local_modes.remove(LocalModes::ICANON);
    now.special_codes[SpecialCodeIndex::VMIN] = 0;
    now.special_codes[SpecialCodeIndex::VTIME] = 0;
    if tcsetattr(stdin(), OptionalActions::Now, &now).is_err() {
        return String::new();
    }
    let mut bytes = Vec::new();
    let mut part = [0_u8; 4096];
    while bytes.len() < MOST {
        match read(stdin(), &mut part) {
            Ok(read @ 1..) => bytes.extend_from_slice(&part[..read]),
            _ => break,
        }
    }
    let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    kept(&String::from_utf8_lossy(&bytes))
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
