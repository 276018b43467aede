//! What a run may be called at most, by what its program wrote down. Pure.
//!
//! No words of an answer are looked at: they claim whatever they like, in any language.

use super::facts::Facts;
use crate::Outcome;

/// Words of a shell line that tests or checks something.
const TESTS: [&str; 20] = [
    "check", "clippy", "ctest", "eslint", "jest", "lint", "mocha", "mypy", "nextest", "nox",
    "phpunit", "pytest", "rspec", "ruff", "test", "tests", "tox", "tsc", "unittest", "vitest",
];
/// Programs that only read, or that a test goes by another meaning with: their failure is an answer.
const READERS: [&str; 14] = [
    "[", "cat", "diff", "echo", "find", "git", "grep", "head", "ls", "rg", "sed", "tail", "test",
    "which",
];

/// Whether a shell line tests or checks something.
pub(super) fn is_test(line: &str) -> bool {
    line.split(['\n', ';', '|', '&']).any(|part| {
        let reads = part.split_whitespace().next().is_none_or(|first| READERS.contains(&first));
        let mut words = part.split(|char: char| !char.is_alphanumeric());
        !reads && words.any(|word| TESTS.contains(&word))
    })
}

/// The most that a run with an answer may be called, and why, where that is less than done.
///
/// `is_order`: whether the goal asks to change or run something, by the plan that was made before anything
/// was done, if one was. `is_first`: nothing was changed or run in the session before that an answer could
/// speak of.
pub(super) fn at_most(
    facts: &Facts,
    is_order: Option<bool>,
    is_first: bool,
) -> Option<(Outcome, String)> {
    if !facts.unwritten.is_empty()
        && facts.touched.is_empty()
        && facts.commits.is_empty()
        && !facts.has_written
    {
        let why = "everything that would have written was refused or failed";
        return Some((Outcome::Nothing, why.to_owned()));
    }
    if facts.effects == 0 {
        let why = match is_order {
            Some(true) if is_first => {
                "no call was made that changes or runs anything, whatever the answer says"
            }
            Some(true) if facts.unrun > 0 => "every command was refused, and nothing was changed",
            None if is_first && facts.unrun > 0 => {
                "every command was refused, and nothing else was changed"
            }
            _ => "",
        };
        if !why.is_empty() {
            return Some((Outcome::Nothing, why.to_owned()));
        }
    }
    let broke = || {
        let call = facts.bad_end()?;
        Some(format!("the last call that changes or runs something failed: {call}"))
    };
    let test = || Some(format!("the last run of `{}` failed", facts.failing_test()?));
    let why = facts.unchecked.clone().or_else(test).or_else(broke);
    why.or_else(|| facts.uncommitted.clone()).map(|why| (Outcome::Partly, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_is_called() {
        let none = Facts::default;
        let refused = || Facts { unwritten: ["file_write".to_owned()].into(), ..none() };
        let effect = || Facts { effects: 1, made: 1, ..none() };
        let (nothing, yes, no) = (Some(Outcome::Nothing), Some(true), Some(false));
        for (facts, is_order, expected) in [
            (none(), no, None),
            (none(), None, None),
            (none(), yes, nothing),
            (Facts { made: 3, ..none() }, yes, nothing),
            (Facts { made: 3, ..none() }, no, None),
            (Facts { unrun: 1, ..none() }, None, nothing),
            (Facts { unrun: 1, ..none() }, no, None),
            (Facts { unrun: 1, ..effect() }, None, None),
            (effect(), yes, None),
            (refused(), no, nothing),
            (Facts { has_written: true, ..refused() }, no, None),
            (Facts { uncommitted: Some("a".to_owned()), ..effect() }, yes, Some(Outcome::Partly)),
            (Facts { unchecked: Some("a".to_owned()), ..effect() }, yes, Some(Outcome::Partly)),
        ] {
            let found = at_most(&facts, is_order, true);
            assert_eq!(found.map(|(most, _)| most), expected, "{} {is_order:?}", facts.made);
        }
        // Where something was done before, an answer may speak of that, unless this was refused.
        for (facts, is_order, expected) in [
            (none(), yes, None),
            (Facts { unrun: 1, ..none() }, None, None),
            (Facts { unrun: 1, ..none() }, no, None),
            (Facts { unrun: 1, ..none() }, yes, nothing),
            (Facts { unrun: 1, ..effect() }, yes, None),
        ] {
            let found = at_most(&facts, is_order, false);
            assert_eq!(found.map(|(most, _)| most), expected, "{is_order:?}");
        }
    }

    #[test]
    fn what_is_a_test() {
        for (line, expected) in [
            ("cargo test --locked", true),
            ("npm run lint", true),
            ("python -m pytest -q", true),
            ("sh tests.sh", true),
            ("make check", true),
            ("cd a && cargo check", true),
            ("git status && sh test.sh", true),
            ("echo go; sh test.sh", true),
            ("grep -rn test src", false),
            ("grep -rn test src | head", false),
            ("test -f a", false),
            ("echo latest", false),
            ("git checkout main", false),
            ("ls", false),
        ] {
            assert_eq!(is_test(line), expected, "{line}");
        }
    }
}
