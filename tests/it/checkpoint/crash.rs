//! Runs and undos that are killed, or meet a full disk.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use elophanto_agent::checkpoint::{CheckpointError, How, Progress, Undo};
use fastrand::Rng;

use super::repository::{Repo, differing, furnish, id, step};

const ROOT: &str = "CHECKPOINT_TEST_ROOT";
const RUN: &str = "CHECKPOINT_TEST_RUN";
const UNDOES: &str = "CHECKPOINT_TEST_UNDOES";
const SEED: &str = "CHECKPOINT_TEST_SEED";
/// Set where a run is to be met in its middle: it says when it has done something, and never ends by
/// itself.
const STAYS: &str = "CHECKPOINT_TEST_STAYS";
const KILLS: u64 = 30;

/// What the other tests kill.
#[test]
#[ignore = "a process of other tests"]
fn child() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let text = |name| std::env::var(name).unwrap_or_default();
    let (run, undoes) = (text(RUN), text(UNDOES));
    let repo = Repo::at(Path::new(&root));
    if !undoes.is_empty() {
        repo.undo_as(&undoes, &run, How::All).unwrap();
        return;
    }
    let mut random = Rng::with_seed(text(SEED).parse().unwrap());
    repo.with(|at| {
        let mut run = at.begin(&run).unwrap();
        let stays = std::env::var_os(STAYS).is_some();
        let mut has_said = !stays;
        for _ in 0..random.usize(10..40) {
            if random.bool() {
                run.before_anything(&[], false).unwrap();
                (0..10).for_each(|_| step(&mut random).act(&repo));
            } else {
                let step = step(&mut random);
                if step.passes_a_link(&repo) {
                    continue;
                }
                let paths: Vec<_> = step.paths.iter().map(|name| repo.path(name)).collect();
                run.before_files(&paths).unwrap();
                step.act(&repo);
            }
            run.after().unwrap();
            if !has_said {
                writeln!(std::io::stdout(), "begun").unwrap();
                has_said = true;
            }
        }
        if stays {
            loop {
                std::thread::park();
            }
        }
        run.finish().unwrap();
    });
}

fn command(repo: &Repo, run: &str, undoes: &str, seed: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "checkpoint::crash::child", "--ignored"])
        .env(ROOT, &repo.root)
        .env(RUN, run)
        .env(UNDOES, undoes)
        .env(SEED, seed.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Kills a run somewhere in its middle, however slow the machine is.
fn kill_in_the_middle(repo: &Repo, run: &str, seed: u64, microseconds: u64) {
    let mut child = command(repo, run, "", seed)
        .arg("--nocapture")
        .env(STAYS, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.into_iter().any(|line| line.ends_with("begun")));
    kill_after(child, microseconds);
}

fn kill_after(mut child: Child, microseconds: u64) {
    std::thread::sleep(Duration::from_micros(microseconds));
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn killed_runs_and_undos_are_undone() {
    let mut interrupted = 0;
    for seed in 0..KILLS {
        let mut random = Rng::with_seed(seed);
        let repo = Repo::new(&[]);
        furnish(&repo, &mut random);
        let (before, state) = (repo.manifest(), repo.state());
        let run = id();
        let at_once = seed % 2 == 0;
        if at_once {
            let child = command(&repo, &run, "", seed).spawn().unwrap();
            kill_after(child, random.u64(5_000..80_000));
        } else {
            kill_in_the_middle(&repo, &run, seed, random.u64(..60_000));
        }
        assert_eq!(repo.state(), state, "seed {seed}");
        let known = repo.with(|at| at.runs().unwrap());
        if known.first().is_some_and(|kept| kept.progress == Progress::Interrupted) {
            interrupted += 1;
        }
        for _ in 0..2 {
            kill_after(
                command(&repo, &id(), &run, seed).spawn().unwrap(),
                random.u64(3_000..60_000),
            );
        }
        match repo.undo(&run, How::All) {
            Ok(_) => {}
            // It had done nothing.
            Err(CheckpointError::UnknownRun(_)) => {}
            Err(cause) => panic!("seed {seed}: {cause} {cause:?}"),
        }
        let now = repo.manifest();
        let shown: Vec<_> = differing(&before, &now)
            .into_iter()
            .map(|path| (before.get(&path).cloned(), now.get(&path).cloned(), path))
            .collect();
        assert!(shown.is_empty(), "seed {seed}: {shown:#?}");
        assert_eq!(repo.state(), state, "seed {seed}");
    }
    assert!(interrupted >= KILLS / 3, "{interrupted}");
}

#[test]
fn interrupted_runs_want_consent() {
    let repo = Repo::new(&[]);
    repo.write("a", "1");
    let (one, two) = (id(), id());
    repo.with(|at| {
        let mut run = at.begin(&one).unwrap();
        run.before_files(&["a".into(), "b".into()]).unwrap();
        repo.write("a", "2");
        drop(run);
        assert_eq!(at.runs().unwrap()[0].progress, Progress::Interrupted);
        let mut undo = Undo { run: &one, as_run: &two, how: How::All, accepts_interrupted: false };
        assert!(matches!(at.undo(&undo), Err(CheckpointError::Interrupted { .. })));
        assert_eq!(repo.read("a").as_deref(), Some("2"));
        undo.accepts_interrupted = true;
        let undone = at.undo(&undo).unwrap();
        assert!(undone.is_interrupted);
    });
    assert_eq!(repo.read("a").as_deref(), Some("1"));
}

/// `ulimit -f` counts blocks of 512 bytes or 1 KiB.
#[test]
fn a_full_disk_acknowledges_nothing() {
    let repo = Repo::new(&[]);
    let mut random = Rng::with_seed(1);
    let noise: Vec<u8> = (0..1024 * 1024).map(|_| random.u8(..)).collect();
    fs::write(repo.root.join("big"), noise).unwrap();
    let line = "trap '' XFSZ; ulimit -f 100; exec \"$0\" --exact checkpoint::crash::full --ignored";
    // Its output is taken: where ours goes to a file that is larger, it could say nothing.
    let output = Command::new("sh")
        .args(["-c", line])
        .arg(std::env::current_exe().unwrap())
        .env(ROOT, &repo.root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(repo.manifest().len(), 1);
    repo.with(|at| {
        let mut run = at.begin(&id()).unwrap();
        run.before_anything(&[], false).unwrap();
        fs::remove_file(repo.root.join("big")).unwrap();
        run.after().unwrap();
        run.finish().unwrap();
    });
}

#[test]
#[ignore = "a process of another test"]
fn full() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let repo = Repo::at(Path::new(&root));
    repo.with(|at| {
        let mut run = at.begin(&id()).unwrap();
        assert!(run.before_files(&["big".into()]).is_err());
        assert!(run.before_anything(&[], false).is_err());
        assert!(run.after().unwrap().is_empty());
        run.before_files(&["small".into()]).unwrap();
        run.after().unwrap();
        run.finish().unwrap();
    });
}
