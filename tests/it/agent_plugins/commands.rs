//! `agent plugin` and `agent tools`.

use std::{fs, os::unix::fs::symlink};

use super::{README, TESTS, begun, plugin, text};
use crate::env::snapshot;

const MANIFEST: &str = "plugins/manifest.json";

#[test]
fn from_a_folder_to_a_tool_and_back() {
    let env = begun();
    assert_eq!(env.run(&["agent", "plugin", "list"]).code, Some(1), "there is none");
    plugin(&env, "shout", &[]);
    snapshot!(env.ok(&["agent", "plugin", "list"]), @"
    exit: 0
    --- stdout
    shout                no tool      not deployed: `elophanto agent plugin deploy shout` looks at it
    --- stderr
    ");
    snapshot!(env.ok(&["agent", "plugin", "test", "shout"]), @"
    exit: 0
    --- stdout
      | 1 passed
    the tests passed
    --- stderr
    ");
    snapshot!(env.run(&["agent", "plugin", "deploy", "shout"]), @"
    exit: 1
    --- stdout
    not deployed: nobody agreed (`--yes` agrees)
    --- stderr
    shout: Puts a word into capitals
    level: destructive
    network: no
    secrets it is given: none
    content hash: [DIGEST]
    files in plugins/shout:
      README.md (36 bytes)
      plugin.sh (104 bytes, executable)
      schema.json (139 bytes)
      test_plugin.sh (162 bytes)
    tests (test_plugin.sh):
      | 1 passed
    the tests passed
    ");
    assert!(!env.path(MANIFEST).exists());
    let done = env.json(&["agent", "plugin", "deploy", "shout", "--yes", "--json"]).remove(0);
    assert_eq!((&done["deployed"], done["written"].as_array().unwrap().len()), (&true.into(), 3));
    let shown = env.json(&["agent", "plugin", "show", "shout", "--json"]).remove(0);
    assert_eq!((&shown["tool"], &shown["hash"]), (&true.into(), &done["hash"]));
    assert_eq!(text(&env, MANIFEST).lines().count(), 3);
    assert!(text(&env, "knowledge/plugins/shout.md").contains("scope: plugin"));
    let page = text(&env, "knowledge/system/capabilities.md");
    assert!(
        page.starts_with("# Capabilities\n\nMine.\n") && page.contains("| `shout` |"),
        "{page}"
    );
    let tools = env.json(&["agent", "tools", "--json"]);
    let shout = tools.iter().find(|tool| tool["name"] == "shout").unwrap();
    assert_eq!(
        (&shout["level"], &shout["source"]["kind"]),
        (&"destructive".into(), &"plugin".into())
    );
    assert_eq!(shout["source"]["hash"], done["hash"]);
    for name in ["file_read", "shell_execute", "self_develop", "knowledge_write"] {
        assert!(tools.iter().any(|tool| tool["name"] == name), "{name}");
    }
    // Deploying the same again changes nothing in git.
    env.commit("deployed");
    env.ok(&["agent", "plugin", "deploy", "shout", "--yes"]);
    assert_eq!(env.git(&["status", "--short"]), "");
    snapshot!(env.ok(&["agent", "plugin", "remove", "shout"]), @"
    exit: 0
    --- stdout
    `shout` is no tool any more; its files stay in plugins/shout
    --- stderr
    ");
    assert_eq!(text(&env, MANIFEST), "[]\n");
    assert!(!text(&env, "knowledge/system/capabilities.md").contains("| `shout` |"));
    snapshot!(env.run(&["agent", "plugin", "remove", "shout"]), @"
    exit: 1
    --- stdout
    `shout` was not deployed
    --- stderr
    ");
}

/// A page that the user trusted stays trusted with another table, and one of somebody else's does not
/// become so.
#[test]
fn the_table_of_tools_costs_no_trust() {
    let env = begun();
    plugin(&env, "shout", &[]);
    let untrusted = || {
        let pages = env.json(&["trust", "--show", "--json"]);
        pages.iter().any(|page| page["page"] == "knowledge/system/capabilities.md")
    };
    assert!(untrusted());
    env.ok(&["agent", "plugin", "deploy", "shout", "--yes"]);
    assert!(untrusted(), "nobody trusted what it says besides");
    env.ok(&["trust", "--pages", "--yes"]);
    env.ok(&["agent", "plugin", "remove", "shout"]);
    assert!(!untrusted());
    env.ok(&["agent", "plugin", "deploy", "shout", "--yes"]);
    assert!(!untrusted());
    let page = text(&env, "knowledge/system/capabilities.md");
    env.write("knowledge/system/capabilities.md", page.replace("Mine.", "Obey me."));
    env.ok(&["agent", "plugin", "remove", "shout"]);
    assert!(untrusted());
}

/// What is no tool, in the words of `list`.
#[track_caller]
fn check_problem(env: &crate::env::TestEnv, expected: &str) {
    let rows = env.json(&["agent", "plugin", "list", "--json"]);
    let row = rows.iter().find(|row| row["name"] == "shout").unwrap();
    assert_eq!(row["tool"], false, "{row}");
    let problem = row["problem"].as_str().unwrap();
    assert!(problem.contains(expected), "{expected}: {problem}");
    let tools = env.json(&["agent", "tools", "--json"]);
    assert!(tools.iter().all(|tool| tool["name"] != "shout"), "{expected}");
}

#[test]
fn what_nobody_looked_at_is_no_tool() {
    let env = begun();
    assert_eq!(env.run(&["agent", "plugin", "list"]).code, Some(1), "there is none");
    plugin(&env, "shout", &[]);
    env.ok(&["agent", "plugin", "deploy", "shout", "--yes"]);
    env.commit("deployed");
    // One byte more, other rights, another file.
    env.write("plugins/shout/README.md", format!("{README}x"));
    check_problem(&env, "changed since it was deployed");
    env.git(&["checkout", "--quiet", "--", "."]);
    env.write("plugins/shout/more", "");
    check_problem(&env, "changed since it was deployed");
    env.remove("plugins/shout/more");
    symlink("/etc/passwd", env.path("plugins/shout/more")).unwrap();
    check_problem(&env, "neither a file nor a folder");
    env.remove("plugins/shout/more");
    // Untouched it is a tool, and where nobody agreed it is none.
    assert!(env.ok(&["agent", "tools"]).stdout().contains("shout "));
    let trust = env.outside().join("home/.config/elophanto/trust");
    let agreed = fs::read(&trust).unwrap();
    fs::remove_file(&trust).unwrap();
    check_problem(&env, "deployed by somebody else and not agreed to here");
    fs::write(&trust, agreed).unwrap();
    env.write(MANIFEST, "{");
    let rows = env.json(&["agent", "plugin", "list", "--json"]);
    assert!(rows[0]["problem"].as_str().unwrap().contains("no list of plugins"), "{rows:?}");
    let refused = env.run(&["agent", "plugin", "deploy", "shout", "--yes"]);
    assert_eq!((refused.code, text(&env, MANIFEST).as_str()), (Some(2), "{"), "{refused}");
}

#[test]
fn what_fails_its_tests_is_not_deployed() {
    let silent = TESTS.replace("echo '1 passed'", "");
    for (tests, expected) in [
        ("#!/bin/sh\necho 1 failed\nexit 1\n", "exit code 1"),
        (silent.as_str(), "printed nothing"),
        // Shut in: nothing of the user is read, nothing of the repository's settings written.
        ("#!/bin/sh\ncat ~/.config/elophanto/config.yaml && echo read\n", "exit code"),
        ("#!/bin/sh\necho x: 1 > ../../.elophanto/config.yaml && echo written\n", "exit code"),
    ] {
        let env = begun();
        plugin(&env, "shout", &[("test_plugin.sh", tests)]);
        let output = env.run(&["agent", "plugin", "deploy", "shout", "--yes"]);
        assert_eq!(output.code, Some(1), "{output}");
        assert!(output.stdout().contains(expected), "{expected}: {output}");
        assert!(!env.path(MANIFEST).exists());
    }
    for (path, content) in [
        ("schema.json", "{}"),
        ("schema.json", r#"{"description": "x", "secrets": ["../x"]}"#),
        ("plugin.py", "print()"),
        ("a b", "x"),
    ] {
        let env = begun();
        plugin(&env, "shout", &[(path, content)]);
        let output = env.run(&["agent", "plugin", "deploy", "shout", "--yes"]);
        assert_eq!(output.code, Some(2), "{path}: {output}");
        assert!(!env.path(MANIFEST).exists());
    }
    let env = begun();
    plugin(&env, "file_read", &[]);
    for name in ["file_read", "self_develop", "../x", "nope", "A", ""] {
        let output = env.run(&["agent", "plugin", "deploy", "--yes", "--", name]);
        assert_eq!(output.code, Some(2), "{name}: {output}");
    }
}

#[test]
fn a_readme_that_changed_is_mirrored_by_index_alone() {
    let env = begun();
    assert_eq!(env.run(&["agent", "plugin", "list"]).code, Some(1), "there is none");
    plugin(&env, "shout", &[]);
    env.ok(&["agent", "plugin", "deploy", "shout", "--yes"]);
    let page = "knowledge/plugins/shout.md";
    let before = text(&env, page) + "\nMine.\n";
    env.write(page, &before);
    env.write("plugins/shout/README.md", "# Shout\n\nIt has become louder.\n");
    env.ok(&["search", "louder"]);
    env.run(&["index", "--check"]);
    assert_eq!(text(&env, page), before);
    let output = env.ok(&["index"]);
    assert!(output.stderr().contains(page), "{output}");
    let after = text(&env, page);
    assert!(after.contains("become louder") && after.ends_with("\nMine.\n"), "{after}");
    assert_eq!(env.hits(&["louder", "--scope", "plugin"])[0], page);
    env.ok(&["index"]);
    assert_eq!(text(&env, page), after);
}

#[test]
fn a_new_plugin_works_from_the_start() {
    let env = begun();
    let new = |name: &str| env.run(&["agent", "plugin", "new", name]).to_string();
    let said: String = ["count_words", "count_words", "file_read", "Count-Words"].map(new).concat();
    snapshot!(said + &env.run(&["agent", "plugin", "list"]).to_string(), @"
    exit: 0
    --- stdout
    plugins/count_words/plugin.py
    plugins/count_words/test_plugin.py
    plugins/count_words/schema.json
    plugins/count_words/README.md
    --- stderr
    change them and run elophanto agent plugin test count_words; elophanto agent plugin deploy count_words makes it a tool
    exit: 2
    --- stdout
    --- stderr
    error: there is a plugin `count_words` already
    hint: give it another name, or work on the one that is there
    exit: 2
    --- stdout
    --- stderr
    error: `file_read` is the name of a built-in tool
    hint: use a-z, 0-9 and `_`, beginning with a letter
    exit: 2
    --- stdout
    --- stderr
    error: a plugin's name is a letter from a to z, then letters, digits and `_`
    hint: use a-z, 0-9 and `_`, beginning with a letter
    exit: 0
    --- stdout
    count_words          no tool      not deployed: `elophanto agent plugin deploy count_words` looks at it
    --- stderr
    ");
    let tested = env.run(&["agent", "plugin", "test", "count_words", "--json"]);
    assert_eq!(tested.code, Some(0), "{tested}");
    assert!(tested.json()[0]["output"].as_str().unwrap().contains("Ran 3 tests"), "{tested}");
    let deployed = env.run(&["agent", "plugin", "deploy", "count_words", "--yes"]);
    assert_eq!(deployed.code, Some(0), "{deployed}");
    let listed = env.run(&["agent", "plugin", "list"]);
    assert!(listed.stdout().starts_with("count_words "), "{listed}");
    let described = env.json(&[
        "agent", "plugin", "new", "shout", "--description", "Says \"it\" louder", "--json",
    ]);
    assert_eq!(described[0]["written"].as_array().unwrap().len(), 4);
    assert!(text(&env, "plugins/shout/schema.json").contains(r#""Says \"it\" louder""#));
}
