//! Text from outside made fit to stand on one line of Markdown, and taken back from it.

use crate::markdown::{self, is_shown, on_one_line};

/// On one line, without characters that hide, at most so many characters long.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    on_one_line(text, limit, is_shown)
}

/// Plain text as Markdown that is one run of text: no HTML or comment, no image, no link. Emphasis
/// stays, it does no harm. Undone by [`unescape`](crate::markdown::unescape).
pub(super) fn escape(text: &str) -> String {
    markdown::escape(text, (' ', ' '), |_, before, char, next| match char {
        '\\' => next.is_ascii_punctuation(),
        '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
        '[' => before == '!' || next == '[',
        ']' => matches!(next, '(' | '['),
        _ => false,
    })
}

/// [`escape`], for text at the start of a list item, where it must not begin a block.
pub(super) fn escape_item(text: &str) -> String {
    let escaped = escape(text);
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = escaped.split_at(digits);
    let mut chars = rest.chars();
    let first = chars.next().unwrap_or(' ');
    let alone = chars.next().is_none_or(char::is_whitespace);
    let rule = || rest.chars().all(|char| char == first || char.is_whitespace());
    let begins = match first {
        '.' | ')' => digits > 0 && alone,
        _ if digits > 0 => false,
        '#' | '>' | '[' | '|' => true,
        '-' | '+' | '*' | '_' | '=' => alone || rule(),
        '`' => rest.starts_with("```"),
        '~' => rest.starts_with("~~~"),
        _ => false,
    };
    if begins { format!("{number}\\{rest}") } else { escaped }
}

/// A value as one word that ends no comment: what would is written as `%` and two digits for each
/// byte. `None` if it is empty or too long.
pub(super) fn encode(value: &str) -> Option<String> {
    let value = value.trim();
    if value.is_empty() || value.len() > super::MAX_VALUE_BYTES {
        return None;
    }
    let mut word = String::with_capacity(value.len());
    for char in value.chars() {
        let plain = match char {
            '<' | '>' | '%' | '`' => false,
            '-' => !word.ends_with('-'),
            char => is_shown(char) && !char.is_whitespace(),
        };
        if plain {
            word.push(char);
        } else {
            let mut bytes = [0; 4];
            for byte in char.encode_utf8(&mut bytes).bytes() {
                word.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    Some(word)
}

/// Undoes [`encode`]. A word that is no text then, as a person may write it, stays as it is.
pub(super) fn decode(word: &str) -> String {
    markdown::percent_decode(word).unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::markdown::unescape;

    #[test]
    fn lines_are_cut() {
        for (text, limit, expected) in [
            ("a b", 3, "a b"),
            ("a bc", 3, "a…"),
            ("abc d", 3, "ab…"),
            (" a\n\tb\r\n", 9, "a b"),
            ("a\u{202e}\u{1b}[2J\u{200b}", 9, "a[2J"),
            ("a \u{200b} b\0", 9, "a b"),
            ("", 9, ""),
        ] {
            assert_eq!(one_line(text, limit), expected, "{text:?}");
        }
    }

    #[test]
    fn only_what_would_mark_up_is_escaped() {
        for (text, expected) in [
            ("plain, (text) - 1. #2 a_b & c < d", "plain, (text) - 1. #2 a_b & c < d"),
            ("a <!-- b --> <b>", r"a \<!-- b --> \<b>"),
            ("[[a]] ![b](c) [d](e) [1]", r"\[[a]] !\[b\](c) [d\](e) [1]"),
            (r"\* C:\dir", r"\\* C:\dir"),
        ] {
            assert_eq!(escape(text), expected);
            assert_eq!(unescape(expected), text);
        }
        for (text, expected) in [
            ("# a", r"\# a"),
            ("> a", r"\> a"),
            ("- a", r"\- a"),
            ("-5 °C", "-5 °C"),
            ("* a", r"\* a"),
            ("*a* b", "*a* b"),
            ("---", r"\---"),
            ("_ _ _", r"\_ _ _"),
            ("1. a", r"1\. a"),
            ("12)", r"12\)"),
            ("3.5 mm", "3.5 mm"),
            (".NET", ".NET"),
            ("```a", r"\```a"),
            ("`a`", "`a`"),
            ("~~~", r"\~~~"),
            ("[x] a", r"\[x] a"),
            ("[a]: b", r"\[a]: b"),
            ("<!-- a", r"\<!-- a"),
        ] {
            assert_eq!(escape_item(text), expected);
            assert_eq!(unescape(expected), text);
        }
    }

    #[test]
    fn values_are_one_word() {
        for (value, expected) in [
            ("https://a.org/b?c=d&e", Some("https://a.org/b?c=d&e")),
            ("a b--c---d", Some("a%20b-%2Dc-%2D-d")),
            ("-->", Some("-%2D%3E")),
            ("100%", Some("100%25")),
            ("é\u{202e}\n`x", Some("é%E2%80%AE%0A%60x")),
            (" ", None),
        ] {
            assert_eq!(encode(value).as_deref(), expected, "{value:?}");
        }
        assert_eq!(encode(&"a".repeat(super::super::MAX_VALUE_BYTES + 1)), None);
        for (word, expected) in
            [("%", "%"), ("%2", "%2"), ("%zz", "%zz"), ("%+1", "%+1"), ("%ff", "%ff")]
        {
            assert_eq!(decode(word), expected);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn all_is_given_back(
            text in r"([\PC\n\t\\<>!\[\]()%`~#*_=+.0-9-]|--|<!--|-->|\u{202e}){0,60}",
        ) {
            prop_assert_eq!(&unescape(&escape(&text)), &text);
            let line = one_line(&text, 500);
            prop_assert_eq!(&unescape(&escape_item(&line)), &line);
            if let Some(word) = encode(&text) {
                prop_assert_eq!(decode(&word), text.trim());
                prop_assert!(!word.contains("--") && !word.contains(['<', '>']));
                prop_assert_eq!(word.split_whitespace().count(), 1);
            }
        }
    }
}
