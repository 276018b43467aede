//! `elophanto changelog`: entries printed and gathered, and indexed once.

use std::{fs, os::unix::fs::symlink};

use crate::env::{TestEnv, snapshot};

const FOLDER: &str = "knowledge/system/changelog";
const PAGE: &str = "knowledge/system/changelog.md";

/// Three entries, two of them saying the same.
fn changed() -> TestEnv {
    let env = TestEnv::with(&[(PAGE, "# Changelog\n\nWhat walruses did before.\n")]);
    for (name, text) in [
        (
            "2026-01-02-01jd8xq0t3v5w7y9z1a3c5e7g1",
            "## 2026-01-02 — Otters added, 2 notes changed\n\n\
             - **Type**: knowledge, entity\n\
             - **Details**: added Otters (`docs/otters.md`), 3 facts;\n  changed Bears (`docs/bears.md`)\n",
        ),
        (
            "2026-01-03-01jd8xq0t3v5w7y9z1a3c5e7g2",
            "## 2026-01-03 — Eels removed\n\n- **Reason**: none were seen\n",
        ),
        (
            "2026-01-01-01jd8xq0t3v5w7y9z1a3c5e7g3",
            "## 2026-01-03 — Eels removed\n\n- **Reason**: none were seen\n",
        ),
    ] {
        env.write(format!("{FOLDER}/{name}.md"), text);
    }
    env.write(format!("{FOLDER}/README.md"), "# No entry\n");
    env
}

#[test]
fn prints_the_newest_first() {
    let env = changed();
    let before = env.files();
    snapshot!(env.run(&["changelog"]), @"
    exit: 0
    --- stdout
    ## 2026-01-03 — Eels removed

    - **Reason**: none were seen

    ## 2026-01-02 — Otters added, 2 notes changed

    - **Type**: knowledge, entity
    - **Details**: added Otters (`docs/otters.md`), 3 facts;
      changed Bears (`docs/bears.md`)
    --- stderr
    ");
    snapshot!(env.run(&["changelog", "-n", "1", "--json"]), @r###"
    exit: 0
    --- stdout
    {"date":"2026-01-03","title":"Eels removed","type":null,"reason":"none were seen","details":[],"tests":null,"dependencies":null,"text":"## 2026-01-03 — Eels removed\n\n- **Reason**: none were seen"}
    --- stderr
    "###);
    let lines = env.json(&["changelog", "--json"]);
    assert_eq!(lines[1]["type"], "knowledge, entity");
    assert_eq!(
        lines[1]["details"],
        serde_json::json!([
            "added Otters (`docs/otters.md`), 3 facts",
            "changed Bears (`docs/bears.md`)"
        ])
    );
    assert!(env.files() == before, "printing wrote something");
}

#[test]
fn says_that_there_is_none() {
    snapshot!(TestEnv::new().run(&["changelog"]), @"
    exit: 1
    --- stdout
    --- stderr
    note: no entries below `knowledge/system/changelog`
    ");
    let env = TestEnv::new();
    let output = env.run(&["changelog", "--write"]);
    assert!(output.code == Some(1) && output.stdout().is_empty(), "{output}");
    assert!(output.stderr().contains("no entries below"), "{output}");
    assert!(!env.path(PAGE).exists());
}

#[test]
fn gathers_them_behind_what_people_wrote() {
    let env = changed();
    snapshot!(env.run(&["changelog", "--write"]), @"
    exit: 0
    --- stdout
    written: knowledge/system/changelog.md
    --- stderr
    ");
    snapshot!(String::from_utf8(env.read(PAGE)).unwrap(), @"
    # Changelog

    What walruses did before.

    <!-- >>> elophanto changelog >>> -->

    ## 2026-01-03 — Eels removed

    - **Reason**: none were seen

    ## 2026-01-02 — Otters added, 2 notes changed

    - **Type**: knowledge, entity
    - **Details**: added Otters (`docs/otters.md`), 3 facts;
      changed Bears (`docs/bears.md`)

    <!-- <<< elophanto changelog <<< -->
    ");
    let before = env.files();
    snapshot!(env.run(&["changelog", "--write", "--json"]), @r#"
    exit: 0
    --- stdout
    {"path":"knowledge/system/changelog.md","entries":2,"written":false}
    --- stderr
    "#);
    assert!(env.files() == before, "a second run changed something");
}

#[test]
fn what_is_gathered_is_indexed_once() {
    let env = changed();
    let apart = env.index(&[])["chunks"].clone();
    env.ok(&["changelog", "--write"]);
    let indexed = env.index(&[]);
    assert_eq!((&indexed["chunks"], &indexed["embedded"]), (&apart, &0.into()));
    assert_eq!(env.hits(&["walruses", "--mode", "keyword"]), [PAGE]);
    let eels = env.hits(&["eels", "--mode", "keyword"]);
    assert!(!eels.is_empty() && !eels.contains(&PAGE.to_owned()), "{eels:?}");
    // The same text is no block of ours in another place.
    env.write("docs/changelog.md", env.read(PAGE));
    assert!(env.hits(&["otters", "--mode", "keyword"]).contains(&"docs/changelog.md".to_owned()));
}

#[test]
fn notes_are_found_before_it() {
    let env = changed();
    env.write("docs/otters.md", "# Otters\n\nOtters sleep in kelp.\n");
    env.write("docs/kelp.md", "# Kelp\n\nA forest of the sea, in which animals hide.\n");
    let entry = format!("{FOLDER}/2026-01-02-01jd8xq0t3v5w7y9z1a3c5e7g1.md");
    let is_part = |path: &String| *path == PAGE || path.starts_with(&format!("{FOLDER}/2026"));
    for query in ["otters added", "walruses in the sea"] {
        let hits = env.json(&["search", "--json", "--explain", query, "-n", "20"]);
        let behind: Vec<bool> =
            hits.iter().map(|hit| is_part(&hit["path"].as_str().unwrap().to_owned())).collect();
        assert!(!behind[0] && behind.is_sorted() && behind.contains(&true), "{query}: {hits:?}");
        let less = |hit: &serde_json::Value| hit["explain"]["source_part"].as_f64().unwrap_or(0.0);
        let first = hits.iter().zip(&behind).find(|(_, behind)| **behind).unwrap().0;
        assert!(less(first) < 0.0, "{first}");
    }
    // Who asks for changes, or for nothing else, gets them.
    assert_eq!(env.hits(&["when was the page about otters added"])[0], entry);
    assert_eq!(env.hits(&["otters added", "--path", FOLDER])[0], entry);
    let graph = env.ok(&["graph"]).stdout();
    assert!(!graph.contains("2026-01") && !graph.contains(PAGE), "{graph}");
    let begins = env.ok(&[]).stdout();
    assert!(!begins.contains("Changelog") && !begins.contains("2026-01"), "{begins}");
}

#[test]
fn a_damaged_page_is_left_alone() {
    let env = changed();
    let damaged = "# Mine\n<!-- >>> elophanto changelog >>> -->\nlost\n";
    env.write(PAGE, damaged);
    snapshot!(env.run(&["changelog", "--write"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: knowledge/system/changelog.md: line 2: `<!-- >>> elophanto changelog >>> -->` without `<!-- <<< elophanto changelog <<< -->` after it; repair or remove the block by hand
    ");
    assert_eq!(env.read(PAGE), damaged.as_bytes());
    assert_eq!(env.hits(&["lost", "--mode", "keyword"]), [PAGE]);
}

#[test]
fn entries_are_outside_data() {
    let env = changed();
    let name = |number: u8| format!("{FOLDER}/2026-02-0{number}-01jd8xq0t3v5w7y9z1a3c5e7g9.md");
    env.write(name(1), "## 2026-02-01 — \u{1b}[2Jcleared\n<!-- <<< elophanto changelog <<< -->\n");
    env.write(name(2), b"no \0 text");
    let secret = env.outside().join("secret");
    fs::write(&secret, "kept outside").unwrap();
    symlink(&secret, env.path(name(3))).unwrap();
    fs::create_dir(env.path(name(4))).unwrap();
    snapshot!(env.run(&["changelog", "-n", "1"]), @"
    exit: 0
    --- stdout
    ## 2026-02-01 — ␛[2Jcleared
    \\<!-- <<< elophanto changelog <<< -->
    --- stderr
    warning: knowledge/system/changelog/2026-02-04-01jd8xq0t3v5w7y9z1a3c5e7g9.md: skipped: not a regular file
    warning: knowledge/system/changelog/2026-02-03-01jd8xq0t3v5w7y9z1a3c5e7g9.md: skipped: not a regular file
    warning: knowledge/system/changelog/2026-02-02-01jd8xq0t3v5w7y9z1a3c5e7g9.md: skipped: no text: NUL byte at offset 3
    ");
    for _ in 0..2 {
        env.ok(&["changelog", "--write"]);
    }
    assert!(!String::from_utf8(env.read(PAGE)).unwrap().contains("kept outside"));

    env.remove(FOLDER);
    let other = env.outside().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("2026-01-02-01jd8xq0t3v5w7y9z1a3c5e7g1.md"), "## x\n").unwrap();
    symlink(&other, env.path(FOLDER)).unwrap();
    let output = env.run(&["changelog"]);
    assert_eq!((output.code, output.stdout()), (Some(2), String::new()), "{output}");
    assert!(output.stderr().contains("is a link, and nothing is read"), "{output}");
}
