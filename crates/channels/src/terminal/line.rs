//! What a line of a terminal says. Pure.

use crate::Sign;

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
    // At most eight are made.
    u8::try_from(button).map_or('z', |button| char::from(b'a' + button.min(25)))
}

/// `is_there` says whether a message is. What looks like a
/// key and is none is a press all the same, of nothing: it was not meant as words.
pub fn of(line: &str, is_there: impl Fn(u64) -> bool) -> Line<'_> {
    let words = Line::Words { answers: None, text: line };
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let Ok(message) = line[..digits].parse::<u64>() else { return words };
    let said = &line[digits..];
    let sign = match said {
        "+" | "👍" => Some(Sign::For),
        "-" | "👎" => Some(Sign::Against),
        "✅" => Some(Sign::Yes),
        "❌" => Some(Sign::No),
        _ => None,
    };
    if let Some(sign) = sign {
        return Line::Sign { message, sign };
    }
    if let [key @ b'a'..=b'z'] = said.as_bytes() {
        return Line::Press { message, button: usize::from(key - b'a') };
    }
    match said.strip_prefix('>').map(str::trim) {
        Some(text) if !text.is_empty() && is_there(message) => {
            Line::Words { answers: Some(message), text }
        }
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let is_there = |message: u64| message == 7;
        let words = |answers, text| Line::Words { answers, text };
        for (line, expected) in [
            ("7a", Line::Press { message: 7, button: 0 }),
            ("7b", Line::Press { message: 7, button: 1 }),
            ("7c", Line::Press { message: 7, button: 2 }),
            ("8a", Line::Press { message: 8, button: 0 }),
            ("7 b", words(None, "7 b")),
            ("#7b", words(None, "#7b")),
            ("1+", Line::Sign { message: 1, sign: Sign::For }),
            ("1👎", Line::Sign { message: 1, sign: Sign::Against }),
            ("7✅", Line::Sign { message: 7, sign: Sign::Yes }),
            ("7 yes", words(None, "7 yes")),
            ("7> yes", words(Some(7), "yes")),
            ("7>no, later", words(Some(7), "no, later")),
            ("9> text", words(None, "9> text")),
            ("7>", words(None, "7>")),
            ("#7 is broken", words(None, "#7 is broken")),
            ("# Heading", words(None, "# Heading")),
            ("99999999999999999999999a", words(None, "99999999999999999999999a")),
            ("what is 7", words(None, "what is 7")),
            ("", words(None, "")),
        ] {
            assert_eq!(of(line, is_there), expected, "{line}");
        }
    }
}
