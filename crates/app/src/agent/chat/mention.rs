//! Files that a message names by `@path`. Pure.

/// Files of one message.
const MOST: usize = 20;

/// What stands behind `@` at the beginning of words, each once: `@path`, or `@"path with blanks"`.
pub fn mentions(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    let mut before = ' ';
    while let Some(at) = rest.find('@') {
        let last = rest[..at].chars().next_back().unwrap_or(before);
        rest = &rest[at + 1..];
        before = '@';
        if !(last.is_whitespace() || matches!(last, '(' | '"' | '\'' | '`')) {
            continue;
        }
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => {
                let word = rest.split(char::is_whitespace).next().unwrap_or_default();
                word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '`'])
            }
        };
        if !path.is_empty()
            && !path.starts_with('@')
            && !found.iter().any(|known| known == path)
            && found.len() < MOST
        {
            found.push(path.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_at_the_beginning_of_words() {
        for (line, expected) in [
            ("", &[][..]),
            ("look at @a.md", &["a.md"]),
            ("@src/a.rs, (@b) and @src/a.rs.", &["src/a.rs", "b"]),
            ("@\"a b.md\" please", &["a b.md"]),
            ("ada@example.org @", &[]),
            ("@@a", &[]),
            ("one\n@two\n", &["two"]),
        ] {
            assert_eq!(mentions(line), expected, "{line:?}");
        }
    }
}
