//! Jobs for all tests of this room, and which there cannot be.

use std::{os::unix::ffi::OsStringExt, path::PathBuf, time::Duration};

use proptest::prelude::*;

use super::*;

pub(super) fn job(name: &str, seconds: u64, command: &[&str], folder: &str) -> Job {
    Job {
        name: name.to_owned(),
        every: Duration::from_secs(seconds),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        folder: PathBuf::from(folder),
        program: PathBuf::from("/usr/bin/elophanto"),
    }
}

/// Text full of what means something to systemd, cron or a shell.
fn words() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof!["[ -~]{0,4}", "[$%'\"\\\\ ;#/]{0,6}", "[^\\p{C}]{0,3}", Just("&&".to_owned()),];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn folders() -> impl Strategy<Value = PathBuf> {
    let part = words().prop_map(|word| word.replace('/', ""));
    let part = part.prop_filter("plain", |part| !matches!(part.as_str(), "" | "." | ".."));
    let parts = proptest::collection::vec(part, 0..4);
    parts.prop_map(|parts| PathBuf::from(format!("/{}", parts.join("/"))))
}

/// Any job that there can be.
pub(super) fn jobs() -> impl Strategy<Value = Job> {
    let commands = proptest::collection::vec(words(), 1..5);
    ("[a-z0-9][a-z0-9_-]{0,39}", 60..=2_592_000_u64, commands, folders(), folders()).prop_map(
        |(name, seconds, command, folder, program)| {
            let program = program.to_string_lossy().replace(['"', '\'', '\\'], "_");
            let program = PathBuf::from(format!("{program}/elophanto").replace("//", "/"));
            Job { name, every: Duration::from_secs(seconds), command, folder, program }
        },
    )
}

/// Jobs that cron can run too, of few names and folders.
pub(super) fn cron_jobs() -> impl Strategy<Value = Job> {
    let seconds = prop::sample::select(vec![60, 600, 1800, 3600, 21_600, 86_400, 604_800]);
    let names = prop::sample::select(vec!["x", "y"]);
    let folders = prop::sample::select(vec!["/r", "/50% of/it's\\"]);
    (seconds, names, folders, jobs()).prop_map(|(seconds, name, folder, job)| {
        let every = Duration::from_secs(seconds);
        Job { name: name.to_owned(), every, folder: PathBuf::from(folder), ..job }
    })
}

fn check_refused(change: impl Fn(&mut Job), said: &str) {
    let mut job = job("scan", 600, &["scan"], "/r");
    change(&mut job);
    let error = job.check().unwrap_err();
    assert!(error.to_string().contains(said), "{error}");
    assert_eq!(service_unit(&job), Err(error.clone()));
    assert_eq!(timer_unit(&job), Err(error.clone()));
    assert_eq!(crontab_entry(&job), Err(error));
}

#[test]
fn jobs_that_cannot_be() {
    let long = "x".repeat(MAX_NAME + 1);
    for name in ["", "A", "-a", "_a", "a b", "a/b", "../x", "a.b", "é", "a\n", "-rf", &long] {
        check_refused(|job| job.name = name.to_owned(), "is no name of a job");
    }
    for millis in [0, 59_999, 60_500, 2_592_000_001] {
        check_refused(|job| job.every = Duration::from_millis(millis), "1 minute to 30 days");
    }
    check_refused(|job| job.command.clear(), "needs a command");
    for word in ["a\nb", "\0", "\u{1b}[2J", "\u{85}", "a\rb"] {
        check_refused(|job| job.command.push(word.to_owned()), "argument 2 of the command");
    }
    check_refused(|job| job.command = vec![String::new(); MAX_ARGUMENTS + 1], "at most 64");
    check_refused(|job| job.command.push("x".repeat(MAX_COMMAND_BYTES)), "8192 bytes");
    let long = format!("/{}", "x".repeat(MAX_PATH_BYTES));
    for path in ["", "r", "./r", "/r/", "/r//s", "/r/./s", "/r/../s", "//", "/a\nb", "/\0", &long] {
        check_refused(|job| job.folder = PathBuf::from(path), "no absolute path");
        check_refused(|job| job.program = PathBuf::from(path), "no absolute path");
    }
    let latin = PathBuf::from(std::ffi::OsString::from_vec(b"/caf\xe9".to_vec()));
    check_refused(|job| job.folder = latin.clone(), "is not UTF-8");
    for path in ["/", "/a'b", "/a\"b", "/a\\b"] {
        check_refused(|job| job.program = PathBuf::from(path), "systemd starts no such program");
    }
}

#[test]
fn how_often_by_default() {
    let hours = |hours| Some(Duration::from_hours(hours));
    assert_eq!(default_every("index"), hours(6));
    assert_eq!(default_every("scan"), Some(Duration::from_mins(10)));
    assert_eq!(default_every("clean"), hours(24));
    assert_eq!(default_every("search"), None);
}
