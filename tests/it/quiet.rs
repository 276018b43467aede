//! Reading leaves everything as it was, and works where nothing can be written.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::env::{TestEnv, finish, snapshot};

/// A repository with everything that could be disturbed: an edited note, a staged one, an
/// untracked one and a stash.
fn busy() -> TestEnv {
    let env = TestEnv::with(&[
        ("docs/otters.md", "# Otters\n\nThey hold hands.\n"),
        ("docs/bears.md", "# Bears\n\nThey sleep in winter.\n"),
        ("src/main.c", "int main(void) { return 0; }\n"),
    ]);
    env.ok(&["init"]);
    env.ok(&["index"]);
    env.commit("all");
    env.write("docs/bears.md", "# Bears\n\nThey eat honey.\n");
    env.git(&["stash", "push", "--quiet"]);
    env.write("docs/otters.md", "# Otters\n\nThey hold paws.\n");
    env.write("docs/staged.md", "# Staged\n\nA staged note on seals.\n");
    env.git(&["add", "docs/staged.md"]);
    env.write("docs/new.md", "# New\n\nAn untracked note on whales.\n");
    env
}

/// All files below a folder with their content, the view left out.
fn git_files(folder: &Path, found: &mut Vec<(std::path::PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with(".git/elophanto") {
            git_files(&path, found);
        } else if path.is_file() {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn reading_commands_leave_everything_as_it_was() {
    let env = busy();
    let set = env.outside().join("set");
    fs::create_dir(&set).unwrap();
    fs::write(
        set.join("corpus.jsonl"),
        "{\"id\":\"1\",\"title\":\"Otters\",\"text\":\"They hold hands.\"}\n",
    )
    .unwrap();
    fs::write(set.join("queries.jsonl"), "{\"id\":\"q\",\"text\":\"otters\"}\n").unwrap();
    fs::write(set.join("qrels.tsv"), "q\t1\t1\n").unwrap();
    let state = || {
        let mut git = Vec::new();
        git_files(&env.path(".git"), &mut git);
        git.sort();
        (env.files(), git)
    };
    let asked = || {
        (
            env.git(&["status", "--porcelain", "--untracked-files=all"]),
            env.git(&["stash", "list"]),
            env.git(&["diff", "--cached"]),
        )
    };
    for with_view in [true, false] {
        for (args, codes) in [
            (&["search", "otters"][..], &[0][..]),
            (&["search", "--json", "--like", "docs/otters.md"], &[0, 1]),
            (&["search", "--no-refresh", "otters"], &[0]),
            (&["search", "--mode", "keyword", "zebra"], &[1]),
            (&["changelog"], &[1]),
            (&["doctor"], &[0, 1]),
            (&["doctor", "--settings", "--json"], &[0, 1]),
            (&["index", "--check"], &[1]),
            (&["eval", "../set"], &[0]),
            (&["hook", "status"], &[1]),
            (&["trust", "--list"], &[0]),
            (&["completions", "bash"], &[0]),
            (&["man"], &[0]),
            (&["man", "search"], &[0]),
        ] {
            let said = asked();
            if !with_view && env.path(".git/elophanto").exists() {
                env.remove(".git/elophanto");
            }
            let before = state();
            let output = env.run(args);
            assert!(codes.contains(&output.code.unwrap()), "{args:?}\n{output}");
            assert!(state() == before, "{args:?} wrote something");
            assert_eq!(asked(), said, "{args:?}");
        }
    }
}

#[test]
fn a_search_where_no_view_can_be_kept() {
    let env = TestEnv::with(&[
        ("docs/otters.md", "# Otters\n\nThey hold hands.\n"),
        ("docs/bears.md", "# Bears\n\nThey sleep in winter.\n"),
    ]);
    // Root may write where the mode says no; where a file is, nobody can make a folder.
    env.write(".git/elophanto", "in the way");
    snapshot!(env.run(&["search", "hands", "-n", "1"]), @"
    exit: 0
    --- stdout
    docs/otters.md:3  Otters
        They hold hands.
    --- stderr
    note: cannot open `[TEMP]/repo/.git/elophanto/view/manifest`: Not a directory (os error 20); the search view was built anew
    note: the search view cannot be written (Not a directory (os error 20)); answering from memory
    ");
    env.write("docs/otters.md", "# Otters\n\nThey hold paws.\n");
    assert_eq!(env.hits(&["paws", "-n", "1"]), ["docs/otters.md"]);
    assert_eq!(env.hits(&["paws", "--no-refresh", "-n", "1"]), ["docs/otters.md"]);
    assert!(matches!(env.run(&["doctor"]).code, Some(0 | 1)));
    assert_eq!(env.run(&["index", "--check"]).code, Some(1));
    assert_eq!(env.read(".git/elophanto"), b"in the way");
    assert!(!env.path(".elophanto").exists());
}

#[test]
fn an_index_that_cannot_be_kept_is_an_error() {
    let settings = "knowledge: {embedding_provider: builtin}\nindex: {commit: never}\n";
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", settings),
        ("docs/otters.md", "# Otters\n\nThey hold hands.\n"),
    ]);
    env.ok(&["index"]);
    env.commit("all");
    env.remove(".git/elophanto");
    env.write(".git/elophanto", "in the way");
    snapshot!(env.run(&["index"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: the search view cannot be written: Not a directory (os error 20)
    hint: make room for it in the git directory, and see that you may write there, then run this again; until then every search reads all notes anew
    ");
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    assert_eq!(env.hits(&["hands", "-n", "1"]), ["docs/otters.md"]);
    env.remove(".git/elophanto");
    env.ok(&["index"]);
}

#[test]
fn a_search_in_a_checkout_that_is_read_only() {
    let env = TestEnv::with(&[("docs/otters.md", "# Otters\n\nThey hold hands.\n")]);
    env.ok(&["index"]);
    env.commit("all");
    for with_view in [true, false] {
        if !with_view {
            env.remove(".git/elophanto");
        }
        let chmod = |mode: &str| finish(env.sealed("chmod").args(["-R", mode, "."]));
        assert_eq!(chmod("a-w").code, Some(0));
        let mode = fs::metadata(env.path("docs")).unwrap().permissions().mode();
        let hits = env.hits(&["hands", "-n", "1"]);
        chmod("u+w");
        assert_eq!((hits.as_slice(), mode & 0o222), (&["docs/otters.md".to_owned()][..], 0));
    }
    env.write("docs/otters.md", "# Otters\n\nThey hold paws.\n");
    // Only root could make it where nothing may be written.
    if env.path(".git/elophanto").exists() {
        env.remove(".git/elophanto");
    }
    env.write(".git/elophanto", "in the way");
    assert_eq!(env.hits(&["paws", "-n", "1"]), ["docs/otters.md"]);
    assert_eq!(env.git(&["status", "--porcelain"]), " M docs/otters.md\n");
}
