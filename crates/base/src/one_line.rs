//! Text from outside put on one line of limited length, without what cannot be seen. Pure.

pub use crate::visible::is_emoji;
use crate::visible::{hides, is_deceptive};

/// Characters of a text that are looked at for every character wanted: what is longer is mostly
/// blank.
const LOOKED_AT: usize = 50;
const JOINER: char = '\u{200d}';
const VARIATION: char = '\u{fe0f}';

/// White space of all kinds collapsed to single spaces, control characters, direction marks and
/// invisible characters left out, cut to `max` characters: between words if that costs at most half.
///
/// Emoji made of several stay whole, unless the cut falls into one. Costs no more than `50 * max`
/// characters, however long the text is.
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let (mut count, mut last, mut pending_space) = (0, ' ', false);
    let mut joiner = false;
    for char in text.chars().take(max.saturating_mul(LOOKED_AT)) {
        if char.is_whitespace() {
            (pending_space, joiner) = (!line.is_empty(), false);
            continue;
        }
        if char == JOINER {
            joiner = !pending_space && (is_emoji(last) || last == VARIATION);
            continue;
        }
        // A selector of forms stays with what it is about; the keys of a keypad have none here.
        let before = if pending_space { ' ' } else { last };
        if char.is_control() || is_deceptive(char) || hides(Some(before), char, None) {
            continue;
        }
        let glued = joiner && is_emoji(char);
        let needed = 1 + usize::from(pending_space) + usize::from(glued);
        if count + needed > max {
            return cut_at_word(line, max, pending_space);
        }
        if pending_space {
            line.push(' ');
        } else if glued {
            line.push(JOINER);
        }
        line.push(char);
        count += needed;
        (last, pending_space, joiner) = (char, false, false);
    }
    line
}

/// A line that goes on: without its last word if that is only begun and leaves at least half.
fn cut_at_word(mut line: String, max: usize, at_border: bool) -> String {
    if !at_border
        && let Some(space) = line.rfind(' ')
        && line.get(..space).is_some_and(|head| head.chars().count() * 2 >= max)
    {
        line.truncate(space);
    }
    line
}

/// At most so many characters of a text, and `…` where it was cut.
pub fn shorten(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, max: usize, expected: &str) {
        assert_eq!(one_line(text, max), expected);
    }

    #[test]
    fn lines() {
        check("", 10, "");
        check(" \r\n\t ", 10, "");
        check("  one\r\n two\u{a0}three ", 20, "one two three");
        check("a\u{0}b\u{1b}[31m\u{202e}c\u{200b}d\u{ad}e", 20, "ab[31mcde");
        check("one two three", 9, "one two");
        check("one two three", 7, "one two");
        check("onetwothree", 5, "onetw");
        check("a onetwothree", 8, "a onetwo");
        check("ééééé", 3, "ééé");
        check("x", 0, "");
        check("👨\u{200d}👩\u{200d}👧 ok", 20, "👨\u{200d}👩\u{200d}👧 ok");
        check("❤\u{fe0f}\u{200d}🔥", 20, "❤\u{fe0f}\u{200d}🔥");
        check("a\u{200d}b 🦦\u{200d} x", 20, "ab 🦦 x");
        check("a\u{fe0f} ❤ \u{fe0f}x 🦦\u{fe0f}\u{fe0f}", 20, "a ❤ x 🦦\u{fe0f}");
        check(&format!("{}late", " ".repeat(1_000)), 10, "");
    }

    proptest! {
        #[test]
        fn short_clean_and_stable(text in any::<String>(), max in 0_usize..50) {
            let line = one_line(&text, max);
            prop_assert!(line.chars().count() <= max);
            prop_assert!(!line.contains(['\n', '\r', '\t', '\0']));
            prop_assert_eq!(line.trim(), &line);
            prop_assert_eq!(one_line(&line, max), line);
        }
    }
}
