//! What a run may be called at most, by what its program wrote down. Pure.

use std::sync::LazyLock;

use regex::Regex;

use super::facts::Facts;
use crate::Outcome;

/// Words of what was done, in English and German.
const DID: &str = "added|applied|built|changed|cleaned|committed|completed|converted|corrected|\
                   created|deleted|done|edited|extracted|finished|fixed|implemented|improved|\
                   installed|introduced|made|merged|migrated|modified|moved|ran|refactored|removed|\
                   renamed|replaced|resolved|reverted|rewrote|rewritten|run|saved|split|tested|\
                   updated|upgraded|wrote|written";
const GETAN: &str = "angelegt|angepasst|ausgeführt|behoben|entfernt|ergänzt|erledigt|erstellt|\
                     geändert|gelöscht|geschrieben|getestet|hinzugefügt|korrigiert|umbenannt|\
                     verschoben";
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

/// Sentences in which an answer claims that something was done.
static CLAIMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let i = format!(
        r"\b(?:i|we)(?:\s+have|['’]ve)?\s+(?:(?:also|just|now|successfully)\s+)?(?:{DID})\b"
    );
    let was = format!(
        r"\b(?:has|have|was|were|is|are)\s+(?:(?:all|been|now|successfully)\s+)*(?:{DID})\b"
    );
    let first = r"^\W*(?:all\s+)?(?:done|finished|completed|fixed|erledigt|fertig|behoben)\b";
    let ich = format!(r"\b(?:ich\s+habe|wir\s+haben|wurden?)\b[^!?\n]{{0,200}}?\b(?:{GETAN})\b");
    // A pattern of our own: its test fails where it is none.
    Regex::new(&format!("(?i){i}|{was}|{first}|{ich}")).ok()
});

fn claims(answer: &str) -> bool {
    CLAIMS.as_ref().is_some_and(|claims| claims.is_match(answer))
}

/// Whether a shell line tests or checks something.
pub(super) fn is_test(line: &str) -> bool {
    let reads = line.split_whitespace().next().is_some_and(|first| READERS.contains(&first));
    let mut words = line.split(|char: char| !char.is_alphanumeric());
    !reads && words.any(|word| TESTS.contains(&word))
}

/// The most that a run with this answer may be called, and why, where that is less than done.
///
/// `is_first`: nothing was done in the session before, that the answer could speak of.
pub(super) fn at_most(
    facts: &Facts,
    answer: Option<&str>,
    is_first: bool,
) -> Option<(Outcome, String)> {
    if facts.writes > 0
        && facts.touched.is_empty()
        && facts.commits.is_empty()
        && !facts.has_written
    {
        let why = "everything that would have written was refused or failed: nothing was done";
        return Some((Outcome::Nothing, why.to_owned()));
    }
    if is_first && facts.made == 0 && answer.is_some_and(claims) {
        let why = "no call was made, so nothing that the answer claims was done by this run";
        return Some((Outcome::Nothing, why.to_owned()));
    }
    let line = facts.failing_test()?;
    Some((Outcome::Partly, format!("the last run of `{line}` failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claims_work() {
        for (answer, expected) in [
            ("Done.", true),
            ("I have created docs/a.md.", true),
            ("I've now fixed the test", true),
            ("The function was renamed to `swim`.", true),
            ("All tests have been successfully updated.", true),
            ("Ich habe die Datei erstellt.", true),
            ("Der Fehler wurde in `a.rs` behoben.", true),
            ("Otters hold hands while they sleep [1].", false),
            ("There is nothing to do: `swim` is called once.", false),
            ("I could not find such a file.", false),
            ("You can create it with `touch a`.", false),
            ("I will create it.", false),
        ] {
            assert_eq!(claims(answer), expected, "{answer}");
        }
    }

    #[test]
    fn what_is_a_test() {
        for (line, expected) in [
            ("cargo test --locked", true),
            ("npm run lint", true),
            ("python -m pytest -q", true),
            ("sh tests.sh", true),
            ("cd a && cargo check", true),
            ("grep -rn test src", false),
            ("test -f a", false),
            ("make check", true),
            ("echo latest", false),
            ("git checkout main", false),
            ("ls", false),
        ] {
            assert_eq!(is_test(line), expected, "{line}");
        }
    }
}
