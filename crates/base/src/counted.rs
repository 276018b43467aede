//! Numbers with the word for what is counted: `1 note`, `2 notes`. Pure; it knows English that is
//! regular, and no more.

use std::fmt::Display;

/// A number with its noun, of which the singular is given; of several words the last is counted.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) {
        return format!("{number} {noun}");
    }
    let before = noun.strip_suffix('y').filter(|rest| !rest.ends_with(['a', 'e', 'o', 'u']));
    match before {
        Some(before) => format!("{number} {before}ies"),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{number} {noun}es")
        }
        None => format!("{number} {noun}s"),
    }
}

/// The word that agrees with a number: `waits` for one, `wait` for more.
pub fn agreeing<N: PartialEq + From<u8>>(
    number: N,
    one: &'static str,
    more: &'static str,
) -> &'static str {
    if number == N::from(1) { one } else { more }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_everything_else_plural() {
        for (number, noun, expected) in [
            (0, "note", "0 notes"),
            (1, "note", "1 note"),
            (2, "note", "2 notes"),
            (1, "search", "1 search"),
            (2, "search", "2 searches"),
            (3, "success", "3 successes"),
            (2, "changelog entry", "2 changelog entries"),
            (1, "repository", "1 repository"),
            (2, "day", "2 days"),
            (11, "more fault", "11 more faults"),
        ] {
            assert_eq!(counted(number, noun), expected);
        }
        assert_eq!(
            (counted(1u64, "call"), agreeing(1usize, "waits", "wait")),
            ("1 call".into(), "waits")
        );
        assert_eq!(agreeing(0, "waits", "wait"), "wait");
    }
}
