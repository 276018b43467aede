//! Lists of changes: changelogs and release notes name everything once and explain little of it, so
//! they come after what says the same, unless a question is about a time or a version. Pure.

use std::path::Path;

use elophanto_base::lexical::MONTHS;

/// What a list of changes counts of what it would count otherwise.
pub const CHANGES: f32 = 0.9;
/// Names of files that list changes, in lower case, letters only.
const NAMES: &[&str] = &[
    "changelog", "changelogs", "changes", "history", "news", "releases", "releasenotes",
    "whatsnew", "releasehistory", "versionhistory",
];
/// Folders that hold an entry or a version each, as the names.
const FOLDERS: &[&str] = &["changelog", "changelogs", "releasenotes", "releases", "whatsnew"];
/// Words that ask for a version or a time by themselves.
const WORDS: &[&str] = &[
    "version", "versions", "changelog", "released", "introduced", "deprecated", "removed", "since",
    "latest", "newest", "recently", "recent", "dropped", "seit", "wann", "versionen", "neueste",
    "neuesten", "veröffentlicht", "eingeführt", "entfernt",
];
/// Pairs of words that do.
const PAIRS: &[(&str, &str)] = &[
    ("release", "notes"),
    ("release", "date"),
    ("which", "release"),
    ("last", "release"),
    ("what", "changed"),
    ("has", "changed"),
    ("have", "changed"),
    ("what", "new"),
    ("what's", "new"),
    ("whats", "new"),
    ("new", "in"),
    ("was", "neu"),
    ("when", "was"),
    ("when", "were"),
    ("when", "did"),
    ("when", "has"),
    ("when", "had"),
    ("when", "will"),
    ("how", "old"),
    ("was", "added"),
    ("were", "added"),
];

/// Words before a number that make it a year.
const BEFORE_A_YEAR: &[&str] = &[
    "in", "of", "since", "until", "before", "after", "from", "to", "by", "during", "im", "seit",
    "vor", "nach", "ab", "bis",
];

/// Whether a file lists changes, by its path: `CHANGELOG.md`, `docs/release-notes/1.2.md`.
pub fn lists_changes(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).map(letters).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    NAMES.contains(&stem.as_str())
        || ["changelog", "releasenotes"].iter().any(|name| stem.starts_with(name))
        || folder.is_some_and(|folder| FOLDERS.contains(&letters(folder).as_str()))
}

/// Whether a question is about when something was, or in which version.
pub fn asks_when(question: &str) -> bool {
    let lower = question.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower
        .split(|char: char| !char.is_alphanumeric() && !matches!(char, '.' | '\'' | '-'))
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let dates = |word| BEFORE_A_YEAR.contains(&word) || MONTHS.contains(&word);
    let pair = |pair: &[&str]| PAIRS.contains(&(pair[0], pair[1]));
    words.first() == Some(&"when")
        || words.iter().any(|word| WORDS.contains(word) || is_version(word))
        || words.first().is_some_and(|word| is_time(word))
        || words.windows(2).any(pair)
        || words.windows(2).any(|two| is_time(two[1]) && dates(two[0]))
}

/// `v2`, `1.2`, `v1.2.3-rc1`.
fn is_version(word: &str) -> bool {
    let bare = word.strip_prefix('v').unwrap_or(word);
    let number = bare.split('-').next().unwrap_or_default();
    let parts: Vec<&str> = number.split('.').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().all(digits) && (parts.len() > 1 || bare.len() < word.len())
}

/// `2026`, `2026-11-23`.
fn is_time(word: &str) -> bool {
    let year = word.split('-').next().unwrap_or_default();
    year.len() == 4
        && year.starts_with(['1', '2'])
        && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
        && matches!(year.get(..2), Some("19" | "20"))
}

fn letters(name: &str) -> String {
    name.chars().filter(|char| char.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_changes_are_told_by_their_paths() {
        for (path, expected) in [
            ("CHANGELOG.md", true),
            ("docs/changelog-2025.md", true),
            ("CHANGES.md", true),
            ("HISTORY.md", true),
            ("RELEASE_NOTES.md", true),
            ("docs/release-notes/1.2.md", true),
            ("docs/releases/v2.md", true),
            ("knowledge/system/changelog/2026-01-01-x.md", true),
            ("docs/whats-new.md", true),
            ("docs/changing-settings.md", false),
            ("docs/how-to-release.md", false),
            ("docs/history-of-art/monet.md", false),
            ("README.md", false),
        ] {
            assert_eq!(lists_changes(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn questions_about_times_and_versions_are_told_by_their_words() {
        for (question, expected) in [
            ("When was the cache added?", true),
            ("when did retries become the default", true),
            ("When is 2.0 due?", true),
            ("since which version is there a cache", true),
            ("in which release was --amend introduced", true),
            ("what changed in v3", true),
            ("what's new", true),
            ("What’s new in 1.4?", true),
            ("is the old format deprecated?", true),
            ("which flags were removed", true),
            ("release notes", true),
            ("what happened in 2025", true),
            ("changes of 2026-11-23", true),
            ("seit wann gibt es den Cache", true),
            ("was ist neu in der neuesten Version", true),
            ("upgrade to v2", true),
            ("how do I change the port", false),
            ("what happens when the index is damaged", false),
            ("how do I roll back a release", false),
            ("where is the cache", false),
            ("git history of a note", false),
            ("add a new note", false),
            ("status 404", false),
            ("limit of 5 retries", false),
            ("1024 bytes", false),
            ("", false),
        ] {
            assert_eq!(asks_when(question), expected, "{question}");
        }
    }
}
