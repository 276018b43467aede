//! What is asked for and is not there, and knowledge bases that lack something.

use super::Visitor;
use crate::{
    env::{TestEnv, finish},
    gateway::{Gate, until},
};

#[test]
fn what_is_not_there() {
    let env = TestEnv::with(&[
        ("ferry.md", "# The ferry\n\nIt leaves.\n"),
        (".own/hidden.md", "# Hidden\n"),
        ("diary/ignored.md", "# Ignored\n"),
        (".elophantoignore", "diary\n"),
    ]);
    env.commit("First");
    let visitor = Visitor::open(&env);
    for (page, says) in [
        ("note/gone.md", "search for what it says"),
        ("note/../ferry.md", "there is no"),
        ("note/%2e%2e/%2e%2e/etc/passwd", "there is no note"),
        ("note/ferry.md?at=nosuchrev", "names no commit and no date"),
        ("note/ferry.md?at=--output=x", "names no commit and no date"),
        ("note/ferry.md?at=1999-01-01", "no commit as old as"),
        ("note/ferry.md?at=%00", "%00"),
        ("search?q=%00", "%00"),
        ("note/ferry.md?at=HEAD%0A", "names no commit and no date"),
        ("note/ferry.md?at=%FF", "names no commit and no date"),
        ("peek/note/gone.md", "there is no note"),
        ("peek/run/1", "there is no note"),
        ("picture/gone.png", "there is no picture"),
        ("note/.git/config?at=HEAD", "there was no note"),
        ("note/.own/hidden.md?at=HEAD", "there was no note"),
        ("note/diary/ignored.md?at=HEAD", "there was no note"),
        ("history/diary/ignored.md", "there is no note"),
        ("note/%FF.md", "there is no such page"),
        ("notes?folder=nowhere", "no note lies in"),
        ("entity/nobody", "nothing is known of"),
        ("graph?note=gone.md", "there is no note"),
        ("run/01ARZ3NDEKTSV4RRFFQ69G5FAV", "there is no run"),
        ("run/../../etc", "no beginning of a run"),
        ("memory/none", "there is no lesson"),
        ("history/gone.md", "there is no note"),
        ("history/:(glob)**.md", "there is no note"),
        ("history/.gitattributes", "there is no note"),
        ("lines/gone.md", "there is no note"),
        ("nowhere", "there is no such page"),
        ("note/", "there is no such page"),
    ] {
        let answer = visitor.page(page);
        assert_eq!(answer.status, 404, "{page}: {}", answer.body);
        assert!(answer.body.contains(says), "{page}: {}", answer.body);
    }
    assert_eq!(visitor.get("another/notes").status, 404);
    // Programs are told in their own way.
    let long = format!("note/ferry.md.json?at={}", "x".repeat(20_000));
    for (page, status) in [
        ("note/gone.md.json", 404),
        ("note/ferry.md.json?at=nosuchrev", 404),
        ("note/ferry.md.json?at=%00", 404),
        (&long, 404),
        ("memory/none.json", 404),
        ("run/../../etc.json", 404),
        ("entity/nobody.json", 404),
        ("nowhere.json", 404),
        ("search.json?q=a&since=whenever", 404),
    ] {
        let answer = visitor.page(page);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{page}");
        let told = answer.json();
        assert_eq!(answer.status, status, "{page}: {told}");
        assert!(told["error"].is_string() && told["hint"].is_string(), "{page}: {told}");
    }
    assert!(visitor.get("another/notes.json").json()["error"].is_string());
    let stranger = visitor.get_with(&format!("{}/notes.json", visitor.name), &[]);
    assert!(stranger.status == 401 && stranger.json()["error"].is_string(), "{stranger:?}");
    // However much is asked.
    for length in [1_000, 20_000, 50_000] {
        let answer = visitor.page(&format!("search?q={}", "walrus+".repeat(length / 7)));
        assert!(matches!(answer.status, 200 | 404), "{length}: {}", answer.status);
    }
    for parameter in ["since", "until", "author", "at", "path", "tag", "kind", "scope", "mode"] {
        for value in ["%00", "%0A", "%FF", "--output=x", "["] {
            let page = format!("search?q=ferry&{parameter}={value}");
            let status = visitor.page(&page).status;
            assert!(matches!(status, 200 | 404), "{page}: {status}");
        }
    }
    for page in [
        "notes?page=0",
        "notes?page=99999999999999999999",
        "notes?page=18446744073709551615",
        "history/ferry.md?page=18446744073709551615",
        "lines/ferry.md?page=18446744073709551615",
        "graph?page=18446744073709551615",
        "entities?page=18446744073709551615",
        "questions?page=18446744073709551615",
        "memory?page=18446744073709551615",
        "runs?page=18446744073709551615",
        "search?q=ferry&page=18446744073709551615",
        "search?q=a&page=-1",
        "search?q=a&since=whenever",
        "search?q=-",
        "note/ferry.md?mark=0:0&part=999",
    ] {
        let answer = visitor.page(page);
        assert!(matches!(answer.status, 200 | 404), "{page}: {}", answer.status);
    }
}

/// Notes that come while others are being read; and why a file is none.
#[test]
fn many_large_notes_at_once() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n\nIt leaves.\n")]);
    env.commit("First");
    let visitor = Visitor::open(&env);
    visitor.html("note/ferry.md");
    env.write("large.md", format!("# Large\n\n{}", "many words of a walrus\n\n".repeat(60_000)));
    env.write("deep.md", (0..400).map(|at| "  ".repeat(at) + "- x\n").collect::<String>());
    env.write("quoted.md", format!("# Quoted\n\n{} x\n", ">".repeat(5_000)));
    env.write("one.md", format!("# One\n\n{}\n", "word ".repeat(300_000)));
    until("all are there", || {
        ["large.md", "deep.md", "quoted.md"]
            .iter()
            .all(|note| visitor.page(&format!("note/{note}")).status == 200)
    });
    let left_out = visitor.page("note/one.md");
    assert_eq!(left_out.status, 404);
    assert!(left_out.body.contains("over the cap of"), "{}", left_out.body);
}

#[test]
fn without_git_without_notes_and_shallow() {
    let plain = TestEnv::plain();
    plain.write("ferry.md", "# The ferry\n\nIt leaves.\n");
    plain.ok(&["init"]);
    let visitor = Visitor::open(&plain);
    for page in [
        "", "notes", "note/ferry.md", "history/ferry.md", "lines/ferry.md", "search?q=ferry",
        "graph", "status", "runs",
    ] {
        visitor.html(page);
    }
    assert!(visitor.html("note/ferry.md").contains("there is no git repository here"));
    assert_eq!(visitor.page("note/ferry.md?at=HEAD").status, 404);

    let empty = TestEnv::new();
    let visitor = Visitor::open(&empty);
    assert!(visitor.html("").contains("There are no notes yet"));
    for page in [
        "notes", "search?q=a", "answer?q=a", "entities", "graph", "questions", "memory", "runs",
        "status",
    ] {
        visitor.html(page);
    }

    let deep = TestEnv::with(&[("ferry.md", "# One\n")]);
    deep.commit("One");
    deep.write("ferry.md", "# Two\n");
    deep.commit("Two");
    let shallow = TestEnv::new();
    let from = format!("file://{}", deep.root().display());
    shallow.git(&["fetch", "--quiet", "--depth=1", &from, "main"]);
    shallow.git(&["reset", "--quiet", "--hard", "FETCH_HEAD"]);
    let visitor = Visitor::open(&shallow);
    assert!(visitor.html("note/ferry.md").contains("Two"));
    assert_eq!(visitor.page("note/ferry.md?at=HEAD~1").status, 404);
    for page in ["note/ferry.md", "history/ferry.md"] {
        let html = visitor.html(page);
        assert!(html.contains("git fetch --unshallow"), "{page}: {html}");
    }
    let whole = Visitor::open(&deep);
    assert!(!whole.html("note/ferry.md").contains("unshallow"));
}

/// Several repositories: each by its name, and one search over all.
#[test]
fn several_repositories() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n\nThe ferry leaves at dawn.\n")]);
    env.commit("First");
    let other = env.outside().join("island");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(
        other.join("boat.md"),
        "# The boat\n\nThe ferry of the island leaves at dusk.\n",
    )
    .unwrap();
    finish(env.sealed("git").args(["init", "--quiet"]).current_dir(&other));
    let settings =
        format!("gateway.repositories: [\"{}\", \"{}\"]\n", env.root().display(), other.display());
    env.write_settings(&settings);
    let visitor = Visitor::of(Gate::open(&env));
    let here = visitor.html("");
    assert!(here.contains("Repositories") && here.contains("/island/"), "{here}");
    let found = visitor.html("search?q=ferry&everywhere=1");
    assert!(found.contains("at dawn") && found.contains("at dusk"), "{found}");
    assert!(found.contains("/island/note/boat.md?mark="));
    assert!(!visitor.html("search?q=ferry").contains("at dusk"));
    assert!(visitor.get("island/note/boat.md").body.contains("at dusk"));
    // Both ways, for programs too; and one that is gone hinders no other.
    let there = visitor.get("island/search.json?q=ferry&everywhere=1").json();
    assert_eq!(
        (&there["files"][0]["path"], &there["others"][0]["files"][0]["path"]),
        (&"boat.md".into(), &"ferry.md".into())
    );
    std::fs::rename(&other, env.outside().join("sunk")).unwrap();
    let found = visitor.html("search?q=ferry&everywhere=1");
    assert!(found.contains("at dawn") && found.contains("It cannot be searched"), "{found}");
    let twin = visitor.json("search.json?q=ferry&everywhere=1");
    assert!(twin["others"][0]["error"].is_string(), "{twin}");
    assert_eq!(visitor.get("island/notes").status, 503);
}

/// Whoever changes the token of the gateway closes its pages too.
#[test]
fn a_cookie_of_yesterday() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    let visitor = Visitor::open(&env);
    visitor.html("notes");
    env.ok(&["gateway", "token", "rotate"]);
    until("the cookie opens nothing", || visitor.page("notes").status == 401);
    let closed = visitor.page("notes");
    assert!(closed.body.contains("elophanto page"), "{}", closed.body);
    assert!(
        visitor.page("notes.json").json()["error"].as_str().unwrap().contains("elophanto page")
    );
}
