//! Files that hold keys: an undo brings them back, git never gets to see them.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use elophanto_agent::checkpoint::How;

use super::repository::{Repo, id};

/// In every content that is a key.
const KEY: &str = "heliotrope";

/// What git's objects hold, all of them.
fn objects(repo: &Repo) -> String {
    let all = ["cat-file", "--batch-all-objects", "--batch", "--unordered"];
    String::from_utf8_lossy(&repo.git_bytes(&all)).into_owned()
}

/// All files that are kept of keys, relative to the folder of the runs.
fn kept(repo: &Repo) -> Vec<PathBuf> {
    let runs = repo.git_dir().join("elophanto/runs");
    let mut kept = Vec::new();
    for owner in fs::read_dir(runs.join("private")).into_iter().flatten() {
        let owner = owner.unwrap().path();
        assert_eq!(fs::metadata(&owner).unwrap().permissions().mode() & 0o777, 0o700);
        for file in fs::read_dir(&owner).unwrap() {
            let file = file.unwrap().path();
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
            kept.push(file.strip_prefix(&runs).unwrap().to_owned());
        }
    }
    kept.sort();
    kept
}

fn key(text: &str) -> String {
    format!("{KEY} {text}\n")
}

/// A repository with keys: committed none, ignored one, new one, one that is no text.
fn repo() -> Repo {
    let repo = Repo::new(&[]);
    repo.write("a.txt", "one\n");
    repo.write(".gitignore", "ignored.key\n");
    repo.commit_all("first");
    repo.write("ignored.key", &key("ignored"));
    repo.write("d/new.key", &key("new"));
    let mut binary = key("binary").into_bytes();
    binary.push(0xff);
    fs::write(repo.root.join("binary.key"), binary).unwrap();
    repo
}

/// A run that changes all keys, by a tool or by a program; returns its id.
fn run(repo: &Repo, by_tool: bool, act: impl Fn(&Repo)) -> String {
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        if by_tool {
            let names = ["a.txt", "ignored.key", "d", "binary.key", "copy.key"];
            run.before_files(&names.map(|name| repo.root.join(name))).unwrap();
        } else {
            run.before_anything(&[], false).unwrap();
        }
        act(repo);
        run.after().unwrap();
        run.finish().unwrap();
    });
    run_id
}

fn change(repo: &Repo) {
    repo.write("a.txt", "two\n");
    repo.write("ignored.key", &key("changed"));
    repo.write("copy.key", &key("new"));
    fs::remove_dir_all(repo.root.join("d")).unwrap();
    fs::remove_file(repo.root.join("binary.key")).unwrap();
}

#[test]
fn keys_come_back_and_are_not_in_git() {
    for by_tool in [true, false] {
        let repo = repo();
        let before = repo.manifest();
        let run_id = run(&repo, by_tool, change);
        let after = repo.manifest();
        let undo = id();
        repo.undo_as(&run_id, &undo, How::All).unwrap();
        assert_eq!(repo.manifest(), before, "{by_tool}");
        repo.git(&["gc", "--quiet", "--prune=now"]);
        let redo = id();
        repo.undo_as(&undo, &redo, How::All).unwrap();
        assert_eq!(repo.manifest(), after, "{by_tool}");
        repo.undo(&redo, How::All).unwrap();
        assert_eq!(repo.manifest(), before, "{by_tool}");
        let objects = objects(&repo);
        assert!(!objects.contains(KEY), "{objects}");
        assert!(objects.contains("one\n"), "{objects}");
    }
}

/// What a second run knows of keys is what the first one kept.
#[test]
fn keys_of_a_known_work_tree_come_back() {
    let repo = repo();
    run(&repo, false, |repo| repo.write("a.txt", "two\n"));
    let before = repo.manifest();
    let run_id = run(&repo, false, change);
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
    // What was kept may vanish: then it is kept again.
    fs::remove_dir_all(repo.git_dir().join("elophanto/runs/private")).unwrap();
    let run_id = run(&repo, false, change);
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
    assert!(!objects(&repo).contains(KEY));
}

#[test]
fn keys_of_an_interrupted_run_come_back() {
    let repo = repo();
    let before = repo.manifest();
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_anything(&[], false).unwrap();
        change(&repo);
        drop(run);
    });
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
    assert!(!objects(&repo).contains(KEY));
}

#[test]
fn what_nobody_needs_any_more_goes() {
    let repo = repo();
    let first = run(&repo, false, change);
    let second = run(&repo, false, |repo| repo.write("ignored.key", &key("third")));
    let of = |owner: &str| kept(&repo).iter().filter(|file| file.starts_with(owner)).count();
    let of_run = |run: &str| of(&format!("private/{run}"));
    assert_eq!((of_run(&first), of_run(&second)), (3, 1));
    repo.with(|at| {
        // Of a run whose ref somebody removed.
        let orphan = repo.git_dir().join("elophanto/runs/private").join(id());
        fs::create_dir(&orphan).unwrap();
        assert_eq!(at.prune(1).unwrap(), std::slice::from_ref(&first));
        assert!(!orphan.exists());
    });
    assert_eq!((of_run(&first), of_run(&second)), (0, 1));
    repo.with(|at| at.remove(&second).unwrap());
    assert_eq!(of_run(&second), 0);
    // What was last seen of the work tree.
    fs::remove_file(repo.root.join("copy.key")).unwrap();
    fs::remove_file(repo.root.join("ignored.key")).unwrap();
    run(&repo, false, |repo| repo.write("a.txt", "three\n"));
    // Much that is new makes it be taken anew.
    (0..1_100).for_each(|number| repo.write(&format!("many/{number}"), "x"));
    run(&repo, false, |repo| repo.write("a.txt", "four\n"));
    assert_eq!(kept(&repo), [] as [PathBuf; 0]);
}

/// A damaged content is not put in the place of anything.
#[test]
fn a_damaged_key_is_not_restored() {
    let repo = repo();
    let run_id = run(&repo, true, change);
    let after = repo.manifest();
    for file in kept(&repo) {
        fs::write(repo.git_dir().join("elophanto/runs").join(file), "else").unwrap();
    }
    let failed = repo.undo(&run_id, How::All).unwrap_err();
    assert!(failed.to_string().contains("is missing"), "{failed}");
    assert_eq!(repo.manifest(), after);
}
