use serde_json::json;

use super::*;

fn tool() -> FileSearch {
    FileSearch::new(Arc::new(|path| path.ends_with("id_rsa")))
}

#[test]
fn matches() {
    let mut tried = Try::git(&[
        (".gitignore", "ignored\n"),
        ("a.md", "one\nTwo a.b\r\nthree\n"),
        ("b/c.rs", "two\naxb\n"),
        ("id_rsa", "two\n"),
    ]);
    tried.write("ignored", "two\n");
    tried.write("binary", b"two\n\0\n");
    for (arguments, expected) in [
        (json!({ "pattern": "t.o", "globs": ["*.rs"] }), "b/c.rs:1: two\n"),
        (json!({ "pattern": "a.b", "literal": true }), "a.md:2: Two a.b\n"),
        (json!({ "pattern": "a.b" }), "a.md:2: Two a.b\nb/c.rs:2: axb\n"),
        (
            json!({ "pattern": "^two", "ignore_case": true, "names_only": true, "globs": ["*.md", "*.rs"] }),
            "a.md\nb/c.rs\n",
        ),
        (
            json!({ "pattern": "Two", "context": 1 }),
            "a.md-1- one\na.md:2: Two a.b\na.md-3- three\n",
        ),
        (json!({ "pattern": "two", "path": "ignored" }), "ignored:1: two\n"),
        (json!({ "pattern": "two", "path": "b" }), "b/c.rs:1: two\n"),
    ] {
        let said = tried.good(&tool(), arguments.clone());
        let said = said.split("[1 file passed over").next().unwrap();
        assert_eq!(said, expected, "{arguments}");
    }
    let binary = tried.good(&tool(), json!({ "pattern": "two" }));
    assert_eq!(binary, "b/c.rs:1: two\n[1 file passed over: binary, too large or unreadable]\n");
    let nothing = tried.good(&tool(), json!({ "pattern": "two", "path": "id_rsa" }));
    assert!(nothing.starts_with("nothing found in 0 files"), "{nothing}");
}

#[test]
fn caps() {
    let mut tried = Try::new(&[
        ("many", &"x\n".repeat(10_000)),
        ("wide", &format!("x{}\n", "é".repeat(1_000_000))),
    ]);
    let many = tried.good(&tool(), json!({ "pattern": "x", "path": "many" }));
    assert_eq!(many.lines().count(), 201);
    assert!(many.ends_with("[there may be more: search in a folder, or for something rarer]\n"));
    let wide = tried.good(&tool(), json!({ "pattern": "x", "path": "wide" }));
    assert!(wide.len() < 500 && wide.contains(" [...]"), "{wide}");
    tried.write("huge", vec![b'x'; 40 << 20]);
    let huge = tried.good(&tool(), json!({ "pattern": "y", "path": "huge" }));
    assert!(huge.contains("1 file passed over"), "{huge}");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("a", "x")]);
    for (arguments, words) in [
        (json!({}), "`pattern` is missing"),
        (json!({ "pattern": "" }), "1 to 4000"),
        (json!({ "pattern": "(" }), "no regular expression"),
        (json!({ "pattern": "a\nb" }), "no regular expression"),
        (json!({ "pattern": "(((a{500}){500}){500}){500}" }), "no regular expression"),
        (json!({ "pattern": "a", "globs": "*.rs" }), "is to be a list"),
        (json!({ "pattern": "a", "globs": ["["] }), "glob"),
        (json!({ "pattern": "a", "context": 11 }), "from 0 to 10"),
        (json!({ "pattern": "a", "path": "none" }), "there is no"),
    ] {
        tried.refused(&tool(), arguments, words);
    }
    tried.cancelled.set(true);
    tried.refused(&tool(), json!({ "pattern": "x" }), "cancelled");
}

/// A line is masked by what the whole file says it is.
#[test]
fn a_line_of_a_key_is_masked() {
    for (label, is_secret) in [("PRIVATE KEY", true), ("CERTIFICATE", false)] {
        let (note, key) = note_with_key(label);
        let mut tried = Try::new(&[("a.md", &*note), ("b.md", key[1])]);
        for arguments in [
            json!({ "pattern": &key[1][..9], "path": "a.md" }),
            json!({ "pattern": &key[1][..9], "path": "a.md", "context": 1 }),
            json!({ "pattern": ".", "path": "a.md" }),
        ] {
            let shown = tried.good(&tool(), arguments);
            let shows = key.iter().any(|line| shown.contains(line));
            assert_eq!(shows, !is_secret, "{shown}");
        }
        let other = tried.good(&tool(), json!({ "pattern": ".", "path": "b.md" }));
        assert!(other.contains(key[1]), "{other}");
    }
}
