use serde_json::json;

use super::*;
use crate::permissions::Action;

#[test]
fn files_folders_links() {
    let mut tried = Try::new(&[("a", "x"), ("folder/b", "x"), ("folder/deep/c", "x"), ("d", "d")]);
    tried.link("../d", "folder/link");
    let tool = FileDelete::default();
    let output = tried.call(&tool, json!({ "path": "a" })).unwrap();
    assert_eq!(output.touched, [PathBuf::from("a")]);
    tried.refused(&tool, json!({ "path": "folder" }), "with 4 files and folders in it");
    let arguments = json!({ "path": "folder", "recursive": true });
    let intent = tried.intent(&tool, &arguments);
    assert_eq!(
        intent.shown,
        "remove folder/\nremove folder/b\nremove folder/deep/\nremove folder/deep/c\nremove \
         folder/link\n"
    );
    let Action::Write { paths } = intent.action else { panic!("not a write") };
    assert_eq!(paths.len(), 5);
    let output = tool.execute(&arguments, &mut tried).unwrap();
    assert_eq!(output.touched.len(), 5);
    assert!(!tried.root().join("folder").exists());
    assert_eq!(tried.text("d"), "d");
    fs::create_dir(tried.root().join("empty")).unwrap();
    tried.good(&tool, json!({ "path": "empty" }));
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("sub/.git/HEAD", "x"), ("sub/a", "x")]);
    let tool = FileDelete::default();
    for (arguments, words) in [
        (json!({}), "missing"),
        (json!({ "path": "none" }), "there is no"),
        (json!({ "path": ".", "recursive": true }), "root itself"),
        (json!({ "path": "sub", "recursive": true }), "repository of its own"),
    ] {
        tried.refused(&tool, arguments, words);
    }
    for number in 0..1_100 {
        tried.write(&format!("many/{number}"), "");
    }
    tried.refused(&tool, json!({ "path": "many", "recursive": true }), "over 1000 files");
    assert_eq!(tried.text("sub/a"), "x");
}

#[test]
fn what_came_after_the_approval_stays() {
    let mut tried = Try::new(&[("folder/a", "x")]);
    let tool = FileDelete::default();
    let arguments = json!({ "path": "folder", "recursive": true });
    for change in ["folder/new", "folder/a"] {
        tried.intent(&tool, &arguments);
        tried.write(change, "other");
        let said = tool.execute(&arguments, &mut tried).unwrap_err().to_string();
        assert!(said.contains("have changed since"), "{said}");
    }
    assert_eq!(tried.text("folder/new"), "other");
}
