//! `index --check --verify`: committed vectors are what the model makes of their text, and of some
//! text.

use std::path::Path;

use elophanto_index::store::{
    matrix::Encoded,
    tables::{self, TableContent},
};
use elophanto_repo::locate;
use elophanto_tables::Lance;

use crate::{
    env::{PROGRAM, TestEnv, snapshot},
    forge,
    merges::{CONFIG, embedded_in_a_clone},
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
    let TableContent { fingerprint, mut rows } =
        tables::read(&Lance, &folder, &honest, None).unwrap();
    forge(&mut rows);
    env.remove(Path::new(".elophanto/index").join(honest));
    let content = TableContent { fingerprint, rows };
    tables::write(&Lance, &folder, &env.outside().join("staging"), &content).unwrap();
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
    let main = tables::read(&Lance, &folder, &env.tables()[0], None).unwrap();
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
    let main = tables::read(&Lance, &folder, &env.tables()[0], None).unwrap();
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

/// Rows for a text that is not in the repository, with the vector of another one.
fn poison(env: &TestEnv) -> (String, Vec<([u8; 16], Encoded)>) {
    let folder = locate(env.root()).unwrap().tables_dir();
    let main = tables::read(&Lance, &folder, &env.tables()[0], None).unwrap();
    let scratch = TestEnv::with(&[(".elophanto/config.yaml", CONFIG), ("spam/advert.md", ADVERT)]);
    scratch.index(&[]);
    let folder = locate(scratch.root()).unwrap().tables_dir();
    let content = tables::read(&Lance, &folder, &scratch.tables()[0], None).unwrap();
    let rows = content.rows.into_iter().map(|(key, _)| (key, main.rows[0].1.clone()));
    (content.fingerprint, rows.collect())
}

const ADVERT: &str = "# Buy this\n\nThe advert of the season.\n";

/// Whether `--verify` finds nothing, for somebody who has never seen the repository.
fn verified(env: &TestEnv, base: &str) -> crate::env::Output {
    env.remove(".git/elophanto");
    env.run(&["index", "--check", &format!("--verify={base}")])
}

fn passes(env: &TestEnv, base: &str) {
    let output = verified(env, base);
    assert!(output.code == Some(0), "{output}");
}

#[test]
fn a_vector_for_a_text_that_is_yet_to_come_is_found() {
    let env = repository();
    let (model, rows) = poison(&env);
    let folder = env.path(".elophanto/index");
    forge::write_rows(&folder, &model, rows);
    env.commit("first pull request");
    snapshot!(verified(&env, "main"), @r"
    exit: 1
    --- stdout
    .elophanto/index/[TABLE].lance: 1 vector of no text, in the tree or in a commit since the base
    --- stderr
    0 committed vectors made again, 0 differ, 1 cannot be held to a text
    hint: take these tables out of the branch (`git rm -r`), then run `elophanto index` and commit
    ");
    let lines = env.json(&["index", "--check", "--verify=main", "--json"]);
    assert_eq!((&lines[0]["vectors"], &lines[1]["ok"]), (&1.into(), &false.into()), "{lines:?}");
    // Somebody takes it all the same; the text follows.
    env.git(&["switch", "--quiet", "main"]);
    env.git(&["merge", "--quiet", "pull"]);
    env.git(&["switch", "--quiet", "--create", "second"]);
    env.write("spam/advert.md", ADVERT);
    env.commit("second pull request");
    snapshot!(verified(&env, "main"), @r"
    exit: 1
    --- stdout
    spam/advert.md:1: its committed vector is not what the model makes of the text
    --- stderr
    1 committed vector made again, 1 differs
    ");
}

#[test]
fn a_text_that_comes_and_goes_does_not_hide_its_vector() {
    let env = repository();
    let (model, rows) = poison(&env);
    env.write("spam/advert.md", ADVERT);
    forge::write_rows(&env.path(".elophanto/index"), &model, rows);
    env.commit("text and vector");
    env.remove("spam/advert.md");
    env.commit("the vector alone");
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout().contains("spam/advert.md:1: its committed vector"), "{output}");
}

#[test]
fn vectors_of_another_model_are_not_waved_through() {
    let env = repository();
    let (_, rows) = poison(&env);
    forge::write_rows(&env.path(".elophanto/index"), "another-256", rows);
    env.commit("another model");
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout().contains("1 vector of `another-256`"), "{output}");
    // Where they are already, they are nobody's fault.
    passes(&env, "pull");
}

#[test]
fn honest_branches_pass() {
    let note = |env: &TestEnv, name: &str| {
        env.write(format!("{name}.md"), format!("# The {name}\n\nWhat is said of the {name}.\n"));
        env.index(&[]);
        env.commit(name);
    };
    // A note that is gone again; its table stays.
    let env = repository();
    note(&env, "ape");
    env.remove("ape.md");
    env.index(&[]);
    env.commit("without");
    passes(&env, "main");
    assert_eq!(env.tables().len(), 2);
    // The revert of a commit, and its revert.
    note(&env, "bee");
    env.git(&["revert", "--no-edit", "HEAD"]);
    passes(&env, "main");
    env.git(&["revert", "--no-edit", "HEAD"]);
    passes(&env, "main");
    // Moved, and edited.
    env.rename("bee.md", "deep/bee.md");
    env.write("bears.md", "# Bears\n\nBears sleep in winter and fish in summer.\n");
    env.index(&[]);
    env.commit("moved");
    passes(&env, "main");
    // Main went on; it is merged, and so is a branch of the branch.
    env.git(&["switch", "--quiet", "main"]);
    note(&env, "cat");
    env.remove("bears.md");
    env.commit("no bears");
    env.git(&["switch", "--quiet", "--create", "side", "pull~2"]);
    note(&env, "dog");
    env.git(&["switch", "--quiet", "pull"]);
    passes(&env, "main");
    env.git(&["merge", "--quiet", "--no-edit", "side"]);
    env.git(&["merge", "--quiet", "--no-edit", "--strategy-option=ours", "main~1"]);
    passes(&env, "main");
    passes(&env, "main~1");
    // A text of main's past comes back: its vector lies in a table of main.
    env.git(&["switch", "--quiet", "--create", "back", "main"]);
    env.write("bears.md", "# Bears\n\nBears eat honey and sleep in winter.\n");
    env.commit("bears again");
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr().contains("1 committed vector made again, 0 differ"), "{output}");
    // The branch compacts: what other tips use is in its table too.
    env.git(&["switch", "--quiet", "--create", "compact", "main"]);
    env.ok(&["clean", "--index", "--compact"]);
    env.commit("compacted");
    passes(&env, "main");
    // Main compacted, and the branch has the old tables.
    env.git(&["switch", "--quiet", "main"]);
    env.git(&["merge", "--quiet", "compact"]);
    env.git(&["switch", "--quiet", "pull"]);
    passes(&env, "main");
}

/// A commit that takes the place of others holds no vectors of what only those said.
#[test]
fn branches_that_were_written_anew_pass() {
    type Way = (&'static str, fn(&TestEnv));
    let ways: [Way; 5] = [
        ("amended", |env| {
            env.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]);
        }),
        ("amended twice, by an alias", |env| {
            env.git(&["config", "alias.again", "commit --quiet --all --amend --no-edit"]);
            env.git(&["again"]);
            env.write("ape.md", "# The ape\n\nWhat is said at last.\n");
            env.git(&["again"]);
        }),
        ("squashed by a merge", |env| {
            env.commit("ape, better");
            env.git(&["switch", "--quiet", "--create", "squashed", "main"]);
            env.git(&["merge", "--quiet", "--squash", "pull"]);
            env.git(&["commit", "--quiet", "-m", "squashed"]);
        }),
        ("taken back and committed as one", |env| {
            env.commit("ape, better");
            env.git(&["reset", "--quiet", "--soft", "main"]);
            env.git(&["commit", "--quiet", "-m", "one"]);
        }),
        ("indexed before it was edited", |env| {
            env.index(&[]);
            env.write("ape.md", "# The ape\n\nWhat is said at last.\n");
            env.commit("with the pending table");
        }),
    ];
    for (way, rewrite) in ways {
        let env = repository();
        env.ok(&["hook", "install", "--program", PROGRAM]);
        env.write("ape.md", "# The ape\n\nWhat is said of the ape.\n");
        env.commit("ape");
        env.write("ape.md", "# The ape\n\nWhat is better said of the ape.\n");
        rewrite(&env);
        assert_eq!(env.git(&["status", "--porcelain"]), "", "{way}");
        assert_eq!(embedded_in_a_clone(&env), 0, "{way}");
        let output = verified(&env, "main");
        assert_eq!(output.code, Some(0), "{way}: {output}");
    }
}

#[test]
fn an_amend_lets_nothing_forged_through() {
    let env = repository();
    env.ok(&["hook", "install", "--program", PROGRAM]);
    env.write("ape.md", "# The ape\n\nWhat is said of the ape.\n");
    env.commit("ape");
    let amend = |more: &[&str]| {
        env.git(&["add", "--all"]);
        env.git(&[&["commit", "--quiet", "--amend", "--no-edit"], more].concat());
    };
    // For a text that is yet to come.
    let (model, rows) = poison(&env);
    forge::write_rows(&env.path(".elophanto/index"), &model, rows.clone());
    amend(&["--no-verify"]);
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout().contains("1 vector of no text"), "{output}");
    // The hook of another amend leaves it out.
    amend(&[]);
    passes(&env, "main");
    // For one that comes with it.
    forge::write_rows(&env.path(".elophanto/index"), &model, rows);
    env.write("spam/advert.md", ADVERT);
    amend(&[]);
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout().contains("spam/advert.md:1: its committed vector"), "{output}");
}

/// A name that the history of the base knows is no content that it knows.
#[test]
fn the_name_of_a_former_table_proves_nothing() {
    let env = repository();
    let (model, rows) = poison(&env);
    let known = env.tables();
    forge::write_rows(&env.path(".elophanto/index"), &model, rows);
    env.commit("forged");
    let forged = env.tables().into_iter().find(|name| !known.contains(name)).unwrap();
    env.git(&["switch", "--quiet", "main"]);
    let readme = format!(".elophanto/index/{forged}/README");
    env.write(&readme, "Nothing to see here.\n");
    env.commit("a file");
    env.git(&["rm", "--quiet", &readme]);
    env.git(&["commit", "--quiet", "-m", "no file"]);
    env.git(&["switch", "--quiet", "pull"]);
    env.git(&["merge", "--quiet", "--no-edit", "main"]);
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout().contains("1 vector of no text"), "{output}");
}

/// Settings of a branch do not make passages out of what were none in the base.
#[test]
fn what_new_settings_make_a_note_is_looked_at() {
    let env = repository();
    let (model, rows) = poison(&env);
    env.git(&["switch", "--quiet", "main"]);
    env.write("spam/advert.txt", ADVERT);
    forge::write_rows(&env.path(".elophanto/index"), &model, rows);
    env.commit("a text, and a vector for it");
    env.git(&["switch", "--quiet", "pull"]);
    env.git(&["merge", "--quiet", "--no-edit", "main"]);
    let settings = CONFIG.replace("builtin\n", "builtin\n  extensions: [md, txt]\n");
    env.write(".elophanto/config.yaml", settings);
    env.commit("more notes");
    let output = verified(&env, "main");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout().contains("spam/advert.txt:1: its committed vector"), "{output}");
}
