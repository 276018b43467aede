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

/// Sentences in which an answer claims that whoever answers did something.
static CLAIMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let adverb = r"(?:(?:also|just|now|then|\w+ly)\s+){0,2}";
    let i = format!(r"\b(?:i|we)(?:\s+have|['’]ve)?\s+{adverb}(?:{DID})\b");
    // At the beginning of a line or of a sentence.
    let first = format!(
        r"(?:^|[.!:]\s|\n)\W*(?:all\s+)?{adverb}(?:{DID}|complete|ready|erledigt|fertig|behoben|{GETAN})\b"
    );
    let done = r"\b(?:task|work|job|change|everything|all)\s+(?:is\s+|are\s+)?(?:now\s+)?(?:complete|completed|done|finished|ready)\b";
    let ich = format!(r"\b(?:ich\s+habe|wir\s+haben)\b[^!?\n]{{0,200}}?\b(?:{GETAN})\b");
    // A pattern of our own: its test fails where it is none.
    Regex::new(&format!("(?i){i}|{first}|{done}|{ich}")).ok()
});

/// Sentences that claim that something is done now, by whomever: of a run that did nothing at all,
/// nobody else can have done it.
static STATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let now = format!(r"\b(?:has|have)\s+(?:(?:all|now|\w+ly)\s+)*been\s+(?:\w+ly\s+)?(?:{DID})\b");
    let is =
        format!(r"\b(?:is|are|was|were)\s+(?:now|all|successfully)\s+(?:{DID}|there|in\s+place)\b");
    let pass = r"\btests?\s+(?:all\s+|now\s+)*(?:pass|passes|passed|succeed)\b";
    let ist = format!(r"\b(?:ist|sind|wurden?)\b[^!?\n]{{0,200}}?\b(?:{GETAN})\b");
    Regex::new(&format!("(?i){now}|{is}|{pass}|{ist}")).ok()
});

fn fits(pattern: &LazyLock<Option<Regex>>, answer: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(answer))
}

/// Whether a shell line tests or checks something.
pub(super) fn is_test(line: &str) -> bool {
    line.split(['\n', ';', '|', '&']).any(|part| {
        let reads = part.split_whitespace().next().is_none_or(|first| READERS.contains(&first));
        let mut words = part.split(|char: char| !char.is_alphanumeric());
        !reads && words.any(|word| TESTS.contains(&word))
    })
}

/// The most that a run with this answer may be called, and why, where that is less than done.
///
/// `is_first`: nothing was changed or run in the session before, that the answer could speak of.
pub(super) fn at_most(
    facts: &Facts,
    answer: Option<&str>,
    is_first: bool,
) -> Option<(Outcome, String)> {
    if !facts.unwritten.is_empty()
        && facts.touched.is_empty()
        && facts.commits.is_empty()
        && !facts.has_written
    {
        let why = "everything that would have written was refused or failed: nothing was done";
        return Some((Outcome::Nothing, why.to_owned()));
    }
    if let Some(answer) = answer.filter(|_| is_first && facts.effects == 0) {
        let is_idle = facts.made == 0 && fits(&STATES, answer);
        if is_idle || fits(&CLAIMS, answer) {
            let why = "no call was made that changes or runs anything, so nothing that the answer \
                       claims was done by this run";
            return Some((Outcome::Nothing, why.to_owned()));
        }
    }
    if let Some(why) = &facts.unchecked {
        return Some((Outcome::Partly, why.clone()));
    }
    let line = facts.failing_test()?;
    Some((Outcome::Partly, format!("the last run of `{line}` failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claims_work() {
        for (answer, own, states) in [
            ("Done.", true, false),
            ("I have created docs/a.md.", true, false),
            ("I've now fixed the test", true, false),
            ("I have carefully created it.", true, false),
            ("Created docs/otters.md.", true, false),
            ("Implemented the function and updated the tests.", true, false),
            ("Sure! Renamed it everywhere.", true, false),
            ("Task complete.", true, false),
            ("Everything is done.", true, false),
            ("All tests pass now.", false, true),
            ("The function has been renamed.", false, true),
            ("The file is now in place.", false, true),
            ("Ich habe die Datei erstellt.", true, false),
            ("Die Datei ist erstellt.", false, true),
            ("Der Fehler wurde in `a.rs` behoben.", false, true),
            ("Otters hold hands while they sleep [1].", false, false),
            ("The parser was written by Ann in 2019.", false, false),
            ("There is nothing to do: `swim` is called once.", false, false),
            ("I could not find such a file.", false, false),
            ("You can create it with `touch a`.", false, false),
            ("I will create it.", false, false),
        ] {
            assert_eq!(fits(&CLAIMS, answer), own, "{answer}");
            assert_eq!(fits(&STATES, answer), states, "{answer}");
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
