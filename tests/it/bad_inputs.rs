//! Inputs that must not break anything (SAFETY.md): the program in the hands of a hostile and
//! clumsy user. Every run is bounded, so that a hang is a failure and not a long wait.

mod damage;
mod disk;
mod links;
mod names;
mod places;
mod scan;
mod texts;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use crate::env::{Output, TestEnv};

/// Nothing here takes seconds; a run that takes this long hangs.
const HANGS: Duration = Duration::from_secs(120);

/// Runs a prepared program, ends it if it hangs, and expects that it neither panicked nor died.
pub fn bounded(command: &mut Command) -> Output {
    bounded_from(Stdio::null(), command)
}

/// The same, with something to read.
pub fn bounded_from(stdin: Stdio, command: &mut Command) -> Output {
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let shown = format!("{command:?}");
    let child = command.spawn().unwrap();
    let id = child.id();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(HANGS) else {
        // SAFETY: only sends a signal, to a child that has not been waited for.
        unsafe { libc::kill(id.cast_signed(), libc::SIGKILL) };
        panic!("{shown} hangs");
    };
    let output = Output::from(output.unwrap());
    assert!(output.code.is_some(), "{shown} died\n{output}");
    assert!(!output.stderr().contains("panicked"), "{shown}\n{output}");
    output
}

/// Runs the program and expects success.
fn done(env: &TestEnv, args: &[&str]) -> Output {
    let output = bounded(&mut env.command(args));
    assert_eq!(output.code, Some(0), "{args:?}\n{output}");
    output
}

/// Paths of the hits, best first; none if nothing was found.
fn found(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let output = bounded(&mut env.command(&[&["search", "--json"], args].concat()));
    assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
    output.json().iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
}

/// Files that `index` skips, with the reasons.
fn skipped(env: &TestEnv) -> Vec<(String, String)> {
    let lines = done(env, &["index", "--json"]).json();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    lines
        .iter()
        .filter(|line| line.get("reason").is_some())
        .map(|line| (text(&line["skipped"]), text(&line["reason"])))
        .collect()
}

/// Every regular file below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    files.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect()
}
