//! What a gateway does beside conversations: jobs without a timer of the system, the index of each
//! repository.

use std::{fs, process::Command};

use serde_json::Value;

use super::{Gate, plain, until};
use crate::env::TestEnv;

/// The file of jobs that the gateway runs, and what their runs said.
fn jobs(env: &TestEnv) -> std::path::PathBuf {
    env.outside().join("home/.local/state/elophanto/schedule")
}

fn runs(env: &TestEnv) -> Vec<Value> {
    let logs = fs::read_dir(jobs(env)).unwrap().map(|entry| entry.unwrap().path());
    let logs = logs.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let lines: String = logs.map(|path| fs::read_to_string(path).unwrap()).collect();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What was due while no gateway lived is run once, one job after the other; what is not, is not.
#[test]
fn jobs_that_are_due_are_run() {
    let env = plain();
    let add = |name: &str, words: &[&str]| {
        env.ok(&[&["schedule", "add", name, "--gateway", "--every", "30d", "--"], words].concat());
    };
    add("first", &["search", "otters"]);
    add("second", &["index"]);
    add("later", &["search", "nothing"]);
    let file = jobs(&env).join("gateway.json");
    let mut kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for job in &mut kept.as_array_mut().unwrap()[..2] {
        job["since"] = "2020-01-01T00:00:00Z".into();
    }
    fs::write(&file, kept.to_string()).unwrap();
    let gate = Gate::open(&env);
    until("both have run", || runs(&env).len() == 2);
    gate.end();
    let gate = Gate::open(&env);
    std::thread::sleep(std::time::Duration::from_secs(3));
    gate.end();
    let mut runs = runs(&env);
    assert_eq!(runs.len(), 2, "{runs:?}");
    runs.sort_by_key(|run| run["at"].to_string());
    for (run, name) in runs.iter().zip(["first", "second"]) {
        assert_eq!((&run["name"], &run["exit"]), (&name.into(), &0.into()), "{runs:?}");
    }
    let listed = env.ok(&["schedule", "list"]).stdout();
    assert!(listed.contains("first  every 30d  search otters  (gateway)\n    last: "), "{listed}");
}

/// The index follows the notes of each repository, and the work tree stays as it is.
#[test]
fn the_index_follows_the_notes() {
    let (env, other) = (plain(), TestEnv::with(&[("b.md", "# Beavers\n\nThey build.\n")]));
    other.commit("First");
    env.write_settings(&format!("gateway.repositories: [., \"{}\"]\n", other.root().display()));
    let gate = Gate::open(&env);
    let manifest = |env: &TestEnv| {
        let view = walkdir::WalkDir::new(env.path(".git/elophanto")).into_iter();
        let files = view.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
        let mut files: Vec<_> = files
            .filter(|entry| entry.path().to_string_lossy().contains("manifest"))
            .map(|entry| fs::read(entry.path()).unwrap_or_default())
            .collect();
        files.sort();
        files
    };
    until("both are indexed", || !manifest(&env).is_empty() && !manifest(&other).is_empty());
    // Once it is quiet.
    std::thread::sleep(std::time::Duration::from_secs(1));
    for env in [&env, &other] {
        let before = manifest(env);
        env.write("new.md", "# Badgers\n\nThey dig.\n");
        until("the new note is indexed", || manifest(env) != before);
        let status = env.git(&["status", "--porcelain"]);
        assert_eq!(status.trim(), "?? new.md");
    }
    // Another folder in its place is followed as well.
    let away = other.outside().join("away");
    fs::rename(other.root(), &away).unwrap();
    let copied = Command::new("cp").arg("-a").args([&*away, other.root()]).status().unwrap();
    assert!(copied.success());
    let before = manifest(&other);
    other.write("newer.md", "# Martens\n\nThey climb.\n");
    until("the note in the new folder is indexed", || manifest(&other) != before);
    assert!(!gate.end().contains("panicked"));
}

/// That a repository is gone is said once, and the others are served on.
#[test]
fn a_repository_that_is_gone() {
    let (env, other) = (plain(), TestEnv::with(&[("b.md", "# Beavers\n")]));
    env.write_settings(&format!("gateway.repositories: [., \"{}\"]\n", other.root().display()));
    let gate = Gate::open(&env);
    fs::rename(other.root(), other.outside().join("away")).unwrap();
    // It is looked for every five seconds.
    std::thread::sleep(std::time::Duration::from_secs(13));
    gate.greet();
    let said = gate.end();
    assert_eq!(said.matches("it is not followed: ").count(), 1, "{said}");
}

/// A job outlives a gateway that is killed; the next one begins none beside it.
#[test]
fn a_job_of_a_gateway_that_is_gone() {
    let env = plain();
    env.ok(&[
        "schedule", "add", "slow", "--gateway", "--every", "30d", "--", "scan", "--every", "1h",
    ]);
    env.ok(&["schedule", "add", "other", "--gateway", "--every", "30d", "--", "search", "otters"]);
    let file = jobs(&env).join("gateway.json");
    let mut kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    kept[0]["since"] = "2020-01-01T00:00:00Z".into();
    kept[1]["since"] = "2021-01-01T00:00:00Z".into();
    fs::write(&file, kept.to_string()).unwrap();
    // Whoever runs `schedule run` in this repository.
    let at_work = || {
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let root = env.root().canonicalize().unwrap();
        all.filter(|process| {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            words.contains("schedule run ")
                && fs::read_link(process.path().join("cwd")).is_ok_and(|folder| folder == root)
        })
        .filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok())
        .collect::<Vec<_>>()
    };
    let gate = Gate::open(&env);
    until("it is begun", || at_work().len() == 1);
    let job = at_work()[0];
    gate.signal(libc::SIGKILL);
    gate.killed();
    let gate = Gate::open(&env);
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(at_work(), [job]);
    assert!(runs(&env).is_empty(), "{:?}", runs(&env));
    // Told to end, with all that it started, it is written down; then the other one has its turn.
    // SAFETY: only sends a signal, to a group that was seen to be there.
    unsafe { libc::kill(-job, libc::SIGTERM) };
    until("both have run", || runs(&env).len() == 2);
    gate.end();
    let mut runs = runs(&env);
    runs.sort_by_key(|run| run["at"].to_string());
    let names: Vec<_> = runs.iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["slow", "other"]);
    assert_ne!(runs[0]["exit"], 0, "{runs:?}");
    assert!(at_work().is_empty());
}
