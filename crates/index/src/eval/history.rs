//! Questions out of a repository's own history: what a commit says it did asks for the notes that it
//! touched. Pure.
//!
//! Nobody judged them, so they compare two ways of searching, and say little of how good one is: a
//! subject may speak of something else than the notes that came along, and other notes answer it too.

use std::collections::HashMap;

use super::set::Question;
use crate::search::changes::lists_changes;
use elophanto_repo::{NotePath, Touching};

/// A commit that touches more notes was about none of them.
const MOST_NOTES: usize = 5;
/// A shorter subject asks for nothing, in words.
const LEAST_WORDS: usize = 3;
/// Words with which subjects begin that repeat others.
const REPEATS: &[&str] = &["merge", "revert", "reapply", "fixup!", "squash!", "amend!"];

/// A question for each commit that says what it did to a few notes that are still there; commits that
/// say the same ask once.
pub fn questions(commits: &[Touching], is_there: impl Fn(&NotePath) -> bool) -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for Touching { commit, subject, paths } in commits {
        let text = topic(subject);
        let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
        let notes: Vec<&NotePath> =
            paths.iter().filter(|path| !lists_changes(path.as_path()) && is_there(path)).collect();
        let is_one = text.split_whitespace().count() >= LEAST_WORDS
            && !REPEATS.contains(&first.as_str())
            && (1..=MOST_NOTES).contains(&notes.len());
        if !is_one {
            continue;
        }
        let at = *known.entry(text.to_lowercase()).or_insert_with(|| {
            let (id, text) = (commit.short(), text.to_owned());
            all.push(Question { id, text, relevant: HashMap::new() });
            all.len() - 1
        });
        all[at].relevant.extend(notes.into_iter().map(|path| (path.to_text(), 1.0)));
    }
    all
}

/// A subject without what says of which kind its commit is: `docs(search)!: ...`.
fn topic(subject: &str) -> &str {
    let is_kind = |head: &str| {
        !head.is_empty() && head.len() <= 40 && !head.trim_end().contains(char::is_whitespace)
    };
    match subject.split_once(": ") {
        Some((head, rest)) if is_kind(head) => rest.trim(),
        _ => subject.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(commits: &[(&str, &[&str])], expected: &[(&str, &[&str])]) {
        let commits: Vec<Touching> = commits
            .iter()
            .map(|(subject, paths)| Touching {
                commit: "0123456789abcdef0123456789abcdef01234567".parse().unwrap(),
                subject: (*subject).to_owned(),
                paths: paths.iter().map(|path| NotePath::from(*path)).collect(),
            })
            .collect();
        let found = questions(&commits, |path| !path.to_text().starts_with("gone"));
        let found: Vec<(String, Vec<String>)> = found
            .into_iter()
            .map(|question| {
                let mut paths: Vec<String> = question.relevant.into_keys().collect();
                paths.sort_unstable();
                (question.text, paths)
            })
            .collect();
        let expected: Vec<(String, Vec<String>)> = expected
            .iter()
            .map(|(text, paths)| {
                ((*text).to_owned(), paths.iter().map(|it| (*it).to_owned()).collect())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn commits_ask_for_what_they_touched() {
        check(
            &[
                ("Explain how otters sleep", &["otters.md", "src/main.rs", "gone.md"]),
                ("docs(sea): say what kelp is for", &["kelp.md", "CHANGELOG.md"]),
                ("explain how otters sleep", &["sleep.md"]),
            ],
            &[
                ("Explain how otters sleep", &["otters.md", "sleep.md", "src/main.rs"]),
                ("say what kelp is for", &["kelp.md"]),
            ],
        );
    }

    #[test]
    fn what_asks_for_nothing_is_left_out() {
        check(
            &[
                ("Merge branch 'otters' into main", &["a.md"]),
                ("Revert \"Explain how otters sleep\"", &["a.md"]),
                ("Typos", &["a.md"]),
                ("fix: typo again", &["a.md"]),
                ("Wrap all lines at 80", &["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"]),
                ("Explain what is gone", &["gone.md"]),
                ("List what is new", &["docs/CHANGELOG.md"]),
                ("Change nothing at all", &[]),
            ],
            &[],
        );
    }
}
