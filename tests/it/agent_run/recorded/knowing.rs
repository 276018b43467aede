//! A question that the notes answer.

use serde_json::json;

use super::{Recorded, nothing};
use crate::fake::script::{call, calls_of, text};

/// Answered from notes, with where each part of it stands.
pub(super) fn question() -> Recorded {
    Recorded {
        name: "question",
        goal: "How do we release, and who has to agree? Name the notes that say so.",
        files: &[
            (
                "knowledge/releases.md",
                "# Releases\n\nA release is a tag on `main`. Before it is set, the changelog gets a heading \
                 with the version, and the nightly build must be green for two days.\n\n## Who agrees\n\nTwo \
                 maintainers agree to a release, one of them from the team that runs the servers.\n",
            ),
            (
                "knowledge/nightly.md",
                "# Nightly build\n\nIt begins at two in the morning and runs all tests on three machines.\n",
            ),
            (
                "knowledge/maintainers.md",
                "# Maintainers\n\nAnn and Bo run the servers; Cleo and Dan write the program.\n",
            ),
            ("knowledge/lunch.md", "# Lunch\n\nThe kitchen is open from noon to two.\n"),
        ],
        before: nothing,
        steps: &["Search the notes about releases", "Read who agrees", "Answer"],
        tools: &["knowledge_search", "file_read"],
        replies: || {
            vec![
                call(
                    "knowledge_search",
                    json!({ "query": "how a release is made and who agrees" }),
                ),
                call("knowledge_search", json!({ "query": "maintainers who run the servers" })),
                calls_of(&[
                    ("file_read", json!({ "path": "knowledge/releases.md", "numbers": true })),
                    ("file_read", json!({ "path": "knowledge/maintainers.md", "numbers": true })),
                ]),
                text(
                    "A release is a tag on `main`, set after the changelog has a heading with the version \
                     and the nightly build was green for two days [knowledge/releases.md:3]. Two \
                     maintainers agree to it, one of them of those who run the servers \
                     [knowledge/releases.md:7]: Ann or Bo [knowledge/maintainers.md:3].",
                ),
            ]
        },
        lesson: None,
        tokens: 17_000,
        after: |_, told| {
            let answer = told.ended()["answer"].as_str().unwrap();
            assert!(answer.contains("[knowledge/releases.md:7]"), "{answer}");
            assert!(told.results()[0].contains("knowledge/releases.md"), "{}", told.output);
        },
        is_undone: false,
    }
}
