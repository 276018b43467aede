//! Where the contents of a work tree are kept while a run is at work: what is little by the run
//! itself, what is much in git.

use std::path::Path;

use elophanto_agent::checkpoint::How;

use super::repository::{Repo, id, remove};

/// A file that is no text goes another way than one that is.
fn content(number: usize, version: &str) -> Vec<u8> {
    let mut content = format!("{version} {number}\n").repeat(3).into_bytes();
    if number.is_multiple_of(2) {
        content.push(0xff);
    }
    content
}

fn write_all(repo: &Repo, files: usize, version: &str) {
    for number in 0..files {
        let path = repo.root.join(format!("d{}/f{number}", number % 7));
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, content(number, version)).unwrap();
    }
}

fn objects(repo: &Repo) -> usize {
    let count = repo.git(&["count-objects", "-v"]);
    let number = |name: &str| {
        let line = count.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<usize>().unwrap()
    };
    number("count:") + number("in-pack:")
}

/// A repository whose work tree was taken once, and has changed since.
fn changed(files: usize) -> Repo {
    let repo = Repo::new(&[]);
    write_all(&repo, files, "first");
    repo.commit_all("first");
    repo.with(|at| {
        let mut run = at.begin(&id()).unwrap();
        run.before_anything(&[], false).unwrap();
        run.after().unwrap();
        run.finish().unwrap();
    });
    write_all(&repo, files, "second");
    repo
}

/// Whether the contents went to git before the run was over, whose end may be a crash.
fn goes_to_git(files: usize, ends: bool) -> bool {
    let repo = changed(files);
    let (before, known) = (repo.manifest(), objects(&repo));
    let run_id = id();
    let went = repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        // One scope in another, and one after both.
        run.before_anything(&[], false).unwrap();
        write_all(&repo, files / 2, "third");
        run.before_anything(&[], false).unwrap();
        (0..7).for_each(|folder| remove(&repo.root.join(format!("d{folder}"))));
        assert!(run.after().unwrap().len() > files);
        repo.write("new", "one");
        assert!(run.after().unwrap().len() > files);
        run.before_anything(&[], false).unwrap();
        repo.write("new", "two");
        let went = objects(&repo) > known;
        if ends {
            run.after().unwrap();
            run.finish().unwrap();
        }
        went
    });
    assert_ne!(repo.manifest(), before);
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
    went
}

#[test]
fn little_that_is_new_is_kept_by_the_run() {
    assert!(!goes_to_git(40, true));
    assert!(!goes_to_git(40, false));
}

#[test]
fn much_that_is_new_is_kept_by_git() {
    assert!(goes_to_git(1_100, true));
    assert!(goes_to_git(1_100, false));
}

#[test]
fn the_first_look_at_a_work_tree_goes_to_git() {
    let repo = Repo::new(&[]);
    write_all(&repo, 10, "first");
    let (before, known) = (repo.manifest(), objects(&repo));
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_anything(&[], false).unwrap();
        assert!(objects(&repo) > known + 10);
        write_all(&repo, 10, "second");
        run.after().unwrap();
        run.finish().unwrap();
    });
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
}

/// What git holds for the next run may be gone: a repository that was cleaned by hand.
#[test]
fn contents_that_git_has_lost_are_taken_again() {
    let repo = changed(10);
    let before = repo.manifest();
    let held = repo.git(&["for-each-ref", "--format=%(refname)", "refs/elophanto/baselines/"]);
    repo.git(&["update-ref", "-d", held.trim()]);
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_anything(&[], false).unwrap();
        (0..7).for_each(|folder| remove(&repo.root.join(format!("d{folder}"))));
        run.after().unwrap();
        run.finish().unwrap();
    });
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
}
