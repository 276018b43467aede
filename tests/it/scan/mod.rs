//! `elophanto scan` without any language model: what it asks, what it finds out by itself, what a
//! search makes of that, and what git carries of it.

mod damage;
mod git;
mod goes_on;
mod investigate;
mod questions;
mod search;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::env::{Output, TestEnv};

/// What one `scan --json` printed.
struct Scanned {
    /// Questions, or answers if it investigated.
    lines: Vec<Value>,
    /// The last line.
    sum: Value,
}

impl Scanned {
    fn of(output: &Output) -> Self {
        assert_eq!(output.code, Some(0), "{output}");
        let mut lines = output.json();
        let sum = lines.pop().unwrap();
        assert!(sum["files"].is_u64(), "{output}");
        Self { lines, sum }
    }

    fn paths(&self) -> Vec<&str> {
        self.lines.iter().map(path).collect()
    }

    /// Some counts of the last line.
    fn counts<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        names.map(|name| self.sum[name].as_u64().unwrap())
    }
}

/// The file that a question or an answer is about.
fn path(line: &Value) -> &str {
    let evidence = line["evidence"]["file_path"].as_str();
    evidence.or_else(|| line["file_path"].as_str()).unwrap()
}

fn id(line: &Value) -> &str {
    line["id"].as_str().unwrap()
}

fn scan(env: &TestEnv, args: &[&str]) -> Scanned {
    scan_in(env, ".", args)
}

fn scan_in(env: &TestEnv, folder: impl AsRef<Path>, args: &[&str]) -> Scanned {
    Scanned::of(&env.run_in(folder, &[&["scan", "--json"], args].concat()))
}

/// Asks and answers everything.
fn investigate(env: &TestEnv) -> Scanned {
    scan(env, &["--investigate", "--all"])
}

/// Questions that wait, or that are in another state; sorted by path.
fn list(env: &TestEnv, args: &[&str]) -> Vec<Value> {
    let mut listed = env.json(&[&["scan", "--list", "--json"], args].concat());
    listed.sort_by(|a, b| path(a).cmp(path(b)));
    listed
}

/// Paths of the questions that wait.
fn waiting(env: &TestEnv) -> Vec<String> {
    list(env, &[]).iter().map(|question| path(question).to_owned()).collect()
}

/// A Rust file whose documentation says this.
fn source(says: &str) -> String {
    format!("//! {says}\n\n/// Begins.\npub fn begin() {{}}\n")
}

/// So many source files that nobody has described.
fn herons(count: usize) -> TestEnv {
    let env = TestEnv::new();
    for number in 0..count {
        env.write(format!("src/heron{number}.rs"), source(&format!("Heron {number} fishes.")));
    }
    env
}

/// `path (state)` of all described files.
fn indexed(env: &TestEnv) -> Vec<String> {
    let lines = env.json(&["scan", "--indexed", "--json"]);
    let told = |line: &Value| format!("{} ({})", path(line), line["state"].as_str().unwrap());
    lines.iter().map(told).collect()
}

/// Files of the journal below a folder, sorted.
fn journal_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(months) = fs::read_dir(folder) else { return Vec::new() };
    let files = months.flat_map(|month| fs::read_dir(month.unwrap().path()).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Files of the journal in the work tree.
fn journal(env: &TestEnv) -> Vec<PathBuf> {
    journal_below(&env.path(".elophanto/journal"))
}

/// Files of the journal that stays on this machine.
fn local_journal(env: &TestEnv) -> Vec<PathBuf> {
    journal_below(&env.path(".git/elophanto/journal"))
}

/// Records of one kind in files of the journal.
fn records(files: &[PathBuf], kind: &str) -> Vec<Value> {
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let parsed = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.filter(|record| record["kind"] == kind).collect()
}

/// The record of a file's summary in the journal; there is one only.
fn summary_of(env: &TestEnv, file: &str) -> Value {
    let mut found = records(&journal(env), "summary");
    found.retain(|record| path(record) == file);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}
