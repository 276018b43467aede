//! Nothing is changed: a review, and what a log says.

use serde_json::json;

use super::Recorded;
use crate::{
    agent_run::Bench,
    fake::script::{call, calls_of, says, shell, text},
};

const CACHE: &str = r#"#!/bin/sh
# A cache of answers in files.
folder=${CACHE_FOLDER:-.cache}
get() { cat "$folder/$1" 2>/dev/null; }
"#;
const CACHE_NOW: &str = r#"#!/bin/sh
# A cache of answers in files.
folder=${CACHE_FOLDER:-.cache}
get() { cat "$folder/$1" 2>/dev/null; }
put() { mkdir -p $folder; echo "$2" > $folder/$1; }
clear() { rm -rf $folder/*; }
"#;

/// The last commit is reviewed.
pub(super) fn review() -> Recorded {
    Recorded {
        name: "review",
        goal: "Review the last commit: what is wrong with it, worst first, with lines?",
        files: &[
            ("cache.sh", CACHE),
            (
                "fetch.sh",
                "#!/bin/sh\n. ./cache.sh\nget \"$1\" || { answer=$(curl -s \"$1\"); put \"$1\" \"$answer\"; }\n",
            ),
        ],
        before: |bench| {
            bench.env.write("cache.sh", CACHE_NOW);
            bench.env.commit("The cache can be filled and emptied");
        },
        steps: &["See the commit", "Read the file and its callers", "Say what is wrong"],
        tools: &["git_log", "git_diff", "file_read", "file_search"],
        replies: || {
            vec![
                call("git_log", json!({ "max": 1, "files": true, "messages": true })),
                call("git_diff", json!({ "from": "HEAD~1", "to": "HEAD" })),
                calls_of(&[
                    ("file_read", json!({ "path": "cache.sh", "numbers": true })),
                    (
                        "file_search",
                        json!({ "pattern": "\\b(get|put|clear)\\b", "globs": ["*.sh"] }),
                    ),
                ]),
                text(
                    "1. **`clear` may remove the wrong files** (`cache.sh:6`): `$folder` is not quoted, so a \
                     folder with a blank in its name is two arguments of `rm -rf`; write \
                     `rm -rf \"${folder:?}\"/*`.\n2. **`put` writes beside the cache** (`cache.sh:5`): \
                     `fetch.sh:3` gives it a URL as its key, whose slashes are folders that do not exist. \
                     Hash the key.\n3. **`echo` changes answers** (`cache.sh:5`): one that is `-n` is lost; \
                     `printf '%s\\n'` keeps it.\n4. `clear` is a usual program: another name would not hide \
                     it.",
                ),
            ]
        },
        lesson: None,
        tokens: 17_500,
        after: |_, told| {
            let answer = told.ended()["answer"].as_str().unwrap();
            assert!(answer.contains("cache.sh:6"), "{answer}");
            assert!(told.results()[1].contains("+clear()"), "{}", told.output);
        },
        is_undone: false,
    }
}

/// A server's log of an hour: every eighth request fails, those to `db-2` from 10:40 on.
fn hour() -> String {
    let line = |minute: usize| {
        let (host, level, what) = match minute {
            40.. if minute.is_multiple_of(2) => ("db-2", "ERROR", "timeout after 5000 ms"),
            _ if minute % 16 == 7 => ("db-1", "ERROR", "deadlock, tried again"),
            _ => (["db-1", "db-2"][minute % 2], "INFO", "query took 12 ms"),
        };
        format!("2026-03-02 10:{minute:02}:31 {level} {host} {what}\n")
    };
    (0..60).map(line).collect()
}

fn put_log(bench: &Bench) {
    bench.env.write("logs/server.log", hour());
    bench.env.commit("The log of an hour");
}

/// A log is looked through with a shell's tools.
pub(super) fn log() -> Recorded {
    Recorded {
        name: "log analysis",
        goal: "Since when does logs/server.log show database errors, on which host, and of what kind?",
        files: &[("README.md", "# Logs of the server\n")],
        before: put_log,
        steps: &["See how lines look", "Count errors by host and kind", "Find when they began"],
        tools: &["shell_execute"],
        replies: || {
            vec![
                shell("wc -l logs/server.log && head -n 3 logs/server.log"),
                shell(
                    "grep ' ERROR ' logs/server.log | cut -d' ' -f4- | sort | uniq -c | sort -rn",
                ),
                shell("grep 'ERROR db-2' logs/server.log | cut -c12-16 | head -n 1"),
                says(
                    "Now whether db-2 still answers at times.",
                    "shell_execute",
                    json!({ "command": "grep ' db-2 ' logs/server.log | awk '$2 >= \"10:40\" { n[$3]++ } END \
                        { for (level in n) print level, n[level] }'" }),
                ),
                text(
                    "- **db-2, since 10:40**: ten times `timeout after 5000 ms`, every second minute; in \
                     between it answers.\n- **db-1**, all the time: a deadlock every sixteen minutes that \
                     was tried again with success.\n\nThe timeouts are the problem; they begin at 10:40.",
                ),
            ]
        },
        lesson: None,
        tokens: 13_000,
        after: |_, told| {
            let results = told.results();
            assert!(results[1].contains("10 db-2 timeout after 5000 ms"), "{}", results[1]);
            assert!(results[2].contains("10:40"), "{}", results[2]);
        },
        is_undone: false,
    }
}
