//! Code that gets another form, or does more.

use serde_json::json;

use super::{Recorded, nothing};
use crate::fake::script::{call, calls_of, says, shell, text};

const SLUG: &str = "slug() {\n  printf '%s' \"$1\" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-'\n}\n";
const SOURCED: &str = ". \"$(dirname \"$0\")/../lib/text.sh\"\n";
const NEW: &str = "#!/bin/sh\n# Makes a post of its title.\nset -eu\nslug() {\n  printf '%s' \"$1\" | tr 'A-Z ' \
                   'a-z-' | tr -cd 'a-z0-9-'\n}\nfile=\"posts/$(slug \"$1\").md\"\nprintf '# %s\\n' \"$1\" \
                   > \"$file\"\necho \"$file\"\n";
const LINK: &str = "#!/bin/sh\n# A link to a post, by its title.\nslug() {\n  printf '%s' \"$1\" | tr 'A-Z ' \
                    'a-z-' | tr -cd 'a-z0-9-'\n}\necho \"[$1](posts/$(slug \"$1\").md)\"\n";
const TAG: &str = "#!/bin/sh\n# The page of a tag.\nslug() {\n  printf '%s' \"$1\" | tr 'A-Z ' 'a-z-' | tr \
                   -cd 'a-z0-9-'\n}\necho \"tags/$(slug \"$1\").html\"\n";
/// Written in another way, so that the search for the others misses it.
const FEED: &str = "#!/bin/sh\n# The entry of a post in the feed.\nslug ()\n{\n  echo \"$1\" | tr 'A-Z ' 'a-z-' \
                    | tr -cd 'a-z0-9-'\n}\necho \"<link>https://example.org/$(slug \"$1\")</link>\"\n";
const CHECK: &str = r#"#!/bin/sh
# No script has a slug function of its own, and all of them agree on what one is.
own=$(grep -lE '^slug *\(\)' bin/*.sh)
if [ -n "$own" ]; then echo "a slug function of its own: $own"; exit 1; fi
same() { if [ "$1" != "$2" ]; then echo "expected $2, got $1"; exit 1; fi; }
same "$(sh bin/link.sh 'Two Otters!')" '[Two Otters!](posts/two-otters.md)'
same "$(sh bin/tag.sh 'Sea Life')" 'tags/sea-life.html'
same "$(sh bin/feed.sh 'Sea Life')" '<link>https://example.org/sea-life</link>'
echo all checks passed
"#;

/// A function that four scripts have a copy of.
pub(super) fn refactoring() -> Recorded {
    Recorded {
        name: "refactoring",
        goal: "The slug function is copied in our scripts below bin. Move it to lib/text.sh, use it from \
               there, and commit when check.sh passes.",
        files: &[
            ("bin/new.sh", NEW),
            ("bin/link.sh", LINK),
            ("bin/tag.sh", TAG),
            ("bin/feed.sh", FEED),
            ("check.sh", CHECK),
            ("posts/.keep", ""),
        ],
        before: nothing,
        steps: &[
            "Find all copies of slug",
            "Write lib/text.sh",
            "Source it in each script instead of the copy",
            "Run check.sh",
            "Commit",
        ],
        tools: &[
            "file_search", "file_read", "file_write", "file_edit", "shell_execute", "git_commit",
        ],
        replies: || {
            let edit =
                |path: &str| json!({ "path": path, "edits": [{ "old": SLUG, "new": SOURCED }] });
            let own = FEED.split_inclusive('\n').skip(2).take(4).collect::<String>();
            let feed = json!({ "path": "bin/feed.sh", "edits": [{ "old": own, "new": SOURCED }] });
            let library =
                format!("# What scripts do with text. Sourced by those below bin.\n\n{SLUG}");
            vec![
                says(
                    "I look for the copies first.",
                    "file_search",
                    json!({ "pattern": r"slug\(\)", "path": "bin" }),
                ),
                calls_of(&[
                    ("file_read", json!({ "path": "bin/new.sh" })),
                    ("file_read", json!({ "path": "bin/link.sh" })),
                    ("file_read", json!({ "path": "bin/tag.sh" })),
                    ("file_read", json!({ "path": "check.sh" })),
                ]),
                says(
                    "The three copies are the same, so the function goes as it is.",
                    "file_write",
                    json!({ "path": "lib/text.sh", "text": library }),
                ),
                call("file_edit", edit("bin/new.sh")),
                call("file_edit", edit("bin/link.sh")),
                call("file_edit", edit("bin/tag.sh")),
                says(
                    "As expected. Now the check.",
                    "shell_execute",
                    json!({ "command": "sh check.sh" }),
                ),
                says(
                    "There is a fourth copy, written with a blank, which my search has missed.",
                    "file_read",
                    json!({ "path": "bin/feed.sh" }),
                ),
                call("file_edit", feed),
                shell("sh check.sh"),
                says(
                    "It passes.",
                    "git_commit",
                    json!({ "message": "One slug function for all scripts\n\nThe copies differed in \
                        how they printed their argument.", "paths": ["lib/text.sh", "bin"] }),
                ),
                text(
                    "`slug` is in `lib/text.sh` now and sourced by `new.sh`, `link.sh`, `tag.sh` and \
                     `feed.sh`. `check.sh` passes, and it is committed.\n\nThe copy in `feed.sh` used \
                     `echo` instead of `printf`: a title that begins with `-n` came out wrong there.",
                ),
            ]
        },
        lesson: Some(
            "Functions of shell scripts may be written `name ()`: search with ` *` before the \
                      parentheses.",
        ),
        tokens: 52_000,
        after: |bench, told| {
            for script in ["new", "link", "tag", "feed"] {
                let text = bench.committed(&format!("bin/{script}.sh"));
                assert!(text.contains(SOURCED) && !text.contains("tr -cd"), "{text}");
            }
            assert!(bench.committed("lib/text.sh").ends_with(SLUG));
            assert_eq!(bench.env.git(&["status", "--porcelain", "--", "bin", "lib"]), "");
            assert_eq!(told.ended()["commits"].as_array().unwrap().len(), 1);
        },
        is_undone: true,
    }
}

const WORDS: &str = r#"#!/bin/sh
# Counts the words of a file, the most frequent first.
# usage: words.sh FILE
set -eu
tr -cs 'A-Za-z' '\n' < "$1" | tr 'A-Z' 'a-z' | sort | uniq -c | sort -k1,1nr -k2 |
  awk '{ print $2, $1 }'
"#;
const WORDS_TEST: &str = r#"#!/bin/sh
same() { if [ "$1" != "$2" ]; then echo "expected $2, got $1"; exit 1; fi; }
same "$(sh tools/words.sh tests/otters.txt | head -n 1)" 'the 3'
echo all tests passed
"#;
const WORDS_PAGE: &str = "# words.sh\n\nCounts the words of a file, the most frequent first:\n\n    \
                          sh tools/words.sh FILE\n";

/// An option, with a test and a line in the documentation.
pub(super) fn feature() -> Recorded {
    Recorded {
        name: "feature",
        goal: "words.sh needs an option --top N that prints only the N most frequent words, with a test \
               and a line in its docs. Commit it.",
        files: &[
            ("tools/words.sh", WORDS),
            ("tests/words.sh", WORDS_TEST),
            ("tests/otters.txt", "the otter and the heron and the dipper\n"),
            ("docs/words.md", WORDS_PAGE),
        ],
        before: nothing,
        steps: &[
            "Read words.sh and its test",
            "Add the option",
            "Test it",
            "Document it",
            "Commit",
        ],
        tools: &["file_read", "file_list", "file_edit", "shell_execute", "git_commit"],
        replies: || {
            let option = "top=\nif [ \"${1:-}\" = --top ]; then top=$2; shift; fi\n";
            let test = "same \"$(sh tools/words.sh --top 2 tests/otters.txt | tr '\\n' ' ')\" \
                        'the 3 and 2 '\n";
            vec![
                call("file_read", json!({ "path": "words.sh" })),
                says("It is not at the top; I look where it is.", "file_list", json!({})),
                calls_of(&[
                    ("file_read", json!({ "path": "tools/words.sh" })),
                    ("file_read", json!({ "path": "tests/words.sh" })),
                    ("file_read", json!({ "path": "docs/words.md" })),
                ]),
                call(
                    "file_edit",
                    json!({ "path": "tests/words.sh", "edits": [{ "old": "echo all tests passed",
                        "new": format!("{test}echo all tests passed") }] }),
                ),
                call(
                    "file_edit",
                    json!({ "path": "tools/words.sh", "edits": [
                        { "old": "# usage: words.sh FILE\nset -eu\n",
                          "new": format!("# usage: words.sh [--top N] FILE\nset -eu\n{option}") },
                        { "old": "print $2, $1 }'\n",
                          "new": "print $2, $1 }' | if [ -n \"$top\" ]; then head -n \"$top\"; else cat; fi\n" },
                    ] }),
                ),
                shell("sh tests/words.sh"),
                says(
                    "`shift` drops only `--top`, so N was taken for the file.",
                    "file_edit",
                    json!({ "path": "tools/words.sh", "edits": [
                        { "old": "top=$2; shift; fi", "new": "top=$2; shift 2; fi" }] }),
                ),
                shell("sh tests/words.sh"),
                call(
                    "file_edit",
                    json!({ "path": "docs/words.md", "edits": [
                        { "old": "    sh tools/words.sh FILE\n",
                          "new": "    sh tools/words.sh [--top N] FILE\n\n`--top N` prints only the N \
                            most frequent ones.\n" }] }),
                ),
                call(
                    "git_commit",
                    json!({ "message": "words.sh --top N prints the most frequent words only",
                        "paths": ["tools/words.sh", "tests/words.sh", "docs/words.md"] }),
                ),
                text(
                    "`words.sh --top N FILE` prints the N most frequent words. There is a test for it, \
                     which passes, a line in `docs/words.md`, and a commit.",
                ),
            ]
        },
        lesson: None,
        tokens: 34_000,
        after: |bench, _| {
            let output = bench.env.sealed("sh").arg("tests/words.sh").output().unwrap();
            assert!(output.status.success());
            assert!(bench.committed("tools/words.sh").contains("shift 2"));
            assert!(bench.committed("tests/words.sh").contains("--top 2"));
            assert!(bench.committed("docs/words.md").contains("--top N"));
        },
        is_undone: false,
    }
}
