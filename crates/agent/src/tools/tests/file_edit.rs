use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn edits() {
    let mut tried = Try::new(&[("a.rs", "fn a() {}\r\nfn b() {}\r\n"), ("end", "no newline")]);
    let tool = FileEdit::default();
    let edits = json!([
        { "old": "fn a() {}\nfn b", "new": "fn a() {}\n\nfn c" },
        { "old": "()", "new": "(x)", "all": true },
    ]);
    let output = tried.call(&tool, json!({ "path": "a.rs", "edits": edits })).unwrap();
    assert_eq!(output.touched, [PathBuf::from("a.rs")]);
    assert_eq!(tried.text("a.rs"), "fn a(x) {}\r\n\r\nfn c(x) {}\r\n");
    tried.good(&tool, json!({ "path": "end", "edits": [{ "old": "no", "new": "still no" }] }));
    assert_eq!(tried.text("end"), "still no newline");
    // All or none.
    let edits = json!([{ "old": "still", "new": "x" }, { "old": "none", "new": "y" }]);
    tried.refused(&tool, json!({ "path": "end", "edits": edits }), "edit 2: `old` is not in");
    assert_eq!(tried.text("end"), "still no newline");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("a", "x x"), ("folder/b", "x")]);
    tried.write("binary", b"x\0");
    tried.write("latin", b"caf\xe9 au lait");
    let tool = FileEdit::default();
    let edit = json!([{ "old": "x", "new": "y" }]);
    for (arguments, words) in [
        (json!({ "path": "a" }), "1 to 100"),
        (json!({ "path": "a", "edits": [] }), "1 to 100"),
        (json!({ "path": "a", "edits": ["x"] }), "JSON object"),
        (json!({ "path": "a", "edits": [{ "old": "x" }] }), "`new` is missing"),
        (json!({ "path": "a", "edits": [{ "old": "x", "new": "y", "count": 1 }] }), "no argument"),
        (json!({ "path": "a", "edits": edit }), "2 times (lines 1, 1)"),
        (json!({ "path": "a", "edits": edit, "expected": "0" }), "another hash"),
        (json!({ "path": "none", "edits": edit }), "there is no"),
        (json!({ "path": "folder", "edits": edit }), "is a folder"),
        (json!({ "path": "binary", "edits": edit }), "not UTF-8"),
        (json!({ "path": "latin", "edits": edit }), "not UTF-8"),
    ] {
        tried.refused(&tool, arguments, words);
    }
}

#[test]
fn changed_since_it_was_shown() {
    let mut tried = Try::new(&[("a", "one two")]);
    let tool = FileEdit::default();
    let arguments = json!({ "path": "a", "edits": [{ "old": "one", "new": "1" }] });
    tried.intent(&tool, &arguments);
    tried.write("a", "one three");
    let said = tool.execute(&arguments, &mut tried).unwrap_err().to_string();
    assert!(said.contains("have changed since"), "{said}");
    assert_eq!(tried.text("a"), "one three");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn equals_replacing_and_the_diff_shown(
        text in "[ab\n]{1,60}", old in "[ab\n]{1,3}", new in "[abc\n]{0,3}",
    ) {
        prop_assume!(old != new && text.contains(&*old));
        prop_assume!(text.replace(&*old, &new) != text);
        let mut tried = Try::git(&[]);
        tried.write("a", &text);
        let tool = FileEdit::default();
        let edit = json!({ "old": old, "new": new, "all": true });
        let arguments = json!({ "path": "a", "edits": [edit] });
        let shown = tried.intent(&tool, &arguments).shown;
        tool.execute(&arguments, &mut tried).unwrap();
        prop_assert_eq!(tried.text("a"), text.replace(&*old, &new));
        tried.write("a", &text);
        tried.feed(&["apply", "--whitespace=nowarn", "-"], &shown);
        prop_assert_eq!(tried.text("a"), text.replace(&*old, &new));
    }
}
