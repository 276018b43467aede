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

/// Absolute paths in a line, as terminals paste those of files that are dropped on them: bare, quoted,
/// with blanks escaped, or as `file://`. Each once.
pub fn pasted(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut chars = line.chars().peekable();
    let (mut word, mut quote) = (String::new(), None);
    loop {
        let next = chars.next();
        match (next, quote) {
            (Some(char), Some(end)) if char == end => quote = None,
            (Some(char), Some(_)) => word.push(char),
            (Some('\\'), None) => word.extend(chars.next()),
            (Some(char @ ('"' | '\'')), None) if word.is_empty() => quote = Some(char),
            (Some(char), None) if !char.is_whitespace() => word.push(char),
            (Some(_) | None, _) => {
                let path = std::mem::take(&mut word);
                let path = path.strip_prefix("file://").unwrap_or(&path);
                let is_path = path.starts_with('/') || path.starts_with("~/");
                if is_path && !found.iter().any(|known| known == path) && found.len() < MOST {
                    found.push(path.to_owned());
                }
            }
        }
        if next.is_none() {
            return found;
        }
    }
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

    #[test]
    fn pasted_paths_are_found() {
        for (line, expected) in [
            ("", &[][..]),
            ("what is /home/ada/a.png", &["/home/ada/a.png"]),
            ("'/tmp/a b.png' and \"/tmp/c d.png\"", &["/tmp/a b.png", "/tmp/c d.png"]),
            ("/tmp/a\\ b.png /tmp/a\\ b.png", &["/tmp/a b.png"]),
            ("file:///tmp/a.png ~/b.png", &["/tmp/a.png", "~/b.png"]),
            ("it's /tmp/a.png", &["/tmp/a.png"]),
            ("either/or a.png @/tmp/a.png", &[]),
            ("\"/tmp/a", &["/tmp/a"]),
        ] {
            assert_eq!(pasted(line), expected, "{line:?}");
        }
    }
}
