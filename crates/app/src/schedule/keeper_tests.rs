//! The keeper of jobs, with programs that stand for ours.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{atomic::AtomicBool, mpsc},
    thread,
};

use super::*;
use crate::{environment::Environment, reporter::Heard, schedule::tests::job};

const HANGS: Duration = Duration::from_secs(60);

/// A user's jobs, whose program is a script that gets the name of the job as `$3`.
struct Bench {
    home: tempfile::TempDir,
    jobs: Jobs,
}

impl Bench {
    fn new(script: &str, names: &[(&str, i64)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        let program = path("program");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let variables = [("HOME", "."), ("XDG_STATE_HOME", "state")]
            .map(|(name, value)| (name.to_owned(), path(value).to_string_lossy().into_owned()));
        let jobs = Jobs::of(&Environment::of_variables(variables)).unwrap();
        fs::create_dir_all(jobs.kept().parent().unwrap()).unwrap();
        let folder = home.path().to_string_lossy().into_owned();
        let kept = |(name, hours): &(&str, i64)| Kept {
            job: Job { program: program.clone(), ..job(name, 60, &["scan"], &folder) },
            since: Timestamp::now() - jiff::SignedDuration::from_hours(*hours),
        };
        kept::write(&jobs.kept(), &names.iter().map(kept).collect::<Vec<_>>()).unwrap();
        Self { home, jobs }
    }

    /// Keeps them until something holds.
    fn keep(&self, holds: impl Fn(&Heard) -> bool) -> Vec<String> {
        let (ends, ended) = mpsc::channel();
        let heard = Heard::default();
        thread::scope(|scope| {
            let (jobs, told) = (&self.jobs, &heard);
            scope.spawn(move || jobs.keep(&ended, told));
            let begun = Instant::now();
            while !holds(&heard) {
                assert!(begun.elapsed() < HANGS, "{:?}", heard.all());
                thread::sleep(Duration::from_millis(20));
            }
            drop(ends);
        });
        heard.all()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.home.path().join(name)).unwrap_or_default()
    }
}

#[test]
fn the_longest_overdue_is_first_and_what_cannot_begin_is_told() {
    let script = "echo \"$3\" >> order; echo \"error: no $3 today\" >&2; exit 2";
    let bench = Bench::new(script, &[("later", 1), ("longest", 2)]);
    let heard = bench.keep(|heard| heard.all().len() >= 2);
    assert_eq!(bench.read("order"), "longest\nlater\n");
    assert_eq!(heard.len(), 2, "{heard:?}");
    for (heard, name) in heard.iter().zip(["longest", "later"]) {
        assert!(heard.starts_with(&format!("the job `{name}` of `")), "{heard}");
        assert!(heard.ends_with(&format!("failed: error: no {name} today")), "{heard}");
    }
}

/// One that a gateway which is gone had started keeps its repository.
#[test]
fn what_still_goes_on_is_waited_for() {
    let bench = Bench::new("echo \"$3\" >> order", &[("one", 1)]);
    let turn = bench.jobs.turn(bench.home.path());
    let held = lock::try_for(&turn, Duration::ZERO).unwrap().unwrap();
    let begun = Instant::now();
    let heard = bench.keep(|_| begun.elapsed() > Duration::from_secs(3));
    assert!(bench.read("order").is_empty() && heard.is_empty(), "{heard:?}");
    drop(held);
    bench.keep(|_| !bench.read("order").is_empty());
}

/// All are told at once; one that ends slowly keeps its repository until it has.
#[test]
fn told_to_end() {
    let script = "trap 'sleep 1; echo end >> order; exit' TERM; echo \"$3\" >> order; \
                  while :; do sleep 0.05; done";
    let bench = Bench::new(script, &[("one", 1)]);
    bench.keep(|_| bench.read("order") == "one\n");
    assert_eq!(bench.read("order"), "one\nend\n");
    let free = lock::try_for(&bench.jobs.turn(bench.home.path()), Duration::ZERO).unwrap();
    assert!(free.is_some());
}

#[test]
fn a_run_that_a_signal_ends_is_written_down() {
    let bench = Bench::new("exit", &[]);
    let job = Job {
        program: Path::new("/bin/sh").to_owned(),
        command: ["-c", "kill $$"].map(str::to_owned).to_vec(),
        ..job("slow", 60, &["scan"], &bench.home.path().to_string_lossy())
    };
    let run = bench.jobs.run(&job, &AtomicBool::new(false)).unwrap();
    assert_eq!((run.exit, &*run.said), (None, "ended by signal 15"));
    assert!(run.has_failed() && bench.jobs.last(&job).is_some());
}
