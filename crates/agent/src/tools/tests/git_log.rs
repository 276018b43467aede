use serde_json::json;

use super::*;

#[test]
fn commits() {
    let mut tried = Try::git(&[("a", "one\n")]);
    let tool = GitLog::new(tried.repository());
    tried.write("b", "x");
    tried.run(&["add", "b"]);
    tried.run(&["commit", "--quiet", "--message=second\n\nWhy it was."]);
    let two = tried.good(&tool, json!({}));
    assert_eq!(two.lines().count(), 2);
    assert!(two.lines().next().unwrap().ends_with(" Ada: second"), "{two}");
    assert_eq!(tried.good(&tool, json!({ "max": 1 })).lines().count(), 1);
    assert!(tried.good(&tool, json!({ "paths": ["a"] })).ends_with("Ada: first\n"));
    assert!(tried.good(&tool, json!({ "from": "HEAD~1" })).ends_with("Ada: first\n"));
    assert!(tried.good(&tool, json!({ "messages": true })).contains("    Why it was.\n"));
    assert!(tried.good(&tool, json!({ "files": true })).contains("A\tb\n"));
    assert_eq!(tried.good(&tool, json!({ "paths": ["none"] })), "no commit changed that\n");
}

#[test]
fn none_yet_and_wrong_arguments() {
    let mut tried = Try::git(&[]);
    let tool = GitLog::new(tried.repository());
    assert_eq!(tried.good(&tool, json!({})), "there is no commit yet\n");
    for (arguments, words) in [
        (json!({ "from": "HEAD" }), "names no commit"),
        (json!({ "from": "--all" }), "names no commit"),
        (json!({ "max": 0 }), "from 1 to 500"),
        (json!({ "paths": "a" }), "is to be a list"),
    ] {
        tried.refused(&tool, arguments, words);
    }
}
