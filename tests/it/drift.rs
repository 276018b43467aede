//! Drift: what a note covers changed after the note.

use serde_json::{Value, json};

use crate::env::{TestEnv, finish, snapshot};

const NOTE: &str =
    "---\ncovers: [src/pond.rs, lib]\n---\n# Herons\n\nA heron stands in the pond.\n";

/// Commits everything with this message on a day of January 2026.
fn commit_on(env: &TestEnv, day: u8, message: &str) {
    env.git(&["add", "--all"]);
    let mut git = env.sealed("git");
    git.args(["commit", "--quiet", "--allow-empty", "-m", message]);
    for name in ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"] {
        git.env(name, format!("2026-01-{day:02}T12:00:00Z"));
    }
    let output = finish(&mut git);
    assert_eq!(output.code, Some(0), "{output}");
}

/// A note, what it covers, and what it does not.
fn pond() -> TestEnv {
    let env = TestEnv::with(&[
        ("docs/heron.md", NOTE),
        ("src/pond.rs", "1"),
        ("src/other.rs", "1"),
        ("lib/deep/reed.rs", "1"),
    ]);
    commit_on(&env, 1, "all");
    env
}

/// How many commits `search --json` says.
fn drifted(env: &TestEnv) -> u64 {
    let hits = env.json(&["search", "--json", "heron"]);
    assert_eq!(hits.len(), 1);
    hits[0]["drifted"]["commits"].as_u64().unwrap_or(0)
}

#[test]
fn hits_carry_the_warning() {
    let env = pond();
    env.write("src/other.rs", "2");
    commit_on(&env, 2, "beside the point");
    assert_eq!(drifted(&env), 0);
    env.write("src/pond.rs", "2");
    commit_on(&env, 3, "deepen the pond");
    env.write("lib/deep/reed.rs", "2");
    commit_on(&env, 4, "\x1b[2Jcut the\u{202e} reed");
    snapshot!(env.run(&["search", "heron"]), @"
    exit: 0
    --- stdout
    docs/heron.md:6  Herons
        A heron stands in the pond.
        ! drifted: 2 commits to what it covers since 2026-01-01, latest [COMMIT] ␛[2Jcut the<U+202E> reed
    --- stderr
    ");
    snapshot!(env.run(&["search", "heron", "--format", "markdown"]), @"
    exit: 0
    --- stdout
    **[docs/heron.md:6](docs/heron.md#L6)** Herons

    > A heron stands in the pond.

    drifted: 2 commits to what it covers since 2026-01-01, latest [COMMIT] ␛[2Jcut the<U+202E> reed
    --- stderr
    ");
    snapshot!(env.run(&["search", "heron", "--format", "vimgrep"]), @"
    exit: 0
    --- stdout
    docs/heron.md:6:3:A heron stands in the pond.
    --- stderr
    ");
    let hits = env.json(&["search", "--json", "heron"]);
    let mut told = hits[0]["drifted"].clone();
    assert_eq!(told["latest"][0]["subject"].take(), "\x1b[2Jcut the\u{202e} reed");
    snapshot!(serde_json::to_string_pretty(&told).unwrap(), @r#"
    {
      "commits": 2,
      "latest": [
        {
          "commit": "[BLOB]",
          "date": "[TIME]",
          "subject": null
        },
        {
          "commit": "[BLOB]",
          "date": "[TIME]",
          "subject": "deepen the pond"
        }
      ]
    }
    "#);
    // Whoever edits the note has looked after it.
    env.write("docs/heron.md", NOTE.replace("stands", "fishes"));
    assert_eq!(drifted(&env), 0);
    commit_on(&env, 5, "the note");
    assert_eq!(drifted(&env), 0);
    env.remove("src/pond.rs");
    commit_on(&env, 6, "no pond");
    assert_eq!(drifted(&env), 1);
}

/// An answer that quotes such a note says so.
#[test]
fn answers_carry_the_warning() {
    let env = pond();
    env.write("src/pond.rs", "2");
    commit_on(&env, 3, "deepen the pond");
    let question = "where does a heron stand";
    let reply = env.json(&["search", "--answer", "--json", question]);
    assert_eq!(reply[0]["citations"][0]["path"], "docs/heron.md", "{reply:?}");
    assert_eq!(reply[0]["drifted"][0]["path"], "docs/heron.md", "{reply:?}");
    assert_eq!(reply[0]["drifted"][0]["commits"], 1, "{reply:?}");
    let said = env.ok(&["search", "--answer", question]).stdout();
    assert!(said.contains("\n    ! drifted: 1 commit to what it covers since"), "{said}");
}

/// Whoever asks through the server is told as well, however little room there is.
#[test]
fn servers_carry_the_warning() {
    let env = pond();
    env.write("src/pond.rs", "2");
    commit_on(&env, 3, "deepen the pond");
    let call = |id: u64, tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let input = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "search", json!({"query": "heron"})),
        call(2, "search", json!({"query": "heron", "max_tokens": 70})),
        call(3, "get", json!({"path": "docs/heron.md"})),
        call(4, "get", json!({"path": "docs/heron.md", "max_tokens": 100})),
    ];
    let lines: String = input.iter().map(|message| format!("{message}\n")).collect();
    let answers = env.run_with(&["agent", "mcp", "serve"], lines.as_bytes()).json();
    for answer in answers.iter().filter(|answer| answer["id"] != 0) {
        let (text, data) =
            (&answer["result"]["content"][0]["text"], &answer["result"]["structuredContent"]);
        let told = if data["hits"].is_array() { &data["hits"][0] } else { data };
        assert_eq!(told["drifted"]["commits"], 1, "{answer}");
        let text = text.as_str().unwrap();
        assert!(text.contains("[drifted: 1 later commit to what it covers]"), "{answer}");
    }
    assert_eq!(answers.len(), 5);
    let short = env.json(&["search", "--json", "--max-tokens", "70", "heron"]);
    assert_eq!(short[0]["drifted"]["commits"], 1, "{short:?}");
}

#[test]
fn doctor_lists_what_has_drifted() {
    let env = pond();
    env.ok(&["index"]);
    env.write("docs/eel.md", "---\ncovers: src/other.rs\n---\n# Eels\n\nAn eel crosses the sea.\n");
    env.ok(&["index"]);
    commit_on(&env, 2, "eels");
    snapshot!(env.run(&["doctor"]).stdout().lines().last().unwrap(), @"nothing is wrong");
    env.write("src/other.rs", "2");
    commit_on(&env, 3, "other");
    for number in 1..=7 {
        env.write("src/pond.rs", format!("pond {number}"));
        commit_on(&env, 10 + number, &format!("pond {number}"));
    }
    let output = env.run(&["doctor"]);
    assert_eq!(output.code, Some(1));
    let stdout = output.stdout();
    snapshot!(&stdout[stdout.find("! ").unwrap()..], @"
    ! docs/eel.md: drifted: 1 commit to what it covers since 2026-01-02, latest [COMMIT] other
      mend: compare the note with what it covers, correct it or set `updated:`, and commit it
    ! docs/heron.md: drifted: 7 commits to what it covers since 2026-01-01
        [COMMIT] 2026-01-17 pond 7
        [COMMIT] 2026-01-16 pond 6
        [COMMIT] 2026-01-15 pond 5
        [COMMIT] 2026-01-14 pond 4
        [COMMIT] 2026-01-13 pond 3
        and 2 before
      mend: compare the note with what it covers, correct it or set `updated:`, and commit it
    ");
    let findings = env.json(&["doctor", "--json"]);
    assert_eq!(findings[0]["drifted"], 2);
    assert_eq!(findings.len(), 3);
}

#[test]
fn a_pattern_is_data() {
    for (pattern, expected) in [
        ("'**/*.rs'", 1),
        ("'src/*'", 1),
        ("src", 1),
        ("./src/", 1),
        ("'.'", 1),
        ("/", 1),
        ("'*.rs'", 0),
        ("docs", 0),
        ("nowhere", 0),
        ("'--output=canary'", 0),
        ("'-p'", 0),
        ("':(exclude)src/pond.rs'", 0),
        ("':(attr:x)'", 0),
        ("':!src'", 0),
        ("':/'", 0),
        ("../repo/src", 0),
        ("'src/../../x'", 0),
        ("\"src\\0\"", 0),
        ("'['", 0),
        ("'src\\'", 0),
        ("\"\\n\"", 0),
        ("['../x', ':(bad', src]", 1),
    ] {
        let note = format!("---\ncovers: {pattern}\n---\n# Heron\n\nIt stands.\n");
        let env = TestEnv::with(&[("docs/heron.md", note.as_str()), ("src/pond.rs", "1")]);
        commit_on(&env, 1, "all");
        env.write("src/pond.rs", "2");
        env.write(".elophanto/note.txt", "ours");
        commit_on(&env, 2, "pond");
        assert_eq!(drifted(&env), expected, "{pattern}");
        assert!(!env.path("canary").exists());
    }
}

#[test]
fn only_what_is_not_ours_counts() {
    let env = TestEnv::with(&[
        ("docs/heron.md", "---\ncovers: .\n---\n# Heron\n\nIt stands.\n"),
        ("src/pond.rs", "1"),
    ]);
    commit_on(&env, 1, "all");
    env.ok(&["index"]);
    commit_on(&env, 2, "the index");
    assert_eq!(drifted(&env), 0);
    env.write("src/pond.rs", "2");
    commit_on(&env, 3, "pond");
    assert_eq!(drifted(&env), 1);
}

#[test]
fn a_renamed_note_has_not_been_looked_after() {
    let env = pond();
    env.write("src/pond.rs", "2");
    commit_on(&env, 2, "pond");
    env.rename("docs/heron.md", "docs/bird.md");
    commit_on(&env, 3, "rename");
    assert_eq!(drifted(&env), 1);
}

#[test]
fn git_is_asked_once_for_each_head() {
    let env = pond();
    env.write("src/pond.rs", "2");
    commit_on(&env, 2, "pond");
    assert_eq!(drifted(&env), 1);
    let without_git = || {
        let mut search = env.command(&["search", "--json", "heron"]);
        let output = finish(search.env("PATH", "/nonexistent"));
        output.json()[0]["drifted"]["commits"].as_u64()
    };
    assert_eq!(without_git(), Some(1));
    let memory = env.path(".git/elophanto/drift");
    let whole = std::fs::read(&memory).unwrap();
    // What is damaged is asked for again.
    for bytes in [&whole[..whole.len() / 2], b"", &[0xff; 4096]] {
        std::fs::write(&memory, bytes).unwrap();
        assert_eq!(without_git(), None);
        assert_eq!(drifted(&env), 1);
    }
    env.write("lib/deep/reed.rs", "2");
    commit_on(&env, 3, "reed");
    assert_eq!(drifted(&env), 2, "of another HEAD nothing is known");
}

#[test]
fn without_commits_there_is_no_drift() {
    let env = TestEnv::with(&[("docs/heron.md", NOTE), ("src/pond.rs", "1")]);
    assert_eq!(drifted(&env), 0);
    let plain = TestEnv::plain();
    plain.write(".elophanto/config.yaml", "");
    plain.write("docs/heron.md", NOTE);
    assert_eq!(drifted(&plain), 0);
}
