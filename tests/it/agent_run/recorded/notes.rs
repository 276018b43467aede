//! Notes: one is written, one is brought up to date, one moves.

use serde_json::json;

use super::{Recorded, nothing};
use crate::fake::script::{call, calls_of, says, shell, text};

const PLAIN: &str = "# 1. Notes are plain text\n\nStatus: accepted\n\nEverybody has an editor, and git shows what \
                     changed. A format of our own would need tools of our own.\n";
const FILES: &str = "# 2. Sessions are kept in files\n\nStatus: accepted\n\nA session is one file below \
                     `state/sessions`, as everything else is plain text \
                     ([[decisions/0001-plain-text.md]]). There are few, and nobody searches in them.\n";
const ARCHITECTURE: &str = "# Architecture\n\nThe server keeps sessions in files below `state/sessions`, see \
                            [[decisions/0002-sessions-in-files.md]]. Jobs come from a queue, and a worker takes \
                            one at a time.\n";
const DECISION: &str = "# 3. Sessions are kept in SQLite\n\nStatus: accepted\n\n## Context\n\nThere are ten \
                        thousand sessions by now, and the list of sessions reads every file. \
                        [[decisions/0002-sessions-in-files.md]] counted on few of them.\n\n## \
                        Decision\n\nSessions are rows of one SQLite file, `state/sessions.db`.\n\n## \
                        Consequences\n\nThe list is one query. Sessions are no longer plain text \
                        ([[decisions/0001-plain-text]]): they are no notes either.\n";
const LINKS: &str = "for link in $(grep -rhoE '\\[\\[[^]]+' knowledge | tr -d '['); do [ -f \"knowledge/$link\" ] || \
                     { echo \"dead: $link\"; exit 1; }; done; echo all links lead somewhere";

/// A decision is recorded, with links from and to what it changes.
pub(super) fn decision() -> Recorded {
    Recorded {
        name: "decision record",
        goal: "Record the decision that sessions are kept in SQLite from now on, because listing ten \
               thousand files is slow. It supersedes the old one. Link it where it belongs and commit.",
        files: &[
            ("knowledge/decisions/0001-plain-text.md", PLAIN),
            ("knowledge/decisions/0002-sessions-in-files.md", FILES),
            ("knowledge/architecture.md", ARCHITECTURE),
        ],
        before: nothing,
        steps: &[
            "Find the decision about sessions",
            "Write the new one in the same form",
            "Mark the old one and link both",
            "Check the links and commit",
        ],
        tools: &["knowledge_search", "file_read", "file_write", "file_edit", "git_commit"],
        replies: || {
            let dead = "([[decisions/0001-plain-text]])";
            vec![
                call("knowledge_search", json!({ "query": "where sessions are kept" })),
                calls_of(&[
                    (
                        "file_read",
                        json!({ "path": "knowledge/decisions/0002-sessions-in-files.md" }),
                    ),
                    ("file_read", json!({ "path": "knowledge/architecture.md" })),
                    ("file_list", json!({ "path": "knowledge/decisions" })),
                ]),
                call(
                    "file_write",
                    json!({ "path": "knowledge/decisions/0003-sessions-in-sqlite.md", "text": DECISION }),
                ),
                call(
                    "file_edit",
                    json!({ "path": "knowledge/decisions/0002-sessions-in-files.md", "edits": [
                        { "old": "Status: accepted",
                          "new": "Status: superseded by [[decisions/0003-sessions-in-sqlite.md]]" }] }),
                ),
                call(
                    "file_edit",
                    json!({ "path": "knowledge/architecture.md", "edits": [
                        { "old": "in files below `state/sessions`, see \
                            [[decisions/0002-sessions-in-files.md]]",
                          "new": "in `state/sessions.db`, see [[decisions/0003-sessions-in-sqlite.md]]" }] }),
                ),
                shell(LINKS),
                says(
                    "I forgot the ending of one of my links.",
                    "file_edit",
                    json!({ "path": "knowledge/decisions/0003-sessions-in-sqlite.md", "edits": [
                        { "old": dead, "new": "([[decisions/0001-plain-text.md]])" }] }),
                ),
                shell(LINKS),
                call(
                    "git_commit",
                    json!({ "message": "Decide to keep sessions in SQLite", "paths": ["knowledge"] }),
                ),
                text(
                    "The decision is `knowledge/decisions/0003-sessions-in-sqlite.md`. The one about \
                     files names it as its successor, the architecture page leads to it, and every link \
                     leads somewhere. It is committed.",
                ),
            ]
        },
        lesson: None,
        tokens: 44_000,
        after: |bench, _| {
            let written = bench.committed("knowledge/decisions/0003-sessions-in-sqlite.md");
            assert!(written.contains("0001-plain-text.md]]"), "{written}");
            let old = bench.committed("knowledge/decisions/0002-sessions-in-files.md");
            assert!(old.contains("superseded by [[decisions/0003-"), "{old}");
            assert!(bench.committed("knowledge/architecture.md").contains("sessions.db"));
            let found = bench.env.hits(&["sessions in SQLite"]);
            assert_eq!(found[0], "knowledge/decisions/0003-sessions-in-sqlite.md");
        },
        is_undone: true,
    }
}

const BACKUP: &str = r#"#!/bin/sh
# Copies a folder to another place.
usage() {
  echo 'usage: backup.sh [--keep N] [--quiet] --to FOLDER SOURCE'
  echo '  --keep N     copies that are kept, 7 if left out'
  echo '  --quiet      say nothing'
  echo '  --to FOLDER  where copies go'
}
case ${1:-} in --help) usage; exit 0 ;; esac
echo 'not here' >&2
exit 2
"#;
const BACKUP_PAGE: &str = "# Backups\n\n`backup.sh` copies a folder:\n\n    sh backup.sh --target FOLDER \
                           SOURCE\n\n| option | what it does |\n| --- | --- |\n| `--target FOLDER` | where copies \
                           go |\n| `--keep N` | copies that are kept, 3 if left out |\n";
const BACKUP_CHECK: &str = r#"#!/bin/sh
# The page about backups names the options that there are, and no others.
page=$(grep -o -- '--[a-z][a-z]*' docs/backup.md | sort -u)
real=$(sh backup.sh --help | grep -o -- '--[a-z][a-z]*' | sort -u)
if [ "$page" != "$real" ]; then echo "options of the page:" $page; echo "of the program:" $real; exit 1; fi
echo the page is right
"#;

/// A page that says what is no longer so.
pub(super) fn drifted_page() -> Recorded {
    Recorded {
        name: "drifted page",
        goal: "docs/backup.md does not fit backup.sh any more. Bring it up to date; check_docs.sh tells \
               whether it is. Don't commit.",
        files: &[
            ("backup.sh", BACKUP),
            ("docs/backup.md", BACKUP_PAGE),
            ("check_docs.sh", BACKUP_CHECK),
        ],
        before: nothing,
        steps: &[
            "Read the page and the script",
            "Compare",
            "Correct the page",
            "Run check_docs.sh",
        ],
        tools: &["file_read", "shell_execute", "file_edit", "git_diff"],
        replies: || {
            vec![
                calls_of(&[
                    ("file_read", json!({ "path": "docs/backup.md" })),
                    ("file_read", json!({ "path": "backup.sh" })),
                ]),
                shell("sh backup.sh --help"),
                says(
                    "`--target` is `--to` now, and seven copies are kept.",
                    "file_edit",
                    json!({ "path": "docs/backup.md", "edits": [
                        { "old": "--target", "new": "--to", "all": true },
                        { "old": "3 if left out", "new": "7 if left out" }] }),
                ),
                shell("sh check_docs.sh"),
                says(
                    "`--quiet` is missing.",
                    "file_edit",
                    json!({ "path": "docs/backup.md", "edits": [
                        { "old": "7 if left out |\n", "new": "7 if left out |\n| `--quiet` | say nothing |\n" }] }),
                ),
                shell("sh check_docs.sh"),
                call("git_diff", json!({})),
                text(
                    "`docs/backup.md` fits the program: `--target` is `--to`, seven copies are kept \
                     unless told otherwise, and `--quiet` is there. `check_docs.sh` passes. Nothing is \
                     committed.",
                ),
            ]
        },
        lesson: None,
        tokens: 33_500,
        after: |bench, told| {
            let page = String::from_utf8(bench.env.read("docs/backup.md")).unwrap();
            assert!(page.contains("`--to FOLDER`") && page.contains("`--quiet`"), "{page}");
            assert!(page.contains("7 if left out") && !page.contains("--target"), "{page}");
            assert_eq!(told.ended()["files"], json!(["docs/backup.md"]));
            assert_eq!(told.ended()["commits"], json!([]));
        },
        is_undone: true,
    }
}

const CHECK_LINKS: &str = r#"#!/bin/sh
# Every relative link of a page leads to a file.
failed=0
for page in README.md $(find docs -name '*.md' | sort); do
  for target in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//'); do
    if [ ! -f "$(dirname "$page")/$target" ]; then echo "$page: $target leads nowhere"; failed=1; fi
  done
done
if [ "$failed" = 1 ]; then exit 1; fi
echo all links lead somewhere
"#;

/// A page gets another place, and what leads to it is mended.
pub(super) fn moved_page() -> Recorded {
    Recorded {
        name: "moved page",
        goal: "Move docs/setup.md to docs/guide/install.md and mend every link; links.sh checks them. \
               Commit it.",
        files: &[
            ("README.md", "# Otter\n\nBegin with [the setup](docs/setup.md).\n"),
            ("docs/index.md", "# Pages\n\n- [Setup](setup.md)\n- [Questions](faq.md)\n"),
            ("docs/setup.md", "# Setup\n\nRun `make install`. All pages: [index](index.md).\n"),
            ("docs/faq.md", "# Questions\n\nIt does not start? See [setup](setup.md).\n"),
            ("links.sh", CHECK_LINKS),
        ],
        before: nothing,
        steps: &["Find the links", "Move the page", "Mend the links", "Run links.sh", "Commit"],
        tools: &["file_search", "file_move", "file_edit", "shell_execute", "git_commit"],
        replies: || {
            let edit = |path: &str, old: &str, new: &str| {
                call("file_edit", json!({ "path": path, "edits": [{ "old": old, "new": new }] }))
            };
            vec![
                call("file_search", json!({ "pattern": r"setup\.md" })),
                call(
                    "file_move",
                    json!({ "from": "docs/setup.md", "to": "docs/guide/install.md" }),
                ),
                edit("README.md", "docs/setup.md", "docs/guide/install.md"),
                edit("docs/index.md", "setup.md", "guide/install.md"),
                edit("docs/faq.md", "setup.md", "guide/install.md"),
                shell("sh links.sh"),
                says(
                    "The page has a link of its own, which is one folder deeper now.",
                    "file_edit",
                    json!({ "path": "docs/guide/install.md", "edits": [
                        { "old": "(index.md)", "new": "(../index.md)" }] }),
                ),
                shell("sh links.sh"),
                call(
                    "git_commit",
                    json!({ "message": "The setup is a page of the guide", "paths": ["README.md", "docs"] }),
                ),
                text(
                    "`docs/setup.md` is `docs/guide/install.md`. The links in `README.md`, \
                     `docs/index.md` and `docs/faq.md` lead there, the one in the page itself is mended, \
                     `links.sh` passes, and it is committed.",
                ),
            ]
        },
        lesson: Some("A page that moves to another folder has relative links of its own."),
        tokens: 40_500,
        after: |bench, _| {
            let moved = bench.committed("docs/guide/install.md");
            assert!(moved.contains("(../index.md)"), "{moved}");
            assert!(!bench.env.path("docs/setup.md").exists());
            assert_eq!(bench.env.git(&["status", "--porcelain", "--", "docs", "README.md"]), "");
            let output = bench.env.sealed("sh").arg("links.sh").output().unwrap();
            assert!(output.status.success());
        },
        is_undone: true,
    }
}
