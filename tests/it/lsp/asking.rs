//! What is known of what stands somewhere, and where it is.

use serde_json::{Value, json};

use super::session::{Session, place};
use crate::env::TestEnv;

/// A repository with notes, a page of an entity, and source code that notes speak of.
fn harbour() -> TestEnv {
    let env = TestEnv::with(&[
        (
            "docs/ferry.md",
            "# The ferry\n\nIt leaves at dawn.\n\n## Winter\n\nNone when [[harbour#Ice]] is there.\n",
        ),
        (
            "docs/harbour.md",
            "# The harbour\n\n[to the ferry](ferry.md#winter), [[ferry]]\n\n## Ice\n\nThick.\n",
        ),
        (
            "docs/code.md",
            "---\ntitle: The code\ncovers: [src/tide.rs]\n---\n# The code\n\n`next_tide` says when the water is high.\n",
        ),
        ("src/tide.rs", "/// The next tide.\nfn next_tide() {}\n"),
    ]);
    env.write_attributes();
    env.commit("first");
    let text = "# KEF\n\nKEF makes speakers. KEF was founded in 1961.\n";
    let learnt = env.run_with(&["learn", "KEF", "--from", "-"], text.as_bytes());
    assert_eq!(learnt.code, Some(0), "{learnt}");
    env.commit("What is known of KEF");
    env
}

fn hover(session: &mut Session, path: &str, line: u32, column: u32) -> String {
    let found = session.at("textDocument/hover", path, line, column);
    found["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

fn text(env: &TestEnv, path: &str) -> String {
    String::from_utf8(env.read(path)).unwrap()
}

fn locations(session: &Session, found: &Value) -> Vec<String> {
    let root = session.uri("");
    let one = |it: &Value| {
        let uri = it["uri"].as_str().unwrap().strip_prefix(root.as_str()).unwrap();
        format!("{} {}", uri.trim_start_matches('/'), place(&it["range"]))
    };
    found.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn a_link_shows_what_it_leads_to() {
    let env = harbour();
    let mut session = Session::begin(&env);
    session.open("docs/harbour.md", &text(&env, "docs/harbour.md"));
    let found = hover(&mut session, "docs/harbour.md", 2, 5);
    assert!(found.starts_with("**Winter**\n\n[docs/ferry\\.md]("), "{found}");
    assert!(found.contains("None when"), "{found}");
    let found = hover(&mut session, "docs/harbour.md", 2, 37);
    assert!(found.contains("**The ferry**") && found.contains("It leaves at dawn\\."), "{found}");
    // Who changed it last, and in which commit.
    let commit = env.git(&["rev-parse", "--short=10", "HEAD~1"]);
    assert!(found.contains(&format!(", A {}\n", commit.trim())), "{found} {commit}");
    session.open("docs/new.md", "[[ferri]] KEF [code](../src/tide.rs)\n");
    let found = hover(&mut session, "docs/new.md", 0, 3);
    assert!(found.starts_with("**ferri** leads nowhere\n- [docs/ferry\\.md]("), "{found}");
    let found = hover(&mut session, "docs/new.md", 0, 20);
    assert!(found.contains("covers src/tide\\.rs"), "{found}");
    assert_eq!(session.at("textDocument/hover", "docs/new.md", 9, 9), Value::Null);
    assert!(session.end());
}

/// A note of a clone may name whatever it likes.
#[test]
fn a_link_shows_nothing_hidden_or_ignored() {
    let env = harbour();
    env.write(".gitignore", "private/\n");
    for path in ["private/diary.md", ".secret/diary.md", "new/diary.md"] {
        env.write(path, "# Diary\n\nNobody knows.\n");
    }
    let mut session = Session::begin(&env);
    let seen = [("private", false), (".secret", false), ("new", true)];
    for (folder, is_shown) in seen {
        session.open("docs/new.md", &format!("[x](../{folder}/diary.md)\n"));
        let found = hover(&mut session, "docs/new.md", 0, 8);
        assert_eq!(found.contains("Nobody knows"), is_shown, "{folder}: {found}");
        session.open("docs/new.md", &format!("[x](../{folder}/diary.md#\n"));
        let column = format!("[x](../{folder}/diary.md#").len() as u32;
        let found = session.at("textDocument/completion", "docs/new.md", 0, column);
        assert_eq!(found.to_string().contains("Diary"), is_shown, "{folder}: {found}");
    }
    assert!(session.end());
}

#[test]
fn an_entity_shows_facts_with_their_origin() {
    let env = harbour();
    let mut session = Session::begin(&env);
    session.open("docs/new.md", "I bought a pair of KEF speakers.\n");
    let found = hover(&mut session, "docs/new.md", 0, 20);
    assert!(found.starts_with("**KEF**"), "{found}");
    assert!(found.contains("founded in 1961"), "{found}");
    // Who committed it, and in which commit.
    assert!(found.contains(", A ") && !found.contains("not committed"), "{found}");
    let page = "knowledge/learned/entities/kef.md";
    let to = session.at("textDocument/definition", "docs/new.md", 0, 20);
    assert_eq!(to["uri"], session.uri(page));
    let refer = session.at("textDocument/references", "docs/new.md", 0, 20);
    assert_eq!(locations(&session, &refer), [format!("{page} 0:0-0:0")]);
    assert!(session.end());
}

#[test]
fn a_page_shows_what_is_doubtful_of_its_facts() {
    let env = harbour();
    let page = "knowledge/learned/entities/kef.md";
    let other =
        env.run_with(&["learn", "KEF", "--from", "-"], b"# KEF\n\nKEF was founded in 1963.\n");
    assert_eq!(other.code, Some(0), "{other}");
    let mut session = Session::begin(&env);
    session.open(page, &text(&env, page));
    let found = session.problems(page, |all| !all.is_empty());
    assert!(
        found.iter().any(|it| it.contains(" contradiction another source says: ")),
        "{found:?}"
    );
    let lines = text(&env, page).lines().count();
    let whole = json!({
        "textDocument": { "uri": session.uri(page) },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } },
    });
    // What was handed over without a name has no source to tell.
    assert_eq!(session.ask("textDocument/inlayHint", whole), Ok(json!([])));
    assert!(session.end());
}

#[test]
fn a_note_that_says_otherwise_than_a_fact_is_told_so() {
    let own = "# My audio\n\nKEF was founded in 1950.\n";
    let env = TestEnv::with(&[("knowledge/user/audio.md", own)]);
    env.write_attributes();
    env.commit("first");
    let learnt = env.run_with(
        &["learn", "KEF", "--from", "-"],
        b"# KEF\n\nKEF makes speakers. KEF was founded in 1961.\n",
    );
    assert_eq!(learnt.code, Some(0), "{learnt}");
    let mut session = Session::begin(&env);
    session.open("knowledge/user/audio.md", own);
    let found = session.problems("knowledge/user/audio.md", |all| !all.is_empty());
    assert_eq!(
        found,
        [
            "2:0-2:24 contradiction a fact about KEF says otherwise: KEF was founded in 1961. (no source named)"
        ]
    );
    let lenses = session.about("textDocument/codeLens", "knowledge/user/audio.md");
    let titles: Vec<&str> = lenses
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["command"]["title"].as_str())
        .collect();
    assert!(titles.iter().any(|it| it.starts_with("contradicts knowledge/learned/")), "{titles:?}");
    let page = "knowledge/learned/entities/kef.md";
    session.open(page, &text(&env, page));
    let found = session.diagnostics(page, |all| !all.is_empty());
    assert_eq!(found[0]["message"], "your note `knowledge/user/audio.md` says otherwise");
    let there = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(there["uri"], session.uri("knowledge/user/audio.md"));
    assert_eq!(there["range"]["start"]["line"], 2);
    assert!(session.end());
}

#[test]
fn facts_tell_their_source_behind_the_line_and_when_it_no_longer_says_so() {
    let env = harbour();
    env.write("docs/speakers.md", "# Speakers\n\nKEF makes the LS50. KEF employs 200 people.\n");
    env.commit("Speakers");
    env.ok(&["learn", "KEF", "--from", "docs/speakers.md"]);
    env.commit("More of KEF");
    let page = "knowledge/learned/entities/kef.md";
    let mut session = Session::begin(&env);
    session.open(page, &text(&env, page));
    let lines = text(&env, page).lines().count();
    let whole = json!({
        "textDocument": { "uri": session.uri(page) },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } },
    });
    let hints = session.ask("textDocument/inlayHint", whole).unwrap();
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().filter_map(|it| it["label"].as_str()).collect();
    assert!(labels.iter().any(|label| label.starts_with("docs/speakers.md")), "{labels:?}");
    env.remove("docs/speakers.md");
    let changed = json!({ "changes": [{ "uri": session.uri("docs/speakers.md"), "type": 3 }] });
    session.tell("workspace/didChangeWatchedFiles", changed);
    let found = session.problems(page, |all| all.iter().any(|it| it["code"] == "stale-fact"));
    assert!(
        found.iter().any(|it| it.ends_with("stale-fact its source `docs/speakers.md` is gone")),
        "{found:?}"
    );
    assert!(session.end());
}

#[test]
fn a_source_file_shows_what_notes_say_of_it() {
    let env = harbour();
    let mut session = Session::begin(&env);
    session.open("src/tide.rs", &text(&env, "src/tide.rs"));
    let found = hover(&mut session, "src/tide.rs", 1, 5);
    assert!(found.starts_with("Notes say of **next\\_tide**"), "{found}");
    assert!(found.contains("says when the water is high"), "{found}");
    let lenses = session.about("textDocument/codeLens", "src/tide.rs");
    assert_eq!(lenses[0]["command"]["title"], "told in The code");
    // Nothing of Markdown is said of it.
    for method in ["textDocument/documentSymbol", "textDocument/foldingRange"] {
        assert_eq!(session.about(method, "src/tide.rs"), Value::Null, "{method}");
    }
    assert!(session.end());
}

#[test]
fn links_are_followed_both_ways() {
    let env = harbour();
    let mut session = Session::begin(&env);
    session.open("docs/harbour.md", &text(&env, "docs/harbour.md"));
    session.open("docs/ferry.md", &text(&env, "docs/ferry.md"));
    let to = session.at("textDocument/definition", "docs/harbour.md", 2, 5);
    assert_eq!(
        (&to["uri"], place(&to["range"])),
        (&json!(session.uri("docs/ferry.md")), "4:0-4:9".into())
    );
    let ask = |session: &mut Session, line, column| {
        let found = session.at("textDocument/references", "docs/ferry.md", line, column);
        locations(session, &found)
    };
    assert_eq!(ask(&mut session, 4, 4), ["docs/harbour.md 2:0-2:31"]);
    assert_eq!(ask(&mut session, 0, 3), ["docs/harbour.md 2:0-2:31", "docs/harbour.md 2:33-2:42"]);
    assert_eq!(ask(&mut session, 6, 14), ["docs/ferry.md 6:10-6:25"]);
    let links = session.about("textDocument/documentLink", "docs/harbour.md");
    assert_eq!(place(&links[0]["range"]), "2:15-2:30");
    assert_eq!(links[1]["target"], session.uri("docs/ferry.md"));
    session.choice = Some("docs/harbour.md:3".to_owned());
    let here = json!({ "uri": session.uri("docs/ferry.md"), "line": 0 });
    let run = json!({ "command": "elophanto.references", "arguments": [here] });
    session.ask("workspace/executeCommand", run).unwrap();
    assert_eq!(session.told("window/showDocument")["uri"], session.uri("docs/harbour.md"));
    assert!(session.end());
}

#[test]
fn a_text_is_told_in_parts() {
    let env = harbour();
    let mut session = Session::begin(&env);
    let note = "---\ntitle: x\n---\n# A\n\n## B\n\n```\ncode\n```\n\n# C\n![[ferry]] [[nowhere]]\n";
    session.open("docs/new.md", note);
    let symbols = session.about("textDocument/documentSymbol", "docs/new.md");
    let name = |it: &Value| it["name"].as_str().unwrap().to_owned();
    let names: Vec<String> = symbols.as_array().unwrap().iter().map(name).collect();
    assert_eq!(names, ["A", "C"]);
    assert_eq!(name(&symbols[0]["children"][0]), "B");
    let foldings = session.about("textDocument/foldingRange", "docs/new.md");
    let mut lines: Vec<(i64, i64)> = foldings
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["startLine"].as_i64().unwrap(), it["endLine"].as_i64().unwrap()))
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [(0, 1), (3, 9), (5, 9), (7, 9), (11, 12)]);
    // So that all notes were read.
    session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
    let tokens = session.about("textDocument/semanticTokens/full", "docs/new.md");
    assert_eq!(tokens["data"], json!([12, 0, 10, 0, 2, 0, 11, 11, 0, 1]));
    assert!(session.end());
}

#[test]
fn lenses_tell_who_refers_and_what_is_alike() {
    let env = harbour();
    let mut session = Session::begin(&env);
    session.open("docs/ferry.md", &text(&env, "docs/ferry.md"));
    let lenses = session.about("textDocument/codeLens", "docs/ferry.md");
    let shown: Vec<String> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let title = it["command"]["title"].as_str().unwrap();
            format!("{} {title}", it["range"]["start"]["line"])
        })
        .filter(|it| !it.contains("similar"))
        .collect();
    assert_eq!(shown, ["0 2 links refer here", "4 1 link refers here"]);
    assert!(session.end());
}

#[test]
fn places_are_found_by_what_they_say() {
    let env = harbour();
    let mut session = Session::begin(&env);
    let found =
        session.ask("workspace/symbol", json!({ "query": "when does the ferry leave" })).unwrap();
    assert_eq!(found[0]["containerName"], "docs/ferry.md", "{found}");
    let nothing = session.ask("workspace/symbol", json!({ "query": "\"" })).unwrap();
    assert_eq!(nothing, json!([]));
    assert!(session.end());
}
