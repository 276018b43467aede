//! Sentences that somebody says without being named in them: they stand between quotation marks.

use std::ops::Range;

const OPENING: [char; 4] = ['"', '“', '„', '«'];
const CLOSING: [char; 4] = ['"', '“', '”', '»'];

/// Whether a sentence of a block is a part of a quotation, or one as a whole.
pub(in crate::extract) fn is_spoken(block: &str, sentence: &Range<usize>) -> bool {
    let Some(text) = block.get(sentence.clone()) else { return false };
    if is_open(&block[..sentence.start]) {
        return true;
    }
    let Some(inner) = text.trim_start().strip_prefix(OPENING) else { return false };
    inner
        .find(CLOSING)
        .is_none_or(|at| !inner[at..].contains(char::is_alphanumeric) && inner[..at].contains(' '))
}

/// Whether a quotation begins in a text and goes on behind it.
pub(super) fn is_open(text: &str) -> bool {
    let mut open = false;
    let mut before = ' ';
    for char in text.chars() {
        match char {
            '„' => open = true,
            '”' => open = false,
            // `« so »` and `»so«`.
            '“' | '«' | '»' => open = !open,
            '"' => open = before.is_whitespace() || "([—".contains(before),
            _ => {}
        }
        before = char;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::is_spoken;

    #[test]
    fn a_quotation_is_told_from_a_title_and_from_what_names_its_speaker() {
        let block = "\"Foo is fast. Foo is small,\" said Ann. \"Foo is ours.\" Foo costs 5\" of tape. \
                     \"Foo Bar\" is a song.";
        for (sentence, expected) in [
            ("\"Foo is fast.", true),
            ("Foo is small,\" said Ann.", true),
            ("\"Foo is ours.\"", true),
            ("Foo costs 5\" of tape.", false),
            ("\"Foo Bar\" is a song.", false),
        ] {
            let from = block.find(sentence).unwrap();
            assert_eq!(is_spoken(block, &(from..from + sentence.len())), expected, "{sentence}");
        }
    }
}
