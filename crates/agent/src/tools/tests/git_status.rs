use serde_json::json;

use super::*;

#[test]
fn changes() {
    let mut tried = Try::git(&[("a b.md", "a\n"), ("gone", "gone\n"), ("kept", "k\n")]);
    let tool = GitStatus::new(tried.repository());
    assert_eq!(tried.good(&tool, json!({})), "branch main\nnothing has changed\n");
    tried.write("a b.md", "b\n");
    tried.write("new\nline", "x");
    fs::remove_file(tried.root().join("gone")).unwrap();
    tried.run(&["mv", "kept", "moved"]);
    assert_eq!(
        tried.good(&tool, json!({})),
        "branch main\n.M a b.md\n.D gone\nR. moved (was kept)\n?? new\\x0aline\n"
    );
    let some = tried.good(&tool, json!({ "paths": ["a b.md", ":(glob)*"] }));
    assert_eq!(some, "branch main\n.M a b.md\n");
    tried.refused(&tool, json!({ "paths": ["../x"] }), "`..`");
    tried.refused(&tool, json!({ "paths": ["/etc"] }), "outside");
    tried.refused(&tool, json!({ "path": "x" }), "no argument `path`");
}

#[test]
fn no_commit_yet() {
    let mut tried = Try::git(&[]);
    let tool = GitStatus::new(tried.repository());
    tried.write("a", "x");
    assert_eq!(tried.good(&tool, json!({})), "branch main\n?? a\n");
}
