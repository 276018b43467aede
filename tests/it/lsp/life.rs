//! Beginning, ending, and what comes in between in a wrong order.

use serde_json::{Value, json};

use super::session::{Session, able};
use crate::env::TestEnv;

#[test]
fn it_begins_and_ends_as_the_protocol_has_it() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let mut session = Session::connect(&env);
    let early = session.ask("textDocument/hover", json!({})).unwrap_err();
    assert_eq!(early.0, -32002);
    session.open("one.md", "dropped: nobody said hello");
    let answer = session.initialize(able());
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(answer["serverInfo"]["name"], "elophanto");
    // It wants to be told of files that others change.
    assert_eq!(session.told("client/registerCapability")["registrations"][0]["id"], "files");
    let unknown = session.ask("textDocument/format", json!({})).unwrap_err();
    assert_eq!(unknown.0, -32601);
    session.ask("shutdown", Value::Null).unwrap();
    assert_eq!(session.ask("textDocument/hover", json!({})).unwrap_err().0, -32600);
    assert!(session.end());
}

#[test]
fn an_editor_that_vanishes_ends_it() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    assert!(!Session::begin(&env).vanish());
    assert!(!Session::connect(&env).vanish());
}

#[test]
fn the_program_says_how_it_ended_by_its_exit_code() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let root = env.root().to_str().unwrap().to_owned();
    let (mut session, mut child) = Session::spawn(&mut env.command(&["lsp", "--stdio"]), &root);
    session.initialize(json!({}));
    session.end();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let (mut session, mut child) = Session::spawn(&mut env.command(&["lsp"]), &root);
    session.initialize(json!({}));
    session.tell("exit", Value::Null);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn positions_are_counted_as_agreed() {
    let env = TestEnv::with(&[("one.md", "# One\n"), ("two.md", "# Two\n")]);
    for (offered, column) in [(json!(["utf-16"]), 3), (json!(["utf-8"]), 5), (Value::Null, 3)] {
        let capabilities = json!({ "general": { "positionEncodings": offered } });
        let mut session = Session::begin_with(&env, capabilities);
        session.open("one.md", "🦀 [[nowhere at all]]\n");
        let found = session.diagnostics("one.md", |all| !all.is_empty());
        assert_eq!(found[0]["range"]["start"]["character"], column, "{offered}");
        assert!(session.end());
    }
}

#[test]
fn a_question_that_is_taken_back_is_answered_so() {
    let env = TestEnv::with(&[("one.md", "# One\n[[two]]\n"), ("two.md", "# Two\n")]);
    let mut session = Session::begin(&env);
    let ids: Vec<_> = (0..40)
        .map(|_| session.begin_to_ask("workspace/symbol", json!({ "query": "two" })))
        .collect();
    let last = ids.last().unwrap().clone();
    session.tell("$/cancelRequest", json!({ "id": 41 }));
    // Of a question that was never asked, or is no question at all.
    session.tell("$/cancelRequest", json!({ "id": 4_711 }));
    session.tell("$/cancelRequest", json!({ "id": { "no": "id" } }));
    assert_eq!(session.wait_for(&last).unwrap_err().0, -32800);
    assert!(session.end());
}

#[test]
fn several_folders_are_open_at_once_and_one_is_closed() {
    let one = TestEnv::with(&[("a.md", "# Otters\n\nThey hold hands.\n")]);
    let two = TestEnv::with(&[("b.md", "# Bears\n\nThey sleep in winter.\n")]);
    let mut session = Session::begin(&one);
    let folder = json!({ "uri": format!("file://{}", two.root().display()), "name": "two" });
    let change =
        |added: Value, removed: Value| json!({ "event": { "added": added, "removed": removed } });
    session.tell("workspace/didChangeWorkspaceFolders", change(json!([folder]), json!([])));
    let names = |session: &mut Session, query: &str| -> Vec<String> {
        let found = session.ask("workspace/symbol", json!({ "query": query })).unwrap();
        let found = found.as_array().unwrap().clone();
        found.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let mut found = names(&mut session, "");
    found.sort();
    assert_eq!(found, ["Bears", "Otters"]);
    session.tell("workspace/didChangeWorkspaceFolders", change(json!([]), json!([folder])));
    assert_eq!(names(&mut session, ""), ["Otters"]);
    assert!(session.end());
}

#[test]
fn files_that_change_underneath_are_seen() {
    let env = TestEnv::with(&[("one.md", "# One\n\n[[later]]\n")]);
    let mut session = Session::begin(&env);
    session.open("one.md", "# One\n\n[[later]]\n");
    session.diagnostics("one.md", |all| all.len() == 1);
    env.write("later.md", "# Later\n");
    let changed = json!({ "changes": [{ "uri": session.uri("later.md"), "type": 1 }] });
    session.tell("workspace/didChangeWatchedFiles", changed);
    session.diagnostics("one.md", <[_]>::is_empty);
    env.remove("later.md");
    let changed = json!({ "changes": [{ "uri": session.uri("later.md"), "type": 3 }] });
    session.tell("workspace/didChangeWatchedFiles", changed);
    session.diagnostics("one.md", |all| all.len() == 1);
    assert!(session.end());
}

#[test]
fn a_folder_that_goes_is_seen_by_whoever_is_not_told() {
    let env =
        TestEnv::with(&[("one.md", "# One\n\n[x](docs/two.md)\n"), ("docs/two.md", "# Two\n")]);
    let mut session = Session::begin(&env);
    session.open("one.md", "# One\n\n[x](docs/two.md)\n");
    session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
    session.diagnostics("one.md", <[_]>::is_empty);
    std::fs::remove_dir_all(env.path("docs")).unwrap();
    session.diagnostics("one.md", |all| all.len() == 1);
    assert!(session.end());
}

#[test]
fn what_cannot_be_read_takes_nothing_back_and_stops_nobody_else() {
    let one = TestEnv::with(&[("a.md", "# Otters\n\n[[nowhere]]\n")]);
    let two = TestEnv::with(&[("b.md", "# Bears\n")]);
    let mut session = Session::begin(&one);
    let folder = json!({ "uri": format!("file://{}", two.root().display()), "name": "two" });
    let change = json!({ "event": { "added": [folder], "removed": [] } });
    session.tell("workspace/didChangeWorkspaceFolders", change);
    session.open("a.md", "# Otters\n\n[[nowhere]]\n");
    session.diagnostics("a.md", |all| all.len() == 1);
    one.write(".elophanto/config.yaml", "search: [\n");
    session.replace("a.md", 2, "# Otters\n\n[[nowhere]] [[either]]\n");
    session.told("window/logMessage");
    let found = session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
    assert_eq!(found[0]["name"], "Bears", "{found}");
    let uri = session.uri("a.md");
    assert!(
        session.published[&uri].iter().skip(1).all(|it| it["diagnostics"] != json!([])),
        "{:?}",
        session.published[&uri]
    );
    assert!(session.end());
}

#[test]
fn source_code_opens_no_repository_that_is_no_knowledge_base() {
    let one = TestEnv::with(&[("a.md", "# Otters\n")]);
    let two = TestEnv::with(&[("b.md", "# Bears\n"), ("x.rs", "fn x() {}\n")]);
    let _ = std::fs::remove_dir_all(two.path(".elophanto"));
    let mut session = Session::begin(&one);
    let open = |session: &mut Session, name: &str| {
        let uri = format!("file://{}", two.path(name).display());
        let document = json!({ "uri": uri, "languageId": "x", "version": 1, "text": "x" });
        session.tell("textDocument/didOpen", json!({ "textDocument": document }));
        let found = session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
        found.as_array().unwrap().len()
    };
    assert_eq!(open(&mut session, "x.rs"), 1);
    assert_eq!(open(&mut session, "b.md"), 2);
    assert!(session.end());
}

#[test]
fn a_file_outside_of_any_knowledge_base_is_nobodys() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let mut session = Session::begin(&env);
    let outside = env.outside().join("alone.md");
    std::fs::write(&outside, "# Alone\n[[x]]\n").unwrap();
    let uri = format!("file://{}", outside.display());
    for uri in [uri.as_str(), "untitled:Untitled-1", "http://example.org/a.md"] {
        let document =
            json!({ "uri": uri, "languageId": "markdown", "version": 1, "text": "[[x]]" });
        session.tell("textDocument/didOpen", json!({ "textDocument": document }));
        let at = json!({
            "textDocument": { "uri": uri }, "position": { "line": 0, "character": 2 },
        });
        assert_eq!(session.ask("textDocument/hover", at), Ok(Value::Null), "{uri}");
    }
    assert!(session.end());
}
