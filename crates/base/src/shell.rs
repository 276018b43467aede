//! Words of a command that somebody may copy into a shell.

/// A word as a shell wants it: as it is where that is safe, else in quotes within which nothing is
/// replaced or run. What no shell takes, a NUL, is shown by an escape.
pub fn quoted(word: &str) -> String {
    shlex::try_quote(word)
        .map_or_else(|_| word.escape_default().to_string(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_shell_would_run_is_quoted() {
        for (word, expected) in [
            ("otters", "otters"),
            ("how deep do otters dive", "'how deep do otters dive'"),
            ("$(rm -rf ~) `id` \"x\"", "'$(rm -rf ~) `id` \"x\"'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    proptest! {
        #[test]
        fn a_shell_reads_it_as_one_word(word in "[^\0]*") {
            prop_assert_eq!(shlex::split(&quoted(&word)), Some(vec![word]));
        }
    }
}
