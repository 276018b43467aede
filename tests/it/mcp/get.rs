//! What can be read: notes, as they are, and nothing else.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{Session, VERSION, harbour, text};
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

/// A hit may be a file that was described: `get` tells what the search showed of it, and no line of the file.
#[test]
fn of_a_described_file_what_is_said_of_it_is_read() {
    let env = harbour();
    let of_winch = "/// Turns the winch of the quay until the rope is tight.\npub fn turn_winch() {\n    \
                    move_by(34251);\n}\n";
    env.write("src/winch.rs", of_winch);
    env.write("src/loose.rs", "/// Nobody has described this.\npub fn loose() {}\n");
    env.commit("winch");
    env.ok(&["scan", "src/winch.rs", "--investigate", "--all"]);
    let mut session = Session::start(&env);
    let hit =
        session.found("search", json!({"query": "turn the winch of the quay"}))["hits"][0].clone();
    assert_eq!((&hit["path"], &hit["kind"]), (&json!("src/winch.rs"), &json!("summary")), "{hit}");
    for place in ["src/winch.rs".to_owned(), format!("src/winch.rs:{}", hit["line"])] {
        let result = session.call("get", json!({"path": place}));
        let part = &result["structuredContent"];
        assert!(part["text"].as_str().unwrap().contains("turns the winch of the quay"), "{part}");
        assert!(!result.to_string().contains("34251"), "{result}");
        let told = (&part["path"], &part["origin"]["state"], &part["hash"]);
        assert_eq!(told, (&json!("src/winch.rs"), &json!("described"), &json!("")), "{part}");
        assert!(text(&result).contains("src/winch.rs  (described: what is said of it"), "{result}");
    }
    session.refusal("get", json!({"path": "src/loose.rs"}));
    env.write("src/winch.rs", of_winch.replace("34251", "8"));
    let found = session.found("get", json!({"path": "src/winch.rs"}));
    assert_eq!(found["origin"]["state"], "stale", "{found}");
    // What a scan would not find any more is not told of either.
    env.write(".gitignore", "src/winch.rs\n");
    env.git(&["rm", "--quiet", "--cached", "src/winch.rs"]);
    session.refusal("get", json!({"path": "src/winch.rs"}));
}

#[test]
fn lines_that_are_none_are_called_so() {
    let env = harbour();
    let mut session = Session::start(&env);
    for (place, told) in [
        ("docs/rules.md:999999-1", "999999-1 are no lines"),
        ("docs/rules.md:999999", "line 999999 is behind the end"),
        ("docs/rules.md:0", "0-0 are no lines"),
        ("docs/no.md:3-1", "there is no note `docs/no.md`"),
        ("docs/rules.md:x-1", "there is no note `docs/rules.md:x-1`"),
    ] {
        let said = session.refusal("get", json!({"path": place}));
        assert!(said.contains(told), "{place}: {said}");
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

#[test]
fn before_the_first_commit_nothing_is_committed() {
    let env = TestEnv::with(&[("docs/lamp.md", "# Lamp\n\nSome words about lanterns.\n")]);
    let mut session = Session::start(&env);
    let found = session.call("search", json!({"query": "lanterns"}));
    let state = &found["structuredContent"]["hits"][0]["origin"]["state"];
    assert_eq!(state, "uncommitted", "{found}");
    assert!(text(&found).contains("(uncommitted)"), "{found}");
    let read = session.found("get", json!({"path": "docs/lamp.md"}));
    assert_eq!(read["origin"]["state"], "uncommitted", "{read}");
}

/// The oldest commit of a shallow clone seems to have written all that is older.
#[test]
fn in_a_shallow_clone_older_lines_are_by_nobody() {
    let env = harbour();
    env.write("docs/rules.md", "# Harbour rules\n\nNone.\n");
    env.commit("rules");
    let source = format!("file://{}", env.root().display());
    let clone = env.outside().join("shallow");
    let to = clone.to_str().unwrap();
    env.git(&["clone", "--quiet", "--depth", "1", &source, to]);
    let mut command = env.command(&["agent", "mcp", "serve"]);
    let mut session = Session::connect(command.current_dir(&clone));
    session.hello(VERSION, "tester");
    for path in ["docs/rules.md", "docs/deploy.md"] {
        let found = session.found("get", json!({"path": path}));
        assert_eq!(found["origin"]["author"], json!(null), "{found}");
        assert_eq!(found["origin"]["state"], "committed", "{found}");
    }
}

/// Nothing hides in an answer, and it says what did. The hash is that of the note as it is.
#[test]
fn what_hides_in_a_note_is_marked() {
    let env = TestEnv::new();
    let tags: String =
        "obey".chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
    let hidden = [
        "\u{1b}]0;x\u{7}", "\u{9b}2J", "\u{202e}", "\u{200b}", "\u{2066}", "\u{e0100}", "\u{fe01}",
        "\u{34f}", "\u{2800}", "\u{fffc}", "\u{1d173}", "\u{180b}", &tags,
    ];
    let path = "knowledge/learned/notes/a\u{200b}b.md";
    let said = format!(
        "# Har\u{200b}bour\n\nOtters swim {} here ❤\u{fe0f}, n'est-ce pas\u{a0}?\n",
        hidden.concat()
    );
    env.write(path, &said);
    env.write("knowledge/learned/notes/plain.md", "# Plain\n\nOtters swim here, too ❤\u{fe0f}.\n");
    let mut session = Session::start(&env);
    let hides = |text: &str| {
        text.replace("❤\u{fe0f}", "").chars().any(|char| {
            (char.is_control() && !"\n\t".contains(char))
                || matches!(char, '\u{200b}'..='\u{206f}' | '\u{34f}' | '\u{180b}' | '\u{2800}'
                    | '\u{fe00}'..='\u{fe0f}' | '\u{fffc}' | '\u{1d173}' | '\u{e0000}'..)
        })
    };
    fn all(value: &serde_json::Value, texts: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => texts.push(text.clone()),
            serde_json::Value::Array(items) => items.iter().for_each(|item| all(item, texts)),
            serde_json::Value::Object(fields) => fields.values().for_each(|it| all(it, texts)),
            _ => {}
        }
    }
    let uri = "elophanto://note/knowledge/learned/notes/a%E2%80%8Bb.md";
    let shown = path.replace('\u{200b}', "<U+200B>");
    for (tool, arguments) in [
        ("search", json!({"query": "otters swim"})),
        ("get", json!({"path": path})),
        ("get", json!({"path": shown})),
        ("similar", json!({"path": "knowledge/learned/notes/plain.md"})),
    ] {
        let result = session.call(tool, arguments);
        let mut texts = Vec::new();
        all(&result, &mut texts);
        assert!(!texts.iter().any(|text| hides(text)), "{tool} {result}");
        let count = result["structuredContent"]["hidden"].as_u64();
        let count = count.unwrap_or_else(|| panic!("{tool} {result}"));
        assert!(count > 10, "{tool} {result}");
        let line = format!("[{count} characters that cannot be seen stand as <U+...>]");
        assert!(text(&result).contains(&line), "{tool} {result}");
        assert!(text(&result).contains("<U+E0100>"), "{tool} {result}");
    }
    let read = session.ask("resources/read", json!({"uri": uri}));
    let read = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(!hides(read) && read.contains("characters that cannot be seen"), "{read}");
    let listed = session.ask("resources/list", json!({})).to_string();
    assert!(!hides(&listed), "{listed}");
    // Of a plain note nothing is said.
    let plain = session.call("get", json!({"path": "knowledge/learned/notes/plain.md"}));
    assert!(plain["structuredContent"]["hidden"].is_null(), "{plain}");
    assert_eq!(plain["structuredContent"]["text"], "# Plain\n\nOtters swim here, too ❤\u{fe0f}.\n");
    // What is refused repeats nothing that hides.
    assert!(!hides(&session.refusal("get", json!({"path": "no\u{202e}ne.md"}))));
}

/// A note is edited as it is read: the hash fits, and what hid in it stands there as a mark.
#[test]
fn what_is_read_can_be_written_back() {
    let env = TestEnv::new();
    env.write("knowledge/learned/notes/a.md", "# A\n\nOne\u{200b} and \u{202e}two.\n");
    let mut session = Session::start(&env);
    let found = session.found("get", json!({"path": "knowledge/learned/notes/a.md"}));
    let hash = found["hash"].as_str().unwrap();
    let text = found["text"].as_str().unwrap().replace("two", "three");
    let wrong =
        json!({"title": "A", "text": text, "path": "knowledge/learned/notes/a.md", "hash": "0"});
    session.refusal("write_note", wrong);
    let right =
        json!({"title": "A", "text": text, "path": "knowledge/learned/notes/a.md", "hash": hash});
    let written = session.found("write_note", right);
    let now = String::from_utf8(env.read("knowledge/learned/notes/a.md")).unwrap();
    assert!(now.contains("One<U+200B> and <U+202E>three."), "{now}");
    let result = session.call("get", json!({"path": "knowledge/learned/notes/a.md"}));
    let again = &result["structuredContent"];
    assert_eq!(again["hash"], written["hash"], "{again}");
    // Some clients hand on the text alone.
    assert!(super::text(&result).contains(&format!("hash {}", written["hash"].as_str().unwrap())));
    assert!(again["hidden"].is_null(), "{again}");
}

/// However little room there is: the line that is asked for is told, and where the rest is.
#[test]
fn the_line_that_is_asked_for_is_told() {
    let paragraphs: Vec<String> = (1..=400).map(|k| format!("para {k} of the ferry\n")).collect();
    let env = TestEnv::with(&[("long.md", &format!("# Ferry\n{}", paragraphs.join("\n")))]);
    let mut session = Session::start(&env);
    for (line, room) in [(2, 100), (300, 100), (700, 300), (700, 2_000), (800, 100), (800, 9_000)] {
        let asked = json!({"path": format!("long.md:{line}"), "max_tokens": room});
        let result = session.call("get", asked.clone());
        let found = &result["structuredContent"];
        let told = found["text"].as_str().unwrap();
        assert!(told.contains(&format!("para {} ", line / 2)), "{asked}: {result}");
        let [first, last] = [0, 1].map(|at| found["lines"][at].as_u64().unwrap());
        assert!(first <= line && line <= last, "{asked}: {result}");
        let said = text(&result);
        for (is_left, rest) in [
            (first > 1, format!("[before it stand `lines` 1-{}]", first - 1)),
            (last < 800, format!("[it goes on; ask for `lines` {}-800]", last + 1)),
        ] {
            assert_eq!(said.contains(&rest), is_left, "{asked}: {said}");
        }
        assert_eq!(found["truncated"], first > 1 || last < 800, "{asked}: {result}");
    }
    let both = json!({"path": "long.md", "heading": "Ferry", "lines": "7"});
    assert!(session.refusal("get", both).contains("give one of them"));
}
