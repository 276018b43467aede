//! `index --check --verify`: committed vectors are what the model makes of their text.

use std::path::Path;

use elophanto::{
    repo::locate,
    store::{
        matrix::Encoded,
        tables::{self, TableContent},
    },
};

use crate::{
    env::{TestEnv, snapshot},
    merges::CONFIG,
};

/// `main` with its index, and a branch `pull` that is checked out.
fn repository() -> TestEnv {
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", CONFIG),
        ("otters.md", "# Otters\n\nOtters hold hands while they sleep.\n"),
        ("bears.md", "# Bears\n\nBears eat honey and sleep in winter.\n"),
    ]);
    env.index(&[]);
    env.commit("main");
    env.git(&["switch", "--quiet", "--create", "pull"]);
    env
}

/// Adds a note with its table; the vectors of the table are what `forge` makes of them.
fn pull(env: &TestEnv, forge: impl Fn(&mut Vec<([u8; 16], Encoded)>)) {
    let before = env.tables();
    let text = "---\ntitle: Advert\n---\n\nintro\n\n# Buy this\n\nThe advert.\n";
    env.write("spam/advert.md", text);
    env.index(&[]);
    let folder = locate(env.root()).unwrap().tables_dir();
    let honest = env.tables().into_iter().find(|name| !before.contains(name)).unwrap();
    let TableContent { fingerprint, mut rows } = tables::read(&folder, &honest).unwrap();
    forge(&mut rows);
    env.remove(Path::new(".elophanto/index").join(honest));
    let content = TableContent { fingerprint, rows };
    tables::write(&folder, &env.outside().join("staging"), &content).unwrap();
    env.commit("pull request");
    // Who checks has never seen the text.
    env.remove(".git/elophanto");
}

#[test]
fn an_honest_table_passes() {
    let env = repository();
    pull(&env, |_| {});
    snapshot!(env.run(&["index", "--check", "--verify"]), @r"
    exit: 0
    --- stdout
    ok: 3 files, 4 chunks, all indexed, every vector in a table
    --- stderr
    4 committed vectors made again, 0 differ
    ");
    snapshot!(env.run(&["index", "--check", "--verify=main"]), @r"
    exit: 0
    --- stdout
    ok: 3 files, 4 chunks, all indexed, every vector in a table
    --- stderr
    2 committed vectors made again, 0 differ
    ");
    snapshot!(env.run(&["index", "--check", "--verify=main", "--json"]), @r#"
    exit: 0
    --- stdout
    {"ok":true,"uncommitted":0,"damaged":0,"skipped":0,"stale":0}
    --- stderr
    "#);
    let output = env.run(&["index", "--check", "--verify=nowhere"]);
    assert_eq!(output.code, Some(2), "{output}");
}

#[test]
fn a_forged_vector_is_found() {
    let env = repository();
    // A vector that sends everybody who looks for otters to the advert.
    let folder = locate(env.root()).unwrap().tables_dir();
    let main = tables::read(&folder, &env.tables()[0]).unwrap();
    pull(&env, |rows| {
        rows.last_mut().unwrap().1 = main.rows[0].1.clone();
    });
    for args in [&["index", "--check", "--verify"][..], &["index", "--check", "--verify=main"]] {
        let output = env.run(args);
        assert_eq!(output.code, Some(1), "{output}");
        let named =
            output.stdout().lines().filter(|line| line.starts_with("spam/advert.md:")).count();
        assert_eq!(named, 1, "{output}");
    }
    // Seen from where it came from, there is nothing new to look at.
    env.ok(&["index", "--check", "--verify=pull"]);
    let lines = env.json(&["index", "--check", "--verify=main", "--json"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0]["forged"], "spam/advert.md");
    assert_eq!(lines[1]["ok"], false);
    // Without `--verify` every vector is there.
    env.ok(&["index", "--check"]);
}

#[test]
fn a_second_vector_for_a_text_of_main_is_found() {
    let env = repository();
    let folder = locate(env.root()).unwrap().tables_dir();
    let main = tables::read(&folder, &env.tables()[0]).unwrap();
    pull(&env, |rows| {
        let (otters, bears) = (&main.rows[0], &main.rows[1]);
        rows.push((otters.0, bears.1.clone()));
        rows.sort_by_key(|row| row.0);
    });
    let output = env.run(&["index", "--check", "--verify=main"]);
    assert_eq!(output.code, Some(1), "{output}");
    let path = if output.stdout().contains("otters.md:1:") { "otters" } else { "bears" };
    assert!(output.stdout().contains(&format!("{path}.md:1: its committed vector")), "{output}");
    assert_eq!(output.stdout().lines().count(), 1, "{output}");
    // Of two vectors for one text neither counts: the ranking is not poisoned meanwhile.
    assert_eq!(env.hits(&["otters"])[0], "otters.md");
}
