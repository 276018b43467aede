//! Tools and files that everybody knows by name. Pure.

use crate::words::{Pairs, Words, list};

/// Names that mean a tool or a file wherever they stand, and are their own tag.
static NAMES: Words = list!(words "tools");

/// Other names of those.
static ALIASES: Pairs = list!(pairs "tool_aliases");

/// The tag of a word that names a tool or a file, with or without the end of its name
/// (`package-lock.json`), a version (`python3.11`), or more words (`ingress-nginx`).
pub(super) fn tag(word: &str) -> Option<&'static str> {
    // None of the names is longer.
    if word.len() > 32 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    known(&word)
        .or_else(|| known(word.rsplit_once('.')?.0))
        .or_else(|| known(without_version(&word)))
        .or_else(|| word.split('-').find_map(known))
}

/// The name of a program as it is known best.
pub(super) fn program(name: &str) -> &str {
    known(name).or_else(|| known(without_version(name))).unwrap_or(name)
}

fn known(word: &str) -> Option<&'static str> {
    NAMES.get(word).or_else(|| ALIASES.get(word)).copied()
}

fn without_version(name: &str) -> &str {
    name.trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(tag(word), expected, "{word}");
    }

    #[test]
    fn no_name_is_longer_than_what_is_looked_up() {
        assert!(NAMES.iter().chain(ALIASES.keys()).all(|name| name.len() <= 32));
    }

    #[test]
    fn tools_and_files() {
        check("package-lock.json", Some("package-lock"));
        check("package-lock", Some("package-lock"));
        check("Dockerfile", Some("dockerfile"));
        check("Dockerfile.dev", Some("dockerfile"));
        check(".gitignore", Some("gitignore"));
        check("NPM", Some("npm"));
        check("python3.11", Some("python"));
        check("PostgreSQL", Some("postgres"));
        check("Cargo.lock", Some("cargo-lock"));
        check("node_modules", Some("node-modules"));
        check("ingress-nginx", Some("nginx"));
        check("openssl-sys", Some("openssl"));
        for word in ["", ".", "the", "make", "go", "3.11", "json", "日本", &"x".repeat(5_000)] {
            check(word, None);
        }
    }
}
