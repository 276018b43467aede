//! What the README promises, in the configuration that users have: no setting but what `init` and
//! `index` write themselves, and the model that they choose.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::env::{Output, TestEnv, finish};

mod background;
mod carried;
mod conflict;
mod hidden;
mod merged;

/// Subjects that notes are about, and what they do.
const SUBJECTS: [&str; 8] =
    ["otters", "glaciers", "violins", "ovens", "ledgers", "harbours", "beetles", "satellites"];
const DOINGS: [&str; 6] = ["are repaired", "are counted", "sleep", "are painted", "drift", "rust"];

/// A note of one passage.
fn note(number: usize) -> String {
    let (subject, doing) =
        (SUBJECTS[number % SUBJECTS.len()], DOINGS[number / SUBJECTS.len() % DOINGS.len()]);
    format!("# Note {number}\n\nHere is written when {subject} {doing}, in case {number}.\n")
}

/// A repository with so many notes, without a line of settings.
fn with_notes(count: usize) -> TestEnv {
    let env = TestEnv::new();
    for number in 0..count {
        env.write(format!("notes/{number:04}.md"), note(number));
    }
    env
}

/// The same, indexed and committed, with hooks and without a changelog, which would be notes of
/// its own.
fn hooked(count: usize) -> TestEnv {
    let env = with_notes(count);
    env.write(".elophanto/config.yaml", "changelog: {enabled: false}\n");
    env.ok(&["index"]);
    env.ok(&["hook", "install"]);
    commit(&env, "base");
    assert!(config(env.root()).contains("embedding_provider: minilm"));
    env
}

fn config(root: &Path) -> String {
    fs::read_to_string(root.join(".elophanto/config.yaml")).unwrap_or_default()
}

/// Runs git under which hooks have as much time as they want: what is tried here is not how fast
/// the machine is. Returns what the hooks said.
fn git(env: &TestEnv, args: &[&str]) -> String {
    let mut command = env.sealed("git");
    let output = finish(command.args(args).env("ELOPHANTO_HOOK_SECONDS", "300"));
    assert_eq!(output.code, Some(0), "git {args:?}\n{output}");
    output.stderr()
}

/// Commits everything there is, and returns what the hook said.
fn commit(env: &TestEnv, message: &str) -> String {
    git(env, &["add", "--all"]);
    git(env, &["commit", "--quiet", "-m", message])
}

/// Runs the program in another folder.
fn run_in(env: &TestEnv, folder: &Path, args: &[&str]) -> Output {
    finish(env.command(args).current_dir(folder))
}

/// A clone beside the repository.
fn clone(env: &TestEnv, name: &str) -> PathBuf {
    env.git(&["clone", "--quiet", ".", &format!("../{name}")]);
    env.outside().join(name)
}

/// Whether every vector of a work tree is in a table: what `index --check` says.
#[track_caller]
fn assert_complete(env: &TestEnv, folder: &Path) {
    let output = run_in(env, folder, &["index", "--check"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout().starts_with("ok: "), "{output}");
}

/// Vectors that no table of a work tree holds.
fn uncommitted(env: &TestEnv, folder: &Path) -> u64 {
    let output = run_in(env, folder, &["index", "--check", "--json"]);
    output.json().last().unwrap()["uncommitted"].as_u64().unwrap()
}

/// The summary of `index --json`.
fn index_in(env: &TestEnv, folder: &Path) -> Value {
    let output = run_in(env, folder, &["index", "--json"]);
    assert_eq!(output.code, Some(0), "{output}");
    output.json().last().cloned().unwrap()
}

/// Lines on stderr that are notes.
fn notes_of(output: &Output) -> Vec<String> {
    output.stderr().lines().filter(|line| line.starts_with("note: ")).map(str::to_owned).collect()
}
