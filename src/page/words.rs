//! What is shown of times, sizes and texts. Pure.

use maud::{Markup, html};

use elophanto_app::when;
use elophanto_base::visible::{escape_control_line, visible};

/// A name or a line from outside: what steers or hides in it is shown as marks.
pub fn line(text: &str) -> String {
    escape_control_line(text)
}

/// The same of a text of several lines.
pub fn text(text: &str) -> String {
    visible(text)
}

/// A day, with the exact time for whoever wants to know.
pub fn day(seconds: Option<i64>) -> Markup {
    html! {
        @match seconds {
            Some(seconds) => {
                @let exact = when::time(seconds).unwrap_or_default();
                time datetime=(exact) title=(exact) { (when::day(seconds)) }
            }
            None => { "at an unknown time" }
        }
    }
}

/// How long something took.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        it if it < 0.000_5 => "0 ms".to_owned(),
        it if it < 1.0 => format!("{:.0} ms", it * 1_000.0),
        it if it < 120.0 => format!("{it:.1} s"),
        it => format!("{:.0} min", it / 60.0),
    }
}

/// Bytes.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..=1_023 => format!("{bytes} bytes"),
        1_024..=1_048_575 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// A number with blanks between thousands.
pub fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        assert_eq!(number(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((number(0), number(999)), ("0".to_owned(), "999".to_owned()));
        assert_eq!((seconds(0.0451), seconds(3.25)), ("45 ms".to_owned(), "3.2 s".to_owned()));
        assert_eq!((bytes(10), bytes(2_048)), ("10 bytes".to_owned(), "2.0 KiB".to_owned()));
    }
}
