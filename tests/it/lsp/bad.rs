//! Texts that no honest editor has, and words in a wrong order: the server lives, and answers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::session::Session;
use crate::env::TestEnv;

/// All that can be asked about a place.
const AT: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/completion",
    "textDocument/prepareRename",
];
/// All that can be asked about a text.
const ABOUT: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
];

/// Asks everything about a text at some places.
fn ask_all(session: &mut Session, path: &str, places: &[(u32, u32)]) {
    for (line, column) in places {
        for method in AT {
            session.at(method, path, *line, *column);
        }
        let far = json!({ "line": u32::MAX, "character": u32::MAX });
        let here = json!({ "line": line, "character": column });
        for (start, end) in [(&here, &far), (&far, &here)] {
            let params = json!({
                "textDocument": { "uri": session.uri(path) },
                "range": { "start": start, "end": end },
                "context": { "diagnostics": [] },
            });
            session.ask("textDocument/codeAction", params.clone()).unwrap();
            session.ask("textDocument/inlayHint", params).unwrap();
        }
        let params = json!({
            "textDocument": { "uri": session.uri(path) },
            "position": here,
            "newName": "new",
        });
        // There is seldom anything to rename.
        let _ = session.ask("textDocument/rename", params);
    }
    for method in ABOUT {
        session.about(method, path);
    }
}

const FAR: &[(u32, u32)] = &[(0, 0), (0, 3), (1, 1), (2, 1_000_000), (u32::MAX, u32::MAX)];

#[test]
fn odd_texts_are_answered_about() {
    let env = TestEnv::with(&[("one.md", "# One\n"), ("two.md", "# Two\n")]);
    let mut session = Session::begin(&env);
    let texts = [
        String::new(),
        "\u{feff}# A\r\n[[one]]\r\r\n\u{2028}[x](two.md)\r".to_owned(),
        "---\r\ntags: [a\r\n---\r\n\t[[one]]\tx\r\n".to_owned(),
        "🦀🦀 [[🦀#🦀|🦀]] [x](🦀.md) <!-- 🦀\n".to_owned(),
        "[[".repeat(5_000),
        "> ".repeat(20_000),
        "[x](".repeat(5_000),
        format!("{}\n", "a".repeat(3 << 20)),
        (0..=255_u8).map(char::from).collect::<String>().repeat(40),
        "\0\u{1b}[2J\u{202e}[[one]]\u{7f}\n".to_owned(),
        "| a | b |\n| - | - |\n| [[one|x]] | [y](two.md) |\n".to_owned(),
        "<<<<<<< ours\n[[one]]\n=======\n[[two]]\n>>>>>>> theirs\n".to_owned(),
        "---\na: &a [*a, *a]\nb: *a\n---\n".to_owned(),
        "[[../../../etc/passwd]] [x](%2e%2e/%2e%2e/x) [[/abs]] [[a\0b]]\n".to_owned(),
    ];
    for (number, text) in texts.iter().enumerate() {
        let path = format!("odd-{number}.md");
        session.open(&path, text);
        session.diagnostics(&path, |_| true);
        ask_all(&mut session, &path, FAR);
    }
    assert!(session.end());
}

#[test]
fn ten_megabytes_are_a_text_like_any_other() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let mut text = String::new();
    for number in 0.. {
        let _ = writeln!(
            text,
            "## Part {number}\n\nSome words about [[one]] and what follows from it.\n"
        );
        if text.len() > 10 << 20 {
            break;
        }
    }
    let mut session = Session::begin(&env);
    session.open("large.md", &text);
    for version in 2..30 {
        let at = json!({ "line": 3 * version, "character": 2 });
        session.change(
            "large.md",
            version,
            json!([{ "range": { "start": at, "end": at }, "text": "x" }]),
        );
    }
    let found = session.at("textDocument/completion", "large.md", 2, 20);
    assert!(found["items"].is_array());
    session.about("textDocument/documentSymbol", "large.md");
    assert!(session.end());
}

#[test]
fn words_in_a_wrong_order_change_nothing() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let mut session = Session::begin(&env);
    let uri = session.uri("one.md");
    // Changes and an end of what was never opened.
    session.replace("one.md", 7, "[[never]]");
    session.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    session.open("one.md", "# One\n");
    session.diagnostics("one.md", <[_]>::is_empty);
    session.replace("one.md", 9, "[[two]] [[three]] [[four]]");
    session.diagnostics("one.md", |all| all.len() == 3);
    // A whole text is one, whatever its number; a part of which another may be missing loses the text.
    session.replace("one.md", 8, "[[two]] [[three]]");
    session.tell("textDocument/didChange", json!({ "textDocument": { "uri": uri } }));
    session.tell("textDocument/didChange", json!(7));
    session.tell("textDocument/didOpen", Value::Null);
    session.tell("no/such/thing", json!({}));
    session.tell("initialized", json!({}));
    session.diagnostics("one.md", |all| all.len() == 2);
    let start = json!({ "line": 0, "character": 0 });
    let part = json!([{ "range": { "start": start, "end": start }, "text": "[[four]]" }]);
    session.change("one.md", 8, part.clone());
    session.diagnostics("one.md", <[_]>::is_empty);
    session.change("one.md", 9, part);
    assert_eq!(session.at("textDocument/hover", "one.md", 0, 2), Value::Null);
    let lost = |session: &Session| {
        let all = session.told.iter().filter(|(_, it)| it.to_string().contains("opened again"));
        all.count()
    };
    assert_eq!(lost(&session), 1);
    // Twice open is what was said last.
    session.open("one.md", "[[two]]");
    session.diagnostics("one.md", |all| all.len() == 1);
    let odd = session.ask("textDocument/hover", json!({ "textDocument": 7 })).unwrap_err();
    assert_eq!(odd.0, -32602);
    assert_eq!(session.ask("initialize", json!({})).unwrap_err().0, -32601);
    assert!(session.end());
}

#[test]
fn files_that_are_no_text_are_passed_over() {
    let env = TestEnv::with(&[("one.md", "[[bin]] [x](bin.md) [[big]]\n")]);
    env.write("bin.md", [0_u8, 159, 146, 150, 0, 1, 2]);
    env.write("big.md", "a\n".repeat(9 << 20));
    let mut session = Session::begin(&env);
    session.open("one.md", "[[bin]] [x](bin.md) [[big]]\n");
    session.diagnostics("one.md", |_| true);
    ask_all(&mut session, "one.md", &[(0, 3), (0, 14), (0, 22)]);
    // Not open, and no text: nothing can be said of it.
    assert_eq!(session.about("textDocument/documentSymbol", "bin.md"), Value::Null);
    assert!(session.end());
}

#[cfg(target_os = "linux")]
#[test]
fn a_repository_that_is_no_repository_is_said_once() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    env.write(".elophanto/config.yaml", "search: [");
    let mut session = Session::begin(&env);
    session.open("one.md", "# One\n[[x]]\n");
    assert_eq!(session.at("textDocument/hover", "one.md", 1, 2), Value::Null);
    let said = session.told("window/showMessage");
    assert!(said["message"].as_str().unwrap().contains(".elophanto/config.yaml"), "{said}");
    assert!(session.end());
}
