//! One thing at a time.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use elophanto_agent::checkpoint::{CheckpointError, How, Progress, WhyLeft, WhyUncovered};

use super::repository::{Repo, id};

/// A run that writes these files, each under its own announcement.
fn writes(repo: &Repo, files: &[(&str, &str)]) -> String {
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        for (name, content) in files {
            run.before_files(&[PathBuf::from(name)]).unwrap();
            repo.write(name, content);
            assert_eq!(run.after().unwrap().last(), Some(&PathBuf::from(name)));
        }
        run.finish().unwrap();
    });
    run_id
}

#[test]
fn what_others_changed_is_left() {
    let repo = Repo::new(&[]);
    repo.write("a", "1");
    repo.write("b", "1");
    let run = writes(&repo, &[("a", "2"), ("b", "2"), ("new/folder/c", "2")]);
    repo.write("b", "by the user");
    repo.write("new/d", "by the user");
    let left = match repo.undo(&run, How::All) {
        Err(CheckpointError::Conflicts { left }) => left,
        other => panic!("{other:?}"),
    };
    let left: Vec<_> = left.iter().map(|one| (one.path.to_str().unwrap(), one.why)).collect();
    assert_eq!(left, [("b", WhyLeft::ChangedSince)]);
    assert_eq!(repo.read("a").as_deref(), Some("2"));
    let undone = repo.undo(&run, How::OnlyUnchanged).unwrap();
    assert_eq!(undone.restored, [PathBuf::from("a")]);
    assert_eq!(undone.removed, [PathBuf::from("new/folder"), PathBuf::from("new/folder/c")]);
    assert_eq!((undone.left.len(), &undone.used[..]), (1, &[PathBuf::from("new")][..]));
    assert_eq!(repo.read("a").as_deref(), Some("1"));
    assert_eq!(repo.read("b").as_deref(), Some("by the user"));
    assert_eq!(repo.read("new/d").as_deref(), Some("by the user"));
}

/// Somebody else's file in a folder that the run made is in nobody's way.
#[test]
fn a_folder_that_others_use_stays() {
    let repo = Repo::new(&[]);
    let run = writes(&repo, &[("new/folder/a", "1"), ("b", "1")]);
    repo.write("new/folder/mine", "by the user");
    let undone = repo.undo(&run, How::All).unwrap();
    assert_eq!(undone.removed, [PathBuf::from("b"), PathBuf::from("new/folder/a")]);
    assert_eq!(undone.used, [PathBuf::from("new"), PathBuf::from("new/folder")]);
    assert_eq!(repo.read("new/folder/mine").as_deref(), Some("by the user"));
    let again = repo.undo(&run, How::All).unwrap();
    assert_eq!((again.run, again.removed.len()), (None, 0));
    // Redone, it is the same as before.
    repo.undo(&undone.run.unwrap(), How::All).unwrap();
    assert_eq!(repo.read("new/folder/a").as_deref(), Some("1"));
}

#[test]
fn a_change_between_two_of_the_run_is_left() {
    let repo = Repo::new(&[]);
    repo.write("a", "1");
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        for content in ["2", "4"] {
            run.before_files(&["a".into()]).unwrap();
            repo.write("a", content);
            run.after().unwrap();
            repo.write("a", if content == "2" { "3" } else { "4" });
        }
        run.finish().unwrap();
    });
    let undone = repo.undo(&run_id, How::OnlyUnchanged).unwrap();
    assert_eq!(undone.left[0].why, WhyLeft::ChangedDuring);
    assert_eq!(repo.read("a").as_deref(), Some("4"));
}

#[test]
fn one_run_at_a_time() {
    let repo = Repo::new(&[]);
    let (one, two) = (id(), id());
    repo.with(|at| {
        let run = at.begin(&one).unwrap();
        match at.begin(&two) {
            Err(CheckpointError::Busy { run, .. }) => assert_eq!(run, one),
            other => panic!("{:?}", other.map(|run| run.id().to_owned())),
        }
        let runs = at.runs().unwrap();
        assert_eq!((runs[0].run.as_str(), runs[0].progress), (&*one, Progress::AtWork));
        run.finish().unwrap();
        at.begin(&two).unwrap().finish().unwrap();
        assert_eq!(at.runs().unwrap(), []);
        assert!(matches!(repo.undo(&one, How::All), Err(CheckpointError::UnknownRun(_))));
    });
}

#[test]
fn paths_that_are_refused() {
    let repo = Repo::new(&[]);
    symlink("/tmp", repo.root.join("away")).unwrap();
    repo.with(|at| {
        let mut run = at.begin(&id()).unwrap();
        for path in ["/etc/passwd", "../x", "away/x", ".", "", "a/../../x"] {
            let refused = run.before_files(&[path.into()]);
            assert!(matches!(refused, Err(CheckpointError::Outside(_))), "{path}");
        }
        for path in [".git/config", ".git", "sub/.git/hooks/x", ".GIT/config"] {
            let refused = run.before_files(&[path.into()]);
            assert!(matches!(refused, Err(CheckpointError::OfGit(_))), "{path}");
        }
        for id in ["", "../x", "01", "01arz3ndektsv4rrffq69g5fav"] {
            assert!(matches!(at.remove(id), Err(CheckpointError::BadRun(_))));
        }
        run.finish().unwrap();
    });
}

#[test]
fn what_is_not_covered_is_told() {
    let repo = Repo::new(&[]);
    repo.write(".gitignore", "many/\n");
    repo.write("nested/file", "1");
    Repo::at(&repo.root.join("nested")).git(&["init", "--quiet"]);
    fs::create_dir(repo.root.join("many")).unwrap();
    for number in 0..=elophanto_agent::checkpoint::MOST_IGNORED_ENTRIES {
        fs::File::create(repo.root.join(format!("many/{number}"))).unwrap();
    }
    let large = fs::File::create(repo.root.join("large")).unwrap();
    large.set_len(elophanto_agent::checkpoint::MOST_FILE_BYTES + 1).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(repo.root.join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_anything(&[], false).unwrap();
        let told = |run: &elophanto_agent::checkpoint::Run| -> Vec<_> {
            let told = run.uncovered().into_iter();
            told.map(|one| (one.path.to_str().unwrap().to_owned(), one.why)).collect()
        };
        let expected = [
            ("many".to_owned(), WhyUncovered::TooMuch),
            ("nested".to_owned(), WhyUncovered::NestedRepository),
            ("pipe".to_owned(), WhyUncovered::Special),
        ];
        assert_eq!(told(&run), expected);
        repo.write("large", "small now");
        repo.write("nested/file", "2");
        repo.write("fine", "2");
        assert_eq!(run.after().unwrap(), ["fine", "large"].map(PathBuf::from));
        assert_eq!(told(&run)[0], ("large".to_owned(), WhyUncovered::Large));
        assert_eq!(run.finish().unwrap().uncovered.len(), 4);
    });
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.read("fine"), None);
    assert_eq!(repo.read("nested/file").as_deref(), Some("2"));
}

#[test]
fn a_damaged_run_hinders_no_other() {
    let repo = Repo::new(&[]);
    repo.write("a", "1");
    let (one, two) = (id(), id());
    let folder = repo.root.join(".git/elophanto/runs").join(&one);
    repo.with(|at| {
        let mut run = at.begin(&one).unwrap();
        run.before_files(&["a".into()]).unwrap();
        repo.write("a", "2");
        drop(run);
        let journal = folder.join("journal.jsonl");
        let text = fs::read_to_string(&journal).unwrap().replacen("begun", "began", 1);
        fs::write(&journal, text).unwrap();
        at.begin(&two).unwrap().finish().unwrap();
        let undone = repo.undo(&one, How::All);
        assert!(matches!(undone, Err(CheckpointError::Damaged { .. })), "{undone:?}");
        at.remove(&one).unwrap();
        assert!(!folder.exists());
        assert!(matches!(repo.undo(&one, How::All), Err(CheckpointError::UnknownRun(_))));
    });
}

#[test]
fn a_journal_that_is_cut_off_counts_up_to_there() {
    let repo = Repo::new(&[]);
    repo.write("a", "1");
    let run_id = id();
    let journal = repo.root.join(".git/elophanto/runs").join(&run_id).join("journal.jsonl");
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_files(&["a".into()]).unwrap();
        repo.write("a", "2");
        run.after().unwrap();
        drop(run);
    });
    let whole = fs::read(&journal).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
    fs::write(&journal, &whole[..(last + whole.len()) / 2]).unwrap();
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.read("a").as_deref(), Some("1"));
}

#[test]
fn named_files_of_a_nested_repository_come_back() {
    let repo = Repo::new(&[]);
    repo.write("nested/file", "1");
    Repo::at(&repo.root.join("nested")).git(&["init", "--quiet"]);
    let run = writes(&repo, &[("nested/file", "2"), ("nested/new", "2")]);
    repo.undo(&run, How::All).unwrap();
    assert_eq!(repo.read("nested/file").as_deref(), Some("1"));
    assert_eq!(repo.read("nested/new"), None);
}

#[test]
fn ignored_files_come_back() {
    let repo = Repo::new(&[]);
    repo.write(".gitignore", "build/\n");
    repo.write("build/a/out", "1");
    repo.commit_all("first");
    let before = repo.manifest();
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_anything(&[], false).unwrap();
        fs::remove_dir_all(repo.root.join("build")).unwrap();
        run.after().unwrap();
        run.finish().unwrap();
    });
    repo.git(&["gc", "--quiet", "--prune=now"]);
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
}

/// Formats of repositories that libgit2 cannot open, and other places.
#[test]
fn every_kind_of_repository() {
    let kinds: [&[&str]; 3] = [&["--object-format=sha256"], &["--ref-format=reftable"], &[]];
    for kind in kinds {
        let repo = Repo::new(kind);
        repo.write("a", "1");
        repo.commit_all("first");
        repo.git(&["worktree", "add", "--quiet", "--detach", "../linked"]);
        let linked = Repo::at(&repo.root.parent().unwrap().join("linked"));
        for repo in [&linked, &repo] {
            let (before, refs) = (repo.manifest(), repo.git(&["for-each-ref", "refs/heads"]));
            let (head, status) = (repo.git(&["rev-parse", "HEAD"]), repo.status());
            let run_id = id();
            repo.with(|at| {
                let mut run = at.begin(&run_id).unwrap();
                run.before_anything(&[], false).unwrap();
                repo.write("a", "2");
                repo.write("b/c", "2");
                assert_eq!(run.after().unwrap().len(), 3, "{kind:?}");
                run.before_commit().unwrap();
                repo.commit_all("by the run");
                let new = repo.git(&["rev-parse", "HEAD"]).parse().unwrap();
                let (attached, branch) = repo.try_git(&["symbolic-ref", "HEAD"]);
                let branch = String::from_utf8_lossy(branch.trim_ascii()).into_owned();
                let old = Some(head.parse().unwrap());
                run.committed(old, new, attached.then_some(&*branch)).unwrap();
                run.finish().unwrap();
            });
            let undone = repo.undo(&run_id, How::All).unwrap();
            assert_eq!(undone.commits_undone, 1, "{kind:?}");
            assert_eq!(repo.manifest(), before, "{kind:?}");
            assert_eq!(repo.git(&["rev-parse", "HEAD"]), head, "{kind:?}");
            assert_eq!(repo.git(&["for-each-ref", "refs/heads"]), refs, "{kind:?}");
            assert_eq!(repo.status(), status, "{kind:?}");
        }
        let run = writes(&linked, &[("a", "3")]);
        let other = repo.undo(&run, How::All);
        assert!(matches!(other, Err(CheckpointError::OtherWorkTree { .. })), "{other:?}");
    }
}

#[test]
fn a_branch_that_went_on_is_left() {
    let repo = Repo::new(&[]);
    repo.write("a", "1");
    repo.commit_all("first");
    let old = repo.git(&["rev-parse", "HEAD"]);
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_files(&["a".into()]).unwrap();
        repo.write("a", "2");
        run.after().unwrap();
        run.before_commit().unwrap();
        repo.commit_all("by the run");
        let new = repo.git(&["rev-parse", "HEAD"]).parse().unwrap();
        run.committed(Some(old.parse().unwrap()), new, Some("refs/heads/main")).unwrap();
        run.finish().unwrap();
    });
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "by the user"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert!(matches!(repo.undo(&run_id, How::All), Err(CheckpointError::Conflicts { .. })));
    let undone = repo.undo(&run_id, How::OnlyUnchanged).unwrap();
    assert_eq!(undone.left[0].why, WhyLeft::Branch);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repo.read("a").as_deref(), Some("1"));
}

#[test]
fn old_runs_are_forgotten() {
    let repo = Repo::new(&[]);
    let runs: Vec<_> = (0..4)
        .map(|number| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            writes(&repo, &[("a", &number.to_string())])
        })
        .collect();
    repo.with(|at| {
        assert_eq!(at.prune(2).unwrap().len(), 2);
        let kept: Vec<_> = at.runs().unwrap().into_iter().map(|kept| kept.run).collect();
        assert_eq!(kept, [runs[3].clone(), runs[2].clone()]);
        at.remove(&runs[3]).unwrap();
        assert!(matches!(at.remove(&runs[3]), Err(CheckpointError::UnknownRun(_))));
    });
}

#[test]
fn a_place_that_cannot_be_written() {
    let repo = Repo::new(&[]);
    fs::write(repo.root.join(".git/elophanto"), "a file").unwrap();
    repo.with(|at| assert!(at.begin(&id()).is_err()));
}

/// Size and times are not all that counts.
#[test]
fn a_quiet_change_is_seen() {
    let repo = Repo::new(&[]);
    for number in 0..20 {
        let path = repo.root.join("a");
        fs::write(&path, "one").unwrap();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let run_id = id();
        repo.with(|at| {
            let mut run = at.begin(&run_id).unwrap();
            run.before_anything(&[], false).unwrap();
            fs::write(&path, "two").unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
            assert_eq!(run.after().unwrap().len(), 1, "{number}");
            run.finish().unwrap();
        });
        repo.undo(&run_id, How::All).unwrap();
        assert_eq!(repo.read("a").as_deref(), Some("one"));
    }
}

/// Where a link takes the place of a folder again, what it leads to keeps its rights.
#[test]
fn a_closed_folder_becomes_a_link_again() {
    let repo = Repo::new(&[]);
    repo.write("target/file", "1");
    symlink("target", repo.root.join("link")).unwrap();
    let before = repo.manifest();
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        run.before_anything(&[], false).unwrap();
        fs::remove_file(repo.root.join("link")).unwrap();
        repo.write("link/inside", "2");
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o555);
        fs::set_permissions(repo.root.join("link"), closed).unwrap();
        run.after().unwrap();
        run.finish().unwrap();
    });
    repo.undo(&run_id, How::All).unwrap();
    assert_eq!(repo.manifest(), before);
}
