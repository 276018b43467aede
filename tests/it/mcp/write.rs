//! `write_note`: where it may write, and over what.

use std::{fs, os::unix::fs::symlink, thread};

use serde_json::json;

use super::{Session, harbour, seen};

#[test]
fn only_below_learned_and_never_through_links() {
    let env = harbour();
    env.write("knowledge/user/me.md", "# Me\n");
    fs::create_dir_all(env.path("knowledge/learned")).unwrap();
    fs::create_dir(env.outside().join("elsewhere")).unwrap();
    symlink(env.outside().join("elsewhere"), env.path("knowledge/learned/out")).unwrap();
    symlink(env.path("knowledge/user/me.md"), env.path("knowledge/learned/me.md")).unwrap();
    symlink(env.outside().join("gone.md"), env.path("knowledge/learned/gone.md")).unwrap();
    symlink(env.path(".git"), env.path("knowledge/learned/git")).unwrap();
    env.commit("links");
    let before = env.files();
    let mut session = Session::start(&env);
    let mut said = String::new();
    for path in [
        "knowledge/user/a.md",
        "knowledge/system/a.md",
        "knowledge/plugins/a.md",
        "docs/a.md",
        "a.md",
        ".git/config",
        ".elophanto/config.yaml",
        "learned/.git/config",
        "learned/entities/ada.md",
        "learned/ENTITIES/ada.md",
        "learned/out/a.md",
        "learned/out/deeper/a.md",
        "learned/git/config",
        "learned/me.md",
        "learned/gone.md",
        "learned/../user/a.md",
        "../a.md",
        "/tmp/a.md",
        "learned/con.md",
        "learned/-rf.md",
        "learned/a\u{202e}.md",
    ] {
        let refusal =
            session.refusal("write_note", json!({"title": "T", "text": "x", "path": path}));
        said += &format!("{path:?}: {}\n", refusal.lines().next().unwrap());
    }
    for text in ["---\nscope: system\n---\nx", "---\ntitle: [\n---\nx"] {
        let draft = json!({"title": "T", "text": text, "path": "learned/a.md"});
        said += &format!("{text:?}: {}\n", session.refusal("write_note", draft));
    }
    let key = ["AKIA", "Z7QW3NX5RT2LPM4V"].concat();
    let draft = json!({"title": "T", "text": format!("aws_access_key_id = {key}"), "kind": "note"});
    said += &session.refusal("write_note", draft).replace(&key, "THE KEY ITSELF");
    seen!(said, @r#"
    "knowledge/user/a.md": `knowledge/user/a.md` is not below `knowledge/learned`
    "knowledge/system/a.md": `knowledge/system/a.md` is not below `knowledge/learned`
    "knowledge/plugins/a.md": `knowledge/plugins/a.md` is not below `knowledge/learned`
    "docs/a.md": `docs/a.md` is not below `knowledge/learned`
    "a.md": `a.md` is not below `knowledge/learned`
    ".git/config": `.git/config` is no path of a note: a name begins with a dot or a dash
    ".elophanto/config.yaml": `.elophanto/config.yaml` is no path of a note: a name begins with a dot or a dash
    "learned/.git/config": `learned/.git/config` is no path of a note: a name begins with a dot or a dash
    "learned/entities/ada.md": `learned/entities/ada.md` is among the pages of entities
    "learned/ENTITIES/ada.md": `learned/ENTITIES/ada.md` is among the pages of entities
    "learned/out/a.md": `knowledge/learned/out/a.md` cannot be written: `knowledge/learned/out` is a link, and nothing is read or written through one: put a folder or file of its own in its place
    "learned/out/deeper/a.md": `knowledge/learned/out/deeper/a.md` cannot be written: `knowledge/learned/out` is a link, and nothing is read or written through one: put a folder or file of its own in its place
    "learned/git/config": `knowledge/learned/git/config.md` cannot be written: `knowledge/learned/git` is a link, and nothing is read or written through one: put a folder or file of its own in its place
    "learned/me.md": `knowledge/learned/me.md` is no file that can be a note
    "learned/gone.md": `knowledge/learned/gone.md` is no file that can be a note
    "learned/../user/a.md": `path` must be a path of at most 1024 characters, relative to the root, with `/` and without `..` (below the learned folder; this or `kind` is needed), not "learned/../user/a.md"
    "../a.md": `path` must be a path of at most 1024 characters, relative to the root, with `/` and without `..` (below the learned folder; this or `kind` is needed), not "../a.md"
    "/tmp/a.md": `path` must be a path of at most 1024 characters, relative to the root, with `/` and without `..` (below the learned folder; this or `kind` is needed), not "/tmp/a.md"
    "learned/con.md": `learned/con.md` is no path of a note: some systems keep that name for a device
    "learned/-rf.md": `learned/-rf.md` is no path of a note: a name begins with a dot or a dash
    "learned/a\u{202e}.md": `learned/a<U+202E>.md` is no path of a note: it holds a character that cannot be seen
    "---\nscope: system\n---\nx": front matter in the text: the scope is `system`, and what tools write is `learned`
    leave the block between the `---` lines out; title and tags are given apart
    "---\ntitle: [\n---\nx": front matter in the text, line 3: invalid YAML: while parsing a node, did not find expected node content
    leave the block between the `---` lines out; title and tags are given apart
    line 11 looks like a secret (AWS access key id)
    leave it out; say where it is kept instead
    "#);
    assert_eq!(env.files(), before);
    assert_eq!(fs::read_dir(env.outside().join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn over_a_note_only_with_its_hash() {
    let env = harbour();
    let mut session = Session::start(&env);
    let draft = |text: &str, hash: Option<&str>| json!({"title": "Tides", "text": text, "path": "learned/tide.md", "tags": ["sea"], "hash": hash});
    let first = session.found("write_note", draft("One.\n", None));
    let path = "knowledge/learned/tide.md";
    assert_eq!(first["path"], path);
    assert_eq!(
        session.refusal("write_note", draft("Two.\n", None)),
        "`knowledge/learned/tide.md` is already there\nread it first with `get`, then show the hash \
         that it gives; or take another path"
    );
    let stale = "`knowledge/learned/tide.md` is not what it was when it was read\nread it again with \
                 `get` and merge what is new there";
    assert_eq!(session.refusal("write_note", draft("Two.\n", Some("0123456789abcdef"))), stale);
    let read = session.found("get", json!({"path": path}));
    assert_eq!(read["hash"], first["hash"]);
    // Somebody edits it meanwhile.
    let text = String::from_utf8(env.read(path)).unwrap();
    env.write(path, format!("{text}By hand.\n"));
    assert_eq!(session.refusal("write_note", draft("Two.\n", read["hash"].as_str())), stale);
    assert!(String::from_utf8(env.read(path)).unwrap().ends_with("By hand.\n"));
    let read = session.found("get", json!({"path": path}));
    let second = session.found("write_note", draft("Two.\n", read["hash"].as_str()));
    assert_ne!(second["hash"], first["hash"]);
    seen!(String::from_utf8(env.read(path)).unwrap(), @r#"
    ---
    title: "Tides"
    created: [TIME]
    updated: [TIME]
    tags: ["sea"]
    scope: learned
    ---

    # Tides

    Two.
    "#);
    assert_eq!(env.hits(&["tides two"])[0], path);
}

/// Eight agents have the same idea at the same time; in each round one of them writes.
#[test]
fn writers_of_the_same_note() {
    let env = harbour();
    for round in 0..4 {
        let mut sessions: Vec<Session> = (0..8).map(|_| Session::start(&env)).collect();
        let draft = |n: usize| {
            let path = format!("learned/r{round}.md");
            json!({"title": "Same", "text": format!("By {n}.\n"), "path": path})
        };
        let written = thread::scope(|scope| {
            let writers: Vec<_> = sessions
                .iter_mut()
                .enumerate()
                .map(|(n, session)| scope.spawn(move || session.call("write_note", draft(n))))
                .collect();
            let results = writers.into_iter().map(|writer| writer.join().unwrap());
            results.filter(|result| result["isError"] == false).count()
        });
        assert_eq!(written, 1);
    }
}

/// What is not said of a note that is overwritten stays.
#[test]
fn tags_that_are_not_given_stay() {
    let env = harbour();
    let mut session = Session::start(&env);
    let path = "knowledge/learned/notes/a.md";
    let mut note = json!({"title": "A", "text": "one", "path": path, "tags": ["kept"]});
    let mut tags = |more: serde_json::Value| {
        note.as_object_mut().unwrap().remove("tags");
        note.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let written = session.found("write_note", note.clone());
        note["hash"] = written["hash"].clone();
        let text = String::from_utf8(env.read(path)).unwrap();
        text.lines().find(|line| line.starts_with("tags:")).unwrap_or_default().to_owned()
    };
    assert_eq!(tags(json!({"tags": ["kept"]})), "tags: [\"kept\"]");
    assert_eq!(tags(json!({"text": "two"})), "tags: [\"kept\"]");
    assert_eq!(tags(json!({"tags": []})), "tags: []");
}
