//! Tags in the text of a note, as Obsidian has them: `#finance/q3`. Pure.

/// Tags of a text that are taken, so that a list of words is no list of tags.
pub(super) const MOST_TAGS: usize = 100;
/// Longest tag, in bytes; what is longer is none.
const MOST_BYTES: usize = 100;

/// The tags of a text in its order, without their `#`: at the beginning of a line or behind a space, of letters,
/// digits, `-`, `_` and `/`, and not of digits alone.
pub(super) fn tags(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('#').filter_map(|(at, mark)| {
        let (before, from) = (&text[..at], &text[at + mark.len()..]);
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '/');
        let end = from.find(|char| !is_part(char)).unwrap_or(from.len());
        // `#finance/` ends a word as `#finance.` does.
        let tag = from[..end].trim_end_matches('/');
        let begins = before.is_empty() || before.ends_with(char::is_whitespace);
        (begins && is_tag(tag)).then_some(tag)
    })
}

fn is_tag(tag: &str) -> bool {
    tag.len() <= MOST_BYTES
        && tag.contains(char::is_alphanumeric)
        && !tag.chars().all(char::is_numeric)
        && tag.split('/').all(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_by_what_stands_around_them() {
        for (text, expected) in [
            ("#finance/q3 #todo", &["finance/q3", "todo"][..]),
            (
                "a #b, #c-d. (#e) #f_g: #2026-11\n#straße/öl",
                &["b", "c-d", "f_g", "2026-11", "straße/öl"],
            ),
            ("#123 # #- ## #! #/a #a//b a#b ##c \\#d", &[]),
            ("#a/ #b#c #y1984", &["a", "b", "y1984"]),
            ("", &[]),
        ] {
            assert_eq!(tags(text).collect::<Vec<_>>(), expected, "{text}");
        }
        assert_eq!(tags(&format!("#{}", "a".repeat(MOST_BYTES + 1))).count(), 0);
    }
}
