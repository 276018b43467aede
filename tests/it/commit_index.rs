//! `index --stage` and `index --commit`: the index gets into git, and nothing else does.

use std::fs;

use elophanto_repo::{Git, NotePath, Staged, head, locate};

use crate::{
    env::{TestEnv, finish, snapshot},
    merges::{CONFIG, sound, try_git},
};

const TEXT: &str = "# Ape\n\nFirst line.\n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n\nLast line.\n";

/// A repository with committed notes and no table yet.
fn repository() -> TestEnv {
    let env = TestEnv::with(&[
        (".elophanto/config.yaml", CONFIG),
        ("ape.md", TEXT),
        ("bee.md", "# Bee\n\nThe bee.\n"),
        ("cat.md", "# Cat\n\nThe cat sleeps.\n"),
        ("code.rs", "fn main() {}\n"),
    ]);
    env.commit("notes");
    env
}

/// Everything that the user did: staged and in the work tree, without our tables.
fn theirs(env: &TestEnv) -> (String, String, String) {
    let but_ours = ["--", ".", ":!.elophanto/index"];
    (
        env.git(&[&["status", "--porcelain=v2"][..], &but_ours].concat()),
        env.git(&[&["diff", "--cached", "--raw", "--no-abbrev"][..], &but_ours].concat()),
        env.git(&[&["diff"][..], &but_ours].concat()),
    )
}

/// Staged edits of every kind.
fn stage_all_kinds(env: &TestEnv) {
    // Half of an edit, as `git add -p` does it.
    env.write("ape.md", TEXT.replace("First", "Premier"));
    env.git(&["add", "ape.md"]);
    env.write("ape.md", TEXT.replace("First", "Premier").replace("Last", "Ultimate"));
    env.git(&["rm", "--quiet", "bee.md"]);
    env.git(&["mv", "cat.md", "lion.md"]);
    env.write("dog.md", "# Dog\n\nOnly intended.\n");
    env.git(&["add", "--intent-to-add", "dog.md"]);
    env.write("eel.md", "# Eel\n\nNot even that.\n");
    env.write("code.rs", "fn main() { panic!() }\n");
    env.git(&["add", "code.rs"]);
}

/// Paths that a commit changes.
fn changed(env: &TestEnv, commit: &str) -> Vec<String> {
    let listed = env.git(&["show", "--name-only", "--format=", commit]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn the_users_staging_stays() {
    for way in ["--stage", "--commit"] {
        let env = repository();
        stage_all_kinds(&env);
        let before = theirs(&env);
        let head = env.git(&["rev-parse", "HEAD"]);
        let lines = env.json(&["index", way, "--json"]);
        // The staged half of `ape`, and `cat` under its new name.
        assert_eq!(lines[0]["files"], 2, "{way}: {lines:?}");
        assert_eq!(lines[0]["vectors"], 2, "{way}: {lines:?}");
        assert_eq!(theirs(&env), before, "{way}");
        assert_eq!(env.tables().len(), 1);
        if way == "--commit" {
            assert_eq!(env.git(&["rev-parse", "HEAD~1"]), head);
            assert_eq!(lines[0]["commit"].as_str(), Some(env.git(&["rev-parse", "HEAD"]).trim()));
            let ours = changed(&env, "HEAD");
            assert!(ours.iter().all(|path| path.starts_with(".elophanto/index/")), "{ours:?}");
            assert_eq!(
                ours.len(),
                env.files()
                    .iter()
                    .filter(|(path, _)| { path.starts_with(".elophanto/index") })
                    .count()
            );
        } else {
            assert_eq!(env.git(&["rev-parse", "HEAD"]), head);
            assert!(env.pending().is_empty());
        }
        // Again there is nothing to do.
        let index = env.read(".git/index");
        let again = env.ok(&["index", way]);
        assert_eq!(again.stdout(), "nothing new: every vector of 2 staged notes is there\n");
        assert_eq!(env.read(".git/index"), index);
        sound(&env);
    }
}

#[test]
fn what_is_staged_already_is_committed() {
    for way in ["by us", "by the user"] {
        let env = repository();
        if way == "by us" {
            env.ok(&["index", "--stage"]);
        } else {
            env.index(&[]);
            env.git(&["add", ".elophanto/index"]);
        }
        env.write("new.md", "# New\n\nStaged, but no table.\n");
        env.git(&["add", "new.md"]);
        let before = theirs(&env);
        env.ok(&["index", "--commit"]);
        assert_eq!(theirs(&env), before, "{way}");
        assert!(changed(&env, "HEAD").iter().all(|path| path.starts_with(".elophanto/index/")));
        assert_eq!(env.git(&["status", "--porcelain", "--", ".elophanto"]), "", "{way}");
        env.git(&["commit", "--quiet", "-m", "the note"]);
        env.ok(&["index", "--check"]);
    }
    // Nothing but the table is new.
    let env = repository();
    env.ok(&["index", "--stage"]);
    snapshot!(env.run(&["index", "--commit"]), @r"
    exit: 0
    --- stdout
    the staged tables committed as [COMMIT]
    --- stderr
    ");
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_staged_table_is_replaced_until_it_is_committed() {
    let env = repository();
    env.ok(&["index", "--stage"]);
    let first = env.tables();
    env.write("bee.md", "# Bee\n\nAnother bee.\n");
    env.git(&["add", "bee.md"]);
    env.ok(&["index", "--stage"]);
    let second = env.tables();
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    assert!(!env.git(&["ls-files"]).contains(&first[0]));
    env.ok(&["index", "--commit"]);
    env.write("bee.md", "# Bee\n\nA third bee.\n");
    env.git(&["add", "bee.md"]);
    env.ok(&["index", "--stage"]);
    assert!(env.tables().contains(&second[0]), "what is committed stays");
    assert_eq!(env.tables().len(), 2);
}

#[test]
fn without_a_branch_and_without_a_commit() {
    let env = repository();
    env.git(&["checkout", "--quiet", "--detach"]);
    let main = env.git(&["rev-parse", "main"]);
    env.ok(&["index", "--commit"]);
    assert_eq!(env.git(&["rev-parse", "main", "HEAD~1"]), main.repeat(2));

    let env = TestEnv::with(&[("ape.md", TEXT)]);
    env.git(&["add", "ape.md"]);
    let before = env.git(&["status", "--porcelain"]);
    env.ok(&["index", "--commit"]);
    assert_eq!(env.git(&["rev-list", "--count", "main"]), "1\n");
    assert_eq!(env.git(&["status", "--porcelain"]), before);
    assert!(changed(&env, "HEAD").iter().all(|path| path.starts_with(".elophanto/index/")));
    env.git(&["commit", "--quiet", "-m", "the note"]);
    env.ok(&["index", "--check"]);
    // No note at all.
    let env = TestEnv::new();
    assert_eq!(env.json(&["index", "--commit", "--json"])[0]["commit"], serde_json::Value::Null);
    assert_eq!(try_git(&env, &["rev-parse", "--verify", "HEAD"]).code, Some(128));
}

#[test]
fn without_a_name_nothing_is_done() {
    let env = repository();
    env.git(&["config", "user.useConfigOnly", "true"]);
    env.write("bee.md", "# Bee\n\nAnother bee.\n");
    env.git(&["add", "bee.md"]);
    let state = || (env.files(), env.read(".git/index"), env.git(&["rev-parse", "HEAD"]));
    let before = state();
    let mut command = env.command(&["index", "--commit"]);
    for name in ["AUTHOR", "COMMITTER"] {
        command.env_remove(format!("GIT_{name}_NAME")).env_remove(format!("GIT_{name}_EMAIL"));
    }
    snapshot!(finish(&mut command), @r"
    exit: 2
    --- stdout
    --- stderr
    error: git does not know in whose name to commit
    hint: set `user.name` and `user.email` with `git config`
    ");
    assert_eq!(state(), before);
}

#[test]
fn a_head_that_moved_is_not_moved_back() {
    let env = repository();
    let git = Git::of(&locate(env.root()).unwrap()).unwrap();
    let old = head(&git).unwrap().unwrap();
    let object = git.write_contents(&[b"ours".to_vec()]).unwrap().remove(0);
    let change = Staged::Put { path: NotePath::from(".elophanto/index/x"), object };
    env.git(&["commit", "--quiet", "--allow-empty", "-m", "meanwhile"]);
    let moved = env.git(&["rev-parse", "HEAD"]);
    assert!(git.commit_only(Some(&old), std::slice::from_ref(&change), "ours\n").is_err());
    assert!(git.commit_only(None, std::slice::from_ref(&change), "ours\n").is_err());
    assert_eq!(env.git(&["rev-parse", "HEAD"]), moved);
    // The index is held by another process: no commit, and nothing to take back.
    env.git(&["reset", "--quiet"]);
    fs::write(env.path(".git/index.lock"), "").unwrap();
    assert!(git.commit_only(head(&git).unwrap().as_ref(), &[change], "ours\n").is_err());
    assert_eq!(env.git(&["rev-parse", "HEAD"]), moved);
    assert!(env.path(".git/index.lock").exists());
}

#[test]
fn a_damaged_vector_of_the_view_is_not_committed() {
    for args in [&["index", "--stage"][..], &["index"]] {
        let env = repository();
        let lesson = ["--context", "boats", "--lesson", "Sails tear in a storm."];
        env.ok(&[&["agent", "remember", "--type", "error"][..], &lesson].concat());
        env.ok(&["agent", "recall", "boats"]);
        env.ok(&["search", "ape"]);
        env.git(&["add", "."]);
        // Only the views have the vectors now, and the last ones in them are not what was written.
        env.damage_vectors();
        let done = env.run(args);
        assert_eq!(done.code, Some(0), "{done}");
        env.commit("index");
        env.git(&["clone", "--quiet", ".", "../clone"]);
        let checked = env.run_in("../clone", &["index", "--check", "--verify"]);
        assert_eq!(checked.code, Some(0), "{args:?}\n{done}\n{checked}");
        if args == ["index"] {
            assert!(
                done.stderr().contains("the search view is damaged; it was built anew"),
                "{done}"
            );
        }
    }
}

#[test]
fn a_table_that_a_commit_may_hold_is_left_alone() {
    let env = repository();
    env.index(&[]);
    let before = env.tables();
    env.write("dog.md", "# Dog\n\nThe dog barks.\n");
    // As `git commit --all` keeps it while its editor is open.
    env.write(".git/index.lock", "");
    let output = env.ok(&["index"]);
    assert!(output.stderr().contains("git is writing its index"), "{output}");
    assert_eq!(env.tables(), before);
    env.remove(".git/index.lock");
    env.ok(&["index"]);
    assert_ne!(env.tables(), before);
    env.ok(&["index", "--check"]);
}
