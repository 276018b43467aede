use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::tools::contents::hash_of;

#[test]
fn new_and_over() {
    let mut tried = Try::new(&[("old.md", "one\n")]);
    let tool = FileWrite::default();
    let made = tried.call(&tool, json!({ "path": "a/b/new.md", "text": "x\n" })).unwrap();
    assert_eq!(made.touched, [PathBuf::from("a/b/new.md")]);
    assert_eq!(tried.text("a/b/new.md"), "x\n");
    // Never over what was not read.
    tried.refused(&tool, json!({ "path": "old.md", "text": "two\n" }), "read it first");
    let wrong = json!({ "path": "old.md", "text": "two\n", "expected": "0" });
    tried.refused(&tool, wrong, "another hash");
    let missing = json!({ "path": "none", "text": "two\n", "expected": "0" });
    tried.refused(&tool, missing, "leave out");
    assert_eq!(tried.text("old.md"), "one\n");
    let path = tried.root().join("old.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let over = json!({ "path": "old.md", "text": "two\n", "expected": hash_of(b"one\n") });
    let intent = tried.intent(&tool, &over);
    assert_eq!(
        intent.shown,
        "diff --git a/old.md b/old.md\n--- a/old.md\n+++ b/old.md\n@@ -1,1 +1,1 @@\n-one\n+two\n"
    );
    tool.execute(&over, &mut tried).unwrap();
    assert_eq!(tried.text("old.md"), "two\n");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o751);
    // Nothing else is left behind.
    assert_eq!(fs::read_dir(tried.root()).unwrap().count(), 2);
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("folder/a", "x")]);
    let tool = FileWrite::default();
    for (arguments, words) in [
        (json!({ "path": "a" }), "`text` is missing"),
        (json!({ "path": "folder", "text": "" }), "is a folder"),
        (json!({ "path": ".", "text": "" }), "is a folder"),
        (json!({ "path": "folder/a/b", "text": "" }), "through a file"),
        (json!({ "path": "a", "text": "x".repeat((1 << 20) + 1) }), "over the limit"),
        (json!({ "path": "folder/a", "text": "x", "expected": hash_of(b"x") }), "already"),
    ] {
        tried.refused(&tool, arguments, words);
    }
}

#[test]
fn somebody_else_was_faster() {
    let mut tried = Try::new(&[("a", "one")]);
    let tool = FileWrite::default();
    let new = json!({ "path": "new", "text": "mine" });
    tried.intent(&tool, &new);
    tried.write("new", "theirs");
    assert!(tool.execute(&new, &mut tried).is_err());
    assert_eq!(tried.text("new"), "theirs");
    let over = json!({ "path": "a", "text": "mine", "expected": hash_of(b"one") });
    tried.intent(&tool, &over);
    tried.write("a", "theirs");
    assert!(tool.execute(&over, &mut tried).is_err());
    assert_eq!(tried.text("a"), "theirs");
}

#[test]
fn a_secret_is_pointed_at() {
    let tried = Try::new(&[]);
    let token = format!("token = \"ghp_{}\"\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let shown = tried.intent(&FileWrite::default(), &json!({ "path": "a", "text": token })).shown;
    assert!(shown.starts_with("warning: line 1 holds what looks like"), "{shown}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_diff_shown_makes_the_file(
        before in prop::option::of("([abc]{0,2}(\n|\r\n|\r|\u{2028}))*[abc]{0,2}"),
        after in "([abc]{0,2}(\n|\r\n|\r|\u{2028}))*[abc]{0,2}",
        name in "[a-z \"\\\\é]{0,5}[a-z]",
    ) {
        prop_assume!(before.as_ref() != Some(&after));
        let mut tried = Try::git(&[]);
        if let Some(before) = &before {
            tried.write(&name, before);
        }
        let expected = before.as_ref().map(|before| hash_of(before.as_bytes()));
        let arguments = json!({ "path": name, "text": after, "expected": expected });
        let tool = FileWrite::default();
        let shown = tried.intent(&tool, &arguments).shown;
        tried.feed(&["apply", "--whitespace=nowarn", "-"], &shown);
        prop_assert_eq!(tried.text(&name), &*after);
        match &before {
            Some(before) => tried.write(&name, before),
            None => fs::remove_file(tried.root().join(&name)).unwrap(),
        }
        tried.good(&tool, arguments);
        prop_assert_eq!(tried.text(&name), after);
    }
}
