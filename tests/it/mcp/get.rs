//! What can be read: notes, as they are, and nothing else.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{Session, harbour, text};
use crate::env::TestEnv;

#[test]
fn nothing_but_notes_is_read() {
    let env = harbour();
    let secret = "hunter2-quagga";
    env.write(".env", format!("KEY={secret}\n"));
    env.write(".git/secret.md", format!("# {secret}\n"));
    env.write("ignored/x.md", format!("# {secret}\n"));
    env.write(".gitignore", "ignored/\n");
    env.write("data.csv", format!("{secret}\n"));
    fs::write(env.outside().join("out.md"), format!("# {secret}\n")).unwrap();
    symlink(env.outside().join("out.md"), env.path("docs/link.md")).unwrap();
    symlink(env.outside(), env.path("docs/up")).unwrap();
    let mut session = Session::start(&env);
    for path in [
        ".env",
        ".git/config",
        ".git/secret.md",
        ".elophanto/config.yaml",
        "ignored/x.md",
        "data.csv",
        "docs",
        "docs/link.md",
        "docs/up/out.md",
        "docs/up/repo/docs/rules.md",
        "docs/rules.md/",
        "docs//rules.md",
        "docs/./rules.md",
        "docs/../docs/rules.md",
        "../out.md",
        "/etc/passwd",
        "docs\\rules.md",
        "docs/rules.md\u{0}",
        "%2e%2e/out.md",
        "DOCS/RULES.MD",
    ] {
        let said = session.refusal("get", json!({"path": path}));
        assert!(!said.contains(secret), "{path}: {said}");
        for uri in [
            format!("elophanto://note/{path}"),
            format!("elophanto://note/{}", path.replace('/', "%2F")),
            format!("file://{}/{path}", env.root().display()),
        ] {
            let answer = session.ask("resources/read", json!({"uri": uri}));
            // In a URI the percent signs are taken as what they stand for, once.
            assert_eq!(answer["error"]["data"]["uri"], uri.as_str(), "{answer}");
        }
        assert!(!session.call("similar", json!({"path": path})).to_string().contains(secret));
    }
    for query in [secret, "hunter2"] {
        assert_eq!(session.found("search", json!({"query": query}))["hits"], json!([]));
    }
}

#[test]
fn other_encodings_are_decoded() {
    let env = TestEnv::new();
    let said = "# Früh\n\nDer Käse ist früh am Morgen im Hafen zu haben\n";
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(said.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let latin1: Vec<u8> = said.chars().map(|char| u8::try_from(u32::from(char)).unwrap()).collect();
    env.write("utf16.md", utf16);
    env.write("latin1.md", latin1);
    let mut session = Session::start(&env);
    for path in ["utf16.md", "latin1.md"] {
        let found = session.found("get", json!({"path": path}));
        assert_eq!((&found["text"], &found["title"]), (&json!(said), &json!("Früh")), "{found}");
        let read =
            session.ask("resources/read", json!({"uri": format!("elophanto://note/{path}")}));
        let read = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(read.ends_with(said), "{read}");
    }
}

/// What does not fit goes on where the answer says, and nothing is lost or shown twice.
#[test]
fn a_long_note_is_read_in_parts() {
    let env = TestEnv::new();
    let line = |n: usize| format!("Line {n} of the \"log\" goes on: {}.\n", "tide ".repeat(n % 7));
    let said: String = (0..400).map(line).collect();
    env.write("log.md", format!("# Log\n\n{said}"));
    env.commit("log");
    let mut session = Session::start(&env);
    let (mut whole, mut first, mut parts) = (String::new(), 1, 0);
    loop {
        let wanted =
            json!({"path": "log.md", "lines": format!("{first}-999999"), "max_tokens": 500});
        let result = session.call("get", wanted);
        let part = &result["structuredContent"];
        assert!(part["cut"].is_null(), "{part}");
        assert_eq!(part["lines"][0], first);
        assert_eq!(part["origin"]["author"], "A", "{part}");
        let last = part["lines"][1].as_u64().unwrap();
        let body = part["text"].as_str().unwrap();
        assert_eq!(body.lines().count() as u64, last - first + 1);
        whole.push_str(body);
        parts += 1;
        if part["truncated"] == false {
            assert!(!text(&result).contains("it goes on"));
            break;
        }
        first = last + 1;
        let told = format!("[it goes on; ask for `lines` {first}-402]");
        assert!(text(&result).ends_with(&told), "{}", text(&result));
    }
    assert_eq!(whole.as_bytes(), env.read("log.md"));
    assert!(parts > 5, "{parts}");
    // One line that is longer than all that may be said.
    env.write("line.md", "word ".repeat(5000));
    let result = session.call("get", json!({"path": "line.md", "max_tokens": 100}));
    let part = &result["structuredContent"];
    assert_eq!(part["cut"], true, "{part}");
    assert!(part["text"].as_str().unwrap().starts_with("word word"), "{part}");
}

#[test]
fn where_a_text_comes_from_is_told() {
    let env = harbour();
    let mut session = Session::start(&env);
    let mut origin = |path: &str| {
        let found = session.found("get", json!({"path": path}));
        (found["origin"]["state"].clone(), found["origin"]["author"].clone())
    };
    assert_eq!(origin("docs/rules.md"), (json!("committed"), json!("A")));
    env.write("docs/rules.md", "# Harbour rules\n\nNone.\n");
    assert_eq!(origin("docs/rules.md"), (json!("modified"), json!(null)));
    env.write("docs/new.md", "# New\n");
    assert_eq!(origin("docs/new.md"), (json!("uncommitted"), json!(null)));
}
