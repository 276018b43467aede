//! What is wrong while somebody writes, and what mends it.

use serde_json::{Value, json};

use super::session::{Session, able, place};
use crate::env::TestEnv;

/// A key that no service has.
const KEY: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Titles of what can be done at a place, each with what it would write.
fn actions(session: &mut Session, path: &str, line: u32, from: u32, to: u32) -> Vec<Value> {
    let params = json!({
        "textDocument": { "uri": session.uri(path) },
        "range": {
            "start": { "line": line, "character": from }, "end": { "line": line, "character": to },
        },
        "context": { "diagnostics": [] },
    });
    session.ask("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
}

fn shown(actions: &[Value]) -> Vec<String> {
    let one = |it: &Value| {
        let edit = &it["edit"]["documentChanges"][0]["edits"][0];
        let text =
            edit["newText"].as_str().map(|text| format!(" -> {} {text}", place(&edit["range"])));
        format!("{}{}", it["title"].as_str().unwrap(), text.unwrap_or_default())
    };
    actions.iter().map(one).collect()
}

#[test]
fn broken_links_are_told_with_what_may_be_meant() {
    let env = TestEnv::with(&[
        ("docs/one.md", "# One\n"),
        ("docs/harbour.md", "# The harbour\n\n## Winter\n"),
        ("pic.png", "x"),
    ]);
    let text = "# One\n\n[[harbor]] [x](harbour.md#wintr) [p](../pic.png) [y](../gone.md)\n[[harbour#Winter]] [w](https://example.org)\n";
    let mut session = Session::begin(&env);
    session.open("docs/one.md", text);
    let found = session.problems("docs/one.md", |all| all.len() == 3);
    assert_eq!(
        found,
        [
            "2:0-2:10 broken-link `harbor` leads nowhere",
            "2:11-2:32 missing-heading `docs/harbour.md` has no heading `wintr`",
            "2:49-2:64 broken-link `../gone.md` leads nowhere",
        ]
    );
    assert_eq!(
        shown(&actions(&mut session, "docs/one.md", 2, 3, 3)),
        [
            "Link to docs/harbour.md -> 2:2-2:8 harbour",
            "Write the note docs/harbor.md",
            "Open as it was at a commit",
        ]
    );
    assert_eq!(
        shown(&actions(&mut session, "docs/one.md", 2, 20, 20))[0],
        "Link to # Winter -> 2:26-2:31 winter"
    );
    // An editor that cannot make files is not told to.
    assert!(session.end());
    let mut session = Session::begin_with(&env, json!({}));
    session.open("docs/one.md", text);
    session.diagnostics("docs/one.md", |all| all.len() == 3);
    let all = actions(&mut session, "docs/one.md", 2, 3, 3);
    assert!(all[0]["edit"]["changes"].is_object(), "{all:?}");
    assert!(!all.iter().any(|it| it["title"].as_str().unwrap().contains("Write")), "{all:?}");
    assert!(session.end());
}

#[test]
fn links_to_pages_of_a_site_are_not_called_broken() {
    let env = TestEnv::with(&[("docs/one.md", "# One\n"), ("docs/b/README.md", "# B\n")]);
    let mut session = Session::begin(&env);
    let text = "[a](one.html#one) [b](b/index.html) [c](/from/the/top) [d](two.html) [[/abs]]\n";
    session.open("docs/new.md", text);
    let found = session.problems("docs/new.md", |all| all.len() == 2);
    assert_eq!(
        found,
        [
            "0:55-0:68 broken-link `two.html` leads nowhere",
            "0:69-0:77 broken-link `/abs` leads nowhere",
        ]
    );
    assert!(session.end());
}

#[test]
fn links_that_generators_of_sites_follow_are_not_called_broken() {
    let env = TestEnv::with(&[
        ("website/docusaurus.config.js", "x"),
        ("docs/api/store.md", "# Store\n"),
        ("book/src/SUMMARY.md", "# Summary\n"),
        ("guide/mkdocs.yml", "x"),
        ("guide/docs/tilde.md", "# Caret, Mark & Tilde\n"),
    ]);
    let mut session = Session::begin(&env);
    let cases: [(&str, &str, &[&str]); 4] = [
        (
            "docs/deep/one.md",
            "[a](api/store.md) [b](../address#part) [c](api/gone.md) [d](./api/store.md)\n",
            &[
                "0:39-0:55 broken-link `api/gone.md` leads nowhere",
                "0:56-0:75 broken-link `./api/store.md` leads nowhere",
            ],
        ),
        ("other/one.md", "[b](../address)\n", &["0:0-0:15 broken-link `../address` leads nowhere"]),
        (
            "book/src/deep/one.md",
            "[a](../../std/x.html) [b](../x.html)\n",
            &["0:22-0:36 broken-link `../x.html` leads nowhere"],
        ),
        (
            "guide/docs/one.md",
            "[a](tilde.md#caret-mark-tilde) [b](tilde.md#tilde)\n",
            &["0:31-0:50 missing-heading `guide/docs/tilde.md` has no heading `tilde`"],
        ),
    ];
    for (path, text, expected) in cases {
        session.open(path, text);
        let found = session.problems(path, |all| all.len() == expected.len());
        assert_eq!(found, expected, "{path}");
    }
    assert!(session.end());
}

#[test]
fn names_of_files_in_a_vault_are_not_called_broken() {
    let env = TestEnv::with(&[
        ("en/Plugins/Formulas.md", "# Formulas\n"),
        ("de/Plugins/Formulas.md", "# Formeln\n"),
        ("zh/other.md", "---\naliases: [Formulas]\n---\n# Other\n"),
        ("en/Pictures/Menu.svg", "x"),
    ]);
    let mut session = Session::begin(&env);
    let text = "[[Formulas#Part]] [[formulas]] [[Plugins/Formulas]] ![[menu.svg]] ![m](Menu.svg)\n\
        ![[gone.svg]] [x](gone.svg)\n";
    session.open("en/one.md", text);
    session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
    let found = session.problems("en/one.md", |all| all.len() == 3);
    assert_eq!(
        found,
        [
            "0:0-0:17 missing-heading `en/Plugins/Formulas.md` has no heading `Part`",
            "1:0-1:13 broken-link `gone.svg` leads nowhere",
            "1:14-1:27 broken-link `gone.svg` leads nowhere",
        ]
    );
    assert!(session.end());
}

#[test]
fn the_missing_note_is_made_by_the_editor() {
    let env = TestEnv::with(&[("a/one.md", "# One\n")]);
    let mut session = Session::begin(&env);
    session.open("a/one.md", "[[new note]] [[../../../etc/passwd]] [[.git/hooks/x]]\n");
    let all = actions(&mut session, "a/one.md", 0, 3, 3);
    let made = all.iter().find(|it| it["title"] == "Write the note a/new note.md").unwrap();
    let changes = &made["edit"]["documentChanges"];
    assert_eq!(changes[0]["kind"], "create");
    assert_eq!(changes[0]["uri"], session.uri("a/new note.md"));
    assert_eq!(changes[0]["options"], json!({ "overwrite": false, "ignoreIfExists": false }));
    assert_eq!(changes[1]["edits"][0]["newText"], "# New note\n\n");
    for column in [20, 45] {
        let all = shown(&actions(&mut session, "a/one.md", 0, column, column));
        assert!(!all.iter().any(|it| it.contains("Write")), "{all:?}");
    }
    assert!(session.end());
    assert!(!env.path("a/new note.md").exists());
}

#[test]
fn no_note_is_made_where_a_link_leads() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let outside = env.outside().join("elsewhere");
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, env.path("docs")).unwrap();
    std::os::unix::fs::symlink(outside.join("gone.md"), env.path("dangling.md")).unwrap();
    let mut session = Session::begin(&env);
    session.open("one.md", "[x](docs/new.md) [y](dangling.md) [z](free.md)\n");
    for (column, is_offered) in [(5, false), (22, false), (39, true)] {
        let all = shown(&actions(&mut session, "one.md", 0, column, column));
        assert_eq!(all.iter().any(|it| it.contains("Write the note")), is_offered, "{all:?}");
    }
    let rename = |session: &mut Session, name: &str| {
        let at = json!({ "line": 0, "character": 2 });
        let uri = session.uri("two.md");
        let params = json!({ "textDocument": { "uri": uri }, "position": at, "newName": name });
        session.ask("textDocument/rename", params)
    };
    session.open("two.md", "[[one]]\n");
    for name in ["docs/one", "/docs/one", "/dangling"] {
        assert!(rename(&mut session, name).is_err(), "{name}");
    }
    assert!(rename(&mut session, "other").is_ok());
    assert!(session.end());
}

#[test]
fn what_others_read_is_not_called_broken() {
    let env = TestEnv::with(&[(
        "a/b.md",
        "# B\n\n<h2 id=plain>x</h2> <a name=bare>\n\n## ![Logo](x.png) Name\n",
    )]);
    let mut session = Session::begin(&env);
    let text = "# One\n\n[[Back to B]](a/b.md) [[1]](#one) [[2]][ref] [[ref]] [[ -f x ]] [[0]] [[:alpha:]]\n\
        [`bits!`](macro@crate::bits) [c](tower_http::cors) [s](Snafu) [i](../../issues)\n\
        [q](a/b.md?raw=true) [t](/src/x.rs) [^1] [u](#top)\n\
        [p](a/b.md#plain) [b](a/b.md#bare) [l](a/b.md#name) [[really gone]]\n\n\
        [ref]: a/b.md\n[^1]: Words of it\n";
    session.open("one.md", text);
    session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
    let found = session.problems("one.md", |all| !all.is_empty());
    assert_eq!(found, ["5:52-5:67 broken-link `really gone` leads nowhere"]);
    assert!(session.end());
}

#[test]
fn a_secret_is_seen_while_it_is_typed_and_masked_by_a_key() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let mut session = Session::begin(&env);
    session.open("one.md", "# One\n\n");
    session.diagnostics("one.md", <[_]>::is_empty);
    let typed = json!([{
        "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 0 } },
        "text": format!("token: {KEY}\n"),
    }]);
    session.change("one.md", 2, typed);
    let found = session.diagnostics("one.md", |all| !all.is_empty());
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("secret"), &json!(1)));
    assert!(!found[0]["message"].as_str().unwrap().contains(KEY));
    let all = actions(&mut session, "one.md", 2, 10, 10);
    let edit = &all[0]["edit"]["documentChanges"][0];
    assert_eq!(all[0]["title"], "Mask this GitHub token");
    assert_eq!(edit["textDocument"]["version"], 2);
    assert_eq!(place(&edit["edits"][0]["range"]), "2:7-2:47");
    let masked = edit["edits"][0]["newText"].as_str().unwrap().to_owned();
    assert_eq!(masked, "masked-secret");
    session.replace("one.md", 3, &format!("# One\n\ntoken: {masked}\n"));
    session.diagnostics("one.md", <[_]>::is_empty);
    // The hook looks at notes alone, and at what lists allow.
    session.open("src/main.rs", &format!("// {KEY}\n"));
    session.diagnostics("src/main.rs", <[_]>::is_empty);
    assert!(session.end());
}

#[test]
fn what_is_not_saved_is_not_searched() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    env.commit("first");
    let mut session = Session::begin(&env);
    session.open("one.md", "# One\n\nMarmots whistle at strangers.\n");
    session.diagnostics("one.md", <[_]>::is_empty);
    let found = session.ask("workspace/symbol", json!({ "query": "marmots whistle" })).unwrap();
    assert_eq!(found, json!([]));
    assert!(session.end());
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    assert!(env.hits(&["marmots whistle"]).is_empty());
}

#[test]
fn drift_is_told_where_it_is_said_what_is_covered() {
    let env = TestEnv::with(&[
        ("src/lib.rs", "fn one() {}\n"),
        ("note.md", "---\ntitle: Lib\ncovers: [src/**]\n---\n\n# Lib\n"),
    ]);
    env.commit("first");
    env.write("src/lib.rs", "fn two() {}\n");
    env.git(&["commit", "--quiet", "--all", "-m", "Two in place of one"]);
    let text = String::from_utf8(env.read("note.md")).unwrap();
    let mut session = Session::begin(&env);
    session.open("note.md", &text);
    let found = session.problems("note.md", |all| !all.is_empty());
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert!(found.starts_with("2:0-2:16 drift 1 commit touched what this note covers"), "{found}");
    assert!(found.ends_with("Two in place of one"), "{found}");
    let lenses = session.about("textDocument/codeLens", "note.md");
    let title = lenses[0]["command"]["title"].as_str().unwrap();
    assert!(title.starts_with("drifted since ") && title.ends_with(": 1 commit"), "{title}");
    assert!(session.end());
}

#[test]
fn only_the_last_state_of_a_text_is_told_of() {
    let env = TestEnv::with(&[("one.md", "# One\n")]);
    let mut session = Session::begin(&env);
    session.open("one.md", "");
    for version in 2..40 {
        session.replace("one.md", version, &"[[x]] ".repeat(version as usize));
    }
    session.diagnostics("one.md", |all| all.len() == 39);
    let uri = session.uri("one.md");
    let versions: Vec<i64> =
        session.published[&uri].iter().filter_map(|it| it["version"].as_i64()).collect();
    assert!(versions.is_sorted(), "{versions:?}");
    session.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    session.diagnostics("one.md", <[_]>::is_empty);
    assert!(session.end());
}

#[test]
fn what_is_proposed_depends_on_what_is_written() {
    let env = TestEnv::with(&[
        ("boats/ferry.md", "---\ntags: [boats, harbour]\n---\n# The ferry\n\nThe ferry leaves the harbour at dawn.\n\n## In winter\n"),
        ("boats/oil.md", "---\ntags: [boats]\n---\n# Engine oil\n\nThe engine needs oil each month.\n"),
        ("kitchen/soup.md", "# Soup\n\nOnions and carrots, cooked slowly.\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/lib.rs", ""),
        ("log.md", "# Log\n"),
    ])
    .builtin();
    env.ok(&["index"]);
    let mut session = Session::begin(&env);
    session.open("log.md", "");
    session.ask("workspace/symbol", json!({ "query": "" })).unwrap();
    let mut version = 1;
    let mut check = |text: &str, expected: &[&str]| {
        let (before, _) = text.split_once('¦').unwrap();
        let line = before.matches('\n').count() as u32;
        let column = before.rsplit('\n').next().unwrap().len() as u32;
        version += 1;
        session.replace("log.md", version, &text.replace('¦', ""));
        let found = session.at("textDocument/completion", "log.md", line, column);
        let items = found["items"].as_array().unwrap();
        let item = |it: &Value| {
            let text = it["textEdit"]["newText"].as_str().unwrap();
            format!("{} = {text}", it["label"].as_str().unwrap())
        };
        let found: Vec<String> = items.iter().map(item).take(expected.len()).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("Cooking onions and carrots slowly, see [[¦", &["Soup = soup]]"]);
    check("The boat leaves the harbour at dawn: [[¦]]", &["The ferry = ferry"]);
    check("The engine needs oil: [x](¦)", &["Engine oil = boats/oil.md"]);
    check("[[fer¦", &["The ferry = ferry]]"]);
    check("[[ferry#¦]]", &["The ferry = The ferry", "In winter = In winter"]);
    check("[x](boats/ferry.md#¦)", &["The ferry = the-ferry", "In winter = in-winter"]);
    check("---\ntags: [b¦]\n---\n", &["boats = boats", "harbour = harbour"]);
    check("---\ntags: [x]\ns¦\n---\n", &["title = title: ", "created = created: "]);
    check("---\nscope: ¦\n---\n", &["system = system", "user = user"]);
    check(
        "---\ncovers: [src/¦]\n---\n",
        &["src/lib.rs = src/lib.rs", "src/main.rs = src/main.rs", "src/*.rs = src/*.rs"],
    );
    check("```\n[[¦\n```\n", &[]);
    check("[x](fer¦ry.md)", &["The ferry = boats/ferry.md"]);
    check("[[fer¦xyz]]", &["The ferry = ferry"]);
    check("[x](<fer¦", &["The ferry = boats/ferry.md>)"]);
    for (typed, expected) in
        [("[x](../", "../kitchen/soup.md)"), ("[x](../kit", "../kitchen/soup.md)")]
    {
        session.open("boats/new.md", typed);
        let found = session.at("textDocument/completion", "boats/new.md", 0, typed.len() as u32);
        let mut texts =
            found["items"].as_array().unwrap().iter().map(|it| &it["textEdit"]["newText"]);
        assert!(texts.any(|it| it == expected), "{typed}: {found}");
        assert!(!found.to_string().contains("oil.md)"), "{found}");
    }
    assert!(session.end());
}

#[test]
fn commands_do_what_those_of_the_terminal_do() {
    let env = TestEnv::with(&[("one.md", "# One\n\nAlways run npm ci in CI.\n")]);
    env.commit("first");
    let mut session = Session::begin_with(&env, able());
    session.open("one.md", "# One\n\nAlways run npm ci in CI.\n");
    let here = json!({
        "uri": session.uri("one.md"),
        "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 24 } },
    });
    let run = |session: &mut Session, command: &str, here: &Value| {
        session.ask("workspace/executeCommand", json!({ "command": command, "arguments": [here] }))
    };
    let said = run(&mut session, "elophanto.remember", &here).unwrap();
    assert!(said.as_str().unwrap().starts_with("Remembered as "), "{said}");
    let recalled = env.ok(&["agent", "recall", "npm in CI"]).stdout();
    assert!(recalled.contains("Always run npm ci in CI."), "{recalled}");
    let liked = json!({
        "uri": session.uri("one.md"),
        "range": { "start": { "line": 2, "character": 11 }, "end": { "line": 2, "character": 17 } },
    });
    let said = run(&mut session, "elophanto.like", &liked).unwrap();
    assert_eq!(said, "Noted that you like npm ci.");
    let said = run(&mut session, "elophanto.learn", &liked).unwrap();
    assert!(said.as_str().unwrap().ends_with(" queued: `elophanto enrich` makes them."), "{said}");
    // Nothing else is run, and nothing without a place.
    for (command, here) in [
        ("elophanto.rm", here.clone()),
        ("workbench.action.terminal", here.clone()),
        ("elophanto.remember", Value::Null),
        ("elophanto.remember", json!({ "uri": session.uri("one.md") })),
        ("elophanto.like", json!({ "uri": "file:///etc/passwd", "range": here["range"] })),
    ] {
        assert!(run(&mut session, command, &here).is_err(), "{command} {here}");
    }
    session.choice = Some("first".to_owned());
    run(&mut session, "elophanto.openAtCommit", &here).unwrap();
    let opened = session.told("window/showDocument");
    let path = opened["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    assert!(path.starts_with(env.path(".git/elophanto/at").to_str().unwrap()), "{path}");
    assert_eq!(std::fs::read(&path).unwrap(), env.read("one.md"));
    assert!(path.ends_with("/one.md"), "{path}");
    assert!(session.end());
}
