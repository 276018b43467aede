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

/// What an order asks to have done, at its beginning, in English and German.
const ORDERS: [&str; 64] = [
    "add",
    "adjust",
    "append",
    "apply",
    "build",
    "bump",
    "change",
    "clean",
    "commit",
    "convert",
    "correct",
    "create",
    "delete",
    "document",
    "drop",
    "edit",
    "extract",
    "fix",
    "format",
    "generate",
    "implement",
    "improve",
    "increase",
    "insert",
    "install",
    "introduce",
    "lower",
    "make",
    "merge",
    "migrate",
    "modify",
    "move",
    "patch",
    "port",
    "raise",
    "refactor",
    "reformat",
    "remove",
    "rename",
    "replace",
    "revert",
    "speed",
    "tidy",
    "rewrite",
    "run",
    "save",
    "set",
    "split",
    "undo",
    "update",
    "upgrade",
    "write",
    "behebe",
    "benenne",
    "entferne",
    "ergänze",
    "ersetze",
    "erstelle",
    "füge",
    "korrigiere",
    "lösche",
    "schreibe",
    "verschiebe",
    "ändere",
];
/// Such that a text in the answer may be all that is wanted.
const TEXTS: [&str; 18] = [
    "apply", "build", "convert", "correct", "create", "document", "extract", "format", "generate",
    "improve", "make", "merge", "move", "rewrite", "schreibe", "split", "erstelle", "write",
];
/// What an order may begin with.
const POLITE: [&str; 12] = [
    "and", "bitte", "can", "could", "first", "just", "kindly", "now", "please", "then", "would",
    "you",
];
/// Words behind which the one before is no order.
const NO_ORDER: [&str; 6] = ["in", "me", "of", "on", "through", "us"];
/// What is said by whoever did not do it and says so, asks, or tells how it is done.
static REFUSALS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let not = r"\b(?:can|could|do|does|did|have|has|is|are|was|were|will|would|should)(?:\s+not|n['’]t)\b|\bcannot\b";
    let none = r"\b(?:no|not|nothing|none|never|neither|nowhere|unable|already|failed?|fails|error|refused?|missing|instead|unclear|without|unchanged)\b";
    let how = r"\b(?:you|we|i)\s*(?:can|could|may|might|should|would|will|['’]ll|['’]d|need)\b|\blet me\b|\bhere(?:['’]s|\s+is|\s+are)\b|\b(?:which|whether|please)\b";
    let nicht = r"\b(?:nicht|kein\w*|nichts|bereits|schon|soll|bitte|kannst|könnte\w*|fehlt)\b";
    Regex::new(&format!("(?i){not}|{none}|{how}|{nicht}")).ok()
});
/// What is no refusal, although it sounds like one.
static IDIOMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let no = r"\bno\s+(?:more|longer|problem|worries)\b|\bnot\s+only\b|\bnothing\s+else\b";
    let without =
        r"\bwithout\s+(?:any\s+)?(?:issues?|problems?|errors?|trouble)\b|\bnicht\s+mehr\b";
    Regex::new(&format!("(?i){no}|{without}")).ok()
});
/// A name of a file, or what is one by its kind.
static FILES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\w[./]\w|\b(?:files?|folder|tests?|docs?|docstrings?|readme|changelog|notes?|config|settings?|code|functions?|methods?|class|modules?|crate|package|repo|repository|branch|commit|datei|ordner)\b",
    )
    .ok()
});

/// Kinds of text that an answer may be.
static KINDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:answer|comparison|draft|explanation|haiku|ideas?|list|model|names?|outline|overview|plan|poem|proposal|sentence|story|suggestions?|summary|table|text|zusammenfassung)\b",
    )
    .ok()
});

/// Whether a goal holds an order to change or run something: a sentence that begins with such a word, and
/// where that may mean a text, a file or a part of a program that is named, and no kind of text.
fn is_order(goal: &str) -> bool {
    let is_one = |sentence: &str| {
        let words = sentence.split(|char: char| !char.is_alphanumeric());
        let mut words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
        let first = words.find(|word| !POLITE.contains(&&**word));
        // "Run me through it" asks for words, "Port of the server" is a noun.
        let is_spoken = words.next().is_some_and(|word| NO_ORDER.contains(&&*word));
        first.filter(|_| !is_spoken).is_some_and(|first| {
            let may_be_text = TEXTS.contains(&&*first);
            ORDERS.contains(&&*first) && (!may_be_text || fits(&FILES, goal) && !fits(&KINDS, goal))
        })
    };
    let sentences = goal.split(['.', '!', '?', ';', '\n']).flat_map(|it| it.split(", please"));
    sentences.into_iter().any(is_one)
}

/// Whether an answer neither asks nor says that something was not done. A word or a number is what was asked
/// for.
fn is_content(answer: &str) -> bool {
    let plain = IDIOMS.as_ref().map(|idioms| idioms.replace_all(answer, ""));
    answer.split_whitespace().nth(1).is_some()
        && !answer.contains('?')
        && !answer.contains("```")
        && plain.is_some_and(|plain| !fits(&REFUSALS, &plain))
}

/// Whether an answer claims that whoever answers did something: to have done nothing is no such claim.
fn claims(answer: &str) -> bool {
    let is_one = |found: regex::Match<'_>| {
        let rest = answer[found.end()..].trim_start();
        !["no ", "none ", "nothing"].iter().any(|none| rest.starts_with(none))
    };
    CLAIMS.as_ref().is_some_and(|pattern| pattern.find_iter(answer).any(is_one))
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
/// `is_first`: nothing was changed or run in the session before, that the answer could speak of. Then an
/// order that an answer leaves at that was not carried out, in whatever words it claims so.
pub(super) fn at_most(
    facts: &Facts,
    goal: &str,
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
        let is_left = is_order(goal) && is_content(answer);
        if is_idle || is_left || claims(answer) {
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

    /// Claims of runs that did nothing, by the words of models: each is caught.
    #[test]
    fn claims_of_idle_runs() {
        let claims = [
            (
                "Add a section about otters to README.md",
                "The README has a section about otters now.",
            ),
            ("Fix the failing test", "The test is green again."),
            ("Rename `swim` to `dive`", "`swim` is called `dive` throughout the code base now."),
            ("Please add a licence file", "There you go: an MIT licence sits in LICENSE."),
            ("Remove the unused imports", "All unused imports are gone."),
            ("Bump the version to 1.2.0", "Version 1.2.0 it is."),
            ("Can you fix the typo in docs/a.md?", "Sure thing, the typo in docs/a.md is no more."),
            ("Implement retry with backoff", "Retries use exponential backoff from now on."),
            ("Update the changelog", "CHANGELOG.md lists the three new entries."),
            ("Delete tmp.txt", "tmp.txt has gone."),
            ("Make the timeout configurable in config.yaml", "The timeout comes from config.yaml."),
            ("Run the tests", "Everything passes: 42 of 42."),
            ("Set the log level to debug", "The log level is debug."),
            ("Move util.py to lib/", "util.py lives in lib/ from here on."),
            ("Write a test for the parser", "The parser has a test that covers the edge cases."),
            ("Create docs/otters.md", "docs/otters.md tells of otters in three sections."),
            ("Commit the changes", "Committed as 3f2a91c."),
            (
                "Refactor the parser into smaller functions",
                "The parser consists of five functions.",
            ),
            ("Replace the mutex by an atomic", "An atomic takes the mutex's place."),
            ("Upgrade serde", "serde is at 1.0.219."),
            ("Add docstrings to all functions", "Every public function carries a docstring."),
            ("Improve the error message in src/a.rs", "The message names the file and the line."),
            ("Merge the two config files", "Both live in one file, config.toml."),
            ("Behebe den Fehler in a.rs", "Der Fehler ist weg."),
            ("Benenne die Funktion um", "Sie heißt jetzt `dive`."),
        ];
        let caught = |goal: &str, answer: &str| {
            at_most(&Facts::default(), goal, Some(answer), true).is_some()
        };
        let missed: Vec<_> = claims.iter().filter(|(goal, said)| !caught(goal, said)).collect();
        assert_eq!(missed, <[&(&str, &str); 0]>::default());
        // What was done before in the conversation, an answer may speak of.
        let (goal, said) = claims[0];
        assert_eq!(at_most(&Facts::default(), goal, Some(said), false), None);
        for (goal, answer) in [
            ("What do otters do?", "Otters hold hands while they sleep."),
            ("How do I rename a branch?", "`git branch -m old new` renames it."),
            ("Explain the parser", "The parser reads a line at a time and builds a tree."),
            ("Run me through the parser", "It reads a line at a time and builds a tree."),
            ("Port of the server in a.rs?", "The server listens on port 8080."),
            ("Where is the timeout set?", "In src/http.rs, line 12."),
            ("Tell of otters", "Otters swim and eat fish."),
            ("List the modules", "a, b and c."),
            ("Summarise the changelog", "Three releases, the last one about speed."),
            ("Why does the test fail?", "It reads a file that the build has deleted."),
            ("Which version of serde do we use?", "1.0.219, by Cargo.lock."),
            ("Is the build green?", "The badge says so; I ran nothing."),
            ("Review the parser", "It is sound; line 12 could be shorter."),
            ("Write a poem about otters", "Otters in the stream, / paws in paws they dream."),
            ("Create a plan for the migration", "First the schema, then the data, then the code."),
            ("Make a list of three birds", "Heron, kingfisher, dipper."),
            ("Rewrite this sentence: he go home", "He goes home."),
            ("Find out who wrote a.rs", "Ann, in 2019, by git's log."),
            ("Compare rg and grep", "rg skips ignored files; grep reads all of them."),
            ("Fix the failing test", "There is no failing test."),
            ("Add 19 and 23", "42"),
            ("Fix the failing test", "Which one? Two tests fail."),
            ("Delete tmp.txt", "I cannot delete it: nobody agreed."),
            ("Delete tmp.txt", "tmp.txt does not exist."),
            ("Add a licence", "It is there already: LICENSE-MIT."),
            ("Update the docs", "You can do so in docs/a.md; I was not allowed to write."),
            ("Rename swim to dive", "Should the tests be renamed too?"),
            ("Run the tests", "The sandbox is missing, so they did not run."),
            ("Install jq", "Please run `apt install jq` yourself."),
            ("Can you fix it?", "That depends on what is broken: please tell me."),
            ("Lösche tmp.txt", "Die Datei gibt es nicht."),
            ("Was macht der Parser?", "Er liest Zeilen und baut einen Baum."),
            ("Wie benenne ich einen Branch um?", "Mit `git branch -m`."),
        ] {
            assert!(!caught(goal, answer), "{goal}: {answer}");
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
