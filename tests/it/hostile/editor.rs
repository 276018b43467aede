//! An editor that opens each hostile repository, with the language server at work in it.

use std::io::Read;

use serde_json::{Value, json};

use super::{
    arena as built, check,
    kinds::{Kind, OURS, PLACES, REMOTES, SETTINGS},
};
use crate::lsp::session::{Session, able};

const AT: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/completion",
];
const ABOUT: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
];

fn hold(kind: &Kind) {
    let arena = built(kind);
    let variables = (kind.variables)(&arena);
    let before = arena.surroundings();
    for folder in kind.folders {
        let mut command = arena.command(folder, &["lsp"], &variables);
        let root = arena.env.path(folder);
        let root = root.to_str().unwrap().trim_end_matches('/').to_owned();
        let (mut session, mut child) = Session::spawn(&mut command, &root);
        session.initialize(able());
        let text = "# Otters\n\nThey [[bears]] [x](docs/bears.md) [[new]] hold hands.\n";
        for path in ["otters.md", "docs/bears.md", "src/main.rs"] {
            session.open(path, text);
            let place = json!({
                "textDocument": { "uri": session.uri(path) },
                "position": { "line": 2, "character": 8 },
                "context": { "includeDeclaration": true, "triggerKind": 1 },
            });
            for method in AT.iter().chain(ABOUT) {
                // That settings are unusable is an answer; a fault of ours is none.
                if let Err((code, said)) = session.ask(method, place.clone()) {
                    assert_eq!(code, -32803, "{}: {method}: {said}", kind.name);
                }
            }
        }
        let ask = json!({ "query": "hands" });
        // A place that is no repository has nothing to find.
        let _ = session.ask("workspace/symbol", ask);
        let here = json!({ "uri": session.uri("otters.md") });
        let run = json!({ "command": "elophanto.openAtCommit", "arguments": [here] });
        let _ = session.ask("workspace/executeCommand", run);
        let rename = json!({
            "textDocument": { "uri": session.uri("otters.md") },
            "position": { "line": 2, "character": 8 },
            "newName": "cubs",
        });
        let _ = session.ask("textDocument/rename", rename);
        session.ask("shutdown", Value::Null).unwrap();
        session.tell("exit", Value::Null);
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let name = kind.name;
        assert!(status.code() == Some(0) && !said.contains("panicked"), "{name}: {status} {said}");
        check(kind, &arena, &before, &format!("an editor in {folder:?}"));
    }
}

#[test]
fn hostile_settings_and_remotes_meet_an_editor() {
    SETTINGS.iter().chain(REMOTES).for_each(hold);
}

#[test]
fn hostile_places_and_files_of_ours_meet_an_editor() {
    PLACES.iter().chain(OURS).for_each(hold);
}
