//! Random runs: what is undone is as it was, to the byte.

use std::{collections::BTreeSet, fs, path::PathBuf};

use elophanto_agent::checkpoint::{How, Run};
use elophanto_repo::{CommitId, Git, head, locate};
use fastrand::Rng;

use super::repository::{Manifest, Repo, differing, furnish, id, step};

#[test]
fn undo_restores_random_runs() {
    (0..50).for_each(one);
}

#[test]
fn undo_restores_more_random_runs() {
    (50..100).for_each(one);
}

fn one(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let repo = Repo::new(&[]);
    furnish(&repo, &mut random);
    repo.status();
    let mut expected = repo.manifest();
    let (state, status) = (repo.state(), status(&repo));
    let run_id = id();
    repo.with(|at| {
        let mut run = at.begin(&run_id).unwrap();
        for _ in 0..random.usize(1..6) {
            if random.bool() {
                by_user(&repo, &mut random, &mut expected);
            }
            match random.u8(..4) {
                0 | 1 => by_tool(&repo, &mut random, &mut run, seed),
                2 => by_shell(&repo, &mut random, &mut run, seed),
                _ => commit(&repo, &mut random, &mut run),
            }
        }
        run.finish().unwrap();
    });
    by_user(&repo, &mut random, &mut expected);
    let after = repo.manifest();
    let after_state = repo.state();
    let known = repo.with(|at| at.runs().unwrap());
    if known.is_empty() {
        assert_eq!(differing(&expected, &after), [] as [PathBuf; 0], "seed {seed}");
        return;
    }
    let undo_id = id();
    let undone = repo
        .undo_as(&run_id, &undo_id, How::All)
        .unwrap_or_else(|e| panic!("seed {seed}: {e} {e:?}"));
    check(&repo, &expected, seed, "undone");
    same(&repo, &state, seed);
    assert_eq!(self::status(&repo), status, "seed {seed}");
    // Again there is nothing to do.
    let again = repo.undo(&run_id, How::All).unwrap();
    assert_eq!((again.restored.len(), again.removed.len()), (0, 0), "seed {seed}");
    if undone.run.is_none() {
        return;
    }
    let redo = id();
    repo.undo_as(&undo_id, &redo, How::All).unwrap_or_else(|e| panic!("seed {seed}: {e} {e:?}"));
    check(&repo, &after, seed, "redone");
    same(&repo, &after_state, seed);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    if seed.is_multiple_of(10) {
        repo.git(&["gc", "--quiet", "--prune=now"]);
    }
    repo.undo(&redo, How::All).unwrap();
    check(&repo, &expected, seed, "undone again");
    same(&repo, &state, seed);
    assert!(!repo.git_dir().join("elophanto/runs").join(&run_id).exists());
}

fn check(repo: &Repo, expected: &Manifest, seed: u64, what: &str) {
    let now = repo.manifest();
    let differing = differing(expected, &now);
    let show = |path: &PathBuf| (path.clone(), expected.get(path).cloned(), now.get(path).cloned());
    let shown: Vec<_> = differing.iter().map(show).collect();
    assert!(shown.is_empty(), "seed {seed}, {what}: {shown:#?}");
}

fn same(repo: &Repo, expected: &[Vec<u8>; 4], seed: u64) {
    let show = |state: &[Vec<u8>; 4]| {
        state.each_ref().map(|text| String::from_utf8_lossy(text).replace('\0', "\n"))
    };
    let (now, expected) = (show(&repo.state()), show(expected));
    assert!(now == expected, "seed {seed}: {now:#?}, expected {expected:#?}");
}

/// Status of all that is not the user's.
fn status(repo: &Repo) -> Vec<Vec<u8>> {
    let lines = repo.status();
    let lines = lines.split(|&byte| byte == 0).map(<[u8]>::to_vec);
    lines.filter(|line| !String::from_utf8_lossy(line).contains("user/")).collect()
}

/// Changes only what no run touches.
fn by_user(repo: &Repo, random: &mut Rng, expected: &mut Manifest) {
    let name = ["notes.md", "other", "new", "dir/new"][random.usize(..4)];
    let path = repo.root.join("user").join(name);
    if random.u8(..3) == 0 && path.exists() {
        fs::remove_file(&path).unwrap();
    } else {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("by the user {}", random.u8(..))).unwrap();
    }
    expected.retain(|path, _| !path.starts_with("user"));
    let users = repo.manifest().into_iter().filter(|(path, _)| path.starts_with("user"));
    expected.extend(users);
}

fn by_tool(repo: &Repo, random: &mut Rng, run: &mut Run, seed: u64) {
    let step = step(random);
    if step.passes_a_link(repo) {
        return;
    }
    let before = repo.manifest();
    let paths: Vec<_> = step.paths.iter().map(|name| repo.path(name)).collect();
    run.before_files(&paths).unwrap();
    step.act(repo);
    let changed = run.after().unwrap();
    assert_eq!(changed, differing(&before, &repo.manifest()), "seed {seed} {step:?}");
}

fn by_shell(repo: &Repo, random: &mut Rng, run: &mut Run, seed: u64) {
    let before = repo.manifest();
    run.before_anything(&[], false).unwrap();
    let is_nested = random.u8(..4) == 0;
    for _ in 0..random.usize(1..12) {
        step(random).act(repo);
    }
    if is_nested {
        by_tool(repo, random, run, seed);
    }
    for _ in 0..random.usize(..4) {
        step(random).act(repo);
    }
    let changed = run.after().unwrap();
    if !is_nested {
        assert_eq!(changed, differing(&before, &repo.manifest()), "seed {seed}");
    }
}

fn commit(repo: &Repo, random: &mut Rng, run: &mut Run) {
    let repository = locate(&repo.root).unwrap();
    let git = Git::of(&repository).unwrap();
    let old: Option<CommitId> = head(&git).unwrap();
    run.before_commit().unwrap();
    let tracked: BTreeSet<_> =
        repo.manifest().into_keys().filter(|p| !p.starts_with("user")).collect();
    let some: Vec<_> = tracked.iter().filter(|_| random.bool()).collect();
    for path in some {
        use std::os::unix::ffi::OsStrExt;
        let Ok(text) = std::str::from_utf8(path.as_os_str().as_bytes()) else { continue };
        let _ = repo.try_git(&["--literal-pathspecs", "add", "--", text]);
    }
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "by the run"]);
    let new = head(&git).unwrap().unwrap();
    let (attached, branch) = repo.try_git(&["symbolic-ref", "HEAD"]);
    let branch = String::from_utf8_lossy(branch.trim_ascii()).into_owned();
    run.committed(old, new, attached.then_some(branch.as_str())).unwrap();
}
