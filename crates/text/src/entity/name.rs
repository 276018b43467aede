//! What names and statements are compared by.

use unicode_normalization::UnicodeNormalization;

use super::text::one_line;

/// What a name is compared by: composed (NFC), in lower case, white space folded to single blanks,
/// without characters that hide. Taken of an identity it changes nothing.
pub fn identity(name: &str) -> String {
    let shown = one_line(name, usize::MAX);
    if shown.is_ascii() {
        return shown.to_ascii_lowercase();
    }
    let composed: String = shown.nfc().collect();
    composed.to_lowercase().nfc().collect()
}

/// What a statement is compared by: compatible forms made one (NFKC), in lower case, white space,
/// quotes and dashes folded, without punctuation at the end. A text of punctuation alone keeps it.
pub fn normalise(text: &str) -> String {
    let shown = one_line(text, usize::MAX);
    let lower = if shown.is_ascii() {
        shown.to_ascii_lowercase().replace('`', "'")
    } else {
        let compatible: String = shown.nfkc().collect();
        let lower: String = compatible.to_lowercase().nfkc().map(plain).collect();
        one_line(&lower, usize::MAX)
    };
    let bare = lower.trim_end_matches(|char: char| ends_sentence(char) || char == ' ');
    if bare.is_empty() { lower } else { bare.to_owned() }
}

/// BLAKE3 of a normalised text: tells that something was said without saying it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextDigest([u8; 32]);

impl TextDigest {
    /// That of a text as [`normalise`] leaves it, so that spelling makes no difference.
    pub fn of(text: &str) -> Self {
        Self(*blake3::hash(normalise(text).as_bytes()).as_bytes())
    }
}

elophanto_base::shown_as_hex!(TextDigest);

/// One of each kind of quote and dash.
fn plain(char: char) -> char {
    match char {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '`' | '´' | '‹' | '›' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '«' | '»' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' => '-',
        char => char,
    }
}

fn ends_sentence(char: char) -> bool {
    matches!(char, '.' | ',' | ';' | ':' | '!' | '?' | '…' | '。' | '、' | '।' | '؟' | '،' | '؛')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn identities() {
        for (name, expected) in [
            ("KEF  LS50\tMeta ", "kef ls50 meta"),
            ("E\u{301}cole", "école"),
            ("ÉCOLE", "école"),
            ("東京", "東京"),
            ("ΟΔΟΣ", "οδος"),
            ("C++", "c++"),
            ("a\u{202e}b\u{200b} \u{200b} c\0", "ab c"),
            ("", ""),
        ] {
            assert_eq!(identity(name), expected, "{name:?}");
        }
    }

    #[test]
    fn statements() {
        for (text, expected) in [
            ("The KEF  is a\nspeaker.", "the kef is a speaker"),
            ("It costs ½ — “much” …", "it costs 1⁄2 - \"much\""),
            ("Don’t!?", "don't"),
            ("It’s C++.", "it's c++"),
            ("ﬁne", "fine"),
            ("東京です。", "東京です"),
            ("...", "..."),
            ("", ""),
        ] {
            assert_eq!(normalise(text), expected, "{text:?}");
        }
        assert_eq!(TextDigest::of("A “b”."), TextDigest::of("a \"B\""));
        assert_eq!(TextDigest::of("a").to_string().len(), 64);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn once_is_enough(
            text in r"([\PC\n\t]|[\u0300-\u036fİΣſﬁ½…’“—\u{200b}\u{202e}.!? ]){0,40}",
        ) {
            let name = identity(&text);
            prop_assert_eq!(&identity(&name), &name);
            let statement = normalise(&text);
            prop_assert_eq!(&normalise(&statement), &statement);
            prop_assert!(!name.contains(char::is_control) && !statement.contains(char::is_control));
        }
    }
}
