//! Whether a text states something at all.

use super::{FEWEST_WORDS, plain::without_links};

/// Whether a sentence or item is more than a title, a question, or the announcement of what follows,
/// which says something where it names what to write.
pub(super) fn says_something(text: &str) -> bool {
    let bare = text.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '»', '”', '’', ' ']);
    let introduces = bare.ends_with([':', '：']) && !text.contains('`');
    if introduces || bare.ends_with(['?', '？']) {
        return false;
    }
    let ends = bare.ends_with(['.', '!', '…', '。', '！', ';', ':', '：']);
    let outside = without_links(text);
    let count = |text: &str| {
        let spaced = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        // Scripts without spaces: two characters for a word.
        let wide = text.chars().filter(|char| u32::from(*char) >= 0x2E80).count() / 2;
        spaced.count().max(wide)
    };
    let is_bold = text.starts_with("**") && text.ends_with("**");
    count(text) >= if ends { 2 } else { FEWEST_WORDS } && count(&outside) > 1 && (ends || !is_bold)
}

/// How a sentence begins that only says where to read on.
const POINTERS: [&str; 14] = [
    "for details", "for further", "for more about", "for more details", "for more information",
    "for more on", "learn more", "more details", "more information", "read more", "refer to",
    "see ", "this page describes", "this section describes",
];

/// Whether a sentence says nothing but where something is said.
pub(super) fn is_pointer(text: &str) -> bool {
    let bare = text.trim_start_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    POINTERS.iter().any(|pointer| bare.starts_with(pointer))
}

/// Whether it is made of words rather than of marks.
pub(super) fn is_language(text: &str) -> bool {
    let shown = text.chars().filter(|char| !char.is_whitespace()).count();
    let letters = text.chars().filter(|char| char.is_alphanumeric()).count();
    let is_drawn = |char: char| ('\u{2500}'..='\u{25FF}').contains(&char);
    letters * 2 > shown && !text.contains(is_drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_states_nothing_is_not_quoted() {
        for (text, expected) in [
            ("The cache is kept for a day.", true),
            ("It is.", true),
            ("Installation guide", false),
            ("**A title in bold that is rather long**", false),
            ("**Note.**", false),
            ("Run the following command to do it:", false),
            ("To allow it, set `access.mode` to `open` in the settings:", true),
            ("What does it cost?", false),
            ("[Install the program on your machine](install.md)", false),
            ("[Install](install.md) it on your machine first", true),
            ("Retries five times, then gives up", true),
            ("缓存保留一天。", true),
            ("缓存", false),
        ] {
            assert_eq!(says_something(text), expected, "{text}");
        }
        for (text, expected) in [
            ("a --> b --> c --> d", false),
            ("┌── box ──┐", false),
            ("+-----+-----+ a +----+", false),
            ("Pass `--no-verify` to it.", true),
        ] {
            assert_eq!(is_language(text), expected, "{text}");
        }
        for (text, expected) in [
            ("See [Directory sources](a.md) for what they are.", true),
            ("For more information on it, ask.", true),
            ("**Refer to** the manual of it.", true),
            ("For more than five users, set `many`.", false),
            ("Seeds are sown in May.", false),
        ] {
            assert_eq!(is_pointer(text), expected, "{text}");
        }
    }
}
