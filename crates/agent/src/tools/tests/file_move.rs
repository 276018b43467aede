use serde_json::json;

use super::*;
use crate::permissions::Action;

#[test]
fn files_and_folders() {
    let mut tried = Try::new(&[("a", "a"), ("folder/b", "b"), ("there", "there")]);
    let tool = FileMove::default();
    let arguments = json!({ "from": "a", "to": "new/deep/a" });
    let root = tried.root().to_owned();
    let paths = vec![root.join("a"), root.join("new/deep/a")];
    assert_eq!(tried.intent(&tool, &arguments).action, Action::Write { paths });
    let output = tool.execute(&arguments, &mut tried).unwrap();
    assert_eq!(output.touched, [PathBuf::from("a"), PathBuf::from("new/deep/a")]);
    assert_eq!((tried.text("new/deep/a"), tried.bytes("a")), ("a".to_owned(), None));
    let output = tried.call(&tool, json!({ "from": "folder", "to": "other" })).unwrap();
    let all = ["folder", "folder/b", "other", "other/b"].map(PathBuf::from);
    assert_eq!(output.touched, all);
    tried.link("there", "link");
    tried.good(&tool, json!({ "from": "link", "to": "renamed" }));
    assert!(fs::symlink_metadata(root.join("renamed")).unwrap().is_symlink());
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("a", "a"), ("there", "there"), ("folder/b", "b")]);
    let tool = FileMove::default();
    for (arguments, words) in [
        (json!({ "from": "a" }), "`to` is missing"),
        (json!({ "from": "none", "to": "x" }), "there is no"),
        (json!({ "from": "a", "to": "there" }), "there already"),
        (json!({ "from": "folder", "to": "folder/deep" }), "into itself"),
        (json!({ "from": ".", "to": "x" }), "root itself"),
        (json!({ "from": "a", "to": "there/x" }), "through a file"),
    ] {
        tried.refused(&tool, arguments, words);
    }
}

#[test]
fn nothing_is_overwritten() {
    let mut tried = Try::new(&[("a", "a")]);
    let tool = FileMove::default();
    let arguments = json!({ "from": "a", "to": "b" });
    tried.intent(&tool, &arguments);
    tried.write("b", "theirs");
    assert!(tool.execute(&arguments, &mut tried).is_err());
    assert_eq!((tried.text("a"), tried.text("b")), ("a".to_owned(), "theirs".to_owned()));
    // Not even where it comes between looking and renaming.
    let folder = elophanto_base::beneath::Folder::open(tried.root()).unwrap();
    assert!(folder.rename_new("a".as_ref(), &folder, "b".as_ref()).is_err());
    assert_eq!(tried.text("b"), "theirs");
}
