//! Notes and headings are called otherwise only where every reference is certain.

use serde_json::{Value, json};

use super::session::{Session, place};
use crate::env::TestEnv;

fn rename(
    session: &mut Session,
    path: &str,
    line: u32,
    column: u32,
    name: &str,
) -> Result<Value, (i32, String)> {
    let params = json!({
        "textDocument": { "uri": session.uri(path) },
        "position": { "line": line, "character": column },
        "newName": name,
    });
    session.ask("textDocument/rename", params)
}

fn shown(session: &Session, edit: &Value) -> Vec<String> {
    let root = session.uri("");
    let name = |uri: &Value| uri.as_str().unwrap().replace(&root, "");
    let mut all = Vec::new();
    for change in edit["documentChanges"].as_array().unwrap() {
        if change["kind"] == "rename" {
            all.push(format!("{} -> {}", name(&change["oldUri"]), name(&change["newUri"])));
        }
        for it in change["edits"].as_array().into_iter().flatten() {
            let text = it["newText"].as_str().unwrap();
            let uri = name(&change["textDocument"]["uri"]);
            all.push(format!("{uri} {} {text}", place(&it["range"])));
        }
    }
    all
}

#[test]
fn a_note_is_renamed_with_its_links() {
    let env = TestEnv::with(&[
        ("a/one.md", "# One\n\n## Part\n"),
        ("b/two.md", "# Two\n[[one]] [x](../a/one.md#part)\n"),
    ]);
    let mut session = Session::begin(&env);
    // What is not saved yet counts as it is.
    session.open("b/two.md", "# Two\n\n[[one]] [x](../a/one.md#part) ü [[one#Part]]\n");
    let ready = session.at("textDocument/prepareRename", "b/two.md", 2, 3);
    assert_eq!((place(&ready["range"]), &ready["placeholder"]), ("2:2-2:5".into(), &json!("one")));
    let edit = rename(&mut session, "b/two.md", 2, 3, "first").unwrap();
    assert_eq!(
        shown(&session, &edit),
        [
            "/b/two.md 2:2-2:5 first",
            "/b/two.md 2:12-2:23 ../a/first.md",
            "/b/two.md 2:35-2:38 first",
            "/a/one.md -> /a/first.md",
        ]
    );
    let edit = rename(&mut session, "b/two.md", 2, 27, "Section").unwrap();
    assert_eq!(
        shown(&session, &edit),
        ["/a/one.md 2:3-2:7 Section", "/b/two.md 2:24-2:28 section", "/b/two.md 2:39-2:43 Section"]
    );
    for (name, why) in [("", "no name"), ("../../x", "no name of a note"), ("a/one", "already")] {
        let refused = rename(&mut session, "b/two.md", 2, 3, name).unwrap_err();
        assert!(refused.1.contains(why), "{name}: {refused:?}");
    }
    assert_eq!(session.at("textDocument/prepareRename", "b/two.md", 1, 0), Value::Null);
    assert!(session.end());
}

#[test]
fn other_texts_count_as_they_are_open() {
    let env = TestEnv::with(&[
        ("one.md", "# One\n\n[[two#Part]] [[two#New]]\n"),
        ("two.md", "# Two\n\n## Part\n"),
    ]);
    let mut session = Session::begin(&env);
    session.open("one.md", "# One\n\n[[two#Part]] [[two#New]]\n");
    session.diagnostics("one.md", |all| all.len() == 1);
    session.open("two.md", "# Two\n\n## New\n\n## Part\n");
    let edit = rename(&mut session, "one.md", 2, 8, "Piece").unwrap();
    assert_eq!(shown(&session, &edit), ["/one.md 2:6-2:10 Piece", "/two.md 4:3-4:7 Piece"]);
    let to = session.at("textDocument/definition", "one.md", 2, 8);
    assert_eq!(place(&to["range"]), "4:0-4:7");
    session.replace("one.md", 2, "# One\n\n[[two#Part]] [[two#New]] \n");
    session.diagnostics("one.md", <[_]>::is_empty);
    let completed = session.at("textDocument/completion", "one.md", 2, 6);
    let labels: Vec<&Value> =
        completed["items"].as_array().unwrap().iter().map(|it| &it["label"]).collect();
    assert_eq!(labels, ["Two", "New", "Part"]);
    assert!(session.end());
}

#[test]
fn bytes_that_editors_take_otherwise_are_not_counted_or_not_edited() {
    let env = TestEnv::with(&[("one.md", "# One\n"), ("two.md", "[[one]]\n")]);
    env.write("mark.md", "\u{feff}[[one]]\n");
    let mut session = Session::begin(&env);
    session.open("two.md", "[[one]]\n");
    let edit = rename(&mut session, "two.md", 0, 3, "new").unwrap();
    assert_eq!(
        shown(&session, &edit),
        ["/mark.md 0:2-0:5 new", "/two.md 0:2-0:5 new", "/one.md -> /new.md"]
    );
    env.write("old.md", b"Die Stra\xdfe nach Norden: [[one]]\n");
    let refused = rename(&mut session, "two.md", 0, 3, "new").unwrap_err();
    assert!(refused.1.contains("old.md:1: `one`: its file is not UTF-8"), "{refused:?}");
    assert!(session.end());
}

#[test]
fn a_folder_that_is_reached_through_a_link_is_called_by_its_own_name() {
    let env =
        TestEnv::with(&[("docs/notes/a.md", "# A\n\n[x](../b.md)\n"), ("docs/b.md", "# B\n")]);
    let folder = env.outside().join("ws/here");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env.path("docs/notes"), &folder).unwrap();
    let mut session = Session::begin_at(&env, &folder);
    session.open("a.md", "# A\n\n[x](../b.md)\n");
    let top = format!("file://{}", env.root().canonicalize().unwrap().display());
    let to = session.at("textDocument/definition", "a.md", 2, 5);
    assert_eq!(to["uri"], format!("{top}/docs/b.md"));
    let edit = rename(&mut session, "a.md", 2, 5, "c").unwrap();
    assert_eq!(edit["documentChanges"][1]["newUri"], format!("{top}/docs/c.md"));
    assert!(session.end());
}

#[test]
fn what_cannot_be_proven_is_named_and_nothing_is_renamed() {
    let env = TestEnv::with(&[
        ("one.md", "# One\n"),
        ("two.md", "# Two\n\n[[one]]\n\n[x][l]\n\n[l]: one.md\n"),
        ("three.md", "<a href=\"one.md\">x</a>\n"),
    ]);
    let before = env.files();
    let mut session = Session::begin(&env);
    session.open("two.md", "# Two\n\n[[one]]\n\n[x][l]\n\n[l]: one.md\n");
    let (code, message) = rename(&mut session, "two.md", 2, 3, "new").unwrap_err();
    assert_eq!(code, -32803);
    assert_eq!(
        message,
        "nothing is renamed: 2 references cannot be proven to lead where it should\n\
         three.md:1: HTML refers to it\n\
         two.md:5: `one.md`: where its target is written cannot be told"
    );
    assert!(session.end());
    assert!(
        env.files()
            .iter()
            .filter(|it| it.0.extension().is_some_and(|it| it == "md"))
            .eq(before.iter().filter(|it| it.0.extension().is_some_and(|it| it == "md")))
    );
}

#[test]
fn texts_beside_the_notes_are_read_too() {
    let env = TestEnv::with(&[
        (".gitignore", "build/\n"),
        ("knowledge/one.md", "# One\n\n[[two]]\n"),
        ("knowledge/two.md", "# Two\n"),
        ("README.md", "[x](knowledge/two.md)\n"),
        ("build/two.md", "# A copy\n"),
    ]);
    env.write_settings("knowledge:\n  roots: [knowledge]\n");
    let mut session = Session::begin(&env);
    session.open("knowledge/one.md", "# One\n\n[[two]]\n");
    // A copy that is no note has no name that another note shares.
    session.open("build/two.md", "# A copy\n");
    let edit = rename(&mut session, "knowledge/one.md", 2, 3, "new").unwrap();
    assert_eq!(
        shown(&session, &edit),
        [
            "/README.md 0:4-0:20 knowledge/new.md",
            "/knowledge/one.md 2:2-2:5 new",
            "/knowledge/two.md -> /knowledge/new.md",
        ]
    );
    env.write("build/three.md", "[x](../knowledge/two.md)\n");
    let refused = rename(&mut session, "knowledge/one.md", 2, 3, "new").unwrap_err();
    assert!(refused.1.contains("build/three.md:1: "), "{refused:?}");
    assert!(session.end());
}

#[test]
fn what_is_typed_meanwhile_is_never_edited_by_what_was_before() {
    let env = TestEnv::with(&[("one.md", "# One\n"), ("two.md", "[[one]]\n")]);
    let mut session = Session::begin(&env);
    session.open("two.md", "[[one]]\n");
    let mut version = 1;
    // Whichever is first: the answer is of the text before the change, and then comes before it, or there
    // is none.
    for _ in 0..20 {
        let params = json!({
            "textDocument": { "uri": session.uri("two.md") },
            "position": { "line": 0, "character": 3 },
            "newName": "new",
        });
        let id = session.begin_to_ask("textDocument/rename", params);
        version += 1;
        session.replace("two.md", version, "[[one]]\n");
        match session.wait_for(&id) {
            Ok(edit) => {
                assert_eq!(edit["documentChanges"][0]["textDocument"]["version"], version - 1)
            }
            Err((code, _)) => assert_eq!(code, -32801),
        }
    }
    assert!(session.end());
}

#[test]
fn links_stay_where_a_file_gets_another_ending() {
    let env = TestEnv::with(&[("a.md", "# One\n"), ("two.md", "[[a]]\n")]);
    let mut session = Session::begin(&env);
    let ask = json!({ "files": [{
        "oldUri": session.uri("a.md"),
        "newUri": session.uri("a.markdown"),
    }] });
    assert_eq!(session.ask("workspace/willRenameFiles", ask), Ok(Value::Null));
    let said = session.told("window/showMessage");
    assert!(said["message"].as_str().unwrap().contains("links stay as they are"), "{said}");
    assert!(session.end());
}

#[test]
fn links_follow_a_file_that_the_editor_renames() {
    let env = TestEnv::with(&[("one.md", "# One\n"), ("b/two.md", "[[one]] [x](../one.md)\n")]);
    let mut session = Session::begin(&env);
    let files = |session: &Session, from: &str, to: &str| json!({ "files": [{ "oldUri": session.uri(from), "newUri": session.uri(to) }] });
    let ask = files(&session, "one.md", "b/deep/uno.md");
    let edit = session.ask("workspace/willRenameFiles", ask).unwrap();
    assert_eq!(
        shown(&session, &edit),
        ["/b/two.md 0:2-0:5 uno", "/b/two.md 0:12-0:21 deep/uno.md"]
    );
    // To the top, and out of it.
    let ask = files(&session, "b/two.md", "zwei.md");
    let edit = session.ask("workspace/willRenameFiles", ask).unwrap();
    assert_eq!(shown(&session, &edit), ["/b/two.md 0:12-0:21 one.md"]);
    let out =
        json!({ "files": [{ "oldUri": session.uri("one.md"), "newUri": "file:///tmp/x.md" }] });
    assert_eq!(session.ask("workspace/willRenameFiles", out), Ok(Value::Null));
    // Of several at once it is said why nothing is done.
    let mut both = files(&session, "one.md", "uno.md");
    both["files"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "oldUri": "file:///a.md", "newUri": "file:///b.md" }));
    assert_eq!(session.ask("workspace/willRenameFiles", both), Ok(Value::Null));
    let said = session.told("window/showMessage");
    assert!(said["message"].as_str().unwrap().contains("several files"), "{said}");
    assert!(session.end());
}
