//! Row 8: no space, no rights, nobody who reads.

use std::{
    fs::{self, File, Permissions},
    os::unix::fs::PermissionsExt,
    process::Command,
};

use super::{bounded, done, files_below};
use crate::env::{Output, PROGRAM, TestEnv};

fn notes() -> TestEnv {
    let env = TestEnv::new();
    // Recency moves scores with the clock.
    env.write(".elophanto/config.yaml", "search:\n  recency_weight: 0\n");
    for n in 0..30 {
        let text = format!("# Note {n}\n\nThe zebra number {n} crosses the river at noon.\n");
        env.write(format!("n{n}.md"), text.repeat(20));
    }
    env
}

/// The program when files may have at most so many blocks (of 1 KiB in bash).
fn limited(env: &TestEnv, blocks: usize, args: &[&str]) -> Output {
    let mut command = env.sealed("bash");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\""), PROGRAM]).args(args);
    bounded(&mut command)
}

/// Exit 0 with the answer, or 2 with an error that says why.
fn check_failed(output: &Output) {
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("error: "), "{output}");
}

#[test]
fn search_answers_when_no_file_can_be_written() {
    for blocks in [0, 1, 8, 64] {
        let env = notes();
        let full = limited(&env, blocks, &["search", "zebra", "--json"]);
        assert_eq!(full.code, Some(0), "{blocks}\n{full}");
        let free = done(&env, &["search", "zebra", "--json"]);
        assert_eq!(full.stdout, free.stdout, "{blocks}");
        // And over a view that is out of date.
        env.write("n3.md", "# Quagga\n\nThe quagga is gone.\n");
        let full = limited(&env, blocks, &["search", "quagga"]);
        assert_eq!(full.code, Some(0), "{blocks}\n{full}");
        assert!(full.stdout().contains("n3.md:3"), "{blocks}\n{full}");
        done(&env, &["index"]);
        assert_eq!(env.hits(&["quagga"])[0], "n3.md");
    }
}

#[test]
fn index_fails_plainly_when_no_file_can_be_written() {
    for blocks in [0, 1, 4, 16, 64] {
        let env = notes();
        env.write(".elophanto/config.yaml", "# mine\nsearch:\n  limit: 7\n");
        let full = limited(&env, blocks, &["index"]);
        if full.code != Some(0) {
            check_failed(&full);
            assert!(env.tables().is_empty(), "{blocks}: a table that is not whole\n{full}");
        }
        let config = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
        assert!(config.contains("# mine\nsearch:\n  limit: 7\n"), "{blocks}: {config:?}");
        // Once there is space all is well, and nothing is left behind.
        done(&env, &["index"]);
        done(&env, &["index", "--check"]);
        let left = files_below(&env.path(".elophanto"));
        let is_temporary = |path: &std::path::PathBuf| {
            path.strip_prefix(env.root()).unwrap().to_str().unwrap().contains(".tmp")
        };
        assert!(!left.iter().any(is_temporary), "{left:?}");
        assert_eq!(env.hits(&["zebra"]).len(), 7);
    }
}

#[test]
fn a_full_standard_output_is_a_failure() {
    let env = notes();
    done(&env, &["index"]);
    for args in [
        &["search", "zebra"][..],
        &["search", "zebra", "--json"],
        &["search", "zebra", "--format", "files", "-0"],
        &["index"],
        &["index", "--json"],
        &["index", "--check"],
        &["doctor"],
        &["doctor", "--json"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = Command::output(env.command(args).stdout(full)).unwrap();
        check_failed(&Output::from(output));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let env = notes();
    for args in [&["search", "zebra", "-n", "30", "--full"][..], &["man"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::output(env.command(args).stdout(writer)).unwrap();
        assert_eq!(Output::from(output).code, Some(0), "{args:?}");
    }
}

#[test]
fn closed_streams_are_survived() {
    let env = notes();
    for redirection in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        for args in ["search zebra", "index", "doctor", "search -"] {
            let script = format!("\"$0\" {args} {redirection}");
            let output = bounded(env.sealed("bash").args(["-c", &script, PROGRAM]));
            assert!(matches!(output.code, Some(0..=2)), "{script}\n{output}");
        }
    }
    assert_eq!(env.read("n0.md"), notes().read("n0.md"));
}

/// Takes the right to write from everything, and gives it back for the cleaning.
struct ReadOnly<'a>(&'a TestEnv);

impl<'a> ReadOnly<'a> {
    fn make(env: &'a TestEnv) -> Option<Self> {
        let guard = Self(env);
        guard.set(false);
        // The administrator may write all the same.
        File::create(env.path("probe")).is_err().then_some(guard)
    }

    fn set(&self, writable: bool) {
        for entry in walkdir::WalkDir::new(self.0.root()).contents_first(!writable) {
            let entry = entry.unwrap();
            let mode = match (entry.file_type().is_dir(), writable) {
                (true, true) => 0o755,
                (true, false) => 0o555,
                (false, true) => 0o644,
                (false, false) => 0o444,
            };
            fs::set_permissions(entry.path(), Permissions::from_mode(mode)).unwrap();
        }
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        self.set(true);
    }
}

#[test]
fn a_read_only_checkout_is_searched() {
    let env = notes();
    let right = done(&env, &["search", "zebra", "--json"]).stdout;
    fs::remove_dir_all(env.view()).unwrap();
    if let Some(_guard) = ReadOnly::make(&env) {
        let answer = done(&env, &["search", "zebra", "--json"]);
        assert_eq!(answer.stdout, right);
        assert!((1..=2).contains(&answer.stderr().lines().count()), "{answer}");
        check_failed(&bounded(&mut env.command(&["index"])));
    }
}

#[test]
fn a_view_that_is_no_folder_does_not_stop_search() {
    let env = notes();
    let right = done(&env, &["search", "zebra", "--json"]).stdout;
    fs::remove_dir_all(env.path(".git/elophanto")).unwrap();
    env.write(".git/elophanto", "in the way");
    let answer = done(&env, &["search", "zebra", "--json"]);
    assert_eq!(answer.stdout, right);
    assert!((1..=2).contains(&answer.stderr().lines().count()), "{answer}");
    check_failed(&bounded(&mut env.command(&["index"])));
}

#[test]
fn tables_that_are_no_folder_do_not_stop_search() {
    let env = notes();
    env.write(".elophanto/index", "in the way");
    let answer = done(&env, &["search", "zebra", "--json"]);
    assert!(!answer.json().is_empty());
    check_failed(&bounded(&mut env.command(&["index"])));
    assert_eq!(env.read(".elophanto/index"), b"in the way");
}
