//! Short values, which say nothing without the heading above them.

use super::FEWEST_WORDS;

/// Words of the name of a value.
const MOST_LABEL: usize = 2;

/// The name of a short value: of `Default: 2`, `Default`.
pub(super) fn label(text: &str) -> Option<String> {
    let plain = text.replace(['*', '_'], "");
    let (label, value) = plain.split_once(": ")?;
    let is_word = |char: char| char.is_alphabetic() || [' ', ','].contains(&char);
    let words = value.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let is_label = label.starts_with(char::is_alphabetic)
        && label.chars().all(is_word)
        && label.split(' ').count() <= MOST_LABEL
        && !value.contains("](")
        && (1..FEWEST_WORDS).contains(&words.count())
        && !value.trim_end().ends_with(['.', '!', '?', ':']);
    is_label.then(|| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_a_name() {
        for (text, expected) in [
            ("Default: **2**", true),
            ("**Type**: Number", true),
            ("Default: 1440 (1 day)", true),
            ("Linux, macOS: `~/.local/share/heron/`", true),
            ("Default: it is the one that was there before all others", false),
            ("See also: [this](page.md)", false),
            ("Ends: here.", false),
            ("http://example.com", false),
            ("A label of three: 5", false),
        ] {
            assert_eq!(label(text).is_some(), expected, "{text}");
        }
    }
}
