//! What is broken or old, mended.

use serde_json::json;

use super::{Recorded, nothing};
use crate::fake::script::{call, calls_of, says, shell, text};

const CALENDAR: &str = r#"# How long months are. Sourced by others.
is_leap() {
  [ $(( $1 % 4 )) -eq 0 ]
}
days_in() {
  case $2 in
    4|6|9|11) echo 30 ;;
    2) if is_leap "$1"; then echo 29; else echo 28; fi ;;
    *) echo 31 ;;
  esac
}
"#;
const NEXT: &str = r#"#!/bin/sh
# Prints the day after YEAR MONTH DAY.
. "$(dirname "$0")/lib/calendar.sh"
year=$1 month=$2 day=$(( $3 + 1 ))
if [ "$day" -gt "$(days_in "$year" "$month")" ]; then
  day=1 month=$(( month + 1 ))
fi
if [ "$month" -gt 12 ]; then
  month=1
fi
printf '%04d-%02d-%02d\n' "$year" "$month" "$day"
"#;
const NEXT_TEST: &str = r#"#!/bin/sh
failed=0
check() {
  found=$(sh next.sh $1)
  if [ "$found" != "$2" ]; then echo "after $1: expected $2, got $found"; failed=1; fi
}
check '2025 1 31' 2025-02-01
check '2024 2 28' 2024-02-29
check '1900 2 28' 1900-03-01
check '2000 2 28' 2000-02-29
check '2025 12 31' 2026-01-01
if [ "$failed" = 1 ]; then exit 1; fi
echo all tests passed
"#;

/// A test that fails, for two reasons.
pub(super) fn bug_hunt() -> Recorded {
    Recorded {
        name: "bug hunt",
        goal: "test.sh fails. Find out why, fix the cause and commit the fix.",
        files: &[("lib/calendar.sh", CALENDAR), ("next.sh", NEXT), ("test.sh", NEXT_TEST)],
        before: |bench| {
            bench.env.ok(&[
                "agent",
                "remember",
                "--type",
                "error",
                "--context",
                "leap years in date functions",
                "--lesson",
                "A century is a leap year only if 400 divides it: test 1900 and 2000.",
            ]);
            bench.env.commit("What was learnt");
        },
        steps: &["Run test.sh", "Read what it tests", "Fix the cause", "Run it again", "Commit"],
        tools: &["shell_execute", "file_read", "file_edit", "memory_recall", "git_commit"],
        replies: || {
            vec![
                shell("sh test.sh"),
                calls_of(&[
                    ("file_read", json!({ "path": "next.sh" })),
                    ("file_read", json!({ "path": "lib/calendar.sh" })),
                ]),
                says(
                    "1900 was no leap year. I look whether there is a lesson about that.",
                    "memory_recall",
                    json!({ "text": "leap years" }),
                ),
                call(
                    "file_edit",
                    json!({ "path": "lib/calendar.sh", "edits": [
                        { "old": "[ $(( $1 % 4 )) -eq 0 ]",
                          "new": "[ $(( $1 % 400 )) -eq 0 ] || { [ $(( $1 % 4 )) -eq 0 ] && \
                            [ $(( $1 % 100 )) -ne 0 ]; }" }] }),
                ),
                shell("sh test.sh"),
                says(
                    "February is right now. What is left is the end of the year: it never changes.",
                    "file_edit",
                    json!({ "path": "next.sh", "edits": [
                        { "old": "  month=1\n", "new": "  month=1 year=$(( year + 1 ))\n" }] }),
                ),
                shell("sh test.sh"),
                call(
                    "git_commit",
                    json!({ "message": "The day after is right in 1900 and at the end of a year",
                        "paths": ["lib/calendar.sh", "next.sh"] }),
                ),
                text(
                    "There were two causes, and `test.sh` passes now:\n\n- `is_leap` took every fourth \
                     year for a leap year, centuries too (`lib/calendar.sh`).\n- `next.sh` went back to \
                     January without going on to the next year.\n\nBoth are fixed in one commit.",
                ),
            ]
        },
        lesson: Some(
            "What counts months up must count the year up too: test the 31st of December.",
        ),
        tokens: 37_500,
        after: |bench, told| {
            let output = bench.env.sealed("sh").arg("test.sh").output().unwrap();
            assert!(output.status.success());
            assert!(bench.committed("next.sh").contains("year + 1"));
            assert!(told.results().iter().any(|it| it.contains("only if 400 divides it")));
        },
        is_undone: false,
    }
}

const LOCK: &str = r#"#!/bin/sh
# Writes deps.lock: each dependency with the checksum of its line.
while read -r name version; do
  printf '%s %s %s\n' "$name" "$version" "$(echo "$name-$version" | cksum | cut -d' ' -f1)"
done < deps.txt > deps.lock
"#;
const VERIFY: &str = r#"#!/bin/sh
# What is locked is what is asked for, and the changelog says so.
while read -r name version; do
  grep -q "^$name $version " deps.lock || { echo "$name $version is not locked"; exit 1; }
done < deps.txt
zlib=$(sed -n 's/^zlib //p' deps.txt)
grep -q "zlib.*$zlib" CHANGELOG.md || { echo "the changelog does not name zlib $zlib"; exit 1; }
echo all is locked
"#;
const DEPS_CHANGES: &str = "# Changelog\n\n## Unreleased\n\n- Exports are sorted by name.\n\n## 1.4.0\n\n- zlib \
                            is 1.3.\n";

/// A dependency with another version, its lock and a line about it.
pub(super) fn dependency() -> Recorded {
    Recorded {
        name: "dependency bump",
        goal: "Bump zlib to 1.3.1 (security fix), bring the lock up to date, add a line to the changelog \
               and commit.",
        files: &[
            ("deps.txt", "openssl 3.0.13\nzlib 1.3\n"),
            ("deps.lock", "openssl 3.0.13 3633641284\nzlib 1.3 1726559248\n"),
            ("lock.sh", LOCK),
            ("verify.sh", VERIFY),
            ("CHANGELOG.md", DEPS_CHANGES),
        ],
        before: nothing,
        steps: &["Find where zlib is named", "Bump it", "Lock it", "Changelog", "Verify", "Commit"],
        tools: &["file_search", "file_read", "file_edit", "shell_execute", "git_commit"],
        replies: || {
            let change = |old: &str| {
                json!({ "path": "CHANGELOG.md", "edits": [
                    { "old": old, "new": format!("{old}- zlib is 1.3.1, which fixes CVE-2023-45853.\n") }] })
            };
            vec![
                call("file_search", json!({ "pattern": "zlib" })),
                calls_of(&[
                    ("file_read", json!({ "path": "deps.txt" })),
                    ("file_read", json!({ "path": "lock.sh" })),
                    ("file_read", json!({ "path": "verify.sh" })),
                ]),
                call(
                    "file_edit",
                    json!({ "path": "deps.txt",
                        "edits": [{ "old": "zlib 1.3\n", "new": "zlib 1.3.1\n" }] }),
                ),
                shell("sh lock.sh && cat deps.lock"),
                call("file_edit", change("## [Unreleased]\n\n")),
                says(
                    "The heading is written otherwise; I read the file.",
                    "file_read",
                    json!({ "path": "CHANGELOG.md" }),
                ),
                call("file_edit", change("- Exports are sorted by name.\n")),
                shell("sh verify.sh"),
                call(
                    "git_commit",
                    json!({ "message": "Bump zlib to 1.3.1",
                        "paths": ["deps.txt", "deps.lock", "CHANGELOG.md"] }),
                ),
                text(
                    "zlib is 1.3.1: `deps.txt` asks for it, `lock.sh` has written `deps.lock` anew, the \
                     changelog names the fix, and `verify.sh` passes. It is committed.",
                ),
            ]
        },
        lesson: None,
        tokens: 42_000,
        after: |bench, _| {
            assert!(bench.committed("deps.lock").contains("zlib 1.3.1 "));
            assert!(bench.committed("CHANGELOG.md").contains("name.\n- zlib is 1.3.1, which"));
            assert_eq!(bench.env.git(&["log", "-1", "--format=%s"]), "Bump zlib to 1.3.1\n");
        },
        is_undone: true,
    }
}
