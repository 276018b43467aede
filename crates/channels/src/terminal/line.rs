//! What a line of a terminal says. Pure.

use crate::Sign;

/// Buttons that have a key.
const KEYS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// The button of this number, from 0, below this message.
    Press {
        message: u64,
        button: usize,
    },
    Sign {
        message: u64,
        sign: Sign,
    },
    Words {
        answers: Option<u64>,
        text: &'l str,
    },
}

/// What is typed for the button of this number, from 0.
pub fn key(button: usize) -> char {
    char::from(KEYS[button.min(KEYS.len() - 1)])
}

/// `buttons` says how many buttons a message has; `None` where there is no such message, to which nothing can
/// be said: the line is words then.
pub fn of(line: &str, buttons: impl Fn(u64) -> Option<usize>) -> Line<'_> {
    let words = Line::Words { answers: None, text: line };
    let (hash, rest) = match line.strip_prefix('#') {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let Ok(message) = rest[..digits].parse::<u64>() else { return words };
    let Some(count) = buttons(message) else { return words };
    let said = rest[digits..].trim_start();
    let sign = match said {
        "+" | "👍" => Some(Sign::For),
        "-" | "👎" => Some(Sign::Against),
        "yes" | "✅" => Some(Sign::Yes),
        "no" | "❌" => Some(Sign::No),
        _ => None,
    };
    if let Some(sign) = sign {
        return Line::Sign { message, sign };
    }
    let pressed = KEYS.iter().take(count).position(|key| said.as_bytes() == [*key]);
    match pressed {
        Some(button) => Line::Press { message, button },
        None if hash && !said.is_empty() => Line::Words { answers: Some(message), text: said },
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let buttons = |message: u64| match message {
            1 => Some(0),
            7 => Some(2),
            _ => None,
        };
        let words = |answers, text| Line::Words { answers, text };
        for (line, expected) in [
            ("7a", Line::Press { message: 7, button: 0 }),
            ("#7b", Line::Press { message: 7, button: 1 }),
            ("7 b", Line::Press { message: 7, button: 1 }),
            ("7c", words(None, "7c")),
            ("8a", words(None, "8a")),
            ("1a", words(None, "1a")),
            ("1+", Line::Sign { message: 1, sign: Sign::For }),
            ("1 👎", Line::Sign { message: 1, sign: Sign::Against }),
            ("7 yes", Line::Sign { message: 7, sign: Sign::Yes }),
            ("#7 no", Line::Sign { message: 7, sign: Sign::No }),
            ("#7 no, later", words(Some(7), "no, later")),
            ("7 no, later", words(None, "7 no, later")),
            ("#9 text", words(None, "#9 text")),
            ("#7", words(None, "#7")),
            ("# Heading", words(None, "# Heading")),
            ("99999999999999999999999a", words(None, "99999999999999999999999a")),
            ("what is 7", words(None, "what is 7")),
            ("", words(None, "")),
        ] {
            assert_eq!(of(line, buttons), expected, "{line}");
        }
    }
}
